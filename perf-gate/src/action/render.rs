//! Writes baseline and page from the rows. A refresh does it again when the branch has other versions of them.

use clap::Parser;
use perf_cli::{Exit, Failure};

use super::inputs::{Inputs, variable};
use super::options::{given, given_path, reading};
use super::place::path;
use super::plan::Plan;

/// The step, which reads what a stranger wrote and so must not have the token.
pub(super) fn run() -> anyhow::Result<Exit> {
    if variable("GITHUB_TOKEN").or(variable("GH_TOKEN")).is_some() {
        return Err(Failure::new("`perf-gate action render` must not get a token").into());
    }
    let plan = Plan::enter()?;
    let rows = reading(&plan.inputs, &plan.folder)?;
    let exit = extract_perf_baseline::run(&parsed(baseline(&plan.inputs), &rows)?)?;
    if plan.inputs.page().is_empty() || exit != Exit::Ok {
        return Ok(exit);
    }
    render_perf_doc::run(&parsed(page(&plan.inputs), &rows)?)
}

/// The baseline has all rows, whatever a pull request is compared by: another scope must not erase this one.
fn baseline(inputs: &Inputs) -> Vec<String> {
    let mut options = vec![format!("--output={}", path(&inputs.baseline)), "--replace".to_owned()];
    options.extend(given_path("--config", &inputs.config));
    // A history needs the numbers of every run.
    if !inputs.history.is_empty() {
        options.push("--refresh=all".to_owned());
    }
    if inputs.aggregate {
        options.push("--aggregate".to_owned());
    }
    options
}

fn page(inputs: &Inputs) -> Vec<String> {
    let options = [
        given_path("--doc", inputs.page()),
        given_path("--config", &inputs.config),
        given_path("--packages", &inputs.packages),
        given("--region", &inputs.region),
        given("--platform-substring", &inputs.platform_substring),
    ];
    options.into_iter().flatten().collect()
}

/// The command line of a tool.
fn parsed<T: Parser>(options: Vec<String>, rows: &[String]) -> anyhow::Result<T> {
    let line =
        [super::super::names::PROGRAM.to_owned()].into_iter().chain(options).chain(rows.iter().cloned());
    T::try_parse_from(line).map_err(|error| Failure::new(error.to_string().trim().to_owned()).into())
}
