//! One benchmark program of both sides, with its tool's options.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::bench_tools::{Adjusted, BenchTool, ToolKind};
use perf_model::row::Name;

use crate::pairs::parts::{PROCESSORS, Part, Work, works};
use crate::process::CommandSpec;

/// The prefix of Go benchmark names.
const BENCHMARK: &str = "Benchmark";

/// A program with benchmarks.
#[derive(Debug)]
pub(crate) struct Program {
    /// The package that precedes its benchmark names, if there are several programs.
    package: Option<String>,
    launched: [CommandSpec; 2],
    harnesses: [BenchTool; 2],
    adjusted: [Adjusted; 2],
    samples: u32,
    /// Benchmarks grouped by their iterations; empty if all get a benchmark time.
    works: Vec<Work>,
    /// The path of the results of each side.
    results: [PathBuf; 2],
}

impl Program {
    pub(crate) fn new(
        package: Option<String>,
        launched: [CommandSpec; 2],
        harnesses: [BenchTool; 2],
        results: &Path,
    ) -> Self {
        let adjusted = harnesses.each_ref().map(BenchTool::as_is);
        let results = ["base", "current"].map(|name| results.join(name));
        Self {
            package,
            launched,
            harnesses,
            adjusted,
            samples: 0,
            works: Vec::new(),
            results,
        }
    }

    pub(crate) fn tool(&self) -> ToolKind {
        self.harnesses[1].tool()
    }

    /// Whether the program consists of these commands.
    pub(crate) fn is(&self, lines: &[CommandSpec; 2]) -> bool {
        self.launched == *lines
    }

    /// Whether the program contains this benchmark, given its row name.
    pub(crate) fn has(&self, benchmark: &str) -> bool {
        let Some(package) = &self.package else {
            return true;
        };
        let name = benchmark
            .strip_prefix(&**package)
            .and_then(|rest| rest.strip_prefix('.'));
        name.is_some_and(|name| name.starts_with(BENCHMARK))
    }

    pub(crate) fn note(&self) -> Option<String> {
        self.adjusted[1].note()
    }

    pub(crate) fn takes_iterations(&self) -> bool {
        self.adjusted.iter().all(Adjusted::takes_iterations)
    }

    pub(crate) fn set_samples(&mut self, samples: u32) {
        self.samples = samples;
        let [base, current] =
            [0, 1].map(|side| self.harnesses[side].samples(samples, &self.results[side]));
        self.adjusted = [base, current];
    }

    /// Sets the iterations of each benchmark for equally long samples. The `serial` ones run on one processor.
    pub(crate) fn set_iterations(
        &mut self,
        operations: &[Vec<(Name, f64)>; 2],
        serial: &BTreeSet<Name>,
    ) {
        let own = operations.each_ref().map(|side| {
            side.iter()
                .filter(|(name, _)| self.has(name))
                .cloned()
                .collect::<Vec<_>>()
        });
        self.works = works(&own, serial);
    }

    /// The number of benchmarks that run on one processor, and of all benchmarks.
    pub(crate) fn serial(&self) -> [usize; 2] {
        let number = |work: &Work| {
            work.benchmarks
                .iter()
                .map(Vec::len)
                .max()
                .unwrap_or_default()
        };
        let serial = self
            .works
            .iter()
            .filter(|work| work.is_serial)
            .map(number)
            .sum();
        [serial, self.works.iter().map(number).sum()]
    }

    /// Whether the number of processors can be set: there are several, and the user has not set it.
    pub(crate) fn takes_processors(&self) -> bool {
        let is_set = |line: &CommandSpec| {
            let is_option = |word: &str| {
                let name = word.trim_start_matches('-').trim_start_matches("test.");
                let is_variable = word
                    .split_once('=')
                    .is_some_and(|(name, _)| name == PROCESSORS);
                is_variable || word.starts_with('-') && (name == "cpu" || name.starts_with("cpu="))
            };
            line.words
                .iter()
                .any(|word| word.to_str().is_some_and(is_option))
                || line.variables.iter().any(|(name, _)| name == PROCESSORS)
        };
        let are_several = std::thread::available_parallelism().is_ok_and(|number| number.get() > 1);
        are_several && std::env::var_os(PROCESSORS).is_none() && !self.launched.iter().any(is_set)
    }

    pub(crate) fn clear_iterations(&mut self) {
        self.works.clear();
    }

    pub(crate) fn has_iterations(&self) -> bool {
        !self.works.is_empty()
    }

    /// The commands for all benchmarks.
    pub(crate) fn all(&self) -> Vec<Part> {
        let divided = if self.has_iterations() {
            self.parts_by_iterations(|_| true)
        } else {
            None
        };
        divided.unwrap_or_else(|| vec![self.part(&self.adjusted)])
    }

    /// The commands for these benchmarks, except for other programs' benchmarks; `None` if the tool cannot select them.
    pub(crate) fn only(&self, benchmarks: &[String]) -> Option<Vec<Part>> {
        if self.has_iterations() {
            return self.parts_by_iterations(|name| benchmarks.contains(name));
        }
        let own: Vec<&String> = benchmarks.iter().filter(|name| self.has(name)).collect();
        if own.is_empty() {
            return Some(Vec::new());
        }
        let [base, current] = &self.adjusted;
        let mut part = self.part(&[base.only(&own)?, current.only(&own)?]);
        if matches!(self.tool(), ToolKind::Go | ToolKind::GoBinary) {
            part.benchmarks = Some(own.into_iter().cloned().collect());
        }
        Some(vec![part])
    }

    fn parts_by_iterations(&self, is_selected: impl Fn(&String) -> bool) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for work in &self.works {
            let names = work.benchmarks.each_ref();
            let names = names.map(|all| {
                all.iter()
                    .filter(|name| is_selected(name))
                    .collect::<Vec<_>>()
            });
            let line = |at: usize| {
                let harness = &self.harnesses[at];
                let adjusted = harness.samples_of(work.iterations, self.samples, &self.results[at]);
                match &names[at][..] {
                    [] => Some(None),
                    names => {
                        let mut line = line(&self.launched[at], &adjusted.only(names)?);
                        if work.is_serial {
                            use_one_processor(&mut line);
                        }
                        Some(Some(line))
                    }
                }
            };
            let lines = [line(0)?, line(1)?];
            if lines.iter().any(Option::is_some) {
                let mut benchmarks: Vec<String> = names.into_iter().flatten().cloned().collect();
                benchmarks.sort_unstable();
                benchmarks.dedup();
                parts.push(Part {
                    lines,
                    benchmarks: Some(benchmarks),
                });
            }
        }
        Some(parts)
    }

    fn part(&self, adjusted: &[Adjusted; 2]) -> Part {
        Part::whole([0, 1].map(|side: usize| line(&self.launched[side], &adjusted[side])))
    }
}

/// Restricts Go's runtime to one processor.
pub(crate) fn use_one_processor(line: &mut CommandSpec) {
    line.variables.push((PROCESSORS.into(), "1".into()));
}

fn line(launched: &CommandSpec, adjusted: &Adjusted) -> CommandSpec {
    let mut line = launched.clone();
    line.words.clone_from(&adjusted.command);
    line.variables.extend(
        adjusted
            .variables()
            .into_iter()
            .map(|(name, value)| (name.into(), value)),
    );
    line.results.clone_from(&adjusted.results);
    line
}
