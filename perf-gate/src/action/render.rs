//! Writes baseline and page from the rows. A refresh does it again when the branch has other versions of them.

use std::path::Path;

use extract_perf_baseline::BaselineRequest;
use perf_cli::{Exit, Failure, load, term};
use perf_config::Refresh;
use render_perf_doc::{PageRequest, update_page};

use super::environment::refuse_token;
use super::files;
use super::plan::ActionPlan;
use super::planning::place::{is_absolute, path, slashes};

/// The step, which reads what a stranger wrote and so must not have the token.
pub(super) fn run() -> anyhow::Result<Exit> {
    refuse_token("render")?;
    let plan = ActionPlan::enter()?;
    let named = plan.inputs.config_file();
    let config = load::config(named.as_deref())?;
    refuse_links(&plan.settings.baseline)?;
    if let Some(page) = plan.settings.refreshed_page() {
        refuse_links(&page.to_string_lossy())?;
    }
    let machine_specs = files::machine(&plan, &config)?;
    let source = files::rows(&plan, &config, named)?;
    // The baseline has all rows, whatever a pull request is compared by: another scope must not erase this one.
    let request = BaselineRequest {
        output: Some(path(&plan.settings.baseline).into()),
        replace: true,
        // A history needs the numbers of every run.
        refresh: config.history.is_written.then_some(Refresh::All),
        machine_specs: machine_specs.clone(),
        ..BaselineRequest::of(source.clone())
    };
    term::diagnostics(&extract_perf_baseline::baseline(&request)?.notes);
    let Some(page) = plan.settings.refreshed_page() else {
        return Ok(Exit::Ok);
    };
    let doc = Some(path(&page.to_string_lossy()).into());
    update_page(&PageRequest {
        doc,
        machine_specs,
        ..PageRequest::of(source)
    })?;
    Ok(Exit::Ok)
}

/// Fails if a file or one of its folders is a link: its target would be overwritten, whatever that is.
fn refuse_links(file: &str) -> Result<(), Failure> {
    if is_absolute(&slashes(file)) {
        return Ok(());
    }
    for part in Path::new(file).ancestors() {
        if part.is_symlink() {
            let message = format!(
                "`{}` is a link, and a refresh writes to no link",
                part.display()
            );
            return Err(Failure::new(message).hint("commit the file itself, or configure its path"));
        }
    }
    Ok(())
}
