//! The line of a command as the name of a scenario, which is published: without what may be secret in it.
//!
//! Words are looked at one by one. `***` stands for the value of an option or a variable whose name speaks of a
//! secret, for what follows a name of a user and a colon, and for what has the shape of a token; an address is left
//! without the user and the query; a home folder is `~`.

use super::wrk::address;

const HIDDEN: &str = "***";

/// What the names of options and variables have in them whose values are secret.
const SECRETS: [&str; 10] = [
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
];

/// What tokens begin with that say whose they are.
const TOKENS: [&str; 14] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "npm_",
    "pypi-",
    "sk-",
    "xoxb-",
    "xoxp-",
];

/// Shorter words are no tokens.
const SHORTEST_TOKEN: usize = 16;

/// The folders that hold the homes of users.
const HOMES: [&str; 4] = ["/home/", "/Users/", r"\Users\", r"\\Users\\"];

/// What is shown of a command.
pub(super) fn shown(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut hides_next = false;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let is_hidden = hides_next && !word.is_empty() && !is_option(word) && !is_scheme(word);
        if is_hidden {
            shown.push_str(HIDDEN);
        } else {
            shown.push_str(&without_secrets(word));
        }
        shown.push_str(&piece[word.len()..]);
        hides_next = announces(word) || (hides_next && (word.is_empty() || is_scheme(word)));
    }
    shown
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

/// Whether the next word is the value of this one: `--token`, `Authorization:`, `Bearer`.
fn announces(word: &str) -> bool {
    let plain = word.trim_matches(['"', '\'']);
    let names_value = is_option(plain) && !plain.contains('=') && plain.len() > 1;
    (names_value || plain.ends_with(':')) && (speaks_of_secret(plain) || ["-u", "--user"].contains(&plain))
        || is_scheme(plain)
}

/// How a header says what kind of secret follows.
fn is_scheme(word: &str) -> bool {
    let plain = word.trim_matches(['"', '\'']);
    ["bearer", "basic"].iter().any(|scheme| plain.eq_ignore_ascii_case(scheme))
}

fn speaks_of_secret(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    SECRETS.iter().any(|secret| letters.contains(secret))
}

fn without_secrets(word: &str) -> String {
    if let Some((name, value)) = word.split_once(['=', ':'])
        && !value.is_empty()
        && !value.starts_with("//")
        && speaks_of_secret(name)
    {
        let separator = &word[name.len()..=name.len()];
        return format!("{name}{separator}{HIDDEN}{}", closing_quote(value));
    }
    let word = match word.find("://") {
        Some(_) => without_user(word),
        None => word.to_owned(),
    };
    let word = match token(&word) {
        Some(at) => format!("{}{HIDDEN}{}", &word[..at], closing_quote(&word[at..])),
        None => word,
    };
    HOMES.iter().fold(word, |word, homes| without_home(&word, homes))
}

/// The quote that a word ends with.
fn closing_quote(text: &str) -> &str {
    &text[text.trim_end_matches(['"', '\'']).len()..]
}

/// A word that has an address in it, without the user and the query of that.
fn without_user(word: &str) -> String {
    let Some(colon) = word.find("://") else { return word.to_owned() };
    let scheme = word[..colon].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '+').map_or(0, |at| at + 1);
    let end = closing_quote(word);
    format!("{}{}{end}", &word[..scheme], address(&word[scheme..word.len() - end.len()]))
}

/// Where a token begins in a word.
fn token(word: &str) -> Option<usize> {
    let starts = TOKENS.iter().filter_map(|token| word.find(token));
    starts
        .filter(|at| {
            let before = word[..*at].chars().next_back();
            let rest =
                word[*at..].chars().take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).count();
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
        rest = &behind[behind.find(['/', '\\', '"', '\'', ':']).unwrap_or(behind.len())..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        for (line, expected) in [
            ("sync --token=abc123 --fast", "sync --token=*** --fast"),
            ("sync --token abc123 --fast", "sync --token *** --fast"),
            ("DB_PASSWORD=hunter2 serve", "DB_PASSWORD=*** serve"),
            ("env 'API_KEY=a b' serve", "env 'API_KEY=*** b' serve"),
            ("sync --password-file=pw --secret  'x y'", "sync --password-file=*** --secret  *** y'"),
            ("aws AKIAIOSFODNN7EXAMPLE get", "aws *** get"),
            ("git clone https://ann:pw@host.test/a?token=5 .", "git clone https://host.test/a ."),
            (
                "curl -H \"Authorization: Bearer abc.def\" 'https://a:b@c.test/d'",
                "curl -H \"Authorization: Bearer *** 'https://c.test/d'",
            ),
            ("curl -u ann:pw http://c.test", "curl -u *** http://c.test"),
            ("push x=ghp_0123456789abcdefABCD", "push x=***"),
            ("/home/ann/bin/run /home/ann", "~/bin/run ~"),
            (r"C:\Users\ann\run.exe --in=/Users/bob/x", r"~\run.exe --in=~/x"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn other_commands_stay_as_they_are() {
        for line in [
            "sleep 0.5",
            "grep -rn 'token' src/  |  wc -l",
            "find . -name \"*.rs\" -not -path /srv/home/x",
            "tokenize --fast input.txt",
            "sk-learn --key value sk-8",
            "curl http://127.0.0.1:8080/a",
            "",
            "  two  spaces ",
        ] {
            assert_eq!(shown(line), line);
        }
    }
}
