//! Computes a result's metrics.

use super::fields::{Fields, is_among};
use super::name::Template;
use crate::formats::common::prelude::*;
use perf_config::{FormatSpec, MetricSource, MetricTable};
use perf_model::metric::{Declared, UnitFamily, UnitLine, spread_of};

/// Returns a result's metrics, except samples, and declares their meaning.
pub(super) fn of(entry: &'static FormatSpec, fields: &Fields<'_>, sink: &mut Rows<'_>) -> Metrics {
    let mut metrics = Metrics::default();
    if entry.metrics.is_empty() {
        let (metric, value) = by_convention(fields, sink);
        metrics.add(metric, value);
    }
    // In formats that consist of lines, parts may be missing.
    let is_in_lines = !entry.beginnings().is_empty();
    for (name, input) in &entry.metrics {
        let table = input.table();
        let written_in = match input {
            MetricSource::Field(_) => None,
            MetricSource::Table(table) => table.r#in.as_deref(),
        };
        let written_in = written_in.map(|unit| Template::of(unit).fill(fields));
        let name = Template::of(name).fill(fields);
        let before = metrics.names().count();
        add(
            &mut metrics,
            name,
            &table,
            written_in.as_deref(),
            is_in_lines,
            fields,
        );
        declare(metrics.names().skip(before), &table, sink);
    }
    metrics
}

/// Returns a result's metrics that are lists of samples. A `*` matches any key.
pub(super) fn samples(
    entry: &FormatSpec,
    fields: &Fields<'_>,
) -> Vec<(String, Vec<Option<Value>>)> {
    let mut all = Vec::new();
    for (name, input) in &entry.metrics {
        let table = input.table();
        match table.samples.as_deref() {
            Some(list) if matches!(fields.at(list), Json::Text(_)) => {
                let (text, unit) = (fields.text(list), unit_of(name));
                let values = text.split(',').map(|text| Json::Text(text.trim().into()));
                let values = values.map(|text| number(&text, table.r#in.as_deref(), || unit));
                all.push((name.clone(), values.collect()));
            }
            Some(list) if list.contains('*') => {
                fields.each(list, |star, list| {
                    all.push((name.replace('*', star), list.samples("")));
                });
            }
            Some(list) => match fields.at(list).samples("") {
                values if values.is_empty() => {}
                values => all.push((name.clone(), values)),
            },
            None => {}
        }
    }
    all
}

/// Returns the metric and its value according to the fields `value`, `unit`, `metric` and `direction`. Used if the
/// description lists no metrics.
fn by_convention(fields: &Fields<'_>, sink: &mut Rows<'_>) -> (String, Option<Value>) {
    let [unit, metric] = ["unit", "metric"].map(|field| fields.text(field));
    let better = match fields.text("direction").to_lowercase().as_str() {
        "lower" | "smaller" | "less" | "down" => Some(Direction::Lower),
        "higher" | "bigger" | "more" | "up" => Some(Direction::Higher),
        _ => None,
    };
    let suffix = suffix(&unit).unwrap_or_default();
    let name = match (metric.as_str(), suffix) {
        ("", "") => custom::metric(0, &unit, better, sink),
        ("", "Ns") => "timeNs".to_owned(),
        ("", _) => "sizeBytes".to_owned(),
        (metric, suffix) => format!("{metric}{suffix}"),
    };
    let meaning = Meaning::of_name(&name);
    let implied = Meaning::of_name(&unit).direction;
    if let Some(direction) =
        better.or(Some(implied).filter(|_| meaning.direction == Direction::Unknown))
    {
        sink.means_direction(&name, meaning.unit, direction);
    }
    let value = number(
        fields.at("value"),
        Some(&unit)
            .filter(|_| !suffix.is_empty())
            .map(String::as_str),
        || unit_of(&name),
    );
    (name, value)
}

/// Adds a metric. If its field contains a `*`, adds one metric for each match.
fn add(
    metrics: &mut Metrics,
    name: Cow<'static, str>,
    table: &MetricTable,
    written_in: Option<&str>,
    is_in_lines: bool,
    fields: &Fields<'_>,
) {
    if let Some(object) = &table.sum {
        let is_counted = |key: &str| {
            (table.only.is_empty() || is_among(&table.only, key)) && !is_among(&table.except, key)
        };
        let sum = match fields.at(object) {
            Json::Text(pairs) => {
                let mut sum = 0_i64;
                for pair in pairs.split_whitespace() {
                    let (key, count) = pair.split_once(':').unwrap_or(("", pair));
                    let count = plain(count).and_then(|count| count.parse().ok());
                    sum = sum.saturating_add(count.filter(|_| is_counted(key)).unwrap_or(0));
                }
                sum
            }
            Json::Null if is_in_lines => return,
            object => object.sum(is_counted),
        };
        return metrics.add(name, Some(Value::Int(sum)));
    }
    let Some(field) = &table.value else { return };
    if field.contains(['*', '[']) {
        return fields.each(field, |star, value| {
            let star = star.replace('_', ".");
            let number_of_star = star.parse::<f64>().ok();
            let least = table.at_least.unwrap_or(f64::NEG_INFINITY);
            if table.at_least.is_none() || number_of_star.is_some_and(|star| star >= least) {
                let name = name.replace('*', &star);
                let value = number(value, written_in, || unit_of(&name));
                metrics.add(name, value);
            }
        });
    }
    let unit = || unit_of(&name);
    let mut value = number(fields.at(field), written_in, unit);
    if table.absent_is_zero && *fields.at(field) == Json::Null && !metrics.is_empty() {
        value = Some(Value::Int(0));
    }
    let mut margin = None;
    if let Some(field) = &table.margin {
        margin = number(fields.at(field), written_in, unit).map(Value::as_f64);
    }
    metrics.add_with_margin(name, value, margin);
}

/// Returns the unit that a metric's name implies.
pub(crate) fn unit_of(name: &str) -> &'static UnitLine {
    Meaning::of_name(spread_of(name).unwrap_or(name))
        .unit
        .line()
}

/// Declares the unit, the direction and the label that the description sets for these metrics.
fn declare<'m>(names: impl Iterator<Item = &'m str>, table: &MetricTable, sink: &mut Rows<'_>) {
    let MetricTable {
        unit,
        better,
        label,
        ..
    } = table;
    if unit.is_none() && better.is_none() && label.is_none() {
        return;
    }
    for name in names {
        let known = Meaning::of_name(name);
        let (unit, direction) = (
            unit.unwrap_or(known.unit),
            better.unwrap_or(known.direction),
        );
        let meaning = Meaning {
            unit,
            direction,
            exact: false,
        };
        sink.declare(
            name,
            Declared {
                label: label.clone(),
                meaning,
            },
        );
    }
}

/// Reads a number and converts it to the unit that the metric's name implies. The number's own unit is `written_in`, or
/// follows it in the text.
pub(crate) fn number(
    json: &Json<'_>,
    written_in: Option<&str>,
    unit: impl Fn() -> &'static UnitLine,
) -> Option<Value> {
    let text = match (json, written_in) {
        (Json::Number(value), None) => return Some(*value),
        (Json::Number(value), _) => Cow::Owned(value.to_string()),
        (Json::Text(text), _) => Cow::Borrowed(text.trim()),
        _ => return None,
    };
    if let Some(written_in) = written_in {
        return converted(&plain(&text)?, written_in.trim(), unit());
    }
    let of_plain = |text: &str| plain(text).and_then(|number| Value::parse(&number));
    of_plain(&text).or_else(|| {
        let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.,eE".contains(c)))?;
        let (number, written_in) = text.split_at(end);
        converted(
            &plain(number.trim_end_matches(['e', 'E']))?,
            written_in.trim(),
            unit(),
        )
        .or_else(|| duration(&text, unit()))
    })
}

/// Reads a time that consists of several parts, such as `1m2.5s`.
fn duration(text: &str, unit: &UnitLine) -> Option<Value> {
    if unit.family != UnitFamily::Time {
        return None;
    }
    let (mut rest, mut all) = (text, 0.0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, behind) = rest.split_at(end);
        let next = behind
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(behind.len());
        all += nanoseconds(number, behind[..next].trim())?.as_f64();
        rest = &behind[next..];
    }
    shifted(&Value::new(all)?.to_string(), -places(unit))
}

/// Removes the thousands separators from a number. Returns `None` if there are such characters in other places.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    const MARKS: [char; 4] = [',', ' ', '\u{a0}', '\u{202f}'];
    let Some(mark) = text.chars().find(|c| MARKS.contains(c)) else {
        return Some(Cow::Borrowed(text));
    };
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(mark);
    let first = groups.next()?.trim_start_matches(['-', '+']);
    let are_grouped = groups.clone().next().is_none()
        || ((1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3));
    are_grouped.then(|| text.replace(mark, "").into())
}

/// Converts a number to the unit that a metric's name implies.
fn converted(number: &str, unit: &str, known: &UnitLine) -> Option<Value> {
    match known.family {
        UnitFamily::Time if unit == "h:mm:ss" => {
            shifted(&clock(number)?.to_string(), 9 - places(known))
        }
        UnitFamily::Time => nanoseconds(number, time_symbol(unit))
            .and_then(|value| shifted(&value.to_string(), -places(known))),
        UnitFamily::Bytes | UnitFamily::ByteRate => {
            let size = unit
                .trim_end_matches("/s")
                .trim_end_matches("/sec")
                .trim_end_matches("ps");
            quantity(
                number,
                if ["bytes", "iB"].contains(&size) {
                    "B"
                } else {
                    size
                },
                "B",
            )
        }
        _ if unit == "percent" => shifted(number, -2),
        // If the name implies no unit, reject times and sizes: one row could be in ms and the next in s.
        _ if suffix(unit).is_some() => None,
        _ => quantity(
            number,
            unit.trim_end_matches("/s").trim_end_matches("/sec"),
            "",
        )
        .or_else(|| Value::parse(number)),
    }
}

/// Returns the suffix of metric names for numbers with this unit, if it is a unit of time or size. Such numbers are
/// converted to nanoseconds or bytes.
pub(crate) fn suffix(unit: &str) -> Option<&'static str> {
    let is_size = || quantity("1", unit, "B").is_some();
    if nanoseconds("1", unit).is_some() {
        Some("Ns")
    } else {
        is_size().then_some("Bytes")
    }
}

/// Returns the number of places by which the decimal point moves in a conversion from this unit to nanoseconds.
fn places(unit: &UnitLine) -> i32 {
    unit.shown.and_then(to_nanoseconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_to_the_unit_of_the_name() {
        let text = |text: &'static str| Json::Text(text.into());
        for (value, unit, metric, expected) in [
            ("1.5", Some("ms"), "timeNs", Some("1500000")),
            ("1,234.5", None, "opsPerSecond", Some("1234.5")),
            ("147 663.5", None, "opsPerSecond", Some("147663.5")),
            ("12,5", None, "score", None),
            ("1.5 µs", None, "timeMs", Some("0.0015")),
            ("250ms", None, "timeS", Some("0.25")),
            ("2 KiB", None, "sizeBytes", Some("2048")),
            ("1.2k", None, "opsPerSecond", Some("1200")),
            ("n/a", None, "timeNs", None),
            ("12 ms", None, "elapsed", None),
            ("12 %", None, "usage", Some("12")),
            ("7", Some("parsecs"), "timeNs", None),
        ] {
            let found =
                number(&text(value), unit, || unit_of(metric)).map(|value| value.to_string());
            assert_eq!(found.as_deref(), expected, "{value} {unit:?} {metric}");
        }
    }
}
