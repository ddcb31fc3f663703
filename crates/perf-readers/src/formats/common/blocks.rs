//! Readers for load generators, which print the summary of a run as a block of lines.

use std::collections::HashMap;

use crate::format::LineReader;
use crate::formats::common::tables::Tables;
use crate::rows::{Metrics, Rows};
use perf_model::row::Outcome;

/// The lines that a load generator prints about one run.
pub(crate) trait Block: Sized {
    /// The metric that every complete block contains. A block without it is cut off unless [`Self::has_ended`] returns
    /// true.
    const NEEDED: Option<&'static str> = None;

    /// Returns a new block if one begins with this line. `is_open` is true inside another block.
    fn begin(line: &str, is_open: bool) -> Option<Self>;

    /// Reads a line, which may be the block's first. Returns whether it belongs to the block.
    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool;

    /// Returns information for the next block, if this line outside a block contains any.
    fn remember(line: &str) -> Option<String>;

    /// Applies the information that [`Self::remember`] returned before this block began.
    fn recall(&mut self, remembered: String);

    /// Whether the request rate was set by the user, rather than measured.
    fn holds_rate(&self) -> bool {
        false
    }

    /// Whether no more lines belong to the block.
    fn has_ended(&self) -> bool {
        false
    }

    /// Whether the block is complete if `line` is the input's last line and has no line end.
    fn is_last(&self, line: &str) -> bool;

    /// Whether the run had only errors.
    fn has_failed(&self) -> bool;

    fn name(&self, sink: &mut Rows<'_>) -> String;

    /// Adds values that are only known at the end of the block.
    fn finish(&self, metrics: &mut Metrics);
}

/// A block that may continue, with its first line and the metrics so far.
struct Open<B> {
    line: u64,
    block: B,
    metrics: Metrics,
}

impl<B: Block> Open<B> {
    /// Whether the block has ended, or contains the required metric.
    fn is_complete(&self) -> bool {
        self.block.has_ended() || B::NEEDED.is_some_and(|metric| self.metrics.has(metric))
    }
}

/// Reads the blocks of a tool.
pub(crate) struct Blocks<B> {
    tables: Tables,
    open: Option<Open<B>>,
    remembered: Option<String>,
}

impl<B> Default for Blocks<B> {
    fn default() -> Self {
        Self {
            tables: Tables::default(),
            open: None,
            remembered: None,
        }
    }
}

impl<B: Block> LineReader for Blocks<B> {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        // Progress output overwrites its own line.
        let shown = line.trim_end().rsplit('\r').next().unwrap_or_default();
        // The output may have been pasted as list items.
        let shown = shown.trim();
        let shown = shown.strip_prefix("- ").unwrap_or(shown);
        let begun = B::begin(shown, self.open.is_some());
        let begins = begun.is_some();
        if let Some(mut block) = begun {
            if let Some(remembered) = self.remembered.take() {
                block.recall(remembered);
            }
            self.close(sink);
            self.tables.begin(number);
            self.open = Some(Open {
                line: number,
                block,
                metrics: Metrics::default(),
            });
        }
        let mut is_read = begins;
        if let Some(open) = &mut self.open {
            is_read |= open.block.line(shown, &mut open.metrics);
            if open.block.has_ended() {
                self.close(sink);
            }
        }
        if !is_read {
            self.remembered = B::remember(shown).or(self.remembered.take());
        }
        is_read
    }

    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let is_cut_off = |open: &Open<B>| !open.block.is_last(line.trim_end());
        if !self.open.as_ref().is_some_and(is_cut_off) {
            return self.line(number, line, sink);
        }
        // An incomplete block is reported as a whole when it is closed.
        if self.open.as_ref().is_some_and(Open::is_complete) {
            sink.skip_cut_off(number, line);
        }
        true
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.close(sink);
        self.tables.give(sink);
    }
}

impl<B: Block> Blocks<B> {
    fn close(&mut self, sink: &mut Rows<'_>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let is_complete = open.is_complete();
        let name = open.block.name(sink);
        open.block.finish(&mut open.metrics);
        if let Some(twice) = contradicted(&open.metrics) {
            skip_second("run", &name, twice, open.line, sink);
        }
        let outcome = if open.block.has_failed() {
            Outcome::Failed
        } else {
            Outcome::Measured
        };
        let is_row = outcome == Outcome::Failed || !open.metrics.is_empty();
        if !is_complete {
            skip_cut_off("run", &name, is_row, B::NEEDED, open.line, sink);
        }
        self.tables.hold_rates(open.block.holds_rate());
        if is_row {
            self.tables.add(open.line, &name, outcome, open.metrics);
        }
    }
}

/// Reports that a block is cut off. `lacks` is the metric that is missing from the block's row, if it is known.
pub(crate) fn skip_cut_off(
    what: &str,
    name: &str,
    has_row: bool,
    lacks: Option<&str>,
    line: u64,
    sink: &mut Rows<'_>,
) {
    sink.skip(line, if has_row { "" } else { name }, || {
        let lack = match lacks {
            _ if !has_row => String::new(),
            Some(metric) => format!(": its row has no `{metric}`"),
            None => ": the printed part is read".to_owned(),
        };
        format!("{what} of `{name}` is cut off{lack}")
    });
}

/// Reports that a block contains two values for one metric. They are probably from two runs.
pub(crate) fn skip_second(what: &str, name: &str, metric: &str, line: u64, sink: &mut Rows<'_>) {
    sink.skip(line, "", || {
        format!("{what} of `{name}` has two values of `{metric}`: the first one is used")
    });
}

/// Returns the first metric that occurs again with another value.
fn contradicted(metrics: &Metrics) -> Option<&str> {
    let mut first = HashMap::new();
    let mut all = metrics.iter();
    let (twice, _) =
        all.find(|(metric, value)| *first.entry(*metric).or_insert(*value) != *value)?;
    Some(twice)
}
