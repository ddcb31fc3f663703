//! The baseline: rows as a normalised CSV, which reads back as the same rows.
//!
//! Columns are `scenario,platform,commit,runIndex`, the metrics, and `machineClass` when a row has one. A
//! metric that was not measured is −1, as in the rows that benchmarks print.

use indexmap::IndexSet;

use crate::catalogue::Catalogue;
use crate::decimal::fixed;
use crate::row::{Name, Row, UNMEASURED, Value};

/// Writes rows as the baseline CSV, with a header and `\n` line ends.
///
/// # Errors
/// A row that is not text fit for CSV; none is known.
pub fn write(rows: &[Row], catalogue: &Catalogue) -> Result<String, csv::Error> {
    let metrics: Vec<(Name, Option<u8>)> = columns(rows, catalogue)
        .into_iter()
        .map(|name| (Name::clone(&name), catalogue.metric(&name).decimals))
        .collect();
    let classes = rows.iter().any(|row| row.machine_class.is_some());
    let mut writer = csv::Writer::from_writer(Vec::with_capacity(rows.len() * 120 + 120));
    let names = ["scenario", "platform", "commit", "runIndex"]
        .into_iter()
        .chain(metrics.iter().map(|(name, _)| &**name));
    writer.write_record(names.chain(classes.then_some("machineClass")))?;
    for row in rows {
        for text in [&*row.scenario, &*row.platform, &*row.commit] {
            writer.write_field(text)?;
        }
        writer.write_field(row.run_index.to_string())?;
        for (name, decimals) in &metrics {
            writer.write_field(cell(row.metrics.get(name), *decimals))?;
        }
        if classes {
            writer.write_field(row.machine_class.as_deref().unwrap_or_default())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The metric columns: those of the widest layout when the catalogue declares layouts; then the measured ones,
/// in the order of the layout that has most of them; then the others in order of first appearance.
fn columns(rows: &[Row], catalogue: &Catalogue) -> Vec<Name> {
    let measured: IndexSet<&Name> =
        rows.iter().flat_map(|row| row.metrics.iter().map(|(name, _)| name)).collect();
    let declared = catalogue.layouts.first().filter(|_| catalogue.declares_layouts());
    let mut columns: IndexSet<Name> = declared.into_iter().flatten().cloned().collect();
    let found = |layout: &&Vec<Name>| layout.iter().filter(|name| measured.contains(name)).count();
    let mut layouts: Vec<&Vec<Name>> = catalogue.layouts.iter().collect();
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

/// A value as the baseline holds it. What is compared with a baseline must be rounded as it was, else the
/// digits that it lost would look like a change.
pub fn stored(value: Value, decimals: Option<u8>) -> Value {
    let (Value::Real(real), Some(decimals)) = (value, decimals) else { return value };
    let scale = 10f64.powi(i32::from(decimals));
    if Value::new((real * scale).round() / scale) == Some(value) {
        return value; // it has no more digits than the baseline holds
    }
    Value::parse(&rounded(value, usize::from(decimals))).unwrap_or(value)
}

/// Rounds to `decimals`, or to as many as two significant digits take: 0.0004 ms must not become zero. What is
/// written so is written the same when it has been read again.
fn rounded(value: Value, decimals: usize) -> String {
    let number = value.as_f64();
    // The exponent after rounding to two digits: 0.00999 becomes 1.0e-2 and needs three places, as 0.01 does.
    let exponent =
        format!("{number:.1e}").split_once('e').and_then(|(_, exponent)| exponent.parse::<isize>().ok());
    let needed =
        exponent.filter(|_| number != 0.0).map_or(0, |exponent| 1usize.saturating_add_signed(-exponent));
    fixed(number, decimals.max(needed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Collector, Readout};
    use proptest::prelude::*;

    fn read(text: &str) -> Readout {
        let catalogue = Catalogue::default();
        let mut collector = Collector::new(&catalogue);
        collector.read("rows.csv", &mut text.as_bytes()).unwrap();
        collector.finish()
    }

    #[test]
    fn the_runbook_columns_have_three_decimals_and_others_keep_their_digits() {
        let rows =
            read("scenario,runIndex,decodeNs,wallClockMs\nA,-1,100.0625,5000.0625\nB,2,,0.000441\n").rows;
        insta::assert_snapshot!(write(&rows, &Catalogue::default()).unwrap(), @r"
        scenario,platform,commit,runIndex,wallClockMs,decodeNs
        A,,,-1,5000.063,100.0625
        B,,,2,0.00044,-1
        ");
    }

    #[test]
    fn columns_of_declared_layouts_are_always_there() {
        let catalogue = Catalogue::parse("rows.layouts = [['b'], ['a', 'b']]").unwrap();
        let rows = read("scenario,b,x\nA,1,2\n").rows;
        insta::assert_snapshot!(write(&rows, &catalogue).unwrap(), @r"
        scenario,platform,commit,runIndex,a,b,x
        A,,,-1,-1,1,2
        ");
    }

    fn row() -> impl Strategy<Value = Row> {
        let text = "[A-Za-z0-9_,\"é; ()\n-]{0,12}";
        let names = prop::sample::subsequence(vec!["emitsPerSecond", "wallClockMs", "x", "y,\"z\""], 1..=4);
        let number = prop_oneof![any::<i32>().prop_map(f64::from), any::<f64>(), -1e6..1e6];
        let key = ("[A-Z][a-z,\"]{0,8}[a-z]", text, text, -1i64..50, prop::option::of("[a-z]{1,5}"));
        (key, names, prop::collection::vec(number, 4)).prop_map(
            |((scenario, platform, commit, run_index, class), names, numbers)| {
                let measured = names.into_iter().zip(numbers).filter_map(|(name, number)| {
                    let value = Value::new(number).filter(|value| !value.is_unmeasured())?;
                    Some((Name::from(name), value))
                });
                Row {
                    scenario: scenario.into(),
                    platform: platform.trim().into(),
                    commit: commit.trim().into(),
                    run_index,
                    machine_class: class.map(Name::from),
                    metrics: measured.collect(),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_written_is_written_the_same_again(rows in prop::collection::vec(row(), 1..8)) {
            let catalogue = Catalogue::default();
            let once = write(&rows, &catalogue).unwrap();
            let readout = read(&once);
            prop_assert_eq!(readout.skipped, vec![]);
            let twice = write(&readout.rows, &catalogue).unwrap();
            if readout.duplicates == 0 {
                prop_assert_eq!(&once, &twice);
            }
        }

        #[test]
        fn numbers_without_agreed_decimals_survive_exactly(number: f64) {
            let Some(value) = Value::new(number).filter(|value| !value.is_unmeasured()) else { return Ok(()) };
            let text = format!("scenario,x\nA,{value}\n");
            let again = write(&read(&text).rows, &Catalogue::default()).unwrap();
            prop_assert_eq!(read(&again).rows[0].metrics.get("x"), Some(value));
        }
    }
}
