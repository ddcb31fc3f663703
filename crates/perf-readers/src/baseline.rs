//! The baseline: rows as a normalised CSV, which reads back as the same rows.
//!
//! Columns are `scenario,platform,commit,runIndex`, the metrics, `launchIndex`, `machineClass`, `methodology` and
//! `measuredAt` when a row has one, and `outcome` when a row was not measured. A metric that was not measured is −1, as
//! in the rows that benchmarks print.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use perf_model::{date, decimal::rounded, suite::Definitions};

use perf_config::Config;
use perf_model::row::{Key, Name, Outcome, Row, UNMEASURED, Value};

/// Writes rows as the baseline CSV, with a header and `\n` line ends. `named` are metrics that have a column
/// whether measured or not, such as those that the header of an input named.
///
/// # Errors
/// A row that is not text fit for CSV; none is known.
pub fn write(rows: &[Row], named: &[Name], config: &Config) -> Result<String, csv::Error> {
    let mut text = String::with_capacity(rows.len() * 64 + 120);
    lines(rows, named, config, &mut text, |_| Ok(()))?;
    Ok(text)
}

/// As [`write()`], part by part, as the text of a million rows takes half as much memory as the rows.
///
/// # Errors
/// As there, and those of `out`.
pub fn write_to(
    out: &mut (impl io::Write + ?Sized),
    rows: &[Row],
    named: &[Name],
    config: &Config,
) -> io::Result<()> {
    let mut text = String::new();
    lines(rows, named, config, &mut text, |text| {
        if text.len() >= PART {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    })?;
    out.write_all(text.as_bytes())
}

/// The number of bytes gathered before each write.
const PART: usize = 64 * 1024;

/// Adds the lines to `text`, which `take` may empty behind each.
fn lines(
    rows: &[Row],
    named: &[Name],
    config: &Config,
    text: &mut String,
    mut take: impl FnMut(&mut String) -> io::Result<()>,
) -> Result<(), csv::Error> {
    let metrics: Vec<(Name, Option<u8>)> = columns(rows, named, config)
        .into_iter()
        .map(|name| (Name::clone(&name), config.metric(&name).decimals))
        .collect();
    let launches = rows.iter().any(|row| row.launch.is_some());
    let classes = rows.iter().any(|row| row.machine_class.is_some());
    let methodologies = rows.iter().any(|row| row.methodology.is_some());
    let dates = rows.iter().any(|row| row.measured_at.is_some());
    let outcomes = rows.iter().any(|row| row.outcome != Outcome::Measured);
    text.push_str("scenario,platform,commit,runIndex");
    for (name, _) in &metrics {
        field(text, name)?;
    }
    let optional = [
        (launches, "launchIndex"),
        (classes, "machineClass"),
        (methodologies, "methodology"),
        (dates, "measuredAt"),
        (outcomes, "outcome"),
    ];
    for (_, name) in optional.iter().filter(|(is_there, _)| *is_there) {
        field(text, name)?;
    }
    text.push('\n');
    let mut places = Places::new(&metrics);
    let mut begin = Begin::default();
    for row in rows {
        text.push_str(begin.of(&row.key)?);
        text.push(',');
        whole(text, row.run_index);
        let measured = places.of(row);
        for ((_, decimals), place) in metrics.iter().zip(measured) {
            text.push(',');
            cell(
                text,
                place.and_then(|place| row.metrics.at(place)),
                *decimals,
            );
        }
        if launches {
            text.push(',');
            if let Some(launch) = row.launch {
                whole(text, i64::from(launch.get()));
            }
        }
        if classes {
            field(text, row.machine_class.as_deref().unwrap_or_default())?;
        }
        if methodologies {
            field(text, row.methodology.as_deref().unwrap_or_default())?;
        }
        if dates {
            field(text, &row.measured_at.map(date::text).unwrap_or_default())?;
        }
        if outcomes {
            field(text, row.outcome.word())?;
        }
        text.push('\n');
        take(text)?;
    }
    Ok(())
}

/// Finds the metric of each column in a row.
struct Places<'c> {
    columns: &'c [(Name, Option<u8>)],
    /// By the sequence of names that thousands of rows share.
    known: HashMap<usize, Vec<Option<usize>>, RandomState>,
}

impl<'c> Places<'c> {
    fn new(columns: &'c [(Name, Option<u8>)]) -> Self {
        Self {
            columns,
            known: HashMap::default(),
        }
    }

    fn of(&mut self, row: &Row) -> &[Option<usize>] {
        let place =
            |(column, _): &(Name, _)| row.metrics.iter().position(|(name, _)| name == column);
        let columns = self.columns;
        self.known
            .entry(row.metrics.names_at())
            .or_insert_with(|| columns.iter().map(place).collect())
    }
}

/// The first cells of a key's lines, built once because samples of one key follow each other.
#[derive(Default)]
struct Begin<'r> {
    key: Option<&'r Arc<Key>>,
    text: String,
}

impl<'r> Begin<'r> {
    fn of(&mut self, key: &'r Arc<Key>) -> Result<&str, csv::Error> {
        if !self.key.is_some_and(|last| Arc::ptr_eq(last, key)) {
            self.key = Some(key);
            self.text.clear();
            let Key {
                scenario,
                conditions,
            } = &**key;
            // Printed in a workflow, a line that begins so would be a command.
            if scenario.starts_with("::") && !needs_quotes(scenario) {
                self.text.extend(["\"", scenario, "\""]);
            } else {
                cell_of(&mut self.text, scenario)?;
            }
            field(&mut self.text, &conditions.platform)?;
            field(&mut self.text, &conditions.commit)?;
        }
        Ok(&self.text)
    }
}

/// Adds a further cell of a line.
fn field(line: &mut String, text: &str) -> Result<(), csv::Error> {
    line.push(',');
    cell_of(line, text)
}

fn cell_of(line: &mut String, text: &str) -> Result<(), csv::Error> {
    if needs_quotes(text) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([text])?;
        let quoted = writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?;
        line.push_str(String::from_utf8_lossy(&quoted).trim_end_matches('\n'));
    } else {
        line.push_str(text);
    }
    Ok(())
}

/// True if a cell must be quoted; few must.
fn needs_quotes(text: &str) -> bool {
    text.bytes()
        .any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'))
}

/// The metric columns: those of the widest layout when the config declares layouts; then the named ones; then
/// the measured ones, in the order of the layout that has most of them; then the others in order of first
/// appearance.
fn columns(rows: &[Row], named: &[Name], config: &Config) -> Vec<Name> {
    // Thousands of rows share one sequence of names.
    let mut seen: HashSet<usize, RandomState> = HashSet::default();
    let mut last = None;
    let is_other = |row: &&Row| {
        let sequence = row.metrics.names_at();
        last.replace(sequence) != Some(sequence) && seen.insert(sequence)
    };
    let measured: IndexSet<&Name, RandomState> = rows
        .iter()
        .filter(is_other)
        .flat_map(|row| row.metrics.iter().map(|(name, _)| name))
        .collect();
    let declared = config.layouts.first().filter(|_| config.declares_layouts());
    let mut columns: IndexSet<Name> = declared.into_iter().flatten().cloned().collect();
    columns.extend(named.iter().cloned());
    let found = |layout: &&Vec<Name>| layout.iter().filter(|name| measured.contains(name)).count();
    let mut layouts: Vec<&Vec<Name>> = config.layouts.iter().collect();
    layouts.sort_by_key(|layout| std::cmp::Reverse(found(layout)));
    for layout in layouts {
        columns.extend(
            layout
                .iter()
                .filter(|name| measured.contains(name))
                .cloned(),
        );
    }
    columns.extend(measured.into_iter().cloned());
    columns.into_iter().collect()
}

fn cell(line: &mut String, value: Option<Value>, decimals: Option<u8>) {
    match (value, decimals) {
        (None, _) => whole(line, UNMEASURED),
        (Some(value), None) => number(line, value),
        (Some(value), Some(decimals)) => line.push_str(&rounded(value, usize::from(decimals))),
    }
}

/// Adds the text that the value's [`Display`](std::fmt::Display) has, several times as fast.
fn number(line: &mut String, value: Value) {
    /// With its point. Of numbers with more digits, two may be as short and as near, and the two choose another.
    const SHORT: usize = 16;
    match value {
        Value::Int(number) => whole(line, number),
        Value::Real(number) => {
            let mut buffer = zmij::Buffer::new();
            match buffer.format(number) {
                // An exponent is written elsewhere.
                text if text.len() > SHORT || text.contains('e') => {
                    line.push_str(&value.to_string());
                }
                text => line.push_str(text),
            }
        }
    }
}

fn whole(line: &mut String, number: i64) {
    line.push_str(itoa::Buffer::new().format(number));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collector, ParseReport};
    use perf_model::decimal::stored;
    use perf_model::row::Conditions;
    use proptest::prelude::*;

    fn read(text: &str) -> ParseReport {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows.csv", &mut text.as_bytes()).unwrap();
        collector.finish()
    }

    #[test]
    fn layout_columns_have_three_decimals() {
        let rows = read(
            "scenario,runIndex,decodeNs,wallClockMs\nA,-1,100.0625,5000.0625\nB,2,,0.000441\n",
        )
        .rows;
        insta::assert_snapshot!(write(&rows, &[], &Config::default()).unwrap(), @r"
        scenario,platform,commit,runIndex,wallClockMs,decodeNs
        A,,,-1,5000.063,100.0625
        B,,,2,0.00044,-1
        ");
    }

    #[test]
    fn methodology_and_date_are_optional_columns() {
        let rows = read(
            "scenario,measured_at,Methodology,x\nA,2031-03-03T10:14:10+01:00,warm v2,1\nA,1930295650,,1\nB,,,2\n",
        )
        .rows;
        let written = write(&rows, &[], &Config::default()).unwrap();
        insta::assert_snapshot!(written, @r"
        scenario,platform,commit,runIndex,x,methodology,measuredAt
        A,,,-1,1,warm v2,2031-03-03T09:14:10Z
        A,,,-1,1,,2031-03-03T09:14:10Z
        B,,,-1,2,,
        ");
        assert_eq!(read(&written).rows, rows);
        let structured =
            read("{scenario:\"A\",methodology:\"warm v2\",measuredAt:1930295650123,x:1}\n").rows;
        assert_eq!(structured, rows[..1]);
        let wrong = read("scenario,measuredAt,x\nA,yesterday,1\n");
        insta::assert_snapshot!(wrong.skipped[0].reason, @"invalid date `yesterday`: expected a form such as 2031-03-04T09:14:10Z");
    }

    #[test]
    fn parts_are_the_text() {
        let mut text = "scenario,x\n".to_owned();
        text.extend((0..9999).map(|row| format!("\"made, {row}\",{row}.5\n")));
        let rows = read(&text).rows;
        let mut written = Vec::new();
        write_to(&mut written, &rows, &[], &Config::default()).unwrap();
        assert!(written.len() > 3 * PART, "{}", written.len());
        assert_eq!(
            String::from_utf8(written).unwrap(),
            write(&rows, &[], &Config::default()).unwrap()
        );
        assert!(
            write_to(
                &mut vec![0; PART].as_mut_slice(),
                &rows,
                &[],
                &Config::default()
            )
            .is_err()
        );
    }

    #[test]
    fn declared_columns_are_always_written() {
        let config = Config::parse("rows.layouts = [['b'], ['a', 'b']]").unwrap();
        let rows = read("scenario,b,x\nA,1,2\n").rows;
        insta::assert_snapshot!(write(&rows, &[], &config).unwrap(), @r"
        scenario,platform,commit,runIndex,a,b,x
        A,,,-1,-1,1,2
        ");
    }

    /// Rows as structured lines say them, with edges and names that no baseline can have.
    fn line() -> impl Strategy<Value = String> {
        let text = || prop_oneof![4 => "[A-Za-z0-9_,\"é; ()\n\u{a0}-]{0,12}", 1 => "scenario|Platform|run index"];
        let name = prop_oneof![
            4 => prop::sample::select(vec!["emitsPerSec", "emitsPerSecond", "wallClockMs", "x", "X", "y z"]),
            1 => prop::sample::select(vec!["Platform", "Run Index", "machine_class", " x "]),
        ];
        let number = prop_oneof![
            any::<i32>().prop_map(|number| number.to_string()),
            any::<f64>().prop_map(|number| number.to_string()),
            (-1e6..1e6).prop_map(|number: f64| number.to_string()),
            Just("-1".to_owned()),
        ];
        let made = (
            prop::option::of(text()),
            prop::option::of(text()),
            prop::option::of(0i64..4_000_000_000),
        );
        let key = (text(), text(), text(), -1i64..50, made);
        (key, prop::collection::vec((name, number), 1..5)).prop_map(
            |((scenario, platform, commit, run, (class, methodology, date)), numbers)| {
                let quoted = |text: &str| serde_json::to_string(text).unwrap();
                let class = class.map(|class| format!(",machineClass:{}", quoted(&class))).unwrap_or_default();
                let methodology =
                    methodology.map(|text| format!(",methodology:{}", quoted(&text))).unwrap_or_default();
                let date = date.map(|date| format!(",measuredAt:\"{}\"", date::text(date))).unwrap_or_default();
                let number = |(name, number)| format!(",\"{name}\":{number}");
                let numbers: Vec<String> = numbers.into_iter().map(number).collect();
                let numbers = numbers.concat();
                let key = [&scenario, &platform, &commit].map(|text| quoted(text));
                let [scenario, platform, commit] = key;
                format!("{{scenario:{scenario},platform:{platform},commit:{commit},runIndex:{run}{class}{methodology}{date}{numbers}}}\n")
            },
        )
    }

    /// The row as a baseline has it.
    fn rounded_row(row: &Row, config: &Config) -> (String, Vec<(String, Value)>) {
        let metric = |(name, value): (&Name, Value)| {
            let value = stored(value, config.metric(name).decimals);
            (name.to_string(), value)
        };
        let mut metrics: Vec<_> = row
            .metrics
            .iter()
            .map(metric)
            .filter(|(_, value)| !value.is_unmeasured())
            .collect();
        metrics.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (platform, commit, class) = (&row.platform, &row.commit, &row.machine_class);
        let made = (class, &row.methodology, row.measured_at);
        (
            format!(
                "{:?}",
                (
                    &row.scenario,
                    platform,
                    commit,
                    row.run_index,
                    made,
                    row.outcome
                )
            ),
            metrics,
        )
    }

    /// A table as the library writes it.
    fn by_library(rows: &[Row]) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(["scenario", "platform", "commit", "runIndex", "x"])
            .unwrap();
        for row in rows {
            let number = row
                .metrics
                .get("x")
                .map_or("-1".to_owned(), |value| value.to_string());
            let cells = [
                &*row.scenario,
                &*row.platform,
                &*row.commit,
                &row.run_index.to_string(),
                &number,
            ];
            writer.write_record(cells).unwrap();
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn cells_and_numbers_are_as_libraries_write_them(
            rows in prop::collection::vec((["[a,\"\r\n: é]{1,6}", "[a,\" ]{0,4}", "[a\n#]{0,4}"], any::<u64>(), -1e9..1e9, -9i64..9), 1..6),
        ) {
            let row = |(texts, bits, number, run): &([String; 3], u64, f64, i64)| {
                let [scenario, platform, commit] = texts.each_ref().map(|text| Name::from(&**text));
                let conditions = Arc::new(Conditions { platform, commit, ..Conditions::default() });
                let key = Key { scenario, conditions };
                let values = [f64::from_bits(*bits), *number].into_iter().filter_map(Value::new);
                let metrics = values.take(1).map(|value| ("x".into(), value)).collect();
                let (outcome, launch, measured_at) = (Outcome::Measured, None, None);
                Row { key: Arc::new(key), run_index: *run, outcome, launch, measured_at, metrics }
            };
            let rows: Vec<Row> = rows.iter().map(row).filter(|row| !row.scenario.starts_with("::")).collect();
            let written = write(&rows, &["x".into()], &Config::default()).unwrap();
            prop_assert_eq!(written, by_library(&rows));
        }

        #[test]
        fn numbers_are_written_as_they_are_shown(bits: u64, number in -1e3..1e3, digits in 0usize..9, exponent in -12..24) {
            let scaled: f64 = number * 10_f64.powi(exponent);
            let short = format!("{number:.digits$}").parse().unwrap();
            // A tie of two shortest texts.
            let tie = (scaled * 8.0).round() / 8.0 + 0.125;
            for value in [f64::from_bits(bits), number, scaled, short, tie].into_iter().filter_map(Value::new) {
                let mut text = String::new();
                super::number(&mut text, value);
                prop_assert_eq!(text, value.to_string());
            }
        }

        #[test]
        fn baseline_round_trips(lines in prop::collection::vec(line(), 1..8)) {
            let config = Config::default();
            let rows = read(&format!("-\n{}", lines.concat())).rows;
            let written = write(&rows, &[], &config).unwrap();
            let reread = read(&written);
            prop_assert_eq!(&reread.skipped, &vec![], "{}", written);
            if reread.duplicates == 0 {
                let rounded = |rows: &[Row]| rows.iter().map(|row| rounded_row(row, &config)).collect::<Vec<_>>();
                prop_assert_eq!(rounded(&rows), rounded(&reread.rows), "{}", written);
                prop_assert_eq!(&written, &write(&reread.rows, &[], &config).unwrap());
            }
        }

        #[test]
        fn numbers_without_decimals_round_trip(number: f64) {
            let Some(value) = Value::new(number).filter(|value| !value.is_unmeasured()) else { return Ok(()) };
            let text = format!("scenario,x\nA,{value}\n");
            let reread = write(&read(&text).rows, &[], &Config::default()).unwrap();
            prop_assert_eq!(read(&reread).rows[0].metrics.get("x"), Some(value));
        }
    }
}
