//! criterion's folder `target/criterion`, in which each benchmark has `new/benchmark.json`, `new/estimates.json`
//! and `new/sample.json`: here they come one behind the other. The first names what the others measured.

use std::borrow::Cow;
use std::io;

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Number, Piece};
use crate::rows::{Cells, Process, RowCollector};
use perf_model::row::{AGGREGATE, Value};

pub(crate) const FORMAT: Format = Format {
    name: "criterion",
    about: "criterion's folder `target/criterion`: time of every sample, throughput",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
    let is_estimates = has(&["point_estimate", "std_dev"]) || has(&["point_estimate", "StdDev"]);
    if has(&["group_id", "full_id"]) || is_estimates || has(&["sampling_mode", "iters", "times"]) {
        Likeness::Yes
    } else if has(&["confidence_interval", "point_estimate"]) {
        Likeness::Near("contains changes, not measurements")
    } else {
        Likeness::No
    }
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    let mut open = Open { unnamed: unnamed(sink.input()), ..Open::default() };
    json::pieces(source, sink, &[&[]], |piece: &Piece<'_>, sink| open.add(piece, sink))?;
    open.close(sink);
    Ok(())
}

/// What a file without `benchmark.json` in front measured, by its own name: the folder of the benchmark in that of
/// criterion, else the file.
fn unnamed(input: &str) -> String {
    const FILES: [&str; 2] = ["estimates.json", "sample.json"];
    let parts: Vec<&str> = input.split(['/', '\\']).collect();
    let folders = match parts.as_slice() {
        [folders @ .., _, file] if FILES.contains(file) => folders,
        [folders @ .., "new"] => folders,
        _ => return parts.last().map_or("", |file| file.split('.').next().unwrap_or_default()).to_owned(),
    };
    match folders.iter().position(|folder| *folder == "criterion") {
        Some(at) => folders[at + 1..].join("/"),
        None => folders.last().copied().unwrap_or_default().to_owned(),
    }
}

/// Any of the three files.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    group_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    value_str: Option<Cow<'a, str>>,
    #[serde(borrow)]
    full_id: Option<Cow<'a, str>>,
    /// What criterion calls it in reports: the second one of a name ends in ` #2`.
    #[serde(borrow)]
    title: Option<Cow<'a, str>>,
    throughput: Option<Throughput>,
    #[serde(alias = "Mean")]
    mean: Option<Estimate>,
    /// `null` when all samples have as many iterations.
    #[serde(alias = "Slope")]
    slope: Option<Estimate>,
    #[serde(alias = "StdDev")]
    std_dev: Option<Estimate>,
    #[serde(alias = "MedianAbsDev")]
    median_abs_dev: Option<Estimate>,
    iters: Option<Vec<f64>>,
    times: Option<Vec<f64>>,
}

/// What one iteration does.
#[derive(Deserialize)]
struct Throughput {
    #[serde(rename = "Bytes", alias = "BytesDecimal")]
    bytes: Option<f64>,
    #[serde(rename = "Bits")]
    bits: Option<f64>,
    #[serde(rename = "Elements")]
    elements: Option<f64>,
    #[serde(rename = "ElementsAndBytes")]
    both: Option<ElementsAndBytes>,
}

#[derive(Deserialize)]
struct ElementsAndBytes {
    elements: f64,
    bytes: f64,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: Interval,
    point_estimate: Number,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: Number,
    upper_bound: Number,
}

/// The benchmark whose files are being read.
#[derive(Default)]
struct Open {
    /// What files measured that no other names.
    unnamed: String,
    name: Option<String>,
    line: u64,
    /// By the names of metrics, how much of it one iteration does.
    throughput: Vec<(&'static str, f64)>,
    estimates: Option<Estimates>,
    /// Nanoseconds of one iteration, sample by sample.
    samples: Vec<f64>,
}

struct Estimates {
    typical: Estimate,
    std_dev: Number,
    median_abs_dev: Number,
}

impl Open {
    fn add(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if piece.text().starts_with(b"[") {
            // Samples before criterion 0.3.4; other arrays are limits of outliers.
            if let Ok((iters, times)) = json::from_slice(piece.text()) {
                self.sample(piece, iters, times, sink);
            }
            return;
        }
        let Some(document) = piece.parse::<Document<'_>>(sink) else { return };
        match document {
            Document { group_id: Some(_), .. } | Document { full_id: Some(_), .. } => {
                self.close(sink);
                self.line = piece.line;
                self.throughput = document.throughput();
                self.name = Some(document.name());
            }
            Document { iters: Some(iters), times: Some(times), .. } => self.sample(piece, iters, times, sink),
            Document { mean: Some(mean), slope, std_dev: Some(std_dev), median_abs_dev, .. } => {
                self.place(piece);
                let median_abs_dev =
                    median_abs_dev.map(|estimate| estimate.point_estimate).unwrap_or_default();
                let (typical, std_dev) = (slope.unwrap_or(mean), std_dev.point_estimate);
                self.estimates = Some(Estimates { typical, std_dev, median_abs_dev });
            }
            // What changed since another run, and files of other tools.
            _ => {}
        }
    }

    fn sample(&mut self, piece: &Piece<'_>, iters: Vec<f64>, times: Vec<f64>, sink: &mut RowCollector<'_>) {
        self.place(piece);
        if iters.len() == times.len() && iters.iter().all(|count| *count > 0.0) {
            self.samples = times.into_iter().zip(iters).map(|(time, iters)| time / iters).collect();
        } else {
            sink.skip(piece.line, piece.text(), || "a time has no iteration count".to_owned());
        }
    }

    fn place(&mut self, piece: &Piece<'_>) {
        if self.line == 0 {
            self.line = piece.line;
        }
    }

    /// Gives the rows of the benchmark, as all its files were read.
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let unnamed = self.unnamed.clone();
        let closed = std::mem::replace(self, Self { unnamed, ..Self::default() });
        let Self { unnamed, name, line, throughput, estimates, samples } = closed;
        if line == 0 {
            return;
        }
        let name = name.unwrap_or(unnamed);
        let cells = Cells::of(&name);
        rows(line, &cells, "timeNs", &samples, &throughput, sink);
        match estimates {
            _ if !samples.is_empty() => {}
            Some(estimates) => estimates.row(line, &cells, &throughput, sink),
            None => {
                sink.skip(line, name.as_bytes(), || format!("`{name}` has neither samples nor estimates"));
            }
        }
    }
}

impl Document<'_> {
    fn name(&self) -> String {
        let Self { full_id, group_id, function_id, value_str, title, .. } = self;
        if let Some(name) = full_id {
            let number = title.as_deref().and_then(number).filter(|number| !name.ends_with(*number));
            return format!("{name}{}", number.unwrap_or_default());
        }
        let parts: Vec<&str> =
            [group_id, function_id, value_str].into_iter().flatten().map(AsRef::as_ref).collect();
        parts.join("/")
    }

    fn throughput(&self) -> Vec<(&'static str, f64)> {
        let Some(Throughput { bytes, bits, elements, both }) = &self.throughput else { return Vec::new() };
        let (elements, bytes) = match both {
            Some(both) => (Some(both.elements), Some(both.bytes)),
            None => (*elements, *bytes),
        };
        let all = [("bytesPerSecond", bytes), ("bitsPerSecond", *bits), ("itemsPerSecond", elements)];
        all.into_iter().filter_map(|(metric, each)| Some((metric, each?))).collect()
    }
}

/// The number that Criterion puts behind the title of a second benchmark of one name: ` #2`.
fn number(title: &str) -> Option<&str> {
    let at = title.rfind(" #")?;
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number(&title[at + 2..]).then_some(&title[at..])
}

impl Estimates {
    fn row(
        &self,
        line: u64,
        cells: &Cells<'_>,
        throughput: &[(&'static str, f64)],
        sink: &mut RowCollector<'_>,
    ) {
        let Interval { lower_bound, upper_bound } = &self.typical.confidence_interval;
        let times = [
            ("timeNs", self.typical.point_estimate),
            ("timeNs.lower", *lower_bound),
            ("timeNs.upper", *upper_bound),
            ("timeNs.stddev", self.std_dev),
            ("timeNs.mad", self.median_abs_dev),
        ];
        let typical = self.typical.point_estimate.as_f64();
        let rates = throughput.iter().map(|(metric, each)| (*metric, typical.and_then(|ns| rate(*each, ns))));
        let times = times.into_iter().map(|(metric, number)| (metric, number.0));
        sink.measured(line, &Cells { run_index: AGGREGATE, ..*cells }, times.chain(rates));
    }
}

/// Gives a row for every sample: its time, and by the names of metrics how much was done in it, when one
/// iteration does so much.
pub(crate) fn rows(
    line: u64,
    cells: &Cells<'_>,
    metric: &str,
    samples: &[f64],
    throughput: &[(&str, f64)],
    sink: &mut RowCollector<'_>,
) {
    let names: Vec<&str> =
        std::iter::once(metric).chain(throughput.iter().map(|(metric, _)| *metric)).collect();
    let mut runs = sink.runs(line, &Cells { process: Process::of_line(line), ..*cells }, &names);
    for (run_index, time) in (0..).zip(samples) {
        let rates = throughput.iter().map(|(_, each)| rate(*each, *time));
        runs.row(run_index, cells.outcome, std::iter::once(Value::new(*time)).chain(rates));
    }
}

/// The rate per second of an iteration that does `each` in `ns`.
fn rate(each: f64, ns: f64) -> Option<Value> {
    Value::new(each * 1e9 / ns)
}
