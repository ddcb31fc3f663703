//! BenchmarkDotNet's JSON exporters, full and brief: for each benchmark the time of every iteration, in
//! nanoseconds, and what diagnosers measured.

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece, Scalar};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::{machine_class, says_something};
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "benchmarkdotnet",
    about: "BenchmarkDotNet *-report-full.json and -brief.json: time of every iteration, allocations, diagnosers",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    match json::has_keys(head, b"{", &["HostEnvironmentInfo"]) {
        false => Likeness::No,
        true if json::has_keys(head, b"{", &["Benchmarks", "Method"]) => Likeness::Yes,
        true => Likeness::Near("has `HostEnvironmentInfo`, but no `Benchmarks` with a `Method`"),
    }
}

/// Where it was measured.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Host<'a> {
    os_version: Option<String>,
    architecture: Option<String>,
    runtime_version: Option<String>,
    #[serde(borrow)]
    processor_name: Option<Processor<'a>>,
}

/// Old versions write how they keep the name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Processor<'a> {
    Lazy {
        #[serde(rename = "Value")]
        value: Option<String>,
    },
    #[serde(borrow)]
    Plain(Scalar<'a>),
}

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
#[serde(rename_all = "PascalCase")]
struct Benchmark {
    #[serde(default)]
    display_info: String,
    #[serde(default)]
    namespace: Option<String>,
    #[serde(default, rename = "Type")]
    class: Option<String>,
    method: String,
    #[serde(default)]
    method_title: Option<String>,
    #[serde(default)]
    parameters: Option<String>,
    #[serde(default)]
    full_name: Option<String>,
    /// `null` when the benchmark failed.
    #[serde(default)]
    statistics: Option<Statistics>,
    #[serde(default)]
    memory: Option<Memory>,
    #[serde(default)]
    metrics: Vec<Measured>,
    /// Every step of every launch.
    #[serde(default)]
    measurements: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Step {
    #[serde(default)]
    iteration_stage: serde_json::Value,
    #[serde(default)]
    launch_index: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Statistics {
    original_values: Vec<Loose>,
    mean: Loose,
    standard_deviation: Loose,
    min: Loose,
    max: Loose,
    confidence_interval: Interval,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Interval {
    lower: Loose,
    upper: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Memory {
    gen0_collections: Loose,
    gen1_collections: Loose,
    gen2_collections: Loose,
    total_operations: Loose,
    bytes_allocated_per_operation: Loose,
}

/// What a diagnoser measured.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Measured {
    #[serde(default)]
    value: Loose,
    descriptor: Descriptor,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Descriptor {
    id: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    unit_type: Loose,
    #[serde(default)]
    the_greater_the_better: bool,
}

/// What all benchmarks of a document share.
#[derive(Default)]
struct Machine {
    platform: String,
    class: Option<String>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let mut machine = Machine::default();
    json::pieces(
        source,
        sink,
        &[&["HostEnvironmentInfo"], &["Benchmarks", "*"]],
        |piece: &Piece<'_>, sink| {
            if piece.pattern == 0 {
                machine = piece.parse::<Host<'_>>(sink).map(|host| host.machine()).unwrap_or_default();
            } else if let Some(benchmark) = piece.parse::<Benchmark>(sink) {
                benchmark.rows(piece.line, &machine, sink);
            }
        },
    )
}

impl Host<'_> {
    /// `Windows X64, .NET 8.0`: coarse, as numbers of different platforms are never compared.
    fn machine(&self) -> Machine {
        let os = self.os_version.as_deref().map(|name| match name {
            name if name.contains("Windows") => "Windows",
            name if name.contains("macOS") || name.contains("Mac OS") || name.contains("Darwin") => "macOS",
            _ => "Linux",
        });
        let place: Vec<&str> = os.into_iter().chain(self.architecture.as_deref()).collect();
        let runtime = self.runtime_version.as_deref().map(without_patch);
        let parts = [Some(place.join(" ")), runtime].into_iter().flatten();
        let platform = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let processor = self.processor_name.as_ref().and_then(|name| match name {
            Processor::Plain(Scalar::Text(name)) => Some(&**name),
            Processor::Lazy { value } => value.as_deref(),
            Processor::Plain(_) => None,
        });
        Machine { platform, class: processor.map(machine_class) }
    }
}

/// `.NET 8.0` for `.NET 8.0.4 (8.0.424.16909)`.
fn without_patch(runtime: &str) -> String {
    let name = runtime.split(" (").next().unwrap_or_default();
    let (name, version) = name.rsplit_once(' ').unwrap_or(("", name));
    let version: Vec<&str> = version.split('.').take(2).collect();
    format!("{name} {}", version.join(".")).trim().to_owned()
}

impl Benchmark {
    fn rows(&self, line: u64, machine: &Machine, sink: &mut RowCollector<'_>) {
        let name = self.name();
        let outcome = if self.statistics.is_some() { Outcome::Measured } else { Outcome::Failed };
        let cells = Cells {
            platform: &machine.platform,
            machine_class: machine.class.as_deref(),
            outcome,
            ..Cells::of(&name)
        };
        let statistics = self.statistics.as_ref();
        let samples: Vec<Option<Value>> =
            statistics.into_iter().flat_map(|known| &known.original_values).map(|value| value.0).collect();
        let launches = self.launches(samples.len());
        let mut runs = sink.runs(line, &cells, &["timeNs"]);
        for ((run_index, launch), value) in (0..).zip(launches).zip(&samples) {
            runs.turn_to(launch);
            runs.row(run_index, outcome, [*value]);
        }
        let mut summary = Vec::new();
        if samples.is_empty() {
            summary.extend(statistics.into_iter().flat_map(Statistics::summary));
        }
        for measured in &self.metrics {
            summary.push((measured.name(), measured.value.0));
            measured.declare(sink);
        }
        summary.extend(self.memory.iter().flat_map(Memory::metrics));
        if samples.is_empty() || says_something(&summary) {
            sink.measured(line, &cells, summary.iter().map(|(metric, value)| (metric.as_str(), *value)));
        }
    }

    /// The launch of each of this number of values, if the report has the steps that led to them.
    fn launches(&self, values: usize) -> Vec<u32> {
        let results = self.measurements.iter().filter(|step| step.iteration_stage == "Result");
        let launch = |step: &Step| match step.launch_index.0 {
            Some(Value::Int(launch)) => u32::try_from(launch).unwrap_or_default(),
            _ => 0,
        };
        let launches: Vec<u32> = results.map(launch).collect();
        if launches.len() == values { launches } else { vec![0; values] }
    }

    /// The full name, which has the parameters, and the job unless it is the default one.
    fn name(&self) -> String {
        let full = self.full_name.clone().unwrap_or_else(|| {
            let parts = [self.namespace.as_deref(), self.class.as_deref(), Some(self.method.as_str())];
            let name =
                parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
            match self.parameters.as_deref() {
                None | Some("") => name,
                Some(parameters) => format!("{name}({parameters})"),
            }
        });
        self.job().map_or_else(|| full.clone(), |job| format!("{full} ({job})"))
    }

    /// The job's name; of one that the tool had to name, the settings that differ from other jobs.
    fn job(&self) -> Option<&str> {
        let title = self.method_title.as_deref().unwrap_or(&self.method);
        let of_type =
            self.class.as_deref().and_then(|class| self.display_info.strip_prefix(class)?.strip_prefix('.'));
        let of_title = of_type.and_then(|rest| rest.strip_prefix(title)?.strip_prefix(": "));
        let job = of_title.or_else(|| Some(self.display_info.split_once(": ")?.1))?;
        let job = job.rsplit_once(" [").map_or(job, |(job, _)| job).trim();
        let (id, details) = job.split_once('(').unwrap_or((job, ""));
        match id {
            "DefaultJob" => None,
            _ if id.starts_with("Job-") && !details.is_empty() => {
                Some(details.strip_suffix(')').unwrap_or(details))
            }
            _ => Some(id),
        }
    }
}

impl Statistics {
    fn summary(&self) -> impl Iterator<Item = (String, Option<Value>)> {
        let metrics = [
            ("timeNs", self.mean),
            ("timeNs.lower", self.confidence_interval.lower),
            ("timeNs.upper", self.confidence_interval.upper),
            ("timeNs.stddev", self.standard_deviation),
            ("timeNs.min", self.min),
            ("timeNs.max", self.max),
        ];
        metrics.into_iter().map(|(metric, value)| (metric.to_owned(), value.0))
    }
}

impl Memory {
    /// Collections per thousand operations, as the tool's own tables have them.
    fn metrics(&self) -> impl Iterator<Item = (String, Option<Value>)> {
        let operations = self.total_operations.0.map(Value::as_f64).filter(|operations| *operations > 0.0);
        let rate = move |collections: Loose| Value::new(collections.0?.as_f64() / operations? * 1000.0);
        let collections = [self.gen0_collections, self.gen1_collections, self.gen2_collections];
        let rates = (0..)
            .zip(collections)
            .map(move |(generation, count)| (format!("Gen{generation}Collects"), rate(count)));
        std::iter::once(("allocatedBytes".to_owned(), self.bytes_allocated_per_operation.0)).chain(rates)
    }
}

impl Measured {
    fn unit(&self) -> (Unit, &'static str) {
        match self.descriptor.unit_type.0 {
            Some(Value::Int(1)) => (Unit::Ns, "Ns"),
            Some(Value::Int(2 | 3)) => (Unit::Bytes, "Bytes"),
            _ => (Unit::Count, ""),
        }
    }

    fn name(&self) -> String {
        match self.descriptor.id.as_str() {
            "Allocated Memory" => "allocatedBytes".to_owned(),
            id => format!("{}{}", id.replace(' ', ""), self.unit().1),
        }
    }

    fn declare(&self, sink: &mut RowCollector<'_>) {
        let direction =
            if self.descriptor.the_greater_the_better { Direction::Higher } else { Direction::Lower };
        let meaning = Meaning { unit: self.unit().0, direction, exact: false };
        if self.name() != "allocatedBytes" {
            sink.declare(&self.name(), Declared { label: self.descriptor.display_name.clone(), meaning });
        }
    }
}
