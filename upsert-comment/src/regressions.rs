//! The regressions that a report for programs lists, as annotations.

use std::path::Path;

use perf_cli::actions::{Level, MOST_ANNOTATIONS, annotate};
use perf_cli::{Failure, term};
use serde::Deserialize;

/// The version of the report that is understood.
const VERSION: u32 = 1;

/// One metric that regressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regression {
    title: String,
    text: String,
}

/// The regressions of a report, in its order; `text` is what the file at `path` holds.
///
/// # Errors
/// When it is no report of that version.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Regression>, Failure> {
    let no = |why: String| Failure::new(format!("invalid report `{}`: {why}", term::shown(path)));
    let version: Versioned = serde_json::from_str(text).map_err(|error| no(error.to_string()))?;
    if version.version != VERSION {
        let why = format!("its version is {}, not {VERSION}", version.version);
        return Err(no(why).hint("use `render-perf-deltas` of the same release"));
    }
    let report: Report = serde_json::from_str(text).map_err(|error| no(error.to_string()))?;
    Ok(regressions(&report))
}

/// Shows an annotation for each, as many as GitHub shows; the last one says how many more there are.
///
/// # Errors
/// When standard output cannot take it.
pub(crate) fn tell(regressions: &[Regression], level: Level) -> anyhow::Result<()> {
    let most = if regressions.len() > MOST_ANNOTATIONS { MOST_ANNOTATIONS - 1 } else { regressions.len() };
    let (told, more) = regressions.split_at(most);
    for Regression { title, text } in told {
        annotate(level, title, text)?;
    }
    match more.len() {
        0 => Ok(()),
        count => annotate(level, "More regressions", &format!("{count} more: see the report")),
    }
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[derive(Deserialize)]
struct Report {
    scopes: Vec<Scope>,
}

#[derive(Deserialize)]
struct Scope {
    scope: String,
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
struct Scenario {
    label: String,
    metrics: Vec<Metric>,
}

#[derive(Deserialize)]
struct Metric {
    #[serde(rename = "metric")]
    name: String,
    verdict: String,
    reason: String,
    /// The waiver that excuses it.
    #[serde(default)]
    waived: Option<serde::de::IgnoredAny>,
}

impl Metric {
    fn is_to_be_told(&self) -> bool {
        self.verdict == "regressed" && self.waived.is_none()
    }
}

fn regressions(report: &Report) -> Vec<Regression> {
    let several = report.scopes.len() > 1;
    let mut found = Vec::new();
    for Scope { scope, scenarios } in &report.scopes {
        let place = if several { format!(" ({scope})") } else { String::new() };
        for Scenario { label, metrics } in scenarios {
            found.extend(metrics.iter().filter(|metric| metric.is_to_be_told()).map(|metric| Regression {
                title: format!("{label}{place} regressed"),
                text: format!("{}: {}", metric.name, metric.reason),
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Regression>, String> {
        parse(Path::new("report.json"), text).map_err(|error| error.to_string())
    }

    fn report(scopes: &[&str]) -> String {
        let scope = |name: &&str| {
            format!(
                r#"{{"scope": "{name}", "scenarios": [{{"label": "Parse", "verdict": "regressed", "metrics": [
                    {{"metric": "speed", "verdict": "regressed", "reason": "40 % less"}},
                    {{"metric": "bytes", "verdict": "moved", "reason": "1 more"}}]}}]}}"#
            )
        };
        let scopes: Vec<String> = scopes.iter().map(scope).collect();
        format!(r#"{{"version": 1, "skipped": null, "scopes": [{}]}}"#, scopes.join(", "))
    }

    #[test]
    fn what_regressed_is_found_and_the_scope_is_told_when_there_are_several() {
        let one = Regression { title: "Parse regressed".to_owned(), text: "speed: 40 % less".to_owned() };
        assert_eq!(read_text(&report(&["Player"])).unwrap(), [one]);
        let titles: Vec<String> =
            read_text(&report(&["Player", "Editor"])).unwrap().into_iter().map(|found| found.title).collect();
        assert_eq!(titles, ["Parse (Player) regressed", "Parse (Editor) regressed"]);
        assert_eq!(read_text(&report(&[])).unwrap(), []);
    }

    #[test]
    fn what_is_waived_is_not_told() {
        let told = report(&["Player"]);
        let waived =
            told.replace(r#""reason": "40 % less""#, r#""reason": "40 % less", "waived": {"waiver": 0}"#);
        assert_ne!(told, waived);
        assert_eq!(read_text(&waived).unwrap(), []);
    }

    #[test]
    fn what_is_no_report_is_refused_with_its_place() {
        insta::assert_snapshot!(read_text("{}").unwrap_err(), @"invalid report `report.json`: missing field `version` at line 1 column 2");
        insta::assert_snapshot!(read_text(r#"{"version": 1}"#).unwrap_err(), @"invalid report `report.json`: missing field `scopes` at line 1 column 14");
        insta::assert_snapshot!(read_text(r#"{"version": 2, "scopes": 7}"#).unwrap_err(), @"invalid report `report.json`: its version is 2, not 1");
        insta::assert_snapshot!(read_text("").unwrap_err(), @"invalid report `report.json`: EOF while parsing a value at line 1 column 0");
    }
}
