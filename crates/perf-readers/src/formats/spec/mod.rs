//! Formats that `specs.toml` or a project's config describes, so that they need no code.
//!
//! A result is a JSON value, a table record or a line. Its *fields* make up the benchmark's name and metrics.

mod fields;
mod lines;
mod metrics;
mod name;

use std::sync::OnceLock;

use self::fields::{Fields, star};
use self::lines::{Lines, Pattern, without_mark};
pub(crate) use self::metrics::suffix;

use crate::formats::common::prelude::*;
use crate::formats::common::text_table::Finder;
use perf_config::{FormatSpec, MetricSource, Repeated};

/// A described format, with everything that is computed only once.
#[derive(Debug)]
pub(crate) struct Spec {
    entry: &'static FormatSpec,
    names: name::Names,
    has_samples: bool,
    /// Whether a project's config describes the format. Its table may then be surrounded by other text, because the
    /// description only has to fit that project's output.
    is_of_config: bool,
    /// Sets of JSON keys; each set identifies the format.
    keys: Vec<Vec<&'static str>>,
    /// The keys that each result in the JSON must contain.
    required: &'static [&'static str],
    /// The expressions for results, and for lines above them.
    patterns: OnceLock<[Vec<Pattern>; 2]>,
}

/// Creates the formats that a TOML file describes. They are never freed.
pub(crate) fn shipped(text: &str) -> Vec<Format> {
    #[derive(serde::Deserialize)]
    struct File {
        formats: Vec<FormatSpec>,
    }
    let file: Result<File, _> = toml::from_str(text);
    file.map_or_else(
        |_| Vec::new(),
        |file| {
            file.formats
                .into_iter()
                .map(|entry| described(entry, false))
                .collect()
        },
    )
}

/// Creates the format that an entry of a config describes.
pub(crate) fn format(entry: FormatSpec) -> Format {
    described(entry, true)
}

fn described(entry: FormatSpec, is_of_config: bool) -> Format {
    let entry: &'static FormatSpec = Box::leak(Box::new(entry));
    let keys: Vec<Vec<&'static str>> = match &*entry.keys {
        [] => vec![paths(entry).filter_map(last_key).collect()],
        sets => sets
            .iter()
            .map(|set| set.iter().map(String::as_str).collect())
            .collect(),
    };
    let [mut contains, required] = [&entry.contains, &entry.requires]
        .map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
    if entry.json.is_some() {
        let in_all = |key: &&&str| keys.iter().all(|set| set.contains(key));
        contains.extend(keys[0].iter().filter(in_all));
    }
    let has_samples = entry
        .metrics
        .values()
        .any(|input| input.table().samples.is_some());
    let spec = Box::leak(Box::new(Spec {
        entry,
        names: name::Names::of(&entry.benchmark, &entry.name),
        has_samples,
        is_of_config,
        keys,
        required: required.leak(),
        patterns: OnceLock::new(),
    }));
    let samples = match entry.samples {
        Repeated::Launches => Samples::Launches,
        Repeated::Iterations => Samples::Iterations,
    };
    let format = Format::named(&entry.name)
        .about(&entry.about)
        .samples(samples);
    format
        .contains(contains.leak())
        .read_as(Kind::Described(spec))
}

/// Returns the paths that a description contains for JSON.
fn paths(entry: &FormatSpec) -> impl Iterator<Item = &str> {
    let metrics = entry.metrics.values().filter_map(|input| match input {
        MetricSource::Field(value) => Some(value),
        MetricSource::Table(table) => table
            .value
            .as_ref()
            .or(table.samples.as_ref())
            .or(table.sum.as_ref()),
    });
    let defaults = entry.metrics.is_empty().then_some("value");
    entry
        .json
        .as_deref()
        .into_iter()
        .chain(entry.each.as_deref())
        .chain(metrics.map(String::as_str))
        .chain(defaults)
}

/// Returns the last part of a path that is a key rather than a wildcard.
fn last_key(path: &str) -> Option<&str> {
    path.rsplit('/')
        .find(|key| !key.contains(['*', '[', '.']) && !key.is_empty())
}

impl Spec {
    pub(crate) fn has_lines(&self) -> bool {
        !self.entry.beginnings().is_empty()
    }

    pub(crate) fn line_reader(&'static self) -> Box<dyn LineReader> {
        Box::new(Lines::new(self))
    }

    pub(crate) fn likeness(&self, head: &str) -> Likeness {
        let FormatSpec {
            columns,
            json,
            block,
            ..
        } = self.entry;
        if json.is_some() {
            let has_all = |keys: &Vec<&str>| json::has_keys(head, self.bracket(), keys);
            return self.keys.iter().any(has_all).into();
        }
        if !self.has_lines() {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            let is_csv = csv_records::delimiter(head, &columns).is_some();
            return (is_csv || (self.is_of_config && Finder::of(&columns).has_header(head))).into();
        }
        let all = head.lines().map(str::trim_end);
        let mut all = all.map(|line| {
            if block.is_some() {
                without_mark(line)
            } else {
                line
            }
        });
        let [results, ..] = self.patterns();
        let begins = &results[..results.len().min(self.entry.beginnings().len())];
        all.any(|line| begins.iter().any(|begins| begins.is_match(line)))
            .into()
    }

    pub(crate) fn read(&self, input: &Input<'_>, sink: &mut Rows<'_>) {
        let Some(path) = &self.entry.json else {
            let columns: Vec<&str> = self.entry.columns.iter().map(String::as_str).collect();
            let is_drawn = input.head().trim_start().starts_with('|');
            if is_drawn || csv_records::delimiter(input.head(), &columns).is_none() {
                return self.read_text(&columns, input, sink);
            }
            return csv_records::records(input, sink, &columns, |record, sink| {
                let cells = record
                    .iter()
                    .map(|(column, cell)| (Cow::Borrowed(column), Json::Text(cell)));
                let record_json = Json::Object(cells.collect());
                self.row(&Fields::of(&record_json), record.line, sink);
            });
        };
        let keys = path.split('/').filter(|key| !["", "."].contains(key));
        let keys: Vec<&str> = keys
            .map(|key| if key == "[]" { "*" } else { key })
            .collect();
        json::pieces(input, sink, &[&keys], |piece, sink| {
            self.piece(piece, &keys, sink);
        });
    }
}

impl Spec {
    fn patterns(&self) -> &[Vec<Pattern>; 2] {
        self.patterns.get_or_init(|| {
            let FormatSpec {
                lines,
                alternatives,
                above,
                ..
            } = self.entry;
            let results = if alternatives.is_empty() {
                lines
            } else {
                alternatives
            };
            [results, above].map(|lines| lines.iter().filter_map(Pattern::of).collect())
        })
    }

    /// Reads the text tables in an input.
    fn read_text(&self, columns: &[&str], input: &Input<'_>, sink: &mut Rows<'_>) {
        let (mut finder, mut tables) = (Finder::of(columns), Tables::default());
        each_line(input, sink, |number, line, sink| {
            let Some(row) = finder.line(line) else {
                return sink.sections.see(number, line);
            };
            if row.begins {
                tables.begin(number);
            }
            let cells = finder.header().iter().zip(&row.cells);
            let cells = cells.map(|(column, cell)| {
                (Cow::Borrowed(&**column), Json::Text(Cow::Borrowed(&**cell)))
            });
            let cells = Json::Object(cells.collect());
            let fields = Fields::of(&cells);
            let (outcome, metrics) = self.measured(&fields, sink);
            tables.add(number, &self.names.name(&fields, sink), outcome, metrics);
        });
        tables.give(sink);
    }

    /// Returns the brackets that can open a document.
    fn bracket(&self) -> &'static str {
        match self
            .entry
            .json
            .as_deref()
            .and_then(|path| path.split('/').next())
        {
            Some("[]") => "[",
            Some("" | ".") => "[{",
            _ => "{",
        }
    }

    fn piece(&self, piece: &Piece<'_>, keys: &[&str], sink: &mut Rows<'_>) {
        let value = if self.required.is_empty() {
            piece.parse::<Json<'_>>(sink)
        } else {
            piece.object(Shape::of("a result", self.required), sink)
        };
        let Some(value) = value else { return };
        if self.entry.without.iter().any(|key| value.has(key)) {
            return;
        }
        let is_any = |(key, _): &(&&str, &String)| **key == "*";
        let above: Vec<&str> = keys
            .iter()
            .zip(piece.path)
            .filter(is_any)
            .map(|(_, name)| name.as_str())
            .collect();
        let fields = Fields {
            above,
            ..Fields::of(&value)
        };
        match &self.entry.each {
            None => self.row(&fields, piece.line, sink),
            Some(each) => value.list(each).iter().for_each(|result| {
                let fields = Fields {
                    result,
                    outer: Some(&value),
                    above: fields.above.clone(),
                };
                self.row(&fields, piece.line, sink);
            }),
        }
    }

    /// Emits a row for each sample, and returns how many there are.
    fn samples(
        &self,
        fields: &Fields<'_>,
        line: u64,
        cells: &Cells<'_>,
        sink: &mut Rows<'_>,
    ) -> usize {
        let samples = metrics::samples(self.entry, fields);
        let count = samples
            .iter()
            .map(|(_, values)| values.len())
            .max()
            .unwrap_or_default();
        for (run, run_index) in (0..count).zip(0..) {
            let values = samples
                .iter()
                .map(|(name, values)| (name.as_str(), values.get(run).copied().flatten()));
            sink.measured(
                line,
                &Cells {
                    run_index,
                    ..*cells
                },
                values,
            );
        }
        count
    }

    /// Returns the metric whose value is this part of a line.
    fn metric_of(&self, part: &str) -> Option<String> {
        self.entry.metrics.iter().find_map(|(metric, input)| {
            let field = input.table().value.clone()?;
            (field == part)
                .then(|| metric.clone())
                .or_else(|| Some(metric.replace('*', star(&field, part)?)))
        })
    }

    /// Returns a result's outcome, and its metrics except samples.
    fn measured(&self, fields: &Fields<'_>, sink: &mut Rows<'_>) -> (Outcome, Metrics) {
        let is = |set: &'static IndexMap<String, String>| {
            set.iter()
                .all(|(field, value)| fields.has(&name::Template::of(field).fill(fields), value))
        };
        let has_failed = self.entry.failed.iter().any(is);
        let metrics = metrics::of(self.entry, fields, sink);
        (
            if has_failed {
                Outcome::Failed
            } else {
                Outcome::Measured
            },
            metrics,
        )
    }

    /// Emits a result's rows.
    fn row(&self, fields: &Fields<'_>, line: u64, sink: &mut Rows<'_>) {
        let name = self.names.name(fields, sink);
        let (outcome, metrics) = self.measured(fields, sink);
        let cells = Cells {
            outcome,
            ..Cells::of(&name)
        };
        let count = if self.has_samples {
            self.samples(fields, line, &cells, sink)
        } else {
            0
        };
        if count == 0 || !metrics.is_empty() {
            sink.measured(line, &cells, &metrics);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_formats_are_valid() {
        #[derive(serde::Deserialize)]
        struct File {
            formats: Vec<FormatSpec>,
        }
        let file: File = toml::from_str(include_str!("../specs.toml")).unwrap();
        for entry in &file.formats {
            assert_eq!(entry.check(), Ok(()), "{}", entry.name);
            assert!(!entry.about.is_empty(), "{}", entry.name);
        }
        assert_eq!(
            shipped(include_str!("../specs.toml")).len(),
            file.formats.len()
        );
    }
}
