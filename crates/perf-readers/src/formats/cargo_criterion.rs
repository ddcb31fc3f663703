//! `cargo criterion --message-format=json`: one JSON object a line.

use crate::formats::common::prelude::*;
use crate::formats::criterion;

pub(crate) const FORMAT: Format = Format::named("cargo-criterion")
    .about("cargo criterion --message-format=json: time of every sample, throughput")
    .samples(Samples::Iterations)
    .contains(&[COMPLETE])
    .lines::<Lines>();

const COMPLETE: &str = "\"benchmark-complete\"";

#[derive(Default)]
struct Lines;

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let is_message = line.trim_ascii_start().starts_with(b"{");
        if !is_message
            || memchr::memmem::find(&line[..line.len().min(64)], COMPLETE.as_bytes()).is_none()
        {
            return false;
        }
        match json::object(line, MESSAGE) {
            Ok(message) => rows(&message, number, line, sink),
            Err(error) if error.is_eof() => {
                sink.skip(number, line, || "JSON is cut off here".to_owned());
            }
            Err(error) => sink.skip(number, line, || format!("unexpected JSON: {error}")),
        }
        true
    }
}

const MESSAGE: Shape = Shape::of(
    "a message",
    &["id", "iteration_count", "measured_values", "unit"],
);

fn rows(message: &Json<'_>, number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
    let numbers = |key| message.list(key).iter().map(Json::as_number);
    let (values, counts) = (numbers("measured_values"), numbers("iteration_count"));
    let each = |(value, count): (Option<Value>, Option<Value>)| {
        Some(value?.as_f64() / Some(count?.as_f64()).filter(|count| *count > 0.0)?)
    };
    let is_paired = values.len() == counts.len() && values.len() > 0;
    let samples = values
        .zip(counts)
        .map(each)
        .collect::<Option<Vec<f64>>>()
        .filter(|_| is_paired);
    let Some(samples) = samples else {
        return sink.skip(number, line, || "a value has no iteration count".to_owned());
    };
    let cells = Cells::of(message.text_or_empty("id"));
    match message.text_or_empty("unit") {
        "ns" => criterion::rows(
            number,
            &cells,
            "timeNs",
            &samples,
            &throughput(message),
            sink,
        ),
        // Another measurement than time is named by its unit.
        unit => criterion::rows(number, &cells, unit, &samples, &[], sink),
    }
}

fn throughput(message: &Json<'_>) -> Vec<(&'static str, f64)> {
    let rate = |each: &Json<'_>| {
        let metric = match each.text("unit")? {
            "bytes" => "bytesPerSecond",
            "bits" => "bitsPerSecond",
            "elements" => "itemsPerSecond",
            _ => return None,
        };
        Some((metric, each.number("per_iteration")?.as_f64()))
    };
    message.list("throughput").iter().filter_map(rate).collect()
}
