//! Runs of one benchmark are samples; runs that differ in more than their numbers are separate benchmarks.

use perf_model::row::Value;
use perf_readers::ParseReport;

use super::common::{account, read};

/// Names with their run indices.
fn names(report: &ParseReport) -> Vec<String> {
    report
        .rows
        .iter()
        .map(|row| format!("{} | {}", row.scenario, row.run_index))
        .collect()
}

fn reasons(report: &ParseReport) -> Vec<&str> {
    report
        .skipped()
        .map(|skipped| skipped.text.as_str())
        .collect()
}

fn wrk(url: &str) -> String {
    format!(
        "Running 30s test @ {url}\n  10 threads and 200 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n\
         \x20   Latency     9.97ms   24.26ms 251.17ms   89.89%\n    Req/Sec     8.79k     5.82k   29.98k    71.87%\n\
         \x20 2498810 requests in 30.08s, 324.09MB read\nRequests/sec:  83082.41\nTransfer/sec:     10.78MB\n"
    )
}

#[test]
fn other_queries_are_other_benchmarks_and_stay_secret() {
    let urls = [
        "http://host/?token=s3cret&n=1",
        "http://host/?n=20",
        "http://host/?n=20",
    ];
    let report = read(urls.map(wrk).concat());
    assert_eq!(
        names(&report),
        [
            "http://host/ (10 threads, 200 connections) | -1",
            "http://host/ (10 threads, 200 connections) (query 2) | 0",
            "http://host/ (10 threads, 200 connections) (query 2) | 1",
        ]
    );
    let timed = |n: u32| format!("{{\"command\": \"curl 'http://host/?n={n}'\", \"mean\": 0.25}}");
    let report = read(format!("{{\"results\": [{}, {}]}}", timed(1), timed(2)));
    assert_eq!(
        names(&report),
        [
            "curl 'http://host/' | -1",
            "curl 'http://host/' (query 2) | -1"
        ]
    );
}

#[test]
fn excerpts_without_the_line_of_the_url_are_read() {
    let excerpt = |title: &str| {
        let run = wrk("");
        let (_, numbers) = run.split_once("connections\n").unwrap();
        format!("# {title}\n{numbers}")
    };
    let report = read(excerpt("POLKA") + &excerpt("EXPRESS"));
    assert_eq!(names(&report), ["POLKA: wrk | -1", "EXPRESS: wrk | -1"]);
    let tables = "│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%   │ Avg     │ Stdev   │ Max    │\n\
        │ Latency │ 0 ms │ 0 ms │ 53 ms │ 61 ms │ 5.05 ms │ 15.63ms │ 232 ms │\n\
        │ Stat      │ 1%     │ 2.5%   │ 50%    │ 97.5%  │ Avg   │ Stdev   │ Min    │\n\
        │ Req/Sec   │ 14,447 │ 14,447 │ 20,223 │ 21,007 │ 19,482 │ 1,968.22 │ 14,443 │\n";
    let report = read(tables.repeat(2));
    assert_eq!(names(&report), ["autocannon | 0", "autocannon | 1"]);
    assert_eq!(
        reasons(&report),
        ["run of `autocannon` is cut off: the printed part is read"; 2]
    );
}

#[test]
fn numbered_repetitions_are_samples_and_runtimes_are_not() {
    let vegeta = |title: &str| {
        format!(
            "{title}\nRequests      [total, rate, throughput]         270000, 450.00, 450.00\n\
             Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 2ms, 2ms, 3ms, 49ms\n\
             Success       [ratio]                           100.00%\n\
             Status Codes  [code:count]                      200:270000\nError Set:\n\n"
        )
    };
    for plain in ["Run", "Iteration"] {
        let runs = [1, 2].map(|run| vegeta(&format!("{plain} {run} of 2")));
        assert_eq!(
            names(&read(runs.concat())),
            ["vegeta | 0", "vegeta | 1"],
            "{plain}"
        );
    }
    let mitata = |runtime: &str| {
        format!(
            "runtime: {runtime} (arm64-darwin)\n\n\
             benchmark              time (avg)             (min … max)       p75       p99      p995\n\
             spawn              888.14 µs/iter    (821.83 µs … 1.2 ms) 905.92 µs      1 ms   1.03 ms\n\n"
        )
    };
    let of_runtimes = ["bun 0.2.0", "node v18.9.1"].map(mitata);
    assert_eq!(
        names(&read(of_runtimes.concat())),
        ["bun: spawn | -1", "node: spawn | -1"]
    );
}

#[test]
fn load_and_run_of_ycsb_are_two_benchmarks() {
    let phase = |phase: &str| {
        format!(
            "./bin/ycsb {phase} mongodb-async -s -P workloads/a\n[OVERALL], RunTime(ms), 193602.0\n\
             [OVERALL], Throughput(ops/sec), 5165.25\n[INSERT], Operations, 10\n[INSERT], AverageLatency(us), 12.5\n"
        )
    };
    let report = read(phase("load") + &phase("run"));
    assert_eq!(
        names(&report),
        [
            "OVERALL (load) | -1",
            "INSERT (load) | -1",
            "OVERALL | -1",
            "INSERT | -1"
        ]
    );
}

#[test]
fn truncated_run_reports_missing_metric() {
    let gatling = "---- Global Information ----\n> request count      12 (OK=12     KO=0     )\n\
        > min response time      0 (OK=0      KO=-     )\n> mean response time      8 (OK=8      KO=-     )\n";
    let report = read(gatling);
    assert_eq!(names(&report), ["All Requests | -1"]);
    assert_eq!(
        reasons(&report),
        ["summary of `All Requests` is cut off: its row has no `requestsPerSecond`"]
    );
    // As list items, which some authors use for the important numbers.
    let ab = |rate: f64| {
        format!(
            "- **Concurrency Level:      10**\n- Complete requests:      116\nFailed requests:        0\n\
             - Requests per second:    {rate} [#/sec] (mean)\n- Time per request:       862.191 [ms] (mean)\n"
        )
    };
    let report = read(ab(11.5) + "\nConnection Times (ms)\n\n### POST\n" + &ab(12.5));
    assert_eq!(
        names(&report),
        ["ab (10 connections) | 0", "ab (10 connections) | 1"]
    );
    assert_eq!(
        report.rows[1]
            .metrics
            .get("requestsPerSecond")
            .map(Value::as_f64),
        Some(12.5)
    );
}

#[test]
fn tables_of_older_nanobench_have_another_deviation() {
    let table = "| relative |               ns/op |                op/s |   MdAPE | benchmark\n\
        |---------:|--------------------:|--------------------:|--------:|:----------\n\
        |          |                8.00 |      125,000,000.00 |   25.0% | `x += x`\n\
        |        - |                   - |                   - |       - | :boom: iterations overflow. `noop`\n";
    insta::assert_snapshot!(account(&read(table)), @"
    log:3 x += x |  |  | -1 | timeNs=8 opsPerSecond=125000000 timeNs.mad=2
    log:4 noop |  |  | -1 |  | failed
    log: 2 of 4 lines (nanobench)
    ");
}

#[test]
fn heading_distinguishes_equal_names_in_its_tables() {
    let report = |path: &str| read(String::from_utf8(super::fixture(path)).unwrap());
    let load = "(20 threads, 20 connections)";
    let named = |version: &str, page: &str| {
        format!("ploverx@{version}, node v7.7.4: http://127.0.0.1:4000/{page} {load} | -1")
    };
    let pages = ["render", "renderejs"];
    let expected: Vec<String> = ["2.1.0", "4.4.0"]
        .iter()
        .flat_map(|version| pages.map(|page| named(version, page)))
        .collect();
    assert_eq!(names(&report("wrk/headings.md"))[..4], expected);
    let table = |heading: &str, time: u32| {
        format!(
            "## {heading}\n\n| Method | Mean | Error |\n|---|---|---|\n| Parse | {time}.5 us | 0.5 us |\n\n"
        )
    };
    let report = read(table("Small", 10) + &table("Large", 100));
    assert_eq!(names(&report), ["Small: Parse | -1", "Large: Parse | -1"]);
}

#[test]
fn suites_of_a_script_are_apart() {
    let report = |path: &str| read(String::from_utf8(super::fixture(path)).unwrap());
    let formats = names(&report("benchmarkjs/formats.txt"));
    assert_eq!(formats.len(), 8);
    assert_eq!(
        formats[..2],
        [
            "Testing format: M: moment | -1",
            "Testing format: M: speed-date | -1"
        ]
    );
    assert_eq!(formats[4], "Testing format: Mo: moment | -1");
}
