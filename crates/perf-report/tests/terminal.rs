//! The report on terminals of different widths.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_config::{Config, FailOn};
use perf_model::suite::{Filter, Suite};
use perf_readers::{Collector, ParseReport};
use perf_report::markdown::cut::Limit;
use perf_report::markdown::table::display_width;
use perf_report::report::{FailureReason, Report, ReportDetails, TerminalOptions, failures};
use perf_verdict::{Sides, Thresholds, compare};

fn read(csv: &str) -> ParseReport {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("csv", &mut csv.as_bytes()).unwrap();
    collector.finish()
}

/// The table for benchmarks with these names and times, without colours.
fn shown(rows: &[(String, u32, u32)], width: usize) -> String {
    let text = report(rows).terminal(TerminalOptions {
        width,
        is_verbose: false,
    });
    let plain = text.split('\u{1b}').enumerate();
    plain
        .map(|(at, part)| {
            if at == 0 {
                part
            } else {
                part.split_once('m').unwrap().1
            }
        })
        .collect()
}

fn report(rows: &[(String, u32, u32)]) -> Report {
    let side = |of: fn(&(String, u32, u32)) -> u32| {
        let header = "scenario,timeNs\n".to_owned();
        read(&rows.iter().fold(header, |text, row| {
            text + &format!("{},{}\n", row.0, of(row))
        }))
    };
    let (baseline, current) = (side(|row| row.1), side(|row| row.2));
    let config = Config::default();
    let suite = |report| Suite::new(report, &config, &Filter::default());
    let sides = (suite(&current.rows), suite(&baseline.rows));
    let comparison = compare(
        &Sides::new(&sides.0, &sides.1),
        &config,
        Thresholds::new(0.02, 0.33),
    );
    Report::new(&comparison, &config, &ReportDetails::default())
}

fn markdown(report: &Report) -> String {
    report.markdown(Limit::Chars(usize::MAX)).unwrap()
}

fn name(at: usize, length: usize) -> String {
    let end = format!("{at:04}");
    format!("{}{end}", "a".repeat(length - end.len()))
}

#[test]
fn few_benchmarks_within_their_limits_are_shown() {
    insta::assert_snapshot!(shown(&[("parse".to_owned(), 1000, 1040)], 80), @"
        Change  Benchmark  Base (µs)  Head (µs)
    +4% slower  parse           1.00       1.04

    1 benchmark within limits
    limit: 33% worse than the baseline
    ");
}

#[test]
fn folded_rows_are_counted_if_others_are_shown() {
    let rows = [
        ("parse".to_owned(), 1000, 1040),
        ("write".to_owned(), 1000, 2000),
    ];
    insta::assert_snapshot!(shown(&rows, 80), @"
                     Change  Benchmark  Base (µs)  Head (µs)
    regressed  +100% slower  write              1          2

    1 within limits

    1 of 2 benchmarks regressed
    limit: 33% worse than the baseline
    ");
    let many: Vec<_> = (0..21).map(|at| (name(at, 5), 1000, 1010)).collect();
    insta::assert_snapshot!(shown(&many, 80), @"
    21 rows (-v shows more)

    21 benchmarks within limits
    limit: 33% worse than the baseline
    ");
}

#[test]
fn exact_count_is_said_to_fail_at_any_increase() {
    let config = Config::default();
    let both = ["2", "6"].map(|count| read(&format!("scenario,allocs\nparse,{count}\n")));
    let suites = both
        .each_ref()
        .map(|side| Suite::new(&side.rows, &config, &Filter::default()));
    let [baseline, current] = &suites;
    let comparison = compare(
        &Sides::new(current, baseline),
        &config,
        Thresholds::new(0.02, 0.33),
    );
    let details = ReportDetails {
        failed: vec![FailureReason::Verdict(FailOn::Regressed)],
        ..ReportDetails::default()
    };
    let lines = failures(&comparison, &config, &details);
    assert_eq!(lines, ["regressed: parse: 2 → 6 (+4); any increase fails"]);
    let markdown = markdown(&Report::new(&comparison, &config, &details));
    assert!(
        markdown.contains("2 → 6 (+4); any increase fails"),
        "{markdown}"
    );
    assert!(failures(&comparison, &config, &ReportDetails::default()).is_empty());
}

#[test]
fn title_shows_common_start_of_long_names() {
    let name = |end: &str| format!("internal/codec/json/stream::decode_large_document/{end}");
    let rows = [
        (name("size=4"), 1000, 2000),
        (name("size=16/deep"), 1000, 1900),
    ];
    insta::assert_snapshot!(shown(&rows, 80), @"
    Benchmarks in internal/codec/json/stream::decode_large_document/
                     Change  Benchmark      Base (µs)  Head (µs)
    regressed  +100% slower  …size=4                1          2
    regressed   +90% slower  …size=16/deep       1.00       1.90

    2 of 2 benchmarks regressed
    limit: 33% worse than the baseline
    ");
    assert!(!shown(&rows, 200).contains("Benchmarks in"));
    let comment = markdown(&report(&rows))
        .replace("<wbr>", "")
        .replace('\\', "");
    assert!(
        comment.contains("| Benchmark in internal/codec/json/stream::decode_large_document/ |"),
        "{comment}"
    );
    assert!(comment.contains("| **`…size=16/deep`** |"), "{comment}");
    assert!(
        comment.contains("\n- **`internal/codec/json/stream::decode_large_document/size=4`**, "),
        "{comment}"
    );
}

#[test]
fn title_shows_common_end_of_long_names() {
    let name =
        |size: u32| format!("quill.DecodeBenchmark.decode(size={size};compression=zstd;threads=8)");
    let rows = [(name(4), 1000, 2000), (name(16), 1000, 1900)];
    let comment = markdown(&report(&rows));
    let plain = comment.replace("<wbr>", "").replace('\\', "");
    assert!(
        plain.contains("| Benchmark in quill.DecodeBenchmark.…;compression=zstd;threads=8) |"),
        "{comment}"
    );
    assert!(plain.contains("| **`…decode(size=16…`** |"), "{comment}");
}

#[test]
fn rows_and_headline_have_one_word_for_an_improvement() {
    insta::assert_snapshot!(shown(&[("parse".to_owned(), 1000, 500)], 80), @"
                 Change  Benchmark  Base (ns)  Head (ns)
    faster  −50% faster  parse          1,000        500

    1 benchmark within limits · 1 faster
    limit: 33% worse than the baseline
    ");
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for (count, length) in [(1, 5), (1, 90), (13, 90), (150, 90), (2000, 5)] {
        for width in [80, 200] {
            let rows: Vec<_> = (0..count)
                .map(|at| (name(at, length), 1_000, [1040, 2000, 500][at % 3]))
                .collect();
            let text = shown(&rows, width);
            assert!(
                text.lines().all(|line| display_width(line) <= width),
                "{text}"
            );
            assert!(text.lines().count() <= 50, "{text}");
            assert!(!text.contains("Reference"), "{text}");
        }
    }
}
