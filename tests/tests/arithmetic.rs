//! The numbers in the tables, worked out again from the fixtures' rows with other means: whole numbers and
//! cross-multiplication where the code has floats.

use std::cmp::Ordering;

use end_to_end::Project;
use end_to_end::exact::{grouped, rounded, thousandths};
use end_to_end::markdown::{Table, tables};

/// Rows by scenario, one scope and one side: the cells behind the run index.
struct Rows(Vec<(String, Vec<String>)>);

impl Rows {
    /// The rows of a plain CSV whose platform has one of these words and none of the others.
    fn read(csv: &str, word: &str, but: &str) -> Self {
        let rows = csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let wanted = rows.filter(|row| row[1].contains(word) && (but.is_empty() || !row[1].contains(but)));
        Self(wanted.map(|row| (row[0].clone(), row[4..].to_vec())).collect())
    }

    fn get(&self, scenario: &str) -> Option<&[String]> {
        self.0.iter().find(|(key, _)| key == scenario).map(|(_, cells)| cells.as_slice())
    }
}

/// Key, label and whether the wall clock stands for it, in the order of the config.
fn scenarios(project: &Project) -> Vec<(String, String, bool)> {
    let config: toml::Table = project.text("perf-gate.toml").parse().unwrap();
    let entry = |entry: &toml::Value| {
        let text = |name: &str| entry.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        let key = text("key").unwrap();
        (key.clone(), text("label").unwrap_or(key), text("primary").as_deref() == Some("wallClockMs"))
    };
    config["scenarios"].as_array().unwrap().iter().map(entry).collect()
}

fn float(text: &str) -> f64 {
    text.parse().unwrap()
}

/// What each of the projects does in its own way.
struct Form {
    throughput: &'static str,
    wall_clock_column: usize,
    /// Column of an exact count, and what follows its numbers.
    counts: &'static [(usize, &'static str)],
}

const WAYFINDER: Form =
    Form { throughput: " M queries/s", wall_clock_column: 2, counts: &[(1, ""), (3, "")] };
const FERRITE: Form = Form { throughput: " M emits/sec", wall_clock_column: 2, counts: &[(1, " B")] };

impl Form {
    fn primary(&self, cells: &[String], wall_clock: bool) -> String {
        if wall_clock {
            rounded(float(&cells[self.wall_clock_column]), 3) + " ms"
        } else {
            rounded(float(&cells[0]) / 1e6, 2) + self.throughput
        }
    }

    fn count(cell: &str, suffix: &str) -> String {
        if cell == "-1" { "n/a".to_owned() } else { grouped(cell) + suffix }
    }

    fn scope_table(&self, project: &Project, rows: &Rows) -> Vec<Vec<String>> {
        let lines = scenarios(project).into_iter().filter_map(|(key, label, wall_clock)| {
            let cells = rows.get(&key)?;
            let counts = self.counts.iter().map(|(at, suffix)| Self::count(&cells[*at], suffix));
            Some([label, self.primary(cells, wall_clock)].into_iter().chain(counts).collect::<Vec<_>>())
        });
        let mut lines: Vec<Vec<String>> = lines.collect();
        // A column that nobody measured is left out.
        if lines.iter().all(|line| line[2..].iter().all(|cell| cell == "n/a")) {
            for line in &mut lines {
                line.truncate(2);
            }
        }
        lines
    }
}

fn body(tables: &[Table], heading: &str) -> Vec<Vec<String>> {
    let table = tables.iter().find(|table| table.heading == heading);
    table.unwrap_or_else(|| panic!("no table under `{heading}`")).rows[1..].to_vec()
}

/// The lines of a scope in a report: those that matter, and those that are folded away.
fn differences(project: &Project, heading: &str) -> Vec<Vec<String>> {
    let tables = tables(&project.text("deltas.md"));
    let of_scope = tables.iter().filter(|table| table.heading == heading);
    of_scope.flat_map(|table| table.rows[1..].to_vec()).collect()
}

#[test]
fn the_tables_of_scopes_follow_from_the_rows() {
    let project = Project::fixture("wayfinder");
    project.run("render-perf-doc --input player.log editor.xml --doc performance.md --unity-version 6000.2");
    let (page, csv) = (tables(&project.text("performance.md")), project.text("rows.csv"));
    for (heading, word, but) in [
        ("Pathfinding - Player (IL2CPP)", "6000.2.1f1 Player", ""),
        ("Pathfinding - Device (IL2CPP)", "Device", ""),
        ("Pathfinding - Editor (Mono)", "Editor", ""),
    ] {
        let expected = WAYFINDER.scope_table(&project, &Rows::read(&csv, word, but));
        assert_eq!(body(&page, heading), expected, "{heading}");
    }
    let project = Project::fixture("ferrite");
    project.run("render-perf-doc --input bench.log --doc performance.md");
    let (page, csv) = (tables(&project.text("performance.md")), project.text("rows.csv"));
    for (heading, word) in
        [("Serialization - Console (IL2CPP)", "Console"), ("Serialization - Desktop (Mono)", "Desktop")]
    {
        let expected = FERRITE.scope_table(&project, &Rows::read(&csv, word, ""));
        assert_eq!(body(&page, heading), expected, "{heading}");
    }
}

/// A matrix of a metric by its shown cells: technology, then one cell for each work.
fn matrix(
    rows: &Rows,
    prefix: &str,
    technologies: &[(&str, &str)],
    work: &[&str],
    cell: impl Fn(&[String]) -> String,
) -> Vec<Vec<String>> {
    let line = |(key, label): &(&str, &str)| {
        let cells = work
            .iter()
            .map(|work| rows.get(&format!("{prefix}{key}_{work}")).map_or_else(|| "N/A".to_owned(), &cell));
        std::iter::once((*label).to_owned()).chain(cells).collect()
    };
    technologies.iter().map(line).collect()
}

#[test]
fn the_matrices_follow_from_the_rows() {
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
    let of = |cell: &dyn Fn(&[String]) -> String| matrix(&rows, "Versus_", &technologies, &work, cell);

    let mut throughput = of(&|cells| WAYFINDER.primary(cells, false));
    for column in 1..=work.len() {
        // The winners are those that show what the largest number shows.
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
    assert_eq!(body(&page, "Library comparison - throughput (Player (IL2CPP))"), throughput);
    for (heading, column) in [("GC allocations", 1), ("GC bytes", 3)] {
        let heading = format!("Library comparison - {heading} per 10k queries (Player (IL2CPP))");
        assert_eq!(body(&page, &heading), of(&|cells| Form::count(&cells[column], "")), "{heading}");
    }
}

#[test]
fn bytes_per_operation_follow_from_the_rows() {
    let project = Project::fixture("ferrite");
    project.run("render-perf-doc --input bench.log --doc performance.md");
    let page = tables(&project.text("performance.md"));
    let rows = Rows::read(&project.text("rows.csv"), "Desktop", "");
    let technologies =
        [("Ferrite", "Ferrite"), ("Packrat", "Packrat"), ("JsonLite", "JSON lite"), ("Oxide", "Oxide")];
    let bytes_per_operation = |cells: &[String]| {
        // bytes / (per second · ms / 1000), all three in thousandths: bytes · 1e6 / (per second · ms)
        let (rate, bytes, ms) = (thousandths(&cells[0]), thousandths(&cells[1]), thousandths(&cells[2]));
        let (whole, part) = (bytes * 1_000_000, rate * ms);
        if part == 0 { "n/a".to_owned() } else { grouped(&((2 * whole + part) / (2 * part)).to_string()) }
    };
    let expected = matrix(&rows, "Against_", &technologies, &["Write", "ReadBig"], bytes_per_operation);
    assert_eq!(body(&page, "Serializers - bytes per operation (Desktop (Mono))"), expected);
}

/// Baseline and current number of one metric, in thousandths.
#[derive(Clone, Copy)]
struct Pair {
    before: i128,
    now: i128,
}

impl Pair {
    fn of(column: usize, before: &[String], now: &[String]) -> Self {
        Self { before: thousandths(&before[column]), now: thousandths(&now[column]) }
    }

    fn is_measured(self) -> bool {
        self.before != -1000 && self.now != -1000
    }

    /// Further than 2 % from the baseline, strictly.
    fn moved(self) -> bool {
        (self.now - self.before).abs() * 100 > 2 * self.before
    }

    /// Lower by more than 33 %, strictly.
    fn dropped(self) -> bool {
        (self.before - self.now) * 100 > 33 * self.before
    }

    fn turned(self) -> Self {
        Self { before: self.now, now: self.before }
    }
}

/// The verdict on a scenario with a threshold on throughput and equality of a count, each where it gates.
fn verdict(
    primary: Pair,
    throughput_gates: bool,
    count: Pair,
    count_gates: bool,
    others: &[Pair],
) -> &'static str {
    let counted = count.is_measured();
    let differs = |pair: &Pair| pair.is_measured() && pair.now != pair.before;
    match () {
        () if throughput_gates && primary.dropped() => "**regressed**",
        () if count_gates && counted && count.now > count.before => "**regressed**",
        () if throughput_gates && primary.turned().dropped() => "improved",
        () if count_gates && counted && count.now < count.before => "improved",
        () if primary.moved() || differs(&count) || others.iter().any(differs) => "moved",
        () => "unchanged",
    }
}

/// `+2.00%` by the same two float operations, rounded by other means.
fn percent(before: &str, now: &str, flip: bool) -> String {
    let change = (float(now) - float(before)) / float(before) * 100.0;
    let change = if flip { -change } else { change };
    let text = rounded(change.abs(), 2);
    let sign = match change {
        _ if text == "0.00" => "",
        change if change > 0.0 => "+",
        _ => "-",
    };
    format!("{sign}{text}%")
}

#[test]
fn the_deltas_follow_from_both_sides() {
    let project = Project::fixture("wayfinder");
    project.run("render-perf-deltas --input player.log --baseline-csv baseline.csv --unity-version 6000.2 --output deltas.md");
    let now = Rows::read(&project.text("rows.csv"), "6000.2.1f1 Player", "");
    let before = Rows::read(&project.text("baseline.csv"), "6000.2.1f1 Player", "");
    let lines = scenarios(&project).into_iter().filter_map(|(key, label, wall_clock)| {
        let (before, now) = (before.get(&key)?, now.get(&key)?);
        let column = if wall_clock { 2 } else { 0 };
        let counts = [1, 3].map(|column| Pair::of(column, before, now));
        let side = |cells: &[String]| {
            let counts = [1, 3].iter().zip(counts).filter(|(_, pair)| pair.is_measured());
            let shown = counts.map(|(at, _)| Form::count(&cells[*at], ""));
            std::iter::once(WAYFINDER.primary(cells, wall_clock)).chain(shown).collect::<Vec<_>>().join(", ")
        };
        let counted = ["allocs", "bytes"].iter().zip(counts).filter(|(_, pair)| pair.now != pair.before);
        let counted = counted.map(|(noun, pair)| {
            let way = if pair.now > pair.before { "more" } else { "fewer" };
            format!("{} {way} {noun}", grouped(&((pair.now - pair.before).abs() / 1000).to_string()))
        });
        let percent = percent(&before[column], &now[column], wall_clock);
        let delta = std::iter::once(percent).chain(counted).collect::<Vec<_>>().join(", ");
        let verdict = verdict(Pair::of(column, before, now), !wall_clock, counts[0], true, &counts[1..]);
        Some(vec![label, side(before), side(now), delta, verdict.to_owned()])
    });
    let expected: Vec<Vec<String>> = lines.collect();
    let shown = differences(&project, "Player");
    for line in &expected {
        assert!(shown.contains(line), "{line:?} in {shown:?}");
    }
    // Beside the scenarios stand the subject's comparisons.
    assert_eq!(shown.len(), expected.len() + 3);
}

#[test]
fn the_deltas_of_the_older_form_follow_from_both_sides() {
    let project = Project::fixture("ferrite");
    project.run("render-perf-deltas --input bench.log --baseline-csv baseline.csv --output deltas.md");
    let now = Rows::read(&project.text("rows.csv"), "Desktop", "");
    let before = Rows::read(&project.text("baseline.csv"), "Desktop", "");
    let comparisons = [("Write", "Write"), ("ReadBig", "Read (big)")];
    let comparisons =
        comparisons.map(|(work, label)| (format!("Against_Ferrite_{work}"), label.to_owned(), false));
    let lines = scenarios(&project).into_iter().chain(comparisons).filter_map(|(key, label, wall_clock)| {
        let (before, now) = (before.get(&key)?, now.get(&key)?);
        let column = if wall_clock { 2 } else { 0 };
        let bytes = Pair::of(1, before, now);
        let side = |cells: &[String]| {
            format!("{}, {}", FERRITE.primary(cells, wall_clock), Form::count(&cells[1], " B"))
        };
        let percent = percent(&before[column], &now[column], false);
        let difference = grouped(&((bytes.now - bytes.before).abs() / 1000).to_string());
        let delta = match bytes.now.cmp(&bytes.before) {
            Ordering::Equal => percent,
            Ordering::Greater => format!("{percent}, +{difference} B"),
            Ordering::Less => format!("{percent}, -{difference} B"),
        };
        // Bytes gate only rows whose baseline has a throughput.
        let gated = thousandths(&before[0]) > 0;
        let verdict = verdict(Pair::of(column, before, now), !wall_clock, bytes, gated, &[]);
        Some(vec![label, side(before), side(now), delta, verdict.to_owned()])
    });
    let expected: Vec<Vec<String>> = lines.collect();
    let shown = differences(&project, "Desktop");
    for line in &expected {
        assert!(shown.contains(line), "{line:?} in {shown:?}");
    }
    assert_eq!(shown.len(), expected.len());
}
