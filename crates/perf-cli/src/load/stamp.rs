//! What programs add to rows: the class of the machine and the methodology.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use perf_model::diagnostic::Diagnostic;
use perf_model::machine::{MachineSpecs, UNKNOWN};
use perf_model::row::{Key, Name, Row};

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
            stamp_with(rows, &Name::from(class), |key| &mut key.machine_class);
            return None;
        }
        Ok(None) => format!("`{}` has no machine class", term::shown(machine)),
        Err(error) => failure::message(&error),
    };
    Some(Diagnostic::warning(format!("{why}: the rows get no machine class")))
}

/// Puts a text of their key into the rows that have none there. Rows go on to share their keys; each is made
/// once, in whatever order they come.
fn stamp_with(rows: &mut [Row], text: &Name, place: impl Fn(&mut Key) -> &mut Option<Name>) {
    // By the addresses of keys, and with the keys, so that no other is at the address of one.
    let mut known: HashMap<*const Key, [Arc<Key>; 2]> = HashMap::new();
    for row in rows {
        let [_, stamped] = known.entry(Arc::as_ptr(&row.key)).or_insert_with(|| {
            let mut stamped = Key::clone(&row.key);
            place(&mut stamped).get_or_insert_with(|| Name::clone(text));
            [Arc::clone(&row.key), Arc::new(stamped)]
        });
        row.key = Arc::clone(stamped);
    }
}

/// Puts the methodology into the rows that have none. Rows that have one were measured elsewhere.
pub fn stamp_methodology(rows: &mut [Row], methodology: Option<&Name>) {
    let Some(methodology) = methodology else { return };
    stamp_with(rows, methodology, |key| &mut key.methodology);
}

#[cfg(test)]
mod tests {
    use perf_config::Config;
    use perf_readers::Collector;

    use super::*;

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
