//! Documents after other text.

use crate::common::{account, read, read_with};

#[test]
fn log_before_xml_report_is_read() {
    let xml = "<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"s\">\n<testcase name=\"opens\" time=\"0.25\"/>\n\
                  </testsuite></testsuites>\n";
    let report = read(format!(
        "starting, 2 workers\nShelf,linux x64,d07f3a2,-1,1.5,0,2\n{xml}done\n"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:2 Shelf | linux x64 | d07f3a2 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 7 lines (xml)
    ");
    let report = read(format!("starting\n{xml}done\n"));
    insta::assert_snapshot!(account(&report), @"
    log:4 s opens |  |  | -1 | timeS=0.25
    log: 1 of 6 lines (junit)
    ");
    // Other XML is text in a log.
    let quoted = "<settings>\n</settings>\nShelf,linux x64,d07f3a2,-1,1.5,0,2\n";
    assert_eq!(
        read(format!("reading\n<?xml version=\"1.0\"?>\n{quoted}")).inputs[0].format,
        "log"
    );
}

#[test]
fn log_before_csv_table_is_read() {
    let table = "scenario,decodeNs,label\nParse,12.5,3\n\"Print, all\",7,4\n";
    let report = read(format!(
        "   Compiling shelf v0.1.0\n{{scenario:\"Early\",decodeNs:3}}\nnow the scenario, its label and more:\n{table}\nFinished in 3 s\nParse,oops,1\n"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:2 Early |  |  | -1 | decodeNs=3
    log:5 Parse |  |  | -1 | decodeNs=12.5 label=3
    log:6 Print, all |  |  | -1 | decodeNs=7 label=4
    log:9 skipped: invalid number `oops` (column `decodeNs`)
    log: 3 of 9 lines (csv)
    ");
    for text in [
        "hint\nscenario,decodeNs\nand so on, twice\n",
        "hint\nthe scenario, decodeNs\nParse,12\n",
        "hint\nscenario,platform,commit,runIndex,decodeNs\nParse,linux x64,d07f3a2,0,12\n",
    ] {
        assert_eq!(read(text).inputs[0].format, "log", "{text}");
    }
}

#[test]
fn tool_output_before_csv_table_is_reported() {
    let report = read("test parse ... bench: 5 ns/iter (+/- 1)\nscenario,decodeNs\nParse,12.5\n");
    insta::assert_snapshot!(account(&report), @"
    log:3 Parse |  |  | -1 | decodeNs=12.5
    log:1 skipped: also contains libtest, but only csv was read: split the input
    log: 1 of 3 lines (csv)
    ");
}

#[test]
fn csv_with_xml_like_names_is_csv() {
    let report =
        read("scenario,runIndex,timeNs\n<test-run>/parse,-1,5\n<testsuites><testsuite/>,-1,6\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 <test-run>/parse |  |  | -1 | timeNs=5
    log:3 <testsuites><testsuite/> |  |  | -1 | timeNs=6
    log: 2 of 3 lines (csv)
    ");
}

/// A table that pytest-benchmark prints on the terminal.
const PYTEST: &str = "---- benchmark: 1 tests ----\nName (time in ms)      Min     Max    OPS    Rounds  Iterations\n\
                      test_parse          9.4186 10.3782 102.8013     88           1\n\
                      Legend:\n  Outliers: 1 Standard Deviation from Mean\n";

#[test]
fn unread_output_in_a_log_with_rows_is_reported() {
    let criterion = "parse   time:   [14.793 µs 14.886 µs 14.999 µs]\n";
    let report = read(format!("{criterion}{PYTEST}{PYTEST}"));
    insta::assert_snapshot!(account(&report), @"
    log:1 parse |  |  | -1 | timeNs=14886 timeNs.lower=14793 timeNs.upper=14999
    log:2 skipped: pytest-benchmark terminal output is not read: run pytest with `--benchmark-json=bench.json`
    log: 1 of 11 lines (criterion-text)
    ");
    let own = "scenario,platform,commit,runIndex,decodeNs\nParse,linux x64,d07f3a2,0,12\n";
    insta::assert_snapshot!(account(&read(format!("starting\n{own}{PYTEST}"))), @"
    log:3 Parse | linux x64 | d07f3a2 | 0 | decodeNs=12
    log:4 skipped: pytest-benchmark terminal output is not read: run pytest with `--benchmark-json=bench.json`
    log: 1 of 8 lines (log)
    ");
    for (printed, tool) in [
        (
            "Summary:\n  Success rate: 1.0\n  Slowest: 3 secs\n  Fastest: 0.1 secs\n",
            "oha",
        ),
        (
            "Benchmark   Time   CPU   Iterations\nBM_Sum  100 ns  100 ns  7000000\n",
            "Google Benchmark",
        ),
        (
            "benchmark name    samples    iterations    estimated\n",
            "Catch2",
        ),
        (
            "PHPBench (1.2.15) running\n\nSubjects: 2, Assertions: 0\n",
            "PHPBench",
        ),
        ("  Time (mean ± σ):      12.3 ms ±   0.4 ms\n", "hyperfine"),
        (
            "BenchmarkTools.Trial: 10000 samples with 995 evaluations.\n",
            "BenchmarkTools",
        ),
        (
            "All\n  fifth:     OK (2.13s)\n       63 ns ± 3.4 ns\n",
            "tasty-bench",
        ),
        (
            "==3815== Command: target/release/parse\n==3815== I   refs:      456,271,439\n",
            "Valgrind",
        ),
        (
            "a::b short:10\n  Instructions:    1733\n  L1 Hits:    2359\n  Estimated Cycles:    2429\n",
            "iai-callgrind",
        ),
        (
            "// * Summary *\n\nBenchmarkDotNet v0.13\n",
            "BenchmarkDotNet",
        ),
        (
            "|    PP |     TG | S_PP t/s |   T_TG s | S_TG t/s |\n|   512 |     32 |  1518.90 |    0.405 |    79.04 |\n",
            "llama-batched-bench",
        ),
        (
            "Benchmark    Iterations    Min(ns)    Max(ns)   Variance   Mean(ns)\nsum   100000   90   2690   243   107\n",
            "zig-bench",
        ),
        (
            "  long    91.82 (±  1.11)  8.72× slower\n short   800.98 (±  4.72)       fastest\n",
            "Crystal",
        ),
    ] {
        let report = read(format!(
            "BenchmarkParse-8 \t 100 \t 12.5 ns/op\nPASS\n{printed}"
        ));
        assert_eq!(report.rows.len(), 1, "{printed}");
        let found: Vec<&str> = report.skipped().map(|found| &*found.text).collect();
        assert!(
            found.len() == 1 && found[0].contains(tool) && found[0].contains(" is not read: "),
            "{printed}: {found:?}"
        );
    }
}

#[test]
fn marks_in_output_that_is_read_are_not_reported() {
    let go = "BenchmarkParse-8 \t 100 \t 12.5 ns/op\nPASS\n";
    let far = "x\n".repeat(5000);
    for text in [
        // Build tools and shells also print these.
        format!("?   \tshelf/cmd\t[no test files]\n{go}real\t0m1s\nuser\t0m1s\nsys\t0m0s\n"),
        // benchstat reads the same output.
        format!("{go}name   old time/op  new time/op  delta\nParse  12.5ns  12.4ns  ~\n"),
        // The marks are from different outputs.
        format!("{go} - Mo\n{far}(±\n{far}μs\n"),
        "# JMH version: 1.37\n# Warmup Iteration   1: 12.5 ns/op\nBenchmark    Mode  Cnt   Score   Error  Units\n\
         Shelf.parse  avgt    5  12.500 ± 0.125  ns/op\n"
            .to_owned(),
    ] {
        let report = read(&text);
        assert_eq!((report.rows.len(), report.skipped().count()), (1, 0), "{text}");
    }
    let described = "[[formats]]\nname = \"table\"\nlines = ['^(?<name>test_\\w+) +(?<time>[\\d.]+) ']\nbenchmark = [\"{name}\"]\nmetrics = { timeMs = \"time\" }\n";
    let report = read_with(described, &[("log", PYTEST.as_bytes())]);
    assert_eq!((report.rows.len(), report.skipped().count()), (1, 0));
}

#[test]
fn other_output_is_reported_next_to_a_format_of_the_config() {
    let described = "[[formats]]\nname = \"own\"\nlines = ['^own (?<name>\\w+) (?<time>[\\d.]+)$']\nbenchmark = [\"{name}\"]\nmetrics = { timeMs = \"time\" }\n";
    let own = "own parse 12.5\n";
    let far = "x\n".repeat(1000);
    for (text, reported) in [
        (format!("{own}{far}{PYTEST}"), 1),
        // This may be the output that the config's format reads.
        (format!("{own}{PYTEST}"), 0),
        (format!("{PYTEST}{far}{own}"), 0),
    ] {
        let report = read_with(described, &[("log", text.as_bytes())]);
        assert_eq!(
            (report.rows.len(), report.skipped().count()),
            (1, reported),
            "{text}"
        );
    }
}
