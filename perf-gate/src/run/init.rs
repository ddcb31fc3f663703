//! `perf-gate init`: the first baseline and the config, from a first run, and the workflow to copy.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use perf_cli::load::{CONFIG, InputArgs};
use perf_cli::{Common, Exit, Failure, ResultExt, file, term};
use perf_config::Config;

use super::compared::{self, quoted};
use super::{Benchmark, BenchmarkSource, tools};

/// Run the benchmark once, and write perf-gate.toml and the first baseline
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    source: BenchmarkSource,

    /// The command that builds the benchmark, for the workflow
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate init -- cargo bench
  perf-gate init --output-of result.json -- hyperfine --export-json result.json './tool in.csv'

Standard output is the workflow that measures pull requests, to copy to
.github/workflows/perf.yml.

Exit codes: 0 written; 2 something is wrong, and nothing is written";

/// Runs the command.
///
/// # Errors
/// A config or a baseline that exists, or a benchmark that cannot be run or leaves no results.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    let benchmark = cli.source.with(&Config::default())?;
    for path in [Path::new(CONFIG), &benchmark.baseline] {
        if path.exists() {
            return Err(Failure::new(format!("`{}` exists", term::shown(path)))
                .hint("`perf-gate run` uses it; to begin again, remove it first")
                .into());
        }
    }
    let folder = tempfile::tempdir()?;
    let specs = tools::describe_machine(folder.path());
    let rows = benchmark.run(folder.path(), 0, specs.as_deref(), &Config::default())?;
    let names: BTreeSet<&str> = rows.rows.iter().map(|row| &*row.scenario).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let comparison = compared::section(&names, &std::env::current_dir()?).unwrap_or_default();
    let config = config(&benchmark, cli.build.as_deref(), &comparison)?;
    tools::write_baseline(InputArgs { rows: Some(rows), ..InputArgs::default() }, &benchmark.baseline)?;
    file::create_new(&PathBuf::from(CONFIG), config.as_bytes()).hint("the baseline is written")?;
    term::note(&format!("`{}` and `{CONFIG}` are written: commit both", term::shown(&benchmark.baseline)));
    term::note("`perf-gate run` compares with this baseline; the workflow for pull requests:");
    term::stdout(&workflow(&benchmark, cli.build.as_deref()))?;
    Ok(Exit::Ok)
}

fn command(benchmark: &Benchmark) -> String {
    let words = benchmark.words.iter().map(|word| word.to_string_lossy().into_owned());
    shell_words::join(words.collect::<Vec<_>>())
}

/// The settings of a run that differ from the defaults.
fn config(benchmark: &Benchmark, build: Option<&str>, comparison: &str) -> anyhow::Result<String> {
    let mut lines = vec!["[run]".to_owned(), format!("command = {}", quoted(command(benchmark)))];
    lines.extend(build.map(|build| format!("build = {}", quoted(build))));
    lines.extend(benchmark.output.iter().map(|path| format!("results = {}", quoted(path.to_string_lossy()))));
    let baseline = quoted(benchmark.baseline.to_string_lossy());
    lines.extend([String::new(), "[files]".to_owned(), format!("baseline = {baseline}")]);
    if !comparison.is_empty() {
        lines.extend([String::new(), comparison.trim_end().to_owned()]);
    }
    let text = lines.join("\n") + "\n";
    Config::parse(&text).map_err(|error| Failure::new(format!("cannot write `{CONFIG}`: {error}")))?;
    Ok(text)
}

fn workflow(benchmark: &Benchmark, build: Option<&str>) -> String {
    let mut with = vec![format!("run: {}", quoted(command(benchmark)))];
    with.extend(build.map(|build| format!("build: {}", quoted(build))));
    with.extend(benchmark.output.iter().map(|path| format!("results: {}", quoted(path.to_string_lossy()))));
    format!("{WORKFLOW}          {}\n", with.join("\n          "))
}

const WORKFLOW: &str = "\
name: perf
on: pull_request
permissions:
  contents: read
  pull-requests: write # to comment
jobs:
  perf:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - uses: perf-gate/perf-gate@v0
        with:
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Surroundings;

    #[test]
    fn commands_keep_their_quotes() {
        let benchmark = Benchmark {
            words: ["sh", "-c", "echo \"a b\""].map(Into::into).into(),
            output: Some("target/criterion".into()),
            format: None,
            baseline: "perf-baseline.csv".into(),
            platform: None,
            commit: None,
            place: Surroundings::default(),
        };
        let text = config(&benchmark, None, "").unwrap();
        let read = Config::parse(&text).unwrap();
        let measure = read.run().command.as_deref().unwrap();
        assert_eq!(shell_words::split(measure).unwrap(), ["sh", "-c", "echo \"a b\""]);
        assert!(workflow(&benchmark, None).ends_with("results: \"target/criterion\"\n"));
    }
}
