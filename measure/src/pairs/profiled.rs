//! Prepares base and head to run under a profiler.

use std::ffi::OsString;
use std::time::Instant;

use anyhow::anyhow;
use perf_cli::ResultExt;

use super::Session;
use super::prepare::sides::Sides;
use super::request::PairsRequest;
use crate::process::Launcher;
use crate::schedule::Side;

/// Both sides of a request, built at their paths.
pub struct ProfiledSides<'s> {
    sides: Sides,
    launcher: Launcher<'s>,
}

impl<'s> ProfiledSides<'s> {
    /// Prepares and builds the head and, if `has_base`, the base. All commands get the environment variables.
    ///
    /// # Errors
    /// Fails if a side cannot be prepared or built, or if the base does not contain the benchmark.
    pub fn prepare(
        request: &PairsRequest,
        has_base: bool,
        variables: &[(OsString, OsString)],
        session: &'s Session,
    ) -> anyhow::Result<Self> {
        let config = perf_cli::load::config(request.config.as_deref())?;
        let mut launcher = session.launcher(request);
        launcher.deadline = request.time_limit.map(|limit| Instant::now() + limit);
        let mut sides = Sides::of(request, &config, &session.guardian, None)?;
        if let Some(reason) = sides.missing_benchmark(request, &config)? {
            return Err(anyhow!(reason)).hint("pass `--no-base` to profile only the head");
        }
        for side in &mut sides.both {
            side.command.variables.extend_from_slice(variables);
        }
        if let Some(command) = &request.build {
            sides.build(command, has_base, &launcher)?;
        }
        Ok(Self { sides, launcher })
    }

    /// Returns the base commit.
    pub fn base_commit(&self) -> &str {
        &self.sides.side(Side::Base).commit
    }

    /// Runs a command on the base (0) or the head (1), and returns its output.
    ///
    /// # Errors
    /// Fails if the command cannot be started, fails, or exceeds the time limit.
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
        Ok(self.sides.advise(side, launch)?.output)
    }
}
