//! The titles above results, which tell equal names of one input apart: headings of a page, and what a person or a
//! script sets off in a log.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::input::text::text;

/// The number of levels.
const LEVELS: usize = 10;

/// The levels below the six of headings: text between signs or above a rule; a command or a comment; a label with a colon;
/// a line between blank lines.
const SET_OFF: usize = 6;
const COMMAND: usize = 7;
const LABEL: usize = 8;
const ALONE: usize = 9;

/// The most bytes of a title, and the most titles of an input.
pub(crate) const LONGEST: usize = 200;
const MOST: usize = 10_000;

/// The most bytes of a line with a title, between blanks that are no ASCII.
const LONGEST_LINE: usize = 2 * LONGEST;

/// The most characters of a line above a block of a page that is its caption.
const LONGEST_CAPTION: usize = 80;

/// What ends the prompts of some shells.
const PROMPTS: [&str; 3] = ["λ ", "❯ ", "➜ "];

/// Tools whose output does not say how they were started.
const TOOLS: [&[u8]; 10] = [
    b"ab",
    b"bombardier",
    b"fio",
    b"hey",
    b"iperf",
    b"iperf3",
    b"pgbench",
    b"sysbench",
    b"vegeta",
    b"wrk",
];

/// Signs that set titles off.
const SIGNS: [char; 6] = ['#', '=', '-', '*', ':', ' '];

/// A result whose name may get a title.
pub(crate) struct Named {
    pub name: String,
    pub line: u64,
}

/// The titles of an input, by their lines.
#[derive(Default)]
pub(crate) struct Sections {
    titles: Vec<String>,
    /// The line of each title, and the number of the title of each level below it, from 1 on.
    places: Vec<(u64, [usize; LEVELS])>,
    /// The last line that was seen, and its text.
    last: u64,
    before: Vec<u8>,
    /// The last blank line.
    blank: u64,
    /// True if the lines are those of a block of a page.
    in_block: bool,
}

impl Sections {
    /// Takes a line that no tool reads.
    pub(crate) fn see(&mut self, number: u64, line: &[u8]) {
        if number <= self.last || self.places.len() >= MOST {
            return;
        }
        let follows = number == self.last + 1;
        self.last = number;
        if is_rule(line) {
            // It may have a version, but what a tool says of the machine has other numbers.
            let is_title = |above: &str| {
                !above.is_empty() && !above.contains([':', ',']) && !is_repetition(above)
            };
            return self.take_before(number, SET_OFF, follows, is_title);
        }
        if line.starts_with(b"```") {
            self.in_block = !self.in_block;
            let is_short = |above: &str| above.chars().count() <= LONGEST_CAPTION;
            let is_title =
                |above: &str| is_short(above) && may_be_title(above) && title_of(above).is_none();
            return self.take_before(number, LABEL, follows && self.in_block, is_title);
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            let blank = std::mem::replace(&mut self.blank, number);
            return self.take_before(
                number,
                ALONE,
                follows && blank + 2 == number,
                may_stand_alone,
            );
        }
        self.before.clear();
        if line.len() <= LONGEST_LINE {
            self.before.extend_from_slice(line);
            if may_have_sign(line)
                && let Some((level, title)) = title_of(&shortened(line))
            {
                self.add(number, level, title);
            }
        }
    }

    /// Forgets the line before, which is a title here if it may be one at all; it is empty where it is longer than that.
    fn take_before(
        &mut self,
        line: u64,
        level: usize,
        may_be: bool,
        is_title: impl Fn(&str) -> bool,
    ) {
        let before = may_be
            .then(|| shortened(&self.before))
            .filter(|before| is_title(before));
        if let Some(title) = before.map(Cow::into_owned) {
            self.add(line, level, &title);
        }
        self.before.clear();
    }

    fn add(&mut self, line: u64, level: usize, title: &str) {
        let mut path = self.places.last().map_or([0; LEVELS], |(_, path)| *path);
        // A heading ends all below it; commands and labels stand side by side.
        if level <= SET_OFF {
            path[level..].fill(0);
        }
        self.titles.push(title.to_owned());
        path[level] = self.titles.len();
        self.places.push((line, path));
    }

    /// True if there is nothing above results.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The title of the level above a line; empty where there is none.
    fn above(&self, line: u64, level: usize) -> &str {
        let behind = self.places.partition_point(|(at, _)| *at <= line);
        let path = behind.checked_sub(1).map(|last| &self.places[last].1);
        let title = path.and_then(|path| self.titles.get(path[level].checked_sub(1)?));
        title.map_or("", String::as_str)
    }

    /// Puts titles before equal names, from the nearest to the farthest, as far as they tell them apart. Lines without the
    /// sign of a title come last.
    pub(crate) fn tell_apart(&self, found: &mut [&mut Named], shown: fn(&str) -> String) {
        let has = |level: &usize| self.places.iter().any(|(_, path)| path[*level] > 0);
        for level in (0..ALONE).rev().chain([ALONE]).filter(has) {
            let titles: Vec<&str> = found
                .iter()
                .map(|one| self.above(one.line, level))
                .collect();
            name_by(found, &titles, shown, |titles, results| {
                let has_none = titles.contains(&"");
                // Whatever a program prints may be alone, so that each result needs one of its own.
                let is_wanted = level != ALONE || (titles.len() == results && !has_none);
                is_wanted && titles.len() > 1 + usize::from(has_none)
            });
        }
    }
}

/// Puts titles before equal names, if those of a name tell that many results apart.
pub(crate) fn name_by(
    found: &mut [&mut Named],
    titles: &[&str],
    shown: fn(&str) -> String,
    tell_apart: impl Fn(&[&str], usize) -> bool,
) {
    let mut of_names: HashMap<&str, (Vec<&str>, usize), RandomState> = HashMap::default();
    for (one, title) in found.iter().zip(titles) {
        let (of_name, results) = of_names.entry(&one.name).or_default();
        if of_name.last() != Some(title) {
            of_name.push(title);
        }
        *results += 1;
    }
    of_names.retain(|_, (titles, results)| {
        titles.sort_unstable();
        titles.dedup();
        tell_apart(titles, *results)
    });
    let named = found.iter().zip(titles).map(|(one, title)| {
        let is_wanted = !title.is_empty() && !one.name.starts_with(title);
        (is_wanted && of_names.contains_key(&*one.name))
            .then(|| format!("{}: {}", shown(title), one.name))
    });
    for (one, name) in named.collect::<Vec<_>>().into_iter().enumerate() {
        if let Some(name) = name {
            found[one].name = name;
        }
    }
}

/// Returns a line as a text without blanks around it; empty where it is longer than a title.
fn shortened(line: &[u8]) -> Cow<'_, str> {
    let line = match text(line) {
        Cow::Borrowed(line) => Cow::Borrowed(line.trim()),
        Cow::Owned(line) => Cow::Owned(line.trim().to_owned()),
    };
    if line.len() > LONGEST {
        Cow::Borrowed("")
    } else {
        line
    }
}

/// True if a line may have a sign of a title. Most have none, which their bytes show sooner than searches for texts.
fn may_have_sign(line: &[u8]) -> bool {
    let begins = match line {
        [b'#' | b'=' | b'<', ..] | [b'%', b' ', ..] => true,
        [first @ (b'-' | b'*' | b'/'), second, ..] => first == second,
        _ => false,
    };
    let is_set_off = begins || line.ends_with(b":");
    let first = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    is_set_off
        || has_prompt(line)
        || memchr::memchr2(b'$', b'>', line).is_some()
        || TOOLS.contains(&first)
}

/// True if a line has a byte that begins one of the [`PROMPTS`].
fn has_prompt(line: &[u8]) -> bool {
    memchr::memchr2(b'\xce', b'\xe2', line).is_some()
}

/// The level and the text of a line that is a title.
pub(crate) fn title_of(line: &str) -> Option<(usize, &str)> {
    let signs = |sign: char| line.len() - line.trim_start_matches(sign).len();
    // AsciiDoc has equals signs for the hashes of Markdown.
    let signs = if line.ends_with('=') {
        signs('#')
    } else {
        signs('#').max(signs('='))
    };
    let (level, title) = if let Some(level) = tag(line) {
        return Some((level, within_tags(line))).filter(|(_, title)| may_be_title(title));
    } else if (1..=SET_OFF).contains(&signs) && line[signs..].starts_with(' ') {
        (signs - 1, line)
    } else if ["==", "--", "**"]
        .iter()
        .any(|sign| line.starts_with(sign) && line.ends_with(sign))
    {
        (SET_OFF, line)
    } else if let Some(command) = command(line) {
        return (!is_repetition(command) && !has_time_of_day(command))
            .then_some((COMMAND, command));
    } else {
        (LABEL, line.strip_suffix(':')?)
    };
    let title = title.trim_matches(SIGNS);
    may_be_title(title).then_some((level, title))
}

/// True for a short line that may be a title without a sign of one: no sentence, and nothing numbered by a program.
fn may_stand_alone(line: &str) -> bool {
    let is_long_number = |word: &str| word.bytes().filter(u8::is_ascii_digit).count() > 3;
    line.chars().count() <= LONGEST_CAPTION
        && line.starts_with(char::is_alphanumeric)
        && !line.ends_with(['.', '!', '?', ';', ','])
        && !line.split_whitespace().any(is_long_number)
        && may_be_title(line)
        && title_of(line).is_none()
}

/// The level of a line that HTML has as a heading.
fn tag(line: &str) -> Option<usize> {
    let tag = line.strip_prefix('<')?;
    let heading = tag
        .strip_prefix(['h', 'H'])
        .and_then(|rest| rest.chars().next()?.to_digit(10));
    match heading {
        Some(level @ 1..=6) => Some(level as usize - 1),
        // What it opens has set-off text of its own.
        _ if tag.starts_with("summary>") => Some(SET_OFF - 1),
        _ => ["b>", "strong>", "caption>"]
            .iter()
            .any(|name| tag.starts_with(name))
            .then_some(SET_OFF),
    }
}

/// The first text that tags stand around.
fn within_tags(line: &str) -> &str {
    let texts = line.split('<').filter_map(|part| part.split_once('>'));
    texts
        .map(|(_, text)| text.trim())
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// The command behind a prompt, with the prompt where that has a folder; the text of a comment.
fn command(line: &str) -> Option<&str> {
    let has_folder = |(prompt, _): &(&str, &str)| !prompt.is_empty() && !prompt.contains(' ');
    let is_of_tool = |(tool, options): &(&str, &str)| {
        TOOLS.contains(&tool.as_bytes()) && (options.starts_with('-') || options.contains("://"))
    };
    let prompts: &[&str] = if has_prompt(line.as_bytes()) {
        &PROMPTS
    } else {
        &[]
    };
    let dollar = memchr::memchr(b'$', line.as_bytes());
    ["$ ", "> ", "% ", "// "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
        .or_else(|| {
            prompts
                .iter()
                .find_map(|sign| Some(line.split_once(sign)?.1))
        })
        .or_else(|| line.split_once(' ').filter(is_of_tool).map(|_| line))
        .or_else(|| {
            dollar
                .and_then(|_| line.split_once("$ "))
                .filter(has_folder)
                .map(|_| line)
        })
        .or_else(|| {
            line.split_once('>')
                .filter(|(prompt, _)| prompt.contains(":\\"))
                .map(|(_, command)| command)
        })
}

/// True for a line of three or more dashes or equals signs.
fn is_rule(line: &[u8]) -> bool {
    line.len() >= 3 && line.iter().all(|byte| matches!(byte, b'-' | b'='))
}

/// True if a line is short and is the same from run to run.
pub(crate) fn may_be_title(line: &str) -> bool {
    // A version or an address has points only.
    let is_named = line.contains(char::is_alphabetic) || line.matches('.').count() > 1;
    if line.len() > LONGEST || !is_named {
        return false;
    }
    // Whatever differs from run to run has a number.
    if !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    // What was measured or when differs.
    let is_measured = |word: &str| {
        let word = word.trim_matches(['[', '(', ']', ')', ',', '.']);
        // A size stays.
        let is_size = word.ends_with(['K', 'M', 'G', 'B']);
        let is_version = word.matches('.').count() > 1;
        word.starts_with(|c: char| c.is_ascii_digit())
            && (word.contains(['.', ':']) || word.ends_with(['s', '%']))
            && !is_size
            && !is_version
    };
    let words = || line.split_whitespace();
    let is_duration = words().zip(words().skip(1)).any(|(number, unit)| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            && ["ms", "s", "sec", "seconds", "minutes"].contains(&unit)
    });
    // A number in a column of its own.
    let mut gaps = line
        .as_bytes()
        .windows(2)
        .enumerate()
        .filter(|(_, two)| two == b"  ");
    let is_row = gaps.any(|(at, _)| {
        line[at + 2..]
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit())
    });
    !is_row
        && !is_duration
        && !line.split_whitespace().any(is_measured)
        && !is_repetition(line)
        && !has_time_of_day(line)
}

/// True if a line says which of several runs of the same follows: `Run 2 of 5`.
fn is_repetition(line: &str) -> bool {
    const WORDS: [&str; 8] = [
        "run",
        "round",
        "iteration",
        "repetition",
        "attempt",
        "trial",
        "sample",
        "pass",
    ];
    let words = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.clone().zip(words.skip(1)).any(|(word, number)| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            && WORDS.contains(&word.to_lowercase().as_str())
    })
}

/// True if a text has a time such as `09:14:10`.
pub(crate) fn has_time_of_day(text: &str) -> bool {
    let is_time = |text: &[u8]| {
        let fits = |(at, byte): (usize, &u8)| {
            if at % 3 == 2 {
                *byte == b':'
            } else {
                byte.is_ascii_digit()
            }
        };
        text.iter().enumerate().all(fits)
    };
    memchr::memchr(b':', text.as_bytes()).is_some()
        && text.as_bytes().windows("09:14:10".len()).any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_levels() {
        for (line, expected) in [
            ("# Results", Some((0, "Results"))),
            ("### 4 cores ###", Some((2, "4 cores"))),
            ("=== before: walk ===", Some((SET_OFF, "before: walk"))),
            ("**Cold cache**", Some((SET_OFF, "Cold cache"))),
            (
                "$ wrk -d30s http://h/",
                Some((COMMAND, "wrk -d30s http://h/")),
            ),
            (
                "me@host:/srv/a$ wrk",
                Some((COMMAND, "me@host:/srv/a$ wrk")),
            ),
            (r"C:\iperf>iperf3 -b 20M", Some((COMMAND, "iperf3 -b 20M"))),
            ("// aligned by 4", Some((COMMAND, "aligned by 4"))),
            ("8k blocks:", Some((LABEL, "8k blocks"))),
            ("##[group]Run bench", None),
            ("=== run 2 ===", None),
            ("# started at 09:14:10", None),
            ("## 0.8.0", Some((1, "0.8.0"))),
            ("## 12.5", None),
            ("plain text", None),
        ] {
            assert_eq!(title_of(line), expected, "{line}");
        }
    }

    #[test]
    fn headings_end_those_below_them() {
        let mut sections = Sections::default();
        let lines = ["# A", "## one", "$ cmd", "# B", "Setext", "------"];
        for (number, line) in (1..).zip(lines) {
            sections.see(number, line.as_bytes());
        }
        let above = |line, level| sections.above(line, level);
        assert_eq!(
            (above(3, 0), above(3, 1), above(3, COMMAND)),
            ("A", "one", "cmd")
        );
        assert_eq!((above(4, 0), above(4, 1), above(4, COMMAND)), ("B", "", ""));
        assert_eq!((above(5, SET_OFF), above(9, SET_OFF)), ("", "Setext"));
    }

    #[test]
    fn a_line_between_blank_lines_is_a_title() {
        for (line, is_title) in [
            ("Minimal API - 100 virtual users", true),
            ("The results of the first machine follow.", false),
            ("worker 41873 is ready", false),
            ("1.25 seconds", false),
            ("✓ status was 200", false),
        ] {
            let mut sections = Sections::default();
            for (number, line) in (1..).zip([line, "", "checks"]) {
                sections.see(number, line.as_bytes());
            }
            assert_eq!(sections.above(3, ALONE), if is_title { line } else { "" });
        }
        let mut sections = Sections::default();
        for (number, line) in (1..).zip(["prose", "more prose", "", "checks"]) {
            sections.see(number, line.as_bytes());
        }
        assert_eq!(sections.above(4, ALONE), "");
    }
}
