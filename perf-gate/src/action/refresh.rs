//! Writes baseline and page, and commits them.

use std::path::{Path, PathBuf};

use perf_cli::{Exit, Failure, failure};
use perf_config::{Config, Fallback, PathPattern};
use perf_github::Actions;
use publish_perf_refresh::RefreshRequest;

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
    let report = publish_perf_refresh::publish(&request(&plan.inputs)?, &Actions::from_env()?)?;
    report.show()?;
    log::output("refresh", report.action().word())?;
    Ok(report.exit())
}

/// Whether a push brought nothing but refreshed numbers. The token of an app starts the workflow for a refresh, too.
/// A push that cannot be looked up is measured; so is one that begins a baseline, or leaves it without rows.
pub(super) fn is_refreshed(inputs: &Inputs, before: &Commit) -> bool {
    let is_stored_in_commits = inputs.baseline_store == Store::Commit;
    if !is_stored_in_commits || !has_rows(Path::new(&path(&inputs.baseline))) {
        return false;
    }
    let looked_up = || -> anyhow::Result<bool> {
        let before = before.to_string().parse()?;
        publish_perf_refresh::only_refreshed(&request(inputs)?, &Actions::from_env()?, &before)
    };
    looked_up().unwrap_or_else(|error| {
        log::notice(
            &format!("cannot look up what was pushed: {}", failure::message(&error)),
            &failure::hints(&error),
        );
        false
    })
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

fn request(inputs: &Inputs) -> anyhow::Result<RefreshRequest> {
    let config = config(inputs)?;
    let (refresh, document) = (config.refresh(), inputs.page());
    let mut files = vec![PathBuf::from(path(&inputs.baseline))];
    if !document.is_empty() {
        let document = PathBuf::from(path(document));
        let charts = render_perf_doc::charts_of(&document);
        files.push(document);
        files.extend(charts.iter().map(|chart| PathBuf::from(slashes(&chart.to_string_lossy()))));
    }
    let message = Some(&inputs.commit_message).filter(|message| !message.is_empty());
    let measured = inputs.measured_paths.lines().map(str::trim).filter(|path| !path.is_empty());
    let measured = measured.map(str::parse).collect::<Result<Vec<PathPattern>, _>>();
    let measured = measured
        .map_err(|why| Failure::new("invalid path in `measured-paths`").because(Failure::new(why)))?;
    let defaults = RefreshRequest::new(files);
    Ok(RefreshRequest {
        store: (inputs.baseline_store == Store::Branch).then(|| stored::BRANCH.to_owned()),
        affects: if measured.is_empty() { refresh.affects.clone() } else { measured },
        message: message.or(refresh.message.as_ref()).map_or(MESSAGE, String::as_str).to_owned(),
        fallback: match (inputs.protected_branch, refresh.fallback) {
            (Some(Protected::None), _) | (None, Some(Fallback::None)) => Fallback::None,
            _ => Fallback::PullRequest,
        },
        attempts: refresh.attempts.map_or(defaults.attempts, u32::from),
        command: vec![program()?.into(), "action".into(), "render".into()],
        ..defaults
    })
}

/// The config that a refresh obeys: that of the checkout, which is the branch itself.
fn config(inputs: &Inputs) -> anyhow::Result<Config> {
    let named = path(&inputs.config);
    perf_cli::load::config(Some(Path::new(&named)).filter(|_| !inputs.config.is_empty()))
}
