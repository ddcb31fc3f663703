//! Options for the benchmark tool of both commands: for many short samples, and to select undecided benchmarks.
//!
//! A Go suite runs in parts, and each part has its own number of iterations per sample. If the options set a benchmark
//! time instead, Go determines the iterations again for each sample: it runs the benchmark at least three times, each
//! time after a garbage collection. The cost of code that allocates depends on the number of iterations. With fixed
//! iterations, the same time suffices for twice as many samples, and they vary less.
//!
//! On several processors, Go's runtime moves goroutines between processors and collects garbage concurrently.
//! Benchmarks that are as fast on one processor run on one, because their samples vary less there.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use perf_cli::{ResultExt, term};
use perf_model::diagnostic::counted;
use perf_model::row::{Name, Row};
use tempfile::TempDir;

use super::prepare::compiled::compile_test_binaries;
use super::request::PairsRequest;
use crate::bench_tools::{
    Adjusted, BenchTool, NotRecognised, SAMPLES, ToolKind, format_of_executable, started_program,
};
use crate::guardian::{Guardian, Stopped};
use crate::process::{CommandSpec, Launcher};
use crate::rows::{self, name_as_known};
use crate::schedule::Side;

/// The number of pairs that should fit into the time. It suffices for a verdict on most changes.
pub const ROOM: u32 = 30;
/// The minimum number of samples in a process run. Even on a busy machine, one of five is undisturbed.
const FEWEST: u32 = 5;
/// The maximum number of samples with a fixed number of iterations. If there are at most nine samples, the fastest one
/// represents the process run. All samples do the same work, so the fastest of nine varies less than the third fastest of
/// twenty.
const MOST_OF_ITERATIONS: u32 = 9;
/// The target length of a sample, in seconds. The number of iterations is the power of two that comes closest.
const SAMPLE: f64 = 0.002;
/// The maximum length of a sample on the slower side, in seconds.
const LONGEST: f64 = 0.02;
/// The maximum number of iterations of a sample, as a power of two.
const MOST_DOUBLINGS: i32 = 30;
/// The environment variable that sets the number of processors of Go's runtime.
const PROCESSORS: &str = "GOMAXPROCS";
/// The ratio of a benchmark's time on one processor to its time on all processors is in this range if the benchmark
/// neither gains from parallelism nor loses to contention.
const AS_FAST: RangeInclusive<f64> = 0.75..=1.1;
/// The maximum ratio on a single side. It is larger, because the side's samples may have been disturbed.
const LARGEST_SHARE: f64 = 1.25;

/// Benchmarks that run in the same process.
#[derive(Clone)]
pub struct Part {
    /// The commands of base and head; `None` for a side that contains none of the benchmarks.
    pub lines: [Option<CommandSpec>; 2],
    /// The names of the benchmarks of base and head; `None` for all. The tool's filter may run other benchmarks as well.
    pub benchmarks: Option<[Vec<String>; 2]>,
}

impl Part {
    /// Removes the rows of benchmarks that do not belong to this part.
    pub fn retain(&self, side: Side, rows: &mut Vec<Row>) {
        let Some(benchmarks) = &self.benchmarks else {
            return;
        };
        let benchmarks = &benchmarks[side as usize];
        name_with_number(rows, benchmarks);
        name_as_known(rows, |name| has(benchmarks, name));
        rows.retain(|row| has(benchmarks, &row.scenario));
    }

    /// Restricts the original commands to the part's benchmarks.
    ///
    /// # Errors
    /// Fails if a command has no known filter.
    pub fn filter(&mut self, format: Option<&str>) -> anyhow::Result<()> {
        for (place, names) in self.lines.iter_mut().zip(self.benchmarks.iter().flatten()) {
            let Some(line) = place else { continue };
            if names.is_empty() {
                *place = None;
                continue;
            }
            let tool = tool_of(line, format).or_else(|why| cannot_select(&why.to_string()))?;
            let Some(filtered) = tool.as_is().only(names) else {
                return cannot_select(&format!("{} has no filter", tool.tool().name()));
            };
            line.words = filtered.command();
        }
        Ok(())
    }
}

/// The seconds per operation of each benchmark.
pub type Operations = BTreeMap<Name, f64>;

/// The commands of base and head with the tool's options.
pub struct ToolOptions {
    /// The programs that get the options: the original commands, or test binaries that were compiled once.
    programs: Vec<Program>,
    /// Whether the base is measured as well.
    has_base: bool,
    /// The number of samples per benchmark and process run.
    samples: u32,
    /// The seconds per operation on base and head, which determine each benchmark's iterations; `None` if a benchmark
    /// time is set.
    pub operations: Option<[Operations; 2]>,
    /// Benchmarks that run on one processor.
    pub serial: BTreeSet<Name>,
    /// The only benchmarks to run on base and head, if the tool can select them; `None` for all.
    pub chosen: Option<[Vec<String>; 2]>,
    /// The number of benchmarks that are selected now; `None` for all chosen ones.
    selected: Option<usize>,
    /// Whether all benchmarks run, because the filter did not work or benchmarks were renamed.
    pub has_no_filter: bool,
    /// The directory for the tool's results.
    results: TempDir,
}

/// A benchmark program, on both sides.
struct Program {
    /// The package that precedes the program's benchmark names, if there are several programs.
    package: Option<String>,
    lines: [CommandSpec; 2],
    tools: [BenchTool; 2],
}

impl ToolOptions {
    /// Recognises the tool by the commands or, if `format` is set, by this output format. Returns `None` if the
    /// commands run unchanged.
    ///
    /// # Errors
    /// Fails if the directory for results cannot be created.
    pub fn of(
        request: &PairsRequest,
        guardian: &Guardian,
        lines: [CommandSpec; 2],
        has_base: bool,
        format: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        if request.is_as_is {
            return Ok(None);
        }
        let found = lines.each_ref().map(|line| match format {
            Some(format) => BenchTool::of_format(format, &line.words),
            None => tool_of(line, request.format.as_deref()),
        });
        let tools = match found {
            [Ok(base), Ok(current)] if base.tool() == current.tool() => [base, current],
            [_, current] => {
                if let Err(why) = current
                    && format.is_none()
                    // If no change to the command would make its tool recognisable, there is no note.
                    && !matches!(
                        why,
                        NotRecognised::Program(_)
                            | NotRecognised::Format(_)
                            | NotRecognised::NoBenchmarks(_)
                    )
                {
                    term::note(&format!("the benchmark command runs unchanged: {why}"));
                }
                return Ok(None);
            }
        };
        let focus = request.focus.as_ref().filter(|focus| focus.is_key);
        let focus = focus.and_then(|focus| focus.benchmark.clone());
        let program = Program {
            package: None,
            lines,
            tools,
        };
        Ok(Some(Self {
            programs: vec![program],
            has_base,
            samples: FEWEST,
            operations: None,
            serial: BTreeSet::new(),
            chosen: focus.map(|name| [vec![name.clone()], vec![name]]),
            selected: None,
            has_no_filter: false,
            results: guardian.temporary_folder()?,
        }))
    }

    /// Compiles test binaries that the tool would compile in every process run.
    ///
    /// # Errors
    /// Fails if the build was stopped.
    pub fn compile(&mut self, launcher: &Launcher<'_>) -> anyhow::Result<()> {
        if !self.has_base {
            return Ok(());
        }
        let lines = &self.programs[0].lines;
        let compiled = match compile_test_binaries(lines, self.results.path(), launcher) {
            Ok(compiled) => compiled,
            Err(error) if error.is::<Stopped>() => return Err(error),
            // If the build fails, the original command will report it.
            Err(_) => return Ok(()),
        };
        let are_several = compiled.len() > 1;
        let mut programs = Vec::new();
        for (package, lines) in compiled {
            let tools = lines
                .each_ref()
                .map(|line| BenchTool::of(&line.words, &line.folder));
            let [Ok(base), Ok(current)] = tools else {
                return Ok(());
            };
            programs.push(Program {
                package: are_several.then_some(package),
                lines,
                tools: [base, current],
            });
        }
        if !programs.is_empty() {
            self.programs = programs;
        }
        Ok(())
    }

    /// Returns the tool, which is the same on both sides.
    pub fn tool(&self) -> ToolKind {
        self.programs[0].tools[1].tool()
    }

    /// Describes the added options, if there are any.
    pub fn note(&self) -> Option<String> {
        let added = self.adjusted(&self.programs[0], 1).note()?;
        let iterations = if self.operations.is_some() {
            "; each benchmark gets iterations for about the same sample time"
        } else {
            ""
        };
        let serial = match self.serial.len() {
            0 => String::new(),
            number => format!(
                "; {PROCESSORS}=1 for {}: about as fast on one processor",
                counted(number as u64, "benchmark")
            ),
        };
        let is_compiled = !self.programs[0].lines[1].copies.is_empty();
        let compiled = match self.programs.len() {
            _ if !is_compiled => String::new(),
            1 => "; the test binary is built in advance".to_owned(),
            number => format!("; the test binaries of {number} packages are built in advance"),
        };
        Some(format!(
            "{added}{iterations}{serial}{compiled} (`--as-is` leaves the command alone)"
        ))
    }

    /// Sets each benchmark's number of iterations, so that samples are equally long. `operations` contains the seconds
    /// per operation on base and head. Does nothing if the tool does not support this. Only compiled binaries do, because
    /// other commands would build for each part.
    pub fn set_iterations(&mut self, operations: [Operations; 2]) {
        let takes_iterations = self.has_base
            && !self.has_no_filter
            && self.tool() == ToolKind::GoBinary
            && operations.iter().all(|side| !side.is_empty())
            && self
                .programs
                .iter()
                .all(|program| (0..2).all(|side| self.adjusted(program, side).takes_iterations()));
        if takes_iterations {
            self.operations = Some(operations);
        }
    }

    /// Whether the number of processors can be set: the machine has several, and the user has not set the number.
    pub fn takes_processors(&self) -> bool {
        for line in self.programs.iter().flat_map(|program| &program.lines) {
            for word in &line.words {
                let word = word.to_string_lossy();
                let option = word.trim_start_matches('-');
                if word.starts_with(PROCESSORS) || option.starts_with("test.cpu") {
                    return false;
                }
            }
        }
        std::env::var_os(PROCESSORS).is_none()
            && std::thread::available_parallelism().is_ok_and(|number| number.get() > 1)
    }

    /// Sets the number of samples per process run to the maximum or to the minimum.
    pub fn set_samples(&mut self, is_most: bool) {
        self.samples = match &self.operations {
            _ if !is_most => FEWEST,
            Some(_) => MOST_OF_ITERATIONS,
            None => SAMPLES,
        };
    }

    /// Whether the tool got a filter or a number of iterations, which it might not accept.
    pub fn can_widen(&self) -> bool {
        let is_filtered = self.selected.is_some() || self.chosen.is_some();
        !self.has_no_filter && (is_filtered || self.operations.is_some())
    }

    /// Returns the commands for all chosen benchmarks. Returns `None` if the tool cannot select them.
    pub fn chosen_parts(&self) -> Option<Vec<Part>> {
        if self.has_no_filter {
            return self.parts(None);
        }
        self.parts(self.chosen.as_ref())
    }

    /// Returns the commands for all benchmarks, and does not use the tool's filter any more. The rows of benchmarks
    /// that are not chosen are removed.
    pub fn without_filter(&mut self) -> Vec<Part> {
        self.has_no_filter = true;
        self.operations = None;
        // Without a selection, there are always commands.
        self.parts(None).unwrap_or_default()
    }

    /// Returns the commands for `benchmarks`, which are some of `all` benchmarks. Returns `None` if they are not fewer
    /// than before, or if the tool cannot select them.
    pub fn only(&mut self, benchmarks: &[String], all: usize) -> Option<Vec<Part>> {
        let before = self.selected.unwrap_or(all);
        if self.has_no_filter || benchmarks.is_empty() || benchmarks.len() >= before {
            return None;
        }
        let parts = self.parts(Some(&[benchmarks.to_vec(), benchmarks.to_vec()]))?;
        self.selected = Some(benchmarks.len());
        Some(parts)
    }

    /// Returns the commands of base and head that run only this benchmark, once or with ten iterations. Returns `None` if the
    /// tool cannot do that.
    pub fn alone(&self, benchmark: &str) -> Option<[CommandSpec; 2]> {
        let program = self
            .programs
            .iter()
            .find(|program| program.has(benchmark))?;
        let mut lines = program.lines.clone();
        for (side, line) in lines.iter_mut().enumerate() {
            let adjusted = program.tools[side].fewest_iterations(&self.results(side))?;
            *line = program.line(side, &adjusted.only(&[benchmark])?);
        }
        Some(lines)
    }

    /// Returns the commands for the benchmarks that are selected on base and head, or for all. Returns `None` if the tool
    /// cannot select benchmarks.
    fn parts(&self, selected: Option<&[Vec<String>; 2]>) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for program in &self.programs {
            let Some(operations) = &self.operations else {
                let mut own = selected.or(self.chosen.as_ref()).cloned();
                for names in own.iter_mut().flatten() {
                    names.retain(|name| program.has(name));
                }
                let adjusted = |side| self.adjusted(program, side);
                // A coarse filter runs other benchmarks as well. Their rows are dropped, because they would stay undecided.
                parts.push(self.part(program, own, selected.is_some(), adjusted)?);
                continue;
            };
            let mut own = operations.clone();
            for (side, own) in own.iter_mut().enumerate() {
                own.retain(|name, _| {
                    program.has(name) && selected.is_none_or(|all| has(&all[side], name))
                });
            }
            for ((iterations, is_serial, _), benchmarks) in works(&own, &self.serial) {
                let adjusted = |side: usize| {
                    let results = self.results(side);
                    program.tools[side].samples_of(iterations, self.samples, &results)
                };
                let mut part = self.part(program, Some(benchmarks), true, adjusted)?;
                if is_serial {
                    part.lines.iter_mut().flatten().for_each(use_one_processor);
                }
                parts.push(part);
            }
        }
        Some(parts)
    }

    /// Returns the part with these benchmarks, which are passed to the tool if `is_filtered`.
    fn part(
        &self,
        program: &Program,
        benchmarks: Option<[Vec<String>; 2]>,
        is_filtered: bool,
        adjusted: impl Fn(usize) -> Adjusted,
    ) -> Option<Part> {
        let mut lines = [None, None];
        for side in usize::from(!self.has_base)..2 {
            let mut adjusted = adjusted(side);
            if let Some(names) = &benchmarks
                && is_filtered
            {
                if names[side].is_empty() {
                    continue;
                }
                adjusted = adjusted.only(&names[side])?;
            }
            lines[side] = Some(program.line(side, &adjusted));
        }
        Some(Part { lines, benchmarks })
    }

    fn adjusted(&self, program: &Program, side: usize) -> Adjusted {
        program.tools[side].samples(self.samples, &self.results(side))
    }

    fn results(&self, side: usize) -> PathBuf {
        self.results.path().join(["base", "current"][side])
    }
}

impl Program {
    /// Whether the program contains the benchmark with this row name.
    fn has(&self, benchmark: &str) -> bool {
        let Some(package) = &self.package else {
            return true;
        };
        let name = benchmark.strip_prefix(&**package);
        name.is_some_and(|name| name.starts_with(".Benchmark"))
    }

    fn line(&self, side: usize, adjusted: &Adjusted) -> CommandSpec {
        let mut line = self.lines[side].clone();
        line.words = adjusted.command();
        line.variables.extend(adjusted.variables());
        line.results.clone_from(&adjusted.results);
        line.owns_results = adjusted.owns_results;
        line
    }
}

fn tool_of(line: &CommandSpec, format: Option<&str>) -> Result<BenchTool, NotRecognised> {
    BenchTool::of(&line.words, &line.folder).or_else(|why| {
        // Try the given format, or that of a benchmark library in the executable. Some tools can only be recognised in
        // this way.
        let in_executable = || {
            let program = started_program(&line.words)?;
            format_of_executable(&line.seen(Path::new(program)))
        };
        let format = format.or_else(in_executable);
        BenchTool::of_format(format.unwrap_or_default(), &line.words).map_err(|_| why)
    })
}

/// Fails because a command cannot run only some of its benchmarks.
///
/// # Errors
/// Always fails.
pub fn cannot_select<T>(why: &str) -> anyhow::Result<T> {
    Err(anyhow!("cannot select benchmarks: {why}")).hint(
        "let the command select them, such as `-- ./bench parse`; if matrix jobs do this, compare all results in one job",
    )
}

/// Returns the first benchmark without a row.
pub fn without_row<'n>(names: &'n [String], rows: &[Row]) -> Option<&'n String> {
    let printed = rows::names(rows);
    names.iter().find(|name| !printed.contains(name.as_str()))
}

fn has(benchmarks: &[String], name: &str) -> bool {
    benchmarks.iter().any(|benchmark| benchmark == name)
}

/// Restricts Go's runtime to one processor.
pub fn use_one_processor(line: &mut CommandSpec) {
    line.variables.push((PROCESSORS.into(), "1".into()));
}

/// Returns the seconds per operation of each benchmark in its fastest samples, which are undisturbed. Returns an empty
/// map if a row contains no time per operation.
pub fn operations(rows: &[Row]) -> Operations {
    let mut operations = Operations::new();
    for row in rows {
        let metrics = &row.metrics;
        let Some(time) = metrics.get("ns/op.d1").or_else(|| metrics.get("ns/op")) else {
            return Operations::new();
        };
        operations.insert(Name::clone(&row.scenario), time.as_f64() * 1e-9);
    }
    operations
}

/// Restores numbers at the end of benchmark names. Go appends the number of processors to each name, except on one
/// processor. There, the `-8` of `Read/size-8` was mistaken for the number of processors and removed.
fn name_with_number(rows: &mut [Row], benchmarks: &[String]) {
    let printed = rows::names(rows);
    for row in rows {
        let name = &row.scenario;
        if has(benchmarks, name) {
            continue;
        }
        let is_number = |rest: &str| {
            rest.strip_prefix('-')
                .is_some_and(|number| number.parse::<u32>().is_ok())
        };
        // Names that were printed belong to other benchmarks.
        let mut whole = benchmarks.iter().filter(|whole| {
            !printed.contains(whole.as_str()) && whole.strip_prefix(&**name).is_some_and(is_number)
        });
        if let (Some(name), None) = (whole.next(), whole.next()) {
            Arc::make_mut(&mut row.key).scenario = name.as_str().into();
        }
    }
}

/// Returns the benchmarks that are as fast on one processor as on all. Compares the faster side's two times and, with
/// more tolerance, each side's two times. This excludes benchmarks that the change made parallel or serial.
pub fn serial(all: &[Operations; 2], one: &[Operations; 2]) -> BTreeSet<Name> {
    let mut serial = BTreeSet::new();
    for name in one.iter().flat_map(BTreeMap::keys) {
        let (mut on_all, mut on_one, mut largest) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for side in 0..2 {
            let [all, one] = [all, one].map(|times| times[side].get(name).copied());
            on_all = on_all.min(all.unwrap_or(f64::INFINITY));
            on_one = on_one.min(one.unwrap_or(f64::INFINITY));
            if let (Some(all), Some(one)) = (all, one) {
                largest = largest.max(one / all);
            }
        }
        if AS_FAST.contains(&(on_one / on_all)) && largest <= LARGEST_SHARE {
            serial.insert(Name::clone(name));
        }
    }
    serial
}

/// The names of base's and head's benchmarks by their iterations per sample, whether they run on one processor, and their
/// parent.
type Works<'o> = BTreeMap<(NonZeroU64, bool, &'o str), [Vec<String>; 2]>;

/// Groups benchmarks by the number of iterations, which is the same for both sides. The faster side determines the
/// number, because the slower side may have been disturbed, but no sample is longer than [`LONGEST`]. Only benchmarks
/// with the same parent are grouped, because a filter for benchmarks with different parents would run others as well.
fn works<'o>(operations: &'o [Operations; 2], serial: &BTreeSet<Name>) -> Works<'o> {
    let mut works = Works::new();
    let names: BTreeSet<&Name> = operations.iter().flat_map(BTreeMap::keys).collect();
    for name in names {
        let times = operations.each_ref().map(|side| side.get(name).copied());
        let (mut quicker, mut slower) = (f64::INFINITY, 0.0_f64);
        for time in times.into_iter().flatten() {
            (quicker, slower) = (quicker.min(time), slower.max(time));
        }
        let is_serial = serial.contains(name);
        let iterations = iterations(quicker.max(slower * SAMPLE / LONGEST));
        let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
        let work = works.entry((iterations, is_serial, parent)).or_default();
        for (benchmarks, time) in work.iter_mut().zip(times) {
            benchmarks.extend(time.map(|_| name.to_string()));
        }
    }
    works
}

/// Returns the number of iterations for an operation that takes this many seconds. The number is a power of two.
fn iterations(seconds: f64) -> NonZeroU64 {
    let power = (0..MOST_DOUBLINGS)
        .find(|power| seconds * 2f64.powi(*power) * std::f64::consts::SQRT_2 > SAMPLE)
        .unwrap_or(MOST_DOUBLINGS);
    NonZeroU64::new(1 << power).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use perf_model::row::Key;

    use super::*;

    fn side(times: &[(&str, f64)]) -> Operations {
        times
            .iter()
            .map(|(name, nanoseconds)| (Name::from(*name), nanoseconds * 1e-9))
            .collect()
    }

    #[test]
    fn benchmarks_of_equal_length_share_a_part() {
        let base = side(&[("e.org/p.BenchmarkA", 500.0), ("e.org/p.BenchmarkB", 30.0)]);
        let current = side(&[
            ("e.org/p.BenchmarkA", 510.0),
            ("e.org/p.BenchmarkB", 900.0),
            ("e.org/p.BenchmarkC/x", 600.0),
            ("e.org/p.BenchmarkD", 5e6),
            ("e.org/p.BenchmarkE", 0.0),
        ]);
        let serial = [Name::from("e.org/p.BenchmarkA")].into();
        let operations = [base, current];
        let works: Vec<(u64, bool, [Vec<String>; 2])> = works(&operations, &serial)
            .into_iter()
            .map(|((iterations, is_serial, _), names)| (iterations.get(), is_serial, names))
            .collect();
        let work = |iterations, base: &[&str], current: &[&str]| {
            let names =
                |names: &[&str]| names.iter().map(|name| format!("e.org/p.{name}")).collect();
            let is_serial = base == ["BenchmarkA"];
            (iterations, is_serial, [names(base), names(current)])
        };
        let expected = [
            work(1, &[], &["BenchmarkD"]),
            work(4096, &[], &["BenchmarkC/x"]),
            work(4096, &["BenchmarkA"], &["BenchmarkA"]),
            work(16_384, &["BenchmarkB"], &["BenchmarkB"]),
            work(1 << MOST_DOUBLINGS, &[], &["BenchmarkE"]),
        ];
        assert_eq!(works, expected);
    }

    #[test]
    fn parallel_and_contended_benchmarks_are_not_serial() {
        let times = |times: &[(&str, f64)]| {
            times
                .iter()
                .map(|(name, time)| (Name::from(*name), *time))
                .collect()
        };
        let all: Operations = times(&[
            ("A", 100.0),
            ("Parallel", 50.0),
            ("Contended", 90.0),
            ("Became", 100.0),
            ("Gone", 1.0),
        ]);
        let now: Operations = times(&[
            ("A", 140.0),
            ("Parallel", 50.0),
            ("Contended", 90.0),
            ("Became", 50.0),
        ]);
        let one: Operations = times(&[
            ("A", 95.0),
            ("Parallel", 100.0),
            ("Contended", 30.0),
            ("Became", 100.0),
        ]);
        let one_now: Operations = times(&[
            ("A", 170.0),
            ("Parallel", 100.0),
            ("Contended", 30.0),
            ("Became", 100.0),
        ]);
        assert_eq!(
            serial(&[all.clone(), now], &[one.clone(), one_now]),
            [Name::from("A")].into()
        );
        let gained: Operations = times(&[("A", 70.0)]);
        let found = serial(&[all, gained], &[one.clone(), one]);
        assert!(
            !found.contains("A"),
            "on all processors, the head takes a third less"
        );
    }

    #[test]
    fn names_that_end_in_a_number_keep_it() {
        let named = |printed: &[&str], known: &[&str]| {
            let row = |name: &&str| {
                let key = Key {
                    scenario: (*name).into(),
                    ..Key::default()
                };
                rows::of_key(key.into(), 0, perf_model::row::Metrics::default())
            };
            let mut rows: Vec<Row> = printed.iter().map(row).collect();
            name_with_number(
                &mut rows,
                &known.iter().map(ToString::to_string).collect::<Vec<_>>(),
            );
            rows.iter()
                .map(|row| row.key.scenario.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            named(&["Read/size", "Scan"], &["Read/size-8", "Scan", "Scan-2"]),
            ["Read/size-8", "Scan"]
        );
        assert_eq!(
            named(&["Read/size"], &["Read/size-8", "Read/size-16"]),
            ["Read/size"],
            "ambiguous"
        );
        assert_eq!(
            named(&["Read/size", "Read/size-8"], &["Read/size-8"]),
            ["Read/size", "Read/size-8"]
        );
    }
}
