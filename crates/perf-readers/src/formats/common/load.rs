//! Requests that a load test logs one by one, summed up.

use crate::formats::common::latencies::Latencies;
use crate::rows::{Cells, Metrics, RowCollector};
use perf_model::row::Value;

/// The requests of one name.
#[derive(Default)]
pub(crate) struct Requests {
    line: u64,
    latencies: Latencies,
    /// In all, where the log has them.
    bytes: Option<f64>,
    count: i64,
    errors: i64,
    /// In milliseconds since 1970.
    begin: f64,
    end: f64,
}

impl Requests {
    /// Adds a request; both times are in milliseconds.
    pub(crate) fn add(
        &mut self,
        line: u64,
        elapsed: f64,
        begin: f64,
        is_failed: bool,
        bytes: Option<Value>,
    ) {
        if self.count == 0 {
            (self.line, self.begin, self.end) = (line, begin, begin);
        }
        self.count += 1;
        self.errors += i64::from(is_failed);
        self.latencies.add(elapsed);
        self.begin = self.begin.min(begin);
        self.end = self.end.max(begin + elapsed);
        if let Some(bytes) = bytes {
            *self.bytes.get_or_insert_default() += bytes.as_f64();
        }
    }

    /// From the start of the first request to the end of the last one.
    pub(crate) fn seconds(&self) -> f64 {
        (self.end - self.begin) / 1000.0
    }

    /// Emits the row; rates are per second of a test that took so long.
    pub(crate) fn give(mut self, cells: &Cells<'_>, seconds: f64, sink: &mut RowCollector<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "no more than lines of a file")]
        let count = self.count as f64;
        let rate = |amount: f64| Value::new(amount / seconds).filter(|_| seconds > 0.0);
        let mut metrics = Metrics::from([("requestsPerSecond", rate(count))]);
        metrics.extend(self.latencies.metrics("latency", "Ms"));
        metrics.add("bytesPerSecond", self.bytes.and_then(rate));
        metrics.add("errors", Some(Value::Int(self.errors)));
        sink.measured(
            self.line,
            &cells.failed_if(self.errors == self.count),
            &metrics,
        );
    }
}
