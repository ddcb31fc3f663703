//! The titles above results, which tell equal names of one input apart: headings of a page, and what a person or a
//! script sets off in a log.

use crate::input::text::text;

/// The number of levels.
pub(crate) const LEVELS: usize = 9;

/// The levels below the six of headings: text between signs or above a rule; a command or a comment; a label with a colon.
const SET_OFF: usize = 6;
const COMMAND: usize = 7;
const LABEL: usize = 8;

/// The most bytes of a title, and the most titles of an input.
const LONGEST: usize = 120;
const MOST: usize = 10_000;

/// The titles of an input, by their lines.
#[derive(Default)]
pub(crate) struct Sections {
    titles: Vec<String>,
    /// The line of each title, and the number of the title of each level below it, from 1 on.
    places: Vec<(u64, [usize; LEVELS])>,
    /// The last line that was seen, and its text.
    last: u64,
    before: String,
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
            let above = std::mem::take(&mut self.before);
            // It may have a version, but what a tool says of the machine has other numbers.
            let is_title = !above.is_empty() && !above.contains([':', ',']) && !is_repetition(&above);
            if follows && is_title {
                self.add(number, SET_OFF, &above);
            }
            return;
        }
        let line = text(line);
        let line = line.trim();
        self.before.clear();
        if line.len() <= LONGEST {
            self.before.push_str(line);
            if let Some((level, title)) = title_of(line) {
                self.add(number, level, title);
            }
        }
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

    /// True if there is a title of the level.
    pub(crate) fn has(&self, level: usize) -> bool {
        self.places.iter().any(|(_, path)| path[level] > 0)
    }

    /// The title of the level above a line; empty where there is none.
    pub(crate) fn above(&self, line: u64, level: usize) -> &str {
        let behind = self.places.partition_point(|(at, _)| *at <= line);
        let path = behind.checked_sub(1).map(|last| &self.places[last].1);
        let title = path.and_then(|path| self.titles.get(path[level].checked_sub(1)?));
        title.map_or("", String::as_str)
    }
}

/// The level and the text of a line that is a title.
pub(crate) fn title_of(line: &str) -> Option<(usize, &str)> {
    let hashes = line.len() - line.trim_start_matches('#').len();
    let (level, title) = if (1..=SET_OFF).contains(&hashes) && line[hashes..].starts_with(' ') {
        (hashes - 1, line)
    } else if ["==", "--", "**"].iter().any(|sign| line.starts_with(sign) && line.ends_with(sign)) {
        (SET_OFF, line)
    } else if let Some(command) = command(line) {
        return (!is_repetition(command) && !has_time_of_day(command)).then_some((COMMAND, command));
    } else {
        (LABEL, line.strip_suffix(':')?)
    };
    let title = title.trim_matches(['#', '=', '-', '*', ':', ' ']);
    may_be_title(title).then_some((level, title))
}

/// The command behind a prompt, with the prompt where that has a folder; the text of a comment.
fn command(line: &str) -> Option<&str> {
    let has_folder = |(prompt, _): &(&str, &str)| !prompt.is_empty() && !prompt.contains(' ');
    ["$ ", "> ", "% ", "// "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
        .or_else(|| line.split_once("$ ").filter(has_folder).map(|_| line))
        .or_else(|| {
            line.split_once('>').filter(|(prompt, _)| prompt.contains(":\\")).map(|(_, command)| command)
        })
}

/// True for a line of three or more dashes or equals signs.
fn is_rule(line: &[u8]) -> bool {
    line.len() >= 3 && line.iter().all(|byte| matches!(byte, b'-' | b'='))
}

/// True if a line is short and is the same from run to run.
pub(crate) fn may_be_title(line: &str) -> bool {
    // What was measured or when differs.
    let is_measured = |word: &str| {
        // A size stays.
        let is_size = word.trim_end_matches([')', ']', ',']).ends_with(['K', 'M', 'G', 'B']);
        word.trim_start_matches(['[', '(']).starts_with(|c: char| c.is_ascii_digit())
            && (word.contains(['.', ':']) || word.ends_with('s'))
            && !is_size
    };
    let is_short = !line.is_empty() && line.len() <= LONGEST;
    is_short && !line.split_whitespace().any(is_measured) && !is_repetition(line) && !has_time_of_day(line)
}

/// True if a line says which of several runs of the same follows: `Run 2 of 5`.
fn is_repetition(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    ["run", "round", "iteration", "repetition", "attempt", "trial", "sample"].contains(&first.as_str())
        && words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True if a text has a time such as `09:14:10`.
pub(crate) fn has_time_of_day(text: &str) -> bool {
    let is_time = |text: &[u8]| {
        let fits = |(at, byte): (usize, &u8)| if at % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() };
        text.iter().enumerate().all(fits)
    };
    memchr::memchr(b':', text.as_bytes()).is_some() && text.as_bytes().windows("09:14:10".len()).any(is_time)
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
            ("$ wrk -d30s http://h/", Some((COMMAND, "wrk -d30s http://h/"))),
            ("me@host:/srv/a$ wrk", Some((COMMAND, "me@host:/srv/a$ wrk"))),
            (r"C:\iperf>iperf3 -b 20M", Some((COMMAND, "iperf3 -b 20M"))),
            ("// aligned by 4", Some((COMMAND, "aligned by 4"))),
            ("8k blocks:", Some((LABEL, "8k blocks"))),
            ("##[group]Run bench", None),
            ("=== run 2 ===", None),
            ("# started at 09:14:10", None),
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
        assert_eq!((above(3, 0), above(3, 1), above(3, COMMAND)), ("A", "one", "cmd"));
        assert_eq!((above(4, 0), above(4, 1), above(4, COMMAND)), ("B", "", ""));
        assert_eq!((above(5, SET_OFF), above(9, SET_OFF)), ("", "Setext"));
    }
}
