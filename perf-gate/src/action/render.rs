//! Writes baseline and page from the rows. A refresh does it again when the branch has other versions of them.

use extract_perf_baseline::BaselineRequest;
use perf_cli::{Exit, load, term};
use perf_config::Refresh;
use render_perf_doc::{PageRequest, update_page};

use super::environment::refuse_token;
use super::files;
use super::plan::ActionPlan;
use super::planning::place::path;

/// The step, which reads what a stranger wrote and so must not have the token.
pub(super) fn run() -> anyhow::Result<Exit> {
    refuse_token("render")?;
    let plan = ActionPlan::enter()?;
    let named = plan.inputs.config_file();
    let config = load::config(named.as_deref())?;
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
