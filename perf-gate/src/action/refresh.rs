//! Writes baseline and page, and commits them.

use std::path::Path;

use clap::Parser;
use perf_cli::{Exit, Failure};
use perf_config::{Config, Fallback};

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
    let line = line(&plan.inputs)?;
    let cli = publish_perf_refresh::Cli::try_parse_from(line)
        .map_err(|error| Failure::new(error.to_string().trim().to_owned()))?;
    let published = publish_perf_refresh::publish(&cli)?;
    log::output("refresh", published.refresh)?;
    Ok(published.exit)
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
