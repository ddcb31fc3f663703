//! Writes baseline and page, and commits them.

use perf_cli::{Exit, Failure};
use perf_github::Actions;

use super::plan::ActionPlan;
use super::planning::{settings::BaselineStore, stored};
use super::subcommand::Subcommand;
use super::{log, publication};

/// Writes baseline and page and commits them, or leaves them for the cache or for later steps.
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
            &["only a baseline in the commits of the branch is committed with it"],
        );
    }
    match plan.settings.store {
        BaselineStore::Cache => {
            stored::put_back(&plan.inputs, &plan.settings)?;
            render()?;
            stored::keep(&plan.inputs, &plan.settings)?;
            log::output("refresh", "cached")?;
            return Ok(Exit::Ok);
        }
        // Where it is kept is the business of later steps.
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

/// Runs `render` as a process without a token, because it reads the rows; it gets none when it is done again, either.
fn render() -> anyhow::Result<()> {
    let output = Subcommand::new("ci")?.args(["step", "render"]).output()?;
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    log::guarded(&said.concat())?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new("cannot write baseline and page from the rows")
        .hint("the lines above say why")
        .into())
}
