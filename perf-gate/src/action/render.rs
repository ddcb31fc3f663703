//! Writes the baseline and the page from the rows. The step `render` does it again if the branch's files changed meanwhile.

use std::path::Path;

use extract_perf_baseline::BaselineRequest;
use perf_cli::{Exit, Failure, load, term};
use perf_config::Refresh;
use render_perf_doc::{PageRequest, update_page};

use super::environment::refuse_token;
use super::files;
use super::plan::ActionPlan;
use super::planning::place::{is_absolute, path, slashes};

/// Runs the step. It reads untrusted files, so it must not have the token.
pub(super) fn run() -> anyhow::Result<Exit> {
    refuse_token("render")?;
    render(&ActionPlan::enter_from_env()?)?;
    Ok(Exit::Ok)
}

/// Writes the baseline and the page.
pub(super) fn render(plan: &ActionPlan) -> anyhow::Result<()> {
    let named = plan.inputs.config_file();
    let config = load::config(named.as_deref())?;
    refuse_links(&plan.settings.baseline)?;
    if let Some(page) = plan.settings.refreshed_page() {
        refuse_links(&page.to_string_lossy())?;
    }
    let machine_specs = files::machine(plan, &config)?;
    let source = files::rows(plan, &config, named)?;
    // The baseline keeps the rows of all scopes, not only of the compared one.
    let request = BaselineRequest {
        output: Some(path(&plan.settings.baseline).into()),
        replace: true,
        // The history needs every run's numbers.
        refresh: config.history.is_written.then_some(Refresh::All),
        machine_specs: machine_specs.clone(),
        ..BaselineRequest::of(source.clone())
    };
    term::diagnostics(&extract_perf_baseline::baseline(&request)?.notes);
    let Some(page) = plan.settings.refreshed_page() else {
        return Ok(());
    };
    let doc = Some(path(&page.to_string_lossy()).into());
    update_page(&PageRequest {
        doc,
        machine_specs,
        ..PageRequest::of(source)
    })?;
    Ok(())
}

/// Fails if a file or one of its folders is a link. Writing would overwrite the link's target, possibly any file.
fn refuse_links(file: &str) -> Result<(), Failure> {
    if is_absolute(&slashes(file)) {
        return Ok(());
    }
    for part in Path::new(file).ancestors() {
        if part.is_symlink() {
            let message = format!(
                "`{}` is a link, and a refresh does not write through links",
                part.display()
            );
            return Err(Failure::new(message)
                .hint("replace the link by the file, or configure the file's real path"));
        }
    }
    Ok(())
}
