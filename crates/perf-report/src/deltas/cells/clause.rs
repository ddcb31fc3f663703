//! One metric in half a sentence: `9.88 → 5.73 M rows/s, −42% (limit −33%)`, or for a count `2 → 6 (+4), any increase fails`.

use crate::markdown::escape::inline;

use perf_verdict::Verdict;

use super::row::{Figures, is_counted};
use crate::deltas::context::{BenchmarkName, FoundMetric};
use crate::rules;
use crate::words::{NO_BREAK, Subject, confirmation_state, versus};

/// The style of a sentence, Markdown or plain: it writes texts from the input, what matters most, and names of
/// benchmarks.
pub(crate) struct Voice {
    pub(crate) text: fn(&str) -> String,
    pub(crate) strong: fn(&str) -> String,
    pub(crate) place: fn(&BenchmarkName) -> String,
}

pub(crate) const MARKDOWN: Voice = Voice {
    text: escaped,
    strong: |text| format!("**{text}**"),
    place: BenchmarkName::markdown,
};
pub(crate) const PLAIN: Voice = Voice {
    text: str::to_owned,
    strong: str::to_owned,
    place: BenchmarkName::plain,
};

/// Escaping turns every space into a plain one, so what must not break is put back.
fn escaped(text: &str) -> String {
    let parts: Vec<String> = text.split(NO_BREAK).map(inline).collect();
    parts.join(&NO_BREAK.to_string())
}

/// The change of a metric, the limit that it is held against, and whether it is confirmed.
pub(crate) fn clause(found: &FoundMetric<'_>, subject: &Subject<'_>, voice: &Voice) -> String {
    let bound = (voice.text)(&rules::bound(subject));
    let Some(what) = numbers(found, subject, voice) else {
        let label = (voice.text)(&found.metric.metric.label);
        return format!("{label} {}", (voice.text)(&rules::reason(subject)));
    };
    let said = if is_counted(subject) {
        format!("{what}, {bound}")
    } else {
        format!("{what} ({bound})")
    };
    match state(subject) {
        Some(state) => format!("{said}, {}", (voice.text)(&state)),
        None => said,
    }
}

/// `9.88 → 5.73 M rows/s, −42%` or `2 → 6 allocations (+4)`, after the name of a metric that is not the benchmark's primary
/// one.
fn numbers(found: &FoundMetric<'_>, subject: &Subject<'_>, voice: &Voice) -> Option<String> {
    let figures = Figures::of(subject);
    if figures.change.is_empty() || figures.is_absent {
        return None;
    }
    let is_counted = is_counted(subject);
    let metric = &found.metric.metric;
    let noun = metric.noun.as_ref().filter(|_| is_counted);
    let label = if found.is_primary() || noun.is_some() {
        String::new()
    } else {
        format!("{} ", (voice.text)(&metric.label))
    };
    let noun = noun.map_or_else(String::new, |noun| format!(" {noun}"));
    let both = format!("{} → {}{noun}", without_unit(&figures), figures.to);
    let both = (voice.text)(&both);
    let change = (voice.strong)(&(voice.text)(&figures.change));
    let change = match figures.median_of {
        Some(values) => versus(&change, &format!("the median of {values}")),
        None => change,
    };
    Some(if is_counted {
        format!("{label}{both} ({change})")
    } else {
        format!("{label}{both}, {change}")
    })
}

/// The first number without the unit that the second one has too.
fn without_unit(figures: &Figures) -> String {
    let unit = |text: &str| text.find([NO_BREAK, '/']).map(|at| text[at..].to_owned());
    match unit(&figures.from).filter(|unit| figures.to.ends_with(unit.as_str())) {
        Some(unit) => figures.from.trim_end_matches(unit.as_str()).to_owned(),
        None => figures.from.clone(),
    }
}

/// The state of the confirmation, or `too noisy to judge`; `None` where neither applies.
fn state(subject: &Subject<'_>) -> Option<String> {
    let reason = &subject.judgement.reason;
    match reason.suspicion().zip(reason.effect()) {
        Some((runs, effect)) => Some(confirmation_state(subject, runs, effect)),
        None if subject.judgement.verdict != Verdict::Inconclusive => None,
        None => rules::too_noisy(subject).map(|_| "too noisy to judge".to_owned()),
    }
}
