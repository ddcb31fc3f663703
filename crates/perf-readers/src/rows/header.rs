//! A row's columns, which a header or a layout from the config defines.
//!
//! A *key column* holds the scenario, platform, commit and so on; every other column is a metric, unless it is ignored.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::rows::metric_names::Measured;
use crate::rows::values::{launch_index, log_run_index, measured_at, number, outcome, run_index};
use crate::rows::{cells::Cells, collect::Rows, launches::Process};
use perf_model::key_column::KeyColumn;
use perf_model::row::{MOST_METRICS, Name};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Column {
    Key(KeyColumn),
    Metric(Name),
    Ignored,
}

/// A row's columns, from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    columns: Vec<Column>,
}

impl Header {
    /// Creates a header with these column names. Unusable columns are reported and ignored.
    pub(crate) fn new(line: u64, names: &[Cow<'_, str>], sink: &mut Rows<'_>) -> Self {
        let (mut seen, mut beyond) = (HashSet::new(), 0);
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let column = match sink.key(name) {
                Some(key) => Ok(Column::Key(key)),
                None if sink.names.is_beyond(name) => {
                    beyond += 1;
                    Ok(Column::Ignored)
                }
                None => sink.names.metric(name).map(|metric| match metric {
                    Some(metric) => Column::Metric(metric),
                    None => Column::Ignored,
                }),
            };
            let column = column.and_then(|column| match column {
                Column::Ignored => Ok(column),
                column if seen.insert(column.clone()) => Ok(column),
                _ => Err(format!("duplicate column `{name}` ignored")),
            });
            columns.push(column.unwrap_or_else(|why| {
                sink.skip(line, "", || why);
                Column::Ignored
            }));
        }
        if beyond > 0 {
            sink.skip(line, "", || {
                format!("{beyond} columns ignored: limit is {MOST_METRICS} metrics")
            });
        }
        Self { columns }
    }

    /// Creates the header for rows that follow a layout from the config instead of a header.
    pub(crate) fn of_layout(metrics: &[Name], sink: &mut Rows<'_>) -> Self {
        let keys = ["scenario", "platform", "commit", "runIndex"];
        let names = keys.into_iter().chain(metrics.iter().map(|name| &**name));
        Self::new(1, &names.map(Cow::Borrowed).collect::<Vec<_>>(), sink)
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn metrics(&self) -> impl Iterator<Item = &Name> {
        self.columns.iter().filter_map(|column| match column {
            Column::Metric(name) => Some(name),
            _ => None,
        })
    }

    /// Returns the position of a key column.
    pub(crate) fn place(&self, key: KeyColumn) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| *column == Column::Key(key))
    }

    /// Returns how many of the metrics and the run index in a log line are valid, and how many there are.
    pub(crate) fn numbers<'f>(&self, fields: impl Iterator<Item = &'f str>) -> (usize, usize) {
        let good = self
            .columns
            .iter()
            .zip(fields)
            .filter_map(|(column, text)| match column {
                Column::Metric(..) => Some(number(text).is_ok()),
                Column::Key(KeyColumn::RunIndex) => Some(log_run_index(text).is_ok()),
                _ => None,
            });
        good.fold((0, 0), |(good, all), is_good| {
            (good + usize::from(is_good), all + 1)
        })
    }

    /// Reads a row with these fields, one per column.
    ///
    /// # Errors
    /// Fails if the row is malformed. The reason is about the first malformed column.
    pub(crate) fn read<'f>(
        &self,
        fields: impl Iterator<Item = &'f str>,
    ) -> Result<(Cells<'f>, Measured), String> {
        let mut measured = Measured::default();
        let mut cells = Cells {
            process: Process::Written(None),
            ..Cells::of("")
        };
        for (column, text) in self.columns.iter().zip(fields) {
            match column {
                Column::Key(KeyColumn::Scenario) => cells.scenario = text,
                Column::Key(KeyColumn::Platform) => cells.platform = text,
                Column::Key(KeyColumn::Commit) => cells.commit = text,
                Column::Key(KeyColumn::RunIndex) if text.trim().is_empty() => {}
                Column::Key(KeyColumn::RunIndex) => {
                    cells.run_index = run_index(text)?;
                    cells.is_numbered = true;
                }
                Column::Key(KeyColumn::LaunchIndex) => {
                    cells.process = Process::Written(launch_index(text)?);
                }
                Column::Key(KeyColumn::MachineClass) => cells.machine_class = Some(text),
                Column::Key(KeyColumn::Methodology) => cells.methodology = Some(text),
                Column::Key(KeyColumn::MeasuredAt) => cells.measured_at = measured_at(text)?,
                Column::Key(KeyColumn::Outcome) => cells.outcome = outcome(text)?,
                Column::Metric(metric) => {
                    let value = number(text)
                        .map_err(|text| format!("invalid number `{text}` (column `{metric}`)"))?;
                    if let Some(value) = value {
                        measured.insert(metric, value);
                    }
                }
                Column::Ignored => {}
            }
        }
        Ok((cells, measured))
    }
}
