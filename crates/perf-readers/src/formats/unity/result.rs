//! The JSON of one test, and the rows in it.

use crate::formats::common::prelude::*;

/// Returns the places by which the point of a value moves, and what the value is then: the suffix of a name, and a
/// unit. Units stand in the order of Unity's `SampleUnit`.
fn scale(unit: Option<i64>) -> (i32, &'static str, Unit) {
    match unit.and_then(|unit| i32::try_from(unit).ok()) {
        Some(unit @ 0..=3) => (unit * 3, "Ns", Unit::Ns),
        Some(unit @ 4..=7) => ((unit - 4) * 3, "Bytes", Unit::Bytes),
        _ => (0, "", Unit::None),
    }
}

pub(crate) fn name<'r>(result: &'r Json<'_>) -> Option<&'r str> {
    result.text("Name").or(result.text("TestName"))
}

/// The key that a result must have and has not.
pub(crate) fn missing(result: &Json<'_>) -> Option<&'static str> {
    let keys = [
        ("Name", name(result).is_some()),
        ("SampleGroups", result.has("SampleGroups")),
    ];
    keys.into_iter()
        .find(|(_, is_there)| !is_there)
        .map(|(key, _)| key)
}

/// Gives the rows of a group of samples of a test, whose cells these are.
pub(crate) fn give(group: &Json<'_>, line: u64, cells: &Cells<'_>, sink: &mut RowCollector<'_>) {
    // The first version has it in a place of its own.
    let definition = if group.has("Definition") {
        group.at("Definition")
    } else {
        group
    };
    let name = definition.text_or_empty("Name");
    let is_rate = definition.flag("IncreaseIsBetter");
    let (places, suffix, unit) = scale(definition.whole("Unit").or(definition.whole("SampleUnit")));
    // What the package itself calls the only group of a test says nothing.
    let own_name = if name == "Time" { "" } else { name };
    let scenario = joined([cells.scenario, own_name], " ");
    let cells = Cells {
        scenario: &scenario,
        ..*cells
    };
    // A common metric for a time or a size where less is better, else one named by the group.
    let metric = match unit {
        Unit::Ns if !is_rate => "timeNs".to_owned(),
        Unit::Bytes if !is_rate => "memoryBytes".to_owned(),
        _ => format!("{name}{suffix}"),
    };
    if unit == Unit::None || is_rate {
        sink.means(
            &metric,
            unit,
            if is_rate {
                Direction::Higher
            } else {
                Direction::Lower
            },
        );
    }
    let samples: Vec<_> = group
        .list("Samples")
        .iter()
        .map(|sample| sample.shifted("", places))
        .collect();
    if !samples.is_empty() {
        return sink.samples(line, &cells, &metric, &samples);
    }
    let parts = [
        ("", "Median"),
        (".stddev", "StandardDeviation"),
        (".min", "Min"),
        (".max", "Max"),
    ];
    let mut metrics = Metrics::default();
    metrics.add_parts(
        &metric,
        parts.map(|(part, field)| (part, group.shifted(field, places))),
    );
    sink.measured(line, &cells, &metrics);
}
