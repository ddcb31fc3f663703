//! Interleaved pairs, as in `slower by more than 2% in 38 of 40 pairs (needs 32); median +7.4% vs. the base`.

use perf_config::HistoryPolicy;
use perf_verdict::rules::pairs::{Finding, Outcome};
use perf_verdict::{MetricComparison, Verdict};

use super::Say;
use crate::words::{allowed, change_of, counted, signed};

impl Say for Finding {
    fn reason(&self, compared: &MetricComparison) -> String {
        let of = |distance: f64| signed(change_of(compared.metric.meaning.direction, distance));
        let way = if self.outcome == Outcome::Faster { "faster" } else { "slower" };
        let needs = self.needed.map_or(String::new(), |needed| format!(" (needs {needed})"));
        let group = match self.launches {
            1 => String::new(),
            launches => format!(" (better half of {launches} launches per side)"),
        };
        let said = format!(
            "{way} by more than 2% in {} of {}{needs}; median {} vs. the base{group}",
            self.slower,
            counted(self.pairs, "pair"),
            of(self.median)
        );
        let bound =
            self.upper.map_or(String::new(), |upper| format!("; at worst {} (95% confidence)", of(upper)));
        match self.outcome {
            Outcome::Slower if compared.judgement.verdict == Verdict::Moved => {
                format!(
                    "{said}{}",
                    allowed(compared, self.median).map_or(String::new(), |why| format!("; {why}"))
                )
            }
            Outcome::Slower | Outcome::Faster => said,
            Outcome::Same => said + &bound,
            Outcome::Open => format!("{said}{bound}; {}", next_look(self)),
        }
    }

    fn rule(&self, _: &MetricComparison) -> String {
        "paired".to_owned()
    }

    fn too_noisy(&self, _: &MetricComparison) -> Option<String> {
        None
    }

    fn remedy(&self, _: &MetricComparison, _: &HistoryPolicy) -> Option<String> {
        self.until_next.map(|more| format!("measure {} for the next look", counted(more, "more pair")))
    }
}

fn next_look(finding: &Finding) -> String {
    match (finding.needed, finding.until_next) {
        (None, Some(more)) => format!("too few: {} until the first look", counted(more, "more pair")),
        (_, Some(more)) => format!("{} until the next look", counted(more, "more pair")),
        (_, None) => "this was the last look".to_owned(),
    }
}
