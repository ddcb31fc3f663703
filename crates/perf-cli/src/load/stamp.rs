//! What programs add to rows: the class of the machine and the methodology.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use perf_model::diagnostic::Diagnostic;
use perf_model::machine::{MachineSpecs, UNKNOWN};
use perf_model::row::{Conditions, Key, Name, Row};

use crate::file::read_text;
use crate::{failure, term};

/// Reads a description of the machine, as `collect-machine-specs` writes it.
///
/// # Errors
/// A file that cannot be read, or is no such description.
pub fn machine_specs(path: &Path) -> anyhow::Result<MachineSpecs> {
    let text = read_text(path)?;
    MachineSpecs::from_json(&text).with_context(|| term::shown(path))
}

/// Puts the class of the machine into the rows that have none. A machine without a description costs a warning, and
/// nothing else.
pub fn stamp_machine(rows: &mut [Row], machine: &Path) -> Option<Diagnostic> {
    let class = machine_specs(machine).map(|specs| specs.machine_class.filter(|class| class != UNKNOWN));
    let why = match class {
        Ok(Some(class)) => {
            stamp_class(rows, &Name::from(class));
            return None;
        }
        Ok(None) => format!("`{}` has no machine class", term::shown(machine)),
        Err(error) => failure::message(&error),
    };
    Some(Diagnostic::warning(format!("{why}: the rows get no machine class")))
}

fn stamp_class(rows: &mut [Row], class: &Name) {
    stamp_with(rows, |conditions| {
        conditions.machine_class.get_or_insert_with(|| Name::clone(class));
    });
}

/// Puts the commit into the rows that name none.
pub fn stamp_commit(rows: &mut [Row], commit: &str) {
    fill(rows, commit, |conditions| &mut conditions.commit);
}

/// Puts the platform into the rows that name none.
pub fn stamp_platform(rows: &mut [Row], platform: &str) {
    fill(rows, platform, |conditions| &mut conditions.platform);
}

fn fill(rows: &mut [Row], text: &str, place: impl Fn(&mut Conditions) -> &mut Name) {
    let text = Name::from(text);
    stamp_with(rows, |conditions| {
        let place = place(conditions);
        if place.is_empty() {
            *place = Name::clone(&text);
        }
    });
}

/// Changes the conditions of rows. Rows go on to share their keys, and keys their conditions; each is made once, in
/// whatever order they come.
fn stamp_with(rows: &mut [Row], change: impl Fn(&mut Conditions)) {
    // By the addresses of what is stamped, and with it, so that nothing else is at the address.
    let mut conditions: HashMap<*const Conditions, [Arc<Conditions>; 2]> = HashMap::new();
    let mut keys: HashMap<*const Key, [Arc<Key>; 2]> = HashMap::new();
    for row in rows {
        let [_, stamped] = keys.entry(Arc::as_ptr(&row.key)).or_insert_with(|| {
            let old = &row.key.conditions;
            let [_, stamped] = conditions.entry(Arc::as_ptr(old)).or_insert_with(|| {
                let mut stamped = Conditions::clone(old);
                change(&mut stamped);
                [Arc::clone(old), Arc::new(stamped)]
            });
            let (scenario, conditions) = (Name::clone(&row.key.scenario), Arc::clone(stamped));
            [Arc::clone(&row.key), Arc::new(Key { scenario, conditions })]
        });
        row.key = Arc::clone(stamped);
    }
}

/// Puts the methodology into the rows that have none. Rows that have one were measured elsewhere.
pub fn stamp_methodology(rows: &mut [Row], methodology: Option<&Name>) {
    let Some(methodology) = methodology else { return };
    stamp_with(rows, |conditions| {
        conditions.methodology.get_or_insert_with(|| Name::clone(methodology));
    });
}

#[cfg(test)]
mod tests {
    use perf_config::Config;
    use perf_readers::Collector;

    use super::*;

    #[test]
    fn commit_and_platform_are_only_filled_in() {
        let text = b"scenario,platform,commit,x\nA,,,1\nB,linux,own,1\n";
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut &text[..]).unwrap();
        let mut rows = collector.finish().rows;
        stamp_commit(&mut rows, "4be19c7");
        stamp_platform(&mut rows, "ubuntu");
        let filled: Vec<_> = rows.iter().map(|row| (&*row.commit, &*row.platform)).collect();
        assert_eq!(filled, [("4be19c7", "ubuntu"), ("own", "linux")]);
    }

    #[test]
    fn stamped_samples_share_their_key() {
        let text = b"scenario,runIndex,methodology,x\nA,0,,1\nB,0,own,1\nA,1,,2\nB,1,own,3\nA,2,own,4\n";
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut &text[..]).unwrap();
        let mut rows = collector.finish().rows;
        stamp_methodology(&mut rows, Some(&"said".into()));
        let said: Vec<_> = rows.iter().map(|row| row.methodology.as_deref().unwrap()).collect();
        assert_eq!(said, ["said", "own", "said", "own", "own"]);
        let is_shared = |one: usize, other: usize| Arc::ptr_eq(&rows[one].key, &rows[other].key);
        assert!(is_shared(0, 2) && is_shared(1, 3) && !is_shared(0, 4));
    }
}
