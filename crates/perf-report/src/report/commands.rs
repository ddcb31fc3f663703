//! The commands in a report, which reproduce verdicts, find causes, and decide inconclusive benchmarks.

use super::context::{ReportContext, explained};
use super::state::RowState;
use crate::markdown::escape::code;
use crate::shell;

/// The length of a shortened commit. It is unambiguous in all but the largest repositories.
const SHORT_COMMIT: usize = 10;

/// The start of a sentence that links to the guide for accepting regressed and missing benchmarks.
const ACCEPT: &str = "Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md)";

pub(super) struct Commands {
    pub(super) title: &'static str,
    pub(super) lines: Vec<String>,
}

/// Returns the command that explains the first verdict or measures again. `None` if nothing needs an explanation.
pub(super) fn reproduce(context: &ReportContext<'_>) -> Option<Commands> {
    let again = context.details.reproduction.as_ref()?;
    let first = explained(context).first()?[0];
    let mut line = shell::one_line(&again.command);
    let title = if again.measures {
        "To measure again, in a clone:"
    } else if again.benchmark.is_some() {
        "To reproduce by running it again:"
    } else {
        let mut name = first.scenario.scenario.to_string();
        if context.comparison.scopes.len() > 1 {
            name = format!("{}/{name}", first.scope.scope);
        }
        line = format!("{line} --explain {}", shell::quoted(&name));
        "To reproduce from the output of this run:"
    };
    if again.benchmark.is_some() {
        line += &benchmark(context);
    }
    Some(Commands {
        title,
        lines: vec![line],
    })
}

/// Returns the next steps. After a regression, these find the cause of the most serious one in a clone. Otherwise, they
/// decide the first inconclusive benchmark.
pub(super) fn next_steps(context: &ReportContext<'_>) -> Option<Commands> {
    let all = explained(context);
    let first = all.first()?;
    let key = &first[0].scenario.scenario;
    let mut states = first.iter().map(|found| RowState::of(found.metric));
    if !states.any(|state| state == RowState::Regressed) {
        return Some(to_decide(context, key));
    }
    let (name, benchmark) = (shell::quoted(key), benchmark(context));
    let base = base(context);
    let mut lines = vec![format!("perf-gate why {name} --base {base}{benchmark}")];
    let mut heads = context.comparison.current_commits.iter();
    // Uncommitted changes have no commits that a bisection could search.
    if !heads.any(|head| head.starts_with("working tree")) {
        lines.push(format!("perf-gate bisect {base}.. {name}{benchmark}"));
    }
    Some(Commands {
        title: "Investigate locally:",
        lines,
    })
}

/// Returns a sentence, as Markdown, that says how to accept the regressed and missing benchmarks. Empty if there are none.
pub(super) fn accept(context: &ReportContext<'_>, worst: Option<RowState>) -> String {
    let reproduction = context.details.reproduction.as_ref();
    let has_commands = reproduction.is_some_and(|again| again.answers_comments);
    match (worst, explained(context).first()) {
        (Some(RowState::Regressed), Some(first)) if has_commands => {
            let key = &first[0].scenario.scenario;
            let comment = code(&format!("/perf accept {key} --reason TEXT"));
            format!("{ACCEPT}, or accept this commit alone with {comment}.")
        }
        (Some(RowState::Regressed | RowState::Missing), _) => format!("{ACCEPT}."),
        _ => String::new(),
    }
}

/// Returns the commands that measure more pairs of one benchmark, or count its instructions, which do not depend on the
/// load.
pub(super) fn to_decide(context: &ReportContext<'_>, key: &str) -> Commands {
    let (name, benchmark) = (shell::quoted(key), benchmark(context));
    let base = base(context);
    // The filter is a glob, so replace its special characters by `?`.
    let pattern = key.replace(['*', '[', ']', '{', '}', '!', '\\'], "?");
    let filter = shell::quoted(&format!("benchmark={pattern}"));
    Commands {
        title: "To decide, measure one benchmark alone and for longer, or count its instructions, which do not \
                depend on the load:",
        lines: vec![
            format!("perf-gate run --base {base} --filter {filter} --time-limit 10m{benchmark}"),
            format!("perf-gate why {name} --base {base}{benchmark}"),
        ],
    }
}

/// Returns the baseline's commit for a command line, or a placeholder if there is not exactly one.
fn base(context: &ReportContext<'_>) -> String {
    let [commit] = &context.comparison.baseline_commits[..] else {
        return "BASE".to_owned();
    };
    let mut commit = commit.clone();
    if commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        commit.truncate(SHORT_COMMIT);
    }
    shell::quoted(&commit)
}

/// Returns the end of a command line: the build and the benchmark, unless the config contains them. It is a placeholder if
/// nothing says how to run the benchmark.
fn benchmark(context: &ReportContext<'_>) -> String {
    let reproduction = context.details.reproduction.as_ref();
    match reproduction.and_then(|again| again.benchmark.as_deref()) {
        Some(benchmark) if !benchmark.is_empty() => format!(" {}", shell::one_line(benchmark)),
        None if context.config.run().command.is_none() => " -- COMMAND".to_owned(),
        _ => String::new(),
    }
}
