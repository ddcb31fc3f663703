//! `perf-gate init`: runs the benchmark once, and writes the config and the workflow for pull requests.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, anyhow};
use clap::Args;
use measure::bench_tools::BenchTool;
use perf_cli::load::{self, CONFIG};
use perf_cli::{Common, Exit, ResultExt, failure, file, term};
use perf_config::{Config, Measured};
use perf_model::diagnostic::counted;
use perf_readers::ParseReport;
use toml_edit::{DocumentMut, TableLike, Value};

use super::benchmark::{self, FOLDER, format_of, line};
use super::workflow::{self, Location, Project};
use super::{Benchmark, LaunchArgs, words_of};

/// Write perf-gate.toml and a GitHub workflow for a benchmark
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    launch: LaunchArgs,

    /// The command that builds the benchmark [default: detected from the project's files]
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    /// Write no workflow
    #[arg(long)]
    no_workflow: bool,

    #[command(flatten)]
    _common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate init -- cargo bench
  perf-gate init --build 'make bench' -- ./bench
  perf-gate init --output-of result.json -- hyperfine --export-json result.json './tool in.csv'

It runs the benchmark once to check that its results can be read, with the
benchmark tool's options for many short samples if the tool is known.

On GitLab or another CI system, pass --no-workflow and follow
docs/how-to/other-ci.md.

Exit codes: 0 written; 2 wrong usage or an error, and nothing is written";

/// Runs the command.
///
/// # Errors
/// Fails if the config already contains a benchmark, if the benchmark cannot be run, or if its results cannot be read.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let own = file::read_text_if_exists(Path::new(CONFIG))?.unwrap_or_default();
    let config = if own.is_empty() {
        Config::default()
    } else {
        load::config(Some(Path::new(CONFIG)))?
    };
    let given = cli.launch.with(&config)?;
    if config.run().command.is_some() {
        return Err(anyhow!("`{CONFIG}` already has a benchmark")).hint("`perf-gate run` uses it");
    }
    let is_new = !Path::new(FOLDER).exists();
    let folder = benchmark::create_folder()?;
    let exit = write_files(cli, &given, folder, &config, &own);
    if exit.is_err() && is_new {
        let _ = std::fs::remove_dir_all(folder);
    }
    exit
}

/// Runs the benchmark, then writes the config and the workflow.
fn write_files(
    cli: &Cli,
    given: &Benchmark,
    folder: &Path,
    config: &Config,
    own: &str,
) -> anyhow::Result<Exit> {
    let location = Location::here();
    let project = Project {
        folder: Path::new("."),
        command: &given.words,
        prefix: &location.down,
    };
    let (steps, detected) = project.setup();
    let build = cli.build.as_deref().or(detected.as_deref());
    if let Some(build) = &cli.build {
        term::step("building");
        given.launch(&words_of("build", build)?, &folder.join("build.log"))?;
    }
    let start = start(given, folder, config, own)?;
    if let Some(first) = &start.first {
        let names: BTreeSet<&str> = first.rows.iter().map(|row| &*row.scenario).collect();
        let count = counted(names.len() as u64, "benchmark");
        term::note(&format!("read {count} ({})", format_of(first)));
    }
    let settings = settings(&start, build, own)?;
    if own.is_empty() {
        file::create_new(Path::new(CONFIG), settings.as_bytes())?;
    } else {
        file::write_if_changed(Path::new(CONFIG), settings.as_bytes())?;
    }
    let workflow = location.workflow_path();
    let shown = term::shown(&workflow);
    if cli.no_workflow {
        term::note(&format!("wrote `{CONFIG}`; commit it"));
    } else if workflow.exists() {
        term::note(&format!(
            "wrote `{CONFIG}`; commit it. `{shown}` already exists and was not changed"
        ));
    } else {
        let text = workflow::render(given, &steps, build, &location);
        if let Some(folder) = workflow.parent() {
            std::fs::create_dir_all(folder)?;
        }
        file::create_new(&workflow, text.as_bytes())?;
        let task = if steps.is_empty() && detected.is_none() {
            "add the setup steps that it needs, because none were found"
        } else {
            "check its setup steps"
        };
        term::note(&format!(
            "wrote `{CONFIG}` and `{shown}`, which measures pull requests against their base; {task}, then commit both"
        ));
    }
    term::note("`perf-gate run` measures your uncommitted changes and HEAD alternately");
    Ok(Exit::Ok)
}

/// The benchmark, how it is measured, and the results of its first run if it prints any.
struct Start {
    benchmark: Benchmark,
    measured: Measured,
    first: Option<ParseReport>,
}

/// Runs the benchmark once: with its tool's options for many short samples or, if that fails, without them. A command
/// that prints nothing will be timed as a whole.
fn start(given: &Benchmark, folder: &Path, config: &Config, own: &str) -> anyhow::Result<Start> {
    let (_, quickest) = with_entries(own, "run", [("measure", "quickest".into())])?;
    let as_is = Benchmark {
        is_as_is: true,
        ..given.clone()
    };
    if given.harness().is_ok()
        && !given.is_as_is
        && let Some(start) = start_with_options(given, folder, &quickest)
    {
        return Ok(start);
    }
    let log = folder.join("run-0.log");
    let (measured, first) = match run_first(&as_is, folder, config) {
        Ok(first) => (Measured::Median, Some(first)),
        // There are no results to read: the command succeeds, but prints nothing and has no results file.
        Err(_)
            if given.output.is_none()
                && log.metadata().is_ok_and(|log| log.len() == 0)
                && given.launch(&given.words, &log).is_ok() =>
        {
            term::note("the command prints nothing, so its own time is measured");
            (Measured::Process, None)
        }
        Err(error) => return Err(error),
    };
    Ok(Start {
        benchmark: given.clone(),
        measured,
        first,
    })
}

/// Runs the benchmark with its tool's options. If that fails, prints a note and returns `None`.
fn start_with_options(given: &Benchmark, folder: &Path, quickest: &Config) -> Option<Start> {
    let is_tool = BenchTool::of(&given.words, Path::new(".")).is_ok();
    let why = match run_first(given, folder, quickest) {
        Err(error) => failure::message(&error),
        // A script that starts the tool may not pass the options on.
        Ok(first) if !is_tool && !given.prints(format_of(&first), quickest) => {
            "the command does not pass them to the tool".to_owned()
        }
        Ok(first) => {
            if let Some(note) = given.note(quickest) {
                term::note(&note);
            }
            let mut benchmark = given.clone();
            if benchmark.format.is_none() && !is_tool {
                benchmark.format = perf_readers::format(format_of(&first));
            }
            return Some(Start {
                benchmark,
                measured: Measured::Quickest,
                first: Some(first),
            });
        }
    };
    term::note(&format!(
        "running the benchmark without options for its tool: {why}"
    ));
    None
}

fn run_first(benchmark: &Benchmark, folder: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    term::step("running the benchmark; its output is in `.perf-gate/run-0.log`");
    benchmark.run(folder, 0, None, config)
}

/// Adds the benchmark's settings to the config if they differ from the defaults. Returns the new text.
fn settings(start: &Start, build: Option<&str>, own: &str) -> anyhow::Result<String> {
    let benchmark = &start.benchmark;
    let mut run: Vec<(&str, Value)> = vec![("command", line(&benchmark.words).into())];
    run.extend(build.map(|build| ("build", build.into())));
    if let Some(path) = &benchmark.output {
        run.push(("results", path.to_string_lossy().into_owned().into()));
    }
    run.extend(
        benchmark
            .format
            .map(|format| ("format", format.name.into())),
    );
    if benchmark.is_as_is {
        run.push(("as-is", true.into()));
    }
    match start.measured {
        Measured::Median => {}
        Measured::Quickest => run.push(("measure", "quickest".into())),
        Measured::Process => run.push(("measure", "process".into())),
    }
    Ok(with_entries(own, "run", run)?.0)
}

/// Adds entries to a table in a config, and keeps the values of existing keys. Returns the new text, and the config
/// that it contains.
///
/// # Errors
/// Fails if the text is not a valid config, or if `table` is the name of something other than a table.
pub fn with_entries<'e>(
    text: &str,
    table: &str,
    entries: impl IntoIterator<Item = (&'e str, Value)>,
) -> anyhow::Result<(String, Config)> {
    let cannot = format!("cannot add to `{table}` in `{CONFIG}`");
    let mut document: DocumentMut = text.parse().with_context(|| cannot.clone())?;
    let mut place: &mut dyn TableLike = document.as_table_mut();
    for name in table.split('.') {
        let inner = place.entry(name).or_insert_with(toml_edit::table);
        place = inner.as_table_like_mut().with_context(|| cannot.clone())?;
    }
    for (key, value) in entries {
        place.entry(key).or_insert(value.into());
    }
    let text = document.to_string();
    let config = Config::parse(&text).context(cannot)?;
    Ok((text, config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_keep_their_quotes() {
        let start = Start {
            benchmark: Benchmark {
                words: ["sh", "-c", "echo \"a b\""].map(Into::into).into(),
                output: Some("target/criterion".into()),
                ..Benchmark::default()
            },
            measured: Measured::Median,
            first: None,
        };
        let text = settings(&start, None, "").unwrap();
        let read = Config::parse(&text).unwrap();
        let command = read.run().command.as_deref().unwrap();
        assert_eq!(
            shell_words::split(command).unwrap(),
            ["sh", "-c", "echo \"a b\""]
        );
        let location = Location::default();
        let workflow = workflow::render(&start.benchmark, &[], None, &location);
        assert!(workflow.ends_with("results: \"target/criterion\"\n"));
    }
}
