//! Load generators: each prints the summary of a run as a block of lines.

use std::collections::HashMap;

use crate::format::LineReader;
use crate::formats::common::tables::{RATE_AND_LATENCY, Tables};
use crate::input::text::text;
use crate::rows::{Metrics, RowCollector};
use perf_model::row::Outcome;

/// The lines of one run, or of one part of its report.
pub(crate) trait Block: Sized {
    /// The name of a block in messages.
    const WHAT: &'static str = "run";
    /// The metrics that come first.
    const LEAD: &'static [&'static str] = &RATE_AND_LATENCY;
    /// True if the next block completes this one.
    const NEXT_COMPLETES: bool = false;
    /// True if the line above a block separates it from others of the same name.
    const HAS_TITLES: bool = false;

    /// The metric without which a block is cut off, unless it has ended.
    const NEEDED: Option<&'static str> = None;

    /// The block that a line begins, if it does.
    fn begin(line: &str, open: Option<&Open<Self>>) -> Option<Self>;

    /// Reads a line, also the one that begins the block. Returns whether it belongs to the block.
    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool;

    /// The part of a line outside of blocks that says something about the next one.
    fn remember(_: &str) -> Option<String> {
        None
    }

    /// Takes what was remembered when the block begins.
    fn recall(&mut self, _: String) {}

    /// True if the rate of requests was asked for, rather than measured.
    fn holds_rate(&self) -> bool {
        false
    }

    /// True if no further line belongs to the block.
    fn has_ended(&self) -> bool {
        false
    }

    /// True if an input may end with this line, although it has no line end: it is not cut off.
    fn is_last(&self, _: &str) -> bool {
        false
    }

    /// True if the run has nothing but errors.
    fn has_failed(&self, _: &Metrics) -> bool {
        false
    }

    fn name(&self, sink: &mut RowCollector<'_>) -> String;

    /// Adds values that are only known at the end.
    fn finish(&self, _: &mut Metrics) {}
}

/// A block that may go on.
pub(crate) struct Open<B> {
    line: u64,
    pub block: B,
    metrics: Metrics,
}

impl<B: Block> Open<B> {
    /// True if the block has ended, or has the one metric that is needed.
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
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        // Progress is printed over itself.
        let text = text
            .trim_end()
            .rsplit('\r')
            .next()
            .unwrap_or_default()
            .trim();
        // As an item of a list.
        let text = text.strip_prefix("- ").unwrap_or(text);
        let begun = B::begin(text, self.open.as_ref());
        let begins = begun.is_some();
        if let Some(mut block) = begun {
            if let Some(remembered) = self.remembered.take() {
                block.recall(remembered);
            }
            self.close(B::NEXT_COMPLETES, sink);
            self.tables.begin(number);
            self.open = Some(Open {
                line: number,
                block,
                metrics: Metrics::default(),
            });
        }
        let open = self.open.as_mut();
        let taken = open.is_some_and(|open| open.block.line(text, &mut open.metrics)) || begins;
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.block.has_ended())
        {
            self.close(false, sink);
        }
        if !taken && (B::HAS_TITLES || self.open.is_none()) {
            self.remembered = B::remember(text).or(self.remembered.take());
        }
        if B::HAS_TITLES && !taken && !text.starts_with("```") {
            self.tables.title(text);
        }
        taken
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if !self.is_cut_off(line) {
            return self.line(number, line, sink);
        }
        // A block without its end is reported as a whole.
        if self.open.as_ref().is_some_and(Open::is_complete) {
            sink.skip_cut_off(number, line);
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| !open.block.is_last(text(line).trim_end()))
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(false, sink);
        self.tables.give(B::HAS_TITLES, sink);
    }
}

impl<B: Block> Blocks<B> {
    fn close(&mut self, is_complete: bool, sink: &mut RowCollector<'_>) {
        let Some(open) = self.open.take() else { return };
        let is_complete = is_complete || open.is_complete();
        let Open {
            line,
            block,
            mut metrics,
        } = open;
        let (name, failed) = (block.name(sink), block.has_failed(&metrics));
        block.finish(&mut metrics);
        if let Some(twice) = contradicted(&metrics) {
            skip_second(B::WHAT, &name, twice, line, sink);
        }
        metrics.lead(B::LEAD);
        let outcome = if failed {
            Outcome::Failed
        } else {
            Outcome::Measured
        };
        let is_row = failed || !metrics.is_empty();
        if !is_complete {
            skip_cut_off(B::WHAT, &name, is_row, B::NEEDED, line, sink);
        }
        self.tables.hold_rates(block.holds_rate());
        if is_row {
            self.tables.add(line, &name, outcome, metrics);
        }
    }
}

/// Reports a block that has no end, and the metric that the row of its lines lacks, if it is known.
pub(crate) fn skip_cut_off(
    what: &str,
    name: &str,
    has_row: bool,
    lacks: Option<&str>,
    line: u64,
    sink: &mut RowCollector<'_>,
) {
    sink.skip(line, if has_row { b"" } else { name.as_bytes() }, || {
        let lack = match lacks {
            _ if !has_row => String::new(),
            Some(metric) => format!(": its row has no `{metric}`"),
            None => ": what was printed of it is read".to_owned(),
        };
        format!("{what} of `{name}` is cut off{lack}")
    });
}

/// Reports a block with two values of a metric: lines of another run may have followed.
pub(crate) fn skip_second(
    what: &str,
    name: &str,
    metric: &str,
    line: u64,
    sink: &mut RowCollector<'_>,
) {
    sink.skip(line, b"", || {
        format!("{what} of `{name}` has two values of `{metric}`: the first one counts")
    });
}

/// The first metric that was read again with another value.
fn contradicted(metrics: &Metrics) -> Option<&str> {
    let mut first = HashMap::new();
    let mut all = metrics.iter();
    let (twice, _) =
        all.find(|(metric, value)| *first.entry(*metric).or_insert(*value) != *value)?;
    Some(twice)
}
