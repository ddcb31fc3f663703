//! Event counts from Valgrind's tools, as other benchmark tools print them, and the metrics for the events.

use std::borrow::Cow;

use crate::formats::common::names::{camel_case, capitalised};
use crate::rows::{Cells, Rows};
use perf_model::metric::{Direction, Unit};
use perf_model::row::Value;

/// The events and their metrics. Events are in lower case without punctuation. Other events keep their names, in camel
/// case.
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

/// The most important metrics, in the order in which tools print them. They come first in a row, because some outputs
/// are sorted by name.
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
const COSTS: [&str; 7] = [
    "sysTime",
    "sysCpuTime",
    "acCost1",
    "acCost2",
    "spLoss1",
    "spLoss2",
    "totalLifetimes",
];

/// Counts of accesses that a cache served. Fewer instructions also reduce these counts, so neither direction is better.
/// The hit rates do have a direction.
const SERVED: [&str; 3] = ["l1Hits", "l2Hits", "llHits"];

/// One benchmark's metrics.
#[derive(Default)]
pub(crate) struct Events(Vec<(String, Option<Value>)>);

impl Events {
    /// Adds a count from `tool`. The tool's name becomes a prefix of the metric if an earlier tool counted the same
    /// event. The counts of error checkers always have the prefix, because these tools all count errors.
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

    /// Returns the metrics' names in the order of the output.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports the block as cut off if it contains only the first metrics of `whole`, a complete block's metrics.
    pub(crate) fn report_missing(
        &self,
        whole: &[String],
        line: u64,
        name: &str,
        sink: &mut Rows<'_>,
    ) {
        let has = self.0.len();
        let is_begun = has > 0 && self.names().zip(whole).all(|(name, whole)| name == whole);
        if let Some(missing) = whole.get(has).filter(|_| is_begun) {
            sink.skip(line, name, || {
                format!("block is cut off: `{missing}` missing")
            });
        }
    }

    pub(crate) fn row(mut self, line: u64, scenario: &str, sink: &mut Rows<'_>) {
        let place = |name: &str| {
            LEADING
                .iter()
                .position(|leading| *leading == name)
                .unwrap_or(LEADING.len())
        };
        self.0.sort_by_key(|(name, _)| place(name));
        for name in self.names() {
            let (unit, direction) = match name {
                _ if COSTS.contains(&name) => (Unit::None, Direction::Lower),
                _ if SERVED.contains(&name) => (Unit::Count, Direction::Unknown),
                _ => continue,
            };
            sink.means(name, unit, direction);
        }
        let metrics = self.0.iter().map(|(name, value)| (name.as_str(), *value));
        sink.measured(line, &Cells::of(scenario), metrics);
    }
}

/// Returns the metric for an event, which tools spell differently: `L1hits`, `L1 Hits`.
fn name(event: &str) -> Cow<'static, str> {
    let plain: String = event
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    match EVENTS.iter().find(|(known, _)| *known == plain) {
        Some((_, metric)) => Cow::Borrowed(metric),
        None => Cow::Owned(camel_case(event)),
    }
}
