//! Writes the baseline: a normalised CSV of rows, which reads back as the same rows, except for rounding.
//!
//! The columns are `scenario,platform,commit,runIndex` and the metrics. `launchIndex`, `machineClass`, `methodology`
//! and `measuredAt` follow if at least one row contains them, and `outcome` if at least one row was not measured. An
//! unmeasured metric is written as −1, as in the rows that benchmarks print.

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use perf_config::Config;
use perf_model::row::{Name, Outcome, Row, UNMEASURED, Value};
use perf_model::{date, decimal::rounded, suite::Definitions};

/// Writes rows as the baseline CSV, with a header and LF line ends. Each of the `named` metrics, such as those in an
/// input's header, gets a column even if no row contains it.
///
/// # Errors
/// Fails if the CSV writer rejects a cell. No such cell is known.
pub fn write(rows: &[Row], named: &[Name], config: &Config) -> Result<String, csv::Error> {
    let metrics = columns(rows, named, config);
    let decimals: Vec<Option<u8>> = metrics
        .iter()
        .map(|name| config.metric(name).decimals)
        .collect();
    let has_launches = rows.iter().any(|row| row.launch.is_some());
    let has_classes = rows.iter().any(|row| row.machine_class.is_some());
    let has_methodologies = rows.iter().any(|row| row.methodology.is_some());
    let has_dates = rows.iter().any(|row| row.measured_at.is_some());
    let has_outcomes = rows.iter().any(|row| row.outcome != Outcome::Measured);

    let mut text = String::with_capacity(rows.len() * 64 + 120);
    text.push_str("scenario,platform,commit,runIndex");
    for name in &metrics {
        add_cell(&mut text, name)?;
    }
    for (is_there, name) in [
        (has_launches, ",launchIndex"),
        (has_classes, ",machineClass"),
        (has_methodologies, ",methodology"),
        (has_dates, ",measuredAt"),
        (has_outcomes, ",outcome"),
    ] {
        if is_there {
            text.push_str(name);
        }
    }
    text.push('\n');

    let mut values: Vec<Option<Value>> = vec![None; metrics.len()];
    for row in rows {
        // Quotes prevent GitHub from executing a printed line that begins with `::` as a workflow command.
        if row.scenario.starts_with("::") && !needs_quotes(&row.scenario) {
            text.extend(["\"", &row.scenario, "\""]);
        } else {
            add_text(&mut text, &row.scenario)?;
        }
        add_cell(&mut text, &row.platform)?;
        add_cell(&mut text, &row.commit)?;
        add_cell(&mut text, &row.run_index.to_string())?;
        values.fill(None);
        for (name, value) in row.metrics.iter() {
            if let Some(column) = metrics.get_index_of(name) {
                values[column] = Some(value);
            }
        }
        for (value, decimals) in values.iter().zip(&decimals) {
            text.push(',');
            match (value, decimals) {
                (None, _) => text.push_str(&UNMEASURED.to_string()),
                (Some(value), None) => text.push_str(&value.to_string()),
                (Some(value), Some(decimals)) => {
                    text.push_str(&rounded(*value, usize::from(*decimals)));
                }
            }
        }
        if has_launches {
            let launch = row.launch.map(|launch| launch.to_string());
            add_cell(&mut text, &launch.unwrap_or_default())?;
        }
        if has_classes {
            add_cell(&mut text, row.machine_class.as_deref().unwrap_or_default())?;
        }
        if has_methodologies {
            add_cell(&mut text, row.methodology.as_deref().unwrap_or_default())?;
        }
        if has_dates {
            add_cell(
                &mut text,
                &row.measured_at.map(date::text).unwrap_or_default(),
            )?;
        }
        if has_outcomes {
            add_cell(&mut text, row.outcome.word())?;
        }
        text.push('\n');
    }
    Ok(text)
}

/// Adds a comma and then the cell, in quotes if necessary.
fn add_cell(line: &mut String, text: &str) -> Result<(), csv::Error> {
    line.push(',');
    add_text(line, text)
}

fn add_text(line: &mut String, text: &str) -> Result<(), csv::Error> {
    if !needs_quotes(text) {
        line.push_str(text);
        return Ok(());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([text])?;
    let quoted = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    line.push_str(String::from_utf8_lossy(&quoted).trim_end_matches('\n'));
    Ok(())
}

fn needs_quotes(text: &str) -> bool {
    text.contains([',', '"', '\r', '\n'])
}

/// Returns the metric columns: those in the widest layout that the config lists, then the `named` metrics, then the
/// other measured metrics. The measured metrics that occur in layouts come first, beginning with the layout that
/// contains most of them. The others are in order of first appearance.
fn columns(rows: &[Row], named: &[Name], config: &Config) -> IndexSet<Name, RandomState> {
    let mut measured: IndexSet<Name, RandomState> = IndexSet::default();
    for row in rows {
        for (name, _) in row.metrics.iter() {
            if !measured.contains(name) {
                measured.insert(Name::clone(name));
            }
        }
    }
    let mut columns: IndexSet<Name, RandomState> = IndexSet::default();
    if config.declares_layouts() {
        columns.extend(config.layouts.first().into_iter().flatten().cloned());
    }
    columns.extend(named.iter().cloned());
    let count_measured = |layout: &&Vec<Name>| {
        layout
            .iter()
            .filter(|name| measured.contains(*name))
            .count()
    };
    let mut layouts: Vec<&Vec<Name>> = config.layouts.iter().collect();
    layouts.sort_by_key(|layout| std::cmp::Reverse(count_measured(layout)));
    for name in layouts.into_iter().flatten() {
        if measured.contains(name) {
            columns.insert(Name::clone(name));
        }
    }
    columns.extend(measured);
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collector, ParseReport};
    use perf_model::decimal::stored;
    use perf_model::row::{Conditions, Key};
    use proptest::prelude::*;
    use std::sync::Arc;

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
        insta::assert_snapshot!(wrong.skipped().next().unwrap().text, @"invalid date `yesterday`: expected a form such as 2031-03-04T09:14:10Z: `A,yesterday,1`");
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

    /// Structured lines with boundary values, and with names that a baseline cannot store.
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

    /// The row as stored in a baseline.
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

    /// A table as the CSV library writes it.
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
        fn baseline_round_trips(lines in prop::collection::vec(line(), 1..8)) {
            let config = Config::default();
            let rows = read(&format!("-\n{}", lines.concat())).rows;
            let written = write(&rows, &[], &config).unwrap();
            let reread = read(&written);
            prop_assert_eq!(reread.skipped_count, 0, "{}", written);
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
