//! Runs the benchmark, and finds and reads its results.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, anyhow, bail};
use extract_perf_baseline::BaselineRequest;
use measure::bench_tools::{
    Adjusted, BenchTool, NotRecognised, SAMPLES, format_of_executable, started_program,
};
use measure::pairs::{PairsRequest, SideRequest, Tree};
use measure::rows::{name_as_known, shortened};
use perf_cli::load::InputArgs;
use perf_cli::{Failure, ResultExt, failure, file, program, term};
use perf_config::{Config, Measured};
use perf_model::aggregate::aggregate_launch;
use perf_model::metric::Direction;
use perf_model::row::{Metrics, Name, Row};
use perf_model::suite::Definitions;
use perf_readers::{Format, ParseReport};

/// The tolerance for file systems that round modification times down by up to two seconds.
const COARSE: Duration = Duration::from_secs(2);

/// The folder for results and the last run. Git ignores it.
pub const FOLDER: &str = ".perf-gate";

/// Creates [`FOLDER`], with a `.gitignore`.
///
/// # Errors
/// Fails if the folder or the file cannot be created.
pub fn create_folder() -> anyhow::Result<&'static Path> {
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create `{}`", term::shown(folder)))?;
    file::write_if_changed(&folder.join(".gitignore"), b"*\n")?;
    Ok(folder)
}

/// A command that is timed as a whole runs at most `LAUNCHES` times, and is not started again after `ENOUGH`.
const LAUNCHES: usize = 10;
const ENOUGH: Duration = Duration::from_secs(3);

/// The number of log lines shown after a failure.
const SHOWN: usize = 20;

/// How deep to search a folder for new files. Criterion's folders are less deep.
const DEEPEST: usize = 8;

/// The benchmark's command and results.
#[derive(Clone, Debug, Default)]
pub struct Benchmark {
    /// The program and its arguments. Empty only in a default value, which cannot run.
    pub words: Vec<OsString>,
    /// True if the command runs without added options for its tool.
    pub is_as_is: bool,
    /// The names of the selected benchmarks, or empty for all.
    pub chosen: BTreeSet<Name>,
    /// The file or folder that the command writes its results to, if it is configured.
    pub output: Option<PathBuf>,
    pub format: Option<&'static Format>,
    pub baseline: PathBuf,
    pub platform: Option<String>,
    /// Environment variables that pass options to the benchmark tool.
    pub variables: Vec<(OsString, OsString)>,
    /// True to relay the benchmark's output to standard output, for a workflow log.
    pub is_in_log: bool,
}

impl Benchmark {
    /// True if there is a baseline in the working tree or in git.
    pub fn has_baseline(&self) -> bool {
        self.baseline.is_file() || perf_cli::load::git::is_committed(&self.baseline)
    }

    /// Detects the command's benchmark tool.
    ///
    /// # Errors
    /// Returns the reason if the tool is unknown.
    pub fn harness(&self) -> Result<BenchTool, NotRecognised> {
        let here = Path::new(".");
        if let Some(format) = self.format {
            return BenchTool::of_format(format.name, &self.words);
        }
        match BenchTool::of(&self.words, here) {
            Ok(tool) => Ok(tool),
            Err(why) => {
                let program = started_program(&self.words);
                match program.and_then(|program| format_of_executable(Path::new(program))) {
                    Some(format) => BenchTool::of_format(format, &self.words),
                    None => Err(why),
                }
            }
        }
    }

    /// The request to measure a base and the working directory in pairs.
    pub fn pairs(&self, base: Tree, config: &Config) -> PairsRequest {
        let is_process = config.run().measure == Measured::Process;
        let side = |tree| SideRequest {
            command: self.words.clone(),
            tree,
        };
        PairsRequest {
            base: side(base),
            current: side(Tree::Here),
            is_as_is: self.is_as_is,
            time_limit: config.run().time_limit(),
            format: self.format.map(|format| format.name.to_owned()),
            output_of: self.output.clone(),
            name: is_process.then(|| line(&self.words)),
            ..PairsRequest::default()
        }
    }

    /// The command with options for its tool: the number of short samples, the folder for results, and the selected
    /// benchmarks if the tool can filter. `None` if the tool is unknown.
    fn adjusted(&self, samples: Option<u32>, results: &Path) -> Option<Adjusted> {
        let harness = self.harness().ok()?;
        let all = match samples {
            Some(samples) => harness.samples(samples, results),
            None if self.output.is_some() => harness.as_is(),
            None => harness.as_is_into(results),
        };
        let chosen: Vec<&Name> = self.chosen.iter().collect();
        Some(all.only(&chosen).unwrap_or(all))
    }

    /// A note that lists the added options. `None` if there are none.
    pub fn note(&self, config: &Config) -> Option<String> {
        let note = self
            .adjusted(self.samples(config), Path::new(FOLDER))?
            .note()?;
        Some(format!("{note} (`--as-is` leaves the command alone)"))
    }

    /// Whether a run with the added options can print this format.
    pub fn prints(&self, format: &str, config: &Config) -> bool {
        let adjusted = self.adjusted(self.samples(config), Path::new(FOLDER));
        adjusted.is_some_and(|adjusted| adjusted.prints(format))
    }

    /// The number of short samples to request. `None` if the tool chooses the number and the median is used.
    pub fn samples(&self, config: &Config) -> Option<u32> {
        (config.run().measure == Measured::Quickest && !self.is_as_is).then_some(SAMPLES)
    }

    /// Runs the benchmark and returns its rows.
    ///
    /// # Errors
    /// Fails if the benchmark cannot be started, fails, or produces no results.
    pub fn run(
        &self,
        folder: &Path,
        number: usize,
        specs: Option<&Path>,
        config: &Config,
    ) -> anyhow::Result<ParseReport> {
        if config.run().measure == Measured::Process {
            return self.time_process(folder, specs, config);
        }
        self.run_with(self.samples(config), (folder, number), specs, config)
    }

    /// Like [`Self::run`], with a given number of short samples.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::run`].
    pub fn run_with(
        &self,
        samples: Option<u32>,
        (folder, number): (&Path, usize),
        specs: Option<&Path>,
        config: &Config,
    ) -> anyhow::Result<ParseReport> {
        let log = folder.join(format!("run-{number}.log"));
        let directed = std::path::absolute(folder.join("results"))?;
        let own = self.output.iter().filter(|path| path.starts_with(FOLDER));
        for path in own.chain([&directed]) {
            // Some tools refuse to overwrite results. If removing fails, old files are ignored because of their age.
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
        let adjusted = self.adjusted(samples, &directed);
        let start = SystemTime::now();
        let mut launched = self.clone();
        let (mut of_tool, mut format) = (None, None);
        if let Some(adjusted) = &adjusted {
            launched.words = adjusted.command();
            launched.variables.extend(adjusted.variables());
            of_tool = adjusted.results.as_ref();
            format = adjusted.format().and_then(perf_readers::format);
        }
        launched.launch(&launched.words, &log)?;
        let results = self.results(&log, of_tool, start)?;
        let is_log = results == log;
        let is_quickest = config.run().measure == Measured::Quickest;
        // The config's format was detected in a run with added options, so it may be wrong without them.
        if format.is_none() && !(self.is_as_is && is_quickest) {
            format = self.format;
        }
        let mut read = match self.read(results, start, format, specs, config) {
            Err(error) if is_log => return Err(self.unreadable_output(&error, &log)),
            read => read?,
        };
        if is_quickest {
            let format = format_of(&read);
            // Not every JavaScript runtime loads the added module. If it was loaded, the results are in a file.
            let has_module = !is_log && adjusted.is_some_and(|adjusted| adjusted.has_module());
            for row in &mut read.rows {
                measure::summary_as_samples(&mut row.metrics, format, has_module);
            }
            quickest(&mut read.rows, config);
        }
        name_as_known(&mut read.rows, |name| self.chosen.contains(name));
        Ok(read)
    }

    fn read(
        &self,
        results: PathBuf,
        started: SystemTime,
        format: Option<&'static Format>,
        specs: Option<&Path>,
        config: &Config,
    ) -> anyhow::Result<ParseReport> {
        let platform = self.platform.clone();
        let source = InputArgs {
            input: vec![results],
            format,
            platform,
            started: Some(started),
            ..InputArgs::default()
        };
        let request = BaselineRequest {
            machine_specs: specs.map(Path::to_owned),
            source,
            ..BaselineRequest::default()
        };
        // Print no notes, because they would refer to temporary files.
        Ok(term::quietly(|| extract_perf_baseline::rows(&request, config))?.0)
    }

    /// Rewrites an error about the internal log file to refer to the command's output.
    fn unreadable_output(&self, error: &anyhow::Error, log: &Path) -> anyhow::Error {
        let log = format!("`{}`", term::shown(log));
        let message = failure::message(error).replace(&log, "its output");
        let program = term::printable(&self.words[0].to_string_lossy());
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let hint = format!(
            "if `{program}` writes its results to a file, set `--output-of FILE`; to time the command itself, redirect its \
             output to {nowhere}"
        );
        let mut failure = Failure::new(message);
        for hint in failure::hints(error) {
            failure = failure.hint(hint.replace(&log, "its output"));
        }
        failure.hint(hint).into()
    }

    /// Times a command that prints no results. Uses the minimum wall-clock and processor times of several process runs.
    fn time_process(
        &self,
        folder: &Path,
        specs: Option<&Path>,
        config: &Config,
    ) -> anyhow::Result<ParseReport> {
        let launched = SystemTime::now();
        let (start, mut wall, mut cpu) = (Instant::now(), f64::INFINITY, f64::INFINITY);
        for _ in 0..LAUNCHES {
            let (begin, used) = (Instant::now(), measure::processor_time_of_children());
            self.launch(&self.words, &folder.join("launch.log"))?;
            wall = wall.min(begin.elapsed().as_secs_f64());
            if let (Some(before), Some(after)) = (used, measure::processor_time_of_children()) {
                cpu = cpu.min(after - before);
            }
            if start.elapsed() > ENOUGH {
                break;
            }
        }
        let path = folder.join("launch.json");
        let mut row = serde_json::json!({ "scenario": &*shortened(&line(&self.words)), (measure::WALL): wall });
        if cpu.is_finite() {
            row[measure::CPU] = cpu.into();
        }
        file::write_if_changed(&path, row.to_string().as_bytes())?;
        self.read(path, launched, None, specs, config)
    }

    /// Runs a command in the benchmark's environment, and writes its output to log files. If the command fails and its
    /// output was not relayed, prints the end of the logs.
    ///
    /// # Errors
    /// Fails if the command cannot be started, or fails.
    pub fn launch(&self, words: &[OsString], log: &Path) -> anyhow::Result<()> {
        let (name, arguments) = words.split_first().context("no command to run")?;
        let shown = term::printable(&name.to_string_lossy());
        let mut command = program::command(name);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command.envs(self.variables.iter().cloned());
        let errors = log.with_extension("stderr");
        if self.is_in_log {
            // CI runners merge a step's output streams, so use one stream to keep the lines in order.
            command.stderr(io::stdout());
        } else {
            command.stderr(File::create(&errors)?);
        }
        let _guarded = measure::plain_launch(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => program::not_found(name, Path::new(".")),
            _ => Failure::new(format!("cannot start `{shown}`")).because(error),
        })?;
        if let Some(mut stdout) = child.stdout.take() {
            let file = File::create(log)?;
            let is_in_log = self.is_in_log;
            io::copy(&mut stdout, &mut Logged { file, is_in_log })?;
            term::end_line();
        }
        let status = child.wait()?;
        if status.success() {
            return Ok(());
        }
        if !self.is_in_log {
            show_end(log);
            show_end(&errors);
        }
        bail!("`{shown}` failed: {status}");
    }

    /// Finds the results: the file that the added options specify, the configured path, Criterion's folder, or the log.
    /// Ignores files that are older than the run.
    fn results(
        &self,
        log: &Path,
        of_tool: Option<&PathBuf>,
        start: SystemTime,
    ) -> anyhow::Result<PathBuf> {
        let since = start.checked_sub(COARSE).unwrap_or(start);
        if let Some(path) = of_tool.filter(|path| is_newer(path, since, DEEPEST)) {
            return Ok(path.clone());
        }
        let Some(path) = &self.output else {
            let found = Some(criterion()).filter(|place| is_newer(place, since, DEEPEST));
            return Ok(found.unwrap_or_else(|| log.to_owned()));
        };
        if is_newer(path, since, DEEPEST) {
            return Ok(path.clone());
        }
        let program = term::printable(&self.words[0].to_string_lossy());
        Err(anyhow!("`{program}` did not write `{}`", term::shown(path))).hint(
            "`--output-of` and `run.results` must be the file or folder that the command writes",
        )
    }
}

/// The name of the format in which the results were read.
pub fn format_of(run: &ParseReport) -> &'static str {
    run.inputs.first().map_or("", |input| input.format)
}

/// Prints a log's last lines.
fn show_end(log: &Path) {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(SHOWN)..] {
        term::stderr(&(term::printable(&line.replace('\t', "  ")) + "\n"));
    }
}

/// Joins a command's words into one line.
pub fn line(words: &[OsString]) -> String {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    shell_words::join(words.collect::<Vec<_>>())
}

/// Reduces the rows to one per benchmark, which contains the p10 of times and the p90 of rates. If there are too few
/// samples for deciles, it contains the median, or the minimum if the tool printed only a summary of many samples.
pub fn quickest(rows: &mut Vec<Row>, config: &Config) {
    *rows = aggregate_launch(std::mem::take(rows));
    for row in rows {
        row.run_index = 0;
        let mut metrics = Metrics::default();
        for (name, value) in row.metrics.iter().filter(|(name, _)| !is_decile(name)) {
            let is_rate = config.metric(name).meaning.direction == Direction::Higher;
            let decile = if is_rate { "d9" } else { "d1" };
            let decile = row.metrics.get(&format!("{name}.{decile}"));
            metrics.insert(Name::clone(name), decile.unwrap_or(value));
        }
        row.metrics = metrics;
    }
}

/// Whether a metric is a decile of another metric.
pub fn is_decile(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "d1" | "d9")))
}

/// A file whose content is also copied to standard output if `is_in_log`.
struct Logged {
    file: File,
    is_in_log: bool,
}

impl Write for Logged {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.file.write_all(text)?;
        if self.is_in_log {
            // Ignore errors, because a closed standard output must not end the run.
            let _ = io::stdout().write_all(text);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Criterion's output folder.
fn criterion() -> PathBuf {
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("criterion")
}

/// True if a file, or any file in a folder, was modified at or after `since`. Searches folders up to `deepest` levels deep.
fn is_newer(path: &Path, since: SystemTime, deepest: usize) -> bool {
    let Ok(metadata) = fs::metadata(path) else {
        return false;
    };
    if metadata.is_file() {
        return metadata.modified().is_ok_and(|modified| modified >= since);
    }
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    deepest > 0 && entries.any(|entry| is_newer(&entry.path(), since, deepest - 1))
}

#[cfg(test)]
mod tests {
    use perf_model::row::{Key, Outcome, Value};

    use super::*;

    #[test]
    fn quickest_tenth_of_samples_is_used() {
        let sample = |at: i64| {
            let mut metrics = Metrics::default();
            metrics.insert("timeNs".into(), Value::Int(100 * at));
            metrics.insert("opsPerSecond".into(), Value::Int(10 * at));
            let (outcome, launch, measured_at) = (Outcome::Measured, None, None);
            Row {
                key: Key::default().into(),
                run_index: at,
                outcome,
                launch,
                measured_at,
                metrics,
            }
        };
        let mut rows: Vec<Row> = (1..=9).map(sample).collect();
        quickest(&mut rows, &Config::default());
        let found: Vec<_> = rows[0]
            .metrics
            .iter()
            .map(|(name, value)| (&**name, value.as_f64()))
            .collect();
        assert_eq!(
            (rows.len(), found),
            (1, vec![("timeNs", 100.0), ("opsPerSecond", 90.0)])
        );
    }

    #[test]
    fn results_from_earlier_run_are_ignored() {
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
