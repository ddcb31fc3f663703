//! BenchmarkDotNet's JSON exporters, full and brief. Each benchmark contains the time of every iteration, in
//! nanoseconds, and the numbers that diagnosers measured.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("benchmarkdotnet")
    .about("BenchmarkDotNet *-report-full.json and -brief.json: time of every iteration, allocations, diagnosers")
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(read);

const KEYS: KeySets = &[
    (
        &["HostEnvironmentInfo", "Benchmarks", "Method"],
        Likeness::Yes,
    ),
    (
        &["HostEnvironmentInfo"],
        Likeness::Near("has `HostEnvironmentInfo`, but no `Benchmarks` with a `Method`"),
    ),
];

const BENCHMARK: Shape = Shape::of("a benchmark", &["Method"]);

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut machine = Provenance::default();
    let patterns: [&[&str]; 2] = [&["HostEnvironmentInfo"], &["Benchmarks", "*"]];
    json::pieces(input, sink, &patterns, |piece: &Piece<'_>, sink| {
        if piece.pattern == 0 {
            let host = piece.object(Shape::of("an environment", &[]), sink);
            machine = host.as_ref().map(place_of).unwrap_or_default();
        } else if let Some(benchmark) = piece.object(BENCHMARK, sink) {
            rows(&benchmark, piece.line, &machine, sink);
        }
    });
}

/// Returns the provenance, with a platform such as `Windows X64, .NET 8.0`.
fn place_of(host: &Json<'_>) -> Provenance {
    let os = host.text("OsVersion").map(|name| match name {
        name if name.contains("Windows") => "Windows",
        name if name.contains("macOS") || name.contains("Mac OS") || name.contains("Darwin") => {
            "macOS"
        }
        _ => "Linux",
    });
    // Old versions write the name as a nested value.
    let processor = host
        .text("ProcessorName")
        .or(host.text("ProcessorName/Value"));
    let runtime = without_patch(host.text_or_empty("RuntimeVersion"));
    place(
        [os.unwrap_or_default(), host.text_or_empty("Architecture")],
        [&runtime, ""],
        processor,
    )
}

/// Removes the patch version: returns `.NET 8.0` for `.NET 8.0.4 (8.0.424.16909)`.
fn without_patch(runtime: &str) -> String {
    let name = runtime.split(" (").next().unwrap_or_default();
    let (name, version) = name.rsplit_once(' ').unwrap_or(("", name));
    format!("{name} {}", minor_version(version))
        .trim()
        .to_owned()
}

fn rows(benchmark: &Json<'_>, line: u64, machine: &Provenance, sink: &mut Rows<'_>) {
    let name = name(benchmark);
    // The statistics are missing if the benchmark failed.
    let statistics = benchmark.at("Statistics");
    let cells = machine.cells(&name).failed_if(*statistics == Json::Null);
    let samples = statistics.samples("OriginalValues");
    let launches = launches(benchmark, samples.len());
    for ((run_index, launch), value) in (0..).zip(launches).zip(&samples) {
        let sample = Cells {
            run_index,
            process: Process::OfDocument(launch),
            ..cells
        };
        sink.measured(line, &sample, [("timeNs", *value)]);
    }
    let mut summary = if samples.is_empty() {
        statistics.metrics(&SUMMARY)
    } else {
        Metrics::default()
    };
    for measured in benchmark.list("Metrics") {
        summary.extend(diagnosed(measured, sink));
    }
    add_memory(&mut summary, benchmark.at("Memory"));
    if samples.is_empty() || !summary.is_empty() {
        sink.measured(line, &cells, &summary);
    }
}

const SUMMARY: [(&str, &str); 6] = [
    ("timeNs", "Mean"),
    ("timeNs.lower", "ConfidenceInterval/Lower"),
    ("timeNs.upper", "ConfidenceInterval/Upper"),
    ("timeNs.stddev", "StandardDeviation"),
    ("timeNs.min", "Min"),
    ("timeNs.max", "Max"),
];

/// Returns each value's process run. All values are in run 0 if the report does not contain matching steps.
fn launches(benchmark: &Json<'_>, values: usize) -> Vec<u32> {
    let results = benchmark.list("Measurements").iter();
    let results = results.filter(|step| step.text("IterationStage") == Some("Result"));
    let launch = |step: &Json<'_>| {
        step.whole("LaunchIndex")
            .and_then(|launch| u32::try_from(launch).ok())
    };
    let launches: Vec<u32> = results
        .map(|step| launch(step).unwrap_or_default())
        .collect();
    if launches.len() == values {
        launches
    } else {
        vec![0; values]
    }
}

/// Returns the full name, which includes the parameters, followed by the job unless it is the default job.
fn name(benchmark: &Json<'_>) -> String {
    let full = benchmark.text("FullName").map(str::to_owned);
    let full = full.unwrap_or_else(|| {
        let name = joined(
            ["Namespace", "Type", "Method"].map(|part| benchmark.text_or_empty(part)),
            ".",
        );
        match benchmark.text_or_empty("Parameters") {
            "" => name,
            parameters => format!("{name}({parameters})"),
        }
    });
    job(benchmark).map_or_else(|| full.clone(), |job| format!("{full} ({job})"))
}

/// Returns the job's name; `None` for the default job. If BenchmarkDotNet generated the name, returns the settings that
/// differ from other jobs instead.
fn job<'b>(benchmark: &'b Json<'_>) -> Option<&'b str> {
    let shown = benchmark.text_or_empty("DisplayInfo");
    let title = benchmark
        .text("MethodTitle")
        .unwrap_or(benchmark.text_or_empty("Method"));
    let of_type = benchmark
        .text("Type")
        .and_then(|class| shown.strip_prefix(class)?.strip_prefix('.'));
    let of_title = of_type.and_then(|rest| rest.strip_prefix(title)?.strip_prefix(": "));
    let job = of_title.or_else(|| Some(shown.split_once(": ")?.1))?;
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

/// Adds the allocated bytes per operation, and the collections per thousand operations, as in the tool's own tables.
fn add_memory(metrics: &mut Metrics, memory: &Json<'_>) {
    metrics.add(
        "allocatedBytes",
        memory.number("BytesAllocatedPerOperation"),
    );
    let operations = memory
        .number("TotalOperations")
        .map(Value::as_f64)
        .filter(|operations| *operations > 0.0);
    for generation in 0..3 {
        let collections = memory
            .number(&format!("Gen{generation}Collections"))
            .map(Value::as_f64);
        let rate = collections
            .zip(operations)
            .and_then(|(count, all)| Value::new(count / all * 1000.0));
        metrics.add(format!("Gen{generation}Collects"), rate);
    }
}

/// Returns the metric that a diagnoser measured, and declares its meaning, which the report contains.
fn diagnosed(measured: &Json<'_>, sink: &mut Rows<'_>) -> Option<(String, Option<Value>)> {
    let descriptor = measured.at("Descriptor");
    let (unit, suffix) = match descriptor.whole("UnitType") {
        Some(1) => (Unit::Ns, "Ns"),
        Some(2 | 3) => (Unit::Bytes, "Bytes"),
        _ => (Unit::Count, ""),
    };
    let metric = match descriptor.text("Id")? {
        "Allocated Memory" => "allocatedBytes".to_owned(),
        id => format!("{}{suffix}", id.replace(' ', "")),
    };
    if metric != "allocatedBytes" {
        let is_rate = descriptor.flag("TheGreaterTheBetter");
        let direction = if is_rate {
            Direction::Higher
        } else {
            Direction::Lower
        };
        let label = descriptor.text("DisplayName").map(str::to_owned);
        sink.declare(
            &metric,
            Declared {
                label,
                meaning: Meaning {
                    unit,
                    direction,
                    exact: false,
                },
            },
        );
    }
    Some((metric, measured.number("Value")))
}
