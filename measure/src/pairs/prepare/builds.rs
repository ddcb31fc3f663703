//! Builds of base and head: each in its own tree, or the base on top of the head's build.

use std::ffi::OsString;
use std::sync::Arc;

use perf_cli::term;
use perf_model::diagnostic::named;

use super::checkout::{Checkout, Difference};
use super::incremental::{follows, is_own_build, is_prose};
use super::outputs::{is_source, same_program};
use super::sides::Sides;
use crate::guardian::Stopped;
use crate::pairs::request::Paths;
use crate::process::Launcher;
use crate::schedule::Side;

impl Sides {
    /// Builds the head, and with `has_base` also the base.
    ///
    /// # Errors
    /// A build failed.
    pub fn build(
        &mut self,
        command: &[OsString],
        has_base: bool,
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        if has_base && self.keeps_base() {
            return self.build_beside_kept(command, launcher);
        }
        let stackable = if has_base {
            self.stackable(command)?
        } else {
            None
        };
        if has_base && stackable.is_none() {
            self.build_side(Side::Base, command, launcher)?;
        }
        self.build_side(Side::Current, command, launcher)?;
        stackable.map_or(Ok(()), |differences| {
            self.build_on_top(&differences, command, launcher)
        })
    }

    /// Builds the base unless it is kept, then the head: on top of the base's build, if the build tool detects all differences.
    fn build_beside_kept(
        &mut self,
        command: &[OsString],
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        if self
            .checkout
            .as_ref()
            .is_some_and(|checkout| !checkout.is_base_kept)
        {
            self.build_side(Side::Base, command, launcher)?;
            self.checkout.iter_mut().try_for_each(Checkout::keep_base)?;
            self.enter_places();
        }
        let Some(checkout) = &self.checkout else {
            return Ok(());
        };
        let differences = checkout.differences(&self.base.commit, Some(&self.current.commit))?;
        if follows(command, &differences) {
            self.begin_current(true, launcher)?;
            let built = self.build_side(Side::Current, command, launcher);
            let is_own = |checkout| {
                differences.iter().all(is_prose) || is_own_build(checkout, 1, &self.current.command)
            };
            match built {
                Err(error) if error.is::<Stopped>() => return Err(error),
                Ok(()) if self.checkout.as_ref().is_none_or(is_own) => return Ok(()),
                _ => self.begin_current(false, launcher)?,
            }
        }
        self.build_side(Side::Current, command, launcher)
    }

    /// Unpacks the head in a new mount view, on top of the base's build or of the checkout.
    fn begin_current(&mut self, is_on_base: bool, launcher: &Launcher<'_>) -> anyhow::Result<()> {
        if let Some(checkout) = &mut self.checkout {
            checkout.renew_current(is_on_base)?;
            checkout.unpack(1, &self.current.commit, launcher.guardian)?;
        }
        self.enter_places();
        Ok(())
    }

    /// The differences between base and head, if the base can be built on top of the head's build.
    fn stackable(&self, command: &[OsString]) -> anyhow::Result<Option<Vec<Difference>>> {
        let Some(checkout) = self
            .checkout
            .as_ref()
            .filter(|checkout| checkout.paths == Paths::Same)
        else {
            return Ok(None);
        };
        let differences = self.differences(checkout)?;
        Ok(follows(command, &differences).then_some(differences))
    }

    /// The tracked files that differ between base and head.
    fn differences(&self, checkout: &Checkout) -> anyhow::Result<Vec<Difference>> {
        let current = self.current.tree.is_none().then_some(&*self.current.commit);
        checkout.differences(&self.base.commit, current)
    }

    /// Notes if both builds produced the same program from different sources, for example because the build does not read them.
    ///
    /// # Errors
    /// A git error.
    pub(crate) fn note_same_program(&self) -> anyhow::Result<()> {
        let Some(checkout) = &self.checkout else {
            return Ok(());
        };
        let Some(program) = same_program(checkout, &self.current.command) else {
            return Ok(());
        };
        let differences = self.differences(checkout)?.into_iter().filter(is_source);
        let sources: Vec<String> = differences
            .map(|source| format!("`{}`", term::printable(&source.path)))
            .collect();
        if !sources.is_empty() {
            let (program, sources) = (term::shown(&program), named(&sources, 2));
            term::note(&format!(
                "base and head differ in {sources}, but both builds produced the same `{program}`"
            ));
        }
        Ok(())
    }

    /// Builds the base on top of the head's build. If this fails, or does not replace the head's program, builds it from scratch.
    fn build_on_top(
        &mut self,
        differences: &[Difference],
        command: &[OsString],
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        let Some(checkout) = &mut self.checkout else {
            return Ok(());
        };
        let plain = checkout.stack()?;
        checkout.unpack(0, &self.base.commit, launcher.guardian)?;
        self.enter_places();
        let built = self.build_side(Side::Base, command, launcher);
        let is_own =
            |checkout| differences.is_empty() || is_own_build(checkout, 0, &self.base.command);
        let why = match built {
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(_) => "it does not build on top of the head's build",
            Ok(()) if self.checkout.as_ref().is_none_or(is_own) => return Ok(()),
            Ok(()) => "on top of the head's build, its build did not write the program that runs",
        };
        term::note(&format!(
            "building {} from scratch: {why}",
            self.described(Side::Base)
        ));
        self.checkout
            .iter_mut()
            .for_each(|checkout| checkout.places.clone_from(&plain));
        self.enter_places();
        self.build_side(Side::Base, command, launcher)
    }

    /// Updates both commands to the checkout's current mount views.
    fn enter_places(&mut self) {
        let Some(checkout) = &self.checkout else {
            return;
        };
        for (number, side) in [&mut self.base, &mut self.current].into_iter().enumerate() {
            side.command.place = Some(Arc::new(checkout.place(number).clone()));
        }
    }
}
