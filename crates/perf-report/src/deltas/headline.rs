//! What happened, in one sentence.

use perf_verdict::rules::environment::Shift;
use perf_verdict::{MetricComparison, Reason, Rule, Tally, Verdict};

use super::{Found, Told};
use crate::words;
use perf_markdown::escape::inline;

/// The sentence as Markdown.
pub(super) fn markdown(told: &Told<'_>) -> String {
    headline(told, &MARKDOWN)
}

/// The sentence as plain text.
pub(super) fn plain(told: &Told<'_>) -> String {
    headline(told, &PLAIN)
}

/// How a sentence is written: what input says, and what matters most.
struct Voice {
    text: fn(&str) -> String,
    strong: fn(&str) -> String,
}

const MARKDOWN: Voice = Voice { text: inline, strong: |text| format!("**{text}**") };
const PLAIN: Voice = Voice { text: str::to_owned, strong: str::to_owned };

fn headline(told: &Told<'_>, voice: &Voice) -> String {
    let tally = told.tally;
    if tally.compared == 0 {
        return nothing_compared(tally, voice);
    }
    let first = match (tally.regressed, tally.inconclusive) {
        (0, 0) => format!("No regression in {} compared{}", scenarios(tally.compared), sure(told)),
        (0, open) => inconclusive(told, tally, open, voice),
        (count, _) => worst_of(told, tally, Verdict::Regressed, count, voice),
    };
    let open = if tally.regressed > 0 { tally.inconclusive } else { 0 };
    let others = [
        (open, "inconclusive"),
        (tally.improved, "improved"),
        (tally.waived, "known and waived"),
        (tally.warned, "over a soft limit"),
        (tally.not_comparable, "with a gated metric that cannot be compared"),
        (tally.uncompared.saturating_sub(tally.not_comparable), "without a metric to compare"),
        (tally.unmeasured, "gated metrics not measured any more"),
        (tally.missing, "missing"),
        (tally.new, "new"),
    ];
    let others = others.iter().filter(|(count, _)| *count > 0);
    let mut said = vec![first];
    said.extend(others.map(|(count, what)| format!("{count} {what}")));
    let (first, others) = (said.remove(0), said.join(", "));
    if others.is_empty() { format!("{first}.") } else { format!("{first}; {others}.") }
}

/// How sure that is, where it is known: what half of the gated rows with a history or with
/// pairs would have shown nine times in ten.
fn sure(told: &Told<'_>) -> String {
    let is_telling = |found: &Found<'_>| found.metric.judgement.power.noise.is_some_and(|noise| noise > 0.0);
    let mut notices: Vec<f64> = told
        .telling
        .iter()
        .filter(|found| is_telling(found) && found.metric.judgement.rule != Rule::Report)
        .filter_map(|found| found.metric.judgement.power.detectable)
        .collect();
    notices.sort_unstable_by(f64::total_cmp);
    match notices.get(notices.len() / 2) {
        Some(middle) => {
            format!(" (typically, a cost of {} or more would have shown)", words::signed(*middle))
        }
        None => String::new(),
    }
}

fn inconclusive(told: &Told<'_>, tally: Tally, open: usize, voice: &Voice) -> String {
    let Some(shift) = shift(told) else {
        return worst_of(told, tally, Verdict::Inconclusive, open, voice);
    };
    let strong = (voice.strong)("Inconclusive");
    let shift = words::shift(&shift);
    format!("{strong} due to an {shift}; {open} of {} cannot be judged", scenarios(tally.compared))
}

/// The shift of most rows that a verdict rests on; the farthest of these.
fn shift(told: &Told<'_>) -> Option<Shift> {
    let shifts =
        told.judged(Verdict::Inconclusive).filter_map(|found| match &found.metric.judgement.reason {
            // Each metric was judged by that of all others, of which there are as many as metrics.
            Reason::Environment(finding) => Some(found.scope.shift.unwrap_or(finding.shift)),
            _ => None,
        });
    shifts.max_by(|a, b| {
        let far = a.distance.abs().total_cmp(&b.distance.abs());
        a.rows.cmp(&b.rows).then(far).then(a.share.total_cmp(&b.share))
    })
}

/// How many came to this verdict, and what the worst of them says.
fn worst_of(told: &Told<'_>, tally: Tally, verdict: Verdict, count: usize, voice: &Voice) -> String {
    let (one, many) = match verdict {
        Verdict::Regressed => ("regressed", "regressed"),
        _ => ("is inconclusive", "are inconclusive"),
    };
    let Some(worst) = worst(told, verdict) else {
        return format!("{count} of {} {many}", scenarios(tally.compared));
    };
    let label = (voice.text)(&told.place(&worst.scope.scope, &worst.scenario.scenario));
    let sentence = words::sentence(worst.metric, told.config);
    let why = (voice.text)(&format!("{} {sentence}", worst.metric.metric.label));
    if count == 1 {
        return format!("{}: {why}", (voice.strong)(&format!("{label} {one}")));
    }
    let strong = (voice.strong)(&format!("{count} of {} {many}", scenarios(tally.compared)));
    format!("{strong}, most of all {label}: {why}")
}

fn nothing_compared(tally: Tally, voice: &Voice) -> String {
    let sides = format!("{} only in the baseline, {} only in this run", scenarios(tally.missing), tally.new);
    let neither = match tally.uncompared {
        0 => String::new(),
        both => format!(", {both} on both sides without a metric to compare"),
    };
    format!("{}, so nothing is known: {sides}{neither}.", (voice.strong)("Nothing was compared"))
}

fn scenarios(count: usize) -> String {
    format!("{count} scenario{}", if count == 1 { "" } else { "s" })
}

/// The metric of this verdict that lost most; of several, the first by name.
fn worst<'c>(told: &Told<'c>, verdict: Verdict) -> Option<Found<'c>> {
    told.judged(verdict)
        .min_by(|a, b| loss(b.metric).total_cmp(&loss(a.metric)).then_with(|| a.name().cmp(&b.name())))
}

/// How much more it costs, as a distance.
fn loss(compared: &MetricComparison) -> f64 {
    compared.judgement.reason.finding().effect().unwrap_or_default()
}
