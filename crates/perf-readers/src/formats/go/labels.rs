//! Configuration lines that are not Go's own, such as `note: before`: where they differ between results of one name,
//! they become part of the name.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::rc::Rc;

use crate::input::text::text;

/// The most keys of configuration lines; more are the log of a program.
const MOST_KEYS: usize = 16;

/// The most values of a key; more are the log of a program.
const MOST_VALUES: usize = 8;

/// The most bytes of a value; longer ones are no configuration.
const LONGEST: usize = 100;

/// Keys that are no configuration but the log of a program.
const LOGGED: [&str; 9] = [
    "error",
    "warning",
    "warn",
    "info",
    "debug",
    "fatal",
    "exit",
    "goroutine",
    "got",
];

/// The values of configuration lines by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Labels(BTreeMap<String, String>);

impl Labels {
    pub(crate) fn set(&mut self, (key, value): (String, String)) {
        if self.0.contains_key(&key) || self.0.len() < MOST_KEYS {
            self.0.insert(key, value);
        }
    }

    fn get(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }
}

/// The key and the value of a configuration line: a word in small letters, and a text.
pub(crate) fn label(line: &[u8]) -> Option<(String, String)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let is_key =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(byte);
    if !line[..colon].iter().all(is_key) || line.get(colon + 1) != Some(&b' ') {
        return None;
    }
    let (key, value) = (text(&line[..colon]), text(&line[colon + 1..]));
    let value = value.trim();
    let is_text = value.starts_with(char::is_alphabetic) && value.len() <= LONGEST;
    (is_text && !LOGGED.contains(&&*key)).then(|| (key.into_owned(), value.to_owned()))
}

/// All labels of an input, and what names need of them.
#[derive(Default)]
pub(crate) struct AllLabels(IndexSet<Rc<Labels>, RandomState>);

impl AllLabels {
    /// The place of these labels.
    pub(crate) fn place(&mut self, labels: &Rc<Labels>) -> usize {
        match self.0.get_index_of(labels) {
            Some(place) => place,
            None => self.0.insert_full(Rc::clone(labels)).0,
        }
    }

    /// Returns the suffixes to append to names of results, by the place of their labels. `results` are names with such
    /// places.
    pub(crate) fn suffixes<'n>(
        &self,
        results: impl Iterator<Item = ((usize, &'n str), usize)>,
    ) -> Vec<String> {
        if self.0.len() < 2 {
            return vec![String::new(); self.0.len()];
        }
        let mut of_names: HashMap<(usize, &str), HashSet<usize>, RandomState> = HashMap::default();
        for (name, place) in results {
            of_names.entry(name).or_default().insert(place);
        }
        let keys: IndexSet<&String> = self.0.iter().flat_map(|labels| labels.0.keys()).collect();
        let tells = |key: &&&String| {
            let values: HashSet<&str> = self.0.iter().map(|labels| labels.get(key)).collect();
            let differ = |places: &HashSet<usize>| {
                let values = places.iter().filter_map(|place| self.0.get_index(*place));
                values
                    .map(|labels| labels.get(key))
                    .collect::<HashSet<_>>()
                    .len()
                    > 1
            };
            values.len() <= MOST_VALUES && of_names.values().any(differ)
        };
        let telling: Vec<&&String> = keys.iter().filter(tells).collect();
        let suffix = |labels: &Rc<Labels>| {
            let pairs = telling.iter().filter(|key| !labels.get(key).is_empty());
            let pairs: Vec<String> = pairs
                .map(|key| format!("{key}: {}", labels.get(key)))
                .collect();
            if pairs.is_empty() {
                String::new()
            } else {
                format!(" ({})", pairs.join(", "))
            }
        };
        self.0.iter().map(suffix).collect()
    }
}
