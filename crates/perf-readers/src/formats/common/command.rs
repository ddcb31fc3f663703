//! Converts a command line to a benchmark's name. Secrets are removed, because names are published.
//!
//! `***` replaces user names, passwords, tokens, and every option, variable or header value whose name suggests a
//! secret. URLs lose their user and query, and a home folder becomes `~`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::formats::common::names::address;

const HIDDEN: &str = "***";

/// Parts of the names of options, variables and headers whose values are secret.
const SECRET: &str = "token|passw|passphrase|secret|credential|api_?-?key|access_?-?key|private_?-?key|authorization|mysql_?pwd";

/// Short parts of such names, which also occur in other words, such as `path`, `author` and `compass`. Within a name,
/// they must be separate words (`DB_PASS`) or begin with a capital letter (`dbPass`).
const SHORT_SECRET: &str = "pass|auth|pat|cookies?|sshpass";
const CAPITALISED_SECRET: &str = "Pass|Auth|Pat|Cookies?|Sshpass";

/// Matches a value up to the next space outside quotes. A quote before a space closes a quote that was opened before
/// the option.
const VALUE: &str = r#"(?:"(?:\\.|[^"\\])*"?|'[^']*'?|(?:\\.|[^\\ \t"'])+)(?:"[^" \t](?:\\.|[^"\\])*"?|'[^' \t][^']*'?|(?:\\.|[^\\ \t"'])+)*"#;

/// The prefixes of access tokens, which show the issuer.
const TOKENS: &str = "AKIA|ASIA|AIza|eyJ|gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-|rk_live_|sk-|sk_live_|sk_test_|xox[bp]-";

/// The minimum length of a token in bytes.
const SHORTEST_TOKEN: usize = 16;

struct Expressions {
    /// Matches a secret's name, the separator, and the value.
    secrets: Regex,
    /// Match a value whose quote begins before the name: `'API_KEY=a b'`, `"Authorization: Bearer abc"`.
    quoted: [Regex; 2],
    users: Regex,
    tokens: Regex,
    addresses: Regex,
    homes: Regex,
}

static EXPRESSIONS: LazyLock<Option<Expressions>> = LazyLock::new(|| {
    const WORD: &str = "[A-Za-z0-9_-]";
    let name = format!(
        "(?:{WORD}*(?i-u:{SECRET}){WORD}*|(?:{WORD}*[_-])?(?i-u:{SHORT_SECRET})(?:[_-]{WORD}*)?|{WORD}*[a-z](?:{CAPITALISED_SECRET}){WORD}*)"
    );
    let boundary = r#"(^|[ \t"'({])"#;
    let regex = |text: &str| Regex::new(text).ok();
    let quoted = |quote: &str, value: &str| {
        regex(&format!(
            "({quote})({name}(?:=|:[ \t]*))((?i-u:bearer|basic)[ \t]+)?{value}"
        ))
    };
    Some(Expressions {
        secrets: regex(&format!(
            r#"{boundary}(--?{name}[ \t]+|{name}"?[=:]|(?i-u:bearer|basic)[ \t]+)({VALUE})"#
        ))?,
        quoted: [quoted("'", "[^']*")?, quoted("\"", r#"(?:\\.|[^"\\])*"#)?],
        users: regex(&format!(
            r"{boundary}(-u[ \t]*|--(?:proxy-)?user[= \t])({VALUE})"
        ))?,
        tokens: regex(&format!(
            r#"(^|[^A-Za-z0-9])((?:{TOKENS}){WORD}+)[^ \t"']*"#
        ))?,
        addresses: regex(r#"[A-Za-z0-9+]+://[^ \t"'”]+"#)?,
        homes: regex(
            r#"(^|[^A-Za-z0-9._~-])(?:[A-Za-z]:)?(?:/home/|/Users/|\\Users\\|\\\\Users\\\\)[^/\\"': \t]*"#,
        )?,
    })
});

/// Returns a command line in which all secrets are hidden.
pub(crate) fn shown(line: &str) -> String {
    let Some(expressions) = &*EXPRESSIONS else {
        return HIDDEN.to_owned();
    };
    let hide_quoted = |found: &Captures<'_>| {
        let scheme = found.get(3).map_or("", |scheme| scheme.as_str());
        format!("{}{}{scheme}{HIDDEN}", &found[1], &found[2])
    };
    let [single, double] = &expressions.quoted;
    let line = single.replace_all(line, hide_quoted);
    let line = double.replace_all(&line, hide_quoted);
    let line = expressions
        .secrets
        .replace_all(&line, |found: &Captures<'_>| {
            let is_hidden = !found[3].starts_with(['-', '*']) && !found[3].starts_with("//");
            let value = if is_hidden { HIDDEN } else { &found[3] };
            format!("{}{}{value}", &found[1], &found[2])
        });
    let line = expressions
        .users
        .replace_all(&line, |found: &Captures<'_>| {
            let (option, user) = (&found[2], &found[3]);
            // The word after `env -u` is a variable's name, and other tools have options that begin with `-u`.
            let is_variable =
                |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            let is_attached = option == "-u";
            let is_user = if is_attached {
                user.contains(':') && !user.ends_with(':')
            } else {
                !user.bytes().all(is_variable)
            };
            let user = if is_user { HIDDEN } else { user };
            format!("{}{option}{user}", &found[1])
        });
    let line = expressions
        .tokens
        .replace_all(&line, |found: &Captures<'_>| {
            if found[2].len() < SHORTEST_TOKEN {
                return found[0].to_owned();
            }
            format!("{}{HIDDEN}", &found[1])
        });
    let line = expressions
        .addresses
        .replace_all(&line, |found: &Captures<'_>| address(&found[0]));
    let line: Cow<'_, str> = expressions.homes.replace_all(&line, "$1~");
    line.into_owned()
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
                "sync --password=ab\"c d\"e --fast",
                "sync --password=*** --fast",
            ),
            ("PGPASSWORD='a b'c psql", "PGPASSWORD=*** psql"),
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
            "python -unbuffered a:",
            "sk-learn --key value sk-8",
            "curl http://127.0.0.1:8080/a",
            "",
            "  two  spaces ",
        ] {
            assert_eq!(shown(line), line);
        }
    }
}
