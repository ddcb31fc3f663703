//! The gate proves that it can fail: a regression is injected into each gated metric, and must be caught.
//!
//! What is injected is ten times the cost, or one more of what is counted, or more where a floor asks for more; and
//! the same the other way round, which must not be taken for a regression. The data keep everything else: history,
//! noise, repeats and pairs, and what the rest of the suite says.

use perf_model::metric::Direction;
use perf_model::row::{Name, Value};

use crate::evidence::Evidence;
use crate::judge::{Context, judge};
use crate::oriented::{cost, value};
use crate::screen::Screen;
use crate::verdict::{Judgement, Reason, Rule, Verdict};

/// How much more a regression costs that nobody can call noise.
const TIMES: f64 = 10.0;

/// A gated metric that a regression would get past.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// Its scenario.
    pub scenario: Name,
    /// Its name.
    pub metric: Name,
    /// What the gate would do.
    pub why: Missed,
}

/// How an injected change was misjudged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// A regression came to this verdict.
    Regression(Verdict),
    /// An improvement was taken for a regression.
    Improvement,
}

/// Injects both changes into a metric; `None` where nothing is gated or nothing can be compared.
pub fn self_test(
    evidence: &mut Evidence,
    judgement: &Judgement,
    screen: &Screen,
    around: &Context<'_>,
) -> Option<Result<(), Missed>> {
    let is_judged = !matches!(judgement.verdict, Verdict::Unmeasured | Verdict::NotComparable);
    if !evidence.is_gated() || !is_judged {
        return None;
    }
    let mut again = |way: f64| {
        // Metrics come in hundreds of thousands: what is injected is taken out again.
        let (current, shown, floor) = (evidence.current, evidence.shown, evidence.limits.floor);
        let more = evidence.more.clone();
        let judged = inject(evidence, screen, around, way).map(|screen| judge(evidence, &screen, around));
        (evidence.current, evidence.shown, evidence.limits.floor, evidence.more) =
            (current, shown, floor, more);
        judged
    };
    let worse = again(1.0)?;
    if !is_caught(&worse, around) {
        return Some(Err(Missed::Regression(worse.verdict)));
    }
    let better = again(-1.0);
    let is_mistaken = better.is_some_and(|better| better.verdict == Verdict::Regressed);
    Some(if is_mistaken { Err(Missed::Improvement) } else { Ok(()) })
}

/// Whether the change would be seen: it fails, or it would once a further run confirms it.
fn is_caught(worse: &Judgement, around: &Context<'_>) -> bool {
    let is_open = matches!(&worse.because, Reason::Pairs(found) if found.needed.is_none());
    worse.verdict == Verdict::Regressed
        || (worse.verdict == Verdict::Inconclusive
            && (worse.is_suspect() || around.shift.is_some() || is_open))
}

/// Injects a change into the current side, and gives a fresh look at it.
fn inject(injected: &mut Evidence, screen: &Screen, around: &Context<'_>, way: f64) -> Option<Screen> {
    if injected.relative_to.is_some() {
        // A floor is of what is shown, and what is injected is a quotient.
        injected.limits.floor = None;
    }
    let direction = injected.direction();
    if let Rule::Exact = injected.rule {
        injected.current = Some(stepped(injected, direction, way)?);
        injected.shown.1 = injected.current;
        return Some(screen.clone());
    }
    let baseline = injected.baseline?.as_f64();
    let distance = TIMES.ln() * way;
    let from = cost(direction, baseline)?;
    // Beyond everything that the history has seen.
    let limit =
        screen.band.map_or(from, |band| if way > 0.0 { band.limit.max(from) } else { band.better.min(from) });
    let mut changed = value(direction, limit + distance);
    if let Some(floor) = injected.limits.floor.filter(|floor| (changed - baseline).abs() < *floor) {
        changed = beyond_floor(direction, baseline, 2.0 * floor * way)?;
    }
    injected.current = Some(Value::new(changed)?);
    injected.shown.1 = injected.current;
    if let Some(more) = &mut injected.more {
        let moved =
            |number: f64| cost(direction, number).map_or(number, |cost| value(direction, cost + distance));
        more.pairs.iter_mut().for_each(|(base, current)| *current = moved(*base));
        more.current_launches.iter_mut().for_each(|number| *number = moved(*number));
        for repeat in more.repeats.iter_mut().filter(|repeat| !repeat.is_empty()) {
            *repeat = vec![changed];
        }
    }
    let mut screen = Screen::of(injected, around.history);
    if let Some(samples) = &mut screen.samples {
        // Of a suite, one clear regression is what the rule is made to find.
        samples.rejected = way > 0.0 && samples.p < 1.0;
    }
    Some(screen)
}

/// A number worse by an absolute amount, which throughput may not have to lose.
fn beyond_floor(direction: Direction, baseline: f64, by: f64) -> Option<f64> {
    let changed = if direction == Direction::Higher { baseline - by } else { baseline + by };
    Some(changed.max(0.0)).filter(|changed| changed.is_finite())
}

/// One more, or one fewer, of what is counted; two floors where there is one.
fn stepped(evidence: &Evidence, direction: Direction, way: f64) -> Option<Value> {
    let step = evidence.limits.floor.map_or(1.0, |floor| (2.0 * floor).max(1.0));
    let up = if direction == Direction::Higher { -way } else { way };
    let baseline = evidence.baseline?;
    match baseline {
        #[expect(clippy::cast_possible_truncation, reason = "a step of a count; saturates")]
        Value::Int(count) => {
            count.checked_add((step * up).ceil() as i64).filter(|next| *next >= 0).map(Value::Int)
        }
        Value::Real(number) => Value::new(number + step * up).filter(|next| next.as_f64() >= 0.0),
    }
}
