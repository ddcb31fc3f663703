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
    pub name: String,
    pub outcome: Outcome,
    pub values: Vec<(Name, Value)>,
}

/// The number of processors at the end of the names of a package's results.
enum Processors {
    Same {
        number: u64,
        /// The name that has it, while there is but one, and that of a part of a benchmark: its own name may end
        /// in a number, too.
        only: Option<String>,
    },
    /// Without one, or with several: it tells results apart.
    Differ,
}

impl Processors {
    fn of(name: &str) -> Self {
        match number_of_processors(name) {
            Some(number) => Self::Same { number, only: name.contains('/').then(|| name.to_owned()) },
            None => Self::Differ,
        }
    }

    /// Takes another result of the package into account.
    fn see(&mut self, name: &str) {
        let Self::Same { number, only } = self else { return };
        if number_of_processors(name) != Some(*number) {
            *self = Self::Differ;
        } else if only.as_deref().is_some_and(|only| only != name) {
            *only = None;
        }
    }

    /// The name without the number, if that is what all share.
    fn without<'n>(&self, name: &'n str) -> &'n str {
        match self {
            Self::Same { number, only: None } if number_of_processors(name) == Some(*number) => {
                without_processors(name)
            }
            _ => name,
        }
    }
}

/// Everything that was found in an input.
#[derive(Default)]
pub(super) struct Found {
    results: Vec<Result>,
    processors: HashMap<Rc<Context>, Processors>,
    units: IndexMap<String, Meaning>,
    /// The names of metrics, each stored once.
    metrics: HashMap<String, Name>,
}

impl Found {
    /// Takes a result of this name as it was written, which is with the number of processors if it has one.
    pub(super) fn add_written(&mut self, result: Result) {
        if let Some(processors) = self.processors.get_mut(&result.context) {
            processors.see(&result.name);
        } else {
            self.processors.insert(Rc::clone(&result.context), Processors::of(&result.name));
        }
        self.add(result);
    }

    /// Takes a result whose name may lack the number of processors, as that of what failed in its first round.
    pub(super) fn add(&mut self, result: Result) {
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
    ///
    /// # Errors
    /// The first word that is none of those.
    pub(super) fn declare<'t>(&mut self, text: &'t str) -> std::result::Result<(), &'t str> {
        let mut words = text.split_whitespace();
        let Some(unit) = words.next() else { return Ok(()) };
        let mut problem = Ok(());
        let meaning = self.units.entry(unit.to_owned()).or_insert_with(|| Meaning::of_name(unit));
        for word in words {
            match word {
                "better=higher" => meaning.direction = Direction::Higher,
                "better=lower" => meaning.direction = Direction::Lower,
                "assume=exact" => meaning.exact = true,
                "assume=nothing" => meaning.exact = false,
                other => problem = problem.and(Err(other)),
            }
        }
        problem
    }

    /// Gives all results, the repeated ones as samples.
    pub(super) fn give(self, sink: &mut Sink<'_>) {
        for (unit, meaning) in &self.units {
            sink.declare(unit, Declared { label: None, meaning: *meaning });
        }
        let mut runs: HashMap<(String, Rc<Context>), i64> = HashMap::new();
        for result in self.results {
            let processors = self.processors.get(&result.context);
            let name = processors.map_or(&*result.name, |processors| processors.without(&result.name));
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

/// The number of processors that a name seems to end in.
fn number_of_processors(name: &str) -> Option<u64> {
    let (before, number) = name.rsplit_once('-')?;
    let plain = !before.is_empty() && number.starts_with(|c: char| c.is_ascii_digit() && c != '0');
    number.parse().ok().filter(|_| plain)
}

/// The name without the number of processors, if it seems to end in one.
pub(super) fn without_processors(name: &str) -> &str {
    number_of_processors(name).and(name.rsplit_once('-')).map_or(name, |(name, _)| name)
}
