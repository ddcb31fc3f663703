//! Recognises the output for people of tools whose files a reader needs, and says how to get the file.

/// The output of a tool for the terminal, and how to recognise it.
struct Terminal {
    what: &'static str,
    /// Texts that are in it, all of one group.
    marks: &'static [&'static [&'static str]],
    /// The advice on how to get a file that can be read.
    advice: &'static str,
}

/// The tools, the most specific first.
const TERMINALS: &[Terminal] = &[
    Terminal {
        what: "the samples of a k6 run, not its summary",
        marks: &[
            &["\"type\":\"Point\"", "\"metric\":"],
            &["metric_name,timestamp,metric_value"],
        ],
        advice: "run k6 with `--summary-export=summary.json`",
    },
    Terminal {
        what: "k6 output for the terminal",
        marks: &[&["execution: local", "scenarios: ("]],
        advice: "run k6 with `--summary-export=summary.json`",
    },
    Terminal {
        what: "pytest-benchmark output for the terminal",
        marks: &[
            &[" benchmark: ", "Rounds", "Iterations"],
            &["Legend:", "Outliers: 1 Standard Deviation"],
        ],
        advice: "run pytest with `--benchmark-json=bench.json`",
    },
    Terminal {
        what: "hyperfine output for the terminal or for a page",
        marks: &[
            &["Time (mean ± σ):"],
            &["Time (abs ≡):"],
            &["| Command", " Mean ["],
            &["command,mean,stddev,median,user,system"],
        ],
        advice: "run hyperfine with `--export-json bench.json`",
    },
    Terminal {
        what: "pyperf output for the terminal",
        marks: &[&["Mean +- std dev: "]],
        advice: "run the benchmark with `-o bench.json`",
    },
    Terminal {
        what: "JMeter's log of single requests, or its output for the terminal",
        marks: &[
            &["summary = ", "Avg:", "Err:"],
            &["<testResults", " lb="],
            &["timeStamp", "elapsed", "label"],
        ],
        advice: "run JMeter with `-e -o report`, and pass `report/statistics.json`",
    },
    Terminal {
        what: "criterion output for the terminal (Haskell)",
        marks: &[&["benchmarking ", "std dev"]],
        advice: "run the benchmark with `--csv bench.csv`",
    },
    Terminal {
        what: "BenchmarkTools output for the terminal",
        marks: &[&["BenchmarkTools.Trial:"]],
        advice: "call `BenchmarkTools.save(\"bench.json\", results)`",
    },
    Terminal {
        what: "fio output for the terminal",
        marks: &[&["Run status group ", "bw="], &[": (groupid=", "pid="]],
        advice: "run fio with `--output-format=json`",
    },
    Terminal {
        what: "Gatling's log of single requests",
        marks: &[&["RUN", "REQUEST", "USER"]],
        advice: "pass `js/stats.json` from its report, or what Gatling printed",
    },
    Terminal {
        what: "output of Valgrind for the terminal",
        marks: &[&["I   refs:"], &["== Events    :"], &["==", "Command: "]],
        advice: "pass `cachegrind.out.PID` or `callgrind.out.PID`",
    },
    Terminal {
        what: "JMH's CSV",
        marks: &[&["\"Benchmark\",\"Mode\",\"Threads\""]],
        advice: "run it with `-rf json -rff bench.json`",
    },
    Terminal {
        what: "Catch2 output for the terminal",
        marks: &[&["benchmark name ", " iterations "]],
        advice: "run the tests with `-r xml`",
    },
    Terminal {
        what: "output of `time`",
        marks: &[&["real	", "user	", "sys	"], &["real ", "user ", "sys "]],
        advice: "measure the command with `perf-gate run -- COMMAND`, or with hyperfine",
    },
    Terminal {
        // Version 5.0 divides the best time of a call by the calls of a round once more, which the table does not show.
        what: "pytest-codspeed output for the terminal, whose best times are not those of a call",
        marks: &[&["Time (best)", "Rel. StdDev"]],
        advice: "pass `.codspeed/results_*.json`, which that run wrote too",
    },
    Terminal {
        what: "output of iperf 2",
        marks: &[
            &["Client connecting to ", "TCP window size"],
            &["Server listening on ", "TCP window size"],
        ],
        advice: "run `iperf3 --json`",
    },
    Terminal {
        what: "iperf output for the terminal",
        marks: &[
            &["Interval", "Transfer", "Bitrate"],
            &["Interval", "Transfer", "Bandwidth"],
        ],
        advice: "run `iperf3 --json`",
    },
    Terminal {
        what: "BenchmarkDotNet output for the terminal",
        marks: &[
            &["// * Summary *"],
            &["BenchmarkDotNet v", "| Method"],
            &["BenchmarkDotNet=v", "Method |"],
        ],
        advice: "run it with `--exporters fulljson`, which writes `BenchmarkDotNet.Artifacts/results/*-report-full.json`",
    },
    Terminal {
        what: "JMH output without a result",
        marks: &[&["# Warmup Iteration", "<failure>"]],
        advice: "the benchmarks failed: the errors in it say why",
    },
    Terminal {
        what: "JMH output for the terminal",
        marks: &[
            &["# JMH version:"],
            &["Mode", "Cnt", "Score", "Error", "Units"],
            &["# Warmup Iteration", "/op"],
        ],
        advice: "run it with `-rf json -rff bench.json`",
    },
    Terminal {
        what: "Google Benchmark output for the terminal",
        marks: &[
            &["Run on (", "CPU Caches:"],
            &["Benchmark", "Time", "CPU", "Iterations"],
        ],
        advice: "run it with `--benchmark_out=bench.json --benchmark_out_format=json`",
    },
    Terminal {
        what: "autocannon output for the terminal",
        marks: &[
            &["Req/Bytes counts sampled once per second"],
            &["│ Stat", "│ 2.5%", "│ 97.5%"],
        ],
        advice: "run autocannon with `--json` and keep its standard output",
    },
    Terminal {
        what: "tinybench output for the terminal",
        marks: &[&["Task name", "(index)"], &["Task Name", "(index)"]],
        advice: "print `JSON.stringify(bench.table())` instead of `console.table(bench.table())`",
    },
    Terminal {
        what: "Locust output for the terminal",
        marks: &[
            &["# reqs", "# fails", "req/s"],
            &["Aggregated", "failures/s"],
        ],
        advice: "run Locust with `--csv bench`, which writes `bench_stats.csv`",
    },
    Terminal {
        what: "ghz output for the terminal",
        marks: &[&["Summary:", "Count:", "Slowest:", "Requests/sec:"]],
        advice: "run ghz with `--format=json`",
    },
    Terminal {
        what: "oha output for the terminal",
        marks: &[
            &["Success rate:", "Response time histogram:"],
            &["Success rate:", "Fastest:", "Slowest:"],
        ],
        advice: "run oha with `--output-format json`",
    },
    Terminal {
        what: "Vitest output for the terminal",
        marks: &[
            &["BENCH ", "Summary", "faster than"],
            &["name", " hz ", " p75 ", " rme "],
        ],
        advice: "run `vitest bench --run --outputJson bench.json`",
    },
    Terminal {
        what: "airspeed velocity output for the terminal",
        marks: &[&["[100.00%] ··", "Running "], &["[  0.00%] ·"]],
        advice: "pass the files that it wrote to `results/<machine>`",
    },
    Terminal {
        what: "PHPBench output for the terminal",
        marks: &[&["PHPBench (", "Subjects: "], &[" - Mo", "(±", "μs"]],
        advice: "run phpbench with `--dump-file=bench.xml`",
    },
    Terminal {
        what: "size-limit output for the terminal",
        marks: &[&["Size limit:", "Size:"]],
        advice: "run size-limit with `--json`",
    },
    Terminal {
        what: "terse output of fio",
        marks: &[&["3;fio-"]],
        advice: "run fio with `--output-format=json`",
    },
    Terminal {
        what: "the script of a Gatling report",
        marks: &[&["var stats = {", "numberOfRequests"]],
        advice: "pass `js/stats.json` from the same folder",
    },
    Terminal {
        what: "a table of benchstat",
        marks: &[
            &[",CI,vs base,P"],
            &["│", "vs base"],
            &["name", "old time/op", "new time/op"],
        ],
        advice: "pass the outputs of `go test -bench` that benchstat was given",
    },
    Terminal {
        what: "package-benchmark output for the terminal",
        marks: &[
            &["Improvement %", " p50 "],
            &["│ Metric", "│ p50 │", "│ Samples │"],
            &["Metric ", " p50 ", " p99 ", "Samples"],
        ],
        advice: "run `swift package benchmark --format jmh`",
    },
    Terminal {
        what: "a profile of cProfile",
        marks: &[&[" function calls", "Ordered by: ", "ncalls  tottime"]],
        advice: "it has no benchmark: time the program with pyperf or hyperfine",
    },
    Terminal {
        what: "a comparison by cargo benchcmp",
        marks: &[&[" ns/iter", "diff ns/iter", "diff %"]],
        advice: "pass the output of `cargo bench` that it was given",
    },
    Terminal {
        what: "`cargo bench` output without a benchmark",
        marks: &[&["running 0 tests", "test result: ok. 0 passed"]],
        advice: "no benchmark ran: name its target with `--bench NAME`, or leave out the filter",
    },
    Terminal {
        what: "the output of a build that failed",
        marks: &[
            &["error: could not compile"],
            &["[setup failed]"],
            &["[build failed]"],
        ],
        advice: "no benchmark ran: the errors in it say why",
    },
    Terminal {
        what: "Criterion output that ends before the first result",
        marks: &[&["Gnuplot not found, using plotters backend"]],
        advice: "run the benchmark to its end, and keep standard output",
    },
    Terminal {
        what: "`go test` output without a benchmark",
        marks: &[&["ok  \t", "[no tests to run]"], &["no test files]"]],
        advice: "no benchmark ran: run `go test -run '^$' -bench . ./...`",
    },
];

/// The tool that printed an input for people, and how to get its file.
pub(crate) fn recognise(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let has = |mark: &&str| memchr::memmem::find(head, mark.as_bytes()).is_some();
    let is_it = |terminal: &&Terminal| terminal.marks.iter().any(|group| group.iter().all(&has));
    TERMINALS
        .iter()
        .find(is_it)
        .map(|terminal| (terminal.what, terminal.advice))
}
