//! Runs commands and measures their time and memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use wait4::Wait4;

use crate::programs::Contestant;

/// Times and memory of one command's runs.
pub(crate) struct CommandMeasurement {
    /// The wall time of each run, sorted.
    times: Vec<Duration>,
    /// The highest peak memory, in bytes; 0 if unknown.
    pub(crate) peak: u64,
}

impl CommandMeasurement {
    pub(crate) fn median(&self) -> Duration {
        self.times
            .get(self.times.len() / 2)
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn shortest(&self) -> Duration {
        self.times.first().copied().unwrap_or_default()
    }
}

/// Runs each command `runs` times in turn. The first turn is a warm-up.
pub(crate) fn interleaved(
    contestants: &[Contestant],
    runs: u32,
) -> anyhow::Result<Vec<CommandMeasurement>> {
    let mut measured: Vec<CommandMeasurement> = contestants
        .iter()
        .map(|_| CommandMeasurement {
            times: vec![],
            peak: 0,
        })
        .collect();
    for turn in 0..runs {
        for (contestant, measured) in contestants.iter().zip(&mut measured) {
            let (time, peak) =
                once(contestant).with_context(|| format!("measuring `{}`", contestant.name))?;
            measured.peak = measured.peak.max(peak);
            if turn > 0 {
                measured.times.push(time);
            }
        }
    }
    for measured in &mut measured {
        measured.times.sort_unstable();
    }
    Ok(measured)
}

fn once(contestant: &Contestant) -> anyhow::Result<(Duration, u64)> {
    if let Some(prepare) = &contestant.prepare {
        prepare()?;
    }
    let (program, arguments) = contestant.line.split_first().context("no program")?;
    let mut command = Command::new(program);
    // Do not use the null device: grep would print nothing and stop at its first match.
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(tempfile::tempfile()?)
        .stderr(Stdio::null());
    let start = Instant::now();
    let used = command.spawn()?.wait4()?;
    let time = start.elapsed();
    ensure!(
        used.status.success(),
        "it ended with {}: {:?}",
        used.status,
        contestant.line
    );
    Ok((time, used.rusage.maxrss))
}
