//! Reasons why two numbers are not compared.

use perf_model::methodology::is_other_benchmark;
use perf_model::row::Outcome;
use perf_verdict::rules::obstacle::Obstacle;

use crate::number::significant;
use crate::words::Subject;

/// Times before and after a change of the benchmark itself say nothing of the code.
pub const OTHER_BENCHMARK: &str = "the benchmark itself (`[harness]`) changed since the baseline";

pub(super) fn reason(finding: &Obstacle, compared: &Subject<'_>) -> String {
    match finding {
        Obstacle::ZeroBaseline => "the baseline is zero".to_owned(),
        Obstacle::FellToZero => "fell to zero: the benchmark probably stopped working".to_owned(),
        Obstacle::Implausible(times) => {
            format!(
                "{}× better: the benchmark probably stopped working",
                significant(*times, 2)
            )
        }
        Obstacle::Negative => "a negative number is not a measurement".to_owned(),
        Obstacle::FewPositive((bad, all)) => format!(
            "{bad} of {all} launches are zero or negative: the benchmark takes no longer than what is subtracted from it"
        ),
        Obstacle::OtherMachine => "measured on different machine classes".to_owned(),
        Obstacle::OtherMethodology(methods) if is_other_benchmark(&methods.0, &methods.1) => {
            OTHER_BENCHMARK.to_owned()
        }
        Obstacle::OtherMethodology(methods) => {
            let (before, now) = &**methods;
            format!("different methodologies: {before} in the baseline, {now} in this run")
        }
        Obstacle::SharedOutput(file) => format!("both sides ran the same `{file}`; set `build`"),
        Obstacle::Contradiction(found) => format!("contradictory numbers: {found}"),
        Obstacle::Doubtful(text) => text.to_string(),
        Obstacle::OtherToolchain => "built by different toolchains".to_owned(),
        Obstacle::NoReference(reference) => {
            format!("its reference {reference} was not measured on both sides")
        }
        Obstacle::NothingLeft(minus) => format!("nothing remains of it without {minus}"),
        Obstacle::NoBaseline => "not measured in the baseline".to_owned(),
        Obstacle::MayHaveBeenZero => {
            "not measured in the baseline, or zero: other benchmarks have it there".to_owned()
        }
        Obstacle::NoCurrent if compared.outcome != Outcome::Measured => {
            format!(
                "in the baseline, but {} in this run",
                compared.outcome.word()
            )
        }
        Obstacle::NoCurrent => "in the baseline, but not in this run".to_owned(),
    }
}
