//! Why two numbers were not compared.

use perf_model::row::Outcome;
use perf_verdict::Reason;
use perf_verdict::compare::MetricComparison;

/// What stands in the way; what does not is said by the other families.
pub(super) fn obstacle(compared: &MetricComparison, because: &Reason) -> String {
    match because {
        Reason::ZeroBaseline => "the baseline is zero, so there is nothing to lose".to_owned(),
        Reason::Negative => "a negative number is no measurement".to_owned(),
        Reason::OtherMachine => "measured on machines of different classes".to_owned(),
        Reason::OtherMethodology(methods) => {
            let (before, now) = &**methods;
            format!("measured by different methods: {before} in the baseline, {now} now")
        }
        Reason::OtherToolchain => "built by different toolchains, which decide such counts".to_owned(),
        Reason::NoReference(reference) => {
            format!("it is relative to {reference}, which was not measured on both sides")
        }
        Reason::NoBaseline => "not measured in the baseline".to_owned(),
        Reason::NoCurrent if compared.outcome != Outcome::Measured => {
            format!("measured in the baseline, {} now", compared.outcome.word())
        }
        Reason::NoCurrent => "measured in the baseline, but not now".to_owned(),
        _ => super::single::change(compared),
    }
}
