//! The result in one line, which starts with the reasons to fail.

use std::collections::HashSet;
use std::f64::consts::LN_2;

use perf_config::FailOn;
use perf_model::diagnostic::named;
use perf_model::metric::Direction;
use perf_model::row::Name;
use perf_verdict::{CannotFail, Obstacle, Reason, Verdict};

use super::context::{FailureReason, FoundMetric, ReportContext};
use super::findings::grouped_findings;
use super::rows::Figures;
use super::state::loss;
use crate::names::BenchmarkName;
use crate::number::{counted, significant, whole};
use crate::reasons::{self, sentence};

/// The maximum number of names in a list.
const NAMED: usize = 3;

/// One count in the headline, such as `2 of 13 benchmarks regressed`.
struct Count {
    number: usize,
    noun: &'static str,
    state: &'static str,
    /// The verdict in `fail-on` that the count belongs to.
    verdict: Option<FailOn>,
    fails: bool,
    /// True if the count needs attention even if nothing fails.
    is_warning: bool,
}

/// The states that are explained in parentheses in the headline.
const INCONCLUSIVE: &str = "inconclusive";
const BROKEN: &str = "probably stopped working";
const UNORIENTED: &str = "changed in an unknown direction";

/// Returns an icon and the result as plain text, in which names are quoted by backticks. The icon shows whether the run
/// failed (❌), needs attention (⚠️) or is fine (✅).
pub(super) fn headline(context: &ReportContext<'_>) -> (&'static str, String) {
    let mut parts = Vec::new();
    let mut needs_look = false;
    parts.extend(required(context));
    if context.tally.compared == 0 && context.tally.broken == 0 {
        parts.push(nothing_compared(context));
        needs_look = true;
    } else {
        needs_look |= push_counts(context, &mut parts);
    }
    needs_look |= !context.details.unmet.is_empty() || !context.comparison.findings.is_empty();
    let icon = match needs_look {
        _ if !context.details.failed.is_empty() => "❌",
        true => "⚠️",
        false => "✅",
    };
    (icon, parts.join(" · "))
}

/// Adds the counts, for a comparison that compared at least one benchmark. Returns whether they need attention.
fn push_counts(context: &ReportContext<'_>, parts: &mut Vec<String>) -> bool {
    let compared = context.tally.compared;
    let failed = &context.details.failed;
    if failed.contains(&FailureReason::NotCompared) {
        parts.push("a machine type of this run was not compared".to_owned());
    }
    let mut needs_look = false;
    let (bad, good): (Vec<Count>, Vec<Count>) = counts(context)
        .into_iter()
        .partition(|count| count.is_warning || count.fails);
    for count in &bad {
        needs_look |= count.is_warning;
        parts.push(count.text(context, parts.is_empty()));
    }
    parts.extend(findings(context));
    if let Some(largest) = largest_unguarded(context) {
        parts.push(largest);
        needs_look = true;
    }
    let is_gated = context.comparison.can_fail();
    if !is_gated {
        parts.push("nothing is gated".to_owned());
        needs_look = true;
    } else if let Some((hidden, gated)) = context.comparison.hidden_doublings()
        && context.tally.inconclusive < compared
    {
        let benchmarks = counted(gated, "benchmark");
        let hidden = whole(hidden);
        parts.push(format!(
            "cannot tell: noise would hide a doubling in {hidden} of {benchmarks}"
        ));
        needs_look = true;
    } else if parts.is_empty() {
        parts.push(format!("{} within limits", counted(compared, "benchmark")));
    }
    for count in &good {
        parts.push(count.text(context, false));
    }
    needs_look || blind_benchmarks(context, |_| true) >= compared
}

/// Returns the counts above zero. Counts that fail come first.
fn counts(context: &ReportContext<'_>) -> Vec<Count> {
    let tally = context.tally;
    // Waived benchmarks and suites without gates are reported separately.
    let mut blind = 0;
    if context.comparison.can_fail() {
        blind = blind_benchmarks(context, |why| !matches!(why, CannotFail::Waived(_)));
    }
    let refuted = refuted_losses(context);
    let uncompared = tally.uncompared.saturating_sub(tally.not_comparable);
    let not_comparable = tally.not_comparable - tally.broken;
    let mut counts = vec![
        Count::warning(tally.regressed, "benchmark", "regressed").of(FailOn::Regressed),
        Count::warning(tally.missing, "benchmark", "missing").of(FailOn::Missing),
        Count::warning(tally.unmeasured, "gated metric", "no longer measured")
            .of(FailOn::Unmeasured),
        Count::warning(tally.inconclusive, "benchmark", INCONCLUSIVE).of(FailOn::Inconclusive),
        Count::warning(tally.broken, "benchmark", BROKEN).of(FailOn::NotComparable),
        Count::warning(tally.unoriented, "metric", UNORIENTED),
        Count::warning(not_comparable, "benchmark", "not comparable").of(FailOn::NotComparable),
        Count::warning(blind, "benchmark", "cannot fail"),
        Count::good(tally.waived, "benchmark", "waived"),
        Count::warning(tally.warned, "benchmark", "over a soft limit"),
        Count::warning(uncompared, "benchmark", "without a comparable metric"),
        Count {
            // Noise rarely doubles a time.
            is_warning: refuted.iter().any(|loss| *loss >= LN_2),
            ..Count::good(refuted.len(), "suspected regression", "not confirmed")
        },
        Count::good(moved(context), "metric", "changed").of(FailOn::Moved),
        Count::good(tally.improved, "benchmark", context.improved).of(FailOn::Improved),
        Count::good(tally.new, "benchmark", "new").of(FailOn::New),
    ];
    counts.retain(|count| count.number > 0);
    for count in &mut counts {
        count.fails = count.verdict.is_some_and(|verdict| context.fails(verdict));
    }
    counts.sort_by_key(|count| !count.fails);
    counts
}

/// Returns the number of metrics that changed, or 0 if a change does not fail.
fn moved(context: &ReportContext<'_>) -> usize {
    if !context.fails(FailOn::Moved) {
        return 0;
    }
    let metrics = context.metrics();
    metrics.filter(|found| found.metric.judgement.moved).count()
}

/// Returns the losses that a rerun did not confirm.
fn refuted_losses(context: &ReportContext<'_>) -> Vec<f64> {
    let mut losses = Vec::new();
    for found in context.metrics() {
        if found.metric.judgement.is_refuted() {
            losses.push(loss(found.metric).unwrap_or_default());
        }
    }
    losses
}

impl Count {
    /// Creates a count that needs attention even if nothing fails.
    fn warning(number: usize, noun: &'static str, state: &'static str) -> Self {
        Self {
            number,
            noun,
            state,
            verdict: None,
            fails: false,
            is_warning: true,
        }
    }

    fn good(number: usize, noun: &'static str, state: &'static str) -> Self {
        Self {
            is_warning: false,
            ..Self::warning(number, noun, state)
        }
    }

    /// Sets the verdict in `fail-on` that the count belongs to.
    fn of(self, verdict: FailOn) -> Self {
        Self {
            verdict: Some(verdict),
            ..self
        }
    }

    /// Formats the count as `2 of 13 benchmarks regressed`, or as `2 regressed` after another count.
    fn text(&self, context: &ReportContext<'_>, is_first: bool) -> String {
        let (count, state) = (whole(self.number), self.state);
        let text = match self.verdict {
            Some(FailOn::Regressed | FailOn::Inconclusive) if is_first => {
                let all = counted(context.tally.compared, self.noun);
                format!("{count} of {all} {state}")
            }
            _ if is_first || self.noun != "benchmark" => {
                format!("{} {state}", counted(self.number, self.noun))
            }
            _ => format!("{count} {state}"),
        };
        let why = match state {
            INCONCLUSIVE => inconclusive_because(context),
            BROKEN => broken(context),
            UNORIENTED => unoriented(context),
            _ => None,
        };
        match why {
            Some(why) => format!("{text} ({why})"),
            None => text,
        }
    }
}

/// Returns the number of benchmarks with a metric that cannot fail, for reasons that `is_counted` accepts.
fn blind_benchmarks(
    context: &ReportContext<'_>,
    is_counted: impl Fn(&CannotFail) -> bool,
) -> usize {
    let mut benchmarks = HashSet::new();
    for blind in &context.comparison.blind {
        if is_counted(&blind.why) {
            benchmarks.insert((&*blind.scope, &*blind.scenario));
        }
    }
    benchmarks.len()
}

/// Returns the first two findings about the inputs as sentences, and the number of further findings.
fn findings(context: &ReportContext<'_>) -> Vec<String> {
    const SHOWN: usize = 2;
    let groups = grouped_findings(&context.comparison.findings);
    let mut sentences = Vec::new();
    for group in groups.iter().take(SHOWN) {
        let name =
            |name: &Name| BenchmarkName::new(name, context.config.label(name), None).quoted();
        let side = if group.is_in_baseline {
            "in the baseline: "
        } else {
            ""
        };
        sentences.push(format!("{side}{}", group.sentence(name, str::to_owned)));
    }
    let more = groups.len().saturating_sub(SHOWN);
    if more > 0 {
        sentences.push(counted(more, "more finding"));
    }
    sentences
}

/// Returns why benchmarks are inconclusive if there is a cause other than noise: an environment shift, a mixture of
/// process runs, or a doubtful input.
fn inconclusive_because(context: &ReportContext<'_>) -> Option<String> {
    let mut largest_mixture = None;
    let mut doubt = None;
    for found in context.metrics() {
        match &found.metric.judgement.reason {
            Reason::Environment(finding) => {
                // A benchmark is compared with the shift of the other benchmarks, but the headline shows the shift of the
                // whole scope.
                let own = context
                    .comparison
                    .scopes
                    .iter()
                    .find_map(|scope| scope.shift);
                let typical = reasons::typical(&own.unwrap_or(finding.shift));
                return Some(format!("environment shift: {typical}"));
            }
            Reason::Mixture(mixture)
                if largest_mixture.is_none_or(|(_, distance)| mixture.distance > distance) =>
            {
                largest_mixture = Some((found, mixture.distance));
            }
            Reason::Obstacle(Obstacle::SharedOutput(_) | Obstacle::Contradiction(_)) => {
                doubt = doubt.or(Some(found.metric));
            }
            _ => {}
        }
    }
    if let Some((found, _)) = largest_mixture
        && let Reason::Mixture(mixture) = &found.metric.judgement.reason
    {
        let runs = reasons::far_runs(mixture, &context.subject(found.metric));
        return Some(format!("{}: {runs}", context.name_of(&found).quoted()));
    }
    doubt.map(|metric| sentence(metric, context.config))
}

/// Lists the required benchmarks that this run did not measure. Returns `None` if all were measured.
fn required(context: &ReportContext<'_>) -> Option<String> {
    let unmet = &context.details.unmet;
    if unmet.is_empty() {
        return None;
    }
    let names: Vec<String> = unmet.iter().map(|name| name.replace('`', "")).collect();
    let all = counted(unmet.len(), "required benchmark");
    Some(format!("{all} not measured: {}", named(&names, NAMED)))
}

/// Returns the largest change among the benchmarks that probably stopped working: `parse 20,000× faster`.
fn broken(context: &ReportContext<'_>) -> Option<String> {
    let times = |reason: &Reason| match reason {
        Reason::Obstacle(Obstacle::Implausible(times)) => *times,
        _ => f64::INFINITY,
    };
    let all = context.metrics().filter(|found| found.metric.is_broken());
    let (times, found) = all
        .map(|found| (times(&found.metric.judgement.reason), found))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let name = context.name_of(&found).quoted();
    Some(if times.is_finite() {
        format!("{name} {}× faster", significant(times, 2))
    } else {
        format!("{name} fell to 0")
    })
}

/// Describes the changes in metrics of unknown direction: `up to 10×; set …`.
fn unoriented(context: &ReportContext<'_>) -> Option<String> {
    let mut largest: Option<f64> = None;
    for found in context
        .metrics()
        .filter(|found| found.metric.is_unoriented())
    {
        let change = found.metric.judgement.change.unwrap_or(f64::INFINITY);
        let factor = (1.0 + change).ln().abs();
        largest = Some(largest.unwrap_or_default().max(factor));
    }
    let factor = largest?.exp();
    let size = if factor.is_finite() {
        format!("up to {}×", significant(factor, 2))
    } else {
        "from or to 0".to_owned()
    };
    Some(format!("{size}; set `better` in `[metrics]`"))
}

/// Returns the largest change for the worse in a metric that is not gated.
fn largest_unguarded(context: &ReportContext<'_>) -> Option<String> {
    let all = context.metrics().filter(|found| {
        found.metric.judgement.is_unguarded
            && found.metric.metric.meaning.direction != Direction::Unknown
            && found.scenario.verdict() != Verdict::Regressed
    });
    let size = |found: &FoundMetric<'_>| loss(found.metric).unwrap_or(f64::INFINITY);
    let largest = all.max_by(|one, other| size(one).total_cmp(&size(other)))?;
    let figures = Figures::of(&context.subject(largest.metric));
    let change = if figures.change.is_empty() {
        format!("{} → {}", figures.base, figures.head)
    } else {
        figures.change
    };
    let name = context.name_of(&largest).quoted();
    if figures.has_metric {
        return Some(format!("not gated: {name} {change}"));
    }
    let metric = &largest.metric.metric.label;
    Some(format!("not gated: {name} {metric} {change}"))
}

fn nothing_compared(context: &ReportContext<'_>) -> String {
    let (tally, unlike) = (context.tally, &context.details.unlike);
    if !unlike.is_empty() && tally.missing == 0 {
        return format!("nothing was compared: {unlike}");
    }
    let waived = if tally.missing + tally.uncompared == 0 {
        tally.waived
    } else {
        0
    };
    let counts = [
        (tally.missing, "only in the baseline"),
        (tally.new, "only in this run"),
        (tally.uncompared, "in both without a comparable metric"),
        (waived, "missing and waived"),
    ];
    let mut reasons = Vec::new();
    for (count, state) in counts {
        if count > 0 {
            reasons.push(format!("{} {state}", counted(count, "benchmark")));
        }
    }
    let mut text = format!("nothing was compared: {}", reasons.join(", "));
    for finding in findings(context) {
        text = format!("{text} · {finding}");
    }
    text
}
