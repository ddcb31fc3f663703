//! The commands that a report ends in: how to see its verdicts again, find their cause, and decide what is open.

use crate::markdown::escape::code;

use super::cells::state::RowState;
use super::context::{FoundMetric, ReportContext};
use super::lists::{noisy_metrics, open};
use crate::number::whole;
use crate::shell;

/// The shortest name of a commit that is unambiguous in all but the largest repositories.
const SHORT: usize = 10;

/// The command that explains the first of [`decided`], or measures again, below its title.
pub(super) fn reproduce(context: &ReportContext<'_>) -> Option<String> {
    let again = context.request.reproduction?;
    let first = *open(context).first()?.first()?;
    let (title, command) = if again.measures {
        (
            "To measure again, in a clone:",
            shell::one_line(&again.command) + &benchmark(context),
        )
    } else {
        let title = match again.benchmark {
            Some(_) => "To reproduce, running it again:",
            None => "To reproduce, with the output of this run:",
        };
        (title, explaining(context, &again.command, first))
    };
    Some(format!("{title}\n\n```sh\n{command}\n```"))
}

/// The next steps in a clone: for the gravest regression its cause, and how it is accepted; if none failed, what decides
/// the first inconclusive verdict. Empty if all is decided.
pub(super) fn next(context: &ReportContext<'_>) -> String {
    let all = open(context);
    let first = all.first().into_iter().flatten();
    let with = |state: RowState| {
        first
            .clone()
            .find(|found| RowState::of(found.metric) == state)
    };
    if let Some(found) = with(RowState::Regressed) {
        return after_regression(context, found);
    }
    with(RowState::Inconclusive).map_or_else(String::new, |found| {
        deciding(context, found, "this benchmark")
    })
}

/// The commands that decide the first metric that is too noisy for its limit.
pub(super) fn decide(context: &ReportContext<'_>) -> String {
    noisy_metrics(context)
        .next()
        .map_or_else(String::new, |(found, _)| {
            deciding(context, found, "the first of them")
        })
}

fn after_regression(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> String {
    let (name, benchmark) = (shell::quoted(&found.scenario.scenario), benchmark(context));
    let comment = code(&format!(
        "/perf accept {} --reason TEXT",
        found.scenario.scenario
    ));
    let comment = format!("\n\nOr for this commit alone, in a comment: {comment}");
    let answers = context
        .request
        .reproduction
        .is_some_and(|again| again.answers_comments);
    let comment = if answers { comment } else { String::new() };
    let base = base(context);
    let option = base
        .as_ref()
        .map_or_else(String::new, |base| format!(" --base-ref {base}"));
    let base = base.unwrap_or_else(|| "BASE".to_owned());
    format!(
        "Investigate locally:\n\n\
         ```sh\nperf-gate why {name}{option}{benchmark}\nperf-gate bisect {base}.. {name}{benchmark}\n\
         perf-gate accept {name} --reason TEXT\n```{comment}"
    )
}

/// More pairs of one benchmark, and instructions, which do not depend on the load.
fn deciding(context: &ReportContext<'_>, found: &FoundMetric<'_>, which: &str) -> String {
    let (name, benchmark) = (shell::quoted(&found.scenario.scenario), benchmark(context));
    let base = base(context).unwrap_or_else(|| "BASE".to_owned());
    format!(
        "To decide, in a clone: measure {which} alone and for longer, or count instructions, which a busy machine does not \
         change:\n\n\
         ```sh\nperf-gate run --base-ref {base} --only {name} --time-limit 10m{benchmark}\n\
         perf-gate why {name} --base-ref {base}{benchmark}\n```"
    )
}

/// The commit of the baseline for a command line; `None` where there are several.
fn base(context: &ReportContext<'_>) -> Option<String> {
    let [commit] = &context.comparison.baseline_commits[..] else {
        return None;
    };
    let is_hash = commit.len() > SHORT && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(shell::quoted(if is_hash {
        &commit[..SHORT]
    } else {
        commit
    }))
}

/// The command that explains the verdict on a metric.
fn explaining(context: &ReportContext<'_>, command: &str, metric: FoundMetric<'_>) -> String {
    let scope = if context.comparison.scopes.len() > 1 {
        format!("{}/", metric.scope.scope)
    } else {
        String::new()
    };
    let name = format!("{scope}{}", metric.scenario.scenario);
    format!(
        "{} --explain {}{}",
        shell::one_line(command),
        shell::quoted(&name),
        benchmark(context)
    )
}

/// The end of a command line that names the build and the benchmark, where the config does not.
fn benchmark(context: &ReportContext<'_>) -> String {
    let given = context
        .request
        .reproduction
        .and_then(|again| again.benchmark.as_deref());
    let given = given.filter(|given| !given.is_empty());
    given
        .map(|given| format!(" {}", shell::one_line(given)))
        .unwrap_or_default()
}

/// `How 3 verdicts were decided`.
pub(super) fn decided_summary(context: &ReportContext<'_>) -> String {
    let decided = match open(context).iter().map(Vec::len).sum() {
        1 => "How it was decided".to_owned(),
        several => format!("How each of the {} verdicts was decided", whole(several)),
    };
    if next(context).is_empty() {
        decided
    } else {
        decided + ", and what next"
    }
}
