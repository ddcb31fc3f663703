//! Declarations about metrics in the inputs: the same table whatever the order of the inputs.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Deref;

use indexmap::IndexMap;

use super::Declared;
use crate::row::Name;

/// One declaration for each metric. Where inputs disagree, the one that says most counts: a known unit before an
/// unknown one, then a known direction, then a label; between two that say as much, a fixed order decides.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    metrics: IndexMap<Name, Declared>,
    conflicts: BTreeSet<Name>,
}

impl Declarations {
    /// Adds what an input declares.
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

    /// Adds all that other inputs declare.
    pub fn merge(&mut self, other: &Self) {
        for (name, declared) in &other.metrics {
            self.add(name, declared.clone());
        }
        self.conflicts.extend(other.conflicts.iter().cloned());
    }

    /// The metrics that inputs declare differently, by name.
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

/// The lowest counts. Units and directions end with what is not known.
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

    fn of(all: &[Declared]) -> Declarations {
        let mut declarations = Declarations::default();
        for one in all {
            declarations.add(&"x".into(), one.clone());
        }
        declarations
    }

    #[test]
    fn order_of_inputs_decides_nothing() {
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
            assert_eq!(of(&all)["x"], most);
            all.reverse();
            assert_eq!(of(&all)["x"], most);
        }
        assert_eq!(of(&all).conflicts().count(), 1);
        assert_eq!(of(&[most.clone(), most]).conflicts().count(), 0);
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
        let mut merged = of(&[one]);
        merged.merge(&of(std::slice::from_ref(&other)));
        assert_eq!((&merged["x"], merged.conflicts().count()), (&other, 1));
    }
}
