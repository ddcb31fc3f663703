//! Google Benchmark's `--benchmark_format=json`: an entry for each repetition of a benchmark, and one for each
//! statistic.
//!
//! Benchmarks choose their unit of time, so all times are converted to nanoseconds. If there are no entries for
//! repetitions (`--benchmark_report_aggregates_only`), a benchmark's statistics are one row.

use foldhash::fast::RandomState;

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("google-benchmark")
    .about(
        "Google Benchmark --benchmark_format=json: real and CPU time of every repetition, counters",
    )
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(|input, sink| {
        let end = |mut report: Report, sink: &mut Rows<'_>| report.end(sink);
        json::documents(input, sink, &[&["benchmarks", "*"]], Report::piece, end);
    });

const KEYS: KeySets = &[
    (&["benchmarks", "context", "num_cpus"], Likeness::Yes),
    (&["benchmarks", "real_time", "cpu_time"], Likeness::Yes),
    (
        &["benchmarks", "context"],
        Likeness::Near("has `context` and `benchmarks`, but neither `num_cpus` nor `real_time`"),
    ),
];

/// Whether a number is one of the benchmark's own counters, rather than a field of every entry.
fn is_counter(name: &str) -> bool {
    !matches!(
        name,
        "family_index"
            | "per_family_instance_index"
            | "repetitions"
            | "repetition_index"
            | "threads"
            | "iterations"
            | "real_time"
            | "cpu_time"
            | "real_coefficient"
            | "cpu_coefficient"
            | "rms"
            | "aggregate_unit"
            | "time_unit"
            | "label"
    )
}

/// One run's benchmarks.
#[derive(Default)]
struct Report {
    repetitions: HashMap<String, i64, RandomState>,
    open: Option<Statistics>,
}

#[derive(Default)]
struct Statistics {
    line: u64,
    scenario: String,
    /// The metrics that represent the benchmark, best first: medians, then means.
    typical: [Metrics; 2],
    others: Metrics,
}

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut Rows<'_>) {
        let Some(fields) = piece.object(Shape::of("an object", &[]), sink) else {
            return;
        };
        if let Err(why) = self.entry(piece.line, &fields, sink) {
            sink.skip(piece.line, piece.text(), || why);
        }
    }

    fn entry(&mut self, line: u64, fields: &Json<'_>, sink: &mut Rows<'_>) -> Result<(), String> {
        let name = fields.text("name").ok_or("the entry has no `name`")?;
        let unit = fields.text("time_unit").unwrap_or("ns");
        let shift = to_nanoseconds(unit).ok_or_else(|| format!("unknown time unit `{unit}`"))?;
        if let Some(order) = fields.text("big_o") {
            let times = times(fields, ["real_coefficient", "cpu_coefficient"], shift);
            sink.measured(line, &Cells::of(&format!("{name}({order})")), times);
        } else if let Some(rms) = fields.number("rms") {
            sink.measured(line, &Cells::of(name), [("rms", Some(rms))]);
        } else if let Some((scenario, statistic)) = Self::statistic(name, fields) {
            self.aggregate(
                line,
                scenario,
                statistic,
                measured(fields, shift),
                fields,
                sink,
            );
        } else {
            self.repetition(line, name, shift, fields, sink);
        }
        Ok(())
    }

    /// Returns the benchmark and the statistic if the entry is an aggregate.
    fn statistic<'f>(name: &'f str, fields: &'f Json<'_>) -> Option<(&'f str, &'f str)> {
        let statistic = fields.text("aggregate_name")?;
        let benchmark = name.strip_suffix(statistic);
        let benchmark = benchmark.and_then(|name| name.strip_suffix('_'));
        let benchmark = benchmark.unwrap_or(name);
        Some((fields.text("run_name").unwrap_or(benchmark), statistic))
    }

    fn repetition(
        &mut self,
        line: u64,
        name: &str,
        shift: i32,
        fields: &Json<'_>,
        sink: &mut Rows<'_>,
    ) {
        let scenario = fields.text("run_name").unwrap_or(name);
        let counted = self.repetitions.entry(scenario.to_owned()).or_insert(0);
        let run_index = match (
            fields.whole("repetitions"),
            fields.whole("repetition_index"),
        ) {
            (Some(..=1), _) => AGGREGATE,
            (_, Some(index)) => index,
            _ => *counted,
        };
        *counted += 1;
        let outcome = match () {
            () if fields.flag("error_occurred") => Outcome::Failed,
            () if fields.flag("skipped") => Outcome::Skipped,
            () => Outcome::Measured,
        };
        // Skipped and failed entries have times of zero.
        let measured = if outcome == Outcome::Measured {
            measured(fields, shift)
        } else {
            Metrics::default()
        };
        sink.measured(
            line,
            &Cells {
                run_index,
                outcome,
                ..Cells::of(scenario)
            },
            &measured,
        );
    }

    fn aggregate(
        &mut self,
        line: u64,
        scenario: &str,
        statistic: &str,
        measured: Metrics,
        fields: &Json<'_>,
        sink: &mut Rows<'_>,
    ) {
        if self
            .open
            .as_ref()
            .is_none_or(|open| open.scenario != scenario)
        {
            self.end(sink);
        }
        let has_samples = self.repetitions.contains_key(scenario);
        let open = self.open.get_or_insert_with(|| Statistics {
            line,
            scenario: scenario.to_owned(),
            ..Default::default()
        });
        match statistic {
            // The coefficient of variation repeats the standard deviation.
            "cv" => {}
            "mean" | "median" | "stddev" | "min" | "max" if has_samples => {}
            "median" => open.typical[0] = measured,
            "mean" => open.typical[1] = measured,
            "stddev" | "min" | "max" => {
                open.others
                    .extend(measured.renamed(|metric| format!("{metric}.{statistic}")));
            }
            // A custom statistic of the benchmark.
            _ => {
                let is_share = fields.text("aggregate_unit") == Some("percentage");
                open.others
                    .extend(measured.renamed(|metric| own_statistic(statistic, metric, is_share)));
            }
        }
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let [median, mean] = &mut open.typical;
        if !median.is_empty() {
            *mean = std::mem::take(mean).renamed(|metric| format!("{metric}.mean"));
        }
        let metrics: Metrics = open
            .typical
            .into_iter()
            .flatten()
            .chain(open.others)
            .collect();
        if !metrics.is_empty() {
            sink.measured(open.line, &Cells::of(&open.scenario), &metrics);
        }
    }
}

/// Returns a metric such as `rangeTimeNs`. If the statistic is relative, the metric has no unit of time.
pub(super) fn own_statistic(statistic: &str, metric: &str, is_share: bool) -> String {
    let metric = if is_share {
        metric.strip_suffix("Ns").unwrap_or(metric)
    } else {
        metric
    };
    let (first, rest) = metric.split_at(metric.chars().next().map_or(0, char::len_utf8));
    format!("{statistic}{}{rest}", first.to_uppercase())
}

fn times(
    fields: &Json<'_>,
    [real, cpu]: [&str; 2],
    shift: i32,
) -> [(&'static str, Option<Value>); 2] {
    [
        ("timeNs", fields.shifted(real, shift)),
        ("cpuTimeNs", fields.shifted(cpu, shift)),
    ]
}

fn measured(fields: &Json<'_>, shift: i32) -> Metrics {
    let mut metrics = Metrics::from(times(fields, ["real_time", "cpu_time"], shift));
    for (name, value) in fields.numbers().filter(|(name, _)| is_counter(name)) {
        metrics.add(metric_of(name), Some(value));
    }
    metrics
}

/// Returns the metric for one of the library's own counters. Other counters keep their names.
pub(super) fn metric_of(counter: &str) -> Cow<'static, str> {
    let known = match counter {
        "items_per_second" => "itemsPerSecond",
        "bytes_per_second" => "bytesPerSecond",
        "allocs_per_iter" => "allocations",
        "max_bytes_used" => "maxUsedBytes",
        "total_allocated_bytes" => "totalAllocatedBytes",
        "net_heap_growth" => "netHeapGrowthBytes",
        own => return Cow::Owned(own.to_owned()),
    };
    Cow::Borrowed(known)
}
