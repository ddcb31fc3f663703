//! Builds base and head: each in its own tree, or one on top of the other's build.

use std::ffi::OsString;
use std::time::SystemTime;

use anyhow::anyhow;
use perf_cli::{ResultExt, term};

use super::incremental::follows;
use super::outputs::foreign_sources;
use super::sides::Sides;
use crate::guardian::Stopped;
use crate::process::{Launcher, find_program, split_words};
use crate::schedule::Side;

impl Sides {
    /// Builds the head and, if `has_base`, the base. If the build tool detects all differences, the second side is
    /// built on top of the first side's build. In a series of requests with the same base, the base is built only once.
    ///
    /// # Errors
    /// Fails if a build fails.
    pub fn build(
        &mut self,
        command: &[OsString],
        has_base: bool,
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        if !has_base {
            return self.build_side(Side::Current, command, launcher);
        }
        let is_series = self.keeps_base();
        let mut differences = None;
        if let Some(checkout) = &self.checkout {
            let current = self.side(Side::Current);
            let current = current.tree.is_none().then_some(&*current.commit);
            let found = checkout.differences(&self.side(Side::Base).commit, current)?;
            differences = Some(found).filter(|found| follows(command, found));
        }
        let [first, second] = if is_series || differences.is_none() {
            [Side::Base, Side::Current]
        } else {
            [Side::Current, Side::Base]
        };
        let checkout = self.checkout.as_ref();
        let is_kept = checkout.is_some_and(|checkout| checkout.is_base_kept);
        if first != Side::Base || !is_kept {
            self.build_side(first, command, launcher)?;
            if is_series || differences.is_some() {
                if let Some(checkout) = &mut self.checkout {
                    checkout.freeze(first)?;
                }
                self.enter_places();
            }
        }
        if let Some(differences) = differences {
            self.renew(second, true, launcher)?;
            let why = match self.build_side(second, command, launcher) {
                Err(error) if error.is::<Stopped>() => return Err(error),
                Err(_) => "it does not build on top of the other side's build",
                Ok(()) if self.is_own_build(second, &differences) => return Ok(()),
                Ok(()) => {
                    "on top of the other side's build, its build did not write the program that runs"
                }
            };
            term::note(&format!(
                "building {} from scratch: {why}",
                self.described(second)
            ));
            self.renew(second, false, launcher)?;
        }
        self.build_side(second, command, launcher)
    }

    /// Unpacks a side in a new mount view, which is on top of the other side's build or of the checkout.
    fn renew(
        &mut self,
        side: Side,
        is_on_other: bool,
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        let commit = self.side(side).commit.clone();
        if let Some(checkout) = &mut self.checkout {
            checkout.renew(side, is_on_other)?;
            checkout.unpack(side, &commit, launcher.guardian)?;
        }
        self.enter_places();
        Ok(())
    }

    /// Rejects code outside of the checkout that both base and head would run, so that they would look equally fast:
    /// sources for which CMake is configured, and programs that the build wrote.
    ///
    /// # Errors
    /// Fails if there is such code.
    pub fn reject_shared_code(&self, build: &[OsString], since: SystemTime) -> anyhow::Result<()> {
        if !self.has_base_commit() {
            return Ok(());
        }
        let [base, current] = self.both.each_ref().map(|side| &side.command);
        for word in split_words(&current.words) {
            let Some(file) = find_program(word.as_ref(), &current.folder) else {
                continue;
            };
            let is_same = find_program(word.as_ref(), &base.folder).as_ref() == Some(&file);
            let Ok(file) = file.canonicalize() else {
                continue;
            };
            let is_outside = current.outside(&file) == file;
            if is_same && is_outside && file.is_file() && file.metadata()?.modified()? >= since {
                let file = term::shown(&file);
                return Err(anyhow!(
                    "base and head would run the same `{file}`: it is outside of the checkout, and the build wrote it"
                ))
                .hint("build inside of the checkout");
            }
        }
        let Some(checkout) = &self.checkout else {
            return Ok(());
        };
        for word in split_words(&[&current.words, build].concat()) {
            let path = current.folder.join(word);
            for folder in path
                .ancestors()
                .take_while(|path| path.starts_with(&checkout.root))
            {
                if let Some(source) = foreign_sources(checkout, folder) {
                    let (folder, source) = (term::shown(folder), term::printable(&source));
                    return Err(anyhow!(
                        "base and head would run the code of `{source}`: CMake configured `{folder}` for it"
                    ))
                    .hint(format!(
                        "configure it for this checkout with `cmake --fresh -B {folder}`"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Makes both commands use the checkout's current mount views.
    fn enter_places(&mut self) {
        let Some(checkout) = &self.checkout else {
            return;
        };
        for (side, place) in self.both.iter_mut().zip(&checkout.places) {
            side.command.place = Some(place.clone());
        }
    }
}
