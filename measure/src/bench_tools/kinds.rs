//! The table of benchmark tools: output formats, and options for short samples and for fixed iterations.

use std::time::Duration;

/// A benchmark tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Placeholder for the work of a sample: its time or its iterations.
pub(crate) const WORK: &str = "{work}";

/// An option as on a command line: `--name`, `--name=value` or `--name|-n|--other=value`; without a dash, an environment variable.
///
/// The first name is written. If the command contains any of the names, it is kept. Placeholders in the value: `{}` for the number
/// of samples or iterations, `{time}` for the seconds that all samples take, and [`WORK`].
type Setting = &'static str;

/// The names and the value in a setting; the value is empty if the option takes none.
pub(crate) fn names_and_value(setting: Setting) -> (Vec<&'static str>, &'static str) {
    let (names, value) = setting.split_once('=').unwrap_or((setting, ""));
    (names.split('|').collect(), value)
}

/// Options, filter and limitations of a tool.
#[derive(Debug)]
pub(crate) struct Profile {
    pub tool: ToolKind,
    /// Its usual spelling.
    pub name: &'static str,
    /// The output formats, named like `perf-readers` formats.
    pub formats: &'static [&'static str],
    pub place: ArgPosition,
    /// Whether an option and its value are one word.
    pub is_joined: bool,
    /// The names of the option for its filter, if that is an option.
    pub filter: &'static [&'static str],
    pub short: &'static [Setting],
    /// How many samples of this tool replace one, and their length.
    pub samples: (u32, Duration),
    /// The smallest number of samples that it accepts.
    pub fewest: u32,
    /// Replaces the user's options to run a fixed number of iterations. Empty if the tool cannot do that.
    pub fixed: &'static [Setting],
    /// Options that a config may set for all tests, each with the option that switches it off.
    pub countered: &'static [(Setting, &'static str)],
    /// What our Node.js module changes in the tool, if it has no suitable option.
    pub module: Option<&'static str>,
    /// The names of the option for the results file.
    pub results: &'static [&'static str],
    /// The environment variable for the results directory, and a subdirectory to use.
    pub results_environment: Option<(&'static str, &'static str)>,
}

/// The length of a sample: shorter than a scheduler time slice, so that most are undisturbed on a busy machine.
const SAMPLE: Duration = Duration::from_millis(2);
/// Two shorter samples instead of one, for tools with little overhead per sample. On a machine five times overcommitted, the
/// results of itoa's and frozen's benchmarks vary a quarter as much with twice as many samples in half the time.
const TINY_SAMPLES: (u32, Duration) = (2, Duration::from_micros(500));

/// Coverage slows down every line, and pytest-benchmark does not measure in pytest-xdist workers.
const PYTEST_COUNTERED: &[(Setting, &str)] = &[
    ("--cov", "--no-cov"),
    ("-n|--numprocesses", "--numprocesses=0"),
];

/// The change to tools that time every call.
const BATCHES: &str = "short batches of calls";

/// A tool without any settings.
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
    filter: &["-bench", "--bench", "-test.bench"],
    // `-run ^$`, because otherwise each sample would also run the tests.
    short: &[
        "-run|--run|-test.run=^$",
        "-benchtime|--benchtime|-test.benchtime={work}",
        "-count|--count|-test.count={}",
    ],
    fixed: &[
        "-run|--run|-test.run=^$",
        "-benchtime|--benchtime|-test.benchtime={}x",
        "-count|--count|-test.count=1",
    ],
    ..NONE
};

pub(crate) const PROFILES: [Profile; 18] = [
    GO,
    Profile {
        tool: ToolKind::GoBinary,
        filter: &["-test.bench", "--test.bench"],
        short: &[
            "-test.run|--test.run=^$",
            "-test.benchtime|--test.benchtime={work}",
            "-test.count|--test.count={}",
        ],
        fixed: &[
            "-test.run|--test.run=^$",
            "-test.benchtime|--test.benchtime={}x",
            "-test.count|--test.count=1",
        ],
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
        ..NONE
    },
    Profile {
        tool: ToolKind::PytestBenchmark,
        name: "pytest-benchmark",
        formats: &["pytest-benchmark"],
        short: &[
            "--benchmark-only|--benchmark-skip|--benchmark-disable|--benchmark-enable",
            // It repeats calls by powers of ten until a round is long enough, so rounds are up to ten times longer.
            "--benchmark-min-time=0.0005",
            "--benchmark-max-time={time}",
            "--benchmark-min-rounds={}",
        ],
        // A function shorter than the clock's precision is still repeated within a round.
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
            // It sizes and counts its rounds by the warm-up, which a single delay can distort. So the time limits the rounds.
            "--codspeed-max-rounds=1000",
        ],
        // The first quartile represents a process run. Process runs differ by more than their rounds: for 101 benchmarks, by 2.0%
        // with 10 rounds and by 3.0% with 25.
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
            // For the intervals of its own report, which take longer than the samples.
            "--nresamples=1000",
            "--noplot|-n",
        ],
        samples: TINY_SAMPLES,
        fewest: 10,
        // One iteration per sample, with the least work on its own report.
        fixed: &[
            "--sample-size={}",
            "--warm-up-time=0.000000001",
            "--measurement-time=0.000000001",
            "--nresamples=10",
            "--noplot",
        ],
        results_environment: Some(("CRITERION_HOME", "")),
        ..NONE
    },
    Profile {
        tool: ToolKind::Divan,
        name: "divan",
        formats: &["divan"],
        place: ArgPosition::AfterDashes,
        // Variables, because tests that `cargo bench` also runs reject options.
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
        // A process for each file takes longer than its benchmarks.
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
    /// Its usual spelling.
    pub fn name(self) -> &'static str {
        self.profile().name
    }

    /// The name of its main output format in `perf-readers`.
    pub fn format(self) -> &'static str {
        let formats = self.profile().formats;
        formats.first().copied().unwrap_or_default()
    }

    /// The tool with this output format.
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
