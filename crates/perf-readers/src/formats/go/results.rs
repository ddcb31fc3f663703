//! Collects an input's results, because each name depends on all results.

use std::collections::BTreeMap;
use std::rc::Rc;

use indexmap::IndexSet;

use crate::formats::common::prelude::*;
use crate::rows::repeats::is_far;

/// The maximum number of values that a distinguishing label may have. If there are more, the label is from a program's
/// log.
const MOST_VALUES: usize = 8;

/// The configuration lines before results, which apply to all results below them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Context {
    pub goos: String,
    pub goarch: String,
    pub package: String,
    pub machine_class: String,
    pub commit: String,
}

/// Other configuration lines, such as `note: before`, by key.
pub(super) type Labels = BTreeMap<String, String>;

/// A result line, or a benchmark that failed or was skipped.
#[derive(Debug)]
pub(super) struct Measured {
    pub line: u64,
    pub context: Rc<Context>,
    pub labels: Rc<Labels>,
    pub name: String,
    /// Whether Go printed the full name, which may end with the number of processors. A benchmark that failed in its
    /// first round is printed without this number.
    pub is_full_name: bool,
    pub outcome: Outcome,
    /// The index of the test binary's run.
    pub process: u32,
    pub values: Vec<(String, Value)>,
}

#[derive(Default)]
pub(super) struct Results {
    all: Vec<Measured>,
    units: HashSet<String>,
    declared: IndexMap<String, Meaning>,
}

impl Results {
    pub(super) fn add(&mut self, result: Measured) {
        for (unit, _) in &result.values {
            if !self.units.contains(unit) {
                self.units.insert(unit.clone());
            }
        }
        self.all.push(result);
    }

    /// Whether a unit is known, and therefore not cut off: it is one of Go's own, was declared, or occurred before.
    pub(super) fn knows(&self, unit: &str) -> bool {
        ["ns/op", "MB/s", "B/op", "allocs/op"].contains(&unit)
            || self.declared.contains_key(unit)
            || self.units.contains(unit)
    }

    /// Reads the text after `Unit ` in a line such as `Unit name better=higher assume=exact`. Returns the first unknown
    /// word.
    pub(super) fn declare<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let mut words = text.split_whitespace();
        let unit = words.next()?;
        let meaning = self
            .declared
            .entry(unit.to_owned())
            .or_insert_with(|| Meaning::of_name(unit));
        let mut unknown = None;
        for word in words {
            match word {
                "better=higher" => meaning.direction = Direction::Higher,
                "better=lower" => meaning.direction = Direction::Lower,
                "assume=exact" => meaning.exact = true,
                "assume=nothing" => meaning.exact = false,
                _ => unknown = unknown.or(Some(word)),
            }
        }
        unknown
    }

    /// Emits a row for each result; repeated results are samples.
    pub(super) fn give(&self, sink: &mut Rows<'_>) {
        for (unit, meaning) in &self.declared {
            let declared = Declared {
                label: None,
                meaning: *meaning,
            };
            sink.declare(unit, declared);
        }
        let names = self.names_without_processors();
        let telling = self.telling_labels(&names);
        let mut runs: HashMap<(&Context, String), Runs> = HashMap::new();
        for (result, name) in self.all.iter().zip(&names) {
            let context = &*result.context;
            let mut scenario = joined([&*context.package, name], ".");
            let labels: Vec<String> = telling
                .iter()
                .filter_map(|key| Some(format!("{key}: {}", result.labels.get(*key)?)))
                .collect();
            scenario = with_details(&scenario, &labels);
            for (unit, _) in &result.values {
                sink.see_unit(result.line, unit);
            }
            let runs = runs.entry((context, scenario.clone())).or_default();
            let cells = Cells {
                platform: &joined([&*context.goos, &*context.goarch], "/"),
                commit: &context.commit,
                run_index: runs.count,
                outcome: result.outcome,
                process: Process::OfDocument(result.process),
                machine_class: Some(&context.machine_class),
                ..Cells::of(&scenario)
            };
            let values = result.values.iter();
            let values = values.map(|(unit, value)| (unit.as_str(), Some(*value)));
            sink.measured(result.line, &cells, values);
            if let Some((unit, ends)) = runs.add(&result.values) {
                sink.differ(&scenario, unit, ends);
            }
        }
    }

    /// Returns the names without the number of processors. Either all names in a package end with this number, or none
    /// does.
    fn names_without_processors(&self) -> Vec<&str> {
        let mut names: HashMap<&Context, IndexSet<&str>> = HashMap::new();
        for result in self.all.iter().filter(|result| result.is_full_name) {
            names
                .entry(&result.context)
                .or_default()
                .insert(&result.name);
        }
        let mut shared: HashMap<&Context, u64> = HashMap::new();
        for (context, names) in names {
            let mut numbers = names.iter().map(|name| number_of_processors(name));
            let first = numbers.next().flatten();
            // A single sub-benchmark's name may end with its own number (`Read/size-10`). After another number
            // (`Read/n=1-8`), it is the number of processors.
            let may_be_part = |name: &&str| {
                let before = without_processors(name);
                name.contains('/') && !before.ends_with(|c: char| c.is_ascii_digit())
            };
            let is_ambiguous = names.len() == 1 && names.iter().all(may_be_part);
            if let Some(first) = first
                && numbers.all(|number| number == Some(first))
                && !is_ambiguous
            {
                shared.insert(context, first);
            }
        }
        let mut without = Vec::with_capacity(self.all.len());
        for result in &self.all {
            let number = number_of_processors(&result.name);
            let is_shared = number.is_some() && shared.get(&*result.context).copied() == number;
            without.push(if is_shared {
                without_processors(&result.name)
            } else {
                &*result.name
            });
        }
        without
    }

    /// Returns the labels that differ between results with the same name.
    fn telling_labels(&self, names: &[&str]) -> IndexSet<&str> {
        let mut first: HashMap<(&Context, &str), &Rc<Labels>> = HashMap::new();
        let mut values: IndexMap<&str, HashSet<&str>> = IndexMap::new();
        let mut differing: HashSet<&str> = HashSet::new();
        for (result, name) in self.all.iter().zip(names) {
            for (key, value) in &*result.labels {
                values.entry(key).or_default().insert(value);
            }
            let first = *first
                .entry((&*result.context, name))
                .or_insert(&result.labels);
            if !Rc::ptr_eq(first, &result.labels) {
                let mut keys = first.keys().chain(result.labels.keys());
                let differs = |key: &&String| first.get(*key) != result.labels.get(*key);
                differing.extend(keys.by_ref().filter(differs).map(String::as_str));
            }
        }
        values.retain(|key, values| differing.contains(key) && values.len() <= MOST_VALUES);
        values.into_keys().collect()
    }
}

/// The results with one name so far.
#[derive(Default)]
struct Runs<'r> {
    count: i64,
    /// The first value's unit, minimum and maximum.
    ends: Option<(&'r str, [Value; 2])>,
    is_reported: bool,
}

impl<'r> Runs<'r> {
    /// Adds a result. Returns the minimum and maximum of its first value when they are far apart for the first time.
    fn add(&mut self, values: &'r [(String, Value)]) -> Option<(&'r str, [Value; 2])> {
        self.count += 1;
        let (unit, value) = values.first()?;
        let (known, [least, most]) = self.ends.get_or_insert((unit, [*value; 2]));
        if known != unit || self.is_reported {
            return None;
        }
        if value.as_f64() < least.as_f64() {
            *least = *value;
        }
        if value.as_f64() > most.as_f64() {
            *most = *value;
        }
        self.is_reported = is_far(*least, *most);
        self.ends.filter(|_| self.is_reported)
    }
}

/// Returns the number at the end of a name if it is probably the number of processors.
fn number_of_processors(name: &str) -> Option<u64> {
    let (before, number) = name.rsplit_once('-')?;
    let is_plain = !before.is_empty() && number.starts_with(|c: char| matches!(c, '1'..='9'));
    number.parse().ok().filter(|_| is_plain)
}

/// Returns the name without the number at its end that is probably the number of processors.
pub(super) fn without_processors(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((before, _)) if number_of_processors(name).is_some() => before,
        _ => name,
    }
}
