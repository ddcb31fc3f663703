//! The JSON summary of one benchmark, versions 3 to 7.
//!
//! The summary contains the new and the previous run. Only the new run is read.

use std::ops::RangeInclusive;

use crate::formats::common::prelude::*;

/// The known versions of the summary.
const KNOWN: RangeInclusive<u32> = 3..=7;

/// The maximum length in characters of the description in a benchmark's name.
const DESCRIPTION: usize = 200;

const SHAPE: Shape = Shape::of("a summary", &["module_path"]);

pub(crate) struct Summary<'a>(Json<'a>);

impl<'a> Summary<'a> {
    pub(crate) fn parse(text: &'a str) -> serde_json::Result<Self> {
        json::object(text, SHAPE).map(Self)
    }

    /// Returns the summary's version if it is unknown.
    pub(crate) fn unknown_version(&self) -> Option<&str> {
        let version = self.0.text_or_empty("version");
        (!KNOWN.contains(&version.parse().unwrap_or_default())).then_some(version)
    }

    pub(crate) fn row(&self, line: u64, sink: &mut Rows<'_>) {
        let (name, events) = (self.name(), self.events());
        if events.is_empty() {
            sink.skip(line, &name, || format!("`{name}` has no metrics"));
        } else {
            events.row(line, &name, sink);
        }
    }

    /// Returns the name as on the terminal, `file::group::function id:arguments`, with the arguments as in the source
    /// code.
    fn name(&self) -> String {
        let mut name = joined(
            [
                self.0.text_or_empty("module_path"),
                self.0.text_or_empty("id"),
            ],
            " ",
        );
        let details = self
            .0
            .text("details")
            .or(self.0.text("description"))
            .unwrap_or_default();
        let details = details.split_whitespace().collect::<Vec<_>>().join(" ");
        if !details.is_empty() {
            name.push(':');
            name.extend(details.chars().take(DESCRIPTION));
        }
        name
    }

    fn events(&self) -> Events {
        let mut events = Events::default();
        // Since version 4.
        for profile in self.0.list("profiles") {
            let total = profile.at(if profile.has("data") {
                "data/total"
            } else {
                "summaries/total"
            });
            let tool = profile.text_or_empty("tool");
            add_kinds(&mut events, tool, total.at("summary"));
            add_all(&mut events, tool, total.at("metrics"));
        }
        // Version 3.
        let callgrind = self.0.at("callgrind_summary/callgrind_run/total/summary");
        add_all(&mut events, "Callgrind", callgrind);
        for summary in self.0.list("tool_summaries") {
            let tool = summary.text_or_empty("tool");
            add_kinds(&mut events, tool, summary.at("summaries/total"));
        }
        events
    }
}

/// Returns the new run's number; `None` if only the previous run has one.
fn newer(difference: &Json<'_>) -> Option<Value> {
    // In versions 3 to 6, the numbers are in `metrics`; since version 7, they are in `values`.
    let both = difference.list("metrics/Both").first();
    let one = ["metrics/Left", "values/new"].map(|path| difference.at(path));
    let amount = both
        .into_iter()
        .chain(one)
        .find(|amount| **amount != Json::Null)?;
    amount
        .as_number()
        .or(amount.number("Int"))
        .or(amount.number("Float"))
}

/// Adds the events of all kinds of metrics.
fn add_kinds(events: &mut Events, tool: &str, kinds: &Json<'_>) {
    for (_, metrics) in kinds.entries() {
        add_all(events, tool, metrics);
    }
}

fn add_all(events: &mut Events, tool: &str, metrics: &Json<'_>) {
    for (event, difference) in metrics.entries() {
        events.add(tool, event, newer(difference));
    }
}
