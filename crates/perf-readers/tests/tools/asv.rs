//! airspeed velocity.

use perf_config::Config;
use perf_readers::Collector;

use super::{account, common, read};

#[test]
fn failed_and_left_out_benchmarks() {
    insta::assert_snapshot!(account("asv", "asv/results.json"));
}

#[test]
fn every_sample_is_a_row() {
    insta::assert_snapshot!(account("asv", "asv/samples.json"));
}

/// Before version 0.5, a result is an object, or a number if there is only one.
#[test]
fn results_of_the_first_version_need_an_update() {
    let text = r#"{"commit_hash": "229f8de388edcfb10cea9f582046f2d660332ff3", "env_name": "conda-py3.8", "version": 1,
        "results": {"time_create": {"result": 0.25}}}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 skipped: results from asv before 0.5: `asv update` converts them
    file: 0 of 2 lines (asv)
    ");
}

/// An error at a line end is reported for the line before it, because the next line may not exist.
#[test]
fn text_cut_off_at_a_line_end_is_an_error_of_its_line() {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    let format = perf_readers::format("asv").unwrap();
    collector
        .read_as(format, "file", &mut "{\n\"version\n".as_bytes())
        .unwrap();
    insta::assert_snapshot!(common::account(&collector.finish()), @r"
    file:2 skipped: invalid JSON: control character (\u0000-\u001F) found while parsing a string
    file: 0 of 2 lines (asv)
    ");
}
