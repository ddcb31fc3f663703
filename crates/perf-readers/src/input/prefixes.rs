//! Removes what stands around the lines of a tool: the prefix that a runner puts before each, which is a timestamp, a log
//! level, the name of a container or a job; and the HTML of a page.
//!
//! It is no output of the tool, and hides its lines. Only the kinds that are listed here are removed, never what lines
//! just happen to share.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;
use std::sync::LazyLock;

use memchr::memchr;
use regex::bytes::{Regex, RegexBuilder};

use crate::input::html;
use crate::input::rewritten::Rewritten;

/// Limit for a prefix.
const LONGEST: usize = 512;

/// Limit for a line whose HTML is decoded as a whole.
const LONGEST_PAGE_LINE: usize = 64 * 1024;

/// A date with a time, or a time.
const MOMENT: &str = r"(?:\d{4}-\d\d-\d\d[T ]|\d{4}/\d\d/\d\d |(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?:\d\d| \d) )?\d\d:\d\d:\d\d(?:[.,]\d*)?(?:Z|[+-]\d\d:?\d\d)?";

/// The prefixes with the expressions for them.
static MARKS: LazyLock<[(Prefix, Option<Regex>); 6]> = LazyLock::new(|| {
    // A job and a step come before, each with a tab; behind stand GitLab's number of the stream and its kind.
    let timestamp =
        format!(r"^(?:[^\t]*\t[^\t]*\t)?(?:\[{MOMENT}\]|{MOMENT})(?: [[:xdigit:]]{{2}}[OE]\b)?");
    let level = r"^\[(?i:trace|debug|info|notice|warn|warning|error|fatal|success)\s*\]";
    let marks = [
        (Prefix::Timestamp, timestamp.as_str()),
        (Prefix::LogLevel, level),
        // The number of the container ends its name.
        (Prefix::Container, r"^[\w.-]*[-_]\d+[ \t]+\|"),
        (Prefix::Job, r"^\[[^\]]*/[^\]]*\][ \t]+\|"),
        (Prefix::Quote, "^>"),
        (Prefix::Comment, "^(?:#|//|--)"),
    ];
    marks.map(|(prefix, mark)| (prefix, RegexBuilder::new(mark).unicode(false).build().ok()))
});

/// A kind of prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// `2031-03-04T09:14:10.1234567Z ` as GitHub has it, behind job and step where `gh` printed it, and before the
    /// stream in GitLab; `[2031-03-04 09:14:10,123] `, `09:14:10 `, `Mar  4 09:14:10 `.
    Timestamp,
    /// `[info] ` of sbt, `[INFO] ` of Maven.
    LogLevel,
    /// `bench-1  | ` of Docker Compose.
    Container,
    /// `[CI/bench]   | ` of act.
    Job,
    /// `> ` of what is quoted.
    Quote,
    /// `# `, `// ` and `-- ` of results that a program has as a comment.
    Comment,
    /// The spaces or tabs that all lines of a pasted block have.
    Indentation(usize),
    /// Entities and tags of a page, anywhere in a line.
    Html,
    /// The bars of a table in Markdown that somebody made of a tool's own.
    Bars,
}

/// A prefix, and how many lines had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The prefix.
    pub prefix: Prefix,
    /// The lines that had it.
    pub removed: u64,
    /// All lines with any text.
    pub lines: u64,
}

impl Prefix {
    /// The prefix for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "a timestamp",
            Self::LogLevel => "a log level",
            Self::Container => "the name of a container",
            Self::Job => "the name of a job",
            Self::Quote => "a quotation mark",
            Self::Comment => "a comment mark",
            Self::Indentation(_) => "the indentation",
            Self::Html => "HTML",
            Self::Bars => "the bars of tables",
        }
    }

    /// True if only a runner prints the prefix, so that it is no part of lines that come later either.
    pub(crate) fn is_of_runner(self) -> bool {
        !matches!(
            self,
            Self::Quote | Self::Comment | Self::Indentation(_) | Self::Html | Self::Bars
        )
    }

    /// Length of the prefix at the beginning of a line, with the space behind it; 0 without one.
    fn length(self, line: &[u8]) -> usize {
        let line = &line[..line.len().min(LONGEST)];
        if let Self::Indentation(width) = self {
            return if indentation(line) >= width { width } else { 0 };
        }
        let length = self.mark(line).and_then(|length| match &line[length..] {
            [b' ', ..] => Some(length + 1),
            [] | [b'\r'] => Some(length),
            _ => None,
        });
        length.unwrap_or(0)
    }

    /// Length of the prefix without the space behind it.
    fn mark(self, line: &[u8]) -> Option<usize> {
        let (_, mark) = MARKS.iter().find(|(prefix, _)| *prefix == self)?;
        mark.as_ref()?.find(line).map(|found| found.end())
    }

    /// True if a word of a name begins with the prefix.
    pub(crate) fn is_in(self, name: &str) -> bool {
        let words = name
            .split(|c: char| c.is_whitespace() || c == '(')
            .map(str::as_bytes);
        self.clean(name.as_bytes(), &mut Vec::new())
            || words.into_iter().any(|word| self.mark(word).is_some())
    }

    /// A name without the prefix.
    pub(crate) fn strip(self, name: &str) -> String {
        let mut plain = Vec::new();
        self.clean(name.as_bytes(), &mut plain);
        String::from_utf8_lossy(&plain).trim().to_owned()
    }

    /// Appends a line without the prefix. Returns whether it had one.
    fn clean(self, line: &[u8], into: &mut Vec<u8>) -> bool {
        if self == Self::Html {
            return html::decode(line, into);
        }
        if self == Self::Bars {
            return without_bars(line, into);
        }
        let length = self.length(without_end(line));
        into.extend_from_slice(&line[length..]);
        length > 0
    }

    /// The bytes of a line from which on its end need not be known.
    fn longest(self) -> usize {
        if matches!(self, Self::Html | Self::Bars) {
            LONGEST_PAGE_LINE
        } else {
            LONGEST
        }
    }

    /// The kind that most lines of a text begin with.
    fn of_most(text: &[u8]) -> Option<Self> {
        let whole = memchr::memrchr(b'\n', text).map_or(text, |end| &text[..end]);
        let lines: Vec<&[u8]> = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| has_text(line))
            .collect();
        let has = |prefix: Self, line: &&&[u8]| prefix.may_begin(line) && prefix.length(line) > 0;
        let are_most = |prefix: &Self| {
            lines.iter().filter(|line| has(*prefix, line)).count() * 2 >= lines.len()
        };
        let kinds = [
            Self::Timestamp,
            Self::LogLevel,
            Self::Container,
            Self::Job,
            Self::Quote,
            Self::Comment,
        ];
        let width = lines.iter().map(|line| indentation(line)).min()?;
        if width > 0 {
            return Some(Self::Indentation(width));
        }
        let has_bars = || lines.iter().any(|line| line.starts_with(b"|"));
        let are_most = kinds.into_iter().find(are_most);
        are_most
            .or_else(|| html::is_in(text).then_some(Self::Html))
            .or_else(|| has_bars().then_some(Self::Bars))
    }

    /// True if the first byte of a line may begin the prefix, which most lines show sooner than its expression.
    fn may_begin(self, line: &[u8]) -> bool {
        let first = line.first().copied().unwrap_or_default();
        match self {
            Self::Timestamp => {
                first.is_ascii_digit()
                    || b"[JFMASOND".contains(&first)
                    || memchr(b'\t', line).is_some()
            }
            Self::LogLevel | Self::Job => first == b'[',
            Self::Container => memchr(b'|', line).is_some(),
            Self::Quote => first == b'>',
            Self::Comment => b"#/-".contains(&first),
            Self::Indentation(_) | Self::Html | Self::Bars => true,
        }
    }

    fn remove_all(self, text: &[u8]) -> Vec<u8> {
        let mut plain = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            self.clean(line, &mut plain);
        }
        plain
    }
}

/// The most prefixes that one line may have.
const MOST: usize = 4;

/// The prefixes that most lines of a text have, one behind the other, each with the text without it and those before.
pub(crate) fn layers(text: &[u8]) -> Vec<(Prefix, Vec<u8>)> {
    let mut layers: Vec<(Prefix, Vec<u8>)> = Vec::new();
    while let Some(prefix) = Prefix::of_most(layers.last().map_or(text, |(_, rest)| rest))
        && layers.len() < MOST
    {
        let rest = prefix.remove_all(layers.last().map_or(text, |(_, rest)| rest));
        layers.push((prefix, rest));
    }
    layers
}

/// Appends a line without the bars between its cells, and without what makes them bold or code. Returns whether it had
/// any.
fn without_bars(line: &[u8], into: &mut Vec<u8>) -> bool {
    let Some(cells) = line.strip_prefix(b"|") else {
        into.extend_from_slice(line);
        return false;
    };
    for byte in cells.iter().filter(|byte| !matches!(byte, b'`' | b'*')) {
        into.extend_from_slice(if *byte == b'|' {
            b"  "
        } else {
            std::slice::from_ref(byte)
        });
    }
    true
}

fn has_text(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty()
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn indentation(line: &[u8]) -> usize {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// The number of lines that had the prefix, and of all lines with any text.
pub(crate) type Counts = Rc<Cell<(u64, u64)>>;

/// Reads a text without the prefix of its lines.
pub(crate) fn without_prefix<R: Read>(prefix: Prefix, input: R, counts: Counts) -> impl Read {
    // True if the next bytes continue a line that was begun.
    let mut in_line = false;
    Rewritten::new(input, move |raw: &mut Vec<u8>, ended| {
        let (mut ready, mut from, (mut removed, mut lines)) = (Vec::new(), 0, counts.get());
        while from < raw.len() {
            let rest = &raw[from..];
            let end = memchr(b'\n', rest).map(|at| at + 1);
            let is_whole = end.is_some() || ended || rest.len() >= prefix.longest();
            if !in_line && !is_whole {
                break;
            }
            let line = &rest[..end.unwrap_or(rest.len())];
            if in_line {
                ready.extend_from_slice(line);
            } else {
                removed += u64::from(prefix.clean(line, &mut ready));
                lines += u64::from(has_text(line));
            }
            in_line = end.is_none();
            from += line.len();
        }
        raw.drain(..from);
        counts.set((removed, lines));
        ready
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines::tests::Dribble;
    use proptest::prelude::*;

    /// The prefixes of a text, and the text without them.
    fn without(text: &str) -> (Vec<Prefix>, String) {
        let layers = layers(text.as_bytes());
        let rest = layers.last().map_or(text.as_bytes(), |(_, rest)| rest);
        (
            layers.iter().map(|(prefix, _)| *prefix).collect(),
            String::from_utf8_lossy(rest).into_owned(),
        )
    }

    #[test]
    fn bars_are_removed() {
        let (kinds, rest) = without("# T\n| **Name** | Mean |\n|---|---|\n| `a` | 5 |\n");
        assert_eq!(kinds, [Prefix::Bars]);
        assert_eq!(rest, "# T\n Name    Mean   \n---  ---  \n a    5   \n");
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
            "> ",
            "> > ",
            "# ",
            "// ",
            "-- ",
            "    ",
            "09:14:10  ",
            "2031-03-04T09:14:10Z [info] ",
            "\tbench-1  | 2031-03-04T09:14:10Z ",
        ] {
            let lines = ["goos: linux", "  two 2031-03-04T09:14:10Z ", "", "three"];
            let text = lines.map(|line| format!("{prefix}{line}\r\n")).concat();
            let (kinds, rest) = without(&text);
            assert!(!kinds.is_empty(), "{prefix}");
            assert_eq!(rest, lines.join("\r\n") + "\r\n", "{prefix}");
        }
    }

    #[test]
    fn what_lines_share_is_no_prefix() {
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

    proptest! {
        #[test]
        fn result_does_not_depend_on_read_sizes(lines in prop::collection::vec("(2031-03-04T09:14:10(\\.[0-9]{1,7})?Z ?)?[a-z\t ]{0,8}", 0..6), step in 1..50_usize) {
            let text = lines.join("\n");
            let read = |step| {
                let (mut plain, counts) = (String::new(), Counts::default());
                let input = Dribble(text.as_bytes(), step);
                without_prefix(Prefix::Timestamp, input, Rc::clone(&counts)).read_to_string(&mut plain).unwrap();
                (plain, counts.get())
            };
            let all = String::from_utf8(Prefix::Timestamp.remove_all(text.as_bytes())).unwrap();
            prop_assert_eq!(&read(step).0, &all);
            prop_assert_eq!(read(step), read(usize::MAX));
        }
    }
}
