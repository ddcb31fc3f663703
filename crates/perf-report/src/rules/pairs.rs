//! Interleaved pairs, as in `slower by more than 2% in 38 of 40 pairs (needs 32); median +7.4% vs. the base`.

use perf_config::HistoryPolicy;
use perf_verdict::Verdict;
use perf_verdict::rules::pairs::{Finding, Outcome};

use super::Say;
use crate::words::{Subject, allowed, counted, versus};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let of = |distance: f64| compared.effect(distance);
        let way = way(self);
        let needs = self.needed.map_or(String::new(), |needed| format!(" (needs {needed})"));
        let group = match self.launches {
            1 => String::new(),
            launches => format!(" (better half of {launches} launches per side)"),
        };
        let said = format!(
            "{way} by more than 2% in {} of {}{needs}; median {}{group}",
            self.slower,
            counted(self.pairs, "pair"),
            versus(&of(self.median), "the base")
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

    fn bound(&self, _: &Subject<'_>) -> String {
        format!("{} in {} of {}", way(self), self.slower, counted(self.pairs, "pair"))
    }

    fn rule(&self, _: &Subject<'_>) -> String {
        "paired".to_owned()
    }

    fn too_noisy(&self, _: &Subject<'_>) -> Option<String> {
        None
    }

    fn remedy(&self, _: &Subject<'_>, _: &HistoryPolicy) -> Option<String> {
        self.until_next.map(|more| format!("measure {} for the next look", counted(more, "more pair")))
    }
}

fn way(finding: &Finding) -> &'static str {
    if finding.outcome == Outcome::Faster { "faster" } else { "slower" }
}

fn next_look(finding: &Finding) -> String {
    match (finding.needed, finding.until_next) {
        (None, Some(more)) => format!("too few: {} until the first look", counted(more, "more pair")),
        (_, Some(more)) => format!("{} until the next look", counted(more, "more pair")),
        (_, None) => "this was the last look".to_owned(),
    }
}
