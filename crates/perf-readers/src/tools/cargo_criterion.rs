//! `cargo criterion --message-format=json`: one JSON object a line.

use std::borrow::Cow;

use serde::Deserialize;

use crate::tools::common::prelude::*;
use crate::tools::criterion;

pub(crate) const FORMAT: Format = Format {
    name: "cargo-criterion",
    about: "cargo criterion --message-format=json: time of every sample, throughput",
    samples: Samples::Iterations,
    looks_like: |head| memchr::memmem::find(head, COMPLETE).is_some().into(),
    kind: Kind::Lines(|| Box::new(Lines), &["k-complete"]),
};

const COMPLETE: &[u8] = b"\"benchmark-complete\"";

struct Lines;

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let is_message = line.trim_ascii_start().starts_with(b"{");
        if !is_message || memchr::memmem::find(&line[..line.len().min(64)], COMPLETE).is_none() {
            return false;
        }
        match json::from_slice::<Message<'_>>(line) {
            Ok(message) => message.rows(number, line, sink),
            Err(error) if error.is_eof() => sink.skip(number, line, || "JSON is cut off here".to_owned()),
            Err(error) => sink.skip(number, line, || format!("unexpected JSON: {error}")),
        }
        true
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    iteration_count: Vec<f64>,
    measured_values: Vec<f64>,
    #[serde(borrow)]
    unit: Cow<'a, str>,
    #[serde(borrow, default)]
    throughput: Vec<Throughput<'a>>,
}

#[derive(Deserialize)]
struct Throughput<'a> {
    per_iteration: f64,
    #[serde(borrow)]
    unit: Cow<'a, str>,
}

impl Message<'_> {
    fn rows(&self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
        let Self { iteration_count, measured_values, .. } = self;
        let has_counts = iteration_count.len() == measured_values.len()
            && iteration_count.iter().all(|count| *count > 0.0);
        if !has_counts || measured_values.is_empty() {
            sink.skip(number, line, || "a value has no iteration count".to_owned());
            return;
        }
        let samples: Vec<f64> =
            measured_values.iter().zip(iteration_count).map(|(value, count)| value / count).collect();
        let cells = Cells::of(&self.id);
        match &*self.unit {
            "ns" => criterion::rows(number, &cells, "timeNs", &samples, &self.throughput(), sink),
            // Another measurement than time is named by its unit.
            unit => criterion::rows(number, &cells, unit, &samples, &[], sink),
        }
    }

    fn throughput(&self) -> Vec<(&str, f64)> {
        let metric = |unit: &str| match unit {
            "bytes" => Some("bytesPerSecond"),
            "bits" => Some("bitsPerSecond"),
            "elements" => Some("itemsPerSecond"),
            _ => None,
        };
        self.throughput.iter().filter_map(|each| Some((metric(&each.unit)?, each.per_iteration))).collect()
    }
}
