//! Headings and commands above results. They distinguish results with equal names.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The level of titles between signs. It is below Markdown's six heading levels.
const BETWEEN_SIGNS: usize = 6;
/// The level of commands.
const COMMAND: usize = 7;

/// The maximum length of a title in bytes.
const LONGEST: usize = 200;
/// The maximum number of titles in an input.
const MOST: usize = 10_000;

/// Signs that set titles off.
const SIGNS: [char; 6] = ['#', '=', '-', '*', ':', ' '];

/// A result whose name may get titles as a prefix.
pub(crate) struct Named {
    pub name: String,
    pub line: u64,
}

/// The titles of an input.
#[derive(Default)]
pub(crate) struct Sections {
    /// The titles above the current line, outermost first, with their levels.
    open: Vec<(usize, String)>,
    /// The lines at which the open titles change, each with the titles that are open after the change.
    changes: Vec<(u64, Vec<String>)>,
}

impl Sections {
    /// Reads a line that belongs to no tool and may be a title.
    pub(crate) fn see(&mut self, number: u64, line: &str) {
        let line = line.trim();
        let may_be_title = line.starts_with(['#', '=', '-', '*', '$']);
        if may_be_title && let Some((level, title)) = title_of(line) {
            self.add(number, level, title);
        }
    }

    /// Adds a title that a tool prints, such as a suite or a file.
    pub(crate) fn add_of_tool(&mut self, number: u64, title: &str) {
        self.add(number, BETWEEN_SIGNS, title);
    }

    fn add(&mut self, number: u64, level: usize, title: &str) {
        if self.changes.len() >= MOST {
            return;
        }
        self.open.retain(|(above, _)| *above < level);
        self.open.push((level, title.to_owned()));
        let titles = self.open.iter().map(|(_, title)| title.clone());
        self.changes.push((number, titles.collect()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the titles above a line.
    fn above(&self, line: u64) -> &[String] {
        let count = self.changes.partition_point(|(at, _)| *at <= line);
        match count.checked_sub(1) {
            Some(last) => &self.changes[last].1,
            None => &[],
        }
    }

    /// Adds prefixes to results that share a name: the titles in which the results differ. `shown` removes secrets from
    /// commands.
    pub(crate) fn tell_apart(&self, results: &mut [&mut Named], shown: fn(&str) -> String) {
        // For each name, the titles of its first result, and how many of them all results share.
        let mut shared: HashMap<String, (&[String], usize), RandomState> = HashMap::default();
        for result in results.iter() {
            let titles = self.above(result.line);
            if titles.is_empty() {
                continue;
            }
            let entry = shared.entry(result.name.clone());
            let (first, count) = entry.or_insert((titles, usize::MAX));
            let equal = first.iter().zip(titles).take_while(|(a, b)| a == b).count();
            if equal < first.len().max(titles.len()) {
                *count = equal.min(*count);
            }
        }
        for result in results {
            let count = shared.get(&result.name).map_or(0, |(_, count)| *count);
            let titles = self.above(result.line).get(count..).unwrap_or_default();
            for title in titles.iter().rev() {
                result.name = format!("{}: {}", shown(title), result.name);
            }
        }
    }
}

/// Returns a title's level and text; `None` for other lines.
pub(crate) fn title_of(line: &str) -> Option<(usize, &str)> {
    let hashes = line.len() - line.trim_start_matches('#').len();
    let is_between_signs = ["==", "--", "**"]
        .iter()
        .any(|sign| line.starts_with(sign) && line.ends_with(sign));
    let (level, title) = if (1..=BETWEEN_SIGNS).contains(&hashes) && line[hashes..].starts_with(' ')
    {
        (hashes - 1, line.trim_matches(SIGNS))
    } else if is_between_signs {
        (BETWEEN_SIGNS, line.trim_matches(SIGNS))
    } else {
        (COMMAND, line.strip_prefix("$ ")?)
    };
    let is_same_each_time = !is_repetition(title) && !has_time_of_day(title);
    let is_title = !title.is_empty() && title.len() <= LONGEST && is_same_each_time;
    is_title.then_some((level, title))
}

/// Whether a line announces a repeated run: `Run 2 of 5`.
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

/// Whether `text` contains a time such as `09:14:10`.
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
            (
                "=== before: walk ===",
                Some((BETWEEN_SIGNS, "before: walk")),
            ),
            ("**Cold cache**", Some((BETWEEN_SIGNS, "Cold cache"))),
            (
                "$ wrk -d30s http://h/",
                Some((COMMAND, "wrk -d30s http://h/")),
            ),
            ("##[group]Run bench", None),
            ("=== run 2 ===", None),
            ("# started at 09:14:10", None),
            ("## 0.8.0", Some((1, "0.8.0"))),
            ("plain text", None),
        ] {
            assert_eq!(title_of(line), expected, "{line}");
        }
    }

    #[test]
    fn heading_ends_the_titles_below_it() {
        let mut sections = Sections::default();
        let lines = ["# A", "## one", "$ cmd", "# B"];
        for (number, line) in (1..).zip(lines) {
            sections.see(number, line);
        }
        assert_eq!(sections.above(3), ["A", "one", "cmd"]);
        assert_eq!(sections.above(4), ["B"]);
    }
}
