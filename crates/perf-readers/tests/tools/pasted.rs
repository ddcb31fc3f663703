//! Results that people paste into pages, and results after a runner's prefixes in logs.

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

#[test]
fn groups_of_a_runner_are_no_headings() {
    let run = "Running 30s test @ http://h/\n  10 threads and 200 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n\
               \x20   Latency     9.97ms   24.26ms 251.17ms   89.89%\n    Req/Sec     8.79k     5.82k   29.98k    71.87%\n\
               \x20 2498810 requests in 30.08s, 324.09MB read\nRequests/sec:  83082.41\nTransfer/sec:     10.78MB\n";
    let text = ["one", "two"]
        .map(|step| format!("##[group]Run {step}\nWarmed up.\n\n{run}\n"))
        .concat();
    assert_eq!(
        names(&read(text)),
        [
            "http://h/ (10 threads, 200 connections) | 0",
            "http://h/ (10 threads, 200 connections) | 1"
        ]
    );
}

#[test]
fn user_and_password_of_curl_are_secret() {
    let timed = |command: &str| {
        format!(
            "{{\"results\": [{{\"command\": \"{command}\", \"mean\": 0.25, \"times\": [0.25]}}]}}"
        )
    };
    for command in [
        "curl -u me:s3cret http://h/",
        "env -u RUSTFLAGS curl -u s3cret http://h/",
    ] {
        let report = read(timed(command));
        assert_eq!(report.rows.len(), 1);
        assert!(
            !report.rows[0].scenario.contains("s3cret"),
            "{}",
            report.rows[0].scenario
        );
    }
    let report = read(timed("env -u RUSTFLAGS cargo build"));
    assert_eq!(names(&report), ["env -u RUSTFLAGS cargo build | 0"]);
}

#[test]
fn headings_distinguish_equal_names() {
    let table = "Benchmark   Mode  Cnt    Score    Error  Units\nCodec.parse  avgt    5  104.123 ±  2.345  ns/op\n";
    let page = |headings: [&str; 3]| {
        headings
            .map(|heading| format!("{heading}\n\nSome text.\n\n{table}\n"))
            .concat()
            + "The end.\n"
    };
    let report = read(page([
        "## RC7\n### 1 thread",
        "### 3 threads",
        "## RC8\n### 1 thread",
    ]));
    assert_eq!(
        names(&report),
        [
            "RC7: 1 thread: Codec.parse | -1",
            "RC7: 3 threads: Codec.parse | -1",
            "RC8: 1 thread: Codec.parse | -1"
        ]
    );
    // Runs of the same are samples.
    let report = read(page(["### Run 1", "### Run 2", "### Run 3"]));
    assert_eq!(
        names(&report),
        ["Codec.parse | 0", "Codec.parse | 1", "Codec.parse | 2"]
    );
}

#[test]
fn commands_are_titles() {
    let table = "Benchmark   Mode  Cnt    Score    Error  Units\nCodec.parse  avgt    5  104.123 ±  2.345  ns/op\n";
    let text = ["2", "4"].map(|threads| format!("$ java -jar b.jar -t {threads}\n{table}\n"));
    assert_eq!(
        names(&read(text.concat())),
        [
            "java -jar b.jar -t 2: Codec.parse | -1",
            "java -jar b.jar -t 4: Codec.parse | -1"
        ]
    );
}

#[test]
fn sections_of_go_are_labels_but_runs_are_not() {
    let package = "goos: linux\ngoarch: amd64\npkg: p\nBenchmarkX-8   100   12.5 ns/op\nPASS\nok  \tp\t1.2s\n";
    let log = |titles: [&str; 2]| {
        titles
            .map(|title| format!("=== {title} ===\n{package}\n"))
            .concat()
    };
    assert_eq!(
        names(&read(log(["before: walk", "after"]))),
        [
            "p.BenchmarkX (section: before: walk) | 0",
            "p.BenchmarkX (section: after) | 0"
        ]
    );
    assert_eq!(
        names(&read(log(["Run 1", "Run 2"]))),
        ["p.BenchmarkX | 0", "p.BenchmarkX | 1"]
    );
}

#[test]
fn error_of_early_jmh_is_no_score() {
    let text = "Benchmark      (rows)   Mode  Samples      Score  Score error  Units\n\
                Parser.parse       10  thrpt      200  10634.664      103.170  ops/s\n\n\
                Benchmark      Mode  Samples   Mean  Mean error  Units\n\
                Parser.write   avgt       20  1.500       0.250  ms/op\n";
    insta::assert_snapshot!(account(&read(text)), @"
    log:2 Parser.parse (rows=10) |  |  | -1 | opsPerSecond=10634.664 opsPerSecond.lower=10531.494 opsPerSecond.upper=10737.834
    log:5 Parser.write |  |  | -1 | timeNs=1500000 timeNs.lower=1250000 timeNs.upper=1750000
    log: 2 of 5 lines (jmh-text)
    ");
}

#[test]
fn metric_of_k6_whose_threshold_failed_is_read() {
    let text = "default ✓ [ 100% ] 1 VUs\n   ✗ status is 200\n    ↳  50% — ✓ 1 / ✗ 1\n\
                \x20  ✗ http_req_duration..............: avg=345.2ms  min=264.27ms med=329.39ms max=1.19s p(90)=1s p(95)=1.1s\n\
                \x20    iteration_duration.............: avg=1.34s    min=1.26s    med=1.32s    max=2.19s p(90)=2s p(95)=2.1s\n";
    let report = read(text);
    assert_eq!(
        names(&report),
        [
            "check status is 200 | -1",
            "http_req_duration | -1",
            "iteration_duration | -1"
        ]
    );
}

#[test]
fn inputs_of_benchee_end_with_their_run() {
    let table = "Name               ips        average  deviation         median         99th %\n\
                 flat_map        2.40 K      416.92 μs    ±12.87%      406.27 μs      683.19 μs\n\n";
    let text = format!(
        "Operating System: Linux\n##### With input Big #####\n{table}Operating System: Linux\n{table}"
    );
    assert_eq!(names(&read(text)), ["flat_map (Big) | -1", "flat_map | -1"]);
}

#[test]
fn block_of_a_page_may_end_without_a_line_end() {
    let text = "```\nBenchmark   Mode  Cnt    Score    Error  Units\nCodec.parse  avgt    5  104.123 ±  2.345  ns/op\n```";
    let report = read(text);
    assert_eq!((report.rows.len(), report.skipped_count), (1, 0));
}

#[test]
fn benchmark_js_with_a_sign_of_multiplication_is_read() {
    let report = read("front-matter × 4,940 ops/sec ±0.19% (4,887 runs sampled)\n");
    assert_eq!(names(&report), ["front-matter | -1"]);
}

#[test]
fn lines_of_tools_have_titles_as_tables_do() {
    let run = |title: &str| {
        format!(
            "{title}\ntest get ... bench: 1,059 ns/iter (+/- 41)\ntest put ... bench: 20 ns/iter (+/- 1)\n\n"
        )
    };
    let all = |titles: [&str; 2]| names(&read(titles.map(run).concat())).join("; ");
    let apart = |first: &str, second: &str| {
        format!("{first}: get | -1; {first}: put | -1; {second}: get | -1; {second}: put | -1")
    };
    assert_eq!(all(["# Before", "# After"]), apart("Before", "After"));
    let samples = "get | 0; put | 0; get | 1; put | 1";
    for titles in [
        ["pass 1", "pass 2"],
        ["finished in 2.5s", "finished in 2.6s"],
        ["", "then"],
        ["same", "same"],
    ] {
        assert_eq!(all(titles), samples, "{titles:?}");
    }
}

#[test]
fn criterion_may_have_lost_blanks() {
    let text = "packet/10_attrs  time: [2.156 \u{b5}s 2.178 \u{b5}s 2.201 \u{b5}s]\n";
    assert_eq!(names(&read(text)), ["packet/10_attrs | -1"]);
}

#[test]
fn jmh_table_without_counts_is_read() {
    let without_count =
        "Benchmark  Mode  Score  Error  Units\n=====\nget  avgt  0,62  0,01  ns/op\n";
    insta::assert_snapshot!(account(&read(without_count)), @"
    log:3 get |  |  | -1 | timeNs=0.62 timeNs.lower=0.61 timeNs.upper=0.63
    log: 1 of 3 lines (jmh-text)
    ");
}

#[test]
fn bench_node_prints_no_margin() {
    let text = "get x 8,566,313 ops/sec (11 runs sampled) v8-never-optimize=true min..max=(116ns...118ns)\n";
    insta::assert_snapshot!(account(&read(text)), @"
    log:1 get |  |  | -1 | opsPerSecond=8566313
    log: 1 of 1 lines (benchmarkjs)
    ");
}

#[test]
fn commands_after_a_prompt_are_titles_of_blocks() {
    let run = "Running 10s test @ http://h/\n  2 threads and 4 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n\
               \x20   Latency     9.97ms   24.26ms 251.17ms   89.89%\n    Req/Sec     8.79k     5.82k   29.98k    71.87%\n\
               \x20 2498810 requests in 30.08s, 324.09MB read\nRequests/sec:  83082.41\nTransfer/sec:     10.78MB\n";
    let name = "http://h/ (2 threads, 4 connections)";
    let log = ["-s put.lua ", ""].map(|script| format!("$ wrk -t2 -c4 {script}http://h/\n{run}\n"));
    assert_eq!(
        names(&read(log.concat())),
        [
            format!("wrk -t2 -c4 -s put.lua http://h/: {name} | -1"),
            format!("wrk -t2 -c4 http://h/: {name} | -1")
        ]
    );
}

#[test]
fn tables_that_a_page_has_changed_are_read() {
    let ruby = "         user       system     total        real\nconcat  0.003371   0.000279   0.003650   (0.003660)\n";
    assert_eq!(names(&read(ruby)), ["concat | -1"]);
    let k6 = "  http_req_duration:  avg=161.8ms, min=111.22ms, med=149.79ms, max=4.71s, p(90)=181.97ms, p(95)=205.99ms\n\
              \x20 iteration_duration: avg=1.16s, p(95)=1.22s\n";
    insta::assert_snapshot!(account(&read(k6)), @"
    log:1 http_req_duration |  |  | -1 | latencyMs=161.8 latencyMs.min=111.22 latencyMs.max=4710 latencyP50Ms=149.79 latencyP90Ms=181.97 latencyP95Ms=205.99
    log:2 iteration_duration |  |  | -1 | latencyMs=1160 latencyP95Ms=1220
    log: 2 of 2 lines (k6-text)
    ");
}

#[test]
fn versions_and_addresses_are_titles() {
    let bench = "forward                 time:   [2.7875 µs 2.7882 µs 2.7908 µs]\n\n";
    let text = ["# 0.7.1\n", "# 0.8.0\n"].map(|version| format!("{version}{bench}"));
    assert_eq!(
        names(&read(text.concat())),
        ["0.7.1: forward | -1", "0.8.0: forward | -1"]
    );
}

#[test]
fn digits_that_commas_group_are_read() {
    let go = "BenchmarkSimple-14      24,632,971      49.41 ns/op      80 B/op       1 allocs/op\n\
              BenchmarkBig-14      1,000,000,000     0.03514 ns/op      0 B/op       0 allocs/op\n";
    insta::assert_snapshot!(account(&read(go)), @"
    log:1 BenchmarkSimple |  |  | 0 | ns/op=49.41 B/op=80 allocs/op=1
    log:2 BenchmarkBig |  |  | 0 | ns/op=0.03514 B/op=0 allocs/op=0
    log: 2 of 2 lines (go)
    ");
}

#[test]
fn crossed_thresholds_have_failed() {
    let trend = |name: &str| {
        format!(
            "    {name}...: avg=35.96ms min=34.25µs med=5.54ms max=780.23ms p(90)=117.31ms p(95)=165.28ms\n"
        )
    };
    let [duration, waiting, iteration] = [
        "http_req_duration",
        "http_req_waiting",
        "iteration_duration",
    ]
    .map(trend);
    let k6 = format!(
        "  █ THRESHOLDS\n\n    http_req_duration\n    ✗ 'p(95)<50' p(95)=165.28ms\n    ✗ 'avg<5' avg=35.96ms\n\n\
         \x20   http_req_waiting\n    ✓ 'p(95)<500' p(95)=165.28ms\n    ✗ 'max<500' max=780.23ms\n\n    iteration_duration\n\
         \x20   ✓ 'avg<500' avg=35.96ms\n\n\n  █ TOTAL RESULTS\n\n    ✗ status is 200\n      ↳  99% — ✓ 2097 / ✗ 3\n\n    HTTP\n{duration}{waiting}{iteration}done\n"
    );
    insta::assert_snapshot!(account(&read(k6)), @"
    log:18 check status is 200 |  |  | -1 | failures=3 passes=2097
    log:21 http_req_duration |  |  | -1 |  | failed
    log:22 http_req_waiting |  |  | -1 |  | failed
    log:23 iteration_duration |  |  | -1 | latencyMs=35.96 latencyMs.min=0.03425 latencyMs.max=780.23 latencyP50Ms=5.54 latencyP90Ms=117.31 latencyP95Ms=165.28
    log: 4 of 24 lines (k6-text)
    ");
    let old = "   ✗ http_req_duration..............: avg=42ms p(95)=165ms\n     ✗ { expected_response:true }...: avg=42ms p(95)=179ms\n\
               \x20    iteration_duration.............: avg=42ms p(95)=191ms\n";
    insta::assert_snapshot!(account(&read(old)), @"
    log:1 http_req_duration |  |  | -1 |  | failed
    log:2 { expected_response:true } |  |  | -1 |  | failed
    log:3 iteration_duration |  |  | -1 | latencyMs=42 latencyP95Ms=191
    log: 3 of 3 lines (k6-text)
    ");
}

#[test]
fn latencies_of_ycsb_have_their_unit() {
    let old = "[OVERALL],RunTime(ms), 10110\n [OVERALL],Throughput(ops/sec), 98.9\n [UPDATE], Operations, 491\n \
               [UPDATE], AverageLatency(ms), 0.05\n [UPDATE], MinLatency(ms), 0\n [UPDATE], 95thPercentileLatency(ms), 1\n";
    insta::assert_snapshot!(account(&read(old)), @"
    log:2 OVERALL |  |  | -1 | opsPerSecond=98.9
    log:3 UPDATE |  |  | -1 | latencyUs=50 latencyUs.min=0 latencyP95Us=1000
    log: 2 of 6 lines (ycsb)
    ");
    let other = "[UPDATE], Operations, 491\n[UPDATE], AverageLatency(ticks), 5\n[UPDATE], MinLatency(ticks), 0\n";
    insta::assert_snapshot!(account(&read(other)), @"
    log:1 skipped: no metric has a value
    log: 0 of 3 lines (ycsb-operations)
    ");
}

#[test]
fn command_that_was_not_sent_has_no_latency() {
    let memtier = "Type        Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec\n\
                   Sets       21536.09          ---          ---      0.23100     22561.95\n\
                   Gets           0.00         0.00         0.00      0.00000         0.00\n\
                   Totals     21536.09         0.00         0.00      0.23100     22561.95\n";
    insta::assert_snapshot!(account(&read(memtier)), @"
    log:2 Sets |  |  | -1 | opsPerSecond=21536.09 latencyMs=0.231 bytesPerSecond=23103436.8
    log:3 Gets |  |  | -1 | opsPerSecond=0 bytesPerSecond=0
    log:4 Totals |  |  | -1 | opsPerSecond=21536.09 latencyMs=0.231 bytesPerSecond=23103436.8
    log: 3 of 4 lines (memtier)
    ");
}

#[test]
fn comparisons_of_benchcmp_are_no_results() {
    let table = "benchmark                    old ns/op     new ns/op     delta\n\
                 BenchmarkDiff-4              2694          1544          -42.69%\n\
                 BenchmarkBig-4               955048        955049        +0.00%\n\n\
                 benchmark                    old allocs     new allocs     delta\n\
                 BenchmarkDiff-4              18             10             -44.44%\n";
    let report = read(table);
    assert_eq!(report.rows.len(), 0);
    insta::assert_snapshot!(report.require_rows().unwrap_err().hint, @"`log` is a benchstat or benchcmp table: pass the `go test -bench` outputs that it compared");
}

#[test]
fn measurement_without_a_unit_is_reported() {
    let criterion = "parse   time:   [14.793 µs 14.886 µs 14.999 µs]\n\
                     count   time:   [969555  969555  969555 ]\n";
    insta::assert_snapshot!(account(&read(criterion)), @"
    log:1 parse |  |  | -1 | timeNs=14886 timeNs.lower=14793 timeNs.upper=14999
    log:2 skipped: expected three durations with units
    log: 1 of 2 lines (criterion-text)
    ");
}
