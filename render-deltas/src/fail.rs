//! What fails: which of the verdicts that somebody asked to fail on are there.

use std::str::FromStr;

use crate::compared::Compared;
use perf_config::{Config, FailOn};
use perf_verdict::{Comparison, Fails, MetricComparison, Rule, Tally, Verdict};

/// What stands for "both sides have rows, and none could be compared" where failures are listed.
const NOTHING_COMPARED: &str = "nothing-compared";

/// What stands for "the run lacks what the config requires" where failures are listed.
const REQUIRED: &str = "required";

/// What stands for "a class of machine that measured was not compared" where failures are listed.
const NOT_COMPARED: &str = "not-compared";

/// The verdicts that fail; none of them, and nothing fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policies(Vec<FailOn>);

impl Policies {
    /// Those of the config, or where it has none the usual ones.
    pub(crate) fn of(config: &Config) -> Self {
        let written = config.deltas.fail_on.clone();
        Self(written.unwrap_or_else(|| vec![FailOn::Regressed, FailOn::Missing]))
    }

    /// Which verdicts on a worse value fail.
    pub(crate) fn fails(&self) -> Fails {
        Fails::of(&self.0)
    }

    /// Those that are there, the gravest first. Green never means that nothing was compared, unless nothing is to fail;
    /// that the machine or the methodology is another is said loudly enough.
    pub(crate) fn failed(&self, compared: &Compared) -> Vec<&'static str> {
        let (comparison, tally) = (&compared.comparison, compared.tally);
        let found = FailOn::ALL
            .into_iter()
            .filter(|verdict| self.0.contains(verdict) && has(comparison, tally, *verdict));
        let nothing = compared.has_baseline && is_blank(comparison, tally);
        let always = [
            (compared.is_incomplete, REQUIRED),
            (nothing, NOTHING_COMPARED),
            (compared.leaves_class_out, NOT_COMPARED),
        ];
        let always = always.into_iter().filter(|(is_so, _)| *is_so && !self.0.is_empty());
        always.map(|(_, word)| word).chain(found.map(FailOn::word)).collect()
    }
}

impl FromStr for Policies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "none" {
            return Ok(Self(vec![]));
        }
        let words = text.split(',').map(|word| word.trim().parse::<FailOn>());
        Ok(Self(words.collect::<Result<_, _>>().map_err(|error| error.to_string())?))
    }
}

fn has(comparison: &Comparison, tally: Tally, verdict: FailOn) -> bool {
    let any = |is: fn(&MetricComparison) -> bool| metrics(comparison).any(is);
    match verdict {
        FailOn::Regressed => tally.regressed > 0,
        FailOn::Missing => tally.missing + tally.unmeasured > 0,
        FailOn::Inconclusive => any(|metric| is(metric, Verdict::Inconclusive)),
        FailOn::NotComparable => {
            tally.not_comparable > 0
                || any(|metric| is(metric, Verdict::NotComparable) && metric.judgement.rule != Rule::Report)
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

pub(crate) fn metrics(comparison: &Comparison) -> impl Iterator<Item = &MetricComparison> {
    comparison.scopes.iter().flat_map(|scope| &scope.scenarios).flat_map(|scenario| &scenario.metrics)
}

/// Whether both sides were measured in ways that cannot be compared.
pub(crate) fn is_unlike(metric: &MetricComparison) -> bool {
    metric.judgement.is_unlike()
}

fn is_blank(comparison: &Comparison, tally: Tally) -> bool {
    tally.compared == 0 && !metrics(comparison).any(is_unlike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_their_spaces_and_none_is_one() {
        assert_eq!("regressed, missing".parse(), Ok(Policies::of(&Config::default())));
        assert_eq!("none".parse(), Ok(Policies(vec![])));
        let why = |text: &str| text.parse::<Policies>().unwrap_err();
        insta::assert_snapshot!(why("regressed,mising"), @"
        no verdict is called `mising`
        hint: did you mean `missing`?
        ");
        insta::assert_snapshot!(why("none,new"), @"
        no verdict is called `none`
        hint: known here: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
        ");
        assert!(why("").starts_with("no verdict is called ``"), "{}", why(""));
    }
}
