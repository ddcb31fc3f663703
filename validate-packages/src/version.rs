//! The syntax of versions: which are exact in each ecosystem, and which a Unity expression admits.

use perf_model::packages::Kind;
use semver::{BuildMetadata, Version};

/// True if a pin names exactly one version.
pub(crate) fn is_exact(kind: Kind, version: &str) -> bool {
    match kind {
        Kind::Unity | Kind::Cargo | Kind::Npm => Version::parse(version).is_ok(),
        Kind::Go => version
            .strip_prefix('v')
            .is_some_and(|rest| Version::parse(rest).is_ok()),
        // A release as PEP 440 writes it; which suffixes are valid is left to the package manager.
        Kind::Python => {
            let allowed = |c: char| c.is_ascii_alphanumeric() || ".+!-_".contains(c);
            version.starts_with(|c: char| c.is_ascii_digit())
                && version.ends_with(|c: char| c.is_ascii_alphanumeric())
                && version.chars().all(allowed)
        }
        // Two to four numbers and an optional pre-release.
        Kind::Nuget => {
            let (numbers, label) = version.split_once('-').unwrap_or((version, "a"));
            let is_label = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
            !label.is_empty()
                && label.chars().all(is_label)
                && numbers.split('.').all(is_number)
                && (1..=3).contains(&numbers.matches('.').count())
        }
        Kind::Markdown | Kind::Script => false,
    }
}

/// The only version in a range: `1.2.3` of `^1.2.3`.
pub(crate) fn stripped(kind: Kind, range: &str) -> Option<String> {
    let is_mark = |c: char| "^~=<>![]() ,".contains(c);
    let version = range.trim_matches(is_mark);
    is_exact(kind, version).then(|| version.to_owned())
}

/// An example of an exact version.
pub(crate) const fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Go => "v1.2.3",
        _ => "1.2.3",
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A version of the Unity editor, which is ordered like its releases: `2021.3`, `2021.3.0f1`, `6000.0.23f1`.
///
/// The letter is the stage: alpha, beta, final, patch, experimental.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EditorVersion(Vec<u32>, char, u32);

impl EditorVersion {
    pub fn parse(version: &str) -> Option<Self> {
        let stage = version.find(['a', 'b', 'f', 'p', 'x']);
        let (release, build) = version.split_at(stage.unwrap_or(version.len()));
        let number = |text: &str| is_number(text).then(|| text.parse().ok()).flatten();
        let mut numbers: Vec<u32> = release.split('.').map(number).collect::<Option<_>>()?;
        let is_release = release.find('.') == Some(4) && (2..=3).contains(&numbers.len());
        if !is_release || stage.is_some() && numbers.len() == 2 {
            return None;
        }
        numbers.resize(3, 0);
        let mut build = build.chars();
        Some(match build.next() {
            Some(stage) => Self(numbers, stage, number(build.as_str())?),
            None => Self(numbers, 'a', 0),
        })
    }
}

/// True if a `versionDefines` expression admits a version; `None` for an invalid expression.
///
/// An empty one admits everything, `1.3` that and newer, `[1.3]` only that; `[1.3,2.0)` is a range with
/// inclusive ends `[` `]` and exclusive ends `(` `)`.
pub(crate) fn admits(expression: &str, version: &str) -> Option<bool> {
    let expression = expression.trim();
    let version = padded(version)?;
    if expression.is_empty() {
        return Some(true);
    }
    let Some(inner) = expression.strip_prefix(['[', '(']) else {
        return Some(version >= padded(expression)?);
    };
    let inner = inner.strip_suffix([']', ')'])?;
    let (low_counts, high_counts) = (expression.starts_with('['), expression.ends_with(']'));
    let Some((low, high)) = inner.split_once(',') else {
        return if low_counts && high_counts {
            Some(version == padded(inner)?)
        } else {
            None
        };
    };
    // An empty end is unbounded.
    let is_open = |end: &str| end.trim().is_empty();
    let above =
        is_open(low) || padded(low).map(|low| version > low || low_counts && version == low)?;
    let below = is_open(high)
        || padded(high).map(|high| version < high || high_counts && version == high)?;
    Some(above && below)
}

/// A version with missing parts as zeros; build metadata has no order.
fn padded(text: &str) -> Option<Version> {
    let text = text.trim();
    let split = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(split);
    let missing = 2_usize.checked_sub(numbers.matches('.').count())?;
    let mut version = Version::parse(&format!("{numbers}{}{rest}", ".0".repeat(missing))).ok()?;
    version.build = BuildMetadata::EMPTY;
    Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_versions_per_ecosystem() {
        let exact = [
            (Kind::Unity, "9.2.0-stcf3"),
            (Kind::Cargo, "0.11.1"),
            (Kind::Python, "2.0"),
            (Kind::Python, "1!2.0rc1.post2+local.1"),
            (Kind::Go, "v0.0.0-20240101120000-abcdef012345"),
            (Kind::Go, "v2.0.0+incompatible"),
            (Kind::Nuget, "4.7.2.1"),
            (Kind::Nuget, "1.0.0-beta.1"),
        ];
        for (kind, version) in exact {
            assert!(is_exact(kind, version), "{kind} {version}");
        }
        let loose = [
            (Kind::Unity, "1.2"),
            (Kind::Unity, "^1.2.3"),
            (Kind::Cargo, "=1.2.3"),
            (Kind::Npm, "latest"),
            (Kind::Npm, "1.x"),
            (Kind::Python, "1.*"),
            (Kind::Python, ">=1"),
            (Kind::Python, "latest"),
            (Kind::Go, "1.2.3"),
            (Kind::Go, "latest"),
            (Kind::Nuget, "1.*"),
            (Kind::Nuget, "[1.0,2.0)"),
            (Kind::Nuget, "1.0.0-"),
            (Kind::Unity, ""),
        ];
        for (kind, version) in loose {
            assert!(!is_exact(kind, version), "{kind} {version}");
        }
    }

    #[test]
    fn editor_versions_are_ordered() {
        let ordered = [
            "2021.3",
            "2021.3.0a1",
            "2021.3.0f1",
            "2021.3.0p1",
            "2021.3.9f1",
            "2021.3.10f1",
            "2022.1.0b12",
        ];
        let ordered = ordered
            .iter()
            .chain(&["6000.0.23f1", "6000.0.23f2"])
            .map(|version| EditorVersion::parse(version).unwrap());
        assert!(ordered.collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
        let invalid = [
            "2021",
            "21.3",
            "2021.3.f1",
            "2021.3.0f",
            "2021.3.0.1",
            "2021.3f1",
            "+021.3",
            "",
        ];
        assert!(
            invalid
                .iter()
                .all(|version| EditorVersion::parse(version).is_none())
        );
    }

    #[test]
    fn expressions_admit_versions() {
        let admitted = |expression| admits(expression, "1.8.1");
        let inside = [
            "",
            "1.8",
            "1.8.1",
            "[1.8.1]",
            "[1.8,2)",
            "(1.8.0,1.8.1]",
            "[1.8.1,)",
            "(,2]",
            "1.8.1-pre.2",
        ];
        assert!(
            inside
                .iter()
                .all(|expression| admitted(expression) == Some(true))
        );
        let outside = [
            "1.9",
            "[1.8.0]",
            "(1.8.1,2.0)",
            "[1.0,1.8.1)",
            "2.0.0-preview",
        ];
        assert!(
            outside
                .iter()
                .all(|expression| admitted(expression) == Some(false))
        );
        let broken = ["[1.8", "(1.8.1)", ">=1.8", "[a,b]", "1.2.3.4"];
        assert!(
            broken
                .iter()
                .all(|expression| admitted(expression).is_none())
        );
    }
}
