//! The benchmark tool behind the command of both sides: its options for many short samples in a launch, and its filter for
//! the benchmarks that are still open.

use std::fs;
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use perf_cli::term;
use perf_harness::{Adjusted, Harness, NotRecognised, SAMPLES, Tool};
use perf_model::row::Name;
use tempfile::TempDir;

use super::compiled::compile_test_binaries;
use super::parts::{Part, Work, works};
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
    /// The samples of a benchmark in a launch.
    samples: u32,
    /// The benchmarks by their iterations, where each part has its own.
    works: Vec<Work>,
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
        lines: [&Line; 2],
        format: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        if request.is_as_is {
            return Ok(None);
        }
        let found = lines.map(|line| match format {
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
        let (adjusted, samples) = first_adjusted(&harnesses, results.path());
        let (plain, launched) = (lines.map(Line::clone), lines.map(Line::clone));
        let focus = request.focus.as_ref().filter(|focus| focus.is_key);
        let focus = focus.and_then(|focus| focus.benchmark.clone());
        let works = Vec::new();
        Ok(Some(Self {
            plain,
            launched,
            harnesses,
            adjusted,
            samples,
            works,
            focus,
            selected: None,
            results,
        }))
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
            (self.adjusted, self.samples) = first_adjusted(&self.harnesses, self.results.path());
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
        let divided = if self.is_divided() {
            ", with so many iterations instead of a time that a sample of each benchmark takes about as long"
        } else {
            ""
        };
        self.adjusted[1]
            .note()
            .map(|note| format!("{note}{divided}{compiled} (`--as-is` leaves the command alone)"))
    }

    /// Gives each benchmark the iterations that take as long as a sample, by the seconds of an operation of each side. Returns
    /// true if the tool takes them.
    pub(super) fn divide(&mut self, operations: &[Vec<(Name, f64)>; 2]) -> bool {
        // A launch of what is not compiled builds first.
        let is_able = self.tool() == Tool::GoBinary
            && self.focus.is_none()
            && self.adjusted.iter().all(Adjusted::takes_iterations);
        if is_able && operations.iter().all(|side| !side.is_empty()) {
            self.works = works(operations);
        }
        self.is_divided()
    }

    /// Gives all benchmarks a time again.
    pub(super) fn unite(&mut self) {
        self.works.clear();
    }

    /// True if each benchmark has its number of iterations.
    pub(super) fn is_divided(&self) -> bool {
        !self.works.is_empty()
    }

    /// Takes as many samples in a launch as leave time for [`ROOM`] pairs, where one as they are now takes so long. Returns the time
    /// of a launch with them; `None` if that is not known.
    pub(super) fn fit(&mut self, launch: Duration, left: Duration) -> Option<Duration> {
        let before = self.samples;
        let sample = launch / before.max(1);
        let samples = fitting_samples(sample, left, self.most_samples());
        self.take_samples(samples);
        let is_scaled = samples == before || self.is_divided();
        is_scaled.then(|| sample * samples)
    }

    fn most_samples(&self) -> u32 {
        if self.is_divided() { MOST_OF_ITERATIONS } else { SAMPLES }
    }

    fn take_samples(&mut self, samples: u32) {
        self.samples = samples;
        self.adjusted = adjust_both(&self.harnesses, samples, self.results.path());
    }

    /// The commands with the tool's options, for all benchmarks.
    pub(super) fn all_benchmarks(&mut self) -> Vec<Part> {
        self.selected = None;
        if let Some(parts) = self.divided(None) {
            return parts;
        }
        let [base, current] = &self.adjusted;
        let focused =
            self.focus.as_ref().and_then(|name| Some([base.only(&[name])?, current.only(&[name])?]));
        vec![Part::whole(self.lines(focused.as_ref().unwrap_or(&self.adjusted)))]
    }

    /// The commands of the parts with these benchmarks, or with all. `None` if the suite has no parts.
    fn divided(&self, selected: Option<&[String]>) -> Option<Vec<Part>> {
        let is_selected = |name: &&String| selected.is_none_or(|selected| selected.contains(name));
        let mut parts = Vec::new();
        for work in &self.works {
            let names =
                work.benchmarks.each_ref().map(|all| all.iter().filter(is_selected).collect::<Vec<_>>());
            let line = |at: usize, name: &str| {
                let results = self.results.path().join(name);
                let adjusted = self.harnesses[at].samples_of(work.iterations, self.samples, &results);
                match &names[at][..] {
                    [] => Some(None),
                    names => Some(Some(line(&self.launched[at], &adjusted.only(names)?))),
                }
            };
            let lines = [line(0, "base")?, line(1, "current")?];
            if lines.iter().any(Option::is_some) {
                let mut benchmarks: Vec<String> = names.into_iter().flatten().cloned().collect();
                benchmarks.sort_unstable();
                benchmarks.dedup();
                parts.push(Part { lines, benchmarks: Some(benchmarks) });
            }
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// The commands as they were given.
    pub(super) fn plain_parts(&self) -> Vec<Part> {
        vec![Part::whole(self.plain.clone())]
    }

    /// True if only some benchmarks are launched.
    pub(super) fn is_narrowed(&self) -> bool {
        self.selected.is_some()
    }

    /// The commands for these benchmarks of `of`, if they are fewer than were launched before and the tool can select them, with
    /// more samples where a launch of all of them takes so long and so much time is left.
    pub(super) fn only(
        &mut self,
        benchmarks: &[String],
        of: usize,
        launch: Duration,
        left: Duration,
    ) -> Option<Vec<Part>> {
        if benchmarks.is_empty() || benchmarks.len() >= self.selected.unwrap_or(of) {
            return None;
        }
        let [number, of] = [benchmarks.len(), of].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let sample = launch / self.samples.max(1) / of.max(1) * number;
        let samples = fitting_samples(sample, left, self.most_samples()).max(self.samples);
        if self.is_divided() && samples > self.samples {
            self.take_samples(samples);
        }
        let parts = match self.divided(Some(benchmarks)) {
            Some(parts) => parts,
            None => {
                let [base, current] = &self.adjusted;
                vec![Part::whole(self.lines(&[base.only(benchmarks)?, current.only(benchmarks)?]))]
            }
        };
        self.selected = Some(benchmarks.len());
        Some(parts)
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

/// Pairs of all benchmarks that the time should hold: enough for a verdict on most changes. For the same time, a launch with
/// twenty samples tells twice as much as four launches with five.
const ROOM: u32 = 30;
/// The fewest samples of a launch, one of which is undisturbed on a busy machine.
const FEWEST: u32 = 5;
/// The most samples of a number of iterations: of up to nine the quickest counts, which varies less than the third of twenty, as
/// all have the same work.
const MOST_OF_ITERATIONS: u32 = 9;

/// The number of samples at which the time that is left holds [`ROOM`] pairs, if each takes so long in a launch.
fn fitting_samples(sample: Duration, left: Duration, most: u32) -> u32 {
    let needed = sample * 2 * ROOM;
    (FEWEST..=most).rev().find(|samples| needed * *samples <= left).unwrap_or(FEWEST)
}

/// The commands of the launches that warm up: with few samples where these take long, and the number of them.
fn first_adjusted(harnesses: &[Harness; 2], results: &Path) -> ([Adjusted; 2], u32) {
    let adjusted = adjust_both(harnesses, FEWEST, results);
    if adjusted.iter().all(Adjusted::takes_iterations) {
        return (adjusted, FEWEST);
    }
    (adjust_both(harnesses, SAMPLES, results), SAMPLES)
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
