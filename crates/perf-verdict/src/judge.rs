//! From evidence to a verdict: the strongest rule that the data allow.
//!
//! Interleaved pairs before the history, the history before launches of two runs, those before one baseline value.
//! Counts have rules of their own, for which no noise is an excuse.

use perf_config::{HistoryPolicy, Suspects};
use perf_model::row::Value;

use crate::evidence::{Evidence, More};
use crate::oriented::{share, value};
use crate::rules::guard::Shift;
use crate::rules::history::Band;
use crate::rules::{pairs, ratchet, samples, single, steps};
use crate::screen::{Screen, SuiteStats};
use crate::verdict::{Found, HistoryFinding, Judgement, Power, Reason, Rule, SamplesFinding, Verdict};
use perf_stats::order::{median, scale, sorted};

/// What a verdict depends on besides the metric's own data.
#[derive(Clone, Debug)]
pub struct Context<'s> {
    /// How far a number may move before people are told, as a fraction of the baseline.
    pub tolerance: f64,
    /// How the history is used.
    pub history: &'s HistoryPolicy,
    /// What the suite tells.
    pub whole: SuiteStats,
    /// The shift of the other rows of the scope.
    pub shift: Option<Shift>,
    /// Of each further run, whether the other rows of the scope moved at once in it.
    pub shifted_repeats: Vec<bool>,
}

/// A verdict and why.
type Judged = (Verdict, Reason);

/// Judges one metric.
pub fn judge(evidence: &Evidence, screen: &Screen, around: &Context<'_>) -> Judgement {
    let rule = with_history(evidence, around.history);
    let meaning = evidence.metric.meaning;
    let applied = if evidence.ungated.is_some() { Rule::Report } else { rule };
    let single = single::judge(meaning, evidence.baseline, evidence.current, applied, around.tolerance);
    let mut judgement = Judgement {
        verdict: single.verdict,
        rule,
        because: counted(single.because, evidence, around.history),
        change: single.change,
        moved: single.moved,
        warned: false,
        power: power(evidence, screen, rule),
        waived: None,
    };
    if judgement.verdict == Verdict::Unmeasured {
        return judgement;
    }
    if let Some(obstacle) =
        evidence.obstacle.as_ref().filter(|_| !matches!(judgement.because, Reason::Negative))
    {
        (judgement.verdict, judgement.because) = (Verdict::NotComparable, obstacle.as_ref().clone());
        judgement.moved = false;
        return judgement;
    }
    if let (Reason::NotGated, Some(ungated)) = (&judgement.because, &evidence.ungated) {
        judgement.because = ungated.as_ref().clone();
    }
    let case = Case { evidence, screen, around, threshold: judgement.verdict };
    if let Some((verdict, because)) = case.strongest(applied) {
        (judgement.verdict, judgement.because) = (verdict, because);
        judgement.moved = verdict != Verdict::Unchanged;
    }
    if judgement.because == Reason::NotGated {
        case.by_what_is_normal(&mut judgement);
    }
    case.finish(&mut judgement);
    judgement
}

/// The rule with the limit that the history gives it.
fn with_history(evidence: &Evidence, policy: &HistoryPolicy) -> Rule {
    match (evidence.rule, &evidence.more) {
        (Rule::Count(limit), Some(more)) if !evidence.limits.is_chosen => {
            Rule::Count(limit.max(steps::limit(&more.history, policy.last, policy.least)))
        }
        (rule, _) => rule,
    }
}

/// How many earlier counts told the limit.
fn counted(because: Reason, evidence: &Evidence, policy: &HistoryPolicy) -> Reason {
    match (because, &evidence.more) {
        (Reason::Growth { growth, limit, .. }, Some(more)) if more.history.len() >= policy.least => {
            Reason::Growth { growth, limit, values: more.history.len().min(policy.last) }
        }
        (because, _) => because,
    }
}

/// One metric, and all that is known around it.
struct Case<'c> {
    evidence: &'c Evidence,
    screen: &'c Screen,
    around: &'c Context<'c>,
    /// What the rule for one value says.
    threshold: Verdict,
}

impl Case<'_> {
    /// The verdict of the strongest rule that there are data for; `None` leaves it to the rule for one value.
    fn strongest(&self, rule: Rule) -> Option<Judged> {
        let Rule::Threshold(limit) = rule else { return None };
        let chosen = self.evidence.limits.is_chosen.then_some(limit);
        if let Some(found) = &self.screen.pairs {
            // Before the first look, a weaker rule that fails it is still right.
            let weaker = if found.needed.is_none() { self.without_pairs(chosen) } else { None };
            let fails = |judged: &Judged| judged.0 == Verdict::Regressed;
            return match weaker {
                Some(weaker) if fails(&weaker) => Some(weaker),
                None if found.needed.is_none() && self.threshold == Verdict::Regressed => None,
                _ => Some(by_pairs(found, chosen)),
            };
        }
        self.without_pairs(chosen)
    }

    fn without_pairs(&self, chosen: Option<f64>) -> Option<Judged> {
        if let Some((band, current)) = self.screen.band.zip(self.evidence.current_cost()) {
            return Some(self.by_history(&band, current, chosen));
        }
        if let Some(shift) = self.around.shift {
            return Some((Verdict::Inconclusive, Reason::EnvironmentShift(Box::new((shift, None)))));
        }
        let by_launches = self.screen.samples.as_ref().filter(|found| self.are_enough(found));
        self.by_launches(by_launches?, chosen)
    }

    /// What nothing gates has moved, where there is a history, when it left what is normal.
    fn by_what_is_normal(&self, judgement: &mut Judgement) {
        let Some((band, current)) = self.screen.band.zip(self.evidence.current_cost()) else { return };
        judgement.moved = band.suspects(current) || current < band.better;
        judgement.verdict = if judgement.moved { Verdict::Moved } else { Verdict::Unchanged };
    }

    fn are_enough(&self, found: &samples::Finding) -> bool {
        found.launches.0.min(found.launches.1) >= self.around.whole.launches
    }

    fn by_history(&self, band: &Band, current: f64, chosen: Option<f64>) -> Judged {
        let finding = match () {
            () if band.suspects(current) => self.suspect(|again| {
                let middle = median(&sorted(again));
                middle.is_some_and(|again| band.suspects(again))
            }),
            () if current < band.better => Found::Better,
            () => Found::Normal,
        };
        let told = |cost| value(self.evidence.direction(), cost);
        let found = HistoryFinding {
            values: band.values,
            median: told(band.median),
            normal: told(band.normal),
            limit: told(band.limit),
            effect: share(current - band.median),
            finding,
        };
        if let Some(shift) = self.around.shift {
            return (Verdict::Inconclusive, Reason::EnvironmentShift(Box::new((shift, Some(found)))));
        }
        let verdict = match self.conclude(finding, current - band.median, chosen) {
            // What strays so far that half as much again is normal does not say that all is well.
            Verdict::Unchanged if band.is_too_wide() && self.threshold == Verdict::Regressed => {
                Verdict::Inconclusive
            }
            verdict => verdict,
        };
        (verdict, Reason::History(Box::new(found)))
    }

    /// Launches find what the threshold lets pass. What they do not find, they do not acquit: few of them find little.
    fn by_launches(&self, found: &samples::Finding, chosen: Option<f64>) -> Option<Judged> {
        let base = self.evidence.launch_costs(&self.more()?.base_launches);
        let finding = match () {
            () if found.rejected && found.effect > samples::LARGE => {
                self.suspect(|again| samples::confirms(&base, again))
            }
            () if found.interval.1 < -samples::LARGE => Found::Better,
            () => Found::Normal,
        };
        let verdict = match self.conclude(finding, found.effect, chosen) {
            // The threshold fails it alone, and launches that agree do not take its word back.
            Verdict::Inconclusive if self.threshold == Verdict::Regressed => return None,
            Verdict::Unchanged if self.threshold == Verdict::Regressed => Verdict::Inconclusive,
            Verdict::Unchanged if found.rejected => Verdict::Moved,
            Verdict::Unchanged => self.threshold,
            verdict => verdict,
        };
        Some((verdict, Reason::Samples(Box::new(SamplesFinding { test: *found, finding }))))
    }

    fn more(&self) -> Option<&More> {
        self.evidence.more.as_deref()
    }

    /// A suspect, and what further runs say of it.
    fn suspect(&self, confirms: impl Fn(&[f64]) -> bool) -> Found {
        let runs = self.more().map_or(&[][..], |more| &more.repeats);
        // A run in which everything moved confirms nothing, and refutes nothing.
        let shifted = |at: usize| self.around.shifted_repeats.get(at).copied().unwrap_or_default();
        let fit = runs.iter().enumerate().filter(|(at, _)| !shifted(*at));
        let measured: Vec<Vec<f64>> =
            fit.map(|(_, run)| self.evidence.launch_costs(run)).filter(|run| !run.is_empty()).collect();
        let confirmed = measured.iter().filter(|run| confirms(run)).count();
        Found::Suspect { confirmed, repeats: measured.len(), needed: self.around.whole.repeats }
    }

    fn conclude(&self, finding: Found, effect: f64, chosen: Option<f64>) -> Verdict {
        match finding {
            Found::Normal => Verdict::Unchanged,
            Found::Better => Verdict::Improved,
            Found::Suspect { .. } if finding.is_refuted() || is_allowed(effect, chosen) => Verdict::Moved,
            Found::Suspect { .. } if finding.is_confirmed() => Verdict::Regressed,
            Found::Suspect { .. } if self.around.history.suspects == Suspects::Fail => Verdict::Regressed,
            Found::Suspect { .. } => Verdict::Inconclusive,
        }
    }

    /// What holds beside every rule: the ratchet, the floor and the soft limit.
    fn finish(&self, judgement: &mut Judgement) {
        let gated = self.evidence.is_gated();
        if let Some(lost) = self.lost().filter(|_| gated && judgement.verdict != Verdict::Regressed) {
            (judgement.verdict, judgement.because) = (Verdict::Regressed, Reason::Ratchet(Box::new(lost)));
            judgement.moved = true;
        }
        if let Some((difference, floor)) = self.below_floor() {
            let is_grave = matches!(judgement.verdict, Verdict::Regressed | Verdict::Inconclusive);
            // Many small losses are what the ratchet is for.
            if is_grave && !matches!(judgement.because, Reason::Ratchet(_)) {
                (judgement.verdict, judgement.because) =
                    (Verdict::Moved, Reason::BelowFloor { difference, floor });
            }
        } else if judgement.verdict != Verdict::Regressed {
            judgement.warned = gated && self.is_over_soft_limit();
        }
    }

    fn lost(&self) -> Option<ratchet::Finding> {
        let allowed = self.around.history.ratchet.filter(|_| self.around.shift.is_none())?;
        let Rule::Threshold(_) = self.evidence.rule else { return None };
        let costs = self.evidence.costs(&self.more()?.history);
        let found = ratchet::look(&costs, self.evidence.current_cost()?, allowed.ln_1p())?;
        found.is_lost().then_some(found)
    }

    /// The difference and the floor that it is below.
    fn below_floor(&self) -> Option<(f64, f64)> {
        let floor = self.evidence.limits.floor?;
        let (baseline, current) = self.evidence.shown;
        let usual = self.screen.band.filter(|_| self.evidence.relative_to.is_none());
        let usual = usual.map(|band| value(self.evidence.direction(), band.median));
        let difference = (current?.as_f64() - usual.unwrap_or(baseline?.as_f64())).abs();
        (difference < floor).then_some((difference, floor))
    }

    /// Over the soft limit, and by more than what is normal.
    fn is_over_soft_limit(&self) -> bool {
        let costs = self.evidence.current_cost().zip(self.evidence.baseline_cost());
        let Some((current, baseline)) = costs else { return false };
        let normal = self.screen.band.is_none_or(|band| current > band.normal);
        let from = self.screen.band.map_or(baseline, |band| band.median);
        normal && self.evidence.limits.warn.is_some_and(|warn| drop(current - from) > warn)
    }
}

fn by_pairs(found: &pairs::Finding, chosen: Option<f64>) -> Judged {
    let verdict = match found.outcome {
        pairs::Outcome::Slower if is_allowed(found.median, chosen) => Verdict::Moved,
        pairs::Outcome::Slower => Verdict::Regressed,
        pairs::Outcome::Faster => Verdict::Improved,
        pairs::Outcome::Same => Verdict::Unchanged,
        pairs::Outcome::Open => Verdict::Inconclusive,
    };
    (verdict, Reason::Pairs(Box::new(*found)))
}

/// A distance of costs as a drop of throughput.
fn drop(distance: f64) -> f64 {
    -(-distance).exp_m1()
}

/// Whether an effect is within the limit that somebody chose.
fn is_allowed(effect: f64, chosen: Option<f64>) -> bool {
    chosen.is_some_and(|limit| drop(effect) <= limit)
}

/// What could be noticed by the rule that decides.
fn power(evidence: &Evidence, screen: &Screen, rule: Rule) -> Power {
    let chosen = match rule {
        Rule::Threshold(limit) if limit < 1.0 => Some(-(-limit).ln_1p()),
        _ => None,
    };
    let notices = |distance: f64| {
        let chosen = chosen.filter(|_| evidence.limits.is_chosen);
        Some(share(chosen.map_or(distance, |chosen| chosen.max(distance))))
    };
    let tight = |distance: f64| evidence.limits.is_chosen && chosen.is_some_and(|chosen| chosen < distance);
    match (rule, &screen.pairs, &screen.band) {
        (Rule::Exact, ..) => {
            Power { noise: Some(0.0), notices: smallest_step(evidence), is_too_tight: false }
        }
        (Rule::Count(limit), ..) => {
            let notices = smallest_step(evidence).map(|step| step.max(limit));
            Power { noise: None, notices, is_too_tight: false }
        }
        (_, Some(found), _) => Power {
            noise: Some(share(found.stray)),
            notices: notices(found.detectable()),
            is_too_tight: false,
        },
        (_, None, Some(band)) => Power {
            noise: Some(share(band.scale)),
            notices: notices(band.detectable()),
            is_too_tight: tight(band.reach()),
        },
        (Rule::Threshold(_), None, None) if screen.samples.is_some() => Power {
            noise: launches_stray(evidence).map(share),
            notices: chosen.map(share),
            is_too_tight: false,
        },
        (Rule::Threshold(_), None, None) => {
            Power { noise: None, notices: chosen.map(share), is_too_tight: false }
        }
        (Rule::Report, None, None) => Power::default(),
    }
}

/// How far launches of one run stray, on the side where they stray more.
fn launches_stray(evidence: &Evidence) -> Option<f64> {
    let more = evidence.more.as_deref()?;
    let sides = [&more.base_launches, &more.current_launches];
    sides.into_iter().filter_map(|launches| scale(&evidence.costs(launches))).reduce(f64::max)
}

/// One more of what is counted, as a share of the baseline.
fn smallest_step(evidence: &Evidence) -> Option<f64> {
    let Some(Value::Int(baseline @ 1..)) = evidence.baseline else { return None };
    Some(1.0 / Value::Int(baseline).as_f64())
}
