//! The line of a command as the name of a scenario, which is published: without what may be secret in it.
//!
//! A *word* is what a shell takes for one: what it quotes is a part of it, and is looked at as a line of its own.
//! `***` stands for the value of an option, a variable or a header whose name speaks of a secret, for what follows a
//! name of a user and a colon, and for what has the shape of a token; an address is left without the user and the
//! query; a home folder is `~`.

use crate::formats::common::names::address;

const HIDDEN: &str = "***";

/// Parts of the names of options and variables whose values are secret.
const SECRETS: [&str; 11] = [
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "credential",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "mysqlpwd",
];

/// Parts of such names that are parts of other words as well: `path`, `author`, `compass`.
const SHORT_SECRETS: [&str; 6] = ["pass", "auth", "pat", "cookie", "cookies", "sshpass"];

/// Options followed by a user name and a password.
const USERS: [&str; 3] = ["-u", "--user", "--proxy-user"];

/// The prefixes of access tokens, which say whose they are.
const TOKENS: [&str; 20] = [
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "rk_live_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "xoxb-",
    "xoxp-",
];

/// The fewest bytes of a token.
const SHORTEST_TOKEN: usize = 16;

/// The folders that hold the homes of users.
const HOMES: [&str; 4] = ["/home/", "/Users/", r"\Users\", r"\\Users\\"];

/// A command line without secrets.
pub(crate) fn shown(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let (mut rest, mut hides_next) = (line, false);
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(word_end(rest));
        let is_name = is_variable(word) && unsets_variables(&line[..line.len() - rest.len()]);
        let is_hidden =
            hides_next && !(word.is_empty() || is_option(word) || is_scheme(word) || is_name);
        if is_hidden && opens_only(word) {
            return shown + HIDDEN; // its end is unknown
        }
        shown.push_str(&if is_hidden {
            HIDDEN.to_owned()
        } else {
            shown_word(word)
        });
        let blank = behind.len() - behind.trim_start().len();
        shown.push_str(&behind[..blank]);
        hides_next = announces(word) || (hides_next && (word.is_empty() || is_scheme(word)));
        rest = &behind[blank..];
    }
    shown
}

/// True behind `env -u` and further `-u NAME`, before the command.
fn unsets_variables(before: &str) -> bool {
    let mut words = before.split_whitespace();
    words.next() == Some("env")
        && before.trim_end().ends_with(" -u")
        && words.all(|word| word == "-u" || is_variable(word))
}

/// Returns the end of the first word of a line.
fn word_end(line: &str) -> usize {
    let mut from = 0;
    while let Some(c) = line[from..].chars().next() {
        let at = from;
        from = match c {
            '\'' | '"' => closing(line, at).unwrap_or(at) + 1,
            '\\' if line[at + 1..].starts_with([' ', '"', '\'']) => at + 2,
            c if c.is_whitespace() => return at,
            c => at + c.len_utf8(),
        };
    }
    line.len()
}

/// Returns the place of the quote that closes the one at `open`; an apostrophe has none.
fn closing(text: &str, open: usize) -> Option<usize> {
    let quote = text[open..].chars().next()?;
    let inside = open + 1;
    let is_escaped = |at: usize| quote == '"' && text[..at].ends_with('\\');
    text[inside..]
        .match_indices(quote)
        .map(|(at, _)| inside + at)
        .find(|at| !is_escaped(*at))
}

/// True if a word begins with a quote that nothing closes.
fn opens_only(word: &str) -> bool {
    word.starts_with(['"', '\'']) && closing(word, 0).is_none()
}

/// A word without secrets, unless the word before it hides it.
fn shown_word(word: &str) -> String {
    if let Some(shown) = without_value(word) {
        return shown;
    }
    let opens = word.find(['"', '\'']);
    let quoted = opens.and_then(|open| Some((open, closing(word, open)?)));
    match quoted.filter(|(open, end)| word[*open..*end].contains(char::is_whitespace)) {
        Some((open, end)) => {
            let (before, inside, behind) = (&word[..open], &word[open + 1..end], &word[end + 1..]);
            let quote = &word[open..=open];
            let inside = without_value(inside).unwrap_or_else(|| shown(inside));
            format!(
                "{}{quote}{inside}{quote}{}",
                without_secrets(before),
                shown_word(behind)
            )
        }
        None => without_secrets(word),
    }
}

/// `NAME=***` for a word, or all that is quoted, that gives a value to what speaks of a secret, or to a user.
fn without_value(word: &str) -> Option<String> {
    let at = word.find(['=', ':'])?;
    let (name, value) = (&word[..at], word[at + 1..].trim_start());
    let is_user = USERS.contains(&name) && value.contains(':');
    let attached = name
        .strip_prefix("-u")
        .filter(|user| word.as_bytes()[at] == b':' && !user.is_empty());
    if attached.is_some() {
        return Some(format!("-u{HIDDEN}"));
    }
    let is_secret = is_user || (!name.contains(char::is_whitespace) && speaks_of_secret(name));
    if value.is_empty() || value.starts_with("//") || !is_secret {
        return None;
    }
    let scheme = value
        .split_whitespace()
        .next()
        .filter(|word| is_scheme(word) && *word != value);
    let before = &word[..word.len() - value.len()];
    let scheme = scheme
        .map(|scheme| format!("{scheme} "))
        .unwrap_or_default();
    let end = match word.chars().next() {
        Some(quote @ ('"' | '\'')) if word.ends_with(quote) => &word[word.len() - 1..],
        _ if value.starts_with(['"', '\'']) => "",
        _ => closing_quote(value),
    };
    Some(format!("{before}{scheme}{HIDDEN}{end}"))
}

/// True for the name of a variable, which `env -u` takes.
fn is_variable(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

/// True if the next word is the secret value of this one: `--token`, `Authorization:`, `Bearer`.
fn announces(word: &str) -> bool {
    let plain = word.trim_matches(['"', '\'']);
    let names_value = is_option(plain) && !plain.contains('=') && plain.len() > 1;
    (names_value || plain.ends_with(':')) && (speaks_of_secret(plain) || USERS.contains(&plain))
        || is_scheme(plain)
}

/// A header's word for the kind of secret that follows.
fn is_scheme(word: &str) -> bool {
    let plain = word.trim_matches(['"', '\'']);
    ["bearer", "basic"]
        .iter()
        .any(|scheme| plain.eq_ignore_ascii_case(scheme))
}

fn speaks_of_secret(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    SECRETS.iter().any(|secret| letters.contains(secret))
        || parts(name).any(|part| SHORT_SECRETS.contains(&&*part))
}

/// `db` and `pass` for `DB_PASS` and `--dbPass`.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.flat_map(|word| {
        let mut parts = vec![String::new()];
        let mut was_lower = false;
        for c in word.chars() {
            if was_lower && c.is_ascii_uppercase() {
                parts.push(String::new());
            }
            was_lower = c.is_ascii_lowercase();
            if let Some(part) = parts.last_mut() {
                part.push(c.to_ascii_lowercase());
            }
        }
        parts
    })
}

fn without_secrets(word: &str) -> String {
    let word = match word.find("://") {
        Some(_) => without_user(word),
        None => word.to_owned(),
    };
    let word = match token(&word) {
        Some(at) => format!("{}{HIDDEN}{}", &word[..at], closing_quote(&word[at..])),
        None => word,
    };
    if !word.contains(['/', '\\']) {
        return word;
    }
    HOMES
        .iter()
        .fold(word, |word, homes| without_home(&word, homes))
}

/// The quote that a word ends with.
fn closing_quote(text: &str) -> &str {
    &text[text.trim_end_matches(['"', '\'']).len()..]
}

/// A word that has an address in it, without the user and the query of that.
fn without_user(word: &str) -> String {
    let Some(colon) = word.find("://") else {
        return word.to_owned();
    };
    let before = word[..colon].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+');
    let scheme = before.len();
    let end = closing_quote(word);
    format!(
        "{}{}{end}",
        &word[..scheme],
        address(&word[scheme..word.len() - end.len()])
    )
}

/// Returns the place in a word where a token begins.
fn token(word: &str) -> Option<usize> {
    if word.len() < SHORTEST_TOKEN {
        return None;
    }
    let starts = TOKENS.iter().filter_map(|token| word.find(token));
    starts
        .filter(|at| {
            let before = word[..*at].chars().next_back();
            let rest = word[*at..]
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c))
                .count();
            rest >= SHORTEST_TOKEN && !before.is_some_and(char::is_alphanumeric)
        })
        .min()
}

/// `~` for each home folder: of `/home/ann/shelf`, `~/shelf` is left.
fn without_home(word: &str, homes: &str) -> String {
    let (mut plain, mut rest) = (String::new(), word);
    while let Some(at) = rest.find(homes) {
        let (before, behind) = (&rest[..at], &rest[at + homes.len()..]);
        let is_root = !before.ends_with(|c: char| c.is_alphanumeric() || "._-~".contains(c));
        if !is_root {
            plain.push_str(&rest[..at + homes.len()]);
            rest = behind;
            continue;
        }
        let drive = before.len() - before.trim_end_matches(':').len();
        let before = if drive > 0 {
            before[..before.len() - drive].trim_end_matches(|c: char| c.is_ascii_alphabetic())
        } else {
            before
        };
        plain.push_str(before);
        plain.push('~');
        rest = &behind[behind
            .find(['/', '\\', '"', '\'', ':'])
            .unwrap_or(behind.len())..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden() {
        for (line, expected) in [
            ("sync --token=abc123 --fast", "sync --token=*** --fast"),
            ("sync --token abc123 --fast", "sync --token *** --fast"),
            ("DB_PASSWORD=hunter2 serve", "DB_PASSWORD=*** serve"),
            ("env 'API_KEY=a b' serve", "env 'API_KEY=***' serve"),
            (
                "sync --password-file=pw --secret  'x y'",
                "sync --password-file=*** --secret  ***",
            ),
            ("aws AKIAIOSFODNN7EXAMPLE get", "aws *** get"),
            (
                "git clone https://ann:pw@host.test/a?token=5 .",
                "git clone https://host.test/a .",
            ),
            (
                "curl -H \"Authorization: Bearer abc.def\" 'https://a:b@c.test/d'",
                "curl -H \"Authorization: Bearer ***\" 'https://c.test/d'",
            ),
            ("curl -u ann:pw http://c.test", "curl -u *** http://c.test"),
            ("curl “https://a:b@host.test/a", "curl “https://host.test/a"),
            ("push x=ghp_0123456789abcdefABCD", "push x=***"),
            ("/home/ann/bin/run /home/ann", "~/bin/run ~"),
            (
                "sync --password 'two words hunter2' --fast",
                "sync --password *** --fast",
            ),
            (
                "sync --password=\"two \\\" words\" --fast",
                "sync --password=*** --fast",
            ),
            (
                "sync --password two\\ words --fast",
                "sync --password *** --fast",
            ),
            ("sync --password 'two words", "sync --password ***"),
            (
                "sh -c 'sync --token \"a b\" --fast' x",
                "sh -c 'sync --token *** --fast' x",
            ),
            ("run --do='sync --token a'", "run --do='sync --token ***'"),
            ("curl -ualice:hunter2 a", "curl -u*** a"),
            ("curl --user=alice:hunter2 a", "curl --user=*** a"),
            (
                "a --auth x --pass y --pat z",
                "a --auth *** --pass *** --pat ***",
            ),
            (
                "DB_PASS=x dbPass=y MYSQL_PWD=z a",
                "DB_PASS=*** dbPass=*** MYSQL_PWD=*** a",
            ),
            ("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: ***' x"),
            (
                "curl -H 'Authorization: Digest a=\"b\", c' x",
                "curl -H 'Authorization: ***' x",
            ),
            (
                "curl -d '{\"password\":\"hunter2\"}' x",
                "curl -d '{\"password\":***' x",
            ),
            ("curl --cookie a=b x", "curl --cookie *** x"),
            (
                "a sk_live_0123456789 eyJhbGciOiJIUzI1.eyJzdWIi.c2ln",
                "a *** ***",
            ),
            ("a sk-0123456789abcdef", "a ***"),
            (
                r"C:\Users\ann\run.exe --in=/Users/bob/x",
                r"~\run.exe --in=~/x",
            ),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn other_commands_are_unchanged() {
        for line in [
            "sleep 0.5",
            "grep -rn 'token' src/  |  wc -l",
            "find . -name \"*.rs\" -not -path /srv/home/x",
            "tokenize --fast input.txt",
            "env -u RUSTFLAGS -u RUSTC_WRAPPER cargo build",
            "run --path=a --author b --compat c --compass=d",
            "echo don't 'a  b' \"c\" it's",
            "python -unbuffered a:b",
            "sk-learn --key value sk-8",
            "curl http://127.0.0.1:8080/a",
            "",
            "  two  spaces ",
        ] {
            assert_eq!(shown(line), line);
        }
    }
}
