//! PHPBench's `--dump-file` and `--output=xml`. For each subject and set of parameters, they contain the time of every
//! iteration, in microseconds, and the peak memory. Each iteration is a separate process.
//!
//! Source: `lib/Serializer/XmlEncoder.php` of PHPBench 1.4.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("phpbench")
    .about("PHPBench --dump-file: time and memory of every iteration")
    .contains(&["<phpbench"])
    .looks_like(|head| (xml::root(head) == Some("phpbench")).into())
    .document(|input, sink| xml::read(input, sink, &mut Suite::default()));

#[derive(Default)]
struct Suite {
    class: String,
    subject: String,
    open: Option<Variant>,
}

/// A subject with a set of parameters.
#[derive(Default)]
struct Variant {
    line: u64,
    set: Option<String>,
    parameters: Vec<String>,
    iterations: Vec<[Option<Value>; 2]>,
    failed: bool,
}

impl Markup for Suite {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        let text = |name| attribute(tag, name).unwrap_or_default();
        // The last of these names is from versions before 0.14.
        let number = |names: [&str; 2]| {
            names
                .iter()
                .find_map(|name| Value::parse(&attribute(tag, name)?))
        };
        match (tag.local_name().into_inner(), &mut self.open) {
            ("benchmark", _) => text("class")
                .trim_start_matches('\\')
                .clone_into(&mut self.class),
            ("subject", _) => self.subject = text("name"),
            ("variant", open) => {
                *open = Some(Variant {
                    line,
                    ..Variant::default()
                });
            }
            ("parameter-set", Some(open)) => open.set = attribute(tag, "name"),
            ("parameter", Some(open)) => {
                if let Some(value) = attribute(tag, "value") {
                    open.parameters.push(format!("{}={value}", text("name")));
                }
            }
            ("iteration", Some(open)) => {
                let time = number(["time-avg", "rev-time"]).or(number(["time-net", "net-time"]));
                open.iterations.push([time, number(["mem-peak", "memory"])]);
            }
            ("error", Some(open)) => open.failed = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str, sink: &mut Rows<'_>) {
        if let Some(variant) = self.open.take_if(|_| name == "variant") {
            variant.give(&format!("{}::{}", self.class, self.subject), sink);
        }
    }
}

impl Variant {
    fn give(&self, subject: &str, sink: &mut Rows<'_>) {
        let name = match (&self.set, &self.parameters[..]) {
            (_, [_, ..]) => format!("{subject} ({})", self.parameters.join(", ")),
            // PHPBench names a set by its number if it has no other name.
            (Some(set), []) if set.parse::<u32>().is_err() && !set.is_empty() => {
                format!("{subject} ({set})")
            }
            _ => subject.to_owned(),
        };
        if self.failed || self.iterations.is_empty() {
            let outcome = if self.failed {
                Outcome::Failed
            } else {
                Outcome::Skipped
            };
            return sink.without_metrics(self.line, &Cells::of(&name), outcome);
        }
        for (run_index, [time, memory]) in (0..).zip(&self.iterations) {
            let cells = Cells {
                run_index,
                ..Cells::of(&name)
            };
            let metrics = [("timeUs", *time), ("peakMemoryBytes", *memory)];
            sink.measured(self.line, &cells, metrics);
        }
    }
}
