//! What fails: which of the verdicts that somebody asked to fail on are there.

use perf_config::FailOn;
use perf_verdict::{Comparison, MetricComparison, Tally, Verdict};

use crate::compared::Compared;
use crate::policies::Policies;

/// What stands for "both sides have rows, and none could be compared" where failures are listed.
const NOTHING_COMPARED: &str = "nothing-compared";

/// What stands for "the run lacks what the config requires" where failures are listed.
const REQUIRED: &str = "required";

/// What stands for "a class of machine that measured was not compared" where failures are listed.
const NOT_COMPARED: &str = "not-compared";

/// Those that are there, the gravest first. Green never means that nothing was compared, unless nothing is to fail;
/// that the machine or the methodology is another is said loudly enough.
pub(crate) fn failed(policies: &Policies, compared: &Compared) -> Vec<&'static str> {
    let (comparison, tally) = (&compared.comparison, compared.tally);
    let found = FailOn::ALL
        .into_iter()
        .filter(|verdict| policies.0.contains(verdict) && has(comparison, tally, *verdict));
    let nothing = compared.has_baseline && is_blank(comparison, tally);
    let always = [
        (!compared.unmet.is_empty(), REQUIRED),
        (nothing, NOTHING_COMPARED),
        (compared.leaves_class_out, NOT_COMPARED),
    ];
    let always = always.into_iter().filter(|(is_so, _)| *is_so && !policies.0.is_empty());
    always.map(|(_, word)| word).chain(found.map(FailOn::word)).collect()
}

fn has(comparison: &Comparison, tally: Tally, verdict: FailOn) -> bool {
    let any = |is: fn(&MetricComparison) -> bool| comparison.metrics().any(is);
    match verdict {
        FailOn::Regressed => tally.regressed > 0,
        FailOn::Missing => tally.missing + tally.unmeasured > 0,
        FailOn::Inconclusive => any(|metric| is(metric, Verdict::Inconclusive)),
        FailOn::NotComparable => {
            tally.not_comparable > 0
                || any(|metric| is(metric, Verdict::NotComparable) && metric.judgement.is_gated())
        }
        FailOn::Unmeasured => tally.unmeasured > 0,
        FailOn::New => tally.new > 0,
        FailOn::Moved => any(|metric| metric.judgement.moved && metric.judgement.waived.is_none()),
        FailOn::Improved => any(|metric| is(metric, Verdict::Improved)),
    }
}

fn is(metric: &MetricComparison, verdict: Verdict) -> bool {
    metric.judgement.verdict == verdict && metric.judgement.waived.is_none()
}

fn is_blank(comparison: &Comparison, tally: Tally) -> bool {
    tally.compared == 0 && !comparison.metrics().any(|metric| metric.judgement.is_unlike())
}
