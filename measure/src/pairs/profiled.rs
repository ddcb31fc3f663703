//! Both sides, ready to be launched under a profiler.

use std::ffi::OsString;
use std::time::Instant;

use perf_cli::Failure;

use super::Session;
use super::prepare::sides::Sides;
use super::request::PairsRequest;
use crate::process::Launcher;
use crate::schedule::Side;

/// Both sides of a request, built at their paths.
#[derive(Debug)]
pub struct ProfiledSides<'s> {
    sides: Sides,
    launcher: Launcher<'s>,
}

impl<'s> ProfiledSides<'s> {
    /// Finds both sides and builds them, the base only if there is one. All commands get the variables.
    ///
    /// # Errors
    /// A side that cannot be prepared or built, or a base without the benchmark's own files.
    pub fn prepare(
        request: &PairsRequest,
        has_base: bool,
        variables: &[(OsString, OsString)],
        session: &'s Session,
    ) -> anyhow::Result<Self> {
        let config = perf_cli::load::config(request.config.as_deref())?;
        let deadline = request.time_limit.map(|limit| Instant::now() + limit);
        let launcher = Launcher {
            deadline,
            ..session.launcher(request)
        };
        let mut sides = Sides::of(request, &config, &session.guardian, None)?;
        if let Some(reason) = sides.lacking(request, &config)? {
            return Err(Failure::new(reason)
                .hint("`--no-base` profiles the current side alone")
                .into());
        }
        for side in [&mut sides.base, &mut sides.current] {
            side.command.variables.extend_from_slice(variables);
        }
        if let Some(command) = &request.build {
            sides.build(command, has_base, &launcher)?;
        }
        Ok(Self { sides, launcher })
    }

    /// The commit of the base.
    pub fn base_commit(&self) -> &str {
        &self.sides.base.commit
    }

    /// Launches a command as the base (0) or the current side (1), and returns its output.
    ///
    /// # Errors
    /// A command that cannot be started, fails, or takes longer than the limit.
    pub fn launch(
        &self,
        side: usize,
        words: &[OsString],
        variables: &[(OsString, OsString)],
    ) -> anyhow::Result<Vec<u8>> {
        let side = if side == 0 { Side::Base } else { Side::Current };
        let mut line = self.sides.side(side).command.with(words)?;
        line.variables.extend_from_slice(variables);
        let launch = self.launcher.launch(&line, 1, 0);
        launch
            .map(|launch| launch.output)
            .map_err(|error| self.sides.advised(side, error))
    }

    /// Removes places and worktrees.
    ///
    /// # Errors
    /// A worktree that git cannot remove.
    pub fn close(self) -> anyhow::Result<()> {
        self.sides.close()
    }
}
