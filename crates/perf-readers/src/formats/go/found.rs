//! Keeps the results of an input until all of them are known, which decides their names.

use crate::formats::common::prelude::*;
use crate::formats::go::labels::{AllLabels, Labels};
use crate::rows::differing::is_far;
use perf_model::metric::Declared;
use perf_model::row::Interner;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// The configuration lines that stand before results and hold for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Context {
    pub goos: String,
    pub goarch: String,
    pub package: String,
    pub machine_class: String,
    pub commit: String,
}

impl Context {
    /// Begins that of another run, of which only these keys are known so far.
    pub(crate) fn begin(&mut self, goos: String, known: &[String]) {
        let keep = |key: &str, value: String| {
            if known.iter().any(|known| known == key) {
                value
            } else {
                String::new()
            }
        };
        let Self {
            goarch,
            package,
            machine_class,
            commit,
            ..
        } = std::mem::take(self);
        *self = Self {
            goos,
            goarch: keep("goarch", goarch),
            package: keep("pkg", package),
            machine_class: keep("cpu", machine_class),
            commit,
        };
    }

    fn platform(&self) -> String {
        joined([&*self.goos, &*self.goarch], "/")
    }
}

/// The destinations of a reader: results wait until all are known, problems are reported at once.
pub(crate) struct Out<'o, 'c> {
    pub found: &'o mut Found,
    pub sink: &'o mut RowCollector<'c>,
}

/// One line of results, or the reason for a missing one.
pub(crate) struct Result<'r> {
    pub line: u64,
    pub context: &'r Rc<Context>,
    pub labels: &'r Rc<Labels>,
    pub name: &'r str,
    pub outcome: Outcome,
    /// The test binary of the package that was run.
    pub process: u32,
    /// With their units.
    pub values: &'r [(Value, &'r str)],
}

/// A result that waits, as there may be millions. Its name and its values begin where those before it end.
struct Waiting {
    line: u64,
    context: usize,
    labels: usize,
    name_end: usize,
    outcome: Outcome,
    process: u32,
    values_end: usize,
}

/// The number of processors at the end of the names of a package's results.
enum Processors {
    Same {
        number: u64,
        /// The name that has it, while there is but one, and that of a part of a benchmark: its own name may end
        /// in a number, too.
        only: Option<String>,
    },
    /// None, or several: it is part of the name then.
    Differ,
}

impl Processors {
    fn of(name: &str) -> Self {
        match number_of_processors(name) {
            Some(number) => Self::Same {
                number,
                only: may_be_part(name).then(|| name.to_owned()),
            },
            None => Self::Differ,
        }
    }

    /// Takes another result of the package into account.
    fn see(&mut self, name: &str) {
        let Self::Same { number, only } = self else {
            return;
        };
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
pub(crate) struct Found {
    results: Vec<Waiting>,
    names: String,
    /// The values of all results, with the places of their units.
    values: Vec<(u32, Value)>,
    units: Interner,
    /// Unknown when no name of a result has a number of processors.
    contexts: IndexMap<Rc<Context>, Option<Processors>, RandomState>,
    /// The context of the last result, as it came, and its place in `contexts`.
    last: (Rc<Context>, usize),
    labels: AllLabels,
    declared: IndexMap<String, Meaning>,
}

impl Found {
    /// Takes a result of this name as it was written, which is with the number of processors if it has one.
    pub(crate) fn add_written(&mut self, result: &Result<'_>) {
        let context = self.context(result.context);
        match &mut self.contexts[context] {
            Some(processors) => processors.see(result.name),
            unknown => *unknown = Some(Processors::of(result.name)),
        }
        self.add(result);
    }

    /// Takes a result whose name may lack the number of processors, as that of what failed in its first round.
    pub(crate) fn add(&mut self, result: &Result<'_>) {
        let Result {
            line,
            outcome,
            process,
            ..
        } = *result;
        let context = self.context(result.context);
        self.names.push_str(result.name);
        let units = &mut self.units;
        self.values.extend(
            result
                .values
                .iter()
                .map(|(value, unit)| (units.place(unit), *value)),
        );
        let (name_end, values_end) = (self.names.len(), self.values.len());
        let labels = self.labels.place(result.labels);
        self.results.push(Waiting {
            line,
            context,
            labels,
            name_end,
            outcome,
            process,
            values_end,
        });
    }

    /// True if a unit is complete: one of Go's own, or one that occurred before.
    pub(crate) fn knows(&self, unit: &str) -> bool {
        let is_declared = self.declared.contains_key(unit) || self.units.contains(unit);
        ["ns/op", "MB/s", "B/op", "allocs/op"].contains(&unit) || is_declared
    }

    fn context(&mut self, context: &Rc<Context>) -> usize {
        if !Rc::ptr_eq(&self.last.0, context) {
            let known = self.contexts.get_index_of(context);
            let place =
                known.unwrap_or_else(|| self.contexts.insert_full(Rc::clone(context), None).0);
            self.last = (Rc::clone(context), place);
        }
        self.last.1
    }

    /// Takes a line `Unit name better=higher assume=exact`.
    ///
    /// # Errors
    /// The first other word.
    pub(crate) fn declare<'t>(&mut self, text: &'t str) -> std::result::Result<(), &'t str> {
        let mut words = text.split_whitespace();
        let Some(unit) = words.next() else {
            return Ok(());
        };
        let mut problem = Ok(());
        let meaning = self
            .declared
            .entry(unit.to_owned())
            .or_insert_with(|| Meaning::of_name(unit));
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

    /// The name of each result without what the results of its package share, with the places of its context and
    /// its labels.
    fn named(&self) -> impl Iterator<Item = ((usize, &str), usize)> {
        let mut start = 0;
        self.results.iter().map(
            move |Waiting {
                      context,
                      labels,
                      name_end,
                      ..
                  }| {
                let name = &self.names[start..*name_end];
                start = *name_end;
                let processors = self
                    .contexts
                    .get_index(*context)
                    .and_then(|(_, processors)| processors.as_ref());
                (
                    (
                        *context,
                        processors.map_or(name, |processors| processors.without(name)),
                    ),
                    *labels,
                )
            },
        )
    }

    /// Gives all results, the repeated ones as samples.
    pub(crate) fn give(self, sink: &mut RowCollector<'_>) {
        for (unit, meaning) in &self.declared {
            sink.declare(
                unit,
                Declared {
                    label: None,
                    meaning: *meaning,
                },
            );
        }
        let suffixes = self.labels.suffixes(self.named());
        let platforms: Vec<String> = self
            .contexts
            .keys()
            .map(|context| context.platform())
            .collect();
        let mut runs: HashMap<(usize, &str, &str), Runs, RandomState> = HashMap::default();
        let (mut values_start, mut scenario) = (0, String::new());
        let mut seen_units: HashSet<u32, RandomState> = HashSet::default();
        for (((place, name), labels), waiting) in self.named().zip(&self.results) {
            let Some((context, _)) = self.contexts.get_index(place) else {
                continue;
            };
            let Waiting {
                line,
                outcome,
                process,
                values_end,
                ..
            } = *waiting;
            let values = &self.values[values_start..values_end];
            values_start = values_end;
            let suffix = suffixes.get(labels).map_or("", String::as_str);
            scenario.clear();
            scenario.push_str(&context.package);
            scenario.push_str(if context.package.is_empty() { "" } else { "." });
            scenario.push_str(name);
            scenario.push_str(suffix);
            let runs = runs.entry((place, name, suffix)).or_default();
            let cells = Cells {
                platform: &platforms[place],
                commit: &context.commit,
                run_index: runs.count,
                outcome,
                process: Process::OfDocument(process),
                machine_class: Some(&context.machine_class),
                ..Cells::of(&scenario)
            };
            runs.count += 1;
            if let Some((unit, ends)) = values.first().and_then(|first| runs.differ(*first)) {
                sink.differ(&scenario, self.units.at(unit), ends);
            }
            for (unit, _) in values {
                if seen_units.insert(*unit) {
                    sink.see_unit(line, self.units.at(*unit));
                }
            }
            let values = values
                .iter()
                .map(|(unit, value)| (&**self.units.at(*unit), Some(*value)));
            sink.measured(line, &cells, values);
        }
    }
}

/// The results of one name so far.
#[derive(Default)]
struct Runs {
    count: i64,
    /// The unit of the first value, and the least and the greatest of that unit.
    ends: Option<(u32, [Value; 2])>,
    is_told: bool,
}

impl Runs {
    /// Takes another first value. The ends of all when they are far apart for the first time.
    fn differ(&mut self, (unit, value): (u32, Value)) -> Option<(u32, [Value; 2])> {
        let (known, [least, most]) = self.ends.get_or_insert((unit, [value; 2]));
        if *known != unit || self.is_told {
            return None;
        }
        if value.as_f64() < least.as_f64() {
            *least = value;
        }
        if value.as_f64() > most.as_f64() {
            *most = value;
        }
        self.is_told = is_far(*least, *most);
        self.ends.filter(|_| self.is_told)
    }
}

/// The number of processors that a name seems to end in.
fn number_of_processors(name: &str) -> Option<u64> {
    let (before, number) = name.rsplit_once('-')?;
    let plain = !before.is_empty() && number.starts_with(|c: char| c.is_ascii_digit() && c != '0');
    number.parse().ok().filter(|_| plain)
}

/// True if the number at the end may be a part of the name, as in `Read/size-10`. After another number, as in
/// `Read/n=1-8`, it is not.
fn may_be_part(name: &str) -> bool {
    name.contains('/') && !without_processors(name).ends_with(|c: char| c.is_ascii_digit())
}

/// The name without the number of processors, if it seems to end in one.
pub(crate) fn without_processors(name: &str) -> &str {
    number_of_processors(name)
        .and(name.rsplit_once('-'))
        .map_or(name, |(name, _)| name)
}
