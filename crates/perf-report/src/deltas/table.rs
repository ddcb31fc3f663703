//! The tables: what matters, what an environment shift leaves open, and the rest.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::markdown::table::Table;
use perf_model::parallel::in_halves;

use super::cells::column::{COLUMNS, DeltaColumn};
use super::cells::count::RankedRows;
use super::cells::row::{DeltaRow, is_same};
use super::cells::state::RowState;
use super::context::{BenchmarkName, FoundMetric, ReportContext};
use super::headline::{largest_slowdown, named_change};
use crate::number::{counted, whole};
use crate::prefix::SharedEnds;

/// The maximum number of rows within their limits in a report: nobody reads more, and the JSON report has all.
pub(super) const MOST_WITHIN: usize = 1_000;

/// The maximum number of rows that matter and are not folded: a report is read at a glance.
pub(super) const MOST_OPEN: usize = 30;

/// Rows of one kind, in the order in which they are shown.
#[derive(Default)]
pub(super) struct Rowset {
    pub(super) rows: Vec<DeltaRow>,
    /// The number of rows beyond those that were made.
    beyond: usize,
}

pub(super) struct Tables {
    pub(super) top: Rowset,
    pub(super) shifted: Rowset,
    pub(super) within: Rowset,
    /// The number of other metrics with the same number on both sides.
    pub(super) same: usize,
    /// The number of metrics without a gate that are another form of a measured one, such as the rate beside its time.
    derived: usize,
    /// The number of benchmarks with nothing but metrics within their limits.
    pub(super) benchmarks_within: usize,
    /// The number of metrics that are not gated, without those that changed by more than the fixed limit, or not at
    /// all.
    not_gated: usize,
}

impl Tables {
    /// All rows that matter, and up to `most` of those within their limits: only these are made.
    pub(super) fn new(context: &ReportContext<'_>, most: usize) -> Self {
        let (mut top, mut shifted, mut within) = (Vec::new(), Vec::new(), Vec::new());
        let [
            mut same,
            mut derived,
            mut beyond,
            mut benchmarks_within,
            mut not_gated,
        ] = [0; 5];
        for (scope, scenario) in context.scenarios() {
            let (mut has_within, mut is_quiet) = (false, true);
            for metric in &scenario.metrics {
                let (state, found) = (
                    RowState::of(metric),
                    FoundMetric {
                        scope,
                        scenario,
                        metric,
                    },
                );
                has_within |= state == RowState::Within;
                is_quiet &= matches!(
                    state,
                    RowState::Within | RowState::NotGated | RowState::Uncompared
                );
                match state {
                    RowState::NotGated if metric.derived_from.is_some() => derived += 1,
                    RowState::Shifted => shifted.push((state, found)),
                    state if state.matters() => top.push((state, found)),
                    RowState::Within | RowState::NotGated
                        if !found.is_primary() && is_same(&context.subject(metric)) =>
                    {
                        same += 1;
                    }
                    RowState::Within | RowState::NotGated => {
                        not_gated += usize::from(state == RowState::NotGated);
                        if within.len() < most {
                            within.push((state, found));
                        } else {
                            beyond += 1;
                        }
                    }
                    _ => {}
                }
            }
            benchmarks_within += usize::from(has_within && is_quiet);
        }
        let mut tables = Self {
            top: Rowset::of(context, top),
            shifted: Rowset::of(context, shifted),
            within: Rowset {
                beyond,
                ..Rowset::of(context, within)
            },
            same,
            derived,
            benchmarks_within,
            not_gated,
        };
        for scope in &context.comparison.scopes {
            let missing = scope.missing.iter().map(|name| {
                DeltaRow::missing(context.place(&scope.scope, name), scope.last_seen.get(name))
            });
            tables.top.rows.extend(missing);
        }
        tables.top.sort();
        tables
    }

    /// `10 within limits (largest slowdown: Some fields quoted −6.9%)`, as HTML.
    pub(super) fn within_summary(&self, context: &ReportContext<'_>) -> String {
        let within = match self.benchmarks_within {
            0 if self.not_gated == 0
                || self
                    .within
                    .rows
                    .iter()
                    .any(|row| row.state == RowState::Within) =>
            {
                "Other metrics".to_owned()
            }
            0 => return counted(self.not_gated, "metric") + " not gated",
            _ => self.within_as(context, BenchmarkName::html),
        };
        match self.not_gated {
            0 => within,
            not_gated => format!("{within} · {} not gated", counted(not_gated, "metric")),
        }
    }

    /// The same as plain text.
    pub(super) fn within_plain(&self, context: &ReportContext<'_>) -> String {
        self.within_as(context, BenchmarkName::plain)
    }

    fn within_as(&self, context: &ReportContext<'_>, name: fn(&BenchmarkName) -> String) -> String {
        let count = whole(self.benchmarks_within);
        match largest_slowdown(context, |state| state == RowState::Within) {
            Some(slowest) => {
                let slowest = named_change(context, &slowest, name);
                format!("{count} within limits (largest slowdown: {slowest})")
            }
            None => format!("{count} within limits"),
        }
    }

    /// `11 other metrics are exactly as in the baseline. 4 are other forms of these.`
    pub(super) fn same(&self) -> String {
        let is_or_are = |count| if count == 1 { "is" } else { "are" };
        let same = counted(self.same, "other metric");
        let same = format!(
            "{same} {} exactly as in the baseline.",
            is_or_are(self.same)
        );
        let derived = counted(self.derived, "metric");
        let derived = format!(
            "{derived} {} derived from these, without a row.",
            is_or_are(self.derived)
        );
        let said = [(self.same, same), (self.derived, derived)]
            .into_iter()
            .filter(|(count, _)| *count > 0);
        said.map(|(_, sentence)| sentence)
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(super) fn shifted_summary(&self) -> String {
        let benchmarks: HashSet<_> = self
            .shifted
            .rows
            .iter()
            .map(|row| row.place.plain())
            .collect();
        format!(
            "{} inconclusive due to the environment shift",
            whole(benchmarks.len())
        )
    }
}

impl Rowset {
    fn of(context: &ReportContext<'_>, found: Vec<(RowState, FoundMetric<'_>)>) -> Self {
        let rows = in_halves(found, |found: Vec<(RowState, FoundMetric<'_>)>| {
            found
                .into_iter()
                .map(|(state, found)| DeltaRow::new(context, found, state))
                .collect()
        });
        Self { rows, beyond: 0 }
    }

    /// The gravest first, and of those the largest change; rows of one benchmark stay together, except that one
    /// that fails does not take along what is well.
    fn sort(&mut self) {
        let mut worst: HashMap<(bool, BenchmarkName), (RowState, f64)> = HashMap::new();
        for row in &self.rows {
            let (state, size) = worst.entry(row.group()).or_insert((row.state, 0.0));
            *state = row.state.min(*state);
            *size = size.max(row.loss.abs());
        }
        self.rows.sort_by_cached_key(|row| {
            let (state, size) = worst.get(&row.group()).copied().unwrap_or((row.state, 0.0));
            (
                state,
                std::cmp::Reverse(size.to_bits()),
                row.place.clone(),
                row.state,
            )
        });
    }

    /// The table as Markdown.
    pub(super) fn rows(&self) -> RankedRows {
        if self.rows.is_empty() {
            return RankedRows::default();
        }
        let shared = self.shared_ends();
        let columns: Vec<&DeltaColumn> = COLUMNS
            .iter()
            .filter(|column| column.kind.is_kept(&self.rows))
            .collect();
        let cells = |row| {
            columns
                .iter()
                .map(|column| (column.markdown)(row, shared))
                .collect()
        };
        let table = Table {
            header: columns
                .iter()
                .map(|column| (column.title)(&self.rows, shared))
                .collect(),
            align: columns.iter().map(|column| column.kind.align()).collect(),
            rows: self.rows.iter().map(cells).collect(),
        };
        let grave = self.rows.iter().filter(|row| row.state.is_open()).count();
        RankedRows::new(table, grave, self.beyond)
    }

    /// The rows beyond the first `most`, which a report folds.
    pub(super) fn split_off(&mut self, most: usize) -> Self {
        let rows = self.rows.split_off(most.min(self.rows.len()));
        Self {
            rows,
            beyond: std::mem::take(&mut self.beyond),
        }
    }

    /// `148 more rows: 100 regressed, 48 faster`.
    pub(super) fn more(&self) -> String {
        let mut states: BTreeMap<(RowState, &str), usize> = BTreeMap::new();
        self.rows
            .iter()
            .for_each(|row| *states.entry((row.state, row.word)).or_default() += 1);
        let states = states
            .into_iter()
            .map(|((_, word), count)| format!("{} {word}", whole(count)));
        format!(
            "{}: {}",
            counted(self.rows.len(), "more row"),
            states.collect::<Vec<_>>().join(", ")
        )
    }

    pub(super) fn has(&self, state: RowState) -> bool {
        self.rows.iter().any(|row| row.state == state)
    }

    /// The number of all rows, those included that were not made.
    pub(super) fn all(&self) -> usize {
        self.rows.len() + self.beyond
    }

    /// The texts that all identifiers begin and end with, which the title has instead of every row.
    pub(super) fn shared_ends(&self) -> SharedEnds<'_> {
        let keys: Vec<&str> = self.rows.iter().filter_map(|row| row.place.key()).collect();
        if keys.len() == self.rows.len() {
            SharedEnds::of(&keys)
        } else {
            SharedEnds::none(keys)
        }
    }
}
