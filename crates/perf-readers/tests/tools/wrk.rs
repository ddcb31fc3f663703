//! wrk and wrk2.

use super::{account, common, read};

#[test]
fn latencies_and_rates_have_one_unit_each_and_runs_are_samples() {
    insta::assert_snapshot!(account("wrk", "wrk/three.txt"));
}

#[test]
fn wrk2_without_percentiles() {
    insta::assert_snapshot!(account("wrk2", "wrk2/plain.txt"));
}

#[test]
fn spectrum_footer_has_more_digits() {
    insta::assert_snapshot!(account("wrk2", "wrk2/spectrum.txt"));
}

#[test]
fn run_without_requests_failed() {
    let text = "Running 1m test @ https://user:pa@ss@example.com/a@b?token=1@2\n  2 threads and 4 connections\n\
                \x20   Latency     0.00us    0.00us   0.00us    -nan%\n    Req/Sec     0.00      0.00     0.00      -nan%\n\
                \x20 0 requests in 1.00m, 0.00B read\n  Socket errors: connect 0, read 5, write 1, timeout 4\n\
                Requests/sec:      0.00\nTransfer/sec:       0.00B\n\
                Running 1m test @ http://example.com\n  2 threads and 4 connections\n\
                \x20   Latency     1.50m    2.00h   850.00us    50.00%\n  7 requests in 1.00m, 0.00B read\n\
                \x20 Socket errors: connect 0, read 0, write 0, timeout 4\n  Non-2xx or 3xx responses: 3\n\
                Load,Host x64,abc1234,-1,1000,0,5000\n\
                Requests/sec:      0.12\nTransfer/sec:       1.50GB\nRunning 1s test @ http://example.com?token=1@/cut\nRunning late\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:15 Load | Host x64 | abc1234 | -1 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:1 https://example.com/a@b (2 threads, 4 connections) |  |  | -1 |  | failed
    file:9 http://example.com (2 threads, 4 connections) |  |  | -1 | latencyMs=90000 latencyMs.stddev=7200000 latencyMs.max=0.85 errors=4 httpErrors=3 requestsPerSecond=0.12 bytesPerSecond=1610612736
    file:18 skipped: run of `http://example.com` is cut off
    file: 3 of 19 lines (wrk)
    ");
}

fn run(rate: u32, prefix: &str) -> String {
    format!(
        "{prefix}Running 5s test @ http://127.0.0.1:80\n  2 threads and 16 connections\n  Thread calibration: mean lat.: 1ms\n\
         Requests/sec:      {rate}.50\nTransfer/sec:       1.50MB\n"
    )
}

#[test]
fn rate_of_a_command_line_is_in_the_name() {
    let text = run(990, "$ ./wrk -t2 -c16 -R1000 http://127.0.0.1:80\n")
        + &run(1980, "+ wrk2 --rate 2000 -t2 http://127.0.0.1:80\n");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 http://127.0.0.1:80 (2 threads, 16 connections, 1000/s) |  |  | -1 | requestsPerSecond=990.5 bytesPerSecond=1572864 errors=0 httpErrors=0
    file:8 http://127.0.0.1:80 (2 threads, 16 connections, 2000/s) |  |  | -1 | requestsPerSecond=1980.5 bytesPerSecond=1572864 errors=0 httpErrors=0
    file: 2 of 12 lines (wrk2)
    ");
}

#[test]
fn runs_of_other_rates_are_reported() {
    let warnings = |text: &str| -> Vec<String> {
        read(text.as_bytes())
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    insta::assert_snapshot!(warnings(&(run(990, "") + &run(1470, ""))).join("\n"), @"
    1 benchmark with measurements far apart, read as samples of one benchmark: give different benchmarks different names
    1 row measured again by the same tool: all are used as samples, numbered consecutively
    ");
    assert_eq!(warnings(&(run(990, "") + &run(1000, ""))).len(), 1);
}
