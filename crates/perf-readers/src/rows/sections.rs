//! The titles above results, which tell equal names of one input apart: headings, text between signs, commands, labels.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::input::text;

/// The number of levels.
const LEVELS: usize = 9;

/// The levels below the six of headings: text between signs; a command or a comment; a label with a colon.
const SET_OFF: usize = 6;
const COMMAND: usize = 7;
const LABEL: usize = 8;

/// The most bytes of a title, and the most titles of an input.
pub(crate) const LONGEST: usize = 200;
const MOST: usize = 10_000;

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
    /// The line of each title, and the number of the title of each level below it, from 1.
    places: Vec<(u64, [usize; LEVELS])>,
}

impl Sections {
    /// Takes a line that no tool reads.
    pub(crate) fn see(&mut self, number: u64, line: &[u8]) {
        let line = line.trim_ascii();
        if line.len() > LONGEST || self.places.len() >= MOST || !may_have_sign(line) {
            return;
        }
        let text = text(line);
        let Some((level, title)) = title_of(&text) else {
            return;
        };
        let mut path = self.places.last().map_or([0; LEVELS], |(_, path)| *path);
        // A heading ends all below it; commands and labels stand side by side.
        if level <= SET_OFF {
            path[level..].fill(0);
        }
        self.titles.push(title.to_owned());
        path[level] = self.titles.len();
        self.places.push((number, path));
    }

    /// True if there is nothing above results.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The title of the level above a line; empty if there is none.
    fn above(&self, line: u64, level: usize) -> &str {
        let count = self.places.partition_point(|(at, _)| *at <= line);
        let Some((_, path)) = self.places[..count].last() else {
            return "";
        };
        match path[level] {
            0 => "",
            number => &self.titles[number - 1],
        }
    }

    /// Puts titles before equal names, from the nearest to the farthest, if they tell the results apart.
    pub(crate) fn tell_apart(&self, found: &mut [&mut Named], shown: fn(&str) -> String) {
        for level in (0..LEVELS).rev() {
            let titles: Vec<&str> = found
                .iter()
                .map(|one| self.above(one.line, level))
                .collect();
            name_by(found, &titles, shown, |titles| {
                titles.len() > 1 + usize::from(titles.contains(&""))
            });
        }
    }
}

/// Puts titles before equal names, if those of a name tell its results apart.
pub(crate) fn name_by(
    found: &mut [&mut Named],
    titles: &[&str],
    shown: fn(&str) -> String,
    tell_apart: impl Fn(&[&str]) -> bool,
) {
    let mut of_names: HashMap<&str, Vec<&str>, RandomState> = HashMap::default();
    for (one, title) in found.iter().zip(titles) {
        let of_name = of_names.entry(&one.name).or_default();
        if of_name.last() != Some(title) {
            of_name.push(title);
        }
    }
    of_names.retain(|_, titles| {
        titles.sort_unstable();
        titles.dedup();
        tell_apart(titles)
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

/// Whether a line may have the sign of a title: most lines have none.
fn may_have_sign(line: &[u8]) -> bool {
    matches!(
        line,
        [b'#' | b'=' | b'-' | b'*' | b'/' | b'$' | b'>' | b'%', ..] | [.., b':']
    )
}

/// The level and the text of a line that is a title.
pub(crate) fn title_of(line: &str) -> Option<(usize, &str)> {
    // AsciiDoc has equals signs for the hashes of Markdown.
    let sign = if line.starts_with('=') && !line.ends_with('=') {
        '='
    } else {
        '#'
    };
    let signs = line.len() - line.trim_start_matches(sign).len();
    let (level, title) = if (1..=SET_OFF).contains(&signs) && line[signs..].starts_with(' ') {
        (signs - 1, line)
    } else if ["==", "--", "**"]
        .iter()
        .any(|sign| line.starts_with(sign) && line.ends_with(sign))
    {
        (SET_OFF, line)
    } else if let Some(command) = command(line) {
        let is_same_each_time = !is_repetition(command) && !has_time_of_day(command);
        return is_same_each_time.then_some((COMMAND, command));
    } else {
        (LABEL, line.strip_suffix(':')?)
    };
    let title = title.trim_matches(SIGNS);
    may_be_title(title).then_some((level, title))
}

/// The command after a prompt, or the text of a comment.
fn command(line: &str) -> Option<&str> {
    // Some tools print numbers after this sign.
    if let Some(command) = line.strip_prefix("> ") {
        return may_be_title(command).then_some(command);
    }
    ["$ ", "% ", "// "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
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
        let lines = ["# A", "## one", "$ cmd", "# B"];
        for (number, line) in (1..).zip(lines) {
            sections.see(number, line.as_bytes());
        }
        let above = |line, level| sections.above(line, level);
        assert_eq!(
            (above(3, 0), above(3, 1), above(3, COMMAND)),
            ("A", "one", "cmd")
        );
        assert_eq!((above(4, 0), above(4, 1), above(4, COMMAND)), ("B", "", ""));
    }
}
