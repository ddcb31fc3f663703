//! The numbers on the page and in the report, computed independently from the fixtures' rows: with integers and
//! cross-multiplication where the tested code uses floats.

use end_to_end::Project;
use end_to_end::exact::{grouped, rounded, thousandths};
use end_to_end::markdown::{Table, tables};
use end_to_end::report::{list, text};

/// Rows by scenario, for one scope and one side: the cells after the run index.
struct Rows(Vec<(String, Vec<String>)>);

impl Rows {
    /// Reads rows from a plain CSV whose platform contains `word` and not `but`.
    fn read(csv: &str, word: &str, but: &str) -> Self {
        let rows = csv
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let wanted =
            rows.filter(|row| row[1].contains(word) && (but.is_empty() || !row[1].contains(but)));
        Self(
            wanted
                .map(|row| (row[0].clone(), row[4..].to_vec()))
                .collect(),
        )
    }

    fn get(&self, scenario: &str) -> Option<&[String]> {
        self.0
            .iter()
            .find(|(key, _)| key == scenario)
            .map(|(_, cells)| cells.as_slice())
    }
}

/// Each scenario's key, its label, and whether its primary metric is the wall clock, in config order.
fn scenarios(project: &Project) -> Vec<(String, String, bool)> {
    let config: toml::Table = project.text("perf-gate.toml").parse().unwrap();
    let entry = |entry: &toml::Value| {
        let text = |name: &str| {
            entry
                .get(name)
                .and_then(toml::Value::as_str)
                .map(str::to_owned)
        };
        let key = text("key").unwrap();
        (
            key.clone(),
            text("label").unwrap_or(key),
            text("primary").as_deref() == Some("wallClockMs"),
        )
    };
    config["scenarios"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

fn float(text: &str) -> f64 {
    text.parse().unwrap()
}

/// The differences between the two projects.
struct Form {
    throughput: &'static str,
    wall_clock_column: usize,
    /// The column of an exact count, and the suffix of its numbers.
    counts: &'static [(usize, &'static str)],
}

const WAYFINDER: Form = Form {
    throughput: " M queries/s",
    wall_clock_column: 2,
    counts: &[(1, ""), (3, "")],
};
const FERRITE: Form = Form {
    throughput: " M emits/sec",
    wall_clock_column: 2,
    counts: &[(1, " B")],
};

impl Form {
    fn primary(&self, cells: &[String], wall_clock: bool) -> String {
        if wall_clock {
            rounded(float(&cells[self.wall_clock_column]), 3) + " ms"
        } else {
            rounded(float(&cells[0]) / 1e6, 2) + self.throughput
        }
    }

    fn count(cell: &str, suffix: &str) -> String {
        if cell == "-1" {
            "n/a".to_owned()
        } else {
            grouped(cell) + suffix
        }
    }

    fn scope_table(&self, project: &Project, rows: &Rows) -> Vec<Vec<String>> {
        let lines = scenarios(project)
            .into_iter()
            .filter_map(|(key, label, wall_clock)| {
                let cells = rows.get(&key)?;
                let counts = self
                    .counts
                    .iter()
                    .map(|(at, suffix)| Self::count(&cells[*at], suffix));
                Some(
                    [label, self.primary(cells, wall_clock)]
                        .into_iter()
                        .chain(counts)
                        .collect::<Vec<_>>(),
                )
            });
        let mut lines: Vec<Vec<String>> = lines.collect();
        // A column without any measured value is left out.
        if lines
            .iter()
            .all(|line| line[2..].iter().all(|cell| cell == "n/a"))
        {
            for line in &mut lines {
                line.truncate(2);
            }
        }
        lines
    }
}

fn table_body(tables: &[Table], heading: &str) -> Vec<Vec<String>> {
    let table = tables.iter().find(|table| table.heading == heading);
    table
        .unwrap_or_else(|| panic!("no table under `{heading}`"))
        .rows[1..]
        .to_vec()
}

#[test]
fn scope_tables_follow_from_the_rows() {
    let project = Project::fixture("wayfinder");
    project.run(
        "render-perf-doc --input player.log editor.xml --doc performance.md --unity-version 6000.2",
    );
    let (page, csv) = (
        tables(&project.text("performance.md")),
        project.text("rows.csv"),
    );
    for (heading, word, but) in [
        ("Pathfinding - Player (IL2CPP)", "6000.2.1f1 Player", ""),
        ("Pathfinding - Device (IL2CPP)", "Device", ""),
        ("Pathfinding - Editor (Mono)", "Editor", ""),
    ] {
        let expected = WAYFINDER.scope_table(&project, &Rows::read(&csv, word, but));
        assert_eq!(table_body(&page, heading), expected, "{heading}");
    }
    let project = Project::fixture("ferrite");
    project.run("render-perf-doc --input bench.log --doc performance.md");
    let (page, csv) = (
        tables(&project.text("performance.md")),
        project.text("rows.csv"),
    );
    for (heading, word) in [
        ("Serialization - Console (IL2CPP)", "Console"),
        ("Serialization - Desktop (Mono)", "Desktop"),
    ] {
        let expected = FERRITE.scope_table(&project, &Rows::read(&csv, word, ""));
        assert_eq!(table_body(&page, heading), expected, "{heading}");
    }
}

/// A metric's matrix: one line per technology, with its label and a formatted cell for each kind of work.
fn matrix(
    rows: &Rows,
    prefix: &str,
    technologies: &[(&str, &str)],
    work: &[&str],
    cell: impl Fn(&[String]) -> String,
) -> Vec<Vec<String>> {
    let line = |(key, label): &(&str, &str)| {
        let cells = work.iter().map(|work| {
            rows.get(&format!("{prefix}{key}_{work}"))
                .map_or_else(|| "N/A".to_owned(), &cell)
        });
        std::iter::once((*label).to_owned()).chain(cells).collect()
    };
    technologies.iter().map(line).collect()
}

#[test]
fn matrices_follow_from_the_rows() {
    let project = Project::fixture("wayfinder");
    project.run("render-perf-doc --input player.log --doc performance.md --unity-version 6000.2");
    let page = tables(&project.text("performance.md"));
    let rows = Rows::read(&project.text("rows.csv"), "6000.2.1f1 Player", "");
    let technologies = [
        ("Wayfinder", "Wayfinder"),
        ("GridStar", r"Grid\*Star\*"),
        ("NavKit", "NavKit 2"),
        ("Brute_Force", "Brute force"),
    ];
    let work = ["ShortPath", "LongPath", "Crowd", "Replan"];
    let of =
        |cell: &dyn Fn(&[String]) -> String| matrix(&rows, "Versus_", &technologies, &work, cell);

    let mut throughput = of(&|cells| WAYFINDER.primary(cells, false));
    for column in 1..=work.len() {
        // All cells that show the same text as the largest number are winners.
        let numbers = technologies
            .iter()
            .filter_map(|(key, _)| rows.get(&format!("Versus_{key}_{}", work[column - 1])));
        let best = numbers.max_by_key(|cells| thousandths(&cells[0])).unwrap();
        let best = WAYFINDER.primary(best, false);
        throughput
            .iter_mut()
            .map(|line| &mut line[column])
            .filter(|cell| **cell == best)
            .for_each(|cell| *cell = format!("**{cell}**"));
    }
    assert_eq!(
        table_body(&page, "Library comparison - throughput (Player (IL2CPP))"),
        throughput
    );
    for (heading, column) in [("GC allocations", 1), ("GC bytes", 3)] {
        let heading = format!("Library comparison - {heading} per 10k queries (Player (IL2CPP))");
        assert_eq!(
            table_body(&page, &heading),
            of(&|cells| Form::count(&cells[column], "")),
            "{heading}"
        );
    }
}

#[test]
fn bytes_per_operation_follow_from_the_rows() {
    let project = Project::fixture("ferrite");
    project.run("render-perf-doc --input bench.log --doc performance.md");
    let page = tables(&project.text("performance.md"));
    let rows = Rows::read(&project.text("rows.csv"), "Desktop", "");
    let technologies = [
        ("Ferrite", "Ferrite"),
        ("Packrat", "Packrat"),
        ("JsonLite", "JSON lite"),
        ("Oxide", "Oxide"),
    ];
    let bytes_per_operation = |cells: &[String]| {
        // bytes / (per second · ms / 1000), all three in thousandths: bytes · 1e6 / (per second · ms)
        let (rate, bytes, ms) = (
            thousandths(&cells[0]),
            thousandths(&cells[1]),
            thousandths(&cells[2]),
        );
        let (whole, part) = (bytes * 1_000_000, rate * ms);
        if part == 0 {
            "n/a".to_owned()
        } else {
            grouped(&((2 * whole + part) / (2 * part)).to_string())
        }
    };
    let expected = matrix(
        &rows,
        "Against_",
        &technologies,
        &["Write", "ReadBig"],
        bytes_per_operation,
    );
    assert_eq!(
        table_body(&page, "Serializers - bytes per operation (Desktop (Mono))"),
        expected
    );
}

/// A metric's values in baseline and run, in thousandths.
#[derive(Clone, Copy)]
struct Pair {
    before: i128,
    now: i128,
}

impl Pair {
    fn of(column: usize, before: &[String], now: &[String]) -> Self {
        Self {
            before: thousandths(&before[column]),
            now: thousandths(&now[column]),
        }
    }

    fn is_measured(self) -> bool {
        self.before != -1000 && self.now != -1000
    }

    /// Whether the change is more than 2 %.
    fn moved(self) -> bool {
        (self.now - self.before).abs() * 100 > 2 * self.before
    }

    /// Whether the decrease is more than 33 %.
    fn dropped(self) -> bool {
        (self.before - self.now) * 100 > 33 * self.before
    }

    fn swapped(self) -> Self {
        Self {
            before: self.now,
            now: self.before,
        }
    }
}

/// The verdict on a throughput or wall clock; a wall clock is not gated.
fn rate_verdict(pair: Pair, gates: bool) -> &'static str {
    match () {
        () if gates && pair.dropped() => "regressed",
        () if gates && pair.swapped().dropped() => "improved",
        () if pair.moved() => "moved",
        () => "unchanged",
    }
}

/// The verdict on an exact count.
fn count_verdict(pair: Pair, gates: bool) -> &'static str {
    match () {
        () if !pair.is_measured() => "unmeasured",
        () if pair.now == pair.before => "unchanged",
        () if !gates => "moved",
        () if pair.now > pair.before => "regressed",
        () => "improved",
    }
}

/// Checks every row that both sides of a scope contain: the report must show the rows' numbers and the expected
/// verdict for every metric. `verdict` gets the scenario, the metric, its numbers, and whether the baseline contains
/// a throughput.
#[track_caller]
fn assert_report(
    fixture: &str,
    line: &str,
    scope: (&str, &str),
    columns: &[&str],
    verdict: impl Fn(&str, &str, Pair, bool) -> &'static str,
) {
    let project = Project::fixture(fixture);
    let (_, report) = project.compare(line);
    let scope_of = |csv: &str| Rows::read(&project.text(csv), scope.1, "");
    let (before, now) = (scope_of("baseline.csv"), scope_of("rows.csv"));
    let found = report
        .scopes()
        .iter()
        .find(|found| text(found, "scope") == scope.0)
        .unwrap();
    let scenarios = list(found, "scenarios");
    // Among the compared libraries, only the project's own is gated.
    let config: toml::Table = project.text("perf-gate.toml").parse().unwrap();
    let [prefix, subject] =
        ["prefix", "subject"].map(|key| config["comparison"][key].as_str().unwrap());
    let is_gated = |key: &str| {
        key.strip_prefix(prefix)
            .is_none_or(|rest| rest.starts_with(subject))
    };
    let on_both_sides = now
        .0
        .iter()
        .filter(|(key, _)| before.get(key).is_some() && is_gated(key));
    assert_eq!(scenarios.len(), on_both_sides.count());
    for scenario in scenarios {
        let key = text(scenario, "scenario");
        let (before, now) = (before.get(key).unwrap(), now.get(key).unwrap());
        for metric in list(scenario, "metrics") {
            let name = text(metric, "metric");
            let column = columns.iter().position(|column| *column == name).unwrap();
            for (side, cells) in [("baseline", before), ("current", now)] {
                let shown = metric[side].as_f64().unwrap_or(-1.0);
                assert_eq!(
                    shown.to_bits(),
                    float(&cells[column]).to_bits(),
                    "{key} {side}: {metric}"
                );
            }
            let pair = Pair::of(column, before, now);
            let expected = verdict(key, name, pair, thousandths(&before[0]) > 0);
            assert_eq!(text(metric, "verdict"), expected, "{key}: {metric}");
            if let Some(change) = metric["change"].as_f64() {
                assert_eq!(change > 0.0, pair.now > pair.before, "{key}: {metric}");
                assert_eq!(
                    rounded(change.abs() * 100.0, 2),
                    percent(&before[column], &now[column]),
                    "{key}"
                );
            }
        }
    }
}

/// Formats a percentage such as `2.00` from the same two float operations, rounded independently.
fn percent(before: &str, now: &str) -> String {
    rounded(
        ((float(now) - float(before)) / float(before) * 100.0).abs(),
        2,
    )
}

#[test]
fn report_follows_from_the_rows() {
    let columns = [
        "queriesPerSecond",
        "gcAllocations",
        "wallClockMs",
        "gcAllocatedBytes",
    ];
    let line =
        "render-perf-deltas --input player.log --baseline-csv baseline.csv --unity-version 6000.2";
    assert_report(
        "wayfinder",
        line,
        ("Player", "6000.2.1f1 Player"),
        &columns,
        |key, name, pair, _| {
            // The gates cover `scenarios`, not the comparison.
            let gates = !key.starts_with("Versus_");
            match name {
                "queriesPerSecond" => rate_verdict(pair, gates),
                "wallClockMs" => rate_verdict(pair, false),
                name => count_verdict(pair, gates && name == "gcAllocations"),
            }
        },
    );
}

#[test]
fn report_of_bytes_that_require_a_throughput_follows_from_the_rows() {
    let columns = ["emitsPerSecond", "allocatedBytesDelta", "wallClockMs"];
    let line = "render-perf-deltas --input bench.log --baseline-csv baseline.csv";
    assert_report(
        "ferrite",
        line,
        ("Desktop", "Desktop"),
        &columns,
        |_, name, pair, has_rate| match name {
            "emitsPerSecond" => rate_verdict(pair, true),
            "wallClockMs" => rate_verdict(pair, false),
            _ => count_verdict(pair, has_rate),
        },
    );
}
