//! k6's `--out json`: a line for each number that was measured, which are summed up as k6 sums them up at the end of
//! a test. Rates are per second from the first number to the last.
//!
//! Source: `output/json` of k6 1.5.

use std::borrow::Cow;
use std::io;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::formats::common::latencies::Latencies;
use crate::formats::common::prelude::*;
use crate::formats::k6::{Kept, declare};
use crate::text_rows::each_line;
use perf_model::date;

pub(crate) const FORMAT: Format = Format::named("k6-json")
    .about("k6 --out json: a summary of its points, as of the other outputs of k6")
    .looks_like(|head| {
        let is_point =
            has_all(head, &["\"type\":\"Point\""]) || has_all(head, &["\"type\":\"Metric\""]);
        (is_point && json::has_keys(head, b"{", &["type", "metric", "data"])).into()
    })
    .document(read);

#[derive(Deserialize)]
#[serde(expecting = "a line of k6")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    metric: Cow<'a, str>,
    #[serde(borrow)]
    data: Data<'a>,
}

/// A number that was measured, or the description of a metric.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    contains: Option<Cow<'a, str>>,
    #[serde(borrow)]
    time: Option<Cow<'a, str>>,
    value: Loose,
    #[serde(borrow)]
    tags: Option<Json<'a>>,
}

/// The numbers of a test by metric.
#[derive(Default)]
struct Test {
    metrics: IndexMap<String, Points>,
    checks: IndexMap<String, (u64, [i64; 2])>,
    first: Option<f64>,
    last: f64,
}

#[derive(Default)]
struct Points {
    line: u64,
    kind: String,
    contains: Option<String>,
    /// Of a trend; others need less.
    all: Latencies,
    count: i64,
    nonzero: i64,
    sum: f64,
    least: f64,
    most: f64,
    latest: f64,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    declare(sink);
    let mut test = Test::default();
    each_line(source, sink, |number, line, sink| {
        if line.trim_ascii_start().first() != Some(&b'{') {
            return;
        }
        match json::from_slice::<Line<'_>>(line) {
            Ok(line) => {
                // Each metric is announced once.
                if line.kind == "Metric" && test.is_announced(&line.metric) {
                    std::mem::take(&mut test).give(sink);
                    sink.documents.next();
                }
                test.line(number, &line);
            }
            Err(error) => sink.skip(number, line, || format!("unexpected JSON: {error}")),
        }
    })?;
    test.give(sink);
    Ok(())
}

impl Test {
    fn is_announced(&self, metric: &str) -> bool {
        self.metrics
            .get(metric)
            .is_some_and(|points| !points.kind.is_empty())
    }

    fn line(&mut self, number: u64, line: &Line<'_>) {
        let points = self.metrics.entry(line.metric.to_string()).or_default();
        if line.kind == "Metric" {
            line.data
                .kind
                .as_deref()
                .unwrap_or_default()
                .clone_into(&mut points.kind);
            points.contains = line.data.contains.as_deref().map(str::to_owned);
            return;
        }
        let Some(value) = line
            .data
            .value
            .0
            .map(Value::as_f64)
            .filter(|_| line.kind == "Point")
        else {
            return;
        };
        points.add(number, value);
        let tags = line.data.tags.as_ref();
        if let Some(check) = tags
            .and_then(|tags| tags.text("check"))
            .filter(|_| line.metric == "checks")
        {
            let group = tags.and_then(|tags| tags.text("group")).unwrap_or_default();
            let path = format!("{group}::{check}");
            let (_, counts) = self.checks.entry(path).or_insert((number, [0; 2]));
            counts[usize::from(value != 0.0)] += 1;
        }
        if let Some(time) = line.data.time.as_deref().and_then(seconds) {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = self.last.max(time);
        }
    }

    fn give(mut self, sink: &mut RowCollector<'_>) {
        let duration = self
            .first
            .map(|first| self.last - first)
            .filter(|duration| *duration > 0.0);
        let duration = duration.and_then(Value::new);
        self.metrics.sort_keys();
        for (name, points) in &mut self.metrics {
            // Thresholds announce parts of a metric, which no point has.
            if points.count == 0 {
                continue;
            }
            let Some((kept, values)) = points.kept() else {
                sink.skip(points.line, name.as_bytes(), || {
                    format!("no line says what `{name}` is")
                });
                continue;
            };
            let metrics = kept.metrics(name, points.contains.as_deref(), &values, duration);
            sink.measured(points.line, &Cells::of(name), &metrics);
        }
        for (path, (line, [failures, passes])) in &self.checks {
            let name = format!("check {}", path.trim_start_matches("::"));
            let metrics = [
                ("failures", Some(Value::Int(*failures))),
                ("passes", Some(Value::Int(*passes))),
            ];
            sink.measured(*line, &Cells::of(&name), metrics);
        }
    }
}

impl Points {
    fn add(&mut self, line: u64, value: f64) {
        if self.count == 0 {
            (self.line, self.least, self.most) = (line, value, value);
        }
        if self.kind == "trend" {
            self.all.add(value);
        }
        self.count += 1;
        self.nonzero += i64::from(value != 0.0);
        self.sum += value;
        (self.least, self.most, self.latest) = (self.least.min(value), self.most.max(value), value);
    }

    /// Returns the type of the metric, and its values under the names of k6.
    fn kept(&mut self) -> Option<(Kept, Json<'static>)> {
        let Self {
            count,
            nonzero,
            sum,
            least,
            most,
            latest,
            ..
        } = *self;
        #[expect(clippy::cast_precision_loss, reason = "no more than lines of a file")]
        let share = nonzero as f64 / count as f64;
        let whole = |count| Some(Value::Int(count));
        let (kept, values) = match self.kind.as_str() {
            "trend" => (Kept::Trend, self.all.of_k6()),
            "counter" => (Kept::Counter, vec![("count", Value::new(sum))]),
            "rate" => {
                let [passes, fails] = [nonzero, count - nonzero].map(whole);
                (
                    Kept::Rate,
                    vec![
                        ("rate", Value::new(share)),
                        ("passes", passes),
                        ("fails", fails),
                    ],
                )
            }
            "gauge" => {
                let ends = [("value", latest), ("min", least), ("max", most)];
                (
                    Kept::Gauge,
                    ends.map(|(name, number)| (name, Value::new(number))).into(),
                )
            }
            _ => return None,
        };
        let values = values
            .into_iter()
            .filter_map(|(name, value)| Some((name.into(), Json::Number(value?))));
        Some((kept, Json::Object(values.collect())))
    }
}

/// Seconds since 1970 with their fraction.
fn seconds(time: &str) -> Option<f64> {
    let fraction = time.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let fraction: f64 = format!("0.{}", &fraction[..digits])
        .parse()
        .unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "whole seconds since 1970")]
    let whole = date::parse(time)? as f64;
    Some(whole + fraction)
}
