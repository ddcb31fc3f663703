//! Refreshes the committed baseline and the page: `measure` renders them, and `publish` commits them. The step `render` renders
//! them again if the branch's files changed meanwhile.

use std::path::Path;

use extract_perf_baseline::BaselineRequest;
use perf_cli::actions::Level;
use perf_cli::{Exit, Failure, load, term};
use perf_config::Refresh;
use perf_github::Actions;
use render_perf_doc::{PageRequest, update_page};

use super::environment::refuse_token;
use super::inputs::BaselineStore;
use super::outcome::ActionOutcome;
use super::place::is_absolute;
use super::plan::ActionPlan;
use super::stored::refresh_request;
use super::{log, request};

/// Commits the baseline and the page that the step `measure` has written, or leaves them to a later step.
pub fn refresh(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<Exit> {
    if !outcome.is_rendered {
        return Err(Failure::new("the refreshed files could not be written")
            .hint("see the error in the step before this one")
            .into());
    }
    if let Some(page) = &plan.settings.page
        && plan.settings.refreshed_page().is_none()
    {
        log::show(
            Level::Notice,
            &format!("the page `{}` is not refreshed", page.display()),
            &["a page is only refreshed together with a committed baseline"],
        );
    }
    if plan.settings.store == BaselineStore::Left {
        // A later step of the workflow stores the file.
        log::output("refresh", "written")?;
        return Ok(Exit::Ok);
    }
    let request = refresh_request(&plan.inputs, &plan.settings)?;
    let report = publish_perf_refresh::publish(&request, actions)?;
    report.show()?;
    log::output("refresh", report.word())?;
    Ok(report.exit())
}

/// Runs the step `render`. It reads untrusted files, so it must not have the token.
pub fn run_render() -> anyhow::Result<Exit> {
    refuse_token("render")?;
    render(&ActionPlan::enter_from_env()?)?;
    Ok(Exit::Ok)
}

/// Writes the baseline and the page.
pub fn render(plan: &ActionPlan) -> anyhow::Result<()> {
    let config = load::config(plan.inputs.config.as_deref())?;
    refuse_links(&plan.settings.baseline)?;
    if let Some(page) = plan.settings.refreshed_page() {
        refuse_links(&page.to_string_lossy())?;
    }
    let source = request::rows(plan, &config, plan.inputs.config.clone())?;
    // The baseline contains all scopes, not only the compared one.
    let request = BaselineRequest {
        output: Some(plan.settings.baseline.clone().into()),
        replace: true,
        // The history needs every run's numbers.
        refresh: config.history.is_written.then_some(Refresh::All),
        machine_specs: plan.machine_specs.clone(),
        source: source.clone(),
        ..BaselineRequest::default()
    };
    term::diagnostics(&extract_perf_baseline::baseline(&request)?);
    let Some(page) = plan.settings.refreshed_page() else {
        return Ok(());
    };
    update_page(&PageRequest {
        doc: Some(page.to_owned()),
        machine_specs: plan.machine_specs.clone(),
        source,
        ..PageRequest::default()
    })?;
    Ok(())
}

/// Fails if a file or one of its folders is a link. Writing would overwrite the link's target, possibly any file.
fn refuse_links(file: &str) -> Result<(), Failure> {
    if is_absolute(file) {
        return Ok(());
    }
    for part in Path::new(file).ancestors() {
        if part.is_symlink() {
            let message = format!(
                "`{}` is a link, and a refresh does not write through links",
                part.display()
            );
            return Err(Failure::new(message).hint("configure the file's real path"));
        }
    }
    Ok(())
}
