//! One run of the benchmark, and finding what it left behind.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use extract_perf_baseline::BaselineRequest;
use perf_cli::load::InputArgs;
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use perf_readers::{Format, ParseReport};

/// File systems that store whole or even seconds make a file look older than it is.
const COARSE: Duration = Duration::from_secs(2);

/// Folders of Criterion are not deeper than this.
const DEEPEST: usize = 8;

/// How the benchmark is run, and where its results are.
#[derive(Clone, Debug)]
pub(crate) struct Benchmark {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
    /// The file or folder that it leaves its results in.
    pub(crate) output: Option<PathBuf>,
    pub(crate) format: Option<&'static Format>,
    pub(crate) baseline: PathBuf,
    pub(crate) platform: Option<String>,
    pub(crate) commit: Option<String>,
    /// Where it runs, as far as that is no terminal.
    pub(crate) place: Surroundings,
}

/// What a benchmark sees and where its output is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// Variables that it does not get.
    pub(crate) hidden: Vec<OsString>,
    /// True if its output is shown on standard output, as in the log of a workflow, which has no other order.
    pub(crate) is_in_log: bool,
}

impl Benchmark {
    /// Runs it and returns the rows.
    ///
    /// # Errors
    /// A benchmark that cannot be started, fails, or leaves no results.
    pub(crate) fn run(
        &self,
        folder: &Path,
        number: usize,
        specs: Option<&Path>,
        config: &Config,
    ) -> anyhow::Result<ParseReport> {
        let log = folder.join(format!("run-{number}.log"));
        let start = SystemTime::now();
        self.launch(&self.words, &log)?;
        let results = self.results(&log, start)?;
        let is_log = results == log;
        let source = InputArgs {
            input: vec![results],
            format: self.format,
            platform: self.platform.clone(),
            ..InputArgs::default()
        };
        let request = BaselineRequest {
            commit: self.commit.clone(),
            machine_specs: specs.map(Path::to_owned),
            ..BaselineRequest::of(source)
        };
        // Notes are about files that nobody sees.
        let read = term::quietly(|| extract_perf_baseline::rows(&request, config));
        let read = if is_log {
            read.hint(format!(
                "that is what `{}` printed: if it writes its results to a file, name that with `--output-of FILE`",
                term::printable(&self.words[0].to_string_lossy())
            ))
        } else {
            read
        };
        Ok(read?.0)
    }

    /// Runs a command as the benchmark is run; what it prints is shown as it comes, and kept.
    ///
    /// # Errors
    /// A command that cannot be started, or fails.
    pub(crate) fn launch(&self, words: &[OsString], log: &Path) -> anyhow::Result<()> {
        let (program, arguments) = words.split_first().ok_or_else(|| Failure::new("no command to run"))?;
        let shown = term::printable(&program.to_string_lossy());
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        for name in &self.place.hidden {
            command.env_remove(name);
        }
        // In the order of what is around it: a runner reads both streams of a step, and obeys both.
        if self.place.is_in_log {
            command.stderr(io::stdout());
        }
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(format!("command not found: `{shown}`"))
                .hint("commands run without a shell: use `sh -c '…'` for pipes and variables"),
            _ => Failure::new(format!("cannot start `{shown}`")).because(error),
        })?;
        if let Some(stdout) = child.stdout.take() {
            let file = File::create(log)?;
            if self.place.is_in_log {
                term::relay(stdout, Logged(file), false)?;
            } else {
                term::relay(stdout, file, !term::is_quiet())?;
            }
        }
        let status = child.wait()?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("`{shown}` failed: {status}")).into())
    }

    /// Where the results are: what is named, else Criterion's folder if this run wrote there, else what was printed.
    fn results(&self, log: &Path, start: SystemTime) -> anyhow::Result<PathBuf> {
        let since = start.checked_sub(COARSE).unwrap_or(start);
        if let Some(path) = &self.output {
            if is_newer(path, since, DEEPEST) {
                return Ok(path.clone());
            }
            let what = if path.exists() { "did not write" } else { "left no" };
            let program = term::printable(&self.words[0].to_string_lossy());
            return Err(Failure::new(format!("`{program}` {what} `{}`", term::shown(path)))
                .hint("`--output-of` and `run.results` name the file or folder with the results of this run")
                .into());
        }
        let criterion = criterion();
        Ok(if is_newer(&criterion, since, DEEPEST) { criterion } else { log.to_owned() })
    }
}

/// A file whose content is shown on standard output as well.
struct Logged(File);

impl Write for Logged {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.write_all(text)?;
        // A log that is gone is no reason to lose the run.
        let _ = io::stdout().write_all(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Where Criterion writes.
fn criterion() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("criterion")
}

/// True if a file, or one in a folder, was written since then.
fn is_newer(path: &Path, since: SystemTime, deepest: usize) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    if metadata.is_file() {
        return metadata.modified().is_ok_and(|modified| modified >= since);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    deepest > 0 && entries.into_iter().any(|entry| is_newer(&entry.path(), since, deepest - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_an_earlier_run_are_stale() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("group/new")).unwrap();
        fs::write(folder.path().join("group/new/sample.json"), "{}").unwrap();
        let now = SystemTime::now();
        let hour = Duration::from_hours(1);
        assert!(is_newer(folder.path(), now - hour, DEEPEST));
        assert!(!is_newer(folder.path(), now + hour, DEEPEST));
        assert!(!is_newer(&folder.path().join("none"), now - hour, DEEPEST));
    }
}
