//! Sets columns of rows that inputs often don't contain: commit, platform, machine type and methodology.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use perf_model::diagnostic::Diagnostic;
use perf_model::machine::{MachineSpecs, UNKNOWN};
use perf_model::row::{Conditions, Key, Name, Row};

use super::git::{head, is_object};
use crate::file::read_text;
use crate::{failure, term};

/// The default file name of a machine description.
pub const MACHINE_SPECS: &str = "machine-specs.json";

/// The environment variables in which CI systems store the commit.
const VARIABLES: [&str; 7] = [
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILD_SOURCEVERSION",
    "BUILDKITE_COMMIT",
    "CIRCLE_SHA1",
    "TRAVIS_COMMIT",
    "GIT_COMMIT",
];

/// The commit of the CI run or, outside CI, the checked-out commit. `None` outside a repository.
fn commit() -> Option<String> {
    let named = VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| is_object(value));
    named.or_else(head)
}

/// Reads a machine description, as `perf-gate specs` writes it.
pub fn machine_specs(path: &Path) -> anyhow::Result<MachineSpecs> {
    let text = read_text(path)?;
    MachineSpecs::from_json(&text).with_context(|| term::shown(path))
}

/// Sets the machine type of rows that have none. Rows from another system were measured elsewhere, so they get none. If the
/// description is unusable, no row gets a machine type, and a warning says so.
pub fn stamp_machine(rows: &mut [Row], machine: &Path) -> Option<Diagnostic> {
    let shown = term::shown(machine);
    let none = |why: String| Diagnostic::warning(why + ": the rows get no machine type");
    let specs = match machine_specs(machine) {
        Ok(specs) => specs,
        Err(error) => return Some(none(failure::message(&error))),
    };
    let class = match specs.machine_class.as_deref() {
        None | Some(UNKNOWN) => return Some(none(format!("`{shown}` contains no machine type"))),
        Some(class) => Name::from(class),
    };
    stamp_with(rows, |conditions| {
        let is_elsewhere = specs.is_elsewhere(&conditions.platform, None);
        if conditions.machine_class.is_none() && !is_elsewhere {
            conditions.machine_class = Some(Name::clone(&class));
        }
    });
    let others: Vec<&Row> = rows
        .iter()
        .filter(|row| row.machine_class.is_none())
        .collect();
    let message = format!(
        "`{shown}` describes {class}: {} of {} rows are from other systems, such as `{}`, and get no machine type",
        others.len(),
        rows.len(),
        term::printable(&others.first()?.platform),
    );
    Some(
        Diagnostic::warning(message).hint("pass the description of the machine that measured them"),
    )
}

/// Sets the commit of rows that have none: `given` or, if that is `None`, the commit of the CI run or the checkout. The
/// baseline and the page show the same commit because both use this function.
pub fn stamp_measured_commit(rows: &mut [Row], given: Option<&str>) {
    if rows.iter().all(|row| !row.commit.is_empty()) {
        return;
    }
    if let Some(commit) = given.map(str::to_owned).or_else(commit) {
        stamp_commit(rows, &commit);
    }
}

/// Sets the commit of rows that have none.
pub fn stamp_commit(rows: &mut [Row], commit: &str) {
    fill(rows, commit, |conditions| &mut conditions.commit);
}

/// Sets the platform of rows that have none.
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

fn stamp_with(rows: &mut [Row], change: impl Fn(&mut Conditions)) {
    for row in rows {
        let mut conditions = Conditions::clone(&row.key.conditions);
        change(&mut conditions);
        row.key = Arc::new(Key {
            scenario: Name::clone(&row.key.scenario),
            conditions: Arc::new(conditions),
        });
    }
}

/// Sets the methodology of rows that have none. Rows that have one were measured elsewhere.
pub fn stamp_methodology(rows: &mut [Row], methodology: Option<&Name>) {
    let Some(methodology) = methodology else {
        return;
    };
    stamp_with(rows, |conditions| {
        conditions
            .methodology
            .get_or_insert_with(|| Name::clone(methodology));
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
        stamp_measured_commit(&mut rows, Some("4be19c7"));
        stamp_platform(&mut rows, "ubuntu");
        let filled: Vec<_> = rows
            .iter()
            .map(|row| (&*row.commit, &*row.platform))
            .collect();
        assert_eq!(filled, [("4be19c7", "ubuntu"), ("own", "linux")]);
    }

    #[test]
    fn rows_of_another_system_get_no_machine_type() {
        let text = b"scenario,platform,machineClass,x\nA,,,1\nB,LinuxPlayer,,1\nC,Standalone (WindowsPlayer),,1\nD,OSXPlayer,own,1\nE,x64,,1\n";
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut &text[..]).unwrap();
        let mut rows = collector.finish().rows;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machine-specs.json");
        std::fs::write(
            &file,
            r#"{"os": "Ubuntu 24.04", "machineClass": "epyc-4c-x86_64-linux-16g"}"#,
        )
        .unwrap();
        let found = stamp_machine(&mut rows, &file).unwrap();
        let class = "epyc-4c-x86_64-linux-16g";
        let classes: Vec<_> = rows
            .iter()
            .map(|row| row.machine_class.as_deref().unwrap_or("-"))
            .collect();
        assert_eq!(classes, [class, class, "-", "own", class]);
        let message = "1 of 5 rows are from other systems, such as `Standalone (WindowsPlayer)`, and get no machine type";
        assert!(found.message.contains(message), "{}", found.message);
        assert_eq!(stamp_machine(&mut rows[..2], &file), None);
    }

    #[test]
    fn methodology_is_set_for_rows_without_one() {
        let text =
            b"scenario,runIndex,methodology,x\nA,0,,1\nB,0,own,1\nA,1,,2\nB,1,own,3\nA,2,own,4\n";
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut &text[..]).unwrap();
        let mut rows = collector.finish().rows;
        stamp_methodology(&mut rows, Some(&"said".into()));
        let said: Vec<_> = rows
            .iter()
            .map(|row| row.methodology.as_deref().unwrap())
            .collect();
        assert_eq!(said, ["said", "own", "said", "own", "own"]);
    }
}
