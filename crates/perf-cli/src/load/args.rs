//! The options of programs that read rows.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::env::consts::{ARCH, OS};
use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{anyhow, bail};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use perf_config::{Config, Glob, Measured, TimeUnit};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::row::Row;
use perf_model::suggest::suggest;
use perf_model::suite::{Definitions, Filter};
use perf_readers::{Collector, FORMATS, Format, ParseReport, Provenance};

use super::{config, explain, matrix, read_with};
use crate::{ResultExt, term};

/// The options of every program that reads rows.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// The output of the benchmark
    ///
    /// Logs, CSV, JSON or XML, which may be `.gz` or UTF-16, or Criterion's folder; `-` is standard input
    #[arg(short, long, value_name = "FILE", num_args = 1.., required_unless_present_any = ["print_config", "list_formats"], help_heading = "Input")]
    pub input: Vec<PathBuf>,

    /// The input format, if it is not detected
    ///
    /// `--list-formats` prints the names
    #[arg(short, long, value_name = "NAME", value_parser = format_name, help_heading = "Input")]
    pub format: Option<&'static Format>,

    /// The platform of rows that have none, such as `ubuntu-24.04`; `auto` means this system, such as `linux-x86_64`
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new(), hide_short_help = true, help_heading = "Input")]
    pub platform: Option<String>,

    /// The unit of latencies of tools that print none, such as HdrHistogram: `ns`, `us`, `ms` or `s`
    #[arg(long, value_name = "UNIT", value_parser = time_unit, hide_short_help = true, help_heading = "Input")]
    pub unit: Option<TimeUnit>,

    /// The config [default: perf-gate.toml]
    ///
    /// Without this option, perf-gate.toml or .github/perf-gate.toml, if it exists
    #[arg(short, long, value_name = "FILE", help_heading = "Input")]
    pub config: Option<PathBuf>,

    /// Print the effective config as TOML and exit
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub print_config: bool,

    /// Print the supported formats and exit
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub list_formats: bool,

    /// Print how each input line was read and exit
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub explain_input: bool,

    /// Rows that were already read, instead of files.
    #[arg(skip)]
    pub rows: Option<ParseReport>,

    /// When the command that wrote the inputs started. Older results in folders are ignored.
    #[arg(skip)]
    pub started: Option<SystemTime>,
}

/// The options that select rows.
#[derive(Args, Clone, Debug, Default)]
pub struct FilterArgs {
    /// The filters that every program accepts.
    #[command(flatten)]
    pub rows: RowFilters,

    /// Only rows whose platform contains `Unity <VERSION>`
    #[arg(
        long,
        value_name = "VERSION",
        help_heading = "Rows",
        hide_short_help = true
    )]
    pub unity_version: Option<String>,
}

/// Patterns that rows must match.
#[derive(Args, Clone, Debug, Default)]
pub struct RowFilters {
    /// Only benchmarks that match: KEY is `benchmark`, `platform` or `scope`; `*Parse*` matches a part of the name
    #[arg(
        long = "filter",
        value_name = "KEY=GLOB",
        value_parser = row_filter,
        help_heading = "Rows",
        hide_short_help = true
    )]
    pub filters: Vec<RowFilter>,
}

/// A pattern for a row's column.
#[derive(Clone, Debug)]
pub struct RowFilter {
    key: &'static str,
    glob: Glob,
}

/// The columns that `--filter` accepts.
const BENCHMARK: &str = "benchmark";
const PLATFORM: &str = "platform";
const SCOPE: &str = "scope";

/// Parses a filter such as `benchmark=parse/*`.
fn row_filter(text: &str) -> Result<RowFilter, String> {
    let (key, glob) = text.split_once('=').unwrap_or_default();
    let known = [BENCHMARK, PLATFORM, SCOPE]
        .into_iter()
        .find(|known| *known == key);
    let key = known.ok_or("expected `benchmark=GLOB`, `platform=GLOB` or `scope=GLOB`")?;
    Ok(RowFilter {
        key,
        glob: Glob::new(glob),
    })
}

impl fmt::Display for RowFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.glob.as_str())
    }
}

/// The error if no row matches the filters. It contains the number of rows.
#[derive(Debug, thiserror::Error)]
#[error("none of the {0} rows matches the filters")]
pub struct NothingMatches(pub usize);

impl RowFilters {
    /// Whether a row matches every filter.
    pub fn matches(&self, row: &Row, config: &Config) -> bool {
        self.filters.iter().all(|filter| match filter.key {
            BENCHMARK => filter.glob.matches(&row.scenario),
            PLATFORM => filter.glob.matches(&row.platform),
            _ => match config.scope_of(&row.platform) {
                Some((_, scope)) => filter.glob.matches(scope),
                None => false,
            },
        })
    }

    /// Like [`Self::apply`], but fails if no row matches.
    ///
    /// # Errors
    /// Fails if the report contains rows, but none of them matches.
    pub fn select(&self, report: &mut ParseReport, config: &Config) -> anyhow::Result<()> {
        let rows = &report.rows;
        if !rows.is_empty() && !rows.iter().any(|row| self.matches(row, config)) {
            let names = rows.iter().map(|row| &*row.scenario);
            let hint = match self.benchmark() {
                Some(glob) => suggest(glob, names).unwrap_or_default(),
                None => places(rows, config),
            };
            return Err(NothingMatches(rows.len())).hint(term::printable(&hint));
        }
        self.apply(report, config);
        Ok(())
    }

    /// Removes the rows that do not match, and the findings about benchmarks that do not match.
    pub fn apply(&self, report: &mut ParseReport, config: &Config) {
        if self.filters.is_empty() {
            return;
        }
        report.rows.retain(|row| self.matches(row, config));
        report.findings.retain(|finding| match &finding.benchmark {
            Some(name) => self.benchmark_globs().all(|glob| glob.matches(name)),
            None => true,
        });
    }

    /// The patterns for benchmark names.
    fn benchmark_globs(&self) -> impl Iterator<Item = &Glob> {
        let filters = self.filters.iter();
        filters
            .filter(|filter| filter.key == BENCHMARK)
            .map(|filter| &filter.glob)
    }

    /// The pattern for benchmark names, if there is exactly one.
    pub fn benchmark(&self) -> Option<&str> {
        let mut globs = self.benchmark_globs();
        let only = globs.next()?;
        match globs.next() {
            None => Some(only.as_str()),
            Some(_) => None,
        }
    }
}

impl FilterArgs {
    /// The text that platforms must contain, if `--unity-version` is set.
    pub fn substring(&self) -> Option<String> {
        let version = self.unity_version.as_ref()?;
        Some(format!("Unity {version}"))
    }

    /// The row filter, limited to a scope if `scope` is set.
    pub fn filter(&self, scope: Option<&str>) -> Filter {
        Filter {
            platform_substring: self.substring(),
            scope: scope.map(str::to_owned),
        }
    }
}

impl InputArgs {
    /// Prints the formats, the config, or how inputs were read, if an option asks for it. Returns whether it printed
    /// something.
    pub fn answer(&self) -> anyhow::Result<bool> {
        if self.list_formats {
            term::stdout(&formats())?;
        } else if self.print_config {
            term::stdout(&self.config()?.effective()?)?;
        } else if self.explain_input {
            let parsed = super::read(&self.input, self.format, &self.config()?)?;
            term::stdout(&explain::list_lines(&parsed)?)?;
        }
        Ok(self.list_formats || self.print_config || self.explain_input)
    }

    /// The effective config: from `--config`, otherwise from the default path, otherwise empty.
    pub fn config(&self) -> anyhow::Result<Config> {
        let config = config::load(self.config.as_deref())?;
        if let Some(format) = self.format {
            known_format("--format", format.name, &config)?;
        }
        Ok(match self.unit {
            Some(unit) => config.with_unit(unit),
            None => config,
        })
    }

    /// Reads all inputs, and prints warnings about their problems.
    ///
    /// # Errors
    /// Fails if an input is unreadable, if there are no rows, or if a row is malformed and the config sets `rows.strict`.
    pub fn rows(&self, config: &Config) -> anyhow::Result<ParseReport> {
        if let Some(rows) = &self.rows {
            return Ok(rows.clone());
        }
        let stdin = self.input.iter().filter(|path| path.as_os_str() == "-");
        if stdin.count() > 1 {
            bail!("standard input can be read only once");
        }
        self.rows_of(&self.input, config)
    }

    /// Like [`InputArgs::rows`], but reads other files with the same options.
    pub fn rows_of(&self, files: &[PathBuf], config: &Config) -> anyhow::Result<ParseReport> {
        let (places, found) = self.places(files);
        term::diagnostics(&found);
        let measured = files.iter().map(PathBuf::as_path).zip(places);
        let mut parsed = read_with(Collector::new(config), measured, self.format, self.started)?;
        match self.platform.as_deref() {
            None => {}
            Some("auto") => super::stamp_platform(&mut parsed.rows, &format!("{OS}-{ARCH}")),
            Some(platform) => super::stamp_platform(&mut parsed.rows, platform),
        }
        if config.run().measure == Measured::Quickest {
            // Don't warn about samples that are far apart, because only the fastest ones are used.
            parsed.far_apart.clear();
        }
        term::diagnostics(&parsed.diagnostics());
        require_rows(&parsed)?;
        if config.is_strict() && parsed.skipped_count > 0 {
            let rows = counted(parsed.skipped_count, "malformed row");
            return Err(anyhow!("{rows} with `rows.strict` of the config"))
                .hint("remove `rows.strict` from the config to skip them with a warning");
        }
        Ok(parsed)
    }

    /// The machine on which each file was measured. All inputs are considered, because one path alone does not show
    /// whether folders are named after machines.
    fn places(&self, files: &[PathBuf]) -> (Vec<Provenance>, Vec<Diagnostic>) {
        let all = files.iter().chain(&self.input).map(PathBuf::as_path);
        let (mut places, found) = matrix::places(&all.collect::<Vec<_>>());
        places.truncate(files.len());
        if self.platform.is_some() {
            matrix::without_platforms(&mut places);
        }
        (places, found)
    }
}

/// The formats, one per line.
pub fn formats() -> String {
    let width = FORMATS
        .iter()
        .map(|format| format.name.len())
        .max()
        .unwrap_or_default();
    let line = |format: &Format| format!("{:width$}  {}", format.name, format.about);
    FORMATS.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Parses a format name, for `--format`. A format that is not built in may be in the config: see [`known_format`].
pub fn format_name(name: &str) -> Result<&'static Format, Infallible> {
    Ok(perf_readers::format(name).unwrap_or_else(|| perf_readers::format_of_config(name)))
}

/// Returns the format with this name, built in or from `[[formats]]` in the config. `key` is the option that sets the
/// format.
///
/// # Errors
/// Fails if no format has this name. The hint lists the nearest names.
pub fn known_format(key: &str, name: &str, config: &Config) -> anyhow::Result<&'static Format> {
    let is_known =
        perf_readers::format(name).is_some() || config.formats().any(|entry| entry.name == name);
    if !is_known {
        let shown = term::printable(name);
        return Err(anyhow!(
            "invalid `{key}`: unknown format `{shown}`, neither built in nor in `[[formats]]` of the config"
        ))
        .hint(perf_readers::suggest_format(name));
    }
    let Ok(format) = format_name(name);
    Ok(format)
}

/// Parses a unit of time, for `--unit`.
fn time_unit(text: &str) -> Result<TimeUnit, String> {
    let known = TimeUnit::ALL.into_iter().find(|unit| unit.symbol() == text);
    known.ok_or_else(|| "expected a unit of time: `ns`, `us`, `ms` or `s`".to_owned())
}

fn require_rows(parsed: &ParseReport) -> anyhow::Result<()> {
    let Err(error) = parsed.require_rows() else {
        return Ok(());
    };
    let hint = term::printable(&error.hint);
    Err(error).hint(hint)
}

/// Parses a non-negative fraction for options such as `--tolerance`; `2%` is 0.02.
///
/// ```
/// assert_eq!(perf_cli::load::fraction("2%"), Ok(0.02));
/// assert!(perf_cli::load::fraction("-2%").is_err());
/// ```
pub fn fraction(text: &str) -> Result<f64, String> {
    let (number, scale) = text
        .strip_suffix('%')
        .map_or((text, 1.0), |number| (number, 100.0));
    match number.parse::<f64>().map(|number| number / scale) {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(
            "expected a fraction of at least 0, such as 0.02, or a percentage, such as 2%"
                .to_owned(),
        ),
    }
}

/// Parses a limit, for options such as `--regression-threshold`: a fraction below 1, or a percentage. Percentages may
/// exceed 100, because a cost can more than double.
///
/// ```
/// assert_eq!(perf_cli::load::limit("0.33"), Ok(0.33));
/// assert_eq!(perf_cli::load::limit("150%"), Ok(1.5));
/// assert!(perf_cli::load::limit("33").is_err());
/// ```
pub fn limit(text: &str) -> Result<f64, String> {
    match fraction(text) {
        Ok(number) if number < 1.0 || text.ends_with('%') => Ok(number),
        _ => Err(
            "expected a fraction from 0 to below 1, such as 0.33, or a percentage, such as 33% or 150%".to_owned(),
        ),
    }
}

/// Parses a file path other than `-`, for options of programs that already use standard output.
pub fn named_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            Err("standard output is already used; pass a file")
        } else {
            Ok(path)
        }
    })
}

/// The hint for a filter that matches nothing. It lists the rows' scopes and platforms.
pub fn places(rows: &[Row], config: &Config) -> String {
    const NAMED: usize = 8;
    let (mut scopes, mut platforms) = (BTreeSet::new(), BTreeSet::new());
    for row in rows.iter().filter(|row| !row.platform.is_empty()) {
        platforms.insert(term::in_backticks(&row.platform));
        if let Some((_, scope)) = config.scope_of(&row.platform) {
            scopes.insert(term::in_backticks(scope));
        }
    }
    if platforms.is_empty() {
        return "the rows have no platform".to_owned();
    }
    let platforms: Vec<String> = platforms.into_iter().collect();
    let hint = format!("the rows' platforms are {}", named(&platforms, NAMED));
    if scopes.is_empty() || config.scopes.is_empty() {
        return hint;
    }
    let scopes: Vec<String> = scopes.into_iter().collect();
    format!("{hint}; their scopes are {}", named(&scopes, NAMED))
}
