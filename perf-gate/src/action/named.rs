//! Baseline and page as the config file names them, where the inputs do not.
//!
//! A pull request must not choose what it is compared with, so the config is that of the base commit.

use std::path::{Path, PathBuf};

use perf_cli::load;
use perf_config::Config;

use super::base::CONFIGS;
use super::git::{Commit, Repository};
use super::inputs::{self, Inputs, Side};
use super::place::{Place, path};
use crate::run::BASELINE;

/// Fills in the inputs that are left out.
///
/// # Errors
/// A config that cannot be read, or a baseline that is not below the folder of the suite.
pub(super) fn fill(
    inputs: &mut Inputs,
    place: &Place,
    folder: &Path,
    base: Option<&Commit>,
) -> anyhow::Result<()> {
    if !inputs.baseline.is_empty() && !inputs.document.is_empty() {
        return Ok(());
    }
    let text = |path: &Option<PathBuf>| {
        let path = path.as_deref().map(Path::to_string_lossy).unwrap_or_default();
        path.replace('\\', "/")
    };
    let files = config(inputs, place, folder, base).map(|config| {
        let files = config.files();
        (text(&files.baseline), text(&files.page))
    });
    let (baseline, page) =
        files.as_ref().map_or(("", ""), |(baseline, page)| (baseline.as_str(), page.as_str()));
    if inputs.baseline.is_empty() {
        let named = if baseline.is_empty() { BASELINE } else { baseline };
        inputs.baseline = inputs::baseline(named.to_owned())?;
    }
    if inputs.document.is_empty() {
        page.clone_into(&mut inputs.document);
    }
    files.map(drop)
}

fn config(inputs: &Inputs, place: &Place, folder: &Path, base: Option<&Commit>) -> anyhow::Result<Config> {
    let named = (!inputs.config.is_empty()).then(|| path(&inputs.config));
    let Some(base) = base.filter(|_| inputs.config_from == Side::Base) else {
        return load::config(named.as_deref().map(Path::new));
    };
    let mut repository = Repository::new(place, folder);
    repository.need(base)?;
    let paths = named.as_deref().map_or(CONFIGS.to_vec(), |name| vec![name]);
    for name in paths {
        repository.refuse_links(base, name)?;
        if let Some(object) = repository.object(base, name)? {
            let file = folder.join("files").join("perf-gate.toml");
            repository.write(base, &object, &file)?;
            return load::config(Some(&file));
        }
    }
    Ok(Config::default())
}
