//! The range of commits that may have caused a regression on a push, for `perf-gate bisect`.

use perf_cli::git::Git;
use perf_model::commit::CommitId;
use render_perf_deltas::CompareReport;

use crate::action::plan::{ActionPlan, RunMode};

/// The shortest accepted prefix of a commit in a row.
const SHORTEST: usize = 7;

/// The commit that a push was compared with and the pushed commit, as `GOOD..BAD`. `None` for other events, or if the
/// baseline's rows aren't from exactly one other commit.
pub fn pushed_range(
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
        resolve(&report.baseline_commit()?)?
    };
    (!bad.as_str().starts_with(&good)).then(|| format!("{good}..{bad}"))
}

/// The full ID of a row's commit, or the row's prefix if a shallow checkout does not contain the commit.
fn resolve(commit: &str) -> Option<String> {
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

/// The report's note about the range.
pub fn note(range: &str) -> String {
    let short = |commit: &str| commit.chars().take(SHORTEST).collect::<String>();
    let commits: Vec<String> = range.split("..").map(short).collect();
    format!(
        "**One of the commits `{}` caused the regression.**",
        commits.join("..")
    )
}
