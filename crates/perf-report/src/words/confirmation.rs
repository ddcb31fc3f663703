//! Sentences about the confirmation of a suspected regression, and about the limit that the user chose.

use perf_verdict::{Confirmation, Rule, Screening, Verdict};

use super::subject::Subject;

/// The state of the confirmation, and what to do where it is incomplete; `effect` is a distance of costs.
pub(crate) fn confirmation(compared: &Subject<'_>, runs: Confirmation, effect: f64) -> String {
    let Confirmation {
        confirmed,
        confirmation_runs,
        needed,
    } = runs;
    let verdict = compared.judgement.verdict;
    let all = format!("{confirmation_runs} confirmation runs");
    if runs.is_refuted() {
        return format!(
            "not confirmed: {} of {all} within the limit",
            confirmation_runs - confirmed
        );
    }
    if let Some(allowed) = allowed(compared, effect).filter(|_| verdict == Verdict::Moved) {
        return allowed;
    }
    if needed == 0 && confirmation_runs == 0 {
        return "too large to need a confirmation run".to_owned();
    }
    if runs.is_complete() {
        let but = if verdict == Verdict::Inconclusive {
            ", but hardly worse than the run before"
        } else {
            ""
        };
        return format!("confirmed in {confirmed} of {all}{but}");
    }
    if verdict == Verdict::Regressed {
        return "unconfirmed, but configured to fail".to_owned();
    }
    format!(
        "{}: {} to confirm",
        unconfirmed(runs),
        again(runs.missing())
    )
}

/// The same behind a semicolon, where a regression is suspected.
pub(crate) fn and_confirmation(
    compared: &Subject<'_>,
    screening: Screening,
    effect: f64,
) -> String {
    let runs = screening.suspicion();
    runs.map_or_else(String::new, |runs| {
        format!("; {}", confirmation(compared, runs, effect))
    })
}

/// The state of a confirmation that lacks runs.
fn unconfirmed(
    Confirmation {
        confirmed,
        confirmation_runs,
        needed,
    }: Confirmation,
) -> String {
    match confirmation_runs {
        0 => "unconfirmed".to_owned(),
        _ if confirmed >= needed => {
            format!(
                "confirmed in {confirmed} of {confirmation_runs} confirmation runs, more than half needed"
            )
        }
        _ => format!(
            "confirmed in {confirmed} of {confirmation_runs} confirmation runs, {needed} needed"
        ),
    }
}

/// The advice for a comparison of files, where this many confirmation runs are missing.
pub(crate) fn rerun(missing: usize) -> String {
    let outputs = if missing > 1 { "outputs" } else { "output" };
    format!("{} and pass the {outputs} with `--confirm`", again(missing))
}

fn again(missing: usize) -> String {
    match missing {
        0 | 1 => "re-run".to_owned(),
        2 => "re-run twice".to_owned(),
        more => format!("re-run {more} times"),
    }
}

/// The state of the confirmation, for a place with [`rerun`] below it.
pub(crate) fn confirmation_state(
    compared: &Subject<'_>,
    runs: Confirmation,
    effect: f64,
) -> String {
    let said = confirmation(compared, runs, effect);
    let lacks = format!("{}: ", unconfirmed(runs));
    if said.starts_with(&lacks) {
        unconfirmed(runs)
    } else {
        said
    }
}

/// The remark that a suspected effect is within the limit that the user chose; `None` without a fixed limit.
pub(crate) fn allowed(compared: &Subject<'_>, effect: f64) -> Option<String> {
    let Rule::Limit(limit) = compared.judgement.rule else {
        return None;
    };
    Some(match compared.change_of_limit(limit) {
        Some(limit) => {
            let (_, limit) = compared.signed_pair(compared.change_of(effect), limit);
            format!("within the chosen limit of {limit}")
        }
        None => "the chosen limit allows any loss".to_owned(),
    })
}
