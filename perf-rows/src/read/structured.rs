//! Rows as structured-log lines: `{scenario:"…",platform:"…",commit:"…",runIndex:0,emitsPerSec:1.5}`, with
//! keys quoted or not, in any order, anywhere in a line.

use super::delimited::number;
use super::sink::{Cells, Sink};
use crate::row::{AGGREGATE, MOST_METRICS, Metrics};

/// Reads every structured row of a line; `false` when the line has none.
pub(super) fn read(number: u64, line: &[u8], sink: &mut Sink<'_>) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut found = false;
    let mut rest = &*text;
    while let Some(start) = object_start(rest) {
        let mut cursor = Cursor { text: &rest[start + 1..] };
        let row = Fields::read(&mut cursor);
        if row.scenario.is_some() {
            found = true;
            row.emit(number, &rest[start..], sink);
        }
        rest = cursor.text;
    }
    found
}

/// Where the next object opens whose first key could be a row's: `{` and a letter or a quote.
fn object_start(text: &str) -> Option<usize> {
    let opens = |(at, _): &(usize, &str)| {
        let next = text[at + 1..].trim_start().chars().next();
        next.is_some_and(|c| c.is_alphabetic() || c == '"' || c == '\'')
    };
    text.match_indices('{').find(opens).map(|(at, _)| at)
}

#[derive(Default)]
struct Fields<'a> {
    scenario: Option<String>,
    platform: String,
    commit: String,
    machine_class: Option<String>,
    run: Option<&'a str>,
    numbers: Vec<(&'a str, &'a str)>,
    /// Why the object ended early.
    broken: Option<&'static str>,
}

impl<'a> Fields<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Self {
        let mut fields = Self::default();
        loop {
            let Some(key) = cursor.key() else {
                fields.broken = Some("a key is missing");
                return fields;
            };
            if let Err(why) = fields.value(key, cursor) {
                fields.broken = Some(why);
                return fields;
            }
            match cursor.next() {
                Some(',') => {}
                Some('}') => return fields,
                _ => {
                    fields.broken = Some("the row is cut off");
                    return fields;
                }
            }
        }
    }

    fn value(&mut self, key: &'a str, cursor: &mut Cursor<'a>) -> Result<(), &'static str> {
        let Some(text) = cursor.string()? else {
            let bare = cursor.bare();
            match key {
                "runIndex" => self.run = Some(bare),
                "scenario" | "platform" | "commit" | "machineClass" => {}
                _ => self.numbers.push((key, bare)),
            }
            return Ok(());
        };
        match key {
            "scenario" => self.scenario = Some(text),
            "platform" => self.platform = text,
            "commit" => self.commit = text,
            "machineClass" => self.machine_class = Some(text),
            _ => {} // a note: metrics are not quoted
        }
        Ok(())
    }

    fn emit(&self, line: u64, text: &str, sink: &mut Sink<'_>) {
        let metrics = match self.metrics(sink) {
            Ok(metrics) => metrics,
            Err(reason) => return sink.skip(line, text.as_bytes(), || reason),
        };
        let cells = Cells {
            scenario: self.scenario.as_deref().unwrap_or_default(),
            platform: &self.platform,
            commit: &self.commit,
            run_index: self.run.and_then(|run| run.parse().ok()).unwrap_or(AGGREGATE),
            machine_class: self.machine_class.as_deref(),
        };
        sink.row(line, &cells, metrics);
    }

    fn metrics(&self, sink: &mut Sink<'_>) -> Result<Metrics, String> {
        if let Some(broken) = self.broken {
            return Err(broken.to_owned());
        }
        if self.numbers.len() > MOST_METRICS {
            return Err(format!("the row has more than {MOST_METRICS} metrics"));
        }
        if let Some(run) = self.run.filter(|run| run.parse::<i64>().is_err()) {
            return Err(format!("`{run}` is not a run index"));
        }
        if self.scenario.as_ref().is_some_and(|scenario| scenario.contains(char::REPLACEMENT_CHARACTER)) {
            return Err("the row is not UTF-8".to_owned());
        }
        let mut metrics = Metrics::default();
        for (name, text) in &self.numbers {
            let value = if *text == "null" { Ok(None) } else { number(text) };
            let value = value.map_err(|text| format!("`{text}` is not a number (key `{name}`)"))?;
            if let Some(value) = value {
                metrics.insert(sink.metric(name), value);
            }
        }
        if metrics.is_empty() { Err("no metric was measured".to_owned()) } else { Ok(metrics) }
    }
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

    /// A key and its colon.
    fn key(&mut self) -> Option<&'a str> {
        let text = self.text.trim_start();
        let (key, rest) = text.split_once(':')?;
        let key = key.trim();
        let bare = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
        let valid = !bare.is_empty() && !bare.contains(['"', ',', '{', '}']);
        self.text = if valid { rest } else { text };
        valid.then_some(bare)
    }

    /// A quoted text, with JSON's escapes; `None` when something else stands here.
    fn string(&mut self) -> Result<Option<String>, &'static str> {
        let text = self.text.trim_start();
        if !text.starts_with('"') {
            return Ok(None);
        }
        let mut escaped = false;
        let closing = text.char_indices().skip(1).find(|(_, c)| {
            let closes = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            closes
        });
        let Some((end, _)) = closing else {
            self.text = "";
            return Err("the row is cut off");
        };
        self.text = &text[end + 1..];
        let plain = || text[1..end].to_owned();
        Ok(Some(serde_json::from_str(&text[..=end]).unwrap_or_else(|_| plain())))
    }

    /// Anything up to the next comma or brace.
    fn bare(&mut self) -> &'a str {
        let text = self.text.trim_start();
        let end = text.find([',', '}']).unwrap_or(text.len());
        self.text = &text[end..];
        text[..end].trim()
    }
}
