//! Reads a log line as a row below one header.

use std::borrow::Cow;

use crate::input::fields::unquoted;
use crate::rows::values::{log_run_index, number};
use crate::rows::{Cells, header::Header, metric_names::Measured};
use crate::text_rows::prefix::{self, is_name};
use perf_config::Config;
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, Value};

/// The minimum number of characters in a commit's hash.
const SHORTEST_COMMIT: usize = 7;

/// A header in the log, or a layout that replaces a header.
pub(super) struct LogHeader {
    pub columns: Header,
    /// Whether other text may precede the rows on their lines.
    pub prefixed: bool,
    /// True for a layout, false for a header.
    pub agreed: bool,
}

/// A line read according to one header.
pub(super) enum Reading<'a> {
    Row(Cells<'a>, Measured),
    /// A row with a mistake.
    Malformed(String),
    Nothing,
}

/// How well a field matches its column.
enum Likeness {
    Sure,
    Doubtful(String),
    No,
}

/// A line's last fields, one per header column.
pub(super) struct LogRow<'a> {
    header: &'a LogHeader,
    /// The field before the row, if there is one.
    before: Option<&'a str>,
    /// The fields as written. The first one includes the text before the row.
    raw: &'a [&'a str],
    fields: Vec<Cow<'a, str>>,
}

impl<'a> LogRow<'a> {
    /// Creates the row if the line contains enough fields.
    pub(super) fn of(
        header: &'a LogHeader,
        fields: &'a [&'a str],
        config: &Config,
    ) -> Option<Self> {
        let start = fields.len().checked_sub(header.columns.width())?;
        let raw = &fields[start..];
        let raw_first = *raw.first()?;
        // Any text may precede a quoted name.
        let first = match unquoted(raw_first) {
            Cow::Borrowed(_) if header.columns.place(KeyColumn::Scenario) == Some(0) => {
                Cow::Borrowed(prefix::scenario(raw_first, config))
            }
            Cow::Borrowed(_) if header.prefixed => Cow::Borrowed(prefix::last_word(raw_first)),
            first => first,
        };
        let mut row = vec![first];
        row.extend(raw[1..].iter().map(|field| unquoted(field)));
        Some(Self {
            header,
            before: start.checked_sub(1).map(|before| fields[before]),
            raw,
            fields: row,
        })
    }

    /// Reads the line as a row below its header.
    pub(super) fn read(&self, config: &Config) -> Reading<'_> {
        let [scenario, platform, commit] =
            [KeyColumn::Scenario, KeyColumn::Platform, KeyColumn::Commit].map(|key| self.text(key));
        let mut doubts = Vec::new();
        for likeness in [
            self.scenario_likeness(scenario),
            platform_likeness(platform, commit),
            commit_likeness(commit, !self.header.agreed),
        ] {
            match likeness {
                Likeness::Sure => {}
                Likeness::Doubtful(why) => doubts.push(why),
                Likeness::No => return Reading::Nothing,
            }
        }
        match (self.strictly(), doubts.pop()) {
            (Ok(_), Some(why)) if doubts.is_empty() => Reading::Malformed(why),
            (Ok(_), None) if self.has_quote() => Reading::Malformed(HALF_QUOTE.to_owned()),
            (Ok(_), None) if self.is_crowded() && !prefix::is_listed(scenario, config) => {
                let before = self.before.unwrap_or_default();
                Reading::Malformed(format!(
                    "`{before}` precedes the row: quote names with a comma"
                ))
            }
            (Ok((cells, measured)), None) => Reading::Row(cells, measured),
            (Err(problem), None) if self.is_near() => Reading::Malformed(problem),
            (_, Some(_)) | (Err(_), None) => Reading::Nothing,
        }
    }

    fn scenario_likeness(&self, scenario: &str) -> Likeness {
        if has_letter(scenario) {
            Likeness::Sure
        } else if has_letter(self.raw[0]) {
            Likeness::Doubtful(format!("scenario `{scenario}`: quote names with a space"))
        } else {
            Likeness::No
        }
    }

    fn strictly(&self) -> Result<(Cells<'_>, Measured), String> {
        let is_indented = |key| self.text(key).starts_with(char::is_whitespace);
        if is_indented(KeyColumn::Platform) && !is_indented(KeyColumn::Commit) {
            return Err("field begins with a space: quote names with a comma".to_owned());
        }
        log_run_index(self.text(KeyColumn::RunIndex))?;
        self.header.columns.read(self.texts())
    }

    fn text(&self, key: KeyColumn) -> &str {
        let place = self.header.columns.place(key);
        place.map_or("", |at| &self.fields[at])
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| &**field)
    }

    /// Whether the line looks like a row: most of the fields that should be numbers are numbers.
    fn is_near(&self) -> bool {
        let (good, columns) = self.header.columns.numbers(self.texts());
        let has_run = log_run_index(self.text(KeyColumn::RunIndex)).is_ok();
        // Lines below a header are not prose.
        let is_announced = good > 0 && !self.header.agreed;
        is_announced || (good * 2 > columns && (has_run || good == columns - 1))
    }

    /// Whether the row, or the text right before it, contains a quote that does not enclose its field.
    fn has_quote(&self) -> bool {
        let is_inside = |field: &&str| {
            let field = field.trim();
            field.contains('"') && !field.starts_with('"')
        };
        let before = self.before.unwrap_or_default();
        let is_open_before = has_half_quote(before) && !before.ends_with(char::is_whitespace);
        is_open_before
            || self.raw[1..].iter().any(is_inside)
            || self.texts().skip(1).any(has_half_quote)
    }

    /// Whether a name directly precedes the row, and may be the start of its scenario.
    fn is_crowded(&self) -> bool {
        let before = self.before.unwrap_or_default();
        let has_prefix = self.fields[0].len() < self.raw[0].len();
        !has_prefix && !before.ends_with(char::is_whitespace) && is_name(prefix::last_word(before))
    }
}

/// Returns the reason if a line looks like a row with a wrong number of columns.
pub(super) fn misfit(fields: &[&str], headers: &[LogHeader]) -> Option<String> {
    let fields: Vec<Cow<'_, str>> = fields.iter().map(|field| unquoted(field)).collect();
    let is_number = |field: &Cow<'_, str>| number(field).is_ok();
    let numbers = fields[..fields.len() - 1].iter().rev();
    let numbers = numbers.take_while(|field| is_number(field)).count();
    let first_number = fields.len() - 1 - numbers;
    let commit = (2..fields.len() - 1).find(|at| {
        let [scenario, platform, commit, run] = &fields[at - 2..=at + 1] else {
            return false;
        };
        *at + 2 >= first_number
            && log_run_index(run).is_ok()
            && matches!(platform_likeness(platform, commit), Likeness::Sure)
            && matches!(commit_likeness(commit, false), Likeness::Sure)
            && is_name(prefix::last_word(scenario))
    })?;
    let found = fields.len() - commit + 2;
    let widths = || headers.iter().map(|header| header.columns.width());
    let narrowest = widths().min()?;
    if found < narrowest {
        let is_row =
            is_hash(&fields[commit]) || log_run_index(&fields[commit + 1]) == Ok(AGGREGATE);
        return is_row.then(|| format!("row ends after {found} of {narrowest} columns"));
    }
    let fits = widths().any(|width| width == found);
    let metrics = found - KeyColumn::LAYOUT.len();
    (!fits && is_number(fields.last()?))
        .then(|| format!("{found} columns, but no layout has {metrics} metrics"))
}

/// The reason why a row with a quote in the middle of a field has too many columns.
pub(crate) const HALF_QUOTE: &str =
    "a quote in the middle of a field: quote the whole field, and double the quotes inside";

/// Whether a field contains only one of two quotes, because the comma between them split it.
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

/// Rates how well a field matches a commit. A space after the comma suggests prose, and a number suggests a table. If a
/// header announced the row, a number is doubtful rather than ruled out.
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
