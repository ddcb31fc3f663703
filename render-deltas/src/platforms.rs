//! Platforms that differ only in the version of the runner's image or kernel: a runner that was updated is the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use perf_cli::term;
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Conditions, Key, Name, Row};
use perf_model::suite::Definitions;

use crate::data::ComparisonData;

/// Systems whose version may change with a runner's image.
const SYSTEMS: [&str; 10] = [
    "ubuntu", "debian", "fedora", "alpine", "centos", "linux", "macos", "darwin", "windows",
    "kernel",
];

/// Renames platforms of the baseline and the history to the name in this run if they differ only in the OS version and the
/// match is unambiguous.
pub(crate) fn match_versions(data: &mut ComparisonData, config: &Config) {
    let Ok(baseline) = &data.baseline else {
        return;
    };
    let now = platforms(&data.current.rows);
    let before = platforms(&baseline.rows);
    let scope = |platform: &Name| config.scope_of(platform).map(|(_, name)| name.to_owned());
    let scopes_now: BTreeSet<_> = now.iter().map(scope).collect();
    let scopes_before: BTreeSet<_> = before.iter().map(scope).collect();
    let now_by_system = by_system(now.iter());
    let only_before = before
        .iter()
        .filter(|one| !scopes_now.contains(&scope(one)));
    let before_by_system = by_system(only_before);
    let mut renamed: BTreeMap<Name, Name> = BTreeMap::new();
    for (system, new) in &now_by_system {
        let ([new], Some([old])) = (&new[..], before_by_system.get(system).map(Vec::as_slice))
        else {
            continue;
        };
        if !scopes_before.contains(&scope(new)) {
            renamed.insert(Name::clone(old), Name::clone(new));
        }
    }
    if renamed.is_empty() {
        return;
    }
    rename(data, &renamed);
    for (old, new) in renamed {
        let (old, new) = (term::printable(&old), term::printable(&new));
        let message =
            format!("comparing `{new}` with `{old}`, which differs only in the OS version");
        let hint = "times may differ between OS versions: refresh the baseline";
        data.found.push(Diagnostic::warning(message).hint(hint));
    }
}

fn rename(data: &mut ComparisonData, renamed: &BTreeMap<Name, Name>) {
    let baseline = data.baseline.iter_mut().flat_map(|report| &mut report.rows);
    let history = data
        .history
        .iter_mut()
        .flat_map(|snapshot| &mut snapshot.rows);
    for row in baseline.chain(history) {
        let Some(platform) = renamed.get(&row.platform) else {
            continue;
        };
        let conditions = Conditions {
            platform: Name::clone(platform),
            ..Conditions::clone(&row.key.conditions)
        };
        row.key = Arc::new(Key {
            scenario: Name::clone(&row.scenario),
            conditions: Arc::new(conditions),
        });
    }
}

/// Platforms by their text without versions of systems.
fn by_system<'p>(platforms: impl Iterator<Item = &'p Name>) -> BTreeMap<String, Vec<&'p Name>> {
    let mut found: BTreeMap<String, Vec<&Name>> = BTreeMap::new();
    for platform in platforms {
        let plain = without_version(platform);
        found.entry(plain).or_default().push(platform);
    }
    found
}

fn platforms(rows: &[Row]) -> BTreeSet<Name> {
    rows.iter().map(|row| Name::clone(&row.platform)).collect()
}

/// A platform without the versions of systems: `ubuntu-22.04 x64` is `ubuntu x64`. Versions of anything else stay: another
/// runtime is another platform.
fn without_version(platform: &str) -> String {
    let mut plain = Vec::new();
    let mut after_system = false;
    for word in platform.split([' ', '(', ')', ',', '/', ';']) {
        let lower = word.to_lowercase();
        let name = lower.split(|c: char| c == '-' || c.is_ascii_digit());
        let system = name.into_iter().next().unwrap_or_default();
        let is_version = lower.starts_with(|c: char| c.is_ascii_digit());
        if SYSTEMS.contains(&system) {
            plain.push(without_own_version(&lower, system));
            after_system = true;
        } else if !(after_system && is_version) {
            plain.push(lower);
            after_system = false;
        }
    }
    plain.join(" ")
}

/// The words of a system without its version: `ubuntu-22.04-arm` is `ubuntu-arm`.
fn without_own_version(word: &str, system: &str) -> String {
    let rest = &word[system.len()..];
    let parts = rest.split('-').filter(|part| !part.is_empty());
    let kept = parts.filter(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
    let kept: Vec<&str> = kept.filter(|part| *part != "latest").collect();
    [&[system], &kept[..]].concat().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_systems_are_ignored_and_those_of_runtimes_are_not() {
        for (one, other) in [
            ("ubuntu-22.04", "ubuntu-24.04"),
            ("ubuntu-latest", "ubuntu-24.04"),
            ("ubuntu-22.04-arm", "ubuntu-24.04-arm"),
            ("macos-13", "macos-15"),
            ("Windows 10 x64", "Windows 11 x64"),
            ("Linux 6.5.0-1018-azure x64", "Linux 6.8.0-1021-azure x64"),
        ] {
            assert_eq!(without_version(one), without_version(other), "{one}");
        }
        for (one, other) in [
            ("ubuntu-22.04", "ubuntu-22.04-arm"),
            ("ubuntu-22.04", "macos-14"),
            ("Unity 2022.3.1", "Unity 6000.0.1"),
            ("Linux x64, Node 20", "Linux x64, Node 22"),
            ("linux .NET 8.0", "linux .NET 9.0"),
            ("linux-x86_64", "linux-aarch64"),
            ("go1.21 linux/amd64", "go1.22 linux/amd64"),
        ] {
            assert_ne!(without_version(one), without_version(other), "{one}");
        }
    }
}
