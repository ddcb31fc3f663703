//! fio's `--output-format=json`: reads, writes and trims of every job.
//!
//! Of a job that does nothing in a direction there is no row for it. Percentiles are those of completion latency, or
//! of total latency where fio was asked for them (`lat_percentiles`).
//!
//! Source: `add_ddir_status_json` in `stat.c` of fio 3.33.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::tables::Metrics;
use crate::tools::common::units::shifted;
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "fio",
    about: "fio --output-format=json: operations and bytes per second, latency and its percentiles of every job",
    samples: Samples::Launches,
    looks_like: |head| Likeness::from(json::has_keys(head, b"{", &["fio version", "jobs"])),
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(expecting = "a job")]
struct Job<'a> {
    #[serde(borrow)]
    jobname: Cow<'a, str>,
    #[serde(default)]
    error: Loose,
    #[serde(default)]
    read: Direction,
    #[serde(default)]
    write: Direction,
    #[serde(default)]
    trim: Direction,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Direction {
    total_ios: Loose,
    /// In kibibytes per second; versions before 3 have no other.
    bw: Loose,
    bw_bytes: Loose,
    iops: Loose,
    lat_ns: Latency,
    clat_ns: Latency,
    /// In microseconds, of versions before 3.
    lat: Latency,
    clat: Latency,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Latency {
    min: Loose,
    max: Loose,
    mean: Loose,
    stddev: Loose,
    #[serde(rename = "N")]
    count: Loose,
    percentile: IndexMap<String, Loose>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["jobs", "*"]], |piece: &Piece<'_>, sink| {
        let Some(job) = piece.parse::<Job<'_>>(sink) else { return };
        let failed = job.error.0.is_some_and(|error| error != Value::Int(0));
        if failed {
            return sink.measured(
                piece.line,
                &Cells { outcome: Outcome::Failed, ..Cells::of(&job.jobname) },
                [],
            );
        }
        for (name, direction) in [("read", &job.read), ("write", &job.write), ("trim", &job.trim)] {
            if direction.is_idle() {
                continue;
            }
            let metrics = direction.metrics();
            sink.measured_all(piece.line, &Cells::of(&format!("{} {name}", job.jobname)), &metrics);
        }
    })
}

impl Direction {
    fn is_idle(&self) -> bool {
        let is_zero = |number: Loose| number.0.is_none_or(|number| number == Value::Int(0));
        is_zero(self.total_ios) && is_zero(self.iops)
    }

    fn metrics(&self) -> Metrics {
        let bytes = self.bw_bytes.0.or_else(|| Value::new(self.bw.0?.as_f64() * 1024.0));
        let mut metrics: Metrics =
            vec![("requestsPerSecond".to_owned(), self.iops.0), ("bytesPerSecond".to_owned(), bytes)];
        let is_old = self.lat.mean.0.is_some();
        let (total, completion, places) =
            if is_old { (&self.lat, &self.clat, 3) } else { (&self.lat_ns, &self.clat_ns, 0) };
        metrics.extend(total.spread("latencyNs", places));
        metrics.extend(total.percentiles("latency", places));
        metrics.extend(completion.percentiles("completionLatency", places));
        metrics.retain(|(_, value)| value.is_some());
        metrics
    }
}

impl Latency {
    fn spread(&self, metric: &'static str, places: i32) -> impl Iterator<Item = (String, Option<Value>)> {
        let parts = [("", self.mean), (".stddev", self.stddev), (".min", self.min), (".max", self.max)];
        let is_measured = self.count.0 != Some(Value::Int(0));
        let convert = move |number: Loose| shifted(&number.0?.to_string(), places).filter(|_| is_measured);
        parts.into_iter().map(move |(part, number)| (format!("{metric}{part}"), convert(number)))
    }

    /// `99.900000` and the latency that no more of them exceed.
    fn percentiles(&self, of: &'static str, places: i32) -> impl Iterator<Item = (String, Option<Value>)> {
        let upper_half = self.percentile.iter().filter_map(|(percentile, latency)| {
            let percentile: f64 = percentile.parse().ok()?;
            (percentile >= 50.0).then_some((percentile, latency))
        });
        upper_half.map(move |(percentile, latency)| {
            let latency = latency.0.and_then(|number| shifted(&number.to_string(), places));
            (format!("{of}P{percentile}Ns"), latency)
        })
    }
}
