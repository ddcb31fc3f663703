//! airspeed velocity's results, `results/<machine>/<commit>-<environment>.json`: for each benchmark and each
//! combination of its parameters a number, in seconds for times and bytes for memory.
//!
//! Source: `asv/results.py` of asv 0.6 (version 2 of the file, with `result_columns`) and 0.4 (version 1, where a
//! result is an object, or a number). Which unit a benchmark has stands in another file, so the prefix of its name
//! tells it. Of a result that is missing, `null` is a failure and `NaN` a combination that was left out.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("asv")
    .about("airspeed velocity's results, results/<machine>/*.json: time or memory of every benchmark with its interval")
    .samples(Samples::Iterations)
    .looks_like(|head| json::likeness(head, b"{", KEYS))
    .document(|source, sink| json::documents_with_nan(LEFT_OUT, source, sink, PATTERNS, Report::piece, Report::give));

const KEYS: &[(&[&str], Likeness)] = &[
    (&["commit_hash", "results", "result_columns"], Likeness::Yes),
    (&["commit_hash", "results", "env_name"], Likeness::Yes),
    (
        &["commit_hash", "results", "params", "requirements"],
        Likeness::Yes,
    ),
];

const PATTERNS: &[&[&str]] = &[
    &["commit_hash"],
    &["python"],
    &["requirements"],
    &["params"],
    &["result_columns"],
    &["results", "*"],
];

/// The JSON that stands for a combination that was left out, in place of `NaN`.
const LEFT_OUT: &str = "\"left out\"";

/// A file, whose results wait for what tells where they were measured.
#[derive(Default)]
struct Report {
    commit: String,
    python: String,
    requirements: Vec<String>,
    machine: String,
    class: Option<String>,
    /// The names of the columns of results; empty in version 1.
    columns: Vec<String>,
    results: Vec<(u64, String, Json<'static>)>,
}

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        let Some(value) = piece.parse(sink).map(Json::into_owned) else {
            return;
        };
        match piece.pattern {
            0 => value.text_or_empty("").clone_into(&mut self.commit),
            1 => value.text_or_empty("").clone_into(&mut self.python),
            2 => {
                let requirement =
                    |name: &str, version: &Json<'_>| joined([name, version.text_or_empty("")], " ");
                let all = value.entries().iter();
                self.requirements = all
                    .map(|(name, version)| requirement(name, version))
                    .collect();
            }
            3 => {
                let word = |key| {
                    value
                        .text_or_empty(key)
                        .split_whitespace()
                        .next()
                        .unwrap_or_default()
                };
                self.machine = joined([word("os"), word("arch")], " ");
                self.class = value
                    .text("cpu")
                    .filter(|cpu| !cpu.is_empty())
                    .map(machine_class);
            }
            4 => self.columns = value.list("").iter().map(Json::to_string).collect(),
            _ => {
                let name = piece.path.last().cloned().unwrap_or_default();
                self.results.push((piece.line, name, value.into_owned()));
            }
        }
    }

    fn give(self, sink: &mut RowCollector<'_>) {
        let first = self.results.first().filter(|_| self.commit.is_empty());
        if let Some((line, ..)) = first {
            return sink.skip(*line, b"", || {
                "unexpected JSON: missing field `commit_hash`".to_owned()
            });
        }
        let place = Provenance {
            platform: self.platform(),
            machine_class: self.class,
        };
        for (line, name, result) in &self.results {
            let cells = Cells {
                commit: &self.commit,
                ..place.cells(name)
            };
            Benchmark::of(result, &self.columns).rows(*line, &cells, sink);
        }
    }

    /// `Linux x86_64, Python 3.12, numpy 2.0`: another environment is another measurement.
    fn platform(&self) -> String {
        let is_version = !self.python.is_empty() && !self.python.contains(['/', '\\']);
        let python = if is_version {
            format!("Python {}", self.python)
        } else {
            String::new()
        };
        let requirements = self.requirements.iter().map(String::as_str);
        joined(
            [&*self.machine, &*python].into_iter().chain(requirements),
            ", ",
        )
    }
}

/// The results of a benchmark for each combination of its parameters.
struct Benchmark<'r> {
    /// There is no list of a benchmark that failed as a whole.
    results: Option<&'r [Json<'r>]>,
    parameters: &'r [Json<'r>],
    intervals: Vec<[Option<Value>; 2]>,
    samples: &'r [Json<'r>],
}

impl<'r> Benchmark<'r> {
    fn of(result: &'r Json<'r>, columns: &[String]) -> Self {
        if columns.is_empty() {
            return Self::of_first_version(result);
        }
        let column = |wanted| {
            let at = columns.iter().position(|column| column == wanted);
            at.and_then(|at| result.list("").get(at))
                .unwrap_or(&Json::Null)
        };
        let [lower, upper] = ["stats_ci_99_a", "stats_ci_99_b"].map(|end| column(end).samples(""));
        let upper_of = |at: usize| upper.get(at).copied().flatten();
        Self {
            results: matches!(column("result"), Json::List(_)).then(|| column("result").list("")),
            parameters: column("params").list(""),
            intervals: lower
                .into_iter()
                .enumerate()
                .map(|(at, lower)| [lower, upper_of(at)])
                .collect(),
            samples: column("samples").list(""),
        }
    }

    /// A number, or an object with the statistics of each combination.
    fn of_first_version(result: &'r Json<'r>) -> Self {
        let results = if matches!(result, Json::Object(_)) {
            result.at("result")
        } else {
            result
        };
        let end = |stats: &Json<'_>, at: usize| stats.list("ci_99").get(at)?.as_number();
        let stats = result.list("stats").iter();
        Self {
            results: match results {
                Json::Null => None,
                Json::List(all) => Some(all),
                one => Some(std::slice::from_ref(one)),
            },
            parameters: result.list("params"),
            intervals: stats.map(|stats| [end(stats, 0), end(stats, 1)]).collect(),
            samples: &[],
        }
    }

    fn rows(&self, line: u64, cells: &Cells<'_>, sink: &mut RowCollector<'_>) {
        let (name, metric) = (cells.scenario, metric_of(cells.scenario));
        let Some(results) = self.results else {
            return sink.without_metrics(line, cells, Outcome::Failed);
        };
        let combinations = combinations(self.parameters);
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
            let samples = self
                .samples
                .get(at)
                .map(|samples| samples.samples(""))
                .unwrap_or_default();
            sink.samples(line, &cells, metric, &samples);
            if samples.is_empty() {
                let [lower, upper] = self.intervals.get(at).copied().unwrap_or_default();
                let mut metrics = Metrics::default();
                let parts = [
                    ("", result.as_number()),
                    (".lower", lower),
                    (".upper", upper),
                ];
                metrics.add_parts(metric, parts);
                sink.measured(line, &cells, &metrics);
            }
        }
    }
}

/// The values of each combination, the last parameter changing first.
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

/// Returns the metric that the prefix of a benchmark's name stands for.
fn metric_of(name: &str) -> &'static str {
    let last = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    match last.split('_').next() {
        Some("mem") => "memoryBytes",
        Some("peakmem") => "peakMemoryBytes",
        Some("track") => "value",
        _ => "timeS",
    }
}
