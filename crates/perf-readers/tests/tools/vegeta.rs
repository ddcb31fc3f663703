//! Vegeta. The reports are modelled on its documentation and source.

use super::{account, common, read};

#[test]
fn text() {
    insta::assert_snapshot!(account("vegeta", "vegeta/report.txt"));
}

#[test]
fn json() {
    insta::assert_snapshot!(account("vegeta-json", "vegeta/report.json"));
}

#[test]
fn nothing_succeeded() {
    let text = "Requests      [total, rate, throughput]  50, 51.01, 0.00\n\
                Duration      [total, attack, wait]      980ms, 980ms, 0s\n\
                Latencies     [mean, 50, 95, 99, max]    1m1.5s, 1.2ms, 3.1ms, 9ms, 9ms\n\
                Bytes In      [total, mean]              0, 0.00\n\
                Success       [ratio]                    0.00%\n\
                Status Codes  [code:count]               0:50  \nError Set:\nconnection refused\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 vegeta |  |  | -1 |  | failed
    file: 1 of 8 lines (vegeta)
    ");
}

#[test]
fn json_before_version_7() {
    let text = r#"{"latencies": {"mean": 9093653, "50th": 2401223, "99th": 12604629, "max": 12604629},
"bytes_in": {"total": 782040, "mean": 651.7}, "bytes_out": {"total": 0, "mean": 0}, "duration": 1998307684,
"requests": 1200, "success": 0.75, "status_codes": {"0": 300, "200": 900}, "errors": []}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
