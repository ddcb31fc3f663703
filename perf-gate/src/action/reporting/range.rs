//! The range of commits behind a regression on a push, in which `perf-gate bisect` finds the commit.

use perf_cli::git::Git;
use perf_model::commit::CommitId;
use render_perf_deltas::CompareReport;

use crate::action::plan::{ActionPlan, RunMode};

/// The shortest prefix by which a row may name its commit.
const SHORTEST: usize = 7;

/// The commit that a push was compared with, and the pushed one, as `GOOD..BAD`. `None` for other events, and where the
/// baseline is not of one other commit.
pub fn of_push(
    plan: &ActionPlan,
    base: Option<&CommitId>,
    report: &CompareReport,
) -> Option<String> {
    let bad = plan
        .pushed
        .as_ref()
        .filter(|_| plan.mode != RunMode::PullRequest)?;
    let good = if plan.settings.is_paired() {
        base?.to_string()
    } else {
        resolved(&report.baseline_commit()?)?
    };
    (!bad.as_str().starts_with(&good)).then(|| format!("{good}..{bad}"))
}

/// The full name of the commit that a row names; as the row has it, where the checkout is shallow.
fn resolved(commit: &str) -> Option<String> {
    if commit.len() < SHORTEST || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let found = Git::here().ask(&[
        "rev-parse",
        "--verify",
        "--quiet",
        &format!("{commit}^{{commit}}"),
    ]);
    Some(found.map_or_else(
        || commit.to_ascii_lowercase(),
        |found| found.trim().to_owned(),
    ))
}

/// The note that names the range; the commands below it find the commit.
pub fn note(range: &str) -> String {
    let short = |commit: &str| commit.chars().take(SHORTEST).collect::<String>();
    let commits: Vec<String> = range.split("..").map(short).collect();
    format!(
        "**The regression is in the commits `{}`.**",
        commits.join("..")
    )
}
