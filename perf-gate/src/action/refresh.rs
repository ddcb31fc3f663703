//! Refreshes the baseline and the page.

use perf_cli::{Exit, Failure};
use perf_github::Actions;

use super::plan::ActionPlan;
use super::planning::{settings::BaselineStore, stored};
use super::subcommand::Subcommand;
use super::{log, publication};

/// Writes the baseline and the page, then commits them or leaves them to a later step.
pub(super) fn refresh(plan: &ActionPlan) -> anyhow::Result<Exit> {
    if let Some(page) = plan
        .settings
        .page
        .as_ref()
        .filter(|_| plan.settings.refreshed_page().is_none())
    {
        let message = format!("the page `{}` is not refreshed", page.display());
        log::notice(
            &message,
            &["a page is only refreshed together with a committed baseline"],
        );
    }
    match plan.settings.store {
        BaselineStore::Cache => {
            stored::restore_to_workspace(&plan.inputs, &plan.settings)?;
            render()?;
            stored::save_to_cache(&plan.inputs, &plan.settings)?;
            log::output("refresh", "cached")?;
            return Ok(Exit::Ok);
        }
        // A later step of the workflow stores the file.
        BaselineStore::Left => {
            render()?;
            log::output("refresh", "written")?;
            return Ok(Exit::Ok);
        }
        BaselineStore::Pairs | BaselineStore::Commit | BaselineStore::Branch => render()?,
    }
    let request = publication::request(&plan.inputs, &plan.settings)?;
    let report = publish_perf_refresh::publish(&request, &Actions::from_env()?)?;
    report.show()?;
    log::output("refresh", report.word())?;
    Ok(report.exit())
}

/// Runs the step `render` as a process without a token, because it reads untrusted rows.
fn render() -> anyhow::Result<()> {
    let output = Subcommand::new("ci")?.args(["step", "render"]).output()?;
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    log::print_untrusted(&printed.concat())?;
    if output.status.success() {
        return Ok(());
    }
    Err(
        Failure::new("cannot write the baseline and the page from the rows")
            .hint("see the lines above")
            .into(),
    )
}
