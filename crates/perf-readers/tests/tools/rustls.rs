//! rustls' ci-bench.

use perf_config::Config;
use perf_readers::{Collector, ParseReport};

use super::{account, common, read};

#[test]
fn file_name_selects_instructions_memory_or_time() {
    insta::assert_snapshot!("icounts", account("rustls-ci-bench", "rustls/icounts.csv"));
    insta::assert_snapshot!("memory", account("rustls-ci-bench", "rustls/memory.csv"));
    insta::assert_snapshot!(
        "walltime",
        account("rustls-ci-bench", "rustls/walltime.csv")
    );
}

#[test]
fn other_csv_without_a_header_is_not_taken() {
    for text in [
        "parse,1\nprint,2\n",
        "handshake_a,1\nhandshake_b,fast\n",
        "handshake_tickets_a,fast\nhandshake_tickets_b,slow\nhandshake_tickets_c,1\n",
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
        .skipped()
        .map(|skipped| {
            format!(
                "{} {}",
                report.place_of(skipped),
                ParseReport::reason(skipped)
            )
        })
        .collect();
    insta::assert_snapshot!(skipped.join("\n"), @r"
    file:6001 `transfer_no_resume_1.3_server` has 2 numbers, expected 1 or 4
    file:6002 expected a name and integers
    ");
}

#[test]
fn one_odd_line_does_not_make_another_format() {
    let text = "transfer_no_resume_1.3_client,4384\n# built on a laptop\ntransfer_no_resume_1.3_server,4385\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 transfer_no_resume_1.3_client |  |  | -1 | instructions=4384
    file:3 transfer_no_resume_1.3_server |  |  | -1 | instructions=4385
    file:2 skipped: expected a name and integers
    file: 2 of 3 lines (rustls-ci-bench)
    ");
}

#[test]
fn named_format_takes_any_names() {
    let text = "parse_json,100\nprint::all/small,100,200\n2031,4\n";
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector
        .read_as(
            perf_readers::format("rustls-ci-bench").unwrap(),
            "file",
            &mut text.as_bytes(),
        )
        .unwrap();
    insta::assert_snapshot!(common::account(&collector.finish()), @"
    file:1 parse_json |  |  | -1 | instructions=100
    file:2 print::all/small |  |  | 0 of launch 1 | timeNs=100
    file:2 print::all/small |  |  | 1 of launch 1 | timeNs=200
    file:3 skipped: expected a name and integers
    file: 3 of 3 lines (rustls-ci-bench)
    ");
    let mut collector = Collector::new(&config);
    collector
        .read("counts/icounts.csv", &mut &b"parse_json,100\n"[..])
        .unwrap();
    assert_eq!(
        collector.finish().rows.len(),
        1,
        "the file of counts has its name"
    );
    insta::assert_snapshot!(read(b"parse_json,100\n").require_rows().unwrap_err().hint, @"the closest format is `rustls-ci-bench`: `file` has lines `name,number` without a unit: `--format rustls-ci-bench` reads them as instruction counts");
}

#[test]
fn names_may_have_spaces() {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    let format = perf_readers::format("rustls-ci-bench").unwrap();
    let mut text = &b"parse (large file),1234\nsort [n=10],99\n"[..];
    collector.read_as(format, "icounts.csv", &mut text).unwrap();
    let report = collector.finish();
    let names: Vec<&str> = report.rows.iter().map(|row| &*row.scenario).collect();
    assert_eq!(
        (names, report.skipped_count),
        (vec!["parse (large file)", "sort [n=10]"], 0)
    );
}
