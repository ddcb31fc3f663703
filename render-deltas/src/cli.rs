//! The command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Parser, ValueEnum};
use perf_cli::load::git::RefPath;
use perf_cli::load::{FilterArgs, InputArgs};
use perf_cli::{Common, ResultExt, actions};
use perf_config::{Config, Date, FailOn, FailOnList};
use perf_model::finding::Finding;
use perf_model::row::Name;
use perf_model::suite::Filter;
use perf_readers::ParseReport;
use perf_report::markdown::cut::Limit;
use perf_report::report::{Links, Reproduction};
use perf_report::shell::CommandLine;

/// A comparison: the run, the baseline, and the limits. Callers other than the command line start from
/// `CompareRequest::default()`.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Baseline")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct CompareRequest {
    /// The input files with the run's rows.
    #[command(flatten)]
    pub source: InputArgs,

    /// The baseline
    ///
    /// If it does not exist yet, warns, and only makes checks that need no baseline, such as budgets
    #[arg(short, long, alias = "baseline", value_name = "FILE", required_unless_present_any = ["baseline_git", "print_config", "list_formats", "explain_input"])]
    pub baseline_csv: Option<PathBuf>,

    /// The baseline at a commit, such as `origin/main:base.csv`
    ///
    /// The path is relative to the repository
    #[arg(
        short = 'g',
        long,
        value_name = "REF:PATH",
        conflicts_with = "baseline_csv"
    )]
    pub baseline_git: Option<RefPath>,

    /// In a baseline with several commits, compare with this one [default: the newest]
    #[arg(
        long,
        value_name = "COMMIT",
        value_parser = NonEmptyStringValueParser::new(),
        hide_short_help = true
    )]
    pub baseline_commit: Option<String>,

    /// Fail if there is no baseline
    #[arg(long, hide_short_help = true)]
    pub require_baseline: bool,

    /// Use the last N committed versions of the baseline as history
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub history_git: Option<usize>,

    /// Files with earlier, dated rows as history, as `perf-gate baseline --append` writes them
    #[arg(long, value_name = "FILE", num_args = 1.., hide_short_help = true)]
    pub history: Vec<PathBuf>,

    /// Confirmation runs of the same commit, one file each
    ///
    /// They confirm or refute unconfirmed regressions
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub confirm: Vec<PathBuf>,

    /// Confirmation runs on other machines of the same type, one file each
    ///
    /// They also settle an environment shift, which more runs on the same machine cannot
    #[arg(long, value_name = "FILE", num_args = 1.., hide_short_help = true)]
    pub confirm_elsewhere: Vec<PathBuf>,

    /// Rows with the same runIndex are pairs
    #[arg(long, hide_short_help = true)]
    pub paired: bool,

    /// The filters for rows.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Compare only rows of this scope
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Rows",
        hide_short_help = true
    )]
    pub scope: Option<String>,

    /// Machine description from `perf-gate specs`: times from another machine type are not compared
    #[arg(
        short,
        long,
        value_name = "JSON",
        help_heading = "Rows",
        hide_short_help = true
    )]
    pub machine_specs: Option<PathBuf>,

    /// Tolerance: smaller changes are shown as unchanged, as a fraction [default: 0.02]
    #[arg(long, value_name = "FRACTION", value_parser = perf_cli::load::fraction, allow_negative_numbers = true, help_heading = "Limits", hide_short_help = true)]
    pub tolerance: Option<f64>,

    /// Limit: a larger change for the worse is a regression; at 10%, a time may grow from 100 to 110, and a throughput
    /// may drop to 90 [default: 33%]
    #[arg(long, value_name = "FRACTION", value_parser = perf_cli::load::limit, allow_negative_numbers = true, help_heading = "Limits", hide_short_help = true)]
    pub regression_threshold: Option<f64>,

    /// Verdicts that fail [default: regressed,missing]
    ///
    /// A list separated by commas: regressed, missing, inconclusive, not-comparable, unmeasured, new, moved, improved; or
    /// none. Without this option, the config's list is used
    #[arg(long, value_name = "LIST", value_parser = FailOn::parse_list, help_heading = "Limits")]
    pub fail_on: Option<FailOnList>,

    /// The date for checking waivers [default: today, in UTC]
    #[arg(
        long,
        value_name = "YYYY-MM-DD",
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub today: Option<Date>,

    /// The baseline's rows, if they were already read.
    #[arg(skip)]
    pub baseline_rows: Option<ParseReport>,

    /// Confirmation runs that were already read.
    #[arg(skip)]
    pub confirmation_runs: Vec<ParseReport>,

    /// Whether suspected regressions are rerun. They then fail only if the rerun confirms them.
    #[arg(skip)]
    pub is_rerun: bool,

    /// Findings of the program that measured the run: first those about the base, then those about the run.
    #[arg(skip)]
    pub findings: [Vec<Finding>; 2],

    /// Benchmarks that other shards compare.
    #[arg(skip)]
    pub other_shards: BTreeSet<Name>,

    /// The command that reproduces the verdicts. By default, it repeats this comparison.
    #[arg(skip)]
    pub reproduction: Option<Reproduction>,

    /// Whether the gate depends on this comparison alone. Then comparing nothing always fails. A different machine or
    /// methodology is no excuse, because rows could claim one in order to pass.
    #[arg(skip)]
    pub is_decisive: bool,
}

/// Compare a benchmark run with a baseline
#[derive(Parser, Clone)]
#[command(name = "render-perf-deltas", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The comparison.
    #[command(flatten)]
    pub request: CompareRequest,

    /// Skip the comparison if the run has no rows, or none in common with the baseline
    ///
    /// The command then prints a warning, `changed=false` and `regressed=false`, writes no report, and exits with 0
    #[arg(long, help_heading = "Baseline", hide_short_help = true)]
    pub(crate) skip_empty: bool,

    /// The requested forms of the report.
    #[command(flatten)]
    pub shown: ReportForms,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The requested forms of the report, and their files.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct ReportForms {
    /// Write the report as Markdown
    ///
    /// `-` is standard output; the result lines then go to standard error
    #[arg(short, long, value_name = "MD")]
    pub output: Option<PathBuf>,

    /// The format of standard output: a table, `key=value` lines, or the report
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        conflicts_with = "explain",
        hide_short_help = true
    )]
    pub output_format: Option<OutputFormat>,

    /// In the table, show all rows and how each verdict was decided
    #[arg(short, long, hide_short_help = true)]
    pub verbose: bool,

    /// Write the report as JSON
    #[arg(short, long, value_name = "FILE", value_parser = perf_cli::load::named_file())]
    pub json: Option<PathBuf>,

    /// Explain the verdicts on a benchmark, by key or label
    ///
    /// The explanation goes to standard output, and the result lines to standard error
    #[arg(long, value_name = "BENCHMARK")]
    pub explain: Option<String>,

    /// Also write the report to this file, shortened to the length of a GitHub comment
    #[arg(long, value_name = "MD", hide_short_help = true)]
    pub comment: Option<PathBuf>,

    /// The maximum length of the report in characters; the most important parts are kept, and the rest is counted
    #[arg(
        long,
        value_name = "CHARACTERS",
        requires = "output",
        hide_short_help = true
    )]
    pub max_length: Option<usize>,

    /// Exit with 1 when the gate fails
    ///
    /// The gate fails if a verdict in --fail-on occurs, a required benchmark was not measured, or results could not be
    /// compared with a baseline that was measured the same way
    #[arg(short, long, help_heading = "Limits")]
    pub exit_code: bool,

    /// Whether the result lines are omitted, except with `--output-format lines`.
    #[arg(skip)]
    pub has_no_lines: bool,
}

/// The format of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
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
  perf-gate compare --input build.log --baseline base.csv --output -
  perf-gate compare --input build.log --baseline base.csv --exit-code
  perf-gate compare --input build.log --baseline base.csv \\
    --output deltas.md --json report.json
  perf-gate compare --input build.log --exit-code \\
    --baseline-git origin/main:perf-baseline.csv --history-git 30
  perf-gate compare --input build.log --baseline base.csv \\
    --history-git 30 --explain Decode_Small
  perf-gate compare --input run-1.log --confirm run-2.log \\
    --baseline-csv base.csv --fail-on regressed,missing,inconclusive

On a terminal, standard output is a table; -v shows all rows. Elsewhere, and
with --output-format lines, it is one line each for changed=, regressed= and
other counts, as docs/reference/exit-codes.md describes them.

Exit codes: 0 a verdict was reached, whatever it is; 1 with --exit-code,
failed= is not empty; 2 an error, or the gate self-test failed";

impl CompareRequest {
    /// Returns the config with this request's limits, and without the required benchmarks that other shards measure.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        let mut config = self.source.config()?;
        let deltas = &mut config.deltas;
        deltas.paired |= self.paired;
        deltas.tolerance = self.tolerance.unwrap_or(deltas.tolerance);
        if let Some(limit) = self.regression_threshold {
            (deltas.limit, deltas.explicit_limit) = (limit, true);
        }
        if let Some(fail_on) = &self.fail_on {
            deltas.fail_on.clone_from(fail_on);
        }
        if self.scope.is_some() {
            deltas.scope.clone_from(&self.scope);
        }
        if self.is_rerun {
            config.history = config.history.of_reruns();
        }
        config.required.retain(|required| {
            let mut others = self.other_shards.iter();
            !others.any(|name| required.is_benchmark(name))
        });
        Ok(config)
    }

    /// Returns the filter for platforms and the scope.
    pub(crate) fn platform_filter(&self, config: &Config) -> Filter {
        self.filter.filter(config.deltas.scope.as_deref())
    }

    /// Returns the date for checking waivers.
    pub(crate) fn today(&self) -> Date {
        self.today.unwrap_or(Date::at(perf_cli::now()))
    }

    /// Returns all confirmation files.
    pub(crate) fn confirmation_runs(&self) -> impl Iterator<Item = &PathBuf> + Clone {
        self.confirm.iter().chain(&self.confirm_elsewhere)
    }

    /// Returns all input files, starting with the run's.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.source
            .input
            .iter()
            .chain(self.confirmation_runs())
            .chain(&self.history)
            .chain(&self.baseline_csv)
            .chain(&self.source.config)
            .chain(&self.machine_specs)
    }

    /// Returns the requested command that reproduces the verdicts or, by default, the command that repeats this comparison.
    pub(crate) fn reproduction(&self, config: &Config) -> Reproduction {
        if let Some(reproduction) = &self.reproduction {
            return reproduction.clone();
        }
        Reproduction {
            command: self.command(config),
            ..Reproduction::default()
        }
    }

    /// Returns the start of a command that reads the same run.
    fn line(&self, program: &str) -> CommandLine {
        let mut line = CommandLine::new(program);
        line.files("--input", &self.source.input);
        line.option("--format", self.source.format.map(|format| format.name));
        line
    }

    /// Returns the command that repeats this comparison, quoted for a shell. It contains the inputs and the limits, but no
    /// outputs.
    pub fn command(&self, config: &Config) -> String {
        let mut line = self.line("perf-gate compare");
        line.option("--platform", self.source.platform.as_ref());
        line.files("--baseline", &self.baseline_csv);
        line.option("--baseline-git", self.baseline_git.as_ref());
        line.option("--baseline-commit", self.baseline_commit.as_ref());
        line.option("--history-git", self.history_git);
        line.files("--history", &self.history);
        line.files("--confirm", &self.confirm);
        line.files("--confirm-elsewhere", &self.confirm_elsewhere);
        line.flag("--paired", self.paired || config.deltas.paired);
        for filter in &self.filter.rows.filters {
            line.option("--filter", Some(filter));
        }
        let substring = self.filter.substring();
        line.option(
            "--filter",
            substring.map(|text| format!("platform=*{text}*")),
        );
        line.option("--scope", self.scope.as_ref());
        line.files("--config", &self.source.config);
        line.files("--machine-specs", &self.machine_specs);
        line.option("--tolerance", self.tolerance);
        if let Some(limit) = self.regression_threshold {
            let percentage = perf_model::decimal::nearest_of(limit * 100.0, 12);
            line.option("--regression-threshold", Some(format!("{percentage}%")));
        }
        line.option("--today", self.today.filter(|_| !config.waivers.is_empty()));
        line.text()
    }

    /// Returns the command that writes this run as the baseline.
    pub(crate) fn create_command(&self) -> String {
        if let Some(again) = &self.reproduction
            && let Some(benchmark) = &again.benchmark
        {
            let line = format!("{} --save {benchmark}", again.command);
            return line.trim_end().to_owned();
        }
        let mut line = self.line("perf-gate baseline");
        let scope = self.scope.as_ref();
        line.option("--filter", scope.map(|scope| format!("scope={scope}")));
        line.files("--config", &self.source.config);
        line.files("--machine-specs", &self.machine_specs);
        if let Some(place) = &self.baseline_git {
            line.option("--output", Some(place.path()));
        }
        if let Some(path) = &self.baseline_csv {
            line.files("--output", [path]);
            line.flag("--replace", path.exists());
        }
        line.text()
    }
}

/// Returns the links that a workflow's environment contains, or `None` outside of a workflow.
pub(crate) fn links(variable: impl Fn(&str) -> Option<String>) -> Option<Links> {
    let repository = actions::repository(&variable)?;
    let is_number = |run: &String| !run.is_empty() && run.bytes().all(|b| b.is_ascii_digit());
    let run = variable("GITHUB_RUN_ID").filter(is_number);
    Some(Links { repository, run })
}

impl ReportForms {
    /// Returns the maximum length of the report.
    pub(crate) fn limit(&self) -> Limit {
        Limit::Chars(self.max_length.unwrap_or(usize::MAX))
    }

    /// Returns the format of standard output.
    pub(crate) fn stdout(&self, is_terminal: bool) -> OutputFormat {
        match self.output_format {
            Some(format) => format,
            None if self.output.as_deref() == Some(Path::new("-")) => OutputFormat::Markdown,
            None if is_terminal => OutputFormat::Table,
            None => OutputFormat::Lines,
        }
    }
}

impl Cli {
    /// Fails if an output would overwrite an input, or if the same file is passed as two runs.
    pub(crate) fn keep_apart(&self) -> anyhow::Result<()> {
        let (request, shown) = (&self.request, &self.shown);
        let is_report_on_stdout = shown.output.as_deref() == Some(Path::new("-"));
        if is_report_on_stdout && shown.explain.is_some() {
            return Err(anyhow!("standard output is taken by `--explain`"))
                .hint("pass a file for the report");
        }
        if is_report_on_stdout && shown.output_format.is_some() {
            return Err(anyhow!("standard output is taken by `--output -`"))
                .hint("use `--output-format markdown` alone");
        }
        let stdin = request.files().filter(|path| path.as_os_str() == "-");
        if stdin.count() > 1 {
            bail!("standard input can be read only once");
        }
        let reruns: Vec<PathBuf> = request.confirmation_runs().cloned().collect();
        perf_cli::load::check_distinct_runs(&request.source.input, &reruns)?;
        let inputs = request.files().map(|path| Some(path.as_path()));
        let inputs: Vec<Option<&Path>> = inputs.collect();
        let outputs = [&shown.output, &shown.comment, &shown.json].map(|path| path.as_deref());
        perf_cli::load::check_no_overwrite(&outputs, &inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &[&str]) -> CompareRequest {
        Cli::try_parse_from(["render-perf-deltas"].iter().chain(line))
            .unwrap()
            .request
    }

    fn of(line: &[&str]) -> String {
        request(line).command(&Config::default())
    }

    #[test]
    fn reproduce_command_repeats_inputs_but_not_outputs() {
        let given = [
            "--quiet",
            "--output=-",
            "--json",
            "report.json",
            "--input",
            "a.log",
            "b c.log",
            "--platform",
            "auto",
            "--baseline-git",
            "main:perf/base.csv",
            "--baseline-commit",
            "4be19c7",
            "--history-git",
            "30",
            "--confirm",
            "again.log",
            "--paired",
            "--scope",
            "it's",
            "--tolerance",
            "0.05",
            "--fail-on",
            "none",
            "--exit-code",
            "--config",
            "$HOME/perf-gate.toml",
        ];
        insta::assert_snapshot!(of(&given), @r"perf-gate compare --input a.log 'b c.log' --platform auto --baseline-git main:perf/base.csv --baseline-commit 4be19c7 --history-git 30 --confirm again.log --paired --scope 'it'\''s' --config '$HOME/perf-gate.toml' --tolerance 0.05");
    }

    #[test]
    fn create_command_reads_the_same_inputs() {
        let file = [
            "--input",
            "a.log",
            "--format",
            "csv",
            "--baseline-csv",
            "b c.csv",
        ];
        insta::assert_snapshot!(request(&file).create_command(), @"perf-gate baseline --input a.log --format csv --output 'b c.csv'");
        let commit = ["--input", "-", "--baseline-git", "main:perf/base.csv"];
        insta::assert_snapshot!(request(&commit).create_command(), @"perf-gate baseline --input - --output perf/base.csv");
    }

    #[test]
    fn control_characters_in_file_names_are_replaced() {
        assert!(
            !of(&["--input", "a\nb", "--baseline-csv", "c\u{1b}[m"]).contains(['\n', '\u{1b}'])
        );
    }
}

#[cfg(test)]
mod links_tests {
    use super::*;

    fn of(server: &str, name: &str, run: &str) -> Option<(String, Option<String>)> {
        let found = links(|variable| {
            let text = match variable {
                "GITHUB_SERVER_URL" => server,
                "GITHUB_REPOSITORY" => name,
                _ => run,
            };
            (!text.is_empty()).then(|| text.to_owned())
        });
        found.map(|links| (links.repository, links.run))
    }

    #[test]
    fn links_point_to_repository_and_workflow_run() {
        let server = "https://github.example:8443";
        let repository = format!("{server}/octo/quill");
        assert_eq!(
            of(server, "octo/quill", "123"),
            Some((repository.clone(), Some("123".to_owned())))
        );
        assert_eq!(of(server, "octo/quill", "x"), Some((repository, None)));
    }

    #[test]
    fn unusual_server_or_repository_has_no_link() {
        assert_eq!(of("", "octo/quill", "1"), None);
        assert_eq!(of("javascript:x", "octo/quill", "1"), None);
        assert_eq!(of("https://github.com", "octo/qu)ill", "1"), None);
        assert_eq!(of("https://github.com", "octo", "1"), None);
    }
}
