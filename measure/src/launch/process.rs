//! Starts a process without a shell and with a time limit, and measures its cost.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{anyhow, bail};
use perf_cli::term::{printable, printable_lines, shown};
use perf_cli::{Failure, program};
use perf_config::MeasureEntry;
use wait4::{ResUse, Wait4};

use crate::guardian::{Guardian, Stopped, end_group, in_own_group};
use crate::mount_view::{MountView, NOT_ENTERED, NOT_STARTED};

/// The environment variable whose value pads the environment to a random size.
const PADDING: &str = "PERF_GATE_PADDING";

/// Time between attempts to end a process group.
const RETRY: Duration = Duration::from_millis(100);

/// The maximum number of bytes of a command's output in a message.
const SHOWN_OF_STDERR: u64 = 2_000;

/// A command with its working directory and environment.
#[derive(Clone, Default)]
pub struct CommandSpec {
    /// The program and its arguments; never empty.
    pub words: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// Additional environment variables.
    pub variables: Vec<(OsString, OsString)>,
    /// The mount view in which the command runs, if any.
    pub place: Option<MountView>,
    /// The file or directory to which the tool writes its results, if the path was passed to the tool.
    pub results: Option<PathBuf>,
    /// True if we chose the path `results`, so whatever is there is removed before each process run.
    pub owns_results: bool,
    /// Copies of the program. Each process run starts a random one.
    pub copies: Vec<PathBuf>,
}

/// The cost and the output of one process run.
pub struct Launch {
    /// The start time. Older files in a results directory are from earlier runs.
    pub started: SystemTime,
    /// Wall time, in seconds.
    pub wall: f64,
    /// User time, including child processes, in seconds.
    pub user: f64,
    /// System time, in seconds.
    pub system: f64,
    /// Peak resident memory of the largest process, in bytes.
    pub peak: u64,
    /// The number of voluntary and involuntary context switches; `None` if unknown.
    pub switches: Option<i64>,
    /// How often the command ran. All costs except the peak memory are sums.
    pub repeats: u32,
    /// The time that the process waited in the run queue, in seconds. Only known for processes with one thread.
    pub delay: Option<f64>,
    /// Standard output.
    pub output: Vec<u8>,
}

/// Splits a command into words as a shell does.
///
/// # Errors
/// Fails if a quote is not closed.
pub fn words(text: &str) -> anyhow::Result<Vec<OsString>> {
    let words = shell_words::split(text).map_err(|_| {
        anyhow!(
            "invalid command `{}`: a quote is not closed",
            printable(text)
        )
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns the program's file name, or an empty name if `words` is empty.
pub fn program(words: &[OsString]) -> &OsStr {
    words
        .first()
        .and_then(|word| Path::new(word).file_name())
        .unwrap_or_default()
}

/// Splits a command into words. Shell scripts and option values in the command are split as well.
pub fn split_words(words: &[OsString]) -> Vec<String> {
    const BETWEEN: [char; 11] = [' ', '\t', '\n', ';', '&', '|', '=', '<', '>', '\'', '"'];
    let mut found = Vec::new();
    for word in words {
        let word = word.to_string_lossy();
        let parts = word.split(BETWEEN).filter(|part| !part.is_empty());
        found.extend(parts.map(str::to_owned));
    }
    found
}

/// Whether the file has one of these extensions.
pub fn has_end(path: impl AsRef<Path>, ends: &[&str]) -> bool {
    path.as_ref()
        .extension()
        .is_some_and(|end| ends.iter().any(|other| end == *other))
}

/// Returns at most this many bytes from the beginning of a file, or none if it is not readable.
pub fn first_bytes(path: &Path, length: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(length).read_to_end(&mut bytes));
    read.map(|_| bytes).unwrap_or_default()
}

/// Finds a program. A path is relative to `folder`, and a plain name is looked up in `PATH`.
pub fn find_program(word: &OsStr, folder: &Path) -> Option<PathBuf> {
    if Path::new(word).components().count() > 1 {
        return Some(folder.join(word));
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|path| path.join(word))
        .find(|path| path.is_file())
}

impl CommandSpec {
    /// Whether Node.js preloads `batches.mjs`, which makes a JavaScript tool measure calls in batches.
    pub fn has_module(&self) -> bool {
        self.variables
            .iter()
            .any(|(name, _)| name == crate::bench_tools::NODE_OPTIONS)
    }

    /// Splits a command into words as a shell does.
    ///
    /// # Errors
    /// Fails if a quote is not closed, or if the command is empty.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        Self::of(words(text)?)
    }

    /// Creates a command of a `[[measure]]` entry, with the entry's environment variables.
    ///
    /// # Errors
    /// Fails if a quote is not closed, or if the command is empty.
    pub fn listed(text: &str, entry: &MeasureEntry) -> anyhow::Result<Self> {
        let variables = entry
            .env
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Ok(Self {
            variables,
            ..Self::parse(text)?
        })
    }

    /// Creates a command from its words. It runs in the current working directory.
    ///
    /// # Errors
    /// Fails if `words` is empty.
    pub fn of(words: Vec<OsString>) -> anyhow::Result<Self> {
        if words.is_empty() {
            bail!("the command is empty");
        }
        Ok(Self {
            words,
            folder: ".".into(),
            ..Self::default()
        })
    }

    /// Creates another command with the same directory and environment.
    ///
    /// # Errors
    /// Fails if `words` is empty.
    pub fn with(&self, words: &[OsString]) -> anyhow::Result<Self> {
        Ok(Self {
            words: Self::of(words.to_vec())?.words,
            ..self.clone()
        })
    }

    /// Creates a no-op with the same directory and environment.
    pub fn noop(&self) -> Self {
        let words = if cfg!(windows) { "cmd /C exit" } else { "true" };
        Self {
            words: words.split(' ').map(OsString::from).collect(),
            ..self.clone()
        }
    }

    /// Returns the command line as text, for messages and as a default benchmark name.
    pub fn shown(&self) -> String {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        printable(&words.collect::<Vec<_>>().join(" "))
    }

    /// Returns the path, outside the mount view, of a file that the command wrote.
    pub fn outside(&self, path: &Path) -> PathBuf {
        let path = self.folder.join(path);
        match &self.place {
            Some(place) => place.outside(&path),
            None => path,
        }
    }

    /// Returns the path, outside of the mount view, of the file that the command sees at this path.
    pub fn seen(&self, path: &Path) -> PathBuf {
        let path = self.folder.join(path);
        match &self.place {
            Some(place) => place.seen(&path),
            None => path,
        }
    }

    /// Returns a [`Command`] that starts a process in its own group, without input, and with `padding` extra bytes in its
    /// environment.
    pub fn command(&self, padding: usize) -> Command {
        let mut command;
        if let Some(place) = &self.place {
            command = place.command(&self.folder, &self.words);
        } else {
            command = program::command(&self.words[0]);
            command.args(&self.words[1..]).current_dir(&self.folder);
        }
        command
            .stdin(Stdio::null())
            .envs(self.variables.iter().cloned())
            .env(PADDING, "x".repeat(padding));
        // Because the command has its own group, all of its processes can be ended at once, and Ctrl-C reaches only the
        // measurement.
        in_own_group(&mut command);
        command
    }
}

/// Runs commands with a time limit.
pub struct Launcher<'g> {
    /// The guardian, which ends the processes if this process is killed.
    pub guardian: &'g Guardian,
    /// The time limit for one process run.
    pub limit: Duration,
    /// The time at which the whole measurement ends, including a process run that has not finished.
    pub deadline: Option<Instant>,
}

impl Launcher<'_> {
    /// Runs a command `repeats` times. Adds up the costs, but returns the highest peak memory and the last output.
    ///
    /// # Errors
    /// Fails if the command cannot be started, fails, exceeds the time limit, or is interrupted.
    pub fn launch(
        &self,
        line: &CommandSpec,
        repeats: u32,
        padding: usize,
    ) -> anyhow::Result<Launch> {
        let mut sum = self.launch_once(line, padding)?;
        for _ in 1..repeats {
            let next = self.launch_once(line, padding)?;
            sum.repeats += 1;
            sum.wall += next.wall;
            sum.user += next.user;
            sum.system += next.system;
            sum.peak = sum.peak.max(next.peak);
            sum.switches = sum.switches.zip(next.switches).map(|(a, b)| a + b);
            sum.delay = sum.delay.zip(next.delay).map(|(a, b)| a + b);
            sum.output = next.output;
        }
        Ok(sum)
    }

    fn launch_once(&self, line: &CommandSpec, padding: usize) -> anyhow::Result<Launch> {
        // Use files, because a pipe needs a reader that runs at the same time, and a full pipe blocks the command.
        let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = line.command(padding);
        self.guardian.mark(&mut command);
        let before = switches();
        command
            .stdout(output.try_clone()?)
            .stderr(errors.try_clone()?);
        let (started, start) = (SystemTime::now(), Instant::now());
        let child = command
            .spawn()
            .map_err(|error| cannot_start(line, &error))?;
        let group = child.id();
        self.guardian.watch(group);
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(start));
        let ended = wait_at_most(child, left.unwrap_or(self.limit).min(self.limit));
        self.guardian.forget(group);
        if self.guardian.is_interrupted() {
            return Err(Stopped::Interrupted.into());
        }
        let Some(ended) = ended? else {
            let is_over = left.is_some_and(|left| left <= self.limit);
            return Err(if is_over {
                Stopped::Deadline.into()
            } else {
                took_too_long(line, self.limit, &mut output)
            });
        };
        let resources = ended.resources;
        if !resources.status.success() {
            // Some tools print errors to standard output.
            let has_errors = errors.metadata().is_ok_and(|metadata| metadata.len() > 0);
            return Err(launch_failure(
                line,
                resources.status,
                if has_errors { &mut errors } else { &mut output },
            ));
        }
        let user = resources.rusage.utime.as_secs_f64();
        let system = resources.rusage.stime.as_secs_f64();
        Ok(Launch {
            started,
            delay: ended
                .schedstat
                .and_then(|text| delay_of_one_thread(&text, user + system)),
            wall: ended.time.duration_since(start).as_secs_f64(),
            user,
            system,
            peak: resources.rusage.maxrss,
            repeats: 1,
            switches: switches().zip(before).map(|(after, before)| after - before),
            output: read_from(&mut output, 0)?,
        })
    }
}

/// A process that ended in time.
struct Ended {
    resources: ResUse,
    time: Instant,
    /// The scheduler statistics of the process's main thread, in the format of `/proc/PID/schedstat`.
    schedstat: Option<String>,
}

/// Waits for the process. At the limit, ends the process's group and returns `None`. Waits in a thread, because `wait4`
/// has no timeout.
fn wait_at_most(mut child: Child, limit: Duration) -> io::Result<Option<Ended>> {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        let seen = wait_without_reaping(id);
        let schedstat = format!("/proc/{id}/schedstat");
        let schedstat = seen.and_then(|_| std::fs::read_to_string(schedstat).ok());
        let resources = child.wait4();
        let time = seen.unwrap_or_else(Instant::now);
        // The receiver may have given up after the limit.
        let _ = ended.send(resources.map(|resources| Ended {
            resources,
            time,
            schedstat,
        }));
    });
    let Ok(ended) = end.recv_timeout(limit) else {
        // One signal might not suffice: `sudo` cannot be killed until it has executed the command.
        end_group(id);
        while matches!(end.recv_timeout(RETRY), Err(RecvTimeoutError::Timeout)) {
            end_group(id);
        }
        return Ok(None);
    };
    // Processes that the command left running would disturb the next process run.
    end_group(id);
    ended.map(Some)
}

/// A process counts as single-threaded if threads other than the main one use at most this much processor time, in
/// seconds.
const SLACK: f64 = 0.002;
/// The same limit as a share of the process's processor time. The larger limit applies.
const SHARE: f64 = 0.02;

/// Waits until a child process ends, without reaping it. Returns the time of its end, or `None` if waiting fails.
#[cfg(target_os = "linux")]
fn wait_without_reaping(id: u32) -> Option<Instant> {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let child = nix::unistd::Pid::from_raw(i32::try_from(id).ok()?);
    loop {
        match waitid(Id::Pid(child), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Err(Errno::EINTR) => {}
            waited => return waited.is_ok().then(Instant::now),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_without_reaping(_: u32) -> Option<Instant> {
    None
}

/// Returns the time in the run queue in seconds. Returns `None` if threads other than the main thread used processor
/// time, because the statistics cover only the main thread: nanoseconds running, nanoseconds waiting, and the number of
/// time slices.
fn delay_of_one_thread(schedstat: &str, processor: f64) -> Option<f64> {
    let mut fields = schedstat.split_ascii_whitespace();
    let running = fields.next()?.parse::<f64>().ok()? / 1e9;
    let waiting = fields.next()?.parse::<f64>().ok()? / 1e9;
    let is_all = processor - running <= SLACK.max(SHARE * processor);
    is_all.then_some(waiting)
}

/// Returns the number of context switches of all child processes that have ended, or `None` if it is unknown.
fn switches() -> Option<i64> {
    #[cfg(unix)]
    {
        let used = usage_of_children()?;
        Some(used.voluntary_context_switches() + used.involuntary_context_switches())
    }
    #[cfg(not(unix))]
    None
}

/// Returns the processor time of all child processes that have ended, in seconds, or `None` if it is unknown.
pub fn processor_time_of_children() -> Option<f64> {
    #[cfg(unix)]
    {
        use nix::sys::time::TimeValLike;
        let used = usage_of_children()?;
        let time = used.user_time() + used.system_time();
        Some(Duration::from_micros(u64::try_from(time.num_microseconds()).ok()?).as_secs_f64())
    }
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn usage_of_children() -> Option<nix::sys::resource::Usage> {
    nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).ok()
}

fn read_from(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Explains why a command could not be started.
pub fn cannot_start(line: &CommandSpec, error: &io::Error) -> anyhow::Error {
    if error.kind() != io::ErrorKind::NotFound {
        let program = printable(&line.words[0].to_string_lossy());
        return anyhow!("cannot start `{program}`: {error}");
    }
    if line.folder.is_dir() {
        return program::not_found(&line.words[0], &line.folder).into();
    }
    anyhow!("no such folder: `{}`", shown(&line.folder))
}

/// Creates the error for a command that exceeded the time limit. The command's last line of output is added as a hint,
/// because it often shows the benchmark.
pub fn took_too_long(line: &CommandSpec, limit: Duration, output: &mut File) -> anyhow::Error {
    let limit = limit.as_secs_f64();
    let failure = Failure::new(format!(
        "`{}` did not finish within {limit} s and was ended",
        line.shown()
    ))
    .hint("raise `--timeout`");
    let printed = tail(output);
    let last = printed.lines().next_back();
    let last = last.map(|last| format!("the last line that it printed: {last}"));
    failure.hint(last.unwrap_or_default()).into()
}

/// A command exited with an error code or was ended by a signal.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FailedRun(String);

pub fn launch_failure(line: &CommandSpec, status: ExitStatus, errors: &mut File) -> anyhow::Error {
    let printed = tail(errors);
    if line.place.is_some() && status.code() == Some(NOT_ENTERED.into()) {
        let last = printed.lines().next_back().unwrap_or_default();
        match last
            .strip_prefix(NOT_STARTED)
            .and_then(|number| number.parse().ok())
        {
            Some(number) => return cannot_start(line, &io::Error::from_raw_os_error(number)),
            None if last.starts_with("perf-gate: ") => return anyhow!("{last}"),
            None => {}
        }
    }
    let failed = FailedRun(format!("`{}` failed: {status}", line.shown()));
    let mut failure = Failure::new(failed.to_string()).because(failed);
    let is_shell = line.words.iter().any(|word| word == "-c");
    if !is_shell && line.words.iter().any(is_shell_syntax) {
        failure = failure.hint(program::NO_SHELL);
    }
    if printed.is_empty() {
        failure.into()
    } else {
        failure.hint(format!("it printed: {printed}")).into()
    }
}

/// Whether a word of a command is shell syntax, such as `&&` or `$(nproc)`, which means nothing without a shell.
fn is_shell_syntax(word: &OsString) -> bool {
    let word = word.to_string_lossy();
    word.starts_with('$') || ["&&", "||", "|", ";", "<", ">", ">>", "2>&1"].contains(&&*word)
}

/// Returns a file's last lines, without terminal control sequences.
fn tail(file: &mut File) -> String {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let start = length.saturating_sub(SHOWN_OF_STDERR);
    let bytes = read_from(file, start).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let cut = text.trim_end().split_once('\n').filter(|_| start > 0);
    printable_lines(cut.map_or(&*text, |(_, lines)| lines).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_is_known_for_a_single_thread() {
        let schedstat = "400000000 50000000 12\n";
        assert_eq!(delay_of_one_thread(schedstat, 0.4005), Some(0.05));
        assert_eq!(delay_of_one_thread(schedstat, 0.8), None);
        assert_eq!(delay_of_one_thread("0", 0.0), None);
    }

    #[test]
    fn operators_and_variables_are_shell_syntax() {
        for word in ["&&", "|", "$(nproc)", "$HOME/bench"] {
            assert!(is_shell_syntax(&word.into()), "{word}");
        }
        for word in ["-j4", "^a|b$", "a && b"] {
            assert!(!is_shell_syntax(&word.into()), "{word}");
        }
    }
}
