//! Inputs that were cut off within a line.

use super::{common, read};

/// The rows of text without a final line end.
fn account(text: &str) -> String {
    common::account(&read(text.as_bytes()))
}

#[test]
fn last_number_of_csv_without_line_end_is_reported() {
    insta::assert_snapshot!(account("scenario,timeNs\nA,15\nB,12"), @"
    file:2 A |  |  | -1 | timeNs=15
    file:3 B |  |  | -1 | timeNs=12
    file:3 skipped: no line end: the last number may be cut off
    file: 2 of 3 lines (csv)
    ");
    insta::assert_snapshot!(account("scenario,timeNs,x\nA,15,1\nB,12,"), @"
    file:2 A |  |  | -1 | timeNs=15 x=1
    file:3 B |  |  | -1 | timeNs=12
    file:3 skipped: no line end: the last number may be cut off
    file: 2 of 3 lines (csv)
    ");
    insta::assert_snapshot!(account("Load_A,x64,abc1234,-1,1.5,0,2\nLoad_B,x64,abc1234,-1,1.5,0,2."), @"
    file:1 Load_A | x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    file:2 Load_B | x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    file:2 skipped: no line end: the last number may be cut off
    file: 2 of 2 lines (log)
    ");
    insta::assert_snapshot!(account("handshake_no_resume_a_server,4384\nhandshake_tickets_a_server,11"), @"
    file:1 handshake_no_resume_a_server |  |  | -1 | instructions=4384
    file:2 handshake_tickets_a_server |  |  | -1 | instructions=11
    file:2 skipped: no line end: the last number may be cut off
    file: 2 of 2 lines (rustls-ci-bench)
    ");
}

#[test]
fn complete_line_needs_no_line_end() {
    for text in [
        "scenario,timeNs\nA,15\nB,12\n",
        "scenario,timeNs\nA,15\nB,12\r",
        "scenario,timeNs\nA,15\n\"B\",\"12\"",
        "x\n{scenario:\"A\",x:1}",
        "Load_A,x64,abc1234,-1,1.5,0,2",
        "BenchmarkA-8\t100\t12 ns/op\t3 ticks\nBenchmarkB-8\t100\t12 ns/op\t4 ticks\nBenchmarkC-8\t100\t12 ns/op",
        "a\nBenchmarkA-8\t100\t12 ns/op\t3 ticks\nBenchmarkB-8\t100\t12 ns/op\t4 ticks",
        "bench_short\n  Instructions:      1735 (No change)\n  L1 Accesses:      2364 (No change)\n  \
         L2 Accesses:      1 (No change)\n  RAM Accesses:      1 (No change)\n  Estimated Cycles:      2404 (No change)",
    ] {
        assert_eq!(read(text.as_bytes()).skipped().count(), 0, "{text}");
    }
}

#[test]
fn truncated_iai_block_is_reported() {
    let begun = "a\nbench_short\n  Instructions:                1735\n";
    insta::assert_snapshot!(account(&format!("{begun}  L1 Accesses:         23")), @"
    file:3 skipped: result of `bench_short` is cut off
    file: 0 of 4 lines (iai)
    ");
    insta::assert_snapshot!(account(&format!("{begun}  L1 ")), @"file: 0 of 4 lines (log)");
    insta::assert_snapshot!(account(&format!("{begun}\nbench_long\n  Instr")), @"file: 0 of 6 lines (log)");
}

#[test]
fn truncated_gungraun_block_is_reported() {
    let begun = "lib::group::bench short:10\n  Instructions:                1734|N/A             (*********)\n";
    insta::assert_snapshot!(account(&format!("{begun}  L1 Hits:          \u{1b}[1m           23")), @"
    file:1 lib::group::bench short:10 |  |  | -1 | instructions=1734
    file:3 skipped: output is cut off in this line
    file: 1 of 3 lines (gungraun)
    ");
    insta::assert_snapshot!(account(&format!("{begun}lib::group::bench long:30\n  Instructions:   26")), @"
    file:1 lib::group::bench short:10 |  |  | -1 | instructions=1734
    file:4 skipped: output is cut off in this line
    file: 1 of 4 lines (gungraun)
    ");
}

#[test]
fn truncated_go_unit_is_reported() {
    let begun = "BenchmarkA-8\t100\t12.5 ns/op\t0 B/op\n";
    insta::assert_snapshot!(account(&format!("{begun}BenchmarkB-8\t100\t247.6 ns/")), @"
    file:1 BenchmarkA |  |  | 0 | ns/op=12.5 B/op=0
    file:2 skipped: output is cut off in this line
    file: 1 of 2 lines (go)
    ");
    insta::assert_snapshot!(account(&format!("{begun}BenchmarkB-8\t100\t247.6 ns/op\t 12 B")), @"
    file:1 BenchmarkA |  |  | 0 | ns/op=12.5 B/op=0
    file:2 BenchmarkB |  |  | 0 | ns/op=247.6
    file:2 skipped: output is cut off in this line
    file: 2 of 2 lines (go)
    ");
    insta::assert_snapshot!(account(&format!("{begun}BenchmarkB-8\t100\t247.6 ns/op\t ")), @"
    file:1 BenchmarkA |  |  | 0 | ns/op=12.5 B/op=0
    file:2 BenchmarkB |  |  | 0 | ns/op=247.6
    file:2 skipped: output is cut off in this line
    file: 2 of 2 lines (go)
    ");
    insta::assert_snapshot!(account(&format!("{begun}BenchmarkB-8   \tlog\n     100\t247.6 ns")), @"
    file:1 BenchmarkA |  |  | 0 | ns/op=12.5 B/op=0
    file:3 skipped: output is cut off in this line
    file: 1 of 3 lines (go)
    ");
    insta::assert_snapshot!(account(&format!("{begun}Bench")), @"
    file:1 BenchmarkA |  |  | 0 | ns/op=12.5 B/op=0
    file:2 skipped: output is cut off in this line
    file: 1 of 2 lines (go)
    ");
}

#[test]
fn truncated_wrk_output_is_reported() {
    let begun = "\
Running 2s test @ http://127.0.0.1:8080/
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   226.11us  309.96us   6.17ms   95.28%
Requests/sec:  39501.23
";
    insta::assert_snapshot!(account(&format!("{begun}Transfer/sec:")), @"
    file:1 http://127.0.0.1:8080/ (2 threads, 8 connections) |  |  | -1 | latencyMs=0.22611 latencyMs.stddev=0.30996 latencyMs.max=6.17 requestsPerSecond=39501.23
    file:1 skipped: run of `http://127.0.0.1:8080/ (2 threads, 8 connections)` is cut off: the printed part is read
    file: 1 of 6 lines (wrk)
    ");
    insta::assert_snapshot!(account(&format!("{begun}Transfer/sec:      23.6")), @"
    file:1 http://127.0.0.1:8080/ (2 threads, 8 connections) |  |  | -1 | latencyMs=0.22611 latencyMs.stddev=0.30996 latencyMs.max=6.17 requestsPerSecond=39501.23
    file:1 skipped: run of `http://127.0.0.1:8080/ (2 threads, 8 connections)` is cut off: the printed part is read
    file: 1 of 6 lines (wrk)
    ");
    insta::assert_snapshot!(account(&format!("{begun}Transfer/sec:      23.61MB")), @"
    file:1 http://127.0.0.1:8080/ (2 threads, 8 connections) |  |  | -1 | latencyMs=0.22611 latencyMs.stddev=0.30996 latencyMs.max=6.17 requestsPerSecond=39501.23 bytesPerSecond=24756879.36 errors=0 httpErrors=0
    file: 1 of 6 lines (wrk)
    ");
}

#[test]
fn truncated_divan_table_is_reported() {
    let begun = "\
a        fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ plain  133.7 ns      │ 147.1 ns      │ 144.9 ns      │ 144.4 ns      │ 100     │ 1600
";
    insta::assert_snapshot!(account(&format!("{begun}          7.03 GB/s     │ 6.632 G")), @"
    file:2 a::plain |  |  | -1 | timeNs=144.9 timeNs.mean=144.4 timeNs.min=133.7 timeNs.max=147.1
    file:3 skipped: output is cut off in this line
    file: 1 of 3 lines (divan)
    ");
    insta::assert_snapshot!(account(begun.trim_end()), @"
    file:2 a::plain |  |  | -1 | timeNs=144.9 timeNs.mean=144.4 timeNs.min=133.7 timeNs.max=147.1
    file: 1 of 2 lines (divan)
    ");
}

#[test]
fn truncated_k6_summary_is_reported() {
    for last in [
        "vus_max........................: 5       min=5         max=5",
        "data_sent......................: 191 kB 2.7 kB/s",
        "http_req_failed................: 0.00%   ✓ 0           ✗ 48450",
        "iteration_duration.............: avg=531.4ms  min=501.9ms  med=524.2ms  max=1m2.5s p(90)=557ms p(95)=571.8ms",
    ] {
        let begun = "     iteration_duration.............: avg=1.56ms\n     vus....: 1       min=1         max=5\n     ";
        let full = read(format!("{begun}{last}\n").as_bytes());
        assert_eq!((full.rows.len(), full.skipped_count), (3, 0), "{last}");
        let dots = last.find("....").unwrap() + 4;
        for (end, _) in last.char_indices().filter(|(end, _)| *end >= dots) {
            let cut_off = &last[..end];
            let report = read(format!("{begun}{cut_off}").as_bytes());
            let is_complete = report.rows == full.rows;
            assert!(report.skipped_count == 1 || is_complete, "{cut_off}");
        }
    }
}
