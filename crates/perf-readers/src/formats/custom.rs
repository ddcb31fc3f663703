//! The JSON that github-action-benchmark accepts for any tool: `[{name, unit, value, range, extra}]`.
//!
//! The JSON does not contain the direction, which users of the action set with its input `tool`. So there are three
//! formats: `custom` infers the direction from the unit, and the other two must be selected by name. In all three, the
//! unit determines the metric's name.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("custom")
    .about("JSON `[{name, unit, value, range}]` of github-action-benchmark; direction inferred from the unit")
    .looks_like(looks_like)
    .document(|input, sink| read(None, input, sink));

pub(crate) const SMALLER: Format = Format::named("custom-smaller-is-better")
    .about("the same, smaller is better; only with `--format`")
    .document(|input, sink| read(Some(Direction::Lower), input, sink));

pub(crate) const BIGGER: Format = Format::named("custom-bigger-is-better")
    .about("the same, bigger is better; only with `--format`")
    .document(|input, sink| read(Some(Direction::Higher), input, sink));

fn looks_like(head: &str) -> Likeness {
    let begins = json::begins(head, &["[", "{", "name|unit|value|range|extra", ":"]);
    match begins && json::has_keys(head, "[", &["name", "value"]) {
        true if json::has_keys(head, "[", &["unit"]) => Likeness::Yes,
        true => Likeness::Near("has `name` and `value`, but no `unit`"),
        false if head.trim_start().starts_with("window.BENCHMARK_DATA") => {
            Likeness::Near("is the history of github-action-benchmark: pass it with `--history`")
        }
        false => Likeness::No,
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Benchmark<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    unit: Cow<'a, str>,
    value: Number,
    /// The margin of error: `± 20`, `3` or `5%`.
    #[serde(default, borrow)]
    range: Option<Json<'a>>,
}

/// A document's benchmarks. Entries with the same name and different units are one row.
#[derive(Default)]
struct Report {
    rows: Vec<(u64, String, Metrics)>,
    /// The index in `rows` of the first row with each name.
    places: HashMap<String, usize>,
}

fn read(better: Option<Direction>, input: &Input<'_>, sink: &mut Rows<'_>) {
    let take = |report: &mut Report, piece: &Piece<'_>, sink: &mut Rows<'_>| {
        if let Some(benchmark) = piece.parse::<Benchmark<'_>>(sink) {
            let metric = metric(piece.line, &benchmark.unit, better, sink);
            report.add(piece.line, &metric, &benchmark);
        }
    };
    json::documents(input, sink, &[&["*"]], take, |report, sink| {
        for (line, name, metrics) in &report.rows {
            sink.measured(*line, &Cells::of(name), metrics);
        }
    });
}

impl Report {
    fn add(&mut self, line: u64, metric: &str, benchmark: &Benchmark<'_>) {
        let (value, margin) = (benchmark.value.0, benchmark.margin());
        let factor = known_unit(&benchmark.unit).map_or(1.0, |(_, factor)| factor);
        let mut metrics = Metrics::default();
        if factor > 1.0 {
            let scaled = value.and_then(|value| Value::new(value.as_f64() * factor));
            let margin = margin.map(|margin| margin * factor);
            metrics.add_with_margin(metric.to_owned(), scaled, margin);
        } else {
            metrics.add_with_margin(metric.to_owned(), value, margin);
        }
        let name = &*benchmark.name;
        if let Some(place) = self.places.get(name) {
            let (_, _, known) = &mut self.rows[*place];
            if !known.has(metric) {
                known.extend(metrics);
                return;
            }
        } else {
            self.places.insert(name.to_owned(), self.rows.len());
        }
        self.rows.push((line, name.to_owned(), metrics));
    }
}

/// Returns the metric for a well-known unit, and the factor that converts the number to the metric's unit.
fn known_unit(unit: &str) -> Option<(&'static str, f64)> {
    let unit = unit.trim().to_lowercase();
    let each = unit.strip_suffix("/iter").or(unit.strip_suffix("/op"));
    let known = match each.unwrap_or(&unit) {
        "min" | "mins" | "minute" | "minutes" => ("timeS", 60.0),
        "h" | "hour" | "hours" => ("timeS", 3600.0),
        "ops/s" | "ops/sec" => ("opsPerSecond", 1.0),
        "req/s" | "req/sec" | "requests/s" | "requests/sec" => ("requestsPerSecond", 1.0),
        time => match time_symbol(time) {
            "ns" => ("timeNs", 1.0),
            "us" => ("timeUs", 1.0),
            "ms" => ("timeMs", 1.0),
            "s" => ("timeS", 1.0),
            _ => return None,
        },
    };
    Some(known)
}

/// Returns the metric's name for numbers with this unit.
pub(crate) fn metric_name(unit: &str) -> &str {
    match known_unit(unit) {
        Some((metric, _)) => metric,
        None if unit.trim().is_empty() => "value",
        None => unit.trim(),
    }
}

/// Returns the metric for this unit. If the format's direction differs from the one that the metric's name implies,
/// declares the format's direction.
pub(super) fn metric(
    line: u64,
    unit: &str,
    better: Option<Direction>,
    sink: &mut Rows<'_>,
) -> String {
    let name = metric_name(unit);
    let meaning = Meaning::of_name(name);
    sink.see_unit(line, name);
    if let Some(direction) = better.filter(|better| *better != meaning.direction) {
        sink.declare(
            name,
            Declared {
                label: None,
                meaning: Meaning {
                    direction,
                    ..meaning
                },
            },
        );
    }
    name.to_owned()
}

impl Benchmark<'_> {
    /// Returns the margin of error in the value's unit.
    fn margin(&self) -> Option<f64> {
        let Json::Text(range) = self.range.as_ref()? else {
            return Some(self.range.as_ref()?.as_number()?.as_f64());
        };
        let range = range.trim().trim_start_matches(['±', '+', '-', '/', ' ']);
        match range.strip_suffix('%') {
            Some(share) => {
                Some(self.value.as_f64()? * Value::parse(share.trim())?.as_f64() / 100.0)
            }
            None => Some(Value::parse(range)?.as_f64()),
        }
    }
}
