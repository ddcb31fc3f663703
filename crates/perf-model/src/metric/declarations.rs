//! Metrics as the inputs declare them. The order of the inputs does not matter.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Deref;

use indexmap::IndexMap;

use super::Declared;
use crate::row::Name;

/// One declaration per metric. If inputs disagree, a fixed order decides: by unit, direction, exactness and label, with
/// unknown ones last.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    metrics: IndexMap<Name, Declared>,
    conflicts: BTreeSet<Name>,
}

impl Declarations {
    /// Adds an input's declaration of a metric.
    pub fn add(&mut self, name: &Name, declared: Declared) {
        let Some(known) = self.metrics.get_mut(name) else {
            self.metrics.insert(Name::clone(name), declared);
            return;
        };
        if *known != declared {
            self.conflicts.insert(Name::clone(name));
        }
        if rank(&declared) < rank(known) {
            *known = declared;
        }
    }

    /// Adds all declarations of other inputs.
    pub fn merge(&mut self, other: &Self) {
        for (name, declared) in &other.metrics {
            self.add(name, declared.clone());
        }
        self.conflicts.extend(other.conflicts.iter().cloned());
    }

    /// The metrics that inputs declare differently, sorted by name.
    pub fn conflicts(&self) -> impl Iterator<Item = &Name> {
        self.conflicts.iter()
    }
}

impl Deref for Declarations {
    type Target = IndexMap<Name, Declared>;

    fn deref(&self) -> &Self::Target {
        &self.metrics
    }
}

/// A declaration's sort key. The declaration with the lowest key is used. `Unit::None` and `Direction::Unknown` come
/// last in their enums.
fn rank(declared: &Declared) -> impl Ord {
    let meaning = declared.meaning;
    (
        meaning.unit,
        meaning.direction,
        meaning.exact,
        Reverse(declared.label.clone()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Direction, Meaning, Unit};

    fn declarations(all: &[Declared]) -> Declarations {
        let mut declarations = Declarations::default();
        for one in all {
            declarations.add(&"x".into(), one.clone());
        }
        declarations
    }

    #[test]
    fn order_of_inputs_does_not_matter() {
        let declared = |unit, direction, label: Option<&str>| Declared {
            label: label.map(str::to_owned),
            meaning: Meaning {
                unit,
                direction,
                exact: false,
            },
        };
        let most = declared(Unit::Ms, Direction::Lower, Some("Time"));
        let mut all = [
            declared(Unit::None, Direction::Lower, Some("A")),
            declared(Unit::Ms, Direction::Unknown, None),
            declared(Unit::Ms, Direction::Lower, None),
            most.clone(),
        ];
        for _ in 0..all.len() {
            all.rotate_left(1);
            assert_eq!(declarations(&all)["x"], most);
            all.reverse();
            assert_eq!(declarations(&all)["x"], most);
        }
        assert_eq!(declarations(&all).conflicts().count(), 1);
        assert_eq!(declarations(&[most.clone(), most]).conflicts().count(), 0);
    }

    #[test]
    fn merging_finds_conflicts_between_inputs() {
        let one = Declared {
            label: None,
            meaning: Meaning::of_name("x"),
        };
        let other = Declared {
            label: Some("X".to_owned()),
            ..one.clone()
        };
        let mut merged = declarations(&[one]);
        merged.merge(&declarations(std::slice::from_ref(&other)));
        assert_eq!((&merged["x"], merged.conflicts().count()), (&other, 1));
    }
}
