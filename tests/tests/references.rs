//! The reference cases in `fixtures/dispatch`: the same rows, tables and verdicts as the scripts that perf-gate
//! replaced. Their table of differences shows all metrics of a benchmark in one cell, which is built here from the
//! report.

use std::fs;
use std::path::{Path, PathBuf};

use end_to_end::Project;
use end_to_end::exact::{grouped, rounded};
use end_to_end::markdown::tables;
use end_to_end::report::{list, text};
use serde_json::Value;

/// All cases in this form.
fn cases(form: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/dispatch")
        .join(form);
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    cases
}

struct Case {
    project: Project,
    name: String,
    /// The input arguments for all programs.
    inputs: String,
    limits: String,
    /// Whether plus means better in the table of differences.
    plus_is_better: bool,
}

impl Case {
    fn open(folder: &Path) -> Self {
        let project = Project::empty();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            project.write(
                &path.file_name().unwrap().to_string_lossy(),
                fs::read(&path).unwrap(),
            );
        }
        let beside = |name: &str| fs::read(folder.parent().unwrap().join(name)).unwrap();
        project.write("perf-gate.toml", beside("perf-gate.toml"));
        project.write("page.md", beside("../page-before.md"));
        let args: Value = serde_json::from_str(&project.text("args.json")).unwrap();
        let arg = |name| text(&args, name);
        let inputs = format!(
            "--input current.log --unity-version {}",
            arg("unityVersion")
        );
        let limits = format!(
            "--scope {} --tolerance {} --regression-threshold {}",
            arg("scope"),
            arg("tolerance"),
            arg("regressionThreshold")
        );
        let plus_is_better = project.text("perf-gate.toml").contains("plus = \"better\"");
        Self {
            project,
            name: folder.display().to_string(),
            inputs,
            limits,
            plus_is_better,
        }
    }

    fn assert_same(&self) {
        let Self {
            project,
            name,
            inputs,
            limits,
            plus_is_better,
        } = self;
        let rows = project.run("extract-perf-baseline --input current.log");
        assert_eq!(rows.out(), project.text("expected-rows.csv"), "{name}");

        let page = format!(
            "render-perf-doc {inputs} --doc page.md --machine-specs specs.json --tolerance 0.02"
        );
        assert_eq!(project.run(&page).files, ["~ page.md"], "{name}");
        assert_eq!(
            table_lines(&project.text("page.md")),
            table_lines(&project.text("expected-doc.md")),
            "{name}"
        );

        let deltas = format!(
            "render-perf-deltas {inputs} --baseline-csv baseline.csv {limits} --output deltas.md"
        );
        let (outcome, report) = project.compare(&deltas);
        let results: Vec<&str> = outcome.out().lines().take(2).collect();
        assert_eq!(
            results.join("\n"),
            project.text("expected-stdout.txt").trim_end(),
            "{name}"
        );
        let expected = tables(&project.text("expected-deltas.md"));
        let expected = expected
            .first()
            .map(|table| &table.rows[1..])
            .unwrap_or_default();
        let differences: Vec<_> = report
            .scenarios()
            .map(|scenario| difference(scenario, *plus_is_better))
            .collect();
        assert_eq!(differences, expected, "{name}");
        self.assert_shown(expected);
    }

    /// Asserts that the Markdown shows each benchmark's primary metric with these numbers.
    fn assert_shown(&self, expected: &[Vec<String>]) {
        let shown = self
            .project
            .text("deltas.md")
            .replace('\u{a0}', " ")
            .replace("**", "");
        let shown: Vec<Vec<String>> = tables(&shown)
            .into_iter()
            .flat_map(|table| table.rows)
            .collect();
        for row in expected {
            let main = |cell: &str| cell.split(", ").next().unwrap_or_default().to_owned();
            let wanted = [row[0].clone(), main(&row[1]), main(&row[2])];
            let has_all = |cells: &Vec<String>| wanted.iter().all(|cell| cells.contains(cell));
            assert!(
                shown.iter().any(has_all),
                "{}: {wanted:?} in {shown:#?}",
                self.name
            );
        }
    }
}

/// The headings and table lines in the marked region.
fn table_lines(page: &str) -> Vec<&str> {
    let (_, section) = page.split_once("BEGIN -->").unwrap();
    let (section, _) = section.split_once("<!-- AUTOGENERATED").unwrap();
    section
        .lines()
        .filter(|line| line.starts_with(['#', '|']))
        .collect()
}

/// A line in the scripts' table of differences.
fn difference(scenario: &Value, plus_is_better: bool) -> Vec<String> {
    let measured = |metric: &&Value| !metric["baseline"].is_null() && !metric["current"].is_null();
    let metrics: Vec<&Value> = list(scenario, "metrics").iter().filter(measured).collect();
    let side = |name: &str| -> String {
        let cells: Vec<String> = metrics
            .iter()
            .map(|metric| shown(text(metric, "metric"), number(metric, name)))
            .collect();
        cells.join(", ")
    };
    let secondary = metrics
        .iter()
        .skip(1)
        .filter_map(|metric| count_change(metric));
    let changes: Vec<String> = std::iter::once(main_change(metrics[0], plus_is_better))
        .chain(secondary)
        .collect();
    vec![
        text(scenario, "label").to_owned(),
        side("baseline"),
        side("current"),
        changes.join(", "),
    ]
}

fn number(metric: &Value, name: &str) -> f64 {
    metric[name].as_f64().unwrap()
}

/// Formats a value like the scripts.
fn shown(metric: &str, value: f64) -> String {
    match metric {
        "emitsPerSecond" => format!("{} M emits/sec", rounded(value / 1e6, 2)),
        "wallClockMs" => format!("{} ms", rounded(value, 3)),
        "allocatedBytesDelta" => format!("{} B", grouped(&rounded(value, 0))),
        _ => grouped(&rounded(value, 0)),
    }
}

/// The change in percent.
fn main_change(metric: &Value, plus_is_better: bool) -> String {
    let is_turned = plus_is_better && text(metric, "better") == "lower";
    let change = number(metric, "change") * if is_turned { -100.0 } else { 100.0 };
    match (rounded(change.abs(), 2).as_str(), change < 0.0) {
        ("0.00", _) => "0.00%".to_owned(),
        (percent, true) => format!("-{percent}%"),
        (percent, false) => format!("+{percent}%"),
    }
}

/// The change of a secondary metric, if any.
fn count_change(metric: &Value) -> Option<String> {
    let change = number(metric, "current") - number(metric, "baseline");
    let count = grouped(&rounded(change.abs(), 0));
    let (sign, word) = if change < 0.0 {
        ("-", "fewer")
    } else {
        ("+", "more")
    };
    (count != "0").then(|| match text(metric, "metric") {
        "allocatedBytesDelta" => format!("{sign}{count} B"),
        "gcAllocations" => format!("{count} {word} allocs"),
        _ => format!("{count} {word} bytes"),
    })
}

#[test]
fn eight_column_rows_match_the_scripts() {
    let cases = cases("eight-columns");
    assert_eq!(cases.len(), 8);
    for case in &cases {
        Case::open(case).assert_same();
    }
}

#[test]
fn seven_column_rows_match_the_scripts() {
    let cases = cases("seven-columns");
    assert_eq!(cases.len(), 4);
    for case in &cases {
        Case::open(case).assert_same();
    }
}
