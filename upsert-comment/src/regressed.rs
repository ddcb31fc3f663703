//! Hidden lines about benchmarks: the regressions that can be accepted, and acceptances.

use std::collections::BTreeSet;

use crate::marker::Stamp;

/// The maximum length of a line.
const LONGEST: usize = 8_000;

const NAMES: &str = "<!-- perf-gate-regressed ";
const ACCEPTED: &str = "<!-- perf-gate-accepted ";
const END: &str = " -->";

/// The hidden line with the regressions in a report that fails for no other reason. `None` without names, or if the line would
/// be too long.
pub fn line(names: &BTreeSet<String>) -> Option<String> {
    let line = format!("{NAMES}{}{END}", hidden(names));
    (!names.is_empty() && line.len() <= LONGEST).then_some(line)
}

/// Parses a line by [`line()`].
pub(crate) fn names(line: &str) -> Option<BTreeSet<String>> {
    serde_json::from_str(line.strip_prefix(NAMES)?.strip_suffix(END)?).ok()
}

/// The hidden line that accepts a benchmark in a report.
pub(crate) fn acceptance(stamp: &Stamp, name: &str) -> String {
    format!("{ACCEPTED}{stamp} {}{END}", hidden(&name))
}

/// Parses a line by [`acceptance`], if it is for this report.
pub(crate) fn accepted(line: &str, stamp: &Stamp) -> Option<String> {
    let text = line.strip_prefix(ACCEPTED)?.strip_suffix(END)?;
    let name = text.strip_prefix(&stamp.to_string())?.strip_prefix(' ')?;
    serde_json::from_str(name).ok()
}

/// Formats JSON without characters that could end a hidden line.
fn hidden(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value)
        .unwrap_or_default()
        .replace("--", "-\\u002d")
        .replace('>', "\\u003e")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_are_parsed_back() {
        let all: BTreeSet<String> = ["a -->\n<b>", "---", "\"é\""].map(str::to_owned).into();
        let hidden = line(&all).unwrap();
        assert!(
            !hidden.trim_end_matches(END).contains("--\u{3e}") && !hidden.contains('\n'),
            "{hidden}"
        );
        assert_eq!(hidden.matches("-->").count(), 1, "{hidden}");
        assert_eq!(names(&hidden), Some(all));
        assert_eq!(line(&BTreeSet::new()), None);
        assert_eq!(line(&["x".repeat(9_000)].into()), None);
    }

    #[test]
    fn acceptance_is_valid_for_one_report() {
        let stamp =
            |run: &str| Stamp::parse(&format!("head={} run={run}", "a".repeat(40))).unwrap();
        let line = acceptance(&stamp("7.1"), "a -- b");
        assert_eq!(accepted(&line, &stamp("7.1")).as_deref(), Some("a -- b"));
        assert_eq!(accepted(&line, &stamp("7.2")), None);
        assert_eq!(accepted(&line, &stamp("7.11")), None);
    }
}
