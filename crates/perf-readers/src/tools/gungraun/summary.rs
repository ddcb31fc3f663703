//! The JSON summary of one benchmark, as versions 1 to 7 have it.
//!
//! Of the new run and the one before, only the new one counts. What was counted in parts is there as a total,
//! too, but for versions 1 and 2.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::tools::common::prelude::*;
use crate::tools::common::valgrind::Events;

/// The newest version that is known.
const NEWEST: u32 = 7;

/// How many characters of a benchmark's description are in its name.
const DESCRIPTION: usize = 200;

#[derive(Deserialize)]
pub(crate) struct Summary<'a> {
    #[serde(borrow, default)]
    version: Cow<'a, str>,
    #[serde(borrow)]
    module_path: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    /// The arguments, as they are written in the code.
    #[serde(borrow, alias = "description")]
    details: Option<Cow<'a, str>>,
    /// Since version 4.
    #[serde(borrow, default)]
    profiles: Vec<Profile<'a>>,
    /// Up to version 3.
    #[serde(rename = "callgrind_summary")]
    callgrind: Option<Callgrind>,
    #[serde(borrow, default)]
    tool_summaries: Vec<Tool<'a>>,
}

#[derive(Deserialize)]
struct Profile<'a> {
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(alias = "data")]
    summaries: Totals,
}

#[derive(Deserialize)]
struct Totals {
    total: Total,
}

/// What all parts amount to.
#[derive(Deserialize)]
struct Total {
    /// By the kind of metrics, versions 3 to 6.
    summary: Option<ByKind>,
    /// Since version 7.
    metrics: Option<Metrics>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ByKind {
    Kinds(IndexMap<String, Metrics>),
    None(serde::de::IgnoredAny),
}

type Metrics = IndexMap<String, Difference>;

/// A number of the new run and of the one before it.
#[derive(Deserialize)]
struct Difference {
    /// Versions 3 to 6.
    metrics: Option<Sides>,
    /// Since version 7.
    values: Option<New>,
    /// Versions 1 and 2.
    #[serde(default)]
    new: Number,
}

#[derive(Deserialize)]
struct Sides {
    #[serde(rename = "Left")]
    new: Option<Amount>,
    #[serde(rename = "Both")]
    both: Option<[Amount; 2]>,
}

#[derive(Deserialize)]
struct New {
    new: Option<Amount>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Amount {
    Plain(Number),
    Int {
        #[serde(rename = "Int")]
        value: Number,
    },
    Float {
        #[serde(rename = "Float")]
        value: Number,
    },
}

#[derive(Deserialize)]
struct Callgrind {
    /// Version 3.
    callgrind_run: Option<CallgrindRun>,
    /// Versions 1 and 2.
    #[serde(default)]
    summaries: Vec<Events12>,
}

#[derive(Deserialize)]
struct CallgrindRun {
    total: CallgrindTotal,
}

#[derive(Deserialize)]
struct CallgrindTotal {
    summary: Metrics,
}

#[derive(Deserialize)]
struct Events12 {
    events: Metrics,
}

#[derive(Deserialize)]
struct Tool<'a> {
    #[serde(borrow)]
    tool: Cow<'a, str>,
    summaries: ToolRuns,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ToolRuns {
    /// Versions 1 and 2.
    Runs(Vec<ToolRun>),
    /// Version 3.
    Total { total: ByKind },
}

#[derive(Deserialize)]
struct ToolRun {
    costs_summary: Option<Metrics>,
    error_summary: Option<Found>,
}

#[derive(Deserialize)]
struct Found {
    errors: Number,
    contexts: Number,
    supp_errors: Number,
    supp_contexts: Number,
}

impl<'a> Summary<'a> {
    pub(crate) fn parse(text: &'a [u8]) -> serde_json::Result<Self> {
        json::from_slice(text)
    }

    /// The version, when it is newer than those that are known.
    pub(crate) fn unknown_version(&self) -> Option<&str> {
        (!(1..=NEWEST).contains(&self.version.parse().unwrap_or_default())).then_some(&self.version)
    }

    pub(crate) fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let (name, events) = (self.name(), self.events());
        if events.is_empty() {
            sink.skip(line, name.as_bytes(), || format!("`{name}` has no metrics"));
        } else {
            events.row(line, &name, sink);
        }
    }

    /// As the terminal shows it: `file::group::function id:arguments`.
    fn name(&self) -> String {
        let mut name = self.module_path.to_string();
        if let Some(id) = &self.id {
            name = format!("{name} {id}");
        }
        let details =
            self.details.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        if !details.is_empty() {
            name.push(':');
            name.extend(details.chars().take(DESCRIPTION));
        }
        name
    }

    fn events(&self) -> Events {
        let mut events = Events::default();
        for Profile { tool, summaries } in &self.profiles {
            let kinds = summaries.total.summary.iter().flat_map(ByKind::metrics);
            for (event, difference) in kinds.chain(&summaries.total.metrics).flatten() {
                events.add(tool, event, difference.newer());
            }
        }
        if let Some(callgrind) = &self.callgrind {
            callgrind.add(&mut events);
        }
        for Tool { tool, summaries } in &self.tool_summaries {
            summaries.add(tool, &mut events);
        }
        events
    }
}

impl ByKind {
    fn metrics(&self) -> impl Iterator<Item = &Metrics> {
        match self {
            Self::Kinds(kinds) => Some(kinds.values()),
            Self::None(_) => None,
        }
        .into_iter()
        .flatten()
    }
}

impl Difference {
    /// What the new run has; `None` when only the one before has it.
    fn newer(&self) -> Option<Value> {
        let sides = self.metrics.as_ref().and_then(|sides| sides.new.or(sides.both.map(|[new, _]| new)));
        let amount = sides.or(self.values.as_ref().and_then(|values| values.new));
        amount.map_or(self.new.0, |amount| match amount {
            Amount::Plain(value) | Amount::Int { value } | Amount::Float { value } => value.0,
        })
    }
}

impl Callgrind {
    fn add(&self, events: &mut Events) {
        let total = self.callgrind_run.iter().flat_map(|run| &run.total.summary);
        for (event, difference) in total {
            events.add("Callgrind", event, difference.newer());
        }
        for (event, value) in sums(self.summaries.iter().map(|part| &part.events)) {
            events.add("Callgrind", event, value);
        }
    }
}

impl ToolRuns {
    fn add(&self, tool: &str, events: &mut Events) {
        match self {
            Self::Total { total } => {
                for (event, difference) in total.metrics().flatten() {
                    events.add(tool, event, difference.newer());
                }
            }
            Self::Runs(runs) => {
                for (event, value) in sums(runs.iter().filter_map(|run| run.costs_summary.as_ref())) {
                    events.add(tool, event, value);
                }
                let errors: Vec<&Found> = runs.iter().filter_map(|run| run.error_summary.as_ref()).collect();
                if !errors.is_empty() {
                    Found::add(&errors, tool, events);
                }
            }
        }
    }
}

impl Found {
    fn add(all: &[&Self], tool: &str, events: &mut Events) {
        let total = |of: fn(&Self) -> Number| all.iter().map(|errors| of(errors).0).reduce(sum).flatten();
        events.add(tool, "Errors", total(|errors| errors.errors));
        events.add(tool, "Contexts", total(|errors| errors.contexts));
        events.add(tool, "SuppressedErrors", total(|errors| errors.supp_errors));
        events.add(tool, "SuppressedContexts", total(|errors| errors.supp_contexts));
    }
}

/// What the parts of a run amount to, event by event.
fn sums<'m>(parts: impl Iterator<Item = &'m Metrics>) -> IndexMap<&'m str, Option<Value>> {
    let mut sums: IndexMap<&str, Option<Value>> = IndexMap::new();
    for (event, difference) in parts.flatten() {
        let new = difference.newer();
        sums.entry(event).and_modify(|total| *total = sum(*total, new)).or_insert(new);
    }
    sums
}

/// The sum of those that there are.
fn sum(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (one, other) {
        (Some(Value::Int(one)), Some(Value::Int(other))) => one.checked_add(other).map(Value::Int),
        (Some(one), Some(other)) => Value::new(one.as_f64() + other.as_f64()),
        (one, other) => one.or(other),
    }
}
