//! The site shows the report's verdicts, numbers and reasons.

use std::collections::HashMap;

use end_to_end::binaries;
use end_to_end::{Project, Report};
use serde_json::Value;

/// A row for each benchmark: the newest of 24 runs relative to the one before, and its allocations.
const NEWEST: [(&str, f64, u32); 6] = [
    ("same", 1.0, 3),
    ("much", 2.5, 3),
    ("some", 1.15, 3),
    ("less", 0.6, 3),
    ("more", 1.0, 4),
    ("once", 1.0, 3),
];

fn rows(commit: usize) -> String {
    let is_newest = commit == 24;
    let row = |(at, (name, factor, allocs)): (usize, &(&str, f64, u32))| {
        let noise = 1.0 + 0.003 * f64::from(u32::try_from((commit * 7 + at * 3) % 9).unwrap());
        let (factor, allocs) = if is_newest {
            (*factor, *allocs)
        } else {
            (1.0, 3)
        };
        format!(
            "{name},linux,c{commit:04},2031-01-{:02},{:.3},{allocs}\n",
            commit + 1,
            100.0 * factor * noise
        )
    };
    let measured = NEWEST
        .iter()
        .enumerate()
        .filter(|(_, (name, ..))| is_newest || *name != "once");
    measured.map(row).collect()
}

/// The columns in the site's list, by benchmark and metric.
fn listed(project: &Project) -> HashMap<(String, String), [String; 4]> {
    let text = project.text("site/data/index.js");
    let json = text
        .strip_prefix("perfSite(")
        .and_then(|text| text.strip_suffix(");\n"))
        .unwrap();
    let data: Value = serde_json::from_str(json).unwrap();
    let of = |names: &str, at: &Value| {
        data[names][usize::try_from(at.as_u64().unwrap()).unwrap()]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let series = &data["series"];
    let all = series["name"]
        .as_array()
        .unwrap()
        .iter()
        .zip(series["metric"].as_array().unwrap());
    let column = |name: &str, at: usize| series[name][at].as_str().unwrap().to_owned();
    all.enumerate()
        .map(|(at, (name, metric))| {
            let cells = ["state", "reference", "newest", "change"].map(|name| column(name, at));
            ((of("names", name), of("metrics", metric)), cells)
        })
        .collect()
}

#[test]
fn site_and_report_agree() {
    const HEADER: &str = "scenario,platform,commit,measuredAt,wallNs,allocs\n";
    let earlier: String = (0..24).map(rows).collect();
    let project = Project::empty()
        .with("history.csv", format!("{HEADER}{earlier}"))
        .with("all.csv", format!("{HEADER}{earlier}{}", rows(24)))
        .with("run.csv", format!("{HEADER}{}", rows(24)));
    let (compared, Report(report)) = project.compare(
        "render-perf-deltas --input run.csv --baseline-csv history.csv --history history.csv --output deltas.md",
    );
    let mut command = std::process::Command::new(binaries::path(binaries::ACTION_PROGRAM));
    let site = command
        .args(["site", "--history", "all.csv", "--output", "site"])
        .current_dir(project.path(""));
    assert!(site.output().unwrap().status.success(), "{compared}");
    let listed = listed(&project);
    let markdown = project
        .text("deltas.md")
        .replace("**", "")
        .replace('\u{a0}', " ");
    let mut seen = Vec::new();
    for scenario in report["scopes"][0]["scenarios"].as_array().unwrap() {
        let name = scenario["scenario"].as_str().unwrap();
        for metric in scenario["metrics"].as_array().unwrap() {
            let (key, verdict) = (
                metric["metric"].as_str().unwrap(),
                metric["verdict"].as_str().unwrap(),
            );
            let label = if key == "wallNs" { "wallNs" } else { "allocs" };
            let [state, reference, newest, change] = &listed
                .iter()
                .find(|((of, metric), _)| of == name && metric == label)
                .unwrap()
                .1;
            let expected = if matches!(verdict, "moved" | "unchanged") {
                "within"
            } else {
                verdict
            };
            assert_eq!(state, expected, "{name} {key}");
            // The metric column is left out if it is the same for all rows in a table. A count's metric then follows the name.
            let start = format!(" {change} | `{name}` | {reference} | {newest} |");
            let start = start.replace('\u{a0}', " ");
            let count = change.trim_end_matches(label).trim_end();
            let counted = format!(" {count} | `{name}`, {label} | {reference} | {newest} |");
            let rows = [format!("{start} {label} |"), start, counted];
            let is_same = verdict == "unchanged" && key == "allocs";
            assert!(
                is_same || rows.iter().any(|row| markdown.contains(row)),
                "{rows:?} is missing in {markdown}"
            );
            seen.push(verdict.to_owned());
        }
    }
    for verdict in ["regressed", "improved", "inconclusive"] {
        assert!(seen.iter().any(|seen| seen == verdict), "{seen:?}");
    }
    let once = &listed[&("once".to_owned(), "wallNs".to_owned())];
    assert_eq!(once[0], "single");
}
