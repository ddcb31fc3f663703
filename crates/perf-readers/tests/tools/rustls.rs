//! rustls' ci-bench.

use super::{account, read};

#[test]
fn file_name_selects_instructions_memory_or_time() {
    insta::assert_snapshot!("icounts", account("rustls-ci-bench", "rustls/icounts.csv"));
    insta::assert_snapshot!("memory", account("rustls-ci-bench", "rustls/memory.csv"));
    insta::assert_snapshot!("walltime", account("rustls-ci-bench", "rustls/walltime.csv"));
}

#[test]
fn other_csv_without_a_header_is_not_taken() {
    for text in [
        "parse,1\nprint,2\n",
        "handshake_a,1\nhandshake_b,fast\n",
        "transfer_a,1\n2031,4\n",
        "transfer_a,1\n",
        "handshake_tickets,2\n",
        "",
    ] {
        assert_eq!(read(text.as_bytes()).inputs[0].format, "log", "{text}");
    }
}

#[test]
fn malformed_line_is_reported() {
    let mut text = "transfer_no_resume_client,4\n".repeat(6000);
    text.push_str("transfer_no_resume_1.3_server,12,13\nhandshake_tickets_client,");
    let report = read(text.as_bytes());
    assert_eq!(report.rows.len(), 1);
    let skipped: Vec<String> = report
        .skipped
        .iter()
        .map(|skipped| format!("{} {}", report.place(skipped.origin), skipped.reason))
        .collect();
    insta::assert_snapshot!(skipped.join("\n"), @r"
    file:6001 `transfer_no_resume_1.3_server` has 2 numbers, expected 1 or 4
    file:6002 expected a name and integers
    ");
}
