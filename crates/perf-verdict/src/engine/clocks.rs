//! Merges the verdicts of two clocks if both processor time and wall time are gated.

use perf_config::Config;

use crate::comparison::MetricComparison;
use crate::evidence::gate::NotGated;
use crate::evidence::instrument::{Instrument, family};
use crate::rules::Reason;
use crate::rules::judgement::{CannotFail, Judgement};
use crate::verdict::{Rule, Verdict};

/// Leaves one of two times gated. Wall time is used if it is conclusive, because parallel code costs processor time
/// without making anybody wait. Until then, a slowdown in processor time is used.
pub(super) fn settle(metrics: &mut [MetricComparison], scenario: &str, config: &Config) {
    let mut clocks = Vec::with_capacity(metrics.len());
    for metric in &*metrics {
        clocks.push(clock(metric, scenario, config));
    }
    let Some(cpu) = clocks
        .iter()
        .position(|clock| *clock == Some(Instrument::Cpu))
    else {
        return;
    };
    let names = family(&metrics[cpu].metric.name);
    let is_wall = |at: &usize| {
        *at != cpu && clocks[*at].is_some() && family(&metrics[*at].metric.name) == names
    };
    let Some(wall) = (0..metrics.len()).find(is_wall) else {
        return;
    };
    let wall_time = &metrics[wall].judgement;
    if wall_time.is_compared() && wall_time.verdict != Verdict::Inconclusive {
        set_aside(&mut metrics[cpu].judgement, Instrument::Wall);
    } else if metrics[cpu].judgement.verdict == Verdict::Regressed {
        set_aside(&mut metrics[wall].judgement, Instrument::Cpu);
    }
}

/// The clock of a time that is gated by default rather than by the config.
fn clock(metric: &MetricComparison, scenario: &str, config: &Config) -> Option<Instrument> {
    let name = &metric.metric.name;
    let is_by_default =
        metric.has_pairs() && family(name).is_some() && config.leaves_default(name, scenario);
    (is_by_default && metric.judgement.is_gated())
        .then(|| Instrument::of(&metric.metric))
        .flatten()
}

fn set_aside(judgement: &mut Judgement, by: Instrument) {
    let why = NotGated::Quieter(by);
    judgement.verdict = if judgement.moved {
        Verdict::Moved
    } else {
        Verdict::Unchanged
    };
    judgement.rule = Rule::Report;
    judgement.reason = Reason::NotGated(why);
    judgement.cannot_fail = Some(CannotFail::NotGated(why));
}
