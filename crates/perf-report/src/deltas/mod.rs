//! The differences: what a reviewer reads on a pull request, and a developer at a terminal.
//!
//! A headline by what fails, a sentence for each benchmark that fails, one table of what *matters*, then everything else
//! folded away. A metric *matters* if a reviewer may have to do something about it.

mod cells;
mod commands;
mod context;
mod excused;
mod failed;
mod findings;
mod footer;
mod headline;
mod lists;
mod measured;
mod model;
mod remarks;
mod table;
mod terminal;

use crate::markdown::escape::message;
use perf_config::Config;
use perf_verdict::MetricComparison;

pub use self::context::{Links, ReportRequest, Reproduction, parts};
pub use self::failed::failures;
pub use self::findings::{FindingGroup, grouped_findings};
pub use self::model::DeltasModel;
pub use self::remarks::{MeasuredCommits, ProfiledBenchmark, Remarks};
pub use self::terminal::{TerminalOptions, terminal};

use self::cells::count::List;
use self::cells::state::RowState;
use self::context::ReportContext;
use self::table::{MOST_OPEN, MOST_WITHIN, Tables};
use crate::sentences::subject;

/// The report of a comparison.
pub fn deltas(request: &ReportRequest<'_>) -> DeltasModel {
    let context = ReportContext::new(request);
    let mut tables = Tables::new(&context, MOST_WITHIN);
    let legend = tables.top.has(RowState::Slower);
    let rest = tables.top.split_off(MOST_OPEN);
    let (charts_summary, charts) = cells::chart::charts(&context);
    DeltasModel {
        headline: headline::markdown(&context),
        summary: headline::plain(&context),
        shifts: lists::shifts(&context),
        failing: lists::failing(&context),
        confirm: lists::confirm(&context),
        blind_summary: excused::blind_summary(&context),
        blind: excused::blind(&context),
        table: tables.top.rows(),
        next: commands::next(&context),
        rest_summary: rest.more(),
        rest: rest.rows(),
        missing: lists::names(&context, |scope| &scope.missing),
        new: lists::names(&context, |scope| &scope.new),
        uncompared: lists::uncompared(&context),
        stale_waivers: excused::stale_waivers(&context),
        notes: List::of(usize::MAX, request.notes.iter(), |note| message(note)),
        charts_summary,
        charts,
        decided_summary: commands::decided_summary(&context),
        decided: lists::decided(&context),
        reproduce: commands::reproduce(&context).unwrap_or_default(),
        waived_summary: excused::waived_summary(&context),
        waived: excused::waived(&context),
        noisy_summary: lists::noisy_summary(&context),
        noisy: lists::noisy(&context),
        decide: commands::decide(&context),
        trend: lists::trend(&context),
        shifted_summary: tables.shifted_summary(),
        shifted: tables.shifted.rows(),
        within_summary: tables.within_summary(&context),
        within: tables.within.rows(),
        same: tables.same(),
        commits: footer::sides(context.comparison)
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        footer: footer::footer(&context, legend),
        ..DeltasModel::default()
    }
}

/// The cells of a metric's row in the report: what the change is measured from, the current number, and the change.
pub fn figures(compared: &MetricComparison, config: &Config) -> [String; 3] {
    let cells::row::Figures {
        from, to, change, ..
    } = cells::row::Figures::of(&subject(compared, config));
    [from, to, change]
}

/// The headline as plain text.
pub fn summary(request: &ReportRequest<'_>) -> String {
    headline::plain(&ReportContext::new(request))
}

/// The report of a run without a baseline.
pub fn without_baseline(why: &str) -> DeltasModel {
    let why = why.strip_suffix('.').unwrap_or(why);
    let text = |why: &str| format!("Nothing was compared: {why}");
    DeltasModel {
        headline: format!("⚠️ {}", text(&message(why))),
        summary: text(why),
        ..DeltasModel::default()
    }
}
