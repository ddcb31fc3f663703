//! Writes baseline and page, and commits them.

use std::path::Path;

use clap::Parser;
use perf_cli::{Exit, Failure, failure};
use perf_config::{Config, Fallback};

use super::base::has_rows;
use super::git::Commit;
use super::inputs::Inputs;
use super::log;
use super::place::{path, slashes};
use super::plan::Plan;
use super::settings::{Settings, Store};
use super::stored;
use super::tool::{Tool, program};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::enter()?;
    if let Some(page) = plan.settings.page.as_ref().filter(|_| plan.settings.refreshed_page().is_none()) {
        let message = format!("the page `{}` is not refreshed", page.display());
        log::notice(&message, &["only a baseline in the commits of the branch is committed with it"]);
    }
    match plan.settings.store {
        Store::Cache => {
            stored::put_back(&plan)?;
            render()?;
            stored::keep(&plan)?;
            log::output("refresh", "cached")?;
            return Ok(Exit::Ok);
        }
        // Where it is kept is the business of later steps.
        Store::Left => {
            render()?;
            log::output("refresh", "written")?;
            return Ok(Exit::Ok);
        }
        Store::Pairs | Store::Commit | Store::Branch => render()?,
    }
    let published = publish_perf_refresh::publish(&parsed(&plan.inputs, &plan.settings)?)?;
    log::output("refresh", published.refresh)?;
    Ok(published.exit)
}

/// Whether a push brought nothing but refreshed numbers. The token of an app starts the workflow for a refresh, too.
/// A push that cannot be looked up is measured; so is one that begins a baseline, or leaves it without rows.
pub(super) fn is_refreshed(inputs: &Inputs, settings: &Settings, before: &Commit) -> bool {
    let is_stored_in_commits = matches!(settings.store, Store::Commit | Store::Pairs);
    if !is_stored_in_commits || !has_rows(Path::new(&path(&settings.baseline))) {
        return false;
    }
    let looked_up = || -> anyhow::Result<bool> {
        publish_perf_refresh::only_refreshed(&parsed(inputs, settings)?, &before.to_string().parse()?)
    };
    looked_up().unwrap_or_else(|error| {
        log::notice(
            &format!("cannot look up what was pushed: {}", failure::message(&error)),
            &failure::hints(&error),
        );
        false
    })
}

fn parsed(inputs: &Inputs, settings: &Settings) -> anyhow::Result<publish_perf_refresh::Cli> {
    publish_perf_refresh::Cli::try_parse_from(line(inputs, settings)?)
        .map_err(|error| Failure::new(error.to_string().trim().to_owned()).into())
}

/// What reads the rows gets no token, neither here nor when it is done again.
fn render() -> anyhow::Result<()> {
    let output = Tool::new("action")?.args(["render"]).output()?;
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    log::guarded(&said.concat())?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new("cannot write baseline and page from the rows").hint("the lines above say why").into())
}

/// What is called a performance refresh in the history of a branch.
const MESSAGE: &str = "Refresh the performance numbers";

fn line(inputs: &Inputs, settings: &Settings) -> anyhow::Result<Vec<String>> {
    let config = config(inputs)?;
    let refresh = config.refresh();
    let mut line = vec!["refresh".to_owned(), format!("--file={}", path(&settings.baseline))];
    if let Some(page) = settings.refreshed_page() {
        let page = path(&page.to_string_lossy());
        let charts = render_perf_doc::charts_of(Path::new(&page));
        line.push(format!("--file={page}"));
        line.extend(charts.iter().map(|chart| format!("--file={}", slashes(&chart.to_string_lossy()))));
    }
    line.push(format!("--message={}", refresh.message.as_deref().unwrap_or(MESSAGE)));
    let fallback = if refresh.fallback == Some(Fallback::None) { "none" } else { "pull-request" };
    line.push(format!("--fallback={fallback}"));
    if settings.store == Store::Branch {
        line.push(format!("--store={}", stored::BRANCH));
    }
    line.extend(refresh.attempts.map(|attempts| format!("--attempts={attempts}")));
    line.extend(refresh.affects.iter().map(|path| format!("--affects={path}")));
    let program = program()?.to_string_lossy().into_owned();
    line.extend(["--".to_owned(), program, "action".to_owned(), "render".to_owned()]);
    Ok(line)
}

/// The config that a refresh obeys: that of the checkout, which is the branch itself.
fn config(inputs: &Inputs) -> anyhow::Result<Config> {
    perf_cli::load::config(inputs.config.as_deref().map(path).as_deref().map(Path::new))
}
