//! Reports within a maximum length.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;

use insta::assert_snapshot;
use perf_config::{Config, FailOn};
use perf_model::suite::{Filter, Suite};
use perf_readers::Collector;
use perf_report::markdown::cut::Limit;
use perf_report::report::{FailureReason, Report, ReportDetails};
use perf_verdict::{Sides, Thresholds, compare};
use proptest::prelude::*;

/// A run of `rows` benchmarks per scope, every hundredth twice as slow as in the baseline; one is missing, one is new.
fn report(rows: usize, scopes: &[&str]) -> Report {
    let csv = |slow: f64, other: &str| {
        let mut csv = "scenario,platform,decodeNs\n".to_owned();
        for scope in scopes {
            for row in 1..=rows {
                let ns = if row % 100 == 0 { 100.0 * slow } else { 100.0 };
                writeln!(csv, "S{row},{scope},{ns}").unwrap();
            }
            writeln!(csv, "{other},{scope},1").unwrap();
        }
        csv
    };
    let config = Config::default();
    let read = |csv: &str| {
        let mut collector = Collector::new(&config);
        collector.read("csv", &mut csv.as_bytes()).unwrap();
        collector.finish()
    };
    let (baseline, current) = (read(&csv(1.0, "gone")), read(&csv(2.0, "fresh")));
    let suite = |rows| Suite::new(rows, &config, &Filter::default());
    let (baseline, current) = (suite(&baseline.rows), suite(&current.rows));
    let comparison = compare(
        &Sides::new(&current, &baseline),
        &config,
        Thresholds::new(0.02, 0.33),
    );
    let details = ReportDetails {
        notes: vec!["1 line was skipped.".to_owned()],
        failed: vec![FailureReason::Verdict(FailOn::Regressed)],
        ..ReportDetails::default()
    };
    Report::new(&comparison, &config, &details)
}

fn within(report: &Report, limit: Limit) -> String {
    let text = report.markdown(limit).unwrap();
    assert!(limit.holds(&text), "{text}");
    text
}

fn regressions(text: &str) -> usize {
    text.matches("| ❌ ").count()
}

#[test]
fn a_report_that_fits_is_whole() {
    let whole = within(&report(300, &["A"]), Limit::Chars(usize::MAX));
    let exactly = whole.chars().count();
    assert_eq!(within(&report(300, &["A"]), Limit::Chars(exactly)), whole);
    let cut = within(&report(300, &["A"]), Limit::Chars(exactly - 1));
    assert!(cut.contains("Left out: "), "{cut}");
    assert!(!whole.contains("Left out"));
}

#[test]
fn regressions_come_first_and_the_rest_says_what_is_left_out() {
    assert_snapshot!(within(&report(300, &["A"]), Limit::Chars(2_600)));
    assert_snapshot!(within(&report(300, &["A"]), Limit::Chars(800)));
}

#[test]
fn regressions_of_all_scopes_come_before_anything_else() {
    let text = within(&report(300, &["A", "B", "C"]), Limit::Chars(1_800));
    assert_eq!(regressions(&text), 9, "{text}");
    assert!(!text.contains("within limits"), "{text}");
}

#[test]
fn with_hardly_any_room_the_outcome_is_left() {
    let text = within(&report(300, &["A"]), Limit::Chars(500));
    assert!(
        text.starts_with("### ❌ perf-gate: 3 of 300 benchmarks regressed · 1 missing"),
        "{text}"
    );
    assert_eq!(
        within(&report(300, &["A"]), Limit::Chars(60)),
        "The rest of the report does not fit here.\n\n### ❌ perf-gate:"
    );
    assert_eq!(within(&report(300, &["A"]), Limit::Chars(10)), "");
    assert_eq!(
        within(
            &Report::nothing_compared("no baseline yet."),
            Limit::Chars(60)
        ),
        "### ⚠️ perf-gate: nothing was compared: no baseline yet\n"
    );
}

#[test]
fn byte_limit_counts_bytes() {
    let text = within(&report(300, &["A"]), Limit::Bytes(1_500));
    assert!((1_300..=1_500).contains(&text.len()), "{}", text.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn more_room_never_shows_fewer_regressions(rows in 100..400_usize, limit in 0..3_000_usize) {
        let shown = |limit| regressions(&within(&report(rows, &["A"]), Limit::Chars(limit)));
        prop_assert!(shown(limit) <= shown(limit + 300));
    }

    #[test]
    fn code_blocks_and_details_are_closed(limit in 700..9_000_usize) {
        let text = within(&report(300, &["A", "B"]), Limit::Chars(limit));
        prop_assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        prop_assert_eq!(text.matches("```").count() % 2, 0);
    }
}
