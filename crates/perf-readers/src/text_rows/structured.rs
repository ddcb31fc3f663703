//! Rows in structured logs: `{scenario:"…",platform:"…",commit:"…",runIndex:0,emitsPerSec:1.5}`. Keys may be quoted and
//! in any order, and the object may be anywhere in a line.

use std::borrow::Cow;

use crate::input::closing_quote;
use crate::rows::metric_names::Measured;
use crate::rows::values::{launch_index, measured_at, number, outcome, run_index};
use crate::rows::{Cells, Process, Rows};
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, MOST_METRICS, Value};

/// The maximum length of a key in bytes. The limit keeps the time linear for a line that consists of braces.
const LONGEST_KEY: usize = 256;

/// Reads all structured rows on a line. Returns `false` if there are none.
pub(crate) fn read(number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
    let mut found = false;
    let mut rest = line;
    while let Some(start) = object_start(rest) {
        let mut cursor = Cursor {
            text: &rest[start + 1..],
        };
        let row = Fields::read(&mut cursor, sink);
        if row.key(KeyColumn::Scenario).is_some()
            && !is_tags(&line[..line.len() - rest.len() + start])
        {
            found = true;
            if let Err(problem) = row.emit(number, sink) {
                sink.skip(number, &rest[start..], || problem);
            }
        }
        rest = cursor.text;
    }
    found
}

/// Returns the position of the next object that may be a row: a `{` that is followed by a letter or a quote.
fn object_start(text: &str) -> Option<usize> {
    let opens = |(at, _): &(usize, &str)| {
        let next = text[at + 1..].trim_start().chars().next();
        next.is_some_and(|c| c.is_alphabetic() || c == '"' || c == '\'')
    };
    text.match_indices('{').find(opens).map(|(at, _)| at)
}

/// Whether the object after this text contains the tags or labels of another tool's number, and is not a row.
fn is_tags(before: &str) -> bool {
    let key = before.trim_end().strip_suffix(':').map(str::trim_end);
    key.is_some_and(|key| key.ends_with("\"tags\"") || key.ends_with("\"labels\""))
}

#[derive(Default)]
struct Fields<'a> {
    keys: Vec<(KeyColumn, Cow<'a, str>)>,
    numbers: Vec<(&'a str, Cow<'a, str>)>,
    broken: Option<&'static str>,
}

impl<'a> Fields<'a> {
    fn read(cursor: &mut Cursor<'a>, sink: &Rows<'_>) -> Self {
        let mut fields = Self::default();
        loop {
            let Some(key) = cursor.key() else {
                let cut_off = cursor.text.len() < LONGEST_KEY && !cursor.text.contains('}');
                fields.broken = Some(if cut_off {
                    "row is cut off"
                } else {
                    "missing key"
                });
                return fields;
            };
            if let Err(why) = fields.value(key, cursor, sink) {
                fields.broken = Some(why);
                return fields;
            }
            match cursor.next() {
                Some(',') => {}
                Some('}') => return fields,
                _ => {
                    fields.broken = Some("row is cut off");
                    return fields;
                }
            }
        }
    }

    fn value(
        &mut self,
        key: &'a str,
        cursor: &mut Cursor<'a>,
        sink: &Rows<'_>,
    ) -> Result<(), &'static str> {
        let quoted = cursor.string()?;
        let is_text = quoted.is_some();
        let value = match quoted {
            Some(text) => text,
            None => Cow::Borrowed(cursor.bare()?),
        };
        let Some(column) = sink.key(key) else {
            // A string under another key is a note, unless it is a number.
            if !is_text || is_number(value.trim()) {
                self.numbers.push((key, value));
            }
            return Ok(());
        };
        let is_kept = match column {
            KeyColumn::RunIndex | KeyColumn::LaunchIndex | KeyColumn::MeasuredAt => true,
            KeyColumn::Platform | KeyColumn::Commit => is_text || is_number(&value),
            _ => is_text,
        };
        if is_kept {
            self.keys.push((column, value));
        }
        Ok(())
    }

    /// Returns a key's text. If the key occurs several times, the last one is used.
    fn key(&self, column: KeyColumn) -> Option<&str> {
        let mut keys = self.keys.iter().rev();
        keys.find(|(key, _)| *key == column)
            .map(|(_, text)| &**text)
    }

    fn emit(&self, line: u64, sink: &mut Rows<'_>) -> Result<(), String> {
        let (run_index, measured) = self.measured(sink)?;
        let text = |column| self.key(column).unwrap_or_default();
        let cells = Cells {
            platform: text(KeyColumn::Platform),
            commit: text(KeyColumn::Commit),
            run_index,
            is_numbered: self.key(KeyColumn::RunIndex).is_some(),
            process: Process::Written(launch_index(text(KeyColumn::LaunchIndex))?),
            outcome: outcome(text(KeyColumn::Outcome))?,
            machine_class: self.key(KeyColumn::MachineClass),
            methodology: self.key(KeyColumn::Methodology),
            measured_at: measured_at(text(KeyColumn::MeasuredAt))?,
            ..Cells::of(text(KeyColumn::Scenario))
        };
        sink.row(line, &cells, &measured)
    }

    fn measured(&self, sink: &mut Rows<'_>) -> Result<(i64, Measured), String> {
        if let Some(broken) = self.broken {
            return Err(broken.to_owned());
        }
        if self.numbers.len() > MOST_METRICS {
            return Err(format!("more than {MOST_METRICS} metrics"));
        }
        let run = self
            .key(KeyColumn::RunIndex)
            .map_or(Ok(AGGREGATE), run_index)?;
        let mut measured = Measured::default();
        let mut named = false;
        for (written, text) in &self.numbers {
            let Some(metric) = sink.names.metric(written)? else {
                continue;
            };
            let value = if text == "null" {
                Ok(None)
            } else {
                number(text)
            };
            let value =
                value.map_err(|text| format!("invalid number `{text}` (key `{written}`)"))?;
            named = true;
            if let Some(value) = value {
                measured.insert(&metric, value);
            }
        }
        if named || self.key(KeyColumn::Outcome).is_some() {
            Ok((run, measured))
        } else {
            Err("no metric".to_owned())
        }
    }
}

/// Whether a text is a number. Programs may write a commit that consists of digits as a JSON number.
fn is_number(text: &str) -> bool {
    Value::parse(text).is_some()
}

/// Reads an object from left to right.
struct Cursor<'a> {
    text: &'a str,
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<char> {
        self.text = self.text.trim_start();
        let c = self.text.chars().next()?;
        self.text = &self.text[c.len_utf8()..];
        Some(c)
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Option<&'a str> {
        let text = self.text.trim_start();
        let colon = memchr::memchr(b':', &text.as_bytes()[..text.len().min(LONGEST_KEY)])?;
        let key = text[..colon].trim();
        let unquoted = |quote| {
            key.strip_prefix(quote)
                .and_then(|key| key.strip_suffix(quote))
        };
        let bare = unquoted('"').or_else(|| unquoted('\'')).unwrap_or(key);
        let valid = !bare.is_empty() && !bare.contains(['"', '\'', ',', '{', '}']);
        self.text = if valid { &text[colon + 1..] } else { text };
        valid.then_some(bare)
    }

    /// Reads a quoted string with JSON escapes. Returns `None` if there is no quote here.
    fn string(&mut self) -> Result<Option<Cow<'a, str>>, &'static str> {
        let text = self.text.trim_start();
        let Some(quote) = text
            .bytes()
            .next()
            .filter(|byte| matches!(byte, b'"' | b'\''))
        else {
            return Ok(None);
        };
        let Some(end) = closing_quote(&text[1..], quote).map(|end| end + 1) else {
            self.text = "";
            return Err("row is cut off");
        };
        self.text = &text[end + 1..];
        Ok(Some(unescaped(&text[..=end])))
    }

    /// Reads anything up to the next comma or brace. Fails for an object, which may itself be a row.
    fn bare(&mut self) -> Result<&'a str, &'static str> {
        let text = self.text.trim_start();
        let end = text.find([',', '}', '{']).unwrap_or(text.len());
        self.text = &text[end..];
        if self.text.starts_with('{') {
            Err("value is an object")
        } else {
            Ok(text[..end].trim())
        }
    }
}

/// Returns the quoted strings in a line, with their quotes. Programs that log other programs' output quote it.
pub(crate) fn quoted_texts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = memchr::memchr(b'"', rest.as_bytes())? + 1;
        let end = start + closing_quote(&rest[start..], b'"')?;
        let text = &rest[start - 1..=end];
        rest = &rest[end + 1..];
        Some(text)
    })
}

/// Removes the quotes and decodes the JSON escapes.
pub(crate) fn unescaped(quoted: &str) -> Cow<'_, str> {
    let inside = Cow::Borrowed(&quoted[1..quoted.len() - 1]);
    if memchr::memchr(b'\\', quoted.as_bytes()).is_none() {
        return inside;
    }
    serde_json::from_str(quoted).map_or(inside, Cow::Owned)
}
