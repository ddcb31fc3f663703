//! airspeed velocity's results, `results/<machine>/<commit>-<environment>.json`. They contain a number for each
//! benchmark and each combination of its parameters. Times are in seconds, and memory sizes in bytes.
//!
//! The benchmark's unit is in another file, so it is inferred from the prefix of the benchmark's name. A result of
//! `null` means that the benchmark failed, and `NaN` that the combination was skipped.
//!
//! Source: `asv/results.py` of asv 0.6, which writes version 2 of the files.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("asv")
    .about("airspeed velocity's results, results/<machine>/*.json: time or memory of every benchmark with its interval")
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(|input, sink| {
        let take = |(): &mut (), piece: &Piece<'_>, sink: &mut Rows<'_>| {
            if let Some(document) = piece.parse::<Json<'_>>(sink) {
                give(&document, piece.line, sink);
            }
        };
        json::documents_with_nan(LEFT_OUT, input, sink, &[&[]], take, |(), _| ());
    });

const KEYS: KeySets = &[
    (&["commit_hash", "results", "result_columns"], Likeness::Yes),
    (&["commit_hash", "results", "env_name"], Likeness::Yes),
    (
        &["commit_hash", "results", "params", "requirements"],
        Likeness::Yes,
    ),
];

/// The JSON that replaces `NaN`, which marks a skipped combination.
const LEFT_OUT: &str = "\"left out\"";

fn give(document: &Json<'_>, line: u64, sink: &mut Rows<'_>) {
    let columns = document.list("result_columns");
    for (problem, is_found) in [
        (
            "unexpected JSON: missing field `commit_hash`",
            !document.has("commit_hash"),
        ),
        (
            "results from asv before 0.5: `asv update` converts them",
            columns.is_empty(),
        ),
    ] {
        if is_found {
            return sink.skip(line, "", || problem.to_owned());
        }
    }
    let cpu = document.text("params/cpu").filter(|cpu| !cpu.is_empty());
    let provenance = Provenance {
        platform: platform(document),
        machine_class: cpu.map(machine_class),
    };
    for (name, result) in document.at("results").entries() {
        let column = |wanted: &str| {
            let at = columns
                .iter()
                .position(|column| column.text("") == Some(wanted));
            at.and_then(|at| result.list("").get(at))
                .unwrap_or(&Json::Null)
        };
        let cells = Cells {
            commit: document.text_or_empty("commit_hash"),
            ..provenance.cells(name)
        };
        benchmark(column, line, &cells, sink);
    }
}

/// Returns the platform, such as `Linux x86_64, Python 3.12, numpy 2.0`. Results from different environments are
/// different measurements.
fn platform(document: &Json<'_>) -> String {
    let word = |path| {
        let text = document.text_or_empty(path);
        text.split_whitespace().next().unwrap_or_default()
    };
    let mut parts = vec![joined([word("params/os"), word("params/arch")], " ")];
    let python = document.text_or_empty("python");
    if !python.is_empty() && !python.contains(['/', '\\']) {
        parts.push(format!("Python {python}"));
    }
    for (name, version) in document.at("requirements").entries() {
        parts.push(joined([name, version.text_or_empty("")], " "));
    }
    joined(parts.iter().map(String::as_str), ", ")
}

/// Emits a benchmark's results for each combination of its parameters.
fn benchmark<'j>(
    column: impl Fn(&str) -> &'j Json<'j>,
    line: u64,
    cells: &Cells<'_>,
    sink: &mut Rows<'_>,
) {
    let (name, metric) = (cells.scenario, metric_of(cells.scenario));
    let Json::List(results) = column("result") else {
        return sink.without_metrics(line, cells, Outcome::Failed);
    };
    let combinations = combinations(column("params").list(""));
    let [lower, upper] = ["stats_ci_99_a", "stats_ci_99_b"].map(|end| column(end).samples(""));
    for (at, result) in results.iter().enumerate() {
        let outcome = match result {
            Json::Null => Outcome::Failed,
            Json::Text(_) => Outcome::Skipped,
            _ => Outcome::Measured,
        };
        let scenario = match combinations.get(at).map(String::as_str) {
            None | Some("") => name.to_owned(),
            Some(parameters) => format!("{name}({parameters})"),
        };
        let cells = Cells {
            scenario: &scenario,
            outcome,
            ..*cells
        };
        let samples = column("samples").list("").get(at);
        let samples = samples
            .map(|samples| samples.samples(""))
            .unwrap_or_default();
        sink.samples(line, &cells, metric, &samples);
        if samples.is_empty() {
            let end = |ends: &[Option<Value>]| ends.get(at).copied().flatten();
            let parts = [
                ("", result.as_number()),
                (".lower", end(&lower)),
                (".upper", end(&upper)),
            ];
            let mut metrics = Metrics::default();
            metrics.add_parts(metric, parts);
            sink.measured(line, &cells, &metrics);
        }
    }
}

/// Returns each combination's parameter values as text. The last parameter changes fastest.
fn combinations(parameters: &[Json<'_>]) -> Vec<String> {
    let mut all = vec![String::new()];
    for values in parameters
        .iter()
        .filter(|values| matches!(values, Json::List(_)))
    {
        let values: Vec<String> = values.list("").iter().map(Json::to_string).collect();
        let with = |before: &String| {
            let between = if before.is_empty() { "" } else { ", " };
            values
                .iter()
                .map(|value| format!("{before}{between}{value}"))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// Returns the metric that the prefix of a benchmark's name implies.
fn metric_of(name: &str) -> &'static str {
    let last = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    match last.split('_').next() {
        Some("mem") => "memoryBytes",
        Some("peakmem") => "peakMemoryBytes",
        Some("track") => "value",
        _ => "timeS",
    }
}
