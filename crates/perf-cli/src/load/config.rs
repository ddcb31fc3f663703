//! Finding and reading `perf-gate.toml`.

use std::path::Path;

use crate::file::{read_text, read_text_if_exists};
use crate::{Failure, term};
use perf_config::{Config, ConfigError};

/// What the config is called.
pub const CONFIG: &str = "perf-gate.toml";

/// The config of this file; without one, that of the working directory or its `.github` folder, else an empty one.
///
/// # Errors
/// A file that cannot be read, or a mistake in it, with its line and column.
pub fn load(named: Option<&Path>) -> anyhow::Result<Config> {
    if let Some(path) = named {
        return parse(path, &read_text(path)?);
    }
    for path in [Path::new(CONFIG).to_path_buf(), Path::new(".github").join(CONFIG)] {
        if let Some(text) = read_text_if_exists(&path)? {
            return parse(&path, &text);
        }
    }
    Ok(Config::default())
}

fn parse(path: &Path, text: &str) -> anyhow::Result<Config> {
    let failure = |error: ConfigError| {
        let failure = Failure::new(format!("{}:{error}", term::shown(path)));
        match error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    };
    Ok(Config::parse(text).map_err(failure)?)
}
