//! Version syntax: which versions are exact, how Unity editors are ordered, and which versions an expression admits.

use semver::{BuildMetadata, Version};

/// Whether a pin of a Unity package is exactly one version.
pub fn is_exact_for_unity(version: &str) -> bool {
    Version::parse(version).is_ok()
}

/// Whether a non-Unity pin is exactly one version: numbers with dots, and any suffix such as `rc1` or `+local`.
pub fn is_exact(version: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._+!-".contains(c);
    let number = version.strip_prefix('v').unwrap_or(version);
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_alphanumeric())
        && number.chars().all(allowed)
        && !number.split('.').any(|part| part.eq_ignore_ascii_case("x"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A Unity editor version, such as `2021.3`, `2021.3.0f1`, `6000.0.23f1`.
///
/// Versions are ordered by release. The letter is the stage: alpha, beta, final, patch or experimental.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditorVersion(Vec<u32>, char, u32);

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

/// Whether a `versionDefines` expression admits a version. `None` if the expression or the version is invalid.
///
/// An empty expression admits every version, `1.3` admits 1.3 and newer versions, and `[1.3]` admits only 1.3. `[1.3,2.0)`
/// is a range: a square bracket includes its end, a round bracket excludes it.
pub fn admits(expression: &str, version: &str) -> Option<bool> {
    let expression = expression.trim();
    let version = padded(version)?;
    if expression.is_empty() {
        return Some(true);
    }
    let Some(inner) = expression.strip_prefix(['[', '(']) else {
        return Some(version >= padded(expression)?);
    };
    let inner = inner.strip_suffix([']', ')'])?;
    let includes_low = expression.starts_with('[');
    let includes_high = expression.ends_with(']');
    let Some((low, high)) = inner.split_once(',') else {
        let only = padded(inner)?;
        return (includes_low && includes_high).then(|| version == only);
    };
    // A range is unbounded at an end that is empty.
    let mut is_admitted = true;
    if !low.trim().is_empty() {
        let low = padded(low)?;
        is_admitted &= version > low || includes_low && version == low;
    }
    if !high.trim().is_empty() {
        let high = padded(high)?;
        is_admitted &= version < high || includes_high && version == high;
    }
    Some(is_admitted)
}

/// Parses a version and fills missing parts with zeros. Build metadata is dropped, because it does not affect the order.
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
    fn exact_versions() {
        let exact = [
            "0.11.1",
            "2.0",
            "1!2.0rc1.post2+local.1",
            "v0.0.0-20240101120000-abcdef012345",
            "v2.0.0+incompatible",
            "4.7.2.1",
            "1.0.0-beta.1",
        ];
        assert!(exact.iter().all(|version| is_exact(version)));
        let loose = [
            "=1.2.3",
            "latest",
            "1.x",
            "1.*",
            ">=1",
            "^1.2",
            "[1.0,2.0)",
            "1.0.0-",
            "",
            "v",
            "~1.2",
        ];
        assert!(!loose.iter().any(|version| is_exact(version)));
        assert!(is_exact_for_unity("9.2.0-stcf3") && !is_exact_for_unity("1.2"));
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
