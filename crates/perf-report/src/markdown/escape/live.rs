//! Finds text that GitHub turns into emoji, mentions, issue and commit references, or links.

/// True if a break must follow the character `c`, which is between `left` and `right`.
pub(super) fn breaks_after(left: &str, c: char, right: &str) -> bool {
    match c {
        '@' => is_mention(left, right) || is_address(right),
        '#' => starts_with_digit(right),
        '-' => ends_with(left, "gh") && starts_with_digit(right),
        ':' => right.starts_with("//") || is_emoji(right),
        '0'..='9' | 'a'..='f' => is_hash(left, c, right),
        'w' | 'W' => ends_with(left, "ww") && right.starts_with('.'),
        _ => false,
    }
}

/// True for a mention such as `@name` or `@org/team`, unless a word precedes the `@`: `DDR5@4200`.
fn is_mention(left: &str, right: &str) -> bool {
    let in_word = left.ends_with(|c: char| c.is_ascii_alphanumeric());
    !in_word && right.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// True if `right` completes an emoji name that a colon began: `:name:`.
fn is_emoji(right: &str) -> bool {
    let rest = right
        .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-'));
    let name = &right[..right.len() - rest.len()];
    rest.starts_with(':') && name.contains(|c: char| c.is_ascii_alphanumeric())
}

/// True if `right` begins with the host of a mail address. A dot followed by a letter or digit is enough for GitHub.
fn is_address(right: &str) -> bool {
    let host =
        right.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    host.strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// The lengths of hexadecimal words that GitHub looks up as commits.
const HASH: std::ops::RangeInclusive<usize> = 7..=40;

/// True if a commit hash begins with `c`, such as `1f3c9ab`, even after `owner/name@`. Hashes of digits only, or of letters
/// only, are included, because an attacker can create such a commit.
fn is_hash(left: &str, c: char, right: &str) -> bool {
    if left.ends_with(is_of_word) {
        return false;
    }
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let length = 1 + right.bytes().take(*HASH.end()).take_while(is_hex).count();
    HASH.contains(&length)
        && !right[length - 1..].starts_with(is_of_word)
        && !(c.is_ascii_digit() && is_fraction(left, &right[..length - 1]))
}

/// True if the digits `word` follow a decimal point: `0.1234567`.
fn is_fraction(left: &str, word: &str) -> bool {
    let whole = left.strip_suffix('.').unwrap_or_default();
    whole.ends_with(|c: char| c.is_ascii_digit()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// True if `text` contains enough consecutive hexadecimal digits for a commit hash.
pub(super) fn may_have_hash(text: &str) -> bool {
    let is_other = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() >= *HASH.start()
        && text
            .as_bytes()
            .split(is_other)
            .any(|word| word.len() >= *HASH.start())
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// True if `text` ends with the ASCII word `suffix`, ignoring case.
fn ends_with(text: &str, suffix: &str) -> bool {
    let tail = text
        .len()
        .checked_sub(suffix.len())
        .and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(suffix))
}
