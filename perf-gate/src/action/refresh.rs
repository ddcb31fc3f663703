//! Writes baseline and page, and commits them.

use std::path::Path;

use clap::Parser;
use perf_cli::{Exit, Failure, failure};
use perf_config::{Config, Fallback};

use super::base::has_rows;
use super::git::Commit;
use super::inputs::{Inputs, Protected, Store};
use super::log;
use super::place::{path, slashes};
use super::plan::Plan;
use super::stored;
use super::tool::{Tool, program};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::enter()?;
    if plan.inputs.page().is_empty() && !plan.inputs.document.is_empty() {
        let message = format!("the page `{}` is not refreshed", plan.inputs.document);
        log::notice(&message, &["only `baseline-store: commit` commits it"]);
    }
    match plan.inputs.baseline_store {
        Store::Cache => {
            stored::put_back(&plan)?;
            render()?;
            stored::keep(&plan)?;
            log::output("refresh", "cached")?;
            return Ok(Exit::Ok);
        }
        // Where it is kept is the business of later steps.
        Store::Workspace => {
            render()?;
            log::output("refresh", "written")?;
            return Ok(Exit::Ok);
        }
        Store::Commit | Store::Branch => render()?,
    }
    let published = publish_perf_refresh::publish(&parsed(&plan.inputs)?)?;
    log::output("refresh", published.refresh)?;
    Ok(published.exit)
}

/// Whether a push brought nothing but refreshed numbers. The token of an app starts the workflow for a refresh, too.
/// A push that cannot be looked up is measured; so is one that begins a baseline, or leaves it without rows.
pub(super) fn is_refreshed(inputs: &Inputs, before: &Commit) -> bool {
    let is_stored_in_commits = inputs.baseline_store == Store::Commit;
    if !is_stored_in_commits || !has_rows(Path::new(&path(&inputs.baseline))) {
        return false;
    }
    let looked_up = || -> anyhow::Result<bool> {
        publish_perf_refresh::only_refreshed(&parsed(inputs)?, &before.to_string().parse()?)
    };
    looked_up().unwrap_or_else(|error| {
        log::notice(
            &format!("cannot look up what was pushed: {}", failure::message(&error)),
            &failure::hints(&error),
        );
        false
    })
}

fn parsed(inputs: &Inputs) -> anyhow::Result<publish_perf_refresh::Cli> {
    publish_perf_refresh::Cli::try_parse_from(line(inputs)?)
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

fn line(inputs: &Inputs) -> anyhow::Result<Vec<String>> {
    let config = config(inputs)?;
    let (refresh, document) = (config.refresh(), inputs.page());
    let mut line = vec!["refresh".to_owned(), format!("--file={}", path(&inputs.baseline))];
    if !document.is_empty() {
        let document = path(document);
        let charts = render_perf_doc::charts_of(Path::new(&document));
        line.push(format!("--file={document}"));
        line.extend(charts.iter().map(|chart| format!("--file={}", slashes(&chart.to_string_lossy()))));
    }
    let message = Some(inputs.commit_message.as_str()).filter(|message| !message.is_empty());
    line.push(format!("--message={}", message.or(refresh.message.as_deref()).unwrap_or(MESSAGE)));
    let fallback = match (inputs.protected_branch, refresh.fallback) {
        (Some(Protected::None), _) | (None, Some(Fallback::None)) => "none",
        _ => "pull-request",
    };
    line.push(format!("--fallback={fallback}"));
    if inputs.baseline_store == Store::Branch {
        line.push(format!("--store={}", stored::BRANCH));
    }
    line.extend(refresh.attempts.map(|attempts| format!("--attempts={attempts}")));
    let measured: Vec<&str> =
        inputs.measured_paths.lines().map(str::trim).filter(|path| !path.is_empty()).collect();
    if measured.is_empty() {
        line.extend(refresh.affects.iter().map(|path| format!("--affects={path}")));
    } else {
        line.extend(measured.iter().map(|path| format!("--affects={path}")));
    }
    let program = program()?.to_string_lossy().into_owned();
    line.extend(["--".to_owned(), program, "action".to_owned(), "render".to_owned()]);
    Ok(line)
}

/// The config that a refresh obeys: that of the checkout, which is the branch itself.
fn config(inputs: &Inputs) -> anyhow::Result<Config> {
    let named = path(&inputs.config);
    perf_cli::load::config(Some(Path::new(&named)).filter(|_| !inputs.config.is_empty()))
}
