//! The JSON summary of one benchmark, as versions 1 to 7 have it.
//!
//! Of the new run and the one before, only the new one counts. What was counted in parts is there as a total,
//! too, but for versions 1 and 2.

use indexmap::IndexMap;

use crate::formats::common::prelude::*;
use crate::formats::common::valgrind::Events;

/// The newest version that is known.
const NEWEST: u32 = 7;

/// The most characters of a benchmark's description in its name.
const DESCRIPTION: usize = 200;

const SHAPE: Shape = Shape::of("a summary", &["module_path"]);

pub(crate) struct Summary<'a>(Json<'a>);

impl<'a> Summary<'a> {
    pub(crate) fn parse(text: &'a [u8]) -> serde_json::Result<Self> {
        json::object(text, SHAPE).map(Self)
    }

    /// The version, when it is newer than those that are known.
    pub(crate) fn unknown_version(&self) -> Option<&str> {
        let version = self.0.text_or_empty("version");
        (!(1..=NEWEST).contains(&version.parse().unwrap_or_default())).then_some(version)
    }

    pub(crate) fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let (name, events) = (self.name(), self.events());
        if events.is_empty() {
            sink.skip(line, name.as_bytes(), || format!("`{name}` has no metrics"));
        } else {
            events.row(line, &name, sink);
        }
    }

    /// As the terminal shows it: `file::group::function id:arguments`, which are written as in the code.
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
        // Up to version 3; versions 1 and 2 have only parts.
        let callgrind = self.0.at("callgrind_summary");
        add_all(
            &mut events,
            "Callgrind",
            callgrind.at("callgrind_run/total/summary"),
        );
        add_sums(
            &mut events,
            "Callgrind",
            callgrind
                .list("summaries")
                .iter()
                .map(|part| part.at("events")),
        );
        for summary in self.0.list("tool_summaries") {
            let (tool, parts) = (summary.text_or_empty("tool"), summary.list("summaries"));
            add_kinds(&mut events, tool, summary.at("summaries/total"));
            add_sums(
                &mut events,
                tool,
                parts.iter().map(|part| part.at("costs_summary")),
            );
            let checked: Vec<_> = parts
                .iter()
                .filter(|part| part.has("error_summary"))
                .collect();
            for (event, field) in ERRORS.into_iter().filter(|_| !checked.is_empty()) {
                let counts = checked.iter().map(|part| part.number(field));
                events.add(tool, event, counts.reduce(sum).flatten());
            }
        }
        events
    }
}

/// The counts of the error checkers, and their paths in the summary.
const ERRORS: [(&str, &str); 4] = [
    ("Errors", "error_summary/errors"),
    ("Contexts", "error_summary/contexts"),
    ("SuppressedErrors", "error_summary/supp_errors"),
    ("SuppressedContexts", "error_summary/supp_contexts"),
];

/// Returns the number of the new run; `None` when only the one before has it.
fn newer(difference: &Json<'_>) -> Option<Value> {
    // Versions 3 to 6, since version 7, and versions 1 and 2.
    let both = difference.list("metrics/Both").first();
    let one = ["metrics/Left", "values/new", "new"].map(|path| difference.at(path));
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

/// Adds what the parts of a run amount to, event by event.
fn add_sums<'j>(events: &mut Events, tool: &str, parts: impl Iterator<Item = &'j Json<'j>>) {
    let mut sums: IndexMap<&str, Option<Value>> = IndexMap::new();
    for (event, difference) in parts.flat_map(Json::entries) {
        let new = newer(difference);
        sums.entry(event)
            .and_modify(|total| *total = sum(*total, new))
            .or_insert(new);
    }
    for (event, value) in sums {
        events.add(tool, event, value);
    }
}

/// The sum of those that there are.
fn sum(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (one, other) {
        (Some(Value::Int(one)), Some(Value::Int(other))) => one.checked_add(other).map(Value::Int),
        (Some(one), Some(other)) => Value::new(one.as_f64() + other.as_f64()),
        (one, other) => one.or(other),
    }
}
