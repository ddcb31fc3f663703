//! Matches platforms that differ only in the version of the runner image or kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use perf_cli::term;
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Conditions, Key, Name, Row};
use perf_model::suite::Definitions;

use crate::data::ComparisonData;

/// Systems whose version may change with the runner image.
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
    let findings = data
        .baseline
        .iter_mut()
        .flat_map(|report| &mut report.findings);
    for rows in findings.filter_map(|finding| finding.rows.as_mut()) {
        if let Some(platform) = renamed.get(&rows.platform) {
            rows.platform = Name::clone(platform);
        }
    }
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

/// Platforms by their name without OS versions.
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

/// A platform without OS versions: `ubuntu-22.04 x64` becomes `ubuntu x64`. Another runtime or number of cores remains
/// a different platform.
fn without_version(platform: &str) -> String {
    let lower = platform.to_lowercase();
    let mut words = lower
        .split([' ', '(', ')', ',', '/', ';'])
        .filter(|word| !word.is_empty())
        .peekable();
    let mut plain = Vec::new();
    while let Some(word) = words.next() {
        let name = word.split(|c: char| c == '-' || c.is_ascii_digit());
        let system = name.into_iter().next().unwrap_or_default();
        if !SYSTEMS.contains(&system) {
            plain.push(word.to_owned());
            continue;
        }
        let rest = &word[system.len()..];
        let own = rest.strip_prefix('-').unwrap_or(rest);
        if let Some((version, rest)) = split_version(own) {
            plain.push(format!("{system}{}{rest}", generation(system, version)));
        } else if let Some((version, "")) = words.peek().and_then(|next| split_version(next))
            && rest.is_empty()
        {
            words.next();
            // `Linux 4 cores` has no version.
            let is_count = words.peek().is_some_and(|next| is_counted(next));
            plain.push(if is_count {
                format!("{system} {version}")
            } else {
                format!("{system}{}", generation(system, version))
            });
        } else {
            plain.push(word.to_owned());
        }
    }
    plain.join(" ")
}

/// Splits `22.04-arm` after the version. A kernel version includes its suffix: `6.5.0-1018-azure` has no rest.
fn split_version(text: &str) -> Option<(&str, &str)> {
    const KERNEL_DOTS: usize = 2;
    if let Some(rest) = text.strip_prefix("latest") {
        return (rest.is_empty() || rest.starts_with('-')).then_some(("latest", rest));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (version, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_version = version
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let following = rest.strip_prefix('-');
    if !is_version || following.is_some_and(is_counted) || following.is_none() && !rest.is_empty() {
        return None;
    }
    let is_kernel = version.matches('.').count() >= KERNEL_DOTS;
    Some((version, if is_kernel { "" } else { rest }))
}

/// Whether a word follows a number: `16-cores`, `32-bit`.
fn is_counted(word: &str) -> bool {
    ["core", "cpu", "vcpu", "thread", "bit"]
        .into_iter()
        .any(|counted| word.starts_with(counted))
}

/// The processor of macOS runners: Intel up to version 13, Apple since 14.
fn generation(system: &str, version: &str) -> &'static str {
    let first_of_apple = match system {
        "macos" => 14,
        "darwin" => 23,
        _ => return "",
    };
    let major = version.split('.').next().unwrap_or_default();
    let is_old = major.parse().is_ok_and(|major: u32| major < first_of_apple);
    if is_old { " (Intel)" } else { "" }
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
            ("macos-14", "macos-15"),
            ("macos-12", "macos-13"),
            ("macos-latest", "macOS-15"),
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
