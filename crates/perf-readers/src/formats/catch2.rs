//! Catch2 with `-r xml`: `<BenchmarkResults>` in `<TestCase>` and `<Section>`, in nanoseconds. A benchmark's name
//! consists of the test case, the sections around it, and its own name.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("catch2")
    .about("Catch2 with -r xml: mean and deviation of each benchmark, with their intervals")
    .contains(&["<Catch"])
    .looks_like(|head| matches!(xml::root(head), Some("Catch" | "Catch2TestRun")).into())
    .document(|input, sink| xml::read(input, sink, &mut Run::default()));

#[derive(Default)]
struct Run {
    /// The test case and the sections around the current element.
    around: Vec<String>,
    open: Option<Benchmark>,
}

#[derive(Default)]
struct Benchmark {
    line: u64,
    name: String,
    mean: [Option<Value>; 3],
    deviation: Option<Value>,
    failed: bool,
}

impl Markup for Run {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        let name = || attribute(tag, "name").unwrap_or_default().trim().to_owned();
        let number = |name| attribute(tag, name).as_deref().and_then(Value::parse);
        match (tag.local_name().into_inner(), &mut self.open) {
            ("TestCase", _) => self.around = vec![name()],
            ("Section", _) => self.around.push(name()),
            ("BenchmarkResults", open) => {
                *open = Some(Benchmark {
                    line,
                    name: name(),
                    ..Benchmark::default()
                });
            }
            ("mean", Some(open)) => open.mean = ["value", "lowerBound", "upperBound"].map(number),
            ("standardDeviation", Some(open)) => open.deviation = number("value"),
            ("failed", Some(open)) => open.failed = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str, sink: &mut Rows<'_>) {
        match name {
            "TestCase" | "Section" => drop(self.around.pop()),
            "BenchmarkResults" => {
                if let Some(benchmark) = self.open.take() {
                    benchmark.give(&self.around, sink);
                }
            }
            _ => {}
        }
    }
}

impl Benchmark {
    fn give(&self, around: &[String], sink: &mut Rows<'_>) {
        let around = around.iter().map(String::as_str);
        let scenario = joined(around.chain([&*self.name]), "/");
        let cells = Cells::of(&scenario).failed_if(self.failed);
        let [mean, lower, upper] = self.mean;
        // If Catch2 did no statistical analysis, both ends of the interval equal the mean or 0, and there is no
        // deviation.
        let analysed = |value: Option<Value>| value.filter(|_| lower != upper);
        let metrics = [
            ("timeNs", mean),
            ("timeNs.lower", analysed(lower)),
            ("timeNs.upper", analysed(upper)),
            ("timeNs.stddev", analysed(self.deviation)),
        ];
        sink.measured(self.line, &cells, metrics);
    }
}
