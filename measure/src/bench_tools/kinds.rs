//! The table of benchmark tools: output formats, and options for short samples and for fixed iterations.

use std::time::Duration;

/// A benchmark tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// `go test -bench`.
    Go,
    /// A Go test binary, whose options have the prefix `test.`.
    GoBinary,
    /// A Google Benchmark executable.
    GoogleBenchmark,
    /// pytest with pytest-benchmark.
    PytestBenchmark,
    /// pytest with pytest-codspeed.
    PytestCodspeed,
    /// `cargo bench` with Criterion.
    Criterion,
    /// `cargo bench` with divan.
    Divan,
    /// `cargo bench` with Rust's own benchmark harness.
    Libtest,
    /// A JMH jar.
    Jmh,
    /// `dotnet run` of a BenchmarkDotNet project.
    BenchmarkDotNet,
    /// `vitest bench`.
    Vitest,
    /// A script that imports mitata.
    Mitata,
    /// A script that imports tinybench.
    Tinybench,
    /// A script that imports benchmark.js.
    BenchmarkJs,
    /// `hyperfine`.
    Hyperfine,
    /// A pyperf script, or `pyperf timeit`.
    Pyperf,
    /// A Catch2 test executable.
    Catch2,
    /// A nanobench executable.
    Nanobench,
}

/// Where in the command the tool expects its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgPosition {
    /// Directly after the words that start the tool.
    Front,
    /// At the end, but before `--`.
    End,
    /// After `--`, which is added if it is missing.
    AfterDashes,
}

/// An option as it is written on a command line: `--name`, `--name=value` or `--name|-n|--other=value`. A name without a
/// dash is an environment variable.
///
/// The first name is the one to add. If the command already contains the option under any of its names, it is not
/// added. The value may contain placeholders: `{}` for the number of samples or iterations, `{time}` for the total time
/// of all samples in seconds, and `{work}` for the length of a sample: a time or a number of iterations.
type Setting = &'static str;

/// Splits a setting into its names and its value. The value is empty if the option takes none.
pub(crate) fn names_and_value(setting: Setting) -> (Vec<&'static str>, &'static str) {
    let (names, value) = setting.split_once('=').unwrap_or((setting, ""));
    (names.split('|').collect(), value)
}

/// A tool's options, filter and limitations.
pub(crate) struct Profile {
    pub tool: ToolKind,
    /// The usual spelling of the tool's name.
    pub name: &'static str,
    /// The tool's output formats, named as in `perf-readers`. The first one is the main format.
    pub formats: &'static [&'static str],
    pub place: ArgPosition,
    /// Whether an option and its value are joined with `=` into one word.
    pub is_joined: bool,
    /// The option that filters benchmarks, under all its names. Empty if the tool has no such option.
    pub filter: &'static [&'static str],
    /// The options for many short samples.
    pub short: &'static [Setting],
    /// How many samples of this tool replace one sample of 2 ms, and the length of each of them.
    pub samples: (u32, Duration),
    /// The smallest number of samples that the tool accepts.
    pub fewest: u32,
    /// The options that replace the user's, to run a fixed number of iterations. Empty if the tool cannot do that.
    pub fixed: &'static [Setting],
    /// A part of the mangled symbol of each function that runs the benchmarked code. `None` if it is not known.
    pub body: Option<&'static str>,
    /// The option that runs each benchmark once and skips the evaluation of the samples. `None` if it is not needed or does
    /// not exist.
    pub once: Option<&'static str>,
    /// Options that a config may set for all tests, each with the option that switches it off.
    pub countered: &'static [(Setting, &'static str)],
    /// How `batches.mjs` changes the tool. `None` if the module is not needed.
    pub module: Option<&'static str>,
    /// The option that sets the results file, under all its names.
    pub results: &'static [&'static str],
    /// The environment variable that sets the results directory, and the subdirectory to append to its value (may be
    /// empty).
    pub results_environment: Option<(&'static str, &'static str)>,
}

/// The length of a sample. It is shorter than a scheduler time slice, so that most samples are undisturbed on a busy
/// machine.
const SAMPLE: Duration = Duration::from_millis(2);
/// Two shorter samples instead of one, for tools with little overhead per sample. On a machine that was overcommitted
/// fivefold, twice as many samples in half the time reduced the variation of the itoa and frozen benchmarks to a quarter.
const TINY_SAMPLES: (u32, Duration) = (2, Duration::from_micros(500));

/// Options to switch off: coverage slows down every line, and pytest-benchmark does not measure in pytest-xdist workers.
const PYTEST_COUNTERED: &[(Setting, &str)] = &[
    ("--cov", "--no-cov"),
    ("-n|--numprocesses", "--numprocesses=0"),
];

/// The change to tools that would otherwise time every single call.
const BATCHES: &str = "short batches of calls";

/// The profile of a tool without any settings, and the defaults of all other profiles.
const NONE: Profile = Profile {
    tool: ToolKind::Nanobench,
    name: "nanobench",
    formats: &["nanobench"],
    place: ArgPosition::End,
    is_joined: true,
    filter: &[],
    short: &[],
    samples: (1, SAMPLE),
    fewest: 2,
    fixed: &[],
    body: None,
    once: None,
    countered: &[],
    module: None,
    results: &[],
    results_environment: None,
};

const GO: Profile = Profile {
    tool: ToolKind::Go,
    name: "Go",
    formats: &["go"],
    place: ArgPosition::Front,
    filter: &["-bench", "-test.bench"],
    // `-run ^$` skips the tests, which would otherwise run for each sample.
    short: &[
        "-run|-test.run=^$",
        "-benchtime|-test.benchtime={work}",
        "-count|-test.count={}",
    ],
    fixed: &[
        "-run|-test.run=^$",
        "-benchtime|-test.benchtime={}x",
        "-count|-test.count=1",
    ],
    ..NONE
};

pub(crate) const PROFILES: [Profile; 18] = [
    GO,
    Profile {
        tool: ToolKind::GoBinary,
        filter: &["-test.bench"],
        short: &["-test.run=^$", "-test.benchtime={work}", "-test.count={}"],
        fixed: &["-test.run=^$", "-test.benchtime={}x", "-test.count=1"],
        ..GO
    },
    Profile {
        tool: ToolKind::GoogleBenchmark,
        name: "Google Benchmark",
        formats: &["google-benchmark"],
        filter: &["--benchmark_filter"],
        short: &[
            // Versions before 1.8 do not accept a unit.
            "--benchmark_min_time=0.0005",
            "--benchmark_repetitions={}",
            "--benchmark_report_aggregates_only=false",
            "--benchmark_display_aggregates_only=false",
            "--benchmark_format=json",
        ],
        samples: TINY_SAMPLES,
        // One iteration per sample, because versions before 1.8 cannot set the number of iterations.
        fixed: &[
            "--benchmark_min_time=0.000000001",
            "--benchmark_repetitions={}",
        ],
        body: Some("RN9benchmark5StateE"),
        ..NONE
    },
    Profile {
        tool: ToolKind::PytestBenchmark,
        name: "pytest-benchmark",
        formats: &["pytest-benchmark"],
        short: &[
            "--benchmark-only|--benchmark-skip|--benchmark-disable|--benchmark-enable",
            // pytest-benchmark multiplies the calls in a round by ten until it is long enough, so rounds may be ten times
            // longer.
            "--benchmark-min-time=0.0005",
            "--benchmark-max-time={time}",
            "--benchmark-min-rounds={}",
        ],
        // Functions that are faster than the clock's precision are still repeated within a round.
        fixed: &[
            "--benchmark-only",
            "--benchmark-min-time=0.000000001",
            "--benchmark-max-time=0.000000001",
            "--benchmark-min-rounds={}",
            "--benchmark-warmup=off",
        ],
        countered: PYTEST_COUNTERED,
        results: &["--benchmark-json"],
        ..NONE
    },
    Profile {
        tool: ToolKind::PytestCodspeed,
        name: "pytest-codspeed",
        formats: &["codspeed"],
        short: &[
            "--codspeed",
            "--codspeed-warmup-time=0.002",
            "--codspeed-max-time={time}",
            // pytest-codspeed bases the number of rounds on the warm-up, which a single delay can distort. So we limit the
            // rounds by the time instead.
            "--codspeed-max-rounds=1000",
        ],
        // The first quartile of its rounds represents a process run. More rounds do not help, because process runs
        // differ by more than the rounds within them: 101 benchmarks differed by 2.0% between process runs with 10
        // rounds, and by 3.0% with 25.
        samples: (2, Duration::from_millis(1)),
        // One round contains several calls only if they take less than a millisecond together.
        fixed: &[
            "--codspeed",
            "--codspeed-warmup-time=0",
            "--codspeed-max-time=1000000",
            "--codspeed-max-rounds={}",
        ],
        countered: PYTEST_COUNTERED,
        results_environment: Some(("CODSPEED_PROFILE_FOLDER", ".codspeed")),
        ..NONE
    },
    Profile {
        tool: ToolKind::Criterion,
        name: "Criterion",
        formats: &["criterion", "criterion-text"],
        place: ArgPosition::AfterDashes,
        short: &[
            "--sample-size={}",
            "--warm-up-time=0.01",
            "--measurement-time={time}",
            // Criterion resamples for the intervals of its own report, which would take longer than the samples.
            "--nresamples=1000",
            "--noplot|-n",
        ],
        samples: TINY_SAMPLES,
        fewest: 10,
        // One iteration per sample, and as little work as possible for Criterion's own report.
        fixed: &[
            "--sample-size={}",
            "--warm-up-time=0.000000001",
            "--measurement-time=0.000000001",
            "--nresamples=10",
            "--noplot",
        ],
        body: Some("9criterion7bencher"),
        once: Some("--test"),
        results_environment: Some(("CRITERION_HOME", "")),
        ..NONE
    },
    Profile {
        tool: ToolKind::Divan,
        name: "divan",
        formats: &["divan"],
        place: ArgPosition::AfterDashes,
        // Environment variables instead of options, because `cargo bench` also runs tests, which reject unknown options.
        short: &["DIVAN_MIN_TIME={time}", "DIVAN_MAX_TIME=0.2"],
        fixed: &[
            "DIVAN_SAMPLE_COUNT={}",
            "DIVAN_SAMPLE_SIZE=1",
            "DIVAN_MIN_TIME=0",
        ],
        ..NONE
    },
    Profile {
        tool: ToolKind::Libtest,
        name: "Rust's own harness",
        formats: &["libtest"],
        place: ArgPosition::AfterDashes,
        ..NONE
    },
    Profile {
        tool: ToolKind::Jmh,
        name: "JMH",
        formats: &["jmh", "jmh-text"],
        is_joined: false,
        short: &["-f=1", "-wi=10", "-w=50ms", "-i={}", "-r=3ms", "-rf=json"],
        results: &["-rff"],
        ..NONE
    },
    Profile {
        tool: ToolKind::BenchmarkDotNet,
        name: "BenchmarkDotNet",
        formats: &[
            "benchmarkdotnet",
            "benchmarkdotnet-csv",
            "benchmarkdotnet-text",
        ],
        place: ArgPosition::AfterDashes,
        is_joined: false,
        ..NONE
    },
    Profile {
        tool: ToolKind::Vitest,
        name: "Vitest",
        formats: &["vitest"],
        filter: &["--testNamePattern", "-t"],
        // Starting a process for each file takes longer than running the file's benchmarks.
        short: &["--no-isolate|--isolate"],
        results: &["--outputJson", "--output-json"],
        module: Some(BATCHES),
        ..NONE
    },
    Profile {
        tool: ToolKind::Mitata,
        name: "mitata",
        formats: &["mitata", "mitata-json"],
        module: Some("shorter default times"),
        ..NONE
    },
    Profile {
        tool: ToolKind::Tinybench,
        name: "tinybench",
        formats: &["tinybench"],
        module: Some(BATCHES),
        results_environment: Some(("PERF_GATE_RESULTS", "")),
        ..NONE
    },
    Profile {
        tool: ToolKind::BenchmarkJs,
        name: "benchmark.js",
        formats: &["benchmarkjs"],
        module: Some(BATCHES),
        results_environment: Some(("PERF_GATE_RESULTS", "")),
        ..NONE
    },
    Profile {
        tool: ToolKind::Hyperfine,
        name: "hyperfine",
        formats: &["hyperfine"],
        place: ArgPosition::Front,
        short: &["--runs|-r|--min-runs|-m|--max-runs|-M=10"],
        fixed: &["--runs|-r|--min-runs|-m|--max-runs|-M={}", "--warmup|-w=0"],
        results: &["--export-json"],
        ..NONE
    },
    Profile {
        tool: ToolKind::Pyperf,
        name: "pyperf",
        formats: &["pyperf"],
        short: &[
            "--processes|-p|--rigorous|--fast=1",
            "--values|-n={}",
            "--warmups|-w=1",
            "--min-time=0.002",
        ],
        fixed: &[
            "--processes|-p=1",
            "--values|-n=1",
            "--warmups|-w=0",
            "--loops|-l={}",
        ],
        results: &["--output", "-o"],
        ..NONE
    },
    Profile {
        tool: ToolKind::Catch2,
        name: "Catch2",
        formats: &["catch2"],
        is_joined: false,
        short: &[
            "--benchmark-samples={}",
            "--benchmark-resamples=1000",
            "--benchmark-warmup-time=10",
            "-r|--reporter=xml",
        ],
        ..NONE
    },
    NONE,
];

impl ToolKind {
    /// Returns the usual spelling of the tool's name.
    pub fn name(self) -> &'static str {
        self.profile().name
    }

    /// Returns the tool's main output format, named as in `perf-readers`.
    pub fn format(self) -> &'static str {
        self.profile().formats[0]
    }

    /// Returns the tool that prints this output format.
    pub fn of_format(format: &str) -> Option<Self> {
        PROFILES
            .iter()
            .find(|profile| profile.formats.contains(&format))
            .map(|profile| profile.tool)
    }

    pub(crate) fn profile(self) -> &'static Profile {
        PROFILES
            .iter()
            .find(|profile| profile.tool == self)
            .unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_one_profile() {
        for Profile { tool, .. } in &PROFILES {
            let own = PROFILES.iter().filter(|profile| profile.tool == *tool);
            assert_eq!(own.count(), 1, "{tool:?}");
            assert_eq!(tool.profile().tool, *tool);
            assert!(!tool.format().is_empty(), "{tool:?}");
        }
    }

    #[test]
    fn formats_identify_one_tool() {
        assert_eq!(
            ToolKind::of_format("google-benchmark"),
            Some(ToolKind::GoogleBenchmark)
        );
        assert_eq!(ToolKind::of_format("go"), Some(ToolKind::Go));
        assert_eq!(ToolKind::of_format("csv"), None);
    }
}
