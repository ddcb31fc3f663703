//! Reports that are too long for where they are posted.

use std::fmt::Write as _;

use insta::assert_snapshot;
use perf_report::fit::{Limit, fit};
use proptest::prelude::*;

const LINK: &str = "https://github.com/o/r/actions/runs/7";

/// The report of `rows` scenarios, of which every hundredth regressed.
fn report(rows: usize) -> String {
    let mut text = "**3 of 300 scenarios regressed**, most of all S100.\n\n#### Desktop\n\n".to_owned();
    text += "| Scenario | Delta | Verdict |\n| -------- | ----- | ------- |\n";
    for row in 1..=rows {
        let verdict = if row % 100 == 0 { "**regressed**" } else { "unchanged" };
        let _ = writeln!(text, "| S{row} | 0.00% | {verdict} |");
    }
    text += "\nNew, as the baseline does not have them: Z.\n\n#### Console\n\nNothing to say.\n\n";
    text += "<details open><summary>Why it regressed</summary>\n\n- S100: slower\n- S200: slower\n\n</details>\n\n";
    text +=
        "<details><summary>Not compared</summary>\n\n- S1: no baseline\n- S2: no baseline\n\n</details>\n\n";
    text + "<sub>+ is better.</sub>\n"
}

fn fitted(text: &str, limit: usize) -> String {
    let fitted = fit(text, Limit::Chars(limit), Some(LINK));
    assert!(Limit::Chars(limit).size(&fitted.text) <= limit, "{}", fitted.text);
    fitted.text
}

#[test]
fn what_fits_is_left_alone() {
    let text = report(300);
    let exactly = text.chars().count();
    let whole = fit(&text, Limit::Chars(exactly), Some(LINK));
    assert_eq!((whole.text.as_str(), whole.is_cut()), (text.as_str(), false));
    assert!(fit(&text, Limit::Chars(exactly - 1), Some(LINK)).is_cut());
    let windows = "| a |\r\n|---|\r\n\r\n\r\n<details>\r\n";
    assert_eq!(fit(windows, Limit::Chars(100), None).text, windows);
}

#[test]
fn regressions_stay_longest_and_each_table_says_how_many_rows_are_gone() {
    assert_snapshot!(fitted(&report(300), 800), @"
    **3 of 300 scenarios regressed**, most of all S100.

    #### Desktop

    | Scenario | Delta | Verdict |
    | -------- | ----- | ------- |
    | S1 | 0.00% | unchanged |
    | S2 | 0.00% | unchanged |
    | S3 | 0.00% | unchanged |
    | S4 | 0.00% | unchanged |
    | S5 | 0.00% | unchanged |
    | S6 | 0.00% | unchanged |
    | S7 | 0.00% | unchanged |
    | S100 | 0.00% | **regressed** |
    | S200 | 0.00% | **regressed** |
    | S300 | 0.00% | **regressed** |

    and 290 more rows

    New, as the baseline does not have them: Z.

    #### Console

    Nothing to say.

    <details open><summary>Why it regressed</summary>

    - S100: slower
    - S200: slower

    </details>

    <sub>+ is better.</sub>

    Left out, as there is no room here: 290 rows and 2 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
    assert_snapshot!(fitted(&report(300), 420), @"
    **3 of 300 scenarios regressed**, most of all S100.

    #### Desktop

    | Scenario | Delta | Verdict |
    | -------- | ----- | ------- |
    | S100 | 0.00% | **regressed** |
    | S200 | 0.00% | **regressed** |
    | S300 | 0.00% | **regressed** |

    and 297 more rows

    #### Console

    Nothing to say.

    Left out, as there is no room here: 297 rows and 6 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
    let cut = fit(&report(300), Limit::Chars(420), Some(LINK));
    assert_eq!((cut.rows, cut.others), (297, 6));
}

#[test]
fn with_hardly_any_room_the_opening_is_left_and_then_only_the_link() {
    assert_snapshot!(fitted(&report(300), 200), @"
    **3 of 300 scenarios regressed**, most of all S100.

    Left out, as there is no room here: 300 rows and 9 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
    assert_snapshot!(fitted(&report(300), 140), @"Left out, as there is no room here: 300 rows and 10 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.");
    assert_eq!(fitted(&report(300), 50), "");
    assert_eq!(fitted(&report(300), 0), "");
}

#[test]
fn code_blocks_and_details_are_closed_wherever_they_are_shortened() {
    let log = "line of a log\n".repeat(100);
    let text =
        format!("Said.\n\n<details>\n<summary>Log</summary>\n\n~~~~text\n```\n{log}~~~~\n\n</details>\n");
    assert_snapshot!(fitted(&text, 250), @"
    Said.

    <details>
    <summary>Log</summary>

    ~~~~text
    ```
    line of a log
    line of a log
    ~~~~

    and 98 more lines

    </details>

    Left out, as there is no room here: 98 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
    // As a document that was itself cut has it.
    let unclosed = format!("Said.\n\n<details open>\n\n```\n{log}");
    assert_snapshot!(fitted(&unclosed, 250), @"
    Said.

    <details open>

    ```
    line of a log
    line of a log
    line of a log
    line of a log
    ```

    and 96 more lines

    </details>

    Left out, as there is no room here: 96 other parts. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
}

#[test]
fn bytes_are_counted_where_bytes_are_limited() {
    let text = "速い\n\n".repeat(40);
    assert_eq!(text.chars().count(), 160);
    assert!(!fit(&text, Limit::Chars(160), None).is_cut());
    let cut = fit(&text, Limit::Bytes(160), None);
    assert!(cut.text.len() <= 160 && cut.is_cut());
    assert_snapshot!(cut.text.replace("\n\n", " "), @"速い 速い 速い 速い 速い 速い 速い 速い 速い 速い 速い 速い 速い Left out, as there is no room here: 27 other parts.");
}

#[test]
fn text_without_a_shape_is_kept_whole_or_not_at_all() {
    let text = format!("Short.\n\n{}\n\nShort too.\n", "long ".repeat(100));
    assert_snapshot!(fitted(&text, 200), @"
    Short.

    Short too.

    Left out, as there is no room here: 1 other part. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
}

#[test]
fn html_that_would_hide_the_rest_does_not_stay() {
    let rest = "A line of text.\n\n".repeat(30);
    for hiding in
        ["<!-- hidden", "<pre>", "<script type=x>", "<![CDATA[ x", "</details>", "<details><details>"]
    {
        let cut = fitted(&format!("First.\n\n{hiding}\n\n{rest}"), 300);
        assert!(cut.starts_with("First.\n\n") && !cut.contains(hiding), "{hiding}: {cut}");
        assert!(cut.ends_with(&format!("[The full report]({LINK}) has it all.")), "{cut}");
    }
    let kept = fitted(&format!("First.\n\n<!-- seen\n\nin whole -->\n\n{rest}"), 300);
    assert!(kept.contains("<!-- seen\n\nin whole -->"), "{kept}");
}

#[test]
fn one_row_that_is_too_long_does_not_cost_the_others() {
    let row = |name: &str| format!("| {name} | **regressed** |\n");
    let table = "| Scenario | Verdict |\n| --- | --- |\n".to_owned() + &row(&"x".repeat(5000)) + &row("y");
    assert_snapshot!(fitted(&table, 300), @"
    | Scenario | Verdict |
    | --- | --- |
    | y | **regressed** |

    and 1 more row

    Left out, as there is no room here: 1 row. [The full report](https://github.com/o/r/actions/runs/7) has it all.
    ");
}

#[test]
fn what_is_nested_too_deep_is_shown_in_the_deepest_that_is_kept() {
    let text = "<details>\n\n".repeat(5000) + "- item\n\n" + &"</details>\n\n".repeat(5000) + "After.\n";
    let cut = fitted(&text, 400);
    assert!(cut.contains("- item") && cut.contains("\n\nAfter.\n"), "{cut}");
    assert_eq!((cut.matches("<details>").count(), cut.matches("</details>").count()), (8, 8));
}

/// What a document of these lines leaves open at its end, told without the code that is tested.
fn open_at_end(text: &str) -> (bool, isize) {
    let (mut fence, mut details) = (None::<&str>, 0);
    for line in text.lines() {
        match fence {
            Some(mark) if line == mark => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = Some("```"),
            None if line.starts_with("~~~") => fence = Some("~~~"),
            None => {
                details += line.matches("<details").count().cast_signed();
                details -= line.matches("</details").count().cast_signed();
            }
        }
    }
    (fence.is_some(), details)
}

/// Lines that mean something where they stand, in any order.
fn markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("```".to_owned()),
        Just("~~~".to_owned()),
        Just("<details>".to_owned()),
        Just("<details open><summary>s</summary>".to_owned()),
        Just("</details>".to_owned()),
        Just("</details></details>".to_owned()),
        Just("<!-- x".to_owned()),
        Just("<pre>".to_owned()),
        Just("| a | b |".to_owned()),
        Just("| - | - |".to_owned()),
        Just("| **r** | <details> |".to_owned()),
        Just("## heading".to_owned()),
        Just("- item".to_owned()),
        Just("    indented".to_owned()),
        "[a-z ]{0,20}",
        any::<String>().prop_map(|text| text.replace(['`', '~', '<'], "")),
    ];
    proptest::collection::vec((line, prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]), 0..60)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

proptest! {
    #[test]
    fn whatever_it_is_fits_and_is_closed(text in markdown(), limit in 0..700_usize, bytes in any::<bool>()) {
        let limit = if bytes { Limit::Bytes(limit) } else { Limit::Chars(limit) };
        let cut = fit(&text, limit, Some(LINK));
        prop_assert!(limit.size(&cut.text) <= limit.most());
        if limit.size(&text) <= limit.most() {
            prop_assert_eq!(&cut.text, &text);
        } else {
            prop_assert_eq!(open_at_end(&cut.text), (false, 0), "{}", cut.text);
            prop_assert!(cut.text.is_empty() || !cut.is_cut() || cut.text.ends_with("has it all."));
        }
        prop_assert_eq!(fit(&cut.text, limit, Some(LINK)).text, cut.text);
    }

    #[test]
    fn every_line_that_stays_is_one_of_the_text(text in markdown(), limit in 150..500_usize) {
        let cut = fit(&text, Limit::Chars(limit), Some(LINK));
        if cut.is_cut() {
            let own = |line: &str| line.starts_with("Left out, ") || line.starts_with("and ") || line == "</details>";
            let lines: Vec<&str> = text.split(['\r', '\n']).collect();
            for line in cut.text.split('\n') {
                let fence = line.starts_with("```") || line.starts_with("~~~");
                prop_assert!(own(line) || fence || line.is_empty() || lines.contains(&line), "{line:?}");
            }
        }
    }

    #[test]
    fn the_more_room_the_more_regressions(rows in 100..2000_usize, limit in 300..3000_usize) {
        let regressed = |limit| fitted(&report(rows), limit).matches("**regressed**").count();
        prop_assert!(regressed(limit) <= regressed(limit + 200));
    }
}
