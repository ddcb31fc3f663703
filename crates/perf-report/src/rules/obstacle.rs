//! Why two numbers are not compared.

use perf_model::methodology::is_other_benchmark;
use perf_model::row::Outcome;
use perf_verdict::rules::obstacle::Obstacle;

use super::Say;
use crate::number::significant;
use crate::words::Subject;

/// Times before and after a change of the benchmark itself say nothing of the code.
pub const OTHER_BENCHMARK: &str = "the benchmark itself (`[harness]`) changed since the baseline";

impl Say for Obstacle {
    fn reason(&self, compared: &Subject<'_>) -> String {
        match self {
            Self::ZeroBaseline => "the baseline is zero".to_owned(),
            Self::FellToZero => "fell to zero: the benchmark probably stopped working".to_owned(),
            Self::Implausible(times) => {
                format!("{}× better: the benchmark probably stopped working", significant(*times, 2))
            }
            Self::Negative => "a negative number is not a measurement".to_owned(),
            Self::FewPositive((bad, all)) => format!(
                "{bad} of {all} launches are zero or negative: the benchmark takes no longer than what is subtracted from it"
            ),
            Self::OtherMachine => "measured on different machine classes".to_owned(),
            Self::OtherMethodology(methods) if is_other_benchmark(&methods.0, &methods.1) => {
                OTHER_BENCHMARK.to_owned()
            }
            Self::OtherMethodology(methods) => {
                let (before, now) = &**methods;
                format!("different methodologies: {before} in the baseline, {now} in this run")
            }
            Self::OtherToolchain => "built by different toolchains".to_owned(),
            Self::NoReference(reference) => {
                format!("its reference {reference} was not measured on both sides")
            }
            Self::NothingLeft(minus) => format!("nothing remains of it without {minus}"),
            Self::NoBaseline => "not measured in the baseline".to_owned(),
            Self::NoCurrent if compared.outcome != Outcome::Measured => {
                format!("in the baseline, but {} in this run", compared.outcome.word())
            }
            Self::NoCurrent => "in the baseline, but not in this run".to_owned(),
        }
    }
}
