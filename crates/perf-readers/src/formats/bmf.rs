//! Bencher Metric Format: `{benchmark: {measure: {value, lower_value, upper_value}}}`.
//!
//! The format contains no units. They are inferred from the measures' names, except for Bencher's few built-in
//! measures, which are known.

use foldhash::fast::RandomState;

use crate::formats::common::prelude::*;
use perf_model::row::MOST_METRICS;

pub(crate) const FORMAT: Format = Format::named("bmf")
    .about("Bencher Metric Format: measures of every benchmark with their intervals")
    .looks_like(|head| json::begins(head, BEGINNING).into())
    .document(read);

/// The tokens at the beginning. Measures can have any name, so only the structure identifies the format.
const BEGINNING: &[&str] = &[
    "{",
    "*",
    ":",
    "{",
    "*",
    ":",
    "{",
    "value|lower_value|upper_value",
    ":",
    "0",
];

#[derive(Deserialize)]
#[serde(expecting = "a measure")]
struct Measure {
    value: Number,
    #[serde(default)]
    lower_value: Number,
    #[serde(default)]
    upper_value: Number,
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    // For each measure, the metric names for its value, its lower end and its upper end.
    let mut known: IndexMap<String, [String; 3], RandomState> = IndexMap::default();
    json::pieces(input, sink, &[&["*"]], |piece: &Piece<'_>, sink| {
        let Some(measures) = piece.parse::<IndexMap<Cow<'_, str>, Measure, RandomState>>(sink)
        else {
            return;
        };
        let Some(name) = piece.path.last() else {
            return;
        };
        if known.len() > MOST_METRICS {
            known.clear();
        }
        for measure in measures
            .keys()
            .filter(|measure| !known.contains_key(&***measure))
            .collect::<Vec<_>>()
        {
            declare(measure, sink);
            known.insert(
                measure.to_string(),
                ["", ".lower", ".upper"].map(|end| format!("{measure}{end}")),
            );
        }
        let metrics = measures.iter().filter_map(
            |(
                measure,
                Measure {
                    value,
                    lower_value,
                    upper_value,
                },
            )| {
                let names = known.get(&**measure)?.each_ref().map(String::as_str);
                Some(
                    names
                        .into_iter()
                        .zip([value.0, lower_value.0, upper_value.0]),
                )
            },
        );
        sink.measured(piece.line, &Cells::of(name), metrics.flatten());
    });
}

/// Declares a measure's unit and direction if Bencher itself defines the measure.
pub(super) fn declare(measure: &str, sink: &mut Rows<'_>) {
    // Names are normalised as in Bencher's URLs.
    let (unit, direction) = match measure.to_lowercase().replace([' ', '_'], "-").as_str() {
        "latency" => (Unit::Ns, Direction::Lower),
        "throughput" => (Unit::PerSecond, Direction::Higher),
        "build-time" => (Unit::S, Direction::Lower),
        "file-size" => (Unit::Bytes, Direction::Lower),
        _ => return,
    };
    sink.means(measure, unit, direction);
}
