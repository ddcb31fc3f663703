//! Properties that hold for any rows.

use std::collections::BTreeSet;

use perf_config::FailOn;
use perf_report::explain::explain;
use perf_report::markdown::cut::Limit;
use perf_report::report::{FailureReason, Report, ReportDetails};
use proptest::prelude::*;

use crate::trust::common::{Case, run};

/// Names with any characters that CSV can quote.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[a-z|`@#<>&*_$\\\\\\[\\](){}!~\"':,.\n\r\t\u{1b}\u{202e}-]{1,16}",
        any::<String>()
    ]
    .prop_map(|name| format!("a{name}z"))
}

/// Scenarios, each with its cost and the factor of its change.
fn scenarios() -> impl Strategy<Value = Vec<(String, f64, f64)>> {
    let one = (
        name(),
        1.0..1e6,
        prop::sample::select(vec![1.0, 1.0, 1.01, 1.3, 2.0, 0.5]),
    );
    prop::collection::vec(one, 1..14)
}

fn case(rows: &[(String, f64, f64)], commits: u32) -> Case {
    let before: Vec<(&str, f64, u32)> = rows
        .iter()
        .map(|(name, ns, _)| (name.as_str(), *ns, 1))
        .collect();
    let now: Vec<(&str, f64, u32)> = rows
        .iter()
        .map(|(name, ns, by)| (name.as_str(), ns * by, 1))
        .collect();
    // No noise, because it depends on the position of a row.
    Case {
        history: (0..commits)
            .map(|commit| run(commit, &before, 0.0))
            .collect(),
        baseline: run(commits, &before, 0.0),
        current: run(commits + 1, &now, 0.0),
        ..Case::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn row_order_does_not_matter(mut rows in scenarios(), commits in prop::sample::select(vec![0, 12])) {
        // Names that differ only in escape sequences are the same, because readers remove these.
        for row in &mut rows {
            row.0 = row.0.replace('\u{1b}', "");
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows.dedup_by(|a, b| a.0 == b.0);
        let lines = |rows: &[(String, f64, f64)]| -> BTreeSet<String> {
            case(rows, commits).markdown().lines().map(str::to_owned).collect()
        };
        let before = lines(&rows);
        rows.reverse();
        prop_assert_eq!(before, lines(&rows));
    }

    #[test]
    fn names_bring_no_markup(rows in scenarios()) {
        let case = case(&rows, 12);
        let text = case.markdown();
        prop_assert_eq!(&text, &case.markdown());
        for line in text.lines() {
            let line = &line.replace("<wbr>", "");
            let ours = ["<details><summary>", "</details>", "<sub>"];
            let rest = ours.iter().find_map(|tag| line.strip_prefix(tag)).unwrap_or(line);
            let rest = rest.strip_suffix("</summary>").or_else(|| rest.strip_suffix("</sub>")).unwrap_or(rest);
            let command = line.starts_with("perf-gate ");
            // A code span shows its content literally.
            let outside: String = rest.split('`').step_by(2).collect();
            prop_assert!(command || !outside.contains('<') || rest.contains("<code>"), "{line}");
            prop_assert!(!line.contains(['\u{1b}', '\u{202e}', '\r']), "{line:?}");
        }
        prop_assert_eq!(text.matches("\n```").count() % 2, 0);
    }

    #[test]
    fn an_explanation_is_harmless_to_a_terminal(rows in scenarios(), width in 0usize..120) {
        let (comparison, config) = case(&rows, 12).compared();
        for scope in &comparison.scopes {
            for scenario in &scope.scenarios {
                let text = explain(&comparison, &config, &scenario.scenario, width).unwrap();
                prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            }
        }
        prop_assert_eq!(explain(&comparison, &config, "no such scenario", width), None);
    }
}

#[test]
fn a_large_comment_stays_bounded() {
    let names: Vec<String> = (0..3_000).map(|at| format!("scenario/{at}")).collect();
    let rows: Vec<(String, f64, f64)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (name.clone(), 100.0, if at % 100 == 7 { 3.0 } else { 1.0 }))
        .collect();
    let case = case(&rows, 12);
    let text = case.markdown();
    assert_eq!(
        text.matches("<details>").count(),
        3,
        "charts, decisions, the rest"
    );
    let (comparison, config) = case.compared();
    let limit = Limit::Chars(65_536);
    let details = ReportDetails {
        failed: vec![FailureReason::Verdict(FailOn::Regressed)],
        ..ReportDetails::default()
    };
    let report = Report::new(&comparison, &config, &details);
    let fitted = report.markdown(limit).unwrap();
    assert!(limit.holds(&fitted));
    assert!(fitted.starts_with(text.lines().next().unwrap()));
    assert_eq!(fitted.matches("| ❌ ").count(), 30, "{fitted}");
}
