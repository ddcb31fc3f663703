//! What a refresh commits, and how.

use std::path::Path;

use clap::Parser;
use perf_cli::{Failure, failure};
use perf_config::{Config, Fallback};

use super::baseline::has_rows;
use super::git::Commit;
use super::inputs::Inputs;
use super::place::{path, slashes};
use super::settings::{Settings, Store};
use super::tool::program;
use super::{log, stored};

/// Whether a push brought nothing but refreshed numbers. The token of an app starts the workflow for a refresh, too.
/// A push that cannot be looked up is measured; so is one that begins a baseline, or leaves it without rows.
pub(super) fn is_refreshed(inputs: &Inputs, settings: &Settings, before: &Commit) -> bool {
    let is_stored_in_commits = matches!(settings.store, Store::Commit | Store::Pairs);
    if !is_stored_in_commits || !has_rows(Path::new(&path(&settings.baseline))) {
        return false;
    }
    let looked_up = || -> anyhow::Result<bool> {
        publish_perf_refresh::only_refreshed(&request(inputs, settings)?, &before.to_string().parse()?)
    };
    looked_up().unwrap_or_else(|error| {
        log::notice(
            &format!("cannot look up what was pushed: {}", failure::message(&error)),
            &failure::hints(&error),
        );
        false
    })
}

pub(super) fn request(inputs: &Inputs, settings: &Settings) -> anyhow::Result<publish_perf_refresh::Cli> {
    publish_perf_refresh::Cli::try_parse_from(line(inputs, settings)?)
        .map_err(|error| Failure::new(error.to_string().trim().to_owned()).into())
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
