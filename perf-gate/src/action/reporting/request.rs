//! Builds the comparison request from inputs and config.

use perf_cli::Failure;
use perf_cli::load::git::{self, RefPath};
use perf_config::Config;
use render_perf_deltas::{CompareRequest, FailOnList, Reproduction};

use super::outcome::Measured;
use super::reproduce;
use crate::action::{
    files,
    plan::{ActionPlan, RunMode},
    planning::base::{Base, BaselinePlace},
    planning::settings::BaselineStore,
};
use crate::run::Share;

/// Builds the comparison request.
pub fn build(
    plan: &ActionPlan,
    base: &Base,
    config: &Config,
    measured: &Measured,
) -> anyhow::Result<CompareRequest> {
    let source = files::rows(plan, config, base.config.clone())?;
    let (baseline_csv, baseline_git) = match &base.baseline {
        BaselinePlace::File(path) => (Some(path.clone()), None),
        BaselinePlace::Commit { commit, path, .. } => (
            None,
            Some(RefPath::new(&commit.to_string(), path).map_err(Failure::new)?),
        ),
    };
    let fail_on = plan
        .inputs
        .fail_on
        .as_ref()
        .filter(|input| !input.verdicts.is_empty() || !plan.sets_status())
        .map(|input| FailOnList(input.verdicts.clone()));
    // A committed baseline has earlier versions. Other files have none.
    let has_versions = baseline_git.is_some()
        || plan.settings.store == BaselineStore::Commit && git::is_committed(base.baseline.file());
    Ok(CompareRequest {
        baseline_csv,
        baseline_git,
        require_baseline: base.has_baseline,
        history_git: (config.history.is_written && has_versions).then_some(config.history.last),
        confirm: files::confirmations(plan, config)?,
        paired: plan.settings.is_paired(),
        machine_specs: files::machine(plan, config)?,
        findings: measured.findings.clone(),
        fail_on,
        // Without pairs, the action makes its own confirmation runs.
        is_rerun: !plan.settings.run.is_empty() && !plan.settings.is_paired(),
        reproduction: Some(Reproduction {
            command: reproduce::command(plan, base, config),
            benchmark: reproduce::benchmark(plan),
            measures: !plan.settings.run.is_empty(),
            answers_comments: reproduce::answers_comments(),
        }),
        other_shards: measured
            .share
            .as_ref()
            .map(Share::names_of_others)
            .unwrap_or_default(),
        is_decisive: plan.mode == RunMode::PullRequest && plan.sets_status(),
        ..CompareRequest::of(source)
    })
}
