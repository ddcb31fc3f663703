//! Criterion's folder `target/criterion`. Each benchmark has `new/benchmark.json`, `new/estimates.json` and
//! `new/sample.json`, which are read in this order because the first one contains the name.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("criterion")
    .about("criterion's folder `target/criterion`: time of every sample, throughput")
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(read);

const KEYS: KeySets = &[
    (&["group_id", "full_id"], Likeness::Yes),
    (&["point_estimate", "std_dev"], Likeness::Yes),
    (&["sampling_mode", "iters", "times"], Likeness::Yes),
    (
        &["confidence_interval", "point_estimate"],
        Likeness::Near("contains changes, not measurements"),
    ),
];

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut open = Open {
        unnamed: unnamed(sink.input()),
        ..Open::default()
    };
    json::pieces(input, sink, &[&[]], |piece: &Piece<'_>, sink| {
        open.add(piece, sink);
    });
    open.close(sink);
}

/// Returns the name to use if `benchmark.json` is missing: the path of the folder below `criterion`, or the folder's name.
/// For a file outside of Criterion's folders, its name up to the first dot.
fn unnamed(input: &str) -> String {
    const FILES: [&str; 2] = ["estimates.json", "sample.json"];
    let parts: Vec<&str> = input.split(['/', '\\']).collect();
    let folders = match parts.as_slice() {
        [folders @ .., _, file] if FILES.contains(file) => folders,
        [folders @ .., "new"] => folders,
        _ => {
            return parts
                .last()
                .map_or("", |file| file.split('.').next().unwrap_or_default())
                .to_owned();
        }
    };
    match folders.iter().position(|folder| *folder == "criterion") {
        Some(at) => folders[at + 1..].join("/"),
        None => folders.last().copied().unwrap_or_default().to_owned(),
    }
}

/// The benchmark whose files are being read.
#[derive(Default)]
struct Open {
    /// The name for files without a `benchmark.json`.
    unnamed: String,
    name: Option<String>,
    line: u64,
    /// The work that one iteration does, for each rate.
    throughput: Vec<Throughput>,
    estimates: Option<Metrics>,
    /// Nanoseconds per iteration in each sample.
    samples: Vec<f64>,
}

/// The metrics from the estimate that represents one iteration: the value and the ends of its interval.
const TYPICAL: [(&str, &str); 3] = [
    ("timeNs", "point_estimate"),
    ("timeNs.lower", "confidence_interval/lower_bound"),
    ("timeNs.upper", "confidence_interval/upper_bound"),
];

/// Returns the metrics from `estimates.json`; `None` for another document. The slope is preferred to the mean, but is
/// missing if all samples have the same number of iterations.
fn estimates(document: &Json<'_>) -> Option<Metrics> {
    // An estimate that Criterion did not compute is `null`.
    let estimate = |key| Some(document.at(key)).filter(|at| **at != Json::Null);
    let (mean, deviation) = (estimate("mean")?, estimate("std_dev")?);
    let mut metrics = estimate("slope").unwrap_or(mean).metrics(&TYPICAL);
    metrics.add("timeNs.stddev", deviation.number("point_estimate"));
    let median_deviation = estimate("median_abs_dev");
    metrics.add(
        "timeNs.mad",
        median_deviation.and_then(|estimate| estimate.number("point_estimate")),
    );
    Some(metrics)
}

/// The metric for a rate, and the work that one iteration does.
type Throughput = (&'static str, f64);

const THROUGHPUTS: [(&str, &str); 6] = [
    ("bytesPerSecond", "throughput/Bytes"),
    ("bytesPerSecond", "throughput/BytesDecimal"),
    ("bytesPerSecond", "throughput/ElementsAndBytes/bytes"),
    ("bitsPerSecond", "throughput/Bits"),
    ("itemsPerSecond", "throughput/Elements"),
    ("itemsPerSecond", "throughput/ElementsAndBytes/elements"),
];

fn throughput(document: &Json<'_>) -> Vec<Throughput> {
    let each = |path| document.number(path).map(Value::as_f64);
    THROUGHPUTS
        .iter()
        .filter_map(|(metric, path)| Some((*metric, each(path)?)))
        .collect()
}

/// Returns the benchmark's name in Criterion's reports. If two benchmarks have the same name, the second name ends with
/// ` #2`.
fn name(document: &Json<'_>) -> String {
    if let Some(name) = document.text("full_id") {
        let number = document
            .text("title")
            .and_then(number)
            .filter(|number| !name.ends_with(*number));
        return format!("{name}{}", number.unwrap_or_default());
    }
    let parts = ["group_id", "function_id", "value_str"]
        .into_iter()
        .filter_map(|key| document.text(key));
    parts.collect::<Vec<_>>().join("/")
}

impl Open {
    fn add(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        if piece.text().starts_with('[') {
            // Before Criterion 0.3.4, the samples were an array. Other arrays are outlier limits.
            if let Ok((iters, times)) = serde_json::from_str(piece.text()) {
                self.sample(piece, iters, times, sink);
            }
            return;
        }
        let Some(document) = piece.object(Shape::of("a Criterion file", &[]), sink) else {
            return;
        };
        let numbers = |key: &str| {
            let numbers = document.samples(key).into_iter();
            numbers
                .map(|number| number.map(Value::as_f64))
                .collect::<Option<Vec<f64>>>()
        };
        if document.has("group_id") || document.has("full_id") {
            self.close(sink);
            self.line = piece.line;
            self.throughput = throughput(&document);
            self.name = Some(name(&document));
        } else if document.has("iters") && document.has("times") {
            let (iters, times) = (
                numbers("iters").unwrap_or_default(),
                numbers("times").unwrap_or(vec![0.0]),
            );
            self.sample(piece, iters, times, sink);
        } else if let Some(estimates) = estimates(&document) {
            self.place(piece);
            self.estimates = Some(estimates);
        } // otherwise changes since another run, or a file from another tool
    }

    fn sample(&mut self, piece: &Piece<'_>, iters: Vec<f64>, times: Vec<f64>, sink: &mut Rows<'_>) {
        self.place(piece);
        if iters.len() == times.len() && iters.iter().all(|count| *count > 0.0) {
            self.samples = times
                .into_iter()
                .zip(iters)
                .map(|(time, iters)| time / iters)
                .collect();
        } else {
            sink.skip(piece.line, piece.text(), || {
                "iterations and times do not match".to_owned()
            });
        }
    }

    fn place(&mut self, piece: &Piece<'_>) {
        if self.line == 0 {
            self.line = piece.line;
        }
    }

    /// Emits the benchmark's rows after all its files were read.
    fn close(&mut self, sink: &mut Rows<'_>) {
        let unnamed = self.unnamed.clone();
        let closed = std::mem::replace(
            self,
            Self {
                unnamed,
                ..Self::default()
            },
        );
        let Self {
            unnamed,
            name,
            line,
            throughput,
            estimates,
            samples,
        } = closed;
        if line == 0 {
            return;
        }
        let name = name.unwrap_or(unnamed);
        let cells = Cells::of(&name);
        rows(line, &cells, "timeNs", &samples, &throughput, sink);
        match estimates {
            _ if !samples.is_empty() => {}
            Some(mut estimates) => {
                let ns = estimates.get("timeNs").map(Value::as_f64);
                let rate =
                    |(metric, each): &Throughput| (*metric, ns.and_then(|ns| rate(*each, ns)));
                estimates.extend(throughput.iter().map(rate));
                sink.measured(line, &cells, &estimates);
            }
            None => {
                sink.skip(line, &name, || {
                    format!("`{name}` has neither samples nor estimates")
                });
            }
        }
    }
}

/// Returns the number that Criterion appends if a benchmark's name is already used: ` #2`.
fn number(title: &str) -> Option<&str> {
    let at = title.rfind(" #")?;
    let is_number =
        |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number(&title[at + 2..]).then_some(&title[at..])
}

/// Emits a row for every sample, with its time and its rates. `throughput` contains each rate's name and the work that
/// one iteration does.
pub(crate) fn rows(
    line: u64,
    cells: &Cells<'_>,
    metric: &str,
    samples: &[f64],
    throughput: &[(&str, f64)],
    sink: &mut Rows<'_>,
) {
    for (run_index, time) in (0..).zip(samples) {
        let sample = Cells {
            run_index,
            process: Process::of_line(line),
            ..*cells
        };
        let mut metrics = vec![(metric, Value::new(*time))];
        for (name, each) in throughput {
            metrics.push((*name, rate(*each, *time)));
        }
        sink.measured(line, &sample, metrics);
    }
}

/// Returns the rate per second if an iteration does `each` units of work in `ns` nanoseconds.
fn rate(each: f64, ns: f64) -> Option<Value> {
    Value::new(each * 1e9 / ns)
}
