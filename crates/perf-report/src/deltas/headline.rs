//! The outcome in one sentence.

use perf_verdict::MetricComparison;
use perf_verdict::rules::environment::Shift;
use perf_verdict::{Reason, Rule, Tally, Verdict};

use super::{Context, Found};
use crate::words;
use perf_markdown::escape::inline;

/// The sentence as Markdown.
pub(super) fn markdown(context: &Context<'_>) -> String {
    headline(context, &MARKDOWN)
}

/// The sentence as plain text.
pub(super) fn plain(context: &Context<'_>) -> String {
    headline(context, &PLAIN)
}

/// How a sentence is written: text from the input, and what matters most.
struct Voice {
    text: fn(&str) -> String,
    strong: fn(&str) -> String,
}

const MARKDOWN: Voice = Voice { text: inline, strong: |text| format!("**{text}**") };
const PLAIN: Voice = Voice { text: str::to_owned, strong: str::to_owned };

fn headline(context: &Context<'_>, voice: &Voice) -> String {
    let tally = context.tally;
    if tally.compared == 0 {
        return nothing_compared(tally, voice);
    }
    let first = match (tally.regressed, tally.inconclusive) {
        (0, 0) => format!("No regression in {}{}", benchmarks(tally.compared), detectable(context)),
        (0, open) => inconclusive(context, tally, open, voice),
        (count, _) => worst_of(context, tally, Verdict::Regressed, count, voice),
    };
    let open = if tally.regressed > 0 { tally.inconclusive } else { 0 };
    let others = [
        (open, "inconclusive"),
        (tally.improved, "improved"),
        (tally.waived, "waived"),
        (tally.warned, "over a soft limit"),
        (tally.not_comparable, "not comparable"),
        (tally.uncompared.saturating_sub(tally.not_comparable), "without a comparable metric"),
        (tally.unmeasured, "gated metrics no longer measured"),
        (tally.missing, "missing"),
        (tally.new, "new"),
    ];
    let others = others.iter().filter(|(count, _)| *count > 0);
    let others: Vec<String> = others.map(|(count, what)| format!("{count} {what}")).collect();
    if others.is_empty() { format!("{first}.") } else { format!("{first}; {}.", others.join(", ")) }
}

/// The median of the smallest detectable changes of the gated metrics with a history or with pairs.
fn detectable(context: &Context<'_>) -> String {
    let is_known = |found: &Found<'_>| found.metric.judgement.power.noise.is_some_and(|noise| noise > 0.0);
    let mut costs: Vec<f64> = context
        .notable
        .iter()
        .filter(|found| is_known(found) && found.metric.judgement.rule != Rule::Report)
        .filter_map(|found| found.metric.judgement.power.detectable)
        .collect();
    costs.sort_unstable_by(f64::total_cmp);
    match costs.get(costs.len() / 2) {
        Some(middle) => {
            format!(" (a cost increase of {} or more would typically be detected)", words::signed(*middle))
        }
        None => String::new(),
    }
}

fn inconclusive(context: &Context<'_>, tally: Tally, open: usize, voice: &Voice) -> String {
    let Some(shift) = shift(context) else {
        return worst_of(context, tally, Verdict::Inconclusive, open, voice);
    };
    let strong = (voice.strong)("Inconclusive");
    let shift = words::shift(&shift);
    format!("{strong} due to an {shift}; {open} of {} cannot be judged", benchmarks(tally.compared))
}

/// The environment shift of the most rows; the largest of these.
fn shift(context: &Context<'_>) -> Option<Shift> {
    let shifts =
        context.judged(Verdict::Inconclusive).filter_map(|found| match &found.metric.judgement.reason {
            // Each metric was judged by the shift of all others, so there are as many shifts as metrics.
            Reason::Environment(finding) => Some(found.scope.shift.unwrap_or(finding.shift)),
            _ => None,
        });
    shifts.max_by(|a, b| {
        let far = a.distance.abs().total_cmp(&b.distance.abs());
        a.rows.cmp(&b.rows).then(far).then(a.share.total_cmp(&b.share))
    })
}

/// How many benchmarks have this verdict, and the reason of the worst.
fn worst_of(context: &Context<'_>, tally: Tally, verdict: Verdict, count: usize, voice: &Voice) -> String {
    let (one, many) = match verdict {
        Verdict::Regressed => ("regressed", "regressed"),
        _ => ("is inconclusive", "are inconclusive"),
    };
    let Some(worst) = worst(context, verdict) else {
        return format!("{count} of {} {many}", benchmarks(tally.compared));
    };
    let label = (voice.text)(&context.place(&worst.scope.scope, &worst.scenario.scenario));
    let sentence = words::sentence(worst.metric, context.config);
    let why = (voice.text)(&format!("{} {sentence}", worst.metric.metric.label));
    if count == 1 {
        return format!("{}: {why}", (voice.strong)(&format!("{label} {one}")));
    }
    let strong = (voice.strong)(&format!("{count} of {} {many}", benchmarks(tally.compared)));
    format!("{strong}, the worst is {label}: {why}")
}

fn nothing_compared(tally: Tally, voice: &Voice) -> String {
    let sides = format!("{} only in the baseline, {} only in this run", benchmarks(tally.missing), tally.new);
    let both = match tally.uncompared {
        0 => String::new(),
        both => format!(", {both} in both without a comparable metric"),
    };
    format!("{}: {sides}{both}.", (voice.strong)("Nothing was compared"))
}

fn benchmarks(count: usize) -> String {
    format!("{count} benchmark{}", if count == 1 { "" } else { "s" })
}

/// The metric with this verdict that lost most; the first by name of several.
fn worst<'c>(context: &Context<'c>, verdict: Verdict) -> Option<Found<'c>> {
    context
        .judged(verdict)
        .min_by(|a, b| loss(b.metric).total_cmp(&loss(a.metric)).then_with(|| a.name().cmp(&b.name())))
}

/// How much more it costs, as a distance.
fn loss(compared: &MetricComparison) -> f64 {
    compared.judgement.reason.finding().effect().unwrap_or_default()
}
