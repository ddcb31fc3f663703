//! One launch of one command: started without a shell, limited in time, waited for, measured.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use perf_cli::term::printable;
use perf_cli::{Failure, program};
use wait4::{ResUse, Wait4};

use crate::guardian::{Guardian, Stopped, end_group};
use crate::mount_view::{MountView, NOT_ENTERED, NOT_STARTED};
use crate::scheduled::{Scheduled, Threads, wait_without_reaping};

/// The variable that makes the environment of each launch as long as the schedule says.
const PADDING: &str = "PERF_GATE_PADDING";

/// How long a group that was ended may take until it is ended again.
const AGAIN: Duration = Duration::from_millis(100);

/// The most bytes of a command's error output that a message repeats.
const SHOWN_OF_STDERR: u64 = 2_000;

/// A command: its words, and where it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// The program and its arguments; never empty.
    pub words: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// Variables beside those of this process.
    pub variables: Vec<(OsString, OsString)>,
    /// The view of the file system in which it runs, where that is not everybody's.
    pub place: Option<Arc<MountView>>,
    /// The file or folder with the results, where the tool was told to leave them there.
    pub results: Option<PathBuf>,
    /// Copies of the program, one of which each launch starts.
    pub copies: Vec<PathBuf>,
}

/// The cost and the output of one launch.
#[derive(Debug)]
pub struct Launch {
    /// The start time: older results in folders are from earlier launches.
    pub started: SystemTime,
    /// From just before the start until the end was seen, in seconds.
    pub wall: f64,
    /// Processor time in user mode, with that of its children, in seconds.
    pub user: f64,
    /// Processor time in the kernel, in seconds.
    pub system: f64,
    /// Peak resident memory of one process, in bytes.
    pub peak: u64,
    /// Context switches, of its own will or not; `None` where they are not known.
    pub switches: Option<i64>,
    /// The time in the run queue, in seconds, of a process with one thread; `None` where it is not known.
    pub delay: Option<f64>,
    /// The standard output.
    pub output: Vec<u8>,
}

/// Splits a command as a shell would, without running one.
///
/// # Errors
/// An open quote.
pub fn words(text: &str) -> anyhow::Result<Vec<OsString>> {
    let words = shell_words::split(text).map_err(|_| {
        Failure::new(format!(
            "invalid command `{}`: a quote is not closed",
            printable(text)
        ))
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// The name of the program that a command starts; empty without a command.
pub fn program(words: &[OsString]) -> &OsStr {
    words
        .first()
        .and_then(|word| Path::new(word).file_name())
        .unwrap_or_default()
}

impl CommandSpec {
    /// True if a module of perf-gate changes a JavaScript tool to measure in batches.
    pub fn has_module(&self) -> bool {
        self.variables
            .iter()
            .any(|(name, _)| name == crate::bench_tools::NODE_OPTIONS)
    }

    /// Splits a command as a shell would, without running one.
    ///
    /// # Errors
    /// An open quote, or no word at all.
    pub fn parse(text: &str, folder: &Path) -> anyhow::Result<Self> {
        Self::of(words(text)?, folder)
    }

    /// A command of the config with its environment variables.
    ///
    /// # Errors
    /// As for [`CommandSpec::parse`].
    pub fn listed<'v>(
        text: &str,
        variables: impl IntoIterator<Item = (&'v String, &'v String)>,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Ok(Self {
            variables,
            ..Self::parse(text, folder)?
        })
    }

    /// The command of these words.
    ///
    /// # Errors
    /// No words.
    pub fn of(words: Vec<OsString>, folder: &Path) -> anyhow::Result<Self> {
        if words.is_empty() {
            return Err(Failure::new("the command is empty").into());
        }
        Ok(Self {
            words,
            folder: folder.to_owned(),
            variables: Vec::new(),
            place: None,
            results: None,
            copies: Vec::new(),
        })
    }

    /// Another command in the same folder and environment.
    ///
    /// # Errors
    /// No words.
    pub fn with(&self, words: &[OsString]) -> anyhow::Result<Self> {
        let words = Self::of(words.to_vec(), &self.folder)?.words;
        Ok(Self {
            words,
            copies: Vec::new(),
            ..self.clone()
        })
    }

    /// A command that does nothing, in the same folder and environment.
    #[must_use]
    pub fn noop(beside: &Self) -> Self {
        let words = if cfg!(windows) {
            &["cmd", "/C", "exit"][..]
        } else {
            &["true"]
        };
        let words = words.iter().map(OsString::from).collect();
        Self {
            words,
            copies: Vec::new(),
            ..beside.clone()
        }
    }

    /// The command for messages and as a default name.
    pub fn shown(&self) -> String {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        printable(&words.collect::<Vec<_>>().join(" "))
    }

    /// The path at which a file that the command wrote is seen here, relative to its folder.
    pub fn outside(&self, path: &Path) -> PathBuf {
        let path = self.folder.join(path);
        self.place
            .as_ref()
            .map_or_else(|| path.clone(), |place| place.outside(&path))
    }

    /// The command as a group of its own, without input, its environment longer by `padding` bytes.
    pub(crate) fn command(&self, padding: usize) -> Command {
        let mut command = self.place.as_ref().map_or_else(
            || program::command(&self.words[0]),
            |place| place.command(&self.folder, &self.words),
        );
        if self.place.is_none() {
            command.args(&self.words[1..]).current_dir(&self.folder);
        }
        command.stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env(PADDING, "x".repeat(padding));
        // A group of its own is ended as a whole, and Ctrl-C reaches only the measurement.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }
}

/// Runs commands, each at most as long as the limit.
#[derive(Debug)]
pub struct Launcher<'g> {
    /// Ends what runs when this process is killed.
    pub guardian: &'g Guardian,
    /// The longest time for one launch.
    pub limit: Duration,
    /// The end of the whole measurement, at which a launch is ended as well.
    pub deadline: Option<Instant>,
}

impl Launcher<'_> {
    /// Launches a command, `repeats` times one after the other, and adds the costs up. The output is that of the last.
    ///
    /// # Errors
    /// A command that cannot be started, fails, or takes longer than the limit.
    pub fn launch(
        &self,
        line: &CommandSpec,
        repeats: u32,
        padding: usize,
    ) -> anyhow::Result<Launch> {
        let mut sum = self.once(line, padding, None)?;
        for _ in 1..repeats {
            let next = self.once(line, padding, None)?;
            sum = Launch {
                started: sum.started,
                wall: sum.wall + next.wall,
                user: sum.user + next.user,
                system: sum.system + next.system,
                peak: sum.peak.max(next.peak),
                switches: sum
                    .switches
                    .zip(next.switches)
                    .map(|(sum, next)| sum + next),
                delay: sum.delay.zip(next.delay).map(|(sum, next)| sum + next),
                output: next.output,
            };
        }
        Ok(sum)
    }

    /// Launches a command once, and reads the scheduler's accounts of all its threads while it runs.
    ///
    /// # Errors
    /// As [`Self::launch`].
    pub fn launch_followed(&self, line: &CommandSpec, padding: usize) -> anyhow::Result<Launch> {
        let mut threads = Threads::default();
        let launch = self.once(line, padding, Some(&mut threads))?;
        // Of one thread it is known to the end.
        let delay = launch
            .delay
            .or_else(|| threads.delay(launch.wall, launch.user + launch.system));
        Ok(Launch { delay, ..launch })
    }

    fn once(
        &self,
        line: &CommandSpec,
        padding: usize,
        threads: Option<&mut Threads>,
    ) -> anyhow::Result<Launch> {
        // Files instead of pipes: nothing here runs while the command does, and a full pipe cannot stop it.
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
        let ended = wait_at_most(child, left.unwrap_or(self.limit).min(self.limit), threads);
        self.guardian.forget(group);
        if self.guardian.is_interrupted() {
            return Err(Stopped::Interrupted.into());
        }
        let Some(Ended {
            used,
            end,
            scheduled,
        }) = ended?
        else {
            let is_over = left.is_some_and(|left| left <= self.limit);
            return Err(if is_over {
                Stopped::Deadline.into()
            } else {
                took_too_long(line, self.limit)
            });
        };
        if !used.status.success() {
            // Some tools print their errors as results.
            let has_errors = errors.metadata().is_ok_and(|metadata| metadata.len() > 0);
            return Err(launch_failure(
                line,
                used.status,
                if has_errors { &mut errors } else { &mut output },
            ));
        }
        let processor = used.rusage.utime.as_secs_f64() + used.rusage.stime.as_secs_f64();
        Ok(Launch {
            started,
            delay: scheduled.and_then(|scheduled| scheduled.delay_of_one_thread(processor)),
            wall: end.duration_since(start).as_secs_f64(),
            user: used.rusage.utime.as_secs_f64(),
            system: used.rusage.stime.as_secs_f64(),
            peak: used.rusage.maxrss,
            switches: switches().zip(before).map(|(after, before)| after - before),
            output: read_whole(&mut output)?,
        })
    }
}

/// A process that came to its end.
struct Ended {
    used: ResUse,
    end: Instant,
    scheduled: Option<Scheduled>,
}

/// Waits in a thread of its own, as a wait has no limit; `None` when the group had to be ended.
fn wait_at_most(
    mut child: Child,
    limit: Duration,
    threads: Option<&mut Threads>,
) -> io::Result<Option<Ended>> {
    let id = child.id();
    let (ended, end) = mpsc::channel();
    let waiting = thread::spawn(move || {
        let seen = wait_without_reaping(id);
        let scheduled = seen.and_then(|_| Scheduled::of(id));
        let used = child.wait4();
        let end = seen.unwrap_or_else(Instant::now);
        // Nobody listens any more after the limit.
        let _ = ended.send(used.map(|used| Ended {
            used,
            end,
            scheduled,
        }));
    });
    let in_time = match threads {
        Some(threads) => threads.follow(id, limit, |step| end.recv_timeout(step)),
        None => end.recv_timeout(limit),
    };
    if matches!(in_time, Err(RecvTimeoutError::Timeout)) {
        // Once is not always enough: nobody can end `sudo` before it has become the command.
        end_group(id);
        while matches!(end.recv_timeout(AGAIN), Err(RecvTimeoutError::Timeout)) {
            end_group(id);
        }
    }
    let _ = waiting.join();
    match in_time {
        Ok(ended) => {
            // What it left running in its group would disturb the next launch.
            end_group(id);
            ended.map(Some)
        }
        Err(_) => Ok(None),
    }
}

/// Context switches of all children that have ended.
#[cfg(unix)]
fn switches() -> Option<i64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    Some(used.voluntary_context_switches() + used.involuntary_context_switches())
}

#[cfg(not(unix))]
fn switches() -> Option<i64> {
    None
}

/// Processor time of all children that have ended, in seconds; `None` where it is not known.
#[cfg(unix)]
pub fn processor_time_of_children() -> Option<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let time = used.user_time() + used.system_time();
    Some(Duration::from_micros(u64::try_from(time.num_microseconds()).ok()?).as_secs_f64())
}

/// Processor time of all children that have ended: not known here.
#[cfg(not(unix))]
pub fn processor_time_of_children() -> Option<f64> {
    None
}

fn read_whole(file: &mut File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The error of a command that cannot be started, for people.
pub(crate) fn cannot_start(line: &CommandSpec, error: &io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::NotFound && !line.folder.is_dir() {
        return Failure::new(format!(
            "no such folder: `{}`",
            perf_cli::term::shown(&line.folder)
        ))
        .into();
    }
    if error.kind() == io::ErrorKind::NotFound {
        return program::not_found(&line.words[0], &line.folder).into();
    }
    let program = printable(&line.words[0].to_string_lossy());
    Failure::new(format!("cannot start `{program}`: {error}")).into()
}

pub(crate) fn took_too_long(line: &CommandSpec, limit: Duration) -> anyhow::Error {
    let limit = limit.as_secs_f64();
    Failure::new(format!(
        "`{}` did not finish within {limit} s and was ended",
        line.shown()
    ))
    .hint("raise `--timeout`")
    .into()
}

/// A command that started, and ended with an exit code or by a signal.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct FailedRun(String);

pub(crate) fn launch_failure(
    line: &CommandSpec,
    status: ExitStatus,
    errors: &mut File,
) -> anyhow::Error {
    let printed = tail(errors).unwrap_or_default();
    if line.place.is_some() && status.code() == Some(NOT_ENTERED) {
        let last = printed.lines().next_back().unwrap_or_default();
        match last
            .strip_prefix(NOT_STARTED)
            .and_then(|number| number.parse().ok())
        {
            Some(number) => return cannot_start(line, &io::Error::from_raw_os_error(number)),
            None if last.starts_with("perf-gate: ") => return Failure::new(last).into(),
            None => {}
        }
    }
    let failed = FailedRun(format!("`{}` failed: {status}", line.shown()));
    let failure = Failure::new(failed.to_string()).because(failed);
    if printed.is_empty() {
        failure.into()
    } else {
        failure.hint(format!("it printed: {printed}")).into()
    }
}

/// The last lines of what a command wrote, without what a terminal would obey.
fn tail(file: &mut File) -> io::Result<String> {
    let length = file.seek(io::SeekFrom::End(0))?;
    let start = length.saturating_sub(SHOWN_OF_STDERR);
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let cut = text.trim_end().split_once('\n').filter(|_| start > 0);
    Ok(perf_cli::term::printable_lines(
        cut.map_or(&*text, |(_, lines)| lines).trim(),
    ))
}
