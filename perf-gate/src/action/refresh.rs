//! Refreshes the baseline and the page.

use perf_cli::{Exit, Failure};
use perf_github::Actions;

use super::log;
use super::plan::ActionPlan;
use super::planning::{settings::BaselineStore, stored};
use super::reporting::outcome::ActionOutcome;

/// Commits the baseline and the page that the step `measure` has written, or leaves them to a later step.
pub(super) fn refresh(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<Exit> {
    if let Some(error) = &outcome.unrendered {
        return Err(Failure::from(error).into());
    }
    if let Some(page) = &plan.settings.page
        && plan.settings.refreshed_page().is_none()
    {
        log::notice(
            &format!("the page `{}` is not refreshed", page.display()),
            &["a page is only refreshed together with a committed baseline"],
        );
    }
    if plan.settings.store == BaselineStore::Left {
        // A later step of the workflow stores the file.
        log::output("refresh", "written")?;
        return Ok(Exit::Ok);
    }
    let request = stored::refresh_request(&plan.inputs, &plan.settings)?;
    let report = publish_perf_refresh::publish(&request, actions)?;
    report.show()?;
    log::output("refresh", report.word())?;
    Ok(report.exit())
}
