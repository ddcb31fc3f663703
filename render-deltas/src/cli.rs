//! The command line.

use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, ValueEnum};
use perf_cli::load::git::RefPath;
use perf_cli::load::{FilterArgs, InputArgs};
use perf_cli::{Common, Failure};
use perf_config::{Config, Date};
use perf_markdown::cut::Limit;
use perf_verdict::Policy;

use crate::policies::Policies;

/// Compare a benchmark run with a baseline, and say what changed and what regressed
#[derive(Parser)]
#[command(name = "render-perf-deltas", version, after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Cli {
    #[command(flatten)]
    pub(crate) source: InputArgs,

    /// The baseline
    ///
    /// While it does not exist, only budgets are checked, with a warning
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["baseline_git", "print_config", "list_formats"], help_heading = "Baseline")]
    pub(crate) baseline_csv: Option<PathBuf>,

    /// The baseline of a commit, such as `origin/main:base.csv`
    ///
    /// The path is that in the repository
    #[arg(
        short = 'g',
        long,
        value_name = "REF:PATH",
        conflicts_with = "baseline_csv",
        help_heading = "Baseline"
    )]
    pub(crate) baseline_git: Option<RefPath>,

    /// Of a baseline with rows of many commits: compare with this one [default: the newest]
    #[arg(
        long,
        value_name = "COMMIT",
        value_parser = NonEmptyStringValueParser::new(),
        help_heading = "Baseline",
        hide_short_help = true
    )]
    pub(crate) baseline_commit: Option<String>,

    /// Fail when there is no baseline
    #[arg(long, help_heading = "Baseline", hide_short_help = true)]
    pub(crate) require_baseline: bool,

    /// Use the last N committed versions of the baseline as history
    #[arg(short = 'n', long, value_name = "N", value_parser = versions, help_heading = "Baseline")]
    pub(crate) history_git: Option<usize>,

    /// Files of earlier rows with dates as history, as `extract-perf-baseline --append` writes them
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Baseline", hide_short_help = true)]
    pub(crate) history: Vec<PathBuf>,

    /// Confirmation runs of the same commit, one file each
    ///
    /// They confirm or refute unconfirmed regressions
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Baseline")]
    pub(crate) confirm: Vec<PathBuf>,

    /// Confirmation runs on other machines of the same class, one file each
    ///
    /// They also settle an environment shift, which runs on the same machine share
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Baseline", hide_short_help = true)]
    pub(crate) confirm_elsewhere: Vec<PathBuf>,

    /// Rows with the same runIndex are interleaved pairs
    #[arg(long, help_heading = "Baseline", hide_short_help = true)]
    pub(crate) paired: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Only rows of this scope
    #[arg(long, value_name = "NAME", help_heading = "Rows", hide_short_help = true)]
    pub(crate) scope: Option<String>,

    /// Machine description from `collect-machine-specs`: times from another class of machine are not compared
    #[arg(short, long, value_name = "JSON", help_heading = "Rows", hide_short_help = true)]
    pub(crate) machine_specs: Option<PathBuf>,

    /// Tolerance: smaller changes are shown as unchanged, as a fraction [default: 0.02]
    #[arg(long, value_name = "FRACTION", value_parser = perf_cli::load::fraction, allow_negative_numbers = true, help_heading = "Limits", hide_short_help = true)]
    pub(crate) tolerance: Option<f64>,

    /// Limit: a larger drop of throughput is a regression, as a fraction [default: 0.33]
    #[arg(long, value_name = "FRACTION", value_parser = perf_cli::load::threshold, allow_negative_numbers = true, help_heading = "Limits", hide_short_help = true)]
    pub(crate) regression_threshold: Option<f64>,

    /// Verdicts that fail [default: regressed,missing]
    ///
    /// Separated by commas: regressed, missing, inconclusive, not-comparable, unmeasured, new, moved, improved; or none.
    /// Without this option, those of the config
    #[arg(long, value_name = "LIST", help_heading = "Limits")]
    pub(crate) fail_on: Option<Policies>,

    /// Write the report as Markdown
    ///
    /// `-` is standard output, with the result lines on standard error
    #[arg(short, long, value_name = "MD", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// What standard output has [default: a table on a terminal, else lines]
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        conflicts_with = "explain",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(crate) output_format: Option<OutputFormat>,

    /// In the table: show all rows, and how each verdict was decided
    #[arg(short, long, help_heading = "Output", hide_short_help = true)]
    pub(crate) verbose: bool,

    /// Write the report as JSON
    #[arg(short, long, value_name = "FILE", value_parser = perf_cli::load::named_file(), help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,

    /// Explain the verdicts on a benchmark, by key or label
    ///
    /// On standard output; the result lines go to standard error
    #[arg(long, value_name = "SCENARIO", help_heading = "Output")]
    pub(crate) explain: Option<String>,

    /// A Handlebars template to use instead of the built-in one
    #[arg(long, value_name = "FILE", requires = "output", help_heading = "Output", hide_short_help = true)]
    pub(crate) template: Option<PathBuf>,

    /// Write the report a second time, as long as a comment on GitHub may be
    #[arg(long, value_name = "MD", help_heading = "Output", hide_short_help = true)]
    pub(crate) comment: Option<PathBuf>,

    /// The length of the report in characters: what matters most is shown, and the report says what it leaves out
    #[arg(
        long,
        value_name = "CHARACTERS",
        requires = "output",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(crate) max_length: Option<usize>,

    /// Exit with 1 when the gate fails
    ///
    /// When a verdict of --fail-on occurs, and when nothing could be compared with a baseline that was measured the same
    /// way
    #[arg(short, long, help_heading = "Limits")]
    pub(crate) exit_code: bool,

    /// Skip the self-test, which checks that a regression of each gated metric would be detected
    #[arg(long, help_heading = "Limits", hide_short_help = true)]
    pub(crate) no_self_test: bool,

    /// The day on which waivers are checked [default: today, in UTC]
    #[arg(long, value_name = "YYYY-MM-DD", help_heading = "Limits", hide_short_help = true)]
    pub(crate) today: Option<Date>,

    /// The command that the report names to reproduce a verdict [default: this command]
    #[arg(long, value_name = "COMMAND", hide = true)]
    pub(crate) reproduce: Option<String>,

    /// That command measures both sides again
    #[arg(long, requires = "reproduce", hide = true)]
    pub(crate) reproduce_measures: bool,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// What standard output has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// An aligned table and the outcome, in colour on a terminal
    Table,
    /// The result lines, such as `regressed=true`
    Lines,
    /// The report as Markdown; the result lines go to standard error
    Markdown,
    /// The report as JSON; the result lines go to standard error
    Json,
}

const EXAMPLES: &str = "\
Examples:
  render-perf-deltas --input build.log --baseline-csv base.csv --output -
  render-perf-deltas --input build.log --baseline-csv base.csv --exit-code
  render-perf-deltas --input build.log --baseline-csv base.csv \\
    --output deltas.md --json report.json
  render-perf-deltas --input build.log --exit-code \\
    --baseline-git origin/main:perf-baseline.csv --history-git 30
  render-perf-deltas --input build.log --baseline-csv base.csv \\
    --history-git 30 --explain Decode_Small
  render-perf-deltas --input run-1.log --confirm run-2.log \\
    --baseline-csv base.csv --fail-on regressed,missing,inconclusive

On a terminal, standard output has a table; -v shows all rows. Elsewhere, and
with --output-format lines, it has one line each for changed= and regressed= (true or
false), for improved=, inconclusive=, missing=, new=, not-comparable= and
compared= (scenarios), unmeasured= (gated metrics that only the baseline
has), waived= (scenarios), blind= (scenarios with a metric that cannot
fail), confirm= (confirmation runs that would settle all unconfirmed
regressions) and failed= (verdicts of --fail-on that occurred,
nothing-compared, not-compared: a class of machine of several, or required:
a benchmark that the config requires).

Exit codes: 0 a verdict was reached, whatever it is; 1 with --exit-code,
failed= is not empty; 2 an error, or the gate self-test failed";

impl Cli {
    /// The limits, and what else decides.
    pub(crate) fn policy(&self, config: &Config) -> Policy {
        let written = Policy::of(config);
        Policy {
            tolerance: self.tolerance.unwrap_or(written.tolerance),
            threshold: self.regression_threshold.unwrap_or(written.threshold),
            is_threshold_chosen: self.regression_threshold.is_some() || written.is_threshold_chosen,
            today: Some(self.today()),
            self_test: !self.no_self_test,
            fails: self.fail_on(config).fails(),
        }
    }

    /// The day on which waivers are checked.
    pub(crate) fn today(&self) -> Date {
        self.today.unwrap_or_else(today)
    }

    /// The files of all confirmation runs.
    pub(crate) fn confirmation_runs(&self) -> impl Iterator<Item = &PathBuf> + Clone {
        self.confirm.iter().chain(&self.confirm_elsewhere)
    }

    /// The length of a comment, with room for the lines that its writer adds.
    pub(crate) const COMMENT: Limit = Limit::Chars(59_000);

    /// The length of the report.
    pub(crate) fn limit(&self) -> Limit {
        Limit::Chars(self.max_length.unwrap_or(usize::MAX))
    }

    /// The only scope that is compared.
    pub(crate) fn scope<'c>(&'c self, config: &'c Config) -> Option<&'c str> {
        self.scope.as_deref().or(config.deltas.scope.as_deref())
    }

    /// What fails.
    pub(crate) fn fail_on(&self, config: &Config) -> Policies {
        self.fail_on.clone().unwrap_or_else(|| Policies::of(config))
    }

    /// What standard output has, besides an explanation or a report that was sent there.
    pub(crate) fn stdout(&self, is_terminal: bool) -> OutputFormat {
        match self.output_format {
            Some(format) => format,
            None if self.output.as_deref() == Some(Path::new("-")) => OutputFormat::Markdown,
            None if is_terminal => OutputFormat::Table,
            None => OutputFormat::Lines,
        }
    }

    /// That no file is written over another, and none is read twice as if it were two.
    pub(crate) fn keep_apart(&self) -> anyhow::Result<()> {
        if self.explain.is_some() && self.output.as_deref() == Some(Path::new("-")) {
            let failure = Failure::new("standard output is taken by `--explain`");
            return Err(failure.hint("name a file for the report").into());
        }
        if self.output_format.is_some() && self.output.as_deref() == Some(Path::new("-")) {
            let failure = Failure::new("standard output is taken by `--output -`");
            return Err(failure.hint("use `--output-format markdown` alone").into());
        }
        let rows = self.source.input.iter().chain(self.confirmation_runs()).chain(&self.history);
        let rows: Vec<&Path> = rows.chain(&self.baseline_csv).map(PathBuf::as_path).collect();
        if rows.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Failure::new("standard input can be read only once").into());
        }
        let again: Vec<PathBuf> = self.confirmation_runs().cloned().collect();
        perf_cli::load::check_distinct_runs(&self.source.input, &again)?;
        let others = [&self.source.config, &self.template, &self.machine_specs].map(|path| path.as_deref());
        let inputs: Vec<Option<&Path>> = rows.into_iter().map(Some).chain(others).collect();
        perf_cli::load::check_no_overwrite(
            &[self.output.as_deref(), self.comment.as_deref(), self.json.as_deref()],
            &inputs,
        )
    }
}

fn today() -> Date {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Date::at(since.map_or(0, |since| since.as_secs()))
}

/// How many versions of a history are read: as many as a config can ask for.
fn versions(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1000).contains(number));
    number.ok_or_else(|| "a whole number from 1 to 1000, such as 30".to_owned())
}
