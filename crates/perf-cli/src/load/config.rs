//! Finds and reads `perf-gate.toml`, and checks names in it against the rows.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use clap::Args;
use perf_config::{Config, ConfigError, NamesOfRows};
use perf_model::diagnostic::Diagnostic;
use perf_model::metric::Declarations;
use perf_model::row::Row;
use perf_model::suite::{Definitions, Filter, Suite};
use perf_readers::ParseReport;

use crate::file::{read_text, read_text_if_exists};
use crate::help::GENERAL;
use crate::{Common, Failure, term};

/// The config file's name.
pub const CONFIG: &str = "perf-gate.toml";

/// The maximum length of a hint, which may list all keys of a table.
const LONGEST_HINT: usize = 600;

/// The `--config` option, and the options of every program, which a subcommand's help lists last.
#[derive(Args, Clone, Debug)]
pub struct ConfigArgs {
    /// The config [default: perf-gate.toml or .github/perf-gate.toml]
    #[arg(short, long, value_name = "FILE", help_heading = GENERAL)]
    pub config: Option<PathBuf>,

    /// The options of every program.
    #[command(flatten)]
    pub common: Common,
}

impl ConfigArgs {
    /// Loads the config from the command line, or the one that [`load`] finds by default.
    pub fn load(&self) -> anyhow::Result<Config> {
        load(self.config.as_deref())
    }
}

/// Loads the config at `named`. If that is `None`, loads the config in the working directory or in its `.github` folder. If
/// there is none, returns an empty config.
pub fn load(named: Option<&Path>) -> anyhow::Result<Config> {
    if let Some(path) = named {
        return parse(path, &read_text(path)?);
    }
    for path in places() {
        if let Some(text) = read_text_if_exists(&path)? {
            return parse(&path, &text);
        }
    }
    Ok(Config::default())
}

/// The default config paths, in the order in which they are tried.
fn places() -> [PathBuf; 2] {
    [PathBuf::from(CONFIG), Path::new(".github").join(CONFIG)]
}

fn parse(path: &Path, text: &str) -> anyhow::Result<Config> {
    Ok(Config::parse(text).map_err(|error| failure(path, error))?)
}

fn failure(path: &Path, error: ConfigError) -> Failure {
    let failure = Failure::new(format!("{}:{error}", term::shown(path)));
    match error.hint {
        Some(hint) => failure.hint(term::printable_within(&hint, LONGEST_HINT)),
        None => failure,
    }
}

/// Checks that the names in the config occur in the rows. `named` is the config's path, if it is not the default.
pub fn check_names<'r>(
    config: &Config,
    named: Option<&Path>,
    rows: impl Iterator<Item = &'r Row>,
) -> anyhow::Result<()> {
    let mut found = NamesOfRows::default();
    let mut platforms = BTreeSet::new();
    for row in rows {
        found.benchmarks.insert(&*row.scenario);
        platforms.insert(&*row.platform);
        for (metric, _) in row.metrics.iter() {
            found.metrics.insert(&**metric);
        }
    }
    for platform in platforms {
        found
            .scopes
            .extend(config.scope_of(platform).map(|(_, scope)| scope));
    }
    let path = named
        .map(Path::to_path_buf)
        .or_else(|| places().into_iter().find(|path| path.exists()));
    let path = path.unwrap_or_else(|| CONFIG.into());
    config
        .check_names(&found)
        .map_err(|error| failure(&path, error).into())
}

/// Adds all metrics that the inputs declare or contain to the config. The order of the inputs does not matter. Also returns
/// warnings about conflicting declarations.
pub fn with_inputs<'r>(
    config: Config,
    reports: impl Iterator<Item = &'r ParseReport> + Clone,
) -> (Config, Vec<Diagnostic>) {
    let declared = reports.clone().map(|report| &report.declared);
    with_declared(config, declared, reports.flat_map(|report| &report.rows))
}

/// Like [`with_inputs`], but from declarations and rows.
pub fn with_declared<'r>(
    config: Config,
    declared: impl Iterator<Item = &'r Declarations>,
    rows: impl Iterator<Item = &'r Row>,
) -> (Config, Vec<Diagnostic>) {
    let mut all = Declarations::default();
    for one in declared {
        all.merge(one);
    }
    let mut found = Vec::new();
    for name in all.conflicts() {
        if !config.lists_metric(name) {
            let message =
                format!("inputs declare `{name}` with different units, directions or labels");
            let hint = "set the metric's `unit` and `better` in `[metrics]` of the config";
            found.push(Diagnostic::warning(message).hint(hint));
        }
    }
    let mut used = HashSet::new();
    for row in rows {
        used.extend(row.metrics.iter().map(|(name, _)| name));
    }
    (config.with_metrics(&all, used), found)
}

/// Lists the required benchmarks that the run does not contain.
pub fn unmet(rows: &[Row], config: &Config) -> Vec<String> {
    if config.required.is_empty() {
        return Vec::new();
    }
    let suite = Suite::new(rows, config, &Filter::default());
    config
        .unmet(&suite)
        .into_iter()
        .map(|required| term::printable(&required.to_string()))
        .collect()
}

/// The message for missing benchmarks.
pub fn not_measured(unmet: &[String]) -> String {
    format!(
        "required benchmarks were not measured: {}",
        unmet.join(", ")
    )
}

/// Fails if the run does not contain a required benchmark.
pub fn require(rows: &[Row], config: &Config) -> Result<(), Failure> {
    let unmet = unmet(rows, config);
    let hint = "run the whole suite, or change `required` in the config";
    if unmet.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(not_measured(&unmet)).hint(hint))
    }
}
