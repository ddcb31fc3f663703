//! The counts of Valgrind's tools, as the harnesses print that run them: the names of metrics, and the blocks of
//! lines in which a terminal shows them.
//!
//! ```text
//! parse::short
//!   Instructions:                1735
//!   L1 Hits:                     2364
//! ```

use std::borrow::Cow;

use crate::input::text::text;
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::{camel_case, capitalised};
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::Value;

/// The most bytes of a benchmark's name.
const LONGEST_NAME: usize = 1024;

/// Events by the names that tools give them, without case and punctuation, and the metrics that they are. Others
/// keep their names.
const EVENTS: [(&str, &str); 44] = [
    ("ir", "instructions"),
    ("dr", "dataReads"),
    ("dw", "dataWrites"),
    ("i1mr", "i1ReadMisses"),
    ("d1mr", "d1ReadMisses"),
    ("d1mw", "d1WriteMisses"),
    ("ilmr", "lliReadMisses"),
    ("dlmr", "lldReadMisses"),
    ("dlmw", "lldWriteMisses"),
    ("ildmr", "lliDirtyReadMisses"),
    ("dldmr", "lldDirtyReadMisses"),
    ("dldmw", "lldDirtyWriteMisses"),
    ("i1missrate", "i1MissRatePercent"),
    ("d1missrate", "d1MissRatePercent"),
    ("llimissrate", "lliMissRatePercent"),
    ("lldmissrate", "lldMissRatePercent"),
    ("llmissrate", "llMissRatePercent"),
    ("l1hitrate", "l1HitRatePercent"),
    ("llhitrate", "llHitRatePercent"),
    ("ramhitrate", "ramHitRatePercent"),
    ("l1hits", "l1Hits"),
    ("l2hits", "l2Hits"),
    ("llhits", "llHits"),
    ("ramhits", "ramHits"),
    ("l1accesses", "l1Accesses"),
    ("l2accesses", "l2Accesses"),
    ("ramaccesses", "ramAccesses"),
    ("totalrw", "readsAndWrites"),
    ("totalreadwrite", "readsAndWrites"),
    ("bc", "conditionalBranches"),
    ("bcm", "conditionalBranchMisses"),
    ("bi", "indirectBranches"),
    ("bim", "indirectBranchMisses"),
    ("ge", "globalBusEvents"),
    ("syscount", "systemCalls"),
    ("totalbytes", "allocatedBytes"),
    ("totalblocks", "allocations"),
    ("attgmaxbytes", "peakBytes"),
    ("attgmaxblocks", "peakBlocks"),
    ("attendbytes", "endBytes"),
    ("attendblocks", "endBlocks"),
    ("readsbytes", "readBytes"),
    ("writesbytes", "writtenBytes"),
    ("totallifetimes", "totalLifetimes"),
];

/// Important metrics first, in the order of reports; some outputs are sorted by name.
const LEADING: [&str; 13] = [
    "instructions",
    "l1Hits",
    "l2Hits",
    "llHits",
    "ramHits",
    "l1Accesses",
    "l2Accesses",
    "ramAccesses",
    "readsAndWrites",
    "estimatedCycles",
    "allocatedBytes",
    "allocations",
    "peakBytes",
];

/// Costs whose names do not imply that fewer are better.
const COSTS: [&str; 7] =
    ["sysTime", "sysCpuTime", "acCost1", "acCost2", "spLoss1", "spLoss2", "totalLifetimes"];

/// The counts of accesses that a cache served: fewer instructions make fewer of them, so no direction is better. The
/// hit rates have one.
const SERVED: [&str; 3] = ["l1Hits", "l2Hits", "llHits"];

/// The metrics of one benchmark.
#[derive(Default)]
pub(crate) struct Events(Vec<(String, Option<Value>)>);

impl Events {
    /// Adds what `tool` counted. What an earlier tool counted as well has the tool in its name, and so has what
    /// the error checkers count, because all of them count errors.
    pub(crate) fn add(&mut self, tool: &str, event: &str, value: Option<Value>) {
        let name = name(event);
        let tool = tool.to_ascii_lowercase();
        let checks = ["memcheck", "helgrind", "drd"].contains(&tool.as_str());
        let is_taken = self.0.iter().any(|(other, _)| *other == name);
        let name = if !tool.is_empty() && (checks || is_taken) {
            tool + &capitalised(&name)
        } else {
            name.into_owned()
        };
        self.0.push((name, value));
    }

    /// The metrics in the order of the output.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports a block that has but the first metrics of a whole one.
    pub(crate) fn report_missing(
        &self,
        whole: &[String],
        line: u64,
        name: &str,
        sink: &mut RowCollector<'_>,
    ) {
        let has = self.0.len();
        let is_begun = has > 0 && self.names().zip(whole).all(|(name, whole)| name == whole);
        if let Some(missing) = whole.get(has).filter(|_| is_begun) {
            sink.skip(line, name.as_bytes(), || format!("block is cut off: `{missing}` missing"));
        }
    }

    pub(crate) fn row(mut self, line: u64, scenario: &str, sink: &mut RowCollector<'_>) {
        let place = |name: &str| LEADING.iter().position(|leading| *leading == name).unwrap_or(LEADING.len());
        self.0.sort_by_key(|(name, _)| place(name));
        for name in self.names() {
            let (unit, direction) = match name {
                _ if COSTS.contains(&name) => (Unit::None, Direction::Lower),
                _ if SERVED.contains(&name) => (Unit::Count, Direction::Unknown),
                _ => continue,
            };
            let meaning = Meaning { unit, direction, exact: false };
            sink.declare(name, Declared { label: None, meaning });
        }
        let metrics = self.0.iter().map(|(name, value)| (name.as_str(), *value));
        sink.measured(line, &Cells::of(scenario), metrics);
    }
}

/// The metric that an event is, however the event is written: `L1hits`, `L1 Hits`.
fn name(event: &str) -> Cow<'static, str> {
    let plain: String =
        event.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match EVENTS.iter().find(|(known, _)| *known == plain) {
        Some((_, metric)) => Cow::Borrowed(metric),
        None => Cow::Owned(camel_case(event)),
    }
}

/// Blocks of lines on a terminal: a name, and below it what was counted.
#[derive(Default)]
pub(crate) struct Blocks {
    /// The line before, which is the name when a block begins.
    before: Vec<u8>,
    open: Option<(u64, String, Events)>,
    /// The metrics of a complete block: those that the one before had.
    whole: Vec<String>,
}

impl Blocks {
    /// For a harness whose blocks have all of these.
    pub(crate) fn of(metrics: &[&str]) -> Self {
        Self { whole: metrics.iter().map(|&metric| metric.to_owned()).collect(), ..Self::default() }
    }

    /// Looks at a line. `count` cuts the number out of what stands behind an event's name, and is `None` for a
    /// line of another harness. Whether the line was part of a block.
    pub(crate) fn line(
        &mut self,
        number: u64,
        line: &[u8],
        prefix: Option<&str>,
        count: fn(&str) -> Option<&str>,
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let is_inside = line.starts_with(b"  ") && line.get(2).is_some_and(u8::is_ascii_graphic);
        let taken = is_inside && self.inside(number, &line[2..], prefix, count);
        if !taken {
            self.close(sink);
            self.before.clear();
            self.before.extend_from_slice(&line[..line.len().min(LONGEST_NAME)]);
        }
        taken
    }

    fn inside(
        &mut self,
        number: u64,
        line: &[u8],
        prefix: Option<&str>,
        count: fn(&str) -> Option<&str>,
    ) -> bool {
        let text = text(line);
        let Some((event, rest)) = text.split_once(':') else { return false };
        let Some(count) = count(rest) else { return false };
        if !self.begin(number, prefix) {
            return false;
        }
        if let Some((_, _, events)) = &mut self.open {
            events.add("", event, Value::parse(count));
        }
        true
    }

    /// Begins a block when none is open; `false` when the line before is no name.
    fn begin(&mut self, number: u64, prefix: Option<&str>) -> bool {
        let is_name = self.before.first().is_some_and(|first| !first.is_ascii_whitespace());
        if self.open.is_none() && is_name {
            let name = text(&self.before).trim().to_owned();
            let name = prefix.map_or_else(|| name.clone(), |prefix| format!("{prefix}::{name}"));
            self.open = Some((number.saturating_sub(1), name, Events::default()));
        }
        self.open.is_some()
    }

    /// Looks at the last line of an input, which has no end: whether a block breaks off there, which begins with one
    /// of these events. A line with a number and a change is complete.
    pub(crate) fn unended(
        &mut self,
        number: u64,
        line: &[u8],
        first: &[&str],
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let text = text(line);
        let inside = text.strip_prefix("  ").filter(|inside| !inside.is_empty());
        let begins = inside.is_some_and(|inside| {
            first.iter().any(|event| inside.starts_with(event) || event.starts_with(inside))
        });
        let breaks = (begins || (self.is_open() && text.starts_with(' '))) && !text.ends_with([')', ']']);
        if breaks {
            sink.skip_cut_off(number, line);
            self.whole.clear();
        }
        breaks
    }

    /// True if a block is being read.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn close(&mut self, sink: &mut RowCollector<'_>) {
        if let Some((line, name, events)) = self.open.take().filter(|(_, _, events)| !events.is_empty()) {
            self.whole = events.names().map(str::to_owned).collect();
            events.row(line, &name, sink);
        }
        self.before.clear();
    }

    /// The input has ended: a block that has but the beginning of what a whole one has is cut off.
    pub(crate) fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some((line, name, events)) = &self.open {
            events.report_missing(&self.whole, *line, name, sink);
        }
        self.close(sink);
    }
}
