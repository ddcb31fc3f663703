//! A line of a log, seen as a row of one header.

use std::borrow::Cow;

use crate::rows::values::{log_run_index, number};
use crate::rows::{Cells, metric_names::Measured};
use crate::text_rows::log_header::LogHeader;
use crate::text_rows::prefix::{self, is_name};
use perf_config::Config;
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, Value};

/// A commit that is a number has at least as many digits.
const SHORTEST_COMMIT: usize = 7;

/// The reading of a line according to one header.
pub(crate) enum Reading<'a> {
    Row(Cells<'a>, Measured),
    /// A row with a mistake.
    Malformed(String),
    /// A row with an invalid key, which may be something else.
    Doubtful(String),
    Nothing,
}

/// The degree to which a text is what its column should hold.
enum Likeness {
    Sure,
    Doubtful(String),
    No,
}

/// A line's last fields, as many as a header has columns.
pub(crate) struct LogRow<'a> {
    header: &'a LogHeader,
    before: Option<&'a str>,
    fields: &'a [Cow<'a, str>],
    /// The first field without what stands before the row.
    first: &'a str,
    /// True if another field has text before a quote.
    has_inner_quote: bool,
}

fn is_level(word: &str) -> bool {
    const LEVELS: [&str; 9] = [
        "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical",
    ];
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

impl<'a> LogRow<'a> {
    /// The row, when the line has as many fields. `cells` are those of a line with quotes, which are only taken away
    /// where they enclose a whole field.
    pub(crate) fn of(
        header: &'a LogHeader,
        fields: &'a [Cow<'a, str>],
        cells: &[Cow<'_, str>],
        config: &Config,
    ) -> Option<Self> {
        let start = fields.len().checked_sub(header.columns.width())?;
        let both = fields.iter().zip(cells).skip(start + 1);
        let is_inner = |(field, cell): (&Cow<'_, str>, &Cow<'_, str>)| {
            matches!((field, cell), (Cow::Owned(_), Cow::Borrowed(_)))
        };
        // Anything may precede a quoted name; a word before quotes around a comma may be a part of it.
        let is_word_before = |(field, cell): (&Cow<'_, str>, &Cow<'_, str>)| match (field, cell) {
            (Cow::Owned(quoted), Cow::Borrowed(whole)) if quoted.contains(',') => {
                let before = whole.split('"').next().unwrap_or_default();
                let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
                before.ends_with(' ') && word.ends_with(char::is_alphanumeric) && !is_level(word)
            }
            _ => false,
        };
        let first = fields.get(start).zip(cells.get(start));
        let has_inner_quote = both.into_iter().any(is_inner) || first.is_some_and(is_word_before);
        let (before, fields) = fields.split_at(start);
        let first = match fields.first()? {
            Cow::Owned(quoted) => quoted.as_str(),
            Cow::Borrowed(bare) if header.begins_with_scenario() => prefix::scenario(bare, config),
            Cow::Borrowed(bare) if header.prefixed => prefix::last_word(bare),
            Cow::Borrowed(bare) => bare,
        };
        let before = before.last().map(|field| &**field);
        Some(Self {
            header,
            before,
            fields,
            first,
            has_inner_quote,
        })
    }

    /// Reads the line as a row of its header. It is `lossy` when some of its bytes are no text.
    pub(crate) fn read(&self, config: &Config, lossy: bool) -> Reading<'a> {
        let [scenario, platform, commit] =
            [KeyColumn::Scenario, KeyColumn::Platform, KeyColumn::Commit].map(|key| self.text(key));
        let likeness = [
            self.scenario_likeness(scenario),
            platform_likeness(platform, commit),
            commit_likeness(commit, !self.header.agreed),
        ];
        let mut doubts = Vec::new();
        for likeness in likeness {
            match likeness {
                Likeness::Sure => {}
                Likeness::Doubtful(why) => doubts.push(why),
                Likeness::No => return Reading::Nothing,
            }
        }
        match doubts.pop() {
            None => {}
            Some(why) if doubts.is_empty() && self.strictly(lossy).is_ok() => {
                return Reading::Doubtful(why);
            }
            Some(_) => return Reading::Nothing,
        }
        match self.strictly(lossy) {
            Ok(_) if self.has_inner_quote || self.has_half_quote(platform, commit) => {
                Reading::Malformed(HALF_QUOTE.to_owned())
            }
            Ok(_) if self.is_crowded() && !prefix::is_listed(scenario, config) => {
                let before = self.before.unwrap_or_default();
                Reading::Malformed(format!(
                    "`{before}` precedes the row: quote names that contain a comma"
                ))
            }
            Ok((cells, measured)) => Reading::Row(cells, measured),
            Err(problem) if self.is_near() => Reading::Malformed(problem),
            Err(_) => Reading::Nothing,
        }
    }

    fn scenario_likeness(&self, scenario: &str) -> Likeness {
        if has_letter(scenario) {
            Likeness::Sure
        } else if has_letter(&self.fields[0]) {
            Likeness::Doubtful(format!(
                "scenario would be `{scenario}`: quote names that contain a space"
            ))
        } else {
            Likeness::No
        }
    }

    fn text(&self, key: KeyColumn) -> &'a str {
        match self.header.columns.place(key) {
            Some(0) => self.first,
            Some(at) => &self.fields[at],
            None => "",
        }
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.first).chain(self.fields[1..].iter().map(|field| &**field))
    }

    fn strictly(&self, lossy: bool) -> Result<(Cells<'a>, Measured), String> {
        let blank = |key| self.text(key).starts_with(char::is_whitespace);
        if blank(KeyColumn::Platform) && !blank(KeyColumn::Commit) {
            return Err("field begins with a space: quote names that contain a comma".to_owned());
        }
        log_run_index(self.text(KeyColumn::RunIndex))?;
        let (cells, measured) = self.header.columns.read(self.texts())?;
        if lossy && cells.are_broken() {
            Err("invalid UTF-8".to_owned())
        } else {
            Ok((cells, measured))
        }
    }

    /// True if the line has the shape of a row: most of what should be numbers are.
    fn is_near(&self) -> bool {
        let (good, columns) = self.header.columns.numbers(self.texts());
        let run = log_run_index(self.text(KeyColumn::RunIndex)).is_ok();
        // What a header has announced is no prose.
        let announced = good > 0 && !self.header.agreed;
        announced || (good * 2 > columns && (run || good == columns - 1))
    }

    /// True if a quote that nothing closes opens in a key, or right before the row.
    fn has_half_quote(&self, platform: &str, commit: &str) -> bool {
        let before = self
            .before
            .filter(|before| before.matches('"').count() % 2 == 1);
        let is_name = |before: &str| {
            before
                .rsplit('"')
                .next()
                .is_some_and(|name| !name.contains(char::is_whitespace))
        };
        [platform, commit].into_iter().any(has_half_quote) || before.is_some_and(is_name)
    }

    /// True if a name stands directly before the row, which may be the beginning of its scenario.
    fn is_crowded(&self) -> bool {
        let before = self
            .before
            .filter(|before| !before.ends_with(char::is_whitespace));
        let whole = self.first.len() == self.fields[0].len();
        whole && before.is_some_and(|before| is_name(prefix::last_word(before)))
    }
}

/// The reason for a row with a wrong number of columns.
pub(crate) fn misfit(fields: &[Cow<'_, str>], headers: &[LogHeader]) -> Option<String> {
    let is_number = |field: &Cow<'_, str>| number(field).is_ok();
    let numbers = fields[..fields.len() - 1]
        .iter()
        .rev()
        .take_while(|field| is_number(field))
        .count();
    let first_number = fields.len() - 1 - numbers;
    let at = (2..fields.len() - 1).find(|at| {
        let [scenario, platform, commit, run] = &fields[at - 2..=at + 1] else {
            return false;
        };
        *at + 2 >= first_number
            && log_run_index(run).is_ok()
            && matches!(platform_likeness(platform, commit), Likeness::Sure)
            && matches!(commit_likeness(commit, false), Likeness::Sure)
            && is_name(prefix::last_word(scenario))
    })?;
    let found = fields.len() - at + 2;
    let widths = || headers.iter().map(|header| header.columns.width());
    let narrowest = widths().min()?;
    let ends_early = is_hash(&fields[at]) || log_run_index(&fields[at + 1]) == Ok(AGGREGATE);
    if found < narrowest {
        return ends_early.then(|| format!("row ends after {found} of {narrowest} columns"));
    }
    let fits = widths().any(|width| width == found);
    let metrics = found - KeyColumn::LAYOUT.len();
    (!fits && is_number(fields.last()?))
        .then(|| format!("{found} columns, but no layout has {metrics} metrics"))
}

/// The reason why a row with a quote in the middle of a field has too many columns.
pub(crate) const HALF_QUOTE: &str =
    "a quote in the middle of a field: quote the whole field, and double the quotes inside";

/// True if a field has one of two quotes: the comma between them has cut it.
pub(crate) fn has_half_quote(field: &str) -> bool {
    field.matches('"').count() % 2 == 1
}

fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn is_hash(text: &str) -> bool {
    let text = text.trim();
    (SHORTEST_COMMIT..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn platform_likeness(platform: &str, commit: &str) -> Likeness {
    let name = platform.trim();
    if is_hash(name) {
        Likeness::No // a commit, so the row begins further to the left
    } else if has_letter(name) {
        Likeness::Sure
    } else if Value::parse(name).is_some() || commit.trim().is_empty() {
        Likeness::No // a table
    } else if name.is_empty() {
        Likeness::Doubtful("empty platform".to_owned())
    } else {
        Likeness::Doubtful(format!("invalid platform `{name}`"))
    }
}

/// Prose has spaces behind its commas, and tables have numbers, unless a header has announced the row.
fn commit_likeness(commit: &str, announced: bool) -> Likeness {
    let name = commit.trim();
    let doubtful = || Likeness::Doubtful(format!("invalid commit `{name}`"));
    match name.split_once(char::is_whitespace) {
        Some((hash, _)) if is_hash(hash) => doubtful(),
        Some(_) => Likeness::No,
        None if name.len() < commit.len() && !is_hash(name) => Likeness::No,
        None if name.len() >= SHORTEST_COMMIT => Likeness::Sure,
        None => match Value::parse(name) {
            None => Likeness::Sure,
            Some(Value::Int(number)) if announced || number >= 1000 => doubtful(),
            Some(_) => Likeness::No,
        },
    }
}
