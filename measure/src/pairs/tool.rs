//! The benchmark tool behind the command of both sides: its options for many short samples in a launch, and its filter for
//! the benchmarks that are still open.

use std::fs;
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use perf_cli::term;
use perf_harness::{Adjusted, Harness, NotRecognised, SAMPLES, Tool};
use tempfile::TempDir;

use super::compiled::compile_test_binaries;
use super::request::PairsRequest;
use crate::process::{Launcher, Line};

/// The command of each side with the options of its tool.
#[derive(Debug)]
pub(super) struct ToolOptions {
    plain: [Line; 2],
    /// The commands that get the options: the plain ones, or those that launch what was compiled once.
    launched: [Line; 2],
    harnesses: [Harness; 2],
    adjusted: [Adjusted; 2],
    /// The only benchmark that is ever launched, where the tool can select it.
    focus: Option<String>,
    /// The number of benchmarks that are launched, once it is fewer than all.
    selected: Option<usize>,
    /// The folder in which tools leave their results.
    results: TempDir,
}

impl ToolOptions {
    /// The options of the tool that both commands start, or that prints this format; `None` where the commands are
    /// launched as they are.
    ///
    /// # Errors
    /// No folder for the results.
    pub(super) fn of(
        request: &PairsRequest,
        lines: &[Line; 2],
        format: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        if request.is_as_is {
            return Ok(None);
        }
        let found = lines.each_ref().map(|line| match format {
            Some(format) => Harness::of_format(format, &line.words),
            None => Harness::of(&line.words, &line.folder),
        });
        let [base, current] = match found {
            [Ok(base), Ok(current)] if base.tool() == current.tool() => [base, current],
            [_, Err(why)] if format.is_none() && is_advice(&why) => {
                term::note(&format!("the benchmark is launched as it is: {why}"));
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let results = tempfile::Builder::new().prefix("perf-gate.").tempdir();
        let results = results.context("cannot create a folder for results")?;
        let harnesses = [base, current];
        let adjusted = adjust_both(&harnesses, SAMPLES, results.path());
        let (plain, launched) = (lines.clone(), lines.clone());
        let focus = request.focus.as_ref().filter(|focus| focus.is_key);
        let focus = focus.and_then(|focus| focus.benchmark.clone());
        Ok(Some(Self { plain, launched, harnesses, adjusted, focus, selected: None, results }))
    }

    /// Compiles what the tool would compile in every launch.
    ///
    /// # Errors
    /// A build that was stopped.
    pub(super) fn compile(&mut self, launcher: &Launcher<'_>) -> anyhow::Result<()> {
        let Some(compiled) = compile_test_binaries(&self.plain, self.results.path(), launcher)? else {
            return Ok(());
        };
        let harnesses = compiled.each_ref().map(|line| Harness::of(&line.words, &line.folder));
        if let [Ok(base), Ok(current)] = harnesses {
            self.harnesses = [base, current];
            self.adjusted = adjust_both(&self.harnesses, SAMPLES, self.results.path());
            self.launched = compiled;
        }
        Ok(())
    }

    /// The tool of both sides.
    pub(super) fn tool(&self) -> Tool {
        self.harnesses[1].tool()
    }

    /// One line for people: what was added.
    pub(super) fn note(&self) -> Option<String> {
        let is_compiled = self.launched != self.plain;
        let compiled = if is_compiled { "; the test binary is compiled once" } else { "" };
        self.adjusted[1].note().map(|note| format!("{note}{compiled} (`--as-is` leaves the command alone)"))
    }

    /// Takes fewer samples in a launch, as `launch` is its time and the budget has to hold [`ROOM`] pairs. Returns true if
    /// that changes anything.
    pub(super) fn fit(&mut self, launch: Duration, budget: Duration) -> bool {
        let samples = fitting_samples(launch, budget);
        let fitted = adjust_both(&self.harnesses, samples, self.results.path());
        let is_other = fitted[1].command != self.adjusted[1].command;
        self.adjusted = fitted;
        is_other
    }

    /// The commands with the tool's options, for all benchmarks.
    pub(super) fn all_benchmarks(&mut self) -> [Line; 2] {
        self.selected = None;
        let [base, current] = &self.adjusted;
        let focused =
            self.focus.as_ref().and_then(|name| Some([base.only(&[name])?, current.only(&[name])?]));
        self.lines(focused.as_ref().unwrap_or(&self.adjusted))
    }

    /// The commands as they were given.
    pub(super) fn plain_lines(&self) -> [Line; 2] {
        self.plain.clone()
    }

    /// True if only some benchmarks are launched.
    pub(super) fn is_narrowed(&self) -> bool {
        self.selected.is_some()
    }

    /// The commands for these benchmarks of `of`, if they are fewer than were launched before and the tool can select them.
    pub(super) fn only(&mut self, benchmarks: &[String], of: usize) -> Option<[Line; 2]> {
        if benchmarks.is_empty() || benchmarks.len() >= self.selected.unwrap_or(of) {
            return None;
        }
        let [base, current] = &self.adjusted;
        let narrowed = [base.only(benchmarks)?, current.only(benchmarks)?];
        self.selected = Some(benchmarks.len());
        Some(self.lines(&narrowed))
    }

    /// The commands for this many iterations of one benchmark. `None` if the tool takes no number of iterations, or cannot
    /// select the benchmark.
    pub(super) fn iterations(&self, number: NonZeroU64, benchmark: &str) -> Option<[Line; 2]> {
        let fixed = |side: usize, name: &str| {
            let fixed = self.harnesses[side].fixed_iterations(number, &self.results.path().join(name))?;
            fixed.only(&[benchmark])
        };
        Some(self.lines(&[fixed(0, "base")?, fixed(1, "current")?]))
    }

    fn lines(&self, adjusted: &[Adjusted; 2]) -> [Line; 2] {
        let [base, current] = [0, 1].map(|side: usize| line(&self.launched[side], &adjusted[side]));
        [base, current]
    }
}

/// Pairs of all benchmarks that the budget should hold. Launches differ by more than the samples of one: for the same time,
/// more launches with fewer samples tell more, down to about five.
const ROOM: u32 = 60;
/// The fewest samples of a launch, one of which is undisturbed on a busy machine.
const FEWEST: u32 = 5;

/// The number of samples at which the budget holds [`ROOM`] pairs, if a launch with [`SAMPLES`] takes so long.
fn fitting_samples(launch: Duration, budget: Duration) -> u32 {
    let needed = launch * 2 * ROOM;
    (FEWEST..=SAMPLES).rev().find(|samples| needed * *samples <= budget * SAMPLES).unwrap_or(FEWEST)
}

fn adjust_both(harnesses: &[Harness; 2], samples: u32, results: &Path) -> [Adjusted; 2] {
    let [base, current] = harnesses;
    [base.samples(samples, &results.join("base")), current.samples(samples, &results.join("current"))]
}

/// True if the reason is worth a line: the command could be written so that its tool is known.
fn is_advice(why: &NotRecognised) -> bool {
    !matches!(why, NotRecognised::Program(_) | NotRecognised::Format(_) | NotRecognised::NoBenchmarks(_))
}

fn line(launched: &Line, adjusted: &Adjusted) -> Line {
    let mut line = launched.clone();
    line.words.clone_from(&adjusted.command);
    line.variables.extend(adjusted.variables().into_iter().map(|(name, value)| (name.into(), value)));
    line.results.clone_from(&adjusted.results);
    line
}

/// Removes what an earlier launch left at the path of its results, which would be read as this launch's.
///
/// # Errors
/// A file or folder that cannot be removed.
pub(super) fn remove_results(path: &Path) -> anyhow::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", term::shown(path)))
        }
        _ => Ok(()),
    }
}
