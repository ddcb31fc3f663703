//! Text that GitHub brings to life: emoji, mentions, references to issues, and bare links.

/// Whether the character `c`, which stands between `left` and `right`, must be cut off from what follows it.
pub(super) fn breaks_after(left: &str, c: char, right: &str) -> bool {
    match c {
        '@' => is_mention(left, right) || is_address(right),
        '#' => starts_with_digit(right),
        '-' => ends_with(left, "gh") && starts_with_digit(right),
        ':' => right.starts_with("//") || is_emoji(right),
        'w' | 'W' => ends_with(left, "ww") && right.starts_with('.'),
        _ => false,
    }
}

/// `@name` or `@org/team`, unless a word runs into it, as in `DDR5@4200`.
fn is_mention(left: &str, right: &str) -> bool {
    let in_word = left.ends_with(|c: char| c.is_ascii_alphanumeric());
    !in_word && right.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The rest of `:name:`.
fn is_emoji(right: &str) -> bool {
    let rest = right.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-'));
    let name = &right[..right.len() - rest.len()];
    rest.starts_with(':') && name.contains(|c: char| c.is_ascii_alphanumeric())
}

/// The host of a mail address: a dot with something after it, which is all that a renderer asks for.
fn is_address(right: &str) -> bool {
    let host = right.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    host.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether `text` ends with the ASCII word `suffix`, in whatever case.
fn ends_with(text: &str, suffix: &str) -> bool {
    let tail = text.len().checked_sub(suffix.len()).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(suffix))
}
