//! Hidden lines about benchmarks: the regressions that can be accepted, and acceptances.

use std::collections::BTreeSet;

use crate::marker::{Stamp, hidden_line, parse_hidden};

/// The maximum length of a line.
const LONGEST: usize = 8_000;

const REGRESSED: &str = "-regressed";

/// The hidden line with the regressions in a report that fails for no other reason. `None` without names, or if the line would
/// be too long.
pub fn line(names: &BTreeSet<String>) -> Option<String> {
    let line = hidden_line(REGRESSED, names);
    (!names.is_empty() && line.len() <= LONGEST).then_some(line)
}

/// Parses a line by [`line()`].
pub(crate) fn names(line: &str) -> Option<BTreeSet<String>> {
    parse_hidden(line, REGRESSED)
}

/// The hidden line that accepts a benchmark in a report.
pub(crate) fn acceptance(stamp: &Stamp, name: &str) -> String {
    hidden_line(&format!("-accepted {stamp}"), &name)
}

/// Parses a line by [`acceptance`], if it is for this report.
pub(crate) fn accepted(line: &str, stamp: &Stamp) -> Option<String> {
    parse_hidden(line, &format!("-accepted {stamp}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_are_parsed_back() {
        let all: BTreeSet<String> = ["a -->\n<b>", "---", "\"é\""].map(str::to_owned).into();
        let hidden = line(&all).unwrap();
        assert!(
            !hidden.trim_end_matches(" -->").contains("--\u{3e}") && !hidden.contains('\n'),
            "{hidden}"
        );
        assert_eq!(hidden.matches("-->").count(), 1, "{hidden}");
        assert_eq!(names(&hidden), Some(all));
        assert_eq!(line(&BTreeSet::new()), None);
        assert_eq!(line(&["x".repeat(9_000)].into()), None);
    }

    #[test]
    fn acceptance_is_valid_for_one_report() {
        let stamp = |run: &str| Stamp {
            head: "a".repeat(40).parse().unwrap(),
            run: run.parse().ok(),
        };
        let line = acceptance(&stamp("7.1"), "a -- b");
        assert_eq!(accepted(&line, &stamp("7.1")).as_deref(), Some("a -- b"));
        assert_eq!(accepted(&line, &stamp("7.2")), None);
        assert_eq!(accepted(&line, &stamp("7.11")), None);
    }
}
