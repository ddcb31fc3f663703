//! Tables drawn with bars: `| a | b |`, `│ a │ b │`.

const BARS: [char; 3] = ['|', '│', '┃'];

/// Splits a row into its cells. Returns `None` for a line that does not begin with a bar.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
    cells_with_name(line, usize::MAX)
}

/// Splits a row into this number of cells. The last column contains names, which may contain bars.
pub(crate) fn cells_with_name(line: &str, columns: usize) -> Option<Vec<&str>> {
    let line = line.trim();
    let bar = line.chars().next().filter(|first| BARS.contains(first))?;
    let inside = line.strip_prefix(bar)?;
    let inside = inside.strip_suffix(bar).unwrap_or(inside);
    Some(inside.splitn(columns, bar).map(str::trim).collect())
}

/// True if a line only separates rows: `|---|--:|`, `├──┼──┤`.
pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_drawn = |c: char| {
        matches!(
            c,
            '|' | '-' | ':' | '+' | '=' | ' ' | '\u{2500}'..='\u{257f}'
        )
    };
    !line.is_empty() && line.chars().all(is_drawn)
}

/// True if a row ends with its last bar.
pub(crate) fn is_closed(line: &str) -> bool {
    line.trim_end().ends_with(BARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_at_their_own_bar() {
        assert_eq!(cells("| a | b │ c |"), Some(vec!["a", "b │ c"]));
        assert_eq!(cells("│ a |"), Some(vec!["a |"]));
        assert_eq!(cells("a | "), None);
        assert!(is_rule("├──┼──┤") && is_rule("|:--|--:|") && !is_rule("| a |") && !is_rule(""));
    }
}
