//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use perf_cli::Common;
use perf_cli::load::{InputArgs, RowFilters};
use perf_config::{BaselineSection, Config, Digits, Refresh};
use perf_model::date;

/// Write benchmark results as a normalised baseline CSV
#[derive(Parser)]
#[command(name = "extract-perf-baseline", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) request: BaselineRequest,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// A baseline's rows, how many of them to keep, and the output. The fields are command-line options. Other callers start
/// from `BaselineRequest::default()`.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct BaselineRequest {
    /// The input files with the run's rows.
    #[command(flatten)]
    pub source: InputArgs,

    /// The CSV to write; `-` is standard output [default: -]
    #[arg(short, long, value_name = "CSV")]
    pub output: Option<PathBuf>,

    /// Overwrite an existing CSV
    #[arg(long, requires = "output")]
    pub replace: bool,

    /// Append the rows to an existing CSV
    #[arg(short, long, requires = "output", conflicts_with = "replace")]
    pub append: bool,

    /// Keep only the last COMMITS commits
    ///
    /// Counted per measurement, in the order in which the commits were appended
    #[arg(
        long,
        value_name = "COMMITS",
        requires = "append",
        conflicts_with = "replace"
    )]
    pub keep: Option<NonZeroUsize>,

    /// With --replace: `all` writes every row, `moved` writes only benchmarks that changed by more than the tolerance and
    /// their noise, and keeps the old rows of the others [default: from the config, otherwise all]
    #[arg(
        long,
        value_name = "ROWS",
        value_parser = PossibleValuesParser::new(["moved", "all"])
            .map(|rows| if rows == "all" { Refresh::All } else { Refresh::Moved }),
        requires = "replace",
        hide_short_help = true
    )]
    pub refresh: Option<Refresh>,

    /// Keep about this many samples per benchmark, evenly spaced by rank; 0 keeps all [default: from the config, otherwise
    /// 30]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Stored values",
        hide_short_help = true
    )]
    pub samples: Option<u32>,

    /// The digits of times and rates: `noise` keeps three digits below the noise, `all` keeps every digit [default: from the
    /// config, otherwise noise]
    #[arg(
        long,
        value_name = "DIGITS",
        value_parser = PossibleValuesParser::new(["noise", "all"])
            .map(|digits| if digits == "all" { Digits::All } else { Digits::Noise }),
        help_heading = "Stored values",
        hide_short_help = true
    )]
    pub digits: Option<Digits>,

    /// Write one row per measurement, with the median, instead of all samples
    ///
    /// Each row also contains the quartiles of the samples
    #[arg(long, help_heading = "Stored values")]
    pub aggregate: bool,

    /// The filters for rows.
    #[command(flatten)]
    pub filter: RowFilters,

    /// Machine description from `perf-gate specs`
    ///
    /// Its machine type is added to rows that have none, unless another system measured them
    #[arg(short, long, value_name = "JSON", help_heading = "Provenance")]
    pub machine_specs: Option<PathBuf>,

    /// Commit for rows without one
    ///
    /// By default, the CI run's commit or HEAD
    #[arg(
        long,
        value_name = "COMMIT",
        value_parser = NonEmptyStringValueParser::new(),
        help_heading = "Provenance"
    )]
    pub commit: Option<String>,

    /// When the rows were measured: an RFC 3339 date, or `now`
    #[arg(long, value_name = "DATE", value_parser = moment, help_heading = "Provenance")]
    pub measured_at: Option<i64>,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate baseline --input build.log
  perf-gate baseline --input build.log --output perf-baseline.csv --replace
  zcat nightly.log.gz | perf-gate baseline --input - \\
    --output history.csv --append --keep 100

Exit codes: 0 written, 2 error or no rows (the CSV is unchanged)";

impl BaselineRequest {
    /// Returns the settings that decide which rows and digits are kept: from the command line, otherwise from the config.
    pub(crate) fn keeping(&self, config: &Config) -> BaselineSection {
        let written = config.baseline();
        BaselineSection {
            samples: self.samples.unwrap_or(written.samples),
            digits: self.digits.unwrap_or(written.digits),
            refresh: self.refresh.unwrap_or(written.refresh),
        }
    }
}

/// Parses the date in `--measured-at`, as seconds since 1970.
fn moment(text: &str) -> Result<i64, String> {
    let moment = match text {
        "now" => i64::try_from(perf_cli::now()).ok(),
        _ => date::parse(text),
    };
    moment.ok_or_else(|| {
        "expected a date such as 2031-03-04T09:14:10Z or 2031-03-04, or `now`".to_owned()
    })
}
