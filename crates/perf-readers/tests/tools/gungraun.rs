//! gungraun and iai-callgrind.

use super::{account, common, fixture, read};

#[test]
fn report_has_counts_of_every_tool() {
    insta::assert_snapshot!(account("gungraun", "gungraun/report.txt"));
}

#[test]
fn summaries_of_known_versions_are_read() {
    insta::assert_snapshot!("summary-7", account("gungraun", "gungraun/summary-7.jsonl"));
    for (version, runner) in [("6", "0.16.1"), ("3", "0.14.2")] {
        insta::assert_snapshot!(
            format!("summary-{version}"),
            account("gungraun", &format!("gungraun/summary-{runner}.json"))
        );
    }
}

#[test]
fn tools_with_equal_events_stay_apart() {
    let total = |kind: &str, counts: &str| {
        format!(r#"{{"parts":[],"total":{{"regressions":[],"summary":{{"{kind}":{counts}}}}}}}"#)
    };
    let profile = |tool: &str, kind: &str, counts: &str| {
        format!(r#"{{"tool":"{tool}","summaries":{}}}"#, total(kind, counts))
    };
    let errors = r#"{"Errors":{"metrics":{"Left":{"Int":2}}}}"#;
    let profiles = [
        profile(
            "Cachegrind",
            "Cachegrind",
            r#"{"Ir":{"metrics":{"Both":[5,4]}},"L1HitRate":{"metrics":{"Left":{"Float":99.5}}}}"#,
        ),
        profile(
            "Callgrind",
            "Callgrind",
            r#"{"Ir":{"metrics":{"Both":[{"Int":6},{"Int":4}]}},"Dr":{"metrics":{"Right":{"Int":4}}}}"#,
        ),
        profile("Memcheck", "ErrorTool", errors),
        profile("DRD", "ErrorTool", errors),
        r#"{"tool":"Massif","summaries":{"parts":[],"total":{"regressions":[],"summary":"None"}}}"#
            .to_owned(),
    ];
    let summary = |version: u8, profiles: &str| {
        format!(
            r#"{{"benchmark_exe":"b","module_path":"b::g::f","id":"x{version}","details":"1,\n2","profiles":[{profiles}],"version":"{version}"}}"#
        )
    };
    let text = format!(
        "{}\n{}\n{}\n",
        summary(5, &profiles.join(",")),
        summary(9, &profiles[4]),
        summary(8, &profiles[2])
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:1 b::g::f x5:1, 2 |  |  | -1 | instructions=5 l1HitRatePercent=99.5 callgrindInstructions=6 memcheckErrors=2 drdErrors=2
    file:3 b::g::f x8:1, 2 |  |  | -1 | memcheckErrors=2
    file:2 skipped: unknown summary version `9`: only known fields are read
    file:2 skipped: `b::g::f x9:1, 2` has no metrics
    file: 2 of 3 lines (gungraun)
    ");
}

#[test]
fn summaries_among_other_text_may_be_truncated() {
    let summaries = String::from_utf8(fixture("gungraun/summary-0.16.1.json")).unwrap();
    let half = &summaries[..summaries.find('\n').unwrap() / 2];
    let whole = read(summaries.as_bytes());
    let text = format!(
        "running 0 tests\n{{\n  \"name\": \"package\"\n}}\n{half}\nShelf,linux x86_64,d07f3a2,-1,27960118.25,2,5000.084\n{summaries}\nFinished\n{half}\n"
    );
    let report = read(text.as_bytes());
    assert_eq!(
        report.rows.len(),
        whole.rows.len() + 1,
        "{}",
        common::account(&report)
    );
    assert_eq!(report.skipped_count, 2);
    for skipped in report.skipped() {
        assert!(
            skipped.text.starts_with("summary is cut off"),
            "{}",
            skipped.text
        );
    }
}

#[test]
fn old_coloured_report_is_read() {
    let text = "\
\u{1b}[32mbench::group::fib\u{1b}[0m \u{1b}[36mshort\u{1b}[0m\u{1b}[36m:\u{1b}[0m\u{1b}[1;34m10\u{1b}[0m
  Instructions:     \u{1b}[1m           1734\u{1b}[0m|1650            (\u{1b}[90m+5.09090%\u{1b}[0m) [+1.04844x]
  L2 Hits:          \u{1b}[1m              0\u{1b}[0m|0               (No change)
  RAM Hits:         \u{1b}[1m            N/A\u{1b}[0m|3               (*********)
  L1 Hit Rate:      \u{1b}[1m        99.8730\u{1b}[0m|N/A             (*********)
Regressions:
  bench::group::fib short:
    Instructions (1650 -> 1734): +5.09090% exceeds limit of +5.0%
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:1 bench::group::fib short:10 |  |  | -1 | instructions=1734 l2Hits=0 l1HitRatePercent=99.873
    file: 1 of 8 lines (gungraun)
    ");
}

#[test]
fn shorter_block_is_reported_at_the_end() {
    let block = "  Instructions:     1734|1650   (+5.09090%)\n  L1 Hits:          2359|2350   (+0.3%)\n  Estimated Cycles: 2400|2399   (+0.1%)\n";
    let cut = block.lines().next().unwrap();
    let text = format!("b::g::one\n{block}b::g::two\n{cut}\n");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 b::g::one |  |  | -1 | instructions=1734 l1Hits=2359 estimatedCycles=2400
    file:5 b::g::two |  |  | -1 | instructions=1734
    file:5 skipped: block is cut off: `l1Hits` missing
    file: 2 of 6 lines (gungraun)
    ");
    assert_eq!(
        read(format!("{text}b::g::three\n{block}").as_bytes()).skipped_count,
        0
    );
}

/// A block with these counts.
fn counts(indent: &str, instructions: u32) -> String {
    format!(
        "{indent}Instructions:                         {instructions}|N/A                  (*********)\n\
         {indent}L1 Hits:                              {instructions}0|N/A                  (*********)\n"
    )
}

#[test]
fn output_of_a_benchmark_is_no_name() {
    let text = format!(
        "file::group::one id:\"a\"\n{tool}printed: 5|6 (7)\nfile/other::path::x is printed\nlog::target::name printed\n- end of stdout/stderr\n{}\
         file::group::two\nWaiting for the server...\n\n{}\nGungraun result: Ok. 2 without regressions; 0 regressed; 2 benchmarks finished in 0.5s\n",
        counts("  ", 1),
        counts("  ", 2),
        tool = "  ======= CALLGRIND ====================\n",
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r#"
    file:1 file::group::one id:"a" |  |  | -1 | instructions=1 l1Hits=10
    file:9 file::group::two |  |  | -1 | instructions=2 l1Hits=20
    file: 2 of 15 lines (gungraun)
    "#);
}

#[test]
fn total_of_parts_is_the_row_and_a_comparison_is_none() {
    let part = |number: u32| {
        format!(
            "  ## pid: 7 thread: {number} part: 1      |N/A\n  Command:             target/release/echo\n{}",
            counts("  ", number)
        )
    };
    let text = format!(
        "file::group::parts\n{}{}  ## Total\n{}  ======= DHAT ======\n  Total bytes:          4096|4096                 (No change)\n\
         file::group::compared id:x\n  Baselines:             a|a (old)\n{}  Comparison with parts\n{}\
         file::group::single\n{}file::group::lost\n{}{}",
        part(1),
        part(2),
        counts("  ", 3),
        counts("  ", 4),
        counts("  ", 9),
        part(5),
        part(6),
        part(7)
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 file::group::parts |  |  | -1 | instructions=3 l1Hits=30 allocatedBytes=4096
    file:15 file::group::compared id:x |  |  | -1 | instructions=4 l1Hits=40
    file:22 file::group::single |  |  | -1 | instructions=5 l1Hits=50
    file:27 skipped: 2 parts of `file::group::lost` have no total
    file: 3 of 35 lines (gungraun)
    ");
}

#[test]
fn grid_is_read_as_the_plain_layout() {
    let grid = format!(
        "file::group::one id:\"a\"\n|======== CALLGRIND ====================\n- end of stdout/stderr\n|-## pid: 7 part: 1      |N/A\n\
         | Command:            target/release/echo\n{0}|-## Total\n{1}|======== MEMCHECK ===\n| Errors:          0|N/A            (*********)\n\
         | Details:    first\n|             second\n|\n|-Comparison with one\n|-------- CALLGRIND\n{0}",
        counts("| ", 1),
        counts("| ", 2)
    );
    insta::assert_snapshot!(common::account(&read(grid.as_bytes())), @r#"
    file:1 file::group::one id:"a" |  |  | -1 | instructions=2 l1Hits=20 memcheckErrors=0
    file: 1 of 19 lines (gungraun)
    "#);
}

#[test]
fn announced_count_is_checked() {
    let text = format!(
        "file::group::one\n{}file::group::other\n  ======= MASSIF ====\n  ## pid: 7\n  Command:   a\n  ## pid: 8\n\nGungraun result: Ok. 3 without regressions; 0 regressed; 3 benchmarks finished in 0.5s\n\
         L1 Hits: no name\n\n{}",
        counts("  ", 1),
        counts("  ", 2)
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 file::group::one |  |  | -1 | instructions=1 l1Hits=10
    file:10 skipped: 3 benchmarks announced, 2 read
    file:13 skipped: counts have no name above them: the output may be cut off
    file: 1 of 14 lines (gungraun)
    ");
}

#[test]
fn cache_hits_have_no_direction() {
    let report = read(format!("file::group::one\n{}", counts("  ", 1)).as_bytes());
    let directions: Vec<String> = report
        .declared
        .iter()
        .map(|(name, declared)| format!("{name}: {:?}", declared.meaning.direction))
        .collect();
    assert_eq!(directions, ["l1Hits: Unknown"]);
}
