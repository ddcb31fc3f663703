//! pyperf's JSON, which contains the values of every process for each benchmark. They are in seconds, in bytes, or
//! without a unit.
//!
//! Source: `pyperf/_bench.py` of pyperf 2.10.0.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("pyperf")
    .about("pyperf and pyperformance JSON: every value of every process")
    .samples(Samples::Iterations)
    .looks_like(|head| {
        let has = |keys: &[&str]| json::has_keys(head, "{", keys);
        let is_pyperf = has(&["benchmarks", "runs"])
            && (has(&["warmups"]) || has(&["values"]) || has(&["perf_version"]));
        Likeness::from(is_pyperf)
    })
    .document(|input, sink| {
        json::documents(
            input,
            sink,
            &[&["benchmarks", "*"], &["metadata"]],
            Suite::piece,
            Suite::give,
        );
    });

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Benchmark<'a> {
    #[serde(default, borrow)]
    metadata: Json<'a>,
    #[serde(default)]
    runs: Vec<Run>,
}

/// A process. Processes that only calibrate or warm up have no values.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Run {
    values: Vec<Number>,
}

/// A file's benchmarks, and their common metadata, which comes after them in the file.
#[derive(Default)]
struct Suite {
    benchmarks: Vec<(u64, Metadata, Vec<Run>)>,
    shared: Metadata,
}

/// The metadata of a benchmark or of the file. Missing fields are empty.
#[derive(Default)]
struct Metadata {
    name: String,
    unit: String,
    place: Provenance,
}

impl Metadata {
    fn of(metadata: &Json<'_>) -> Self {
        Self {
            name: metadata.text_or_empty("name").to_owned(),
            unit: metadata.text_or_empty("unit").to_owned(),
            place: place_of(metadata),
        }
    }
}

impl Suite {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        if piece.pattern == 1 {
            let Some(shared) = piece.object(Shape::of("an object", &[]), sink) else {
                return;
            };
            self.shared = Metadata::of(&shared);
        } else if let Some(Benchmark { metadata, runs }) = piece.parse::<Benchmark<'_>>(sink) {
            self.benchmarks
                .push((piece.line, Metadata::of(&metadata), runs));
        }
    }

    fn give(self, sink: &mut Rows<'_>) {
        let shared = self.shared;
        for (line, own, runs) in self.benchmarks {
            let or = |own: String, shared: &str| {
                if own.is_empty() {
                    shared.to_owned()
                } else {
                    own
                }
            };
            let (name, platform) = (
                or(own.name, &shared.name),
                or(own.place.platform, &shared.place.platform),
            );
            let machine_class = own
                .place
                .machine_class
                .or(shared.place.machine_class.clone());
            let place = Provenance {
                platform,
                machine_class,
            };
            let cells = place.cells(&name);
            let metric = match &*or(own.unit, &shared.unit) {
                "byte" => "memoryBytes",
                "second" | "" => "timeS",
                _ => "value",
            };
            if runs.iter().all(|run| run.values.is_empty()) {
                sink.without_metrics(line, &cells, Outcome::Failed);
                continue;
            }
            let values = (0..)
                .zip(&runs)
                .flat_map(|(process, run)| run.values.iter().map(move |value| (process, value.0)));
            for (run_index, (process, value)) in (0..).zip(values) {
                let sample = Cells {
                    run_index,
                    process: Process::OfDocument(process),
                    ..cells
                };
                sink.measured(line, &sample, [(metric, value)]);
            }
        }
    }
}

fn place_of(metadata: &Json<'_>) -> Provenance {
    const ARCHITECTURES: [&str; 5] = ["x86_64", "aarch64", "arm64", "AMD64", "i686"];
    let platform = metadata.text_or_empty("platform");
    let system = platform.split('-').next().unwrap_or_default();
    let architecture = ARCHITECTURES
        .iter()
        .find(|name| platform.contains(*name))
        .copied()
        .unwrap_or_default();
    let version = metadata
        .text_or_empty("python_version")
        .split(' ')
        .next()
        .unwrap_or_default();
    let python = [
        metadata.text_or_empty("python_implementation"),
        minor_version(version),
    ];
    let cpu = metadata
        .text("cpu_model_name")
        .filter(|name| !name.is_empty());
    place([system, architecture], python, cpu)
}
