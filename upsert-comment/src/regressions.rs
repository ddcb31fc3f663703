//! Annotates the regressions in a JSON report.

use std::io::Read;
use std::path::Path;

use anyhow::Context;

use perf_cli::actions::{Level, MOST_ANNOTATIONS, annotate};
use perf_cli::{Failure, input, term};
use perf_report::json::{Report, ReportError};

/// A regressed metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regression {
    pub(crate) title: String,
    pub(crate) text: String,
}

/// Reads the regressions from a JSON report, in its order.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Regression>> {
    let mut text = String::new();
    input::open(path)?
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read `{}`", term::shown(path)))?;
    let report = Report::parse(&text).map_err(|error| {
        let failure = Failure::new(format!("invalid report `{}`: {error}", term::shown(path)));
        match error {
            ReportError::Version(_) => failure.hint("use `perf-gate compare` of the same release"),
            ReportError::Json(_) => failure,
        }
    })?;
    Ok(regressions(&report))
}

/// Annotates each regression, up to the number that GitHub shows. The last annotation contains the number of further ones.
pub(crate) fn annotate_all(regressions: &[Regression], level: Level) -> anyhow::Result<()> {
    let most = if regressions.len() > MOST_ANNOTATIONS {
        MOST_ANNOTATIONS - 1
    } else {
        regressions.len()
    };
    let (shown, more) = regressions.split_at(most);
    for Regression { title, text } in shown {
        annotate(level, title, text)?;
    }
    match more.len() {
        0 => Ok(()),
        count => annotate(
            level,
            "More regressions",
            &format!("{count} more: see the report"),
        ),
    }
}

fn regressions(report: &Report) -> Vec<Regression> {
    let several = report.scopes.len() > 1;
    let mut found = Vec::new();
    for scope in &report.scopes {
        let place = if several {
            format!(" ({})", scope.scope)
        } else {
            String::new()
        };
        for scenario in &scope.scenarios {
            for metric in scenario
                .metrics
                .iter()
                .filter(|metric| metric.is_regression())
            {
                let reason = metric.reason.as_deref().unwrap_or("regressed");
                found.push(Regression {
                    title: format!("{}{place} regressed", scenario.label),
                    text: format!("{}: {reason}", metric.metric),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Regression>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        std::fs::write(&path, text).unwrap();
        let shown = term::shown(&path);
        read(&path).map_err(|error| error.to_string().replace(&shown, "report.json"))
    }

    /// A report with regressed `speed` and unregressed `bytes`.
    fn report(scopes: &[&str], waived: &str) -> String {
        let metric = |name: &str, verdict: &str, waived: &str| {
            format!(
                r#"{{"metric": "{name}", "better": "lower", "unit": "ns", "verdict": "{verdict}", "rule": "exact",
                    "decidedBy": "exact", "reason": "40% less", "suspect": false, "warned": false,
                    "tooTight": false{waived}}}"#
            )
        };
        let metrics = metric("speed", "regressed", waived) + ", " + &metric("bytes", "moved", "");
        let scope = |name: &&str| {
            format!(
                r#"{{"scope": "{name}", "missing": [], "new": [], "scenarios": [{{"scenario": "parse",
                    "label": "Parse", "verdict": "regressed", "metrics": [{metrics}]}}]}}"#
            )
        };
        let scopes: Vec<String> = scopes.iter().map(scope).collect();
        let counts = [
            "compared",
            "regressed",
            "inconclusive",
            "improved",
            "not-comparable",
            "unmeasured",
            "missing",
            "new",
            "waived",
            "warned",
        ];
        let counts = counts.map(|count| format!(r#""{count}": 0"#)).join(", ");
        format!(
            r#"{{"version": 1, "changed": true, "regressed": true, "counts": {{{counts}}}, "tolerance": 0.02, "blind": [],
                "regressionLimit": 0.33, "baselineCommits": [], "currentCommits": [],
                "repeats": {{"needed": 1, "given": 0}}, "tested": 0, "waivers": [], "notes": [],
                "scopes": [{}]}}"#,
            scopes.join(", ")
        )
    }

    #[test]
    fn titles_contain_scope_if_there_are_several() {
        let one = Regression {
            title: "Parse regressed".to_owned(),
            text: "speed: 40% less".to_owned(),
        };
        assert_eq!(read_text(&report(&["Player"], "")).unwrap(), [one]);
        let all = read_text(&report(&["Player", "Editor"], "")).unwrap();
        let titles: Vec<&str> = all.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(
            titles,
            ["Parse (Player) regressed", "Parse (Editor) regressed"]
        );
        assert_eq!(read_text(&report(&[], "")).unwrap(), []);
    }

    #[test]
    fn waived_regressions_are_not_annotated() {
        let waived = report(
            &["Player"],
            r#", "waived": {"waiver": 0, "reason": "known"}"#,
        );
        assert_eq!(read_text(&waived).unwrap(), []);
    }

    #[test]
    fn invalid_report_error_contains_path_and_position() {
        insta::assert_snapshot!(read_text("{}").unwrap_err(), @"invalid report `report.json`: missing field `version` at line 1 column 2");
        insta::assert_snapshot!(read_text(r#"{"version": 1}"#).unwrap_err(), @"invalid report `report.json`: missing field `changed` at line 1 column 14");
        insta::assert_snapshot!(read_text(r#"{"version": 2, "scopes": 7}"#).unwrap_err(), @"invalid report `report.json`: its version is 2, not 1");
        insta::assert_snapshot!(read_text("").unwrap_err(), @"invalid report `report.json`: EOF while parsing a value at line 1 column 0");
    }
}
