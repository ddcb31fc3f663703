//! The results of an input, until all of them are known.

use std::collections::HashMap;
use std::rc::Rc;

use indexmap::IndexMap;

use crate::catalogue::Declared;
use crate::metric::{Direction, Meaning};
use crate::read::sink::{Cells, Sink};
use crate::row::{Name, Outcome, Value};

/// What stands before results and holds for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    pub goos: String,
    pub goarch: String,
    pub package: String,
    pub machine_class: String,
    pub commit: String,
}

impl Context {
    fn platform(&self) -> String {
        let parts = [self.goos.as_str(), self.goarch.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }
}

/// One line of results, or word of why there is none.
pub(super) struct Result {
    pub line: u64,
    pub context: Rc<Context>,
    /// With the number of processors, if it has one.
    pub name: String,
    pub outcome: Outcome,
    pub values: Vec<(Name, Value)>,
}

/// The number of processors at the end of the names of results.
#[derive(Clone, Copy, Default)]
enum Processors {
    #[default]
    Unknown,
    Same(u64),
    /// Without one, or with several: it tells results apart.
    Differ,
}

/// Everything that was found in an input.
#[derive(Default)]
pub(super) struct Found {
    results: Vec<Result>,
    processors: Processors,
    units: IndexMap<String, Meaning>,
    /// The names of metrics, each stored once.
    metrics: HashMap<String, Name>,
}

impl Found {
    pub(super) fn add(&mut self, result: Result) {
        // That of a result: what failed is named without.
        if result.outcome == Outcome::Measured {
            let own = processors(&result.name);
            self.processors = match (self.processors, own) {
                (Processors::Unknown, Some(own)) => Processors::Same(own),
                (Processors::Same(known), Some(own)) if known == own => Processors::Same(known),
                _ => Processors::Differ,
            };
        }
        self.results.push(result);
    }

    /// The shared copy of a metric's name.
    pub(super) fn metric(&mut self, unit: &str) -> Name {
        if let Some(known) = self.metrics.get(unit) {
            return Name::clone(known);
        }
        let name = Name::from(unit);
        self.metrics.insert(unit.to_owned(), Name::clone(&name));
        name
    }

    /// Takes a line `Unit name better=higher assume=exact`.
    pub(super) fn declare(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let Some(unit) = words.next() else { return };
        let meaning = self.units.entry(unit.to_owned()).or_insert_with(|| Meaning::of_name(unit));
        for word in words {
            match word {
                "better=higher" => meaning.direction = Direction::Higher,
                "better=lower" => meaning.direction = Direction::Lower,
                "assume=exact" => meaning.exact = true,
                "assume=nothing" => meaning.exact = false,
                _ => {}
            }
        }
    }

    /// Gives all results, the repeated ones as samples.
    pub(super) fn give(self, sink: &mut Sink<'_>) {
        for (unit, meaning) in &self.units {
            sink.declare(unit, Declared { label: None, meaning: *meaning });
        }
        let mut runs: HashMap<(String, Rc<Context>), i64> = HashMap::new();
        for result in self.results {
            let name = match self.processors {
                Processors::Same(all) if processors(&result.name) == Some(all) => {
                    result.name.rsplit_once('-').map_or(&*result.name, |(name, _)| name)
                }
                _ => &result.name,
            };
            let context = &result.context;
            let scenario = if context.package.is_empty() {
                name.to_owned()
            } else {
                format!("{}.{name}", context.package)
            };
            let run = runs.entry((scenario.clone(), Rc::clone(context))).or_insert(0);
            let platform = context.platform();
            let cells = Cells {
                platform: &platform,
                commit: &context.commit,
                run_index: *run,
                outcome: result.outcome,
                machine_class: Some(&context.machine_class),
                ..Cells::of(&scenario)
            };
            *run += 1;
            sink.measured(
                result.line,
                &cells,
                result.values.iter().map(|(name, value)| (&**name, Some(*value))),
            );
        }
    }
}

impl std::hash::Hash for Context {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.package.hash(state);
    }
}

/// The number of processors that a name ends in.
fn processors(name: &str) -> Option<u64> {
    let (before, number) = name.rsplit_once('-')?;
    let plain = !before.is_empty() && number.starts_with(|c: char| c.is_ascii_digit() && c != '0');
    number.parse().ok().filter(|_| plain)
}
