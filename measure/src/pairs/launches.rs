//! Starts the process runs of base and head, with no-ops between them.

use std::fs;
use std::io::ErrorKind;

use anyhow::Context;
use perf_cli::term;
use perf_verdict::statistics::order::sorted;

use crate::process::{CommandSpec, Launch, Launcher};
use crate::schedule::Schedule;

/// The minimum net time of a process run, in seconds. Shorter commands are repeated, because otherwise the clock and
/// process start-up would dominate.
const SHORTEST: f64 = 0.001;
/// The gross time of a process run, in seconds, above which it gets no more repetitions. A command as fast as the no-op
/// never reaches [`SHORTEST`].
const LONGEST: f64 = 0.1;

/// The environment variable that sets Python's hash seed.
const HASH_SEED: &str = "PYTHONHASHSEED";

/// Starts the process runs of a measurement, all with the same settings.
pub struct Launches<'m> {
    pub launcher: Launcher<'m>,
    pub schedule: Schedule,
    /// How often each process run repeats the command.
    pub repeats: u32,
    /// The no-op whose time is subtracted, if any.
    pub noop: Option<CommandSpec>,
    /// The wall times of the no-op so far, in seconds.
    pub noop_seconds: Vec<f64>,
    /// Python's hash seed, unless the user sets one. It decides which keys collide, so base and head of a pair share it.
    pub hash_seed: usize,
}

impl Launches<'_> {
    /// Doubles the number of repetitions until both commands take long enough, or one takes long.
    pub fn choose_repeats(&mut self, lines: &[CommandSpec; 2]) -> anyhow::Result<()> {
        loop {
            let empty = self.overhead()? * f64::from(self.repeats);
            let base = self.launch(&lines[0])?.wall;
            let current = self.launch(&lines[1])?.wall;
            if base.min(current) - empty >= SHORTEST || base.max(current) >= LONGEST {
                return Ok(());
            }
            self.repeats *= 2;
        }
    }

    /// Runs a command, after removing its earlier results.
    pub fn launch(&mut self, line: &CommandSpec) -> anyhow::Result<Launch> {
        remove_results(line)?;
        let mut copy = one_copy(line, &mut self.schedule);
        if std::env::var_os(HASH_SEED).is_none() {
            let seed = self.hash_seed.to_string();
            copy.variables.insert(0, (HASH_SEED.into(), seed.into()));
        }
        self.launcher
            .launch(&copy, self.repeats, self.schedule.padding())
    }

    /// Returns the seconds to subtract in the next pair. If there is a no-op, runs it again and uses its median time so far.
    pub fn overhead(&mut self) -> anyhow::Result<f64> {
        let mut wall = 0.0;
        if let Some(line) = &self.noop {
            let noop = self.launcher.launch(line, 1, self.schedule.padding())?;
            self.noop_seconds.push(noop.wall);
            let sorted = sorted(&self.noop_seconds);
            // For an even number of no-ops, take the upper of the two middle times, because it is a measured value.
            wall = sorted[sorted.len() / 2];
        }
        Ok(wall)
    }
}

/// Replaces the command's program with a random copy, if there are copies.
fn one_copy(line: &CommandSpec, schedule: &mut Schedule) -> CommandSpec {
    let mut line = line.clone();
    // The program is not always the first word: `nice` or `env` may precede it.
    if let Some(copy) = schedule.one_of(&line.copies)
        && let Some(place) = line.words.iter().position(|word| *word == line.copies[0])
    {
        line.words[place] = copy.into();
    }
    line
}

/// Removes an earlier process run's results, so that they are not read again. Keeps a path that the user set, because
/// it may be a folder with other files. There, results older than the process run are ignored.
fn remove_results(line: &CommandSpec) -> anyhow::Result<()> {
    let Some(path) = line.results.as_ref().filter(|_| line.owns_results) else {
        return Ok(());
    };
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", term::shown(path)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    use super::*;

    #[test]
    fn only_results_at_our_own_path_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut line = CommandSpec::of(vec!["pytest".into()]).unwrap();
        line.results = Some(folder.path().to_owned());
        remove_results(&line).unwrap();
        assert!(folder.path().exists());
        line.owns_results = true;
        remove_results(&line).unwrap();
        assert!(!folder.path().exists());
    }

    #[test]
    fn a_random_copy_replaces_the_program_wherever_it_stands() {
        let mut line = CommandSpec::of(
            ["nice", "-n", "5", "/0/p.test", "-v"]
                .map(Into::into)
                .into(),
        )
        .unwrap();
        line.copies = ["/0/p.test", "/1/p.test"].map(Into::into).into();
        let mut schedule = Schedule::new(1);
        let started: BTreeSet<OsString> = (0..20)
            .map(|_| one_copy(&line, &mut schedule).words[3].clone())
            .collect();
        assert_eq!(
            started,
            ["/0/p.test", "/1/p.test"].map(OsString::from).into()
        );
        assert_eq!(one_copy(&line, &mut schedule).words[0], "nice");
    }
}
