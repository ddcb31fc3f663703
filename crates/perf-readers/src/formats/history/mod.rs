//! Histories: files from other services with values for many commits. They are read only if a history is requested,
//! because their rows are not the output of one run.

mod action_benchmark;
mod bencher;
mod values_csv;

use crate::formats::common::prelude::*;

/// The formats for histories, in addition to the tools' formats.
pub(crate) const FORMATS: &[Format] = &[
    action_benchmark::FORMAT,
    bencher::FORMAT,
    values_csv::FORMAT,
];

/// The identity of a measurement that a service stores.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Measurement {
    /// The suite or testbed.
    place: String,
    scenario: String,
    commit: String,
    measured_at: Option<i64>,
    /// The sample's number in its report.
    iteration: i64,
}

/// A document's measurements, each with its line and metrics.
#[derive(Default)]
struct Measurements(IndexMap<Measurement, (u64, Metrics)>);

impl Measurements {
    fn add(&mut self, line: u64, measurement: Measurement, metric: String, value: Value) {
        self.0
            .entry(measurement)
            .or_insert_with(|| (line, Metrics::default()))
            .1
            .add(metric, Some(value));
    }

    /// Emits a row for each measurement, oldest first. The place becomes the platform only if there are several places.
    /// The tool's own output, which is compared with these rows, rarely contains a platform.
    fn give(mut self, sink: &mut Rows<'_>) {
        self.0
            .sort_by(|one, _, other, _| one.measured_at.cmp(&other.measured_at));
        let first = self.0.keys().next().cloned().unwrap_or_default();
        let has_places = self
            .0
            .keys()
            .any(|measurement| measurement.place != first.place);
        let has_samples = self.0.keys().any(|measurement| measurement.iteration > 0);
        for (measurement, (line, metrics)) in &self.0 {
            let cells = Cells {
                platform: if has_places { &measurement.place } else { "" },
                commit: &measurement.commit,
                run_index: if has_samples {
                    measurement.iteration
                } else {
                    AGGREGATE
                },
                measured_at: measurement.measured_at,
                ..Cells::of(&measurement.scenario)
            };
            sink.measured(*line, &cells, metrics);
        }
    }
}
