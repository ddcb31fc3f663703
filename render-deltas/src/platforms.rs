//! Matches platforms that differ only in the version of the runner image or kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use perf_cli::term;
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Conditions, Key, Name, Row};
use perf_model::suite::Definitions;

use crate::data::ComparisonData;

/// Systems whose version may change with the runner image. Newer macOS runners have other processors.
const SYSTEMS: [&str; 8] = [
    "ubuntu", "debian", "fedora", "alpine", "centos", "linux", "windows", "kernel",
];

/// Words that are part of a version.
const VERSION_WORDS: [&str; 5] = ["latest", "generic", "azure", "aws", "gcp"];

/// Renames platforms of the baseline and the history to the name in this run if they differ only in the OS version and the
/// match is unambiguous.
pub(crate) fn match_versions(data: &mut ComparisonData, config: &Config) {
    let Ok(baseline) = &data.baseline else {
        return;
    };
    let now = only_here(&data.current.rows, &baseline.rows, config);
    let before = only_here(&baseline.rows, &data.current.rows, config);
    let mut renamed: BTreeMap<Name, Name> = BTreeMap::new();
    for (system, new) in &now {
        if let ([new], Some([old])) = (&new[..], before.get(system).map(Vec::as_slice)) {
            renamed.insert(Name::clone(old), Name::clone(new));
        }
    }
    if renamed.is_empty() {
        return;
    }
    if let Ok(baseline) = &mut data.baseline {
        for finding in &mut baseline.findings {
            if let Some(rows) = &mut finding.rows
                && let Some(platform) = renamed.get(&rows.platform)
            {
                rows.platform = Name::clone(platform);
            }
        }
        rename(&mut baseline.rows, &renamed);
    }
    for snapshot in &mut data.history {
        rename(&mut snapshot.rows, &renamed);
    }
    for (old, new) in renamed {
        let (old, new) = (term::printable(&old), term::printable(&new));
        let message =
            format!("comparing `{new}` with `{old}`, which differs only in the OS version");
        let hint = "times may differ between OS versions: refresh the baseline";
        data.found.push(Diagnostic::warning(message).hint(hint));
    }
}

/// The platforms whose scope is not in the other rows, by their name without OS versions.
fn only_here(rows: &[Row], others: &[Row], config: &Config) -> BTreeMap<String, Vec<Name>> {
    let scope = |platform: &Name| config.scope_of(platform).map(|(_, name)| name.to_owned());
    let platforms: BTreeSet<&Name> = rows.iter().map(|row| &row.platform).collect();
    let others: BTreeSet<&Name> = others.iter().map(|row| &row.platform).collect();
    let others: BTreeSet<_> = others.into_iter().map(scope).collect();
    let mut found: BTreeMap<String, Vec<Name>> = BTreeMap::new();
    for platform in platforms {
        if !others.contains(&scope(platform)) {
            let plain = without_version(platform);
            found.entry(plain).or_default().push(Name::clone(platform));
        }
    }
    found
}

fn rename(rows: &mut [Row], renamed: &BTreeMap<Name, Name>) {
    for row in rows {
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

/// A platform without OS versions: `ubuntu-22.04 x64` becomes `ubuntu x64`. Another runtime or number of cores remains
/// a different platform.
fn without_version(platform: &str) -> String {
    let lower = platform.to_lowercase();
    let mut words = lower
        .split([' ', '(', ')', ',', '/', ';', '-'])
        .filter(|word| !word.is_empty())
        .peekable();
    let mut plain = Vec::new();
    let mut is_after_system = false;
    while let Some(word) = words.next() {
        // `16-cores`, `32-bit`
        let counted = ["core", "cpu", "vcpu", "thread", "bit"];
        let is_count = words
            .peek()
            .is_some_and(|next| counted.iter().any(|noun| next.starts_with(noun)));
        let is_number = word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_version = (is_number && !is_count) || VERSION_WORDS.contains(&word);
        if is_after_system && is_version {
            continue;
        }
        is_after_system = SYSTEMS.contains(&word);
        plain.push(word);
    }
    plain.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn os_versions_are_ignored_but_runtime_versions_are_not() {
        for (one, other) in [
            ("ubuntu-22.04", "ubuntu-24.04"),
            ("ubuntu-latest", "ubuntu-24.04"),
            ("ubuntu-22.04-arm", "ubuntu-24.04-arm"),
            ("ubuntu-latest-16-cores", "ubuntu-24.04-16-cores"),
            ("Linux 6.5.0 x64", "Linux 6.8.0-31-generic x64"),
            ("Windows 10 x64", "Windows 11 x64"),
            ("Linux 6.5.0-1018-azure x64", "Linux 6.8.0-1021-azure x64"),
        ] {
            assert_eq!(without_version(one), without_version(other), "{one}");
        }
        for (one, other) in [
            ("ubuntu-22.04", "ubuntu-22.04-arm"),
            ("ubuntu-22.04", "macos-14"),
            ("macos-13", "macos-15"),
            ("macos-14", "macos-15"),
            ("macOS 13.6 x64", "macOS 14.5 x64"),
            ("Darwin 22.6.0", "Darwin 23.1.0"),
            ("ubuntu-latest-16-cores", "ubuntu-latest-4-cores"),
            ("ubuntu-16-cores", "ubuntu-4-cores"),
            ("Linux 16 cores", "Linux 4 cores"),
            ("Linux 32-bit", "Linux 64-bit"),
            ("windows-2022-8core", "windows-2022-4core"),
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
