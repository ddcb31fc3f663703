//! The benchmark tool of both commands: its options for many short samples, and its filter for undecided benchmarks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::bench_tools::{BenchTool, NotRecognised, SAMPLES, ToolKind};
use anyhow::Context;
use perf_cli::term;
use perf_model::row::Name;
use tempfile::TempDir;

use super::parts::{PROCESSORS, Part};
use super::prepare::{compiled::compile_test_binaries, program::Program};
use super::request::PairsRequest;
use crate::guardian::Guardian;
use crate::process::{CommandSpec, Launcher};

/// The commands of base and head with the tool's options.
#[derive(Debug)]
pub(super) struct ToolOptions {
    plain: [CommandSpec; 2],
    /// The programs that get the options: the original commands, or test binaries that were compiled once.
    programs: Vec<Program>,
    /// Samples of a benchmark per process run.
    samples: u32,
    /// Whether there is only one process run.
    is_single: bool,
    /// The duration of a process run with all benchmarks but no samples, and of one sample of each.
    times: [Duration; 2],
    /// The only benchmarks to run, if the tool can select them; empty for all.
    chosen: Vec<String>,
    /// The number of selected benchmarks; `None` for all.
    selected: Option<usize>,
    /// The directory for the tool's results.
    results: TempDir,
}

impl ToolOptions {
    /// Recognises the tool by the commands, or by the format of their output. Returns `None` if the commands run unchanged.
    ///
    /// # Errors
    /// The directory for results cannot be created.
    pub(super) fn of(
        request: &PairsRequest,
        guardian: &Guardian,
        lines: [&CommandSpec; 2],
        format: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        if request.is_as_is {
            return Ok(None);
        }
        let found = lines.map(|line| match format {
            Some(format) => BenchTool::of_format(format, &line.words),
            None => BenchTool::of(&line.words, &line.folder).or_else(|why| {
                // A tool known only by its format might print another format without the options.
                let format = request.format.as_deref();
                format
                    .and_then(|format| BenchTool::of_format(format, &line.words).ok())
                    .ok_or(why)
            }),
        });
        let [base, current] = match found {
            [Ok(base), Ok(current)] if base.tool() == current.tool() => [base, current],
            [_, Err(why)] if format.is_none() && is_advice(&why) => {
                term::note(&format!("the benchmark command runs unchanged: {why}"));
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let results = guardian.temporary_folder(&std::env::temp_dir())?;
        let plain = lines.map(CommandSpec::clone);
        let focus = request.focus.as_ref().filter(|focus| focus.is_key);
        let focus = focus.and_then(|focus| focus.benchmark.clone());
        let chosen = focus.map_or_else(|| request.chosen.clone(), |name| vec![name]);
        let programs = vec![Program::new(
            None,
            plain.clone(),
            [base, current],
            results.path(),
        )];
        let (is_single, times) = (request.is_single, Default::default());
        let mut options = Self {
            plain,
            programs,
            samples: SAMPLES,
            is_single,
            times,
            chosen,
            selected: None,
            results,
        };
        options.set_warm_up_samples();
        Ok(Some(options))
    }

    /// Compiles test binaries that the tool would compile in every process run.
    ///
    /// # Errors
    /// The build was stopped.
    pub(super) fn compile(&mut self, launcher: &Launcher<'_>) -> anyhow::Result<()> {
        let compiled = compile_test_binaries(&self.plain, self.results.path(), launcher)?;
        let are_several = compiled.len() > 1;
        let program = |(package, lines): (String, [CommandSpec; 2])| {
            let harnesses = lines
                .each_ref()
                .map(|line| BenchTool::of(&line.words, &line.folder));
            let [Ok(base), Ok(current)] = harnesses else {
                return None;
            };
            let package = are_several.then_some(package);
            Some(Program::new(
                package,
                lines,
                [base, current],
                self.results.path(),
            ))
        };
        let programs: Option<Vec<Program>> = compiled.into_iter().map(program).collect();
        if let Some(programs) = programs.filter(|programs| !programs.is_empty()) {
            self.programs = programs;
            self.set_warm_up_samples();
        }
        Ok(())
    }

    /// Removes packages that print no results, given whether each part produced rows. If some package prints results on only one
    /// side, switches back to `go test` for all packages and returns false.
    pub(super) fn drop_packages_without_results(&mut self, shown: &[Vec<bool>; 2]) -> bool {
        let [base, current] = shown;
        if self.programs.len() < 2 || base == current {
            if current.contains(&true) {
                let mut shown = current.iter();
                self.programs
                    .retain(|_| shown.next().copied().unwrap_or(true));
            }
            return true;
        }
        let harnesses = self
            .plain
            .each_ref()
            .map(|line| BenchTool::of(&line.words, &line.folder));
        if let [Ok(base), Ok(current)] = harnesses {
            let plain = Program::new(
                None,
                self.plain.clone(),
                [base, current],
                self.results.path(),
            );
            self.programs = vec![plain];
            self.set_warm_up_samples();
        }
        false
    }

    /// Chooses the samples of warm-up runs: few, because many benchmarks take long.
    fn set_warm_up_samples(&mut self) {
        self.set_samples(FEWEST);
        if self.is_single && !self.takes_iterations() {
            self.set_samples(SAMPLES);
        }
    }

    fn takes_iterations(&self) -> bool {
        self.programs.iter().all(Program::takes_iterations)
    }

    /// The tool of both sides.
    pub(super) fn tool(&self) -> ToolKind {
        self.programs[0].tool()
    }

    /// A note about the added options.
    pub(super) fn note(&self) -> Option<String> {
        let first = &self.programs[0];
        let compiled = match self.programs.len() {
            1 if first.is(&self.plain) => String::new(),
            1 => "; the test binary is compiled once".to_owned(),
            number => format!("; the test binaries of {number} packages are compiled once"),
        };
        let divided = if self.has_iterations() {
            "; each benchmark gets iterations for about the same sample time"
        } else {
            ""
        };
        let [serial, all] = self
            .programs
            .iter()
            .map(Program::serial)
            .fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
        let serial = match serial {
            0 => String::new(),
            serial => format!(
                "; {PROCESSORS}=1 for {serial} of {all} benchmarks, which are about as fast on one processor"
            ),
        };
        let added = first.note()?;
        Some(format!(
            "{added}{divided}{serial}{compiled} (`--as-is` leaves the command alone)"
        ))
    }

    /// Whether each benchmark can get its own iterations. Only compiled binaries: other commands would build for each part.
    pub(super) fn accepts_iterations(&self) -> bool {
        self.tool() == ToolKind::GoBinary && self.chosen.is_empty() && self.takes_iterations()
    }

    /// Whether benchmarks can run on one processor.
    pub(super) fn takes_processors(&self) -> bool {
        self.accepts_iterations() && self.programs.iter().all(Program::takes_processors)
    }

    /// Sets the iterations of each benchmark for equally long samples, given the seconds per operation on base and head. The
    /// `serial` ones run on one processor. Returns whether the tool supports this.
    pub(super) fn set_iterations(
        &mut self,
        operations: &[Vec<(Name, f64)>; 2],
        serial: &BTreeSet<Name>,
    ) -> bool {
        if self.accepts_iterations() && operations.iter().all(|side| !side.is_empty()) {
            self.programs
                .iter_mut()
                .for_each(|program| program.set_iterations(operations, serial));
        }
        if !self.has_iterations() {
            self.clear_iterations();
        }
        self.has_iterations()
    }

    /// Goes back to a benchmark time for all benchmarks.
    pub(super) fn clear_iterations(&mut self) {
        self.programs.iter_mut().for_each(Program::clear_iterations);
    }

    /// Whether each benchmark has its own iterations.
    pub(super) fn has_iterations(&self) -> bool {
        self.programs.iter().all(Program::has_iterations)
    }

    /// Chooses the largest number of samples that leaves time for [`ROOM`] pairs, given the duration of a process run with the
    /// [`FEWEST`] and, if there was time for it, the most samples. Returns the duration of a process run.
    pub(super) fn fit(
        &mut self,
        fewest: Duration,
        most: Option<Duration>,
        left: Duration,
    ) -> Duration {
        let most = most.unwrap_or(fewest / FEWEST * self.most_samples());
        let sample = most.saturating_sub(fewest) / (self.most_samples() - FEWEST).max(1);
        self.times = [fewest.saturating_sub(sample * FEWEST), sample];
        self.set_samples(fitting_samples(self.times, left, self.most_samples()));
        self.times[0] + sample * self.samples
    }

    /// Chooses the most samples that a process run may have.
    pub(super) fn set_most_samples(&mut self) {
        self.set_samples(self.most_samples());
    }

    fn most_samples(&self) -> u32 {
        if self.has_iterations() {
            MOST_OF_ITERATIONS
        } else {
            SAMPLES
        }
    }

    fn set_samples(&mut self, samples: u32) {
        self.samples = samples;
        for program in &mut self.programs {
            program.set_samples(samples);
        }
    }

    /// The commands for all benchmarks.
    pub(super) fn all_benchmarks(&mut self) -> Vec<Part> {
        self.selected = None;
        let chosen = if self.chosen.is_empty() {
            None
        } else {
            self.selected_parts(&self.chosen)
        };
        chosen.unwrap_or_else(|| self.programs.iter().flat_map(Program::all).collect())
    }

    /// The commands for these benchmarks; `None` if the tool cannot select them.
    fn selected_parts(&self, benchmarks: &[String]) -> Option<Vec<Part>> {
        let parts: Option<Vec<_>> = self
            .programs
            .iter()
            .map(|program| program.only(benchmarks))
            .collect();
        let mut parts: Vec<Part> = parts?.into_iter().flatten().collect();
        if !self.chosen.is_empty() {
            // A coarse filter runs more benchmarks, which must not stay undecided.
            for part in &mut parts {
                part.benchmarks.get_or_insert_with(|| self.chosen.clone());
            }
        }
        Some(parts)
    }

    /// The original commands.
    pub(super) fn plain_parts(&self) -> Vec<Part> {
        vec![Part::whole(self.plain.clone())]
    }

    /// Whether only some benchmarks run.
    pub(super) fn is_narrowed(&self) -> bool {
        self.selected.is_some()
    }

    /// The commands for these of `of` benchmarks, with more samples if there is time. Returns `None` if they are not fewer than
    /// before, or the tool cannot select them.
    pub(super) fn only(
        &mut self,
        benchmarks: &[String],
        of: usize,
        left: Duration,
    ) -> Option<Vec<Part>> {
        if benchmarks.is_empty() || benchmarks.len() >= self.selected.unwrap_or(of) {
            return None;
        }
        let [number, of] =
            [benchmarks.len(), of].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let [start, sample] = self.times;
        let samples = fitting_samples(
            [start, sample / of.max(1) * number],
            left,
            self.most_samples(),
        );
        self.set_samples(samples.max(self.samples));
        let parts = self.selected_parts(benchmarks)?;
        self.selected = Some(benchmarks.len());
        Some(parts)
    }
}

/// The number of pairs that should fit into the time: enough for a verdict on most changes. In the same time, a process run
/// with twenty samples contains twice as much information as four with five samples.
pub(super) const ROOM: u32 = 30;
/// The fewest samples in a process run. Even on a busy machine, one of five is undisturbed.
const FEWEST: u32 = 5;
/// The most samples with a fixed number of iterations. Up to nine samples, the fastest represents the process run. All have the
/// same work, so it varies less than the third fastest of twenty.
const MOST_OF_ITERATIONS: u32 = 9;

/// The number of samples for which the time is enough for [`ROOM`] pairs, given the duration of a process run without samples
/// and that of one sample.
fn fitting_samples([start, sample]: [Duration; 2], left: Duration, most: u32) -> u32 {
    (FEWEST..=most)
        .rev()
        .find(|samples| (start + sample * *samples) * 2 * ROOM <= left)
        .unwrap_or(FEWEST)
}

/// Whether the reason is worth a note, because the command could be changed so that its tool is recognised.
fn is_advice(why: &NotRecognised) -> bool {
    !matches!(
        why,
        NotRecognised::Program(_) | NotRecognised::Format(_) | NotRecognised::NoBenchmarks(_)
    )
}

/// Removes an earlier process run's results, so that they are not read again.
///
/// # Errors
/// A file or directory cannot be removed.
pub(super) fn remove_results(path: &Path) -> anyhow::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", term::shown(path)))
        }
        _ => Ok(()),
    }
}
