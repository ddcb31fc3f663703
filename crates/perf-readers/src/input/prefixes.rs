//! Prefixes that runners add to each line: timestamps, log levels, containers and jobs.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::input::HEAD;

/// The maximum length of a prefix in bytes.
const LONGEST: usize = 512;

/// The maximum number of prefixes per line.
const MOST: usize = 4;

/// Matches a date with a time, or only a time.
const MOMENT: &str = r"(?:\d{4}-\d\d-\d\d[T ]|\d{4}/\d\d/\d\d |(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d\d| \d) )?\d\d:\d\d:\d\d(?:[.,]\d*)?(?:Z|[+-]\d\d:?\d\d)?";

/// The prefixes, each with an expression that matches it.
static EXPRESSIONS: LazyLock<[(Prefix, Option<Regex>); 4]> = LazyLock::new(|| {
    // `gh` prints job and step first, each followed by a tab; GitLab appends the number and kind of the stream.
    let timestamp =
        format!(r"^(?:[^\t]*\t[^\t]*\t)?(?:\[{MOMENT}\]|{MOMENT})(?: [[:xdigit:]]{{2}}[OE]\b)?");
    let level = r"^\[(?i:trace|debug|info|notice|warn|warning|error|fatal|success)\s*\]";
    let expressions = [
        (Prefix::Timestamp, timestamp.as_str()),
        (Prefix::LogLevel, level),
        // The name ends with the container's number.
        (Prefix::Container, r"^[\w.-]*[-_]\d+[ \t]+\|"),
        (Prefix::Job, r"^\[[^\]]*/[^\]]*\][ \t]+\|"),
    ];
    expressions.map(|(prefix, text)| (prefix, RegexBuilder::new(text).unicode(false).build().ok()))
});

/// A kind of prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// A date and time, such as `2031-03-04T09:14:10.1234567Z ` in GitHub logs. `gh` prints the job and the step before
    /// it, and GitLab prints the stream after it. Other forms are `[2031-03-04 09:14:10,123] `, `09:14:10 ` and
    /// `Mar  4 09:14:10 `.
    Timestamp,
    /// A log level, such as `[info] ` in sbt and `[INFO] ` in Maven.
    LogLevel,
    /// A container's name, such as `bench-1  | ` in Docker Compose.
    Container,
    /// A job's name, such as `[CI/bench]   | ` in act.
    Job,
}

/// A prefix that was removed, and the number of lines that began with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The kind of prefix.
    pub prefix: Prefix,
    /// The number of lines from which the prefix was removed.
    pub removed: u64,
    /// The number of lines in the input that are not blank.
    pub lines: u64,
}

impl Prefix {
    /// Returns the description of the prefix in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "a timestamp",
            Self::LogLevel => "a log level",
            Self::Container => "a container name",
            Self::Job => "a job name",
        }
    }
}

/// Returns the length of the prefix at the start of a line, including the space after it. Returns 0 if there is no
/// prefix.
fn prefix_length(expression: &Regex, line: &str) -> usize {
    let line = &line[..line.floor_char_boundary(LONGEST)];
    let Some(found) = expression.find(line.as_bytes()) else {
        return 0;
    };
    match line[found.end()..].chars().next() {
        Some(' ') => found.end() + 1,
        None | Some('\r' | '\n') => found.end(),
        Some(_) => 0,
    }
}

/// Returns the prefix that at least half of the non-blank lines at the start of the text begin with.
fn common_prefix(text: &str) -> Option<(Prefix, &'static Regex)> {
    let head = &text[..text.floor_char_boundary(HEAD)];
    for (prefix, expression) in &*EXPRESSIONS {
        let Some(expression) = expression else {
            continue;
        };
        let (mut lines, mut prefixed) = (0, 0);
        for line in head.split('\n') {
            if !line.trim().is_empty() {
                lines += 1;
                prefixed += usize::from(prefix_length(expression, line) > 0);
            }
        }
        if prefixed > 0 && prefixed * 2 >= lines {
            return Some((*prefix, expression));
        }
    }
    None
}

/// Repeatedly removes the prefix that at least half of the lines begin with. Returns the removed prefixes.
pub(crate) fn remove(text: &mut String) -> Vec<Removed> {
    let mut all = Vec::new();
    while all.len() < MOST
        && let Some((prefix, expression)) = common_prefix(text)
    {
        let (mut plain, mut removed, mut lines) = (String::with_capacity(text.len()), 0, 0);
        for line in text.split_inclusive('\n') {
            let length = prefix_length(expression, line);
            plain.push_str(&line[length..]);
            removed += u64::from(length > 0);
            lines += u64::from(!line.trim().is_empty());
        }
        *text = plain;
        all.push(Removed {
            prefix,
            removed,
            lines,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prefixes of the lines, and the text without them.
    fn without(text: &str) -> (Vec<Prefix>, String) {
        let mut text = text.to_owned();
        let removed = remove(&mut text);
        (removed.iter().map(|removed| removed.prefix).collect(), text)
    }

    #[test]
    fn prefixes_of_runners_are_removed() {
        for prefix in [
            "2031-03-04T09:14:10.1234567Z ",
            "bench\tRun it\t2031-03-04T09:14:10Z ",
            "2031-03-04T09:14:10.123456Z 01O ",
            "2031-03-04 09:14:10,123 ",
            "2031-03-04T09:14:10+01:00 ",
            "[2031-03-04T09:14:10.123Z] ",
            "[09:14:10] ",
            "09:14:10.5 ",
            "Mar  4 09:14:10 ",
            "[INFO] ",
            "[warn ] ",
            "bench-1  | ",
            "bench_12 | ",
            "[CI/bench (1, 2)]   | ",
            "2031-03-04T09:14:10Z [info] ",
        ] {
            let lines = ["goos: linux", "  two 2031-03-04T09:14:10Z ", "", "three"];
            let text = lines.map(|line| format!("{prefix}{line}\r\n")).concat();
            let (kinds, rest) = without(&text);
            assert!(!kinds.is_empty(), "{prefix}");
            assert_eq!(rest, lines.join("\r\n") + "\r\n", "{prefix}");
        }
    }

    #[test]
    fn other_common_beginnings_stay() {
        for prefix in [
            "Benchmark",
            "test ",
            "[bench] ",
            "a | ",
            "2031-03-04,",
            "12:30,",
            "parse-1 ",
            "x-1 |",
            "[a] | ",
        ] {
            let text = ["one", "two", "three"]
                .map(|line| format!("{prefix}{line}\n"))
                .concat();
            assert_eq!(without(&text).0, [], "{prefix}");
        }
        assert_eq!(without("a\nb\n09:14:10 c\n").0, []);
        assert_eq!(without("a\n09:14:10 c\n").0, [Prefix::Timestamp]);
        assert_eq!(without("").0, []);
    }
}
