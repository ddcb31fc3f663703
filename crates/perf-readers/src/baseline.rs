//! The baseline: rows as a normalised CSV, which reads back as the same rows.
//!
//! Columns are `scenario,platform,commit,runIndex`, the metrics, `launchIndex`, `machineClass`, `methodology` and
//! `measuredAt` when a row has one, and `outcome` when a row was not measured. A metric that was not measured is −1, as in the rows that benchmarks
//! print.

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use perf_model::{date, decimal::rounded, suite::Definitions};

use perf_config::Config;
use perf_model::row::{Name, Outcome, Row, UNMEASURED, Value};

/// Writes rows as the baseline CSV, with a header and `\n` line ends. `named` are metrics that have a column
/// whether measured or not, such as those that the header of an input named.
///
/// # Errors
/// A row that is not text fit for CSV; none is known.
pub fn write(rows: &[Row], named: &[Name], config: &Config) -> Result<String, csv::Error> {
    let metrics: Vec<(Name, Option<u8>)> = columns(rows, named, config)
        .into_iter()
        .map(|name| (Name::clone(&name), config.metric(&name).decimals))
        .collect();
    let launches = rows.iter().any(|row| row.launch.is_some());
    let classes = rows.iter().any(|row| row.machine_class.is_some());
    let methodologies = rows.iter().any(|row| row.methodology.is_some());
    let dates = rows.iter().any(|row| row.measured_at.is_some());
    let outcomes = rows.iter().any(|row| row.outcome != Outcome::Measured);
    let mut writer = csv::Writer::from_writer(Vec::with_capacity(rows.len() * 120 + 120));
    let header = ["scenario", "platform", "commit", "runIndex"]
        .into_iter()
        .chain(metrics.iter().map(|(name, _)| &**name));
    let header = header
        .chain(launches.then_some("launchIndex"))
        .chain(classes.then_some("machineClass"))
        .chain(methodologies.then_some("methodology"))
        .chain(dates.then_some("measuredAt"))
        .chain(outcomes.then_some("outcome"));
    writer.write_record(header)?;
    for row in rows {
        for text in [&*row.scenario, &*row.platform, &*row.commit] {
            writer.write_field(text)?;
        }
        writer.write_field(row.run_index.to_string())?;
        for (name, decimals) in &metrics {
            writer.write_field(cell(row.metrics.get(name), *decimals))?;
        }
        if launches {
            writer.write_field(row.launch.map(|launch| launch.to_string()).unwrap_or_default())?;
        }
        if classes {
            writer.write_field(row.machine_class.as_deref().unwrap_or_default())?;
        }
        if methodologies {
            writer.write_field(row.methodology.as_deref().unwrap_or_default())?;
        }
        if dates {
            writer.write_field(row.measured_at.map(date::text).unwrap_or_default())?;
        }
        if outcomes {
            writer.write_field(row.outcome.word())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(without_commands(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Puts names into quotes that begin a line with `::`: printed in a workflow, the line would be a command.
fn without_commands(text: String) -> String {
    if !text.contains("\n::") {
        return text;
    }
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        match line.split_once(',') {
            Some((name, rest)) if !is_inside && name.starts_with("::") => {
                quoted.extend(["\"", name, "\",", rest]);
            }
            _ => quoted.push_str(line),
        }
        is_inside ^= line.matches('"').count() % 2 == 1;
    }
    quoted
}

/// The metric columns: those of the widest layout when the config declares layouts; then the named ones; then
/// the measured ones, in the order of the layout that has most of them; then the others in order of first
/// appearance.
fn columns(rows: &[Row], named: &[Name], config: &Config) -> Vec<Name> {
    let measured: IndexSet<&Name, RandomState> =
        rows.iter().flat_map(|row| row.metrics.iter().map(|(name, _)| name)).collect();
    let declared = config.layouts.first().filter(|_| config.declares_layouts());
    let mut columns: IndexSet<Name> = declared.into_iter().flatten().cloned().collect();
    columns.extend(named.iter().cloned());
    let found = |layout: &&Vec<Name>| layout.iter().filter(|name| measured.contains(name)).count();
    let mut layouts: Vec<&Vec<Name>> = config.layouts.iter().collect();
    layouts.sort_by_key(|layout| std::cmp::Reverse(found(layout)));
    for layout in layouts {
        columns.extend(layout.iter().filter(|name| measured.contains(name)).cloned());
    }
    columns.extend(measured.into_iter().cloned());
    columns.into_iter().collect()
}

fn cell(value: Option<Value>, decimals: Option<u8>) -> String {
    match (value, decimals) {
        (None, _) => UNMEASURED.to_string(),
        (Some(value), None) => value.to_string(),
        (Some(value), Some(decimals)) => rounded(value, usize::from(decimals)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collector, ParseReport};
    use perf_model::decimal::stored;
    use proptest::prelude::*;

    fn read(text: &str) -> ParseReport {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows.csv", &mut text.as_bytes()).unwrap();
        collector.finish()
    }

    #[test]
    fn layout_columns_have_three_decimals() {
        let rows =
            read("scenario,runIndex,decodeNs,wallClockMs\nA,-1,100.0625,5000.0625\nB,2,,0.000441\n").rows;
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
        let structured = read("{scenario:\"A\",methodology:\"warm v2\",measuredAt:1930295650123,x:1}\n").rows;
        assert_eq!(structured, rows[..1]);
        let wrong = read("scenario,measuredAt,x\nA,yesterday,1\n");
        insta::assert_snapshot!(wrong.skipped[0].reason, @"invalid date `yesterday`: expected a form such as 2031-03-04T09:14:10Z");
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
        let text =
            || prop_oneof![4 => "[A-Za-z0-9_,\"é; ()\n\u{a0}-]{0,12}", 1 => "scenario|Platform|run index"];
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
        let made =
            (prop::option::of(text()), prop::option::of(text()), prop::option::of(0i64..4_000_000_000));
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
        let mut metrics: Vec<_> =
            row.metrics.iter().map(metric).filter(|(_, value)| !value.is_unmeasured()).collect();
        metrics.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (platform, commit, class) = (&row.platform, &row.commit, &row.machine_class);
        let made = (class, &row.methodology, row.measured_at);
        (format!("{:?}", (&row.scenario, platform, commit, row.run_index, made, row.outcome)), metrics)
    }

    proptest! {
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
