//! `perf-gate init`: the first baseline and the config, from several runs, and the workflow to copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use measure::Conditions;
use measure::bench_tools::{BenchTool, NotRecognised};
use perf_cli::load::{self, CONFIG, InputArgs};
use perf_cli::{Common, Exit, Failure, ResultExt, failure, file, term};
use perf_config::{Config, Measured};
use perf_readers::ParseReport;

use super::benchmark::{FOLDER, line};
use super::compared::{self, quoted};
use super::ecosystems::{build_here, is_installed};
use super::noise::{LONGEST, Runs, with_slow_run_hint};
use super::{Benchmark, BenchmarkSource, rows, words_of, workflow};

/// Run the benchmark until its noise is known, and write perf-gate.toml and the first baseline
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    source: BenchmarkSource,

    /// The command that builds the benchmark, for the workflow
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    /// Write the workflow to .github/workflows/perf.yml instead of printing it
    #[arg(long)]
    workflow: bool,

    /// Remove the files that `init` wrote, as far as nothing changed them
    #[arg(long)]
    undo: bool,

    #[command(flatten)]
    _common: Common,
}

/// The workflow for pull requests.
const WORKFLOW: &str = ".github/workflows/perf.yml";

/// The file with what `init` wrote.
const WRITTEN: &str = "init.json";

/// The file with the config that was there before.
const OWN: &str = "before.toml";

const EXAMPLES: &str = "\
Examples:
  perf-gate init -- cargo bench
  perf-gate init --output-of result.json -- hyperfine --export-json result.json './tool in.csv'

It runs the benchmark 5 to 10 times within two minutes, with the options of its
tool for many short samples, and stores all runs: they show its noise.

Standard output is the workflow that measures pull requests, to copy to
.github/workflows/perf.yml.

Exit codes: 0 written; 2 something is wrong, and nothing is written";

/// Runs the command.
///
/// # Errors
/// A config with a benchmark or a baseline that exists, or a benchmark that cannot be run or leaves no results.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if cli.undo {
        return undo();
    }
    let own = text_of(Path::new(CONFIG))?;
    let config = if own.is_empty() {
        Config::default()
    } else {
        load::config(Some(Path::new(CONFIG)))?
    };
    let given = cli.source.with(&config)?;
    refuse_existing(cli, &given.baseline, &config)?;
    let folder = Path::new(FOLDER);
    let is_new = !folder.exists();
    keep_out_of_git(folder)?;
    let exit = measure(cli, &given, folder, &own);
    if exit.is_err() && is_new {
        let _ = std::fs::remove_dir_all(folder);
    }
    exit
}

/// Measures, and writes the files.
fn measure(cli: &Cli, given: &Benchmark, folder: &Path, own: &str) -> anyhow::Result<Exit> {
    let machine = Conditions::at_start();
    let specs = rows::describe_machine(folder);
    if let Some(build) = &cli.build {
        given.launch(&words_of("build", build)?, &folder.join("build.log"))?;
    }
    let Start {
        benchmark,
        measured,
        mut first,
    } = start(given, folder, specs.as_deref(), own)?;
    let build = cli
        .build
        .clone()
        .or_else(|| workflow::build(&given.words, Path::new(".")));
    let build_here = match &cli.build {
        Some(build) => Some(build.as_str()),
        None => build
            .as_deref()
            .map(|build| build_here(build, is_installed)),
    };
    let settings = |more: &str| config(&benchmark, build_here, measured, more, own);
    let parsed = Config::parse(&settings("")?)?;
    let runs = Runs::take(&parsed, LONGEST, |number| match first.take() {
        Some(first) => Ok(first),
        // What it says was shown when it was found to print nothing.
        None => term::silently(|| benchmark.run(folder, number, specs.as_deref(), &parsed)),
    })?;
    machine.at_end();
    let comparison = if parsed.comparison.is_none() {
        comparison(&runs)?
    } else {
        String::new()
    };
    let settings = settings(&[gates(&runs, &parsed), comparison].concat())?;
    let lines = runs.lines(&parsed);
    rows::write_baseline(
        InputArgs {
            rows: Some(runs.rows()),
            ..InputArgs::default()
        },
        &benchmark.baseline,
    )?;
    if own.is_empty() {
        file::create_new(&PathBuf::from(CONFIG), settings.as_bytes())
            .hint("the baseline is written")?;
    } else {
        file::write_if_changed(&folder.join(OWN), own.as_bytes())?;
        file::write_if_changed(Path::new(CONFIG), settings.as_bytes())
            .hint("the baseline is written")?;
    }
    let mut written = vec![benchmark.baseline.as_path(), Path::new(CONFIG)];
    for line in lines {
        term::note(&line);
    }
    term::note(&format!(
        "`{}` and `{CONFIG}` are written: commit both",
        term::shown(&benchmark.baseline)
    ));
    write_workflow(cli, given, build.as_deref())?;
    written.extend(cli.workflow.then_some(Path::new(WORKFLOW)));
    remember(&written)?;
    Ok(Exit::Ok)
}

/// The text of the config that is there already, such as one with the format of the benchmark's output; empty if there is none.
pub(super) fn text_of(path: &Path) -> anyhow::Result<String> {
    if path.exists() {
        file::read_text(path)
    } else {
        Ok(String::new())
    }
}

/// Files that exist are not replaced, and a config that names a benchmark is complete.
fn refuse_existing(cli: &Cli, baseline: &Path, config: &Config) -> anyhow::Result<()> {
    let config = config.run().command.as_ref().map(|_| Path::new(CONFIG));
    let workflow = cli.workflow.then_some(Path::new(WORKFLOW));
    match config.into_iter().chain([baseline]).chain(workflow).find(|path| path.exists()) {
        Some(path) => Err(Failure::new(format!("`{}` exists", term::shown(path)))
            .hint(
                "`perf-gate run` uses it; to begin again, `perf-gate init --undo` removes what `init` wrote",
            )
            .into()),
        None => Ok(()),
    }
}

/// Prints the workflow, or writes it where it belongs.
fn write_workflow(cli: &Cli, benchmark: &Benchmark, build: Option<&str>) -> anyhow::Result<()> {
    let text = workflow::workflow(benchmark, build, Path::new("."));
    if !cli.workflow {
        term::note("`perf-gate run` compares with this baseline; the workflow for pull requests:");
        return term::stdout(&text);
    }
    let path = Path::new(WORKFLOW);
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    file::create_new(path, text.as_bytes())
        .hint("`perf-gate init` without `--workflow` prints it")?;
    term::note(&format!(
        "`{WORKFLOW}` is written: look at its steps, commit it, and open a pull request"
    ));
    Ok(())
}

/// Makes the folder for results and the last run, which git ignores by a file in it.
fn keep_out_of_git(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(format!("cannot create `{}`", term::shown(folder))).because(error)
    })?;
    file::write_if_changed(&folder.join(".gitignore"), b"*\n").map(drop)
}

/// Keeps what was written, so that it can be undone.
fn remember(written: &[&Path]) -> anyhow::Result<()> {
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    for path in written {
        texts.insert(path.to_path_buf(), file::read_text(path)?);
    }
    file::write_if_changed(
        &Path::new(FOLDER).join(WRITTEN),
        &serde_json::to_vec(&texts)?,
    )
    .map(drop)
}

/// Removes what `init` wrote and nothing changed, and the folder of the last run.
fn undo() -> anyhow::Result<Exit> {
    let text = file::read_text(&Path::new(FOLDER).join(WRITTEN)).map_err(|_| {
        Failure::new("there is nothing to undo: `perf-gate init` wrote no files here")
    })?;
    let written: BTreeMap<PathBuf, String> = serde_json::from_str(&text)?;
    for (path, text) in written {
        let shown = term::shown(&path);
        if file::read_text(&path).is_ok_and(|now| now == text) {
            let before = Path::new(FOLDER).join(OWN);
            if path == Path::new(CONFIG) && before.exists() {
                std::fs::rename(before, &path)?;
                term::note(&format!("`{shown}` is as before"));
                continue;
            }
            let is_committed = load::git::is_committed(&path);
            std::fs::remove_file(&path)?;
            // Folders that held nothing else.
            for folder in path
                .ancestors()
                .skip(1)
                .filter(|folder| folder.starts_with(".github"))
            {
                let _ = std::fs::remove_dir(folder);
            }
            let next = if is_committed {
                ", and git still has it: commit the removal"
            } else {
                ""
            };
            term::note(&format!("`{shown}` is removed{next}"));
        } else {
            term::warn(&format!("`{shown}` changed since, and is kept"));
        }
    }
    std::fs::remove_dir_all(FOLDER)?;
    Ok(Exit::Ok)
}

/// The benchmark as it is launched, and its first run if that was made to find out.
struct Start {
    benchmark: Benchmark,
    measured: Measured,
    first: Option<ParseReport>,
}

impl Start {
    /// The command as it was given.
    fn as_is(benchmark: &Benchmark, measured: Measured) -> Self {
        Self {
            benchmark: benchmark.clone(),
            measured,
            first: None,
        }
    }
}

/// The benchmark with the options of its tool for many short samples, of which the quickest tenth counts; a command that
/// prints no results is timed itself.
fn start(
    given: &Benchmark,
    folder: &Path,
    specs: Option<&Path>,
    own: &str,
) -> anyhow::Result<Start> {
    let configs = [
        own.to_owned(),
        completed(own, given, &[("measure", quoted("quickest"))])?,
    ];
    let parsed = |text: &String| {
        Config::parse(text)
            .map_err(|error| Failure::new(format!("cannot add to `{CONFIG}`: {error}")))
    };
    let [config, quickest] = [parsed(&configs[0])?, parsed(&configs[1])?];
    let run = |benchmark: &Benchmark, config: &Config| {
        with_slow_run_hint(|| benchmark.run(folder, 0, specs, config))
    };
    let run_as_is = || {
        run(
            &Benchmark {
                is_as_is: true,
                ..given.clone()
            },
            &config,
        )
    };
    let run_tuned = |known: &Benchmark| run(known, &quickest);
    let harness = given.harness();
    if harness.is_ok() && !given.is_as_is {
        return tuned([given, given], &quickest, run_tuned, run_as_is);
    }
    let first = match run_as_is() {
        Ok(first) => first,
        Err(_) if is_silent(given, folder) => {
            term::note("it prints nothing, so the time of the command itself is measured");
            return Ok(Start::as_is(given, Measured::Process));
        }
        Err(error) => return Err(error),
    };
    // An executable whose tool shows only in what it prints.
    let is_program = matches!(harness, Err(NotRecognised::Program(_))) && given.format.is_none();
    let format = perf_readers::format(format_of(&first));
    let known = Benchmark {
        format,
        ..given.clone()
    };
    if given.is_as_is || !is_program || known.harness().is_err() {
        return Ok(Start {
            first: Some(first),
            ..Start::as_is(given, Measured::Median)
        });
    }
    tuned([given, &known], &quickest, run_tuned, || Ok(first))
}

/// The benchmark with its options, if a run of it shows that they reach the tool; else its run as it is.
fn tuned(
    [given, known]: [&Benchmark; 2],
    quickest: &Config,
    run_tuned: impl FnOnce(&Benchmark) -> anyhow::Result<ParseReport>,
    run_as_is: impl FnOnce() -> anyhow::Result<ParseReport>,
) -> anyhow::Result<Start> {
    // A tool that was found by what it prints may be behind a script.
    let is_named = BenchTool::of(&given.words, Path::new(".")).is_ok();
    let why = match run_tuned(known) {
        Ok(first) if is_named || known.prints(format_of(&first), quickest) => {
            known
                .note(quickest)
                .iter()
                .for_each(|note| term::note(note));
            let format = perf_readers::format(format_of(&first)).filter(|_| !is_named);
            let benchmark = Benchmark {
                format: given.format.or(format),
                ..given.clone()
            };
            return Ok(Start {
                benchmark,
                measured: Measured::Quickest,
                first: Some(first),
            });
        }
        Ok(_) => "they do not reach it".to_owned(),
        Err(error) => failure::message(&error),
    };
    let first = run_as_is()?;
    term::note(&format!(
        "it is measured as it is, without the options of its tool: {why}"
    ));
    Ok(Start {
        first: Some(first),
        ..Start::as_is(given, Measured::Median)
    })
}

/// The format in which the results were read.
fn format_of(run: &ParseReport) -> &str {
    run.inputs.first().map_or("", |input| input.format)
}

/// True if a benchmark ran and printed nothing, and names no results.
fn is_silent(benchmark: &Benchmark, folder: &Path) -> bool {
    let log = folder.join("run-0.log");
    let is_empty = log.metadata().is_ok_and(|log| log.len() == 0);
    let launches = || term::silently(|| benchmark.launch(&benchmark.words, &log)).is_ok();
    is_empty && benchmark.output.is_none() && launches()
}

/// The gate on the processor time, where the wall time varies more. A command that is timed itself has one on either.
fn gates(runs: &Runs, config: &Config) -> String {
    let [gated, other] = match runs.quieter(config) {
        Some([cpu, wall]) => {
            term::note(&format!(
                "`{cpu}` varies less than `{wall}`, so it is gated instead"
            ));
            [cpu, wall]
        }
        None if config.run().measure == Measured::Process && cfg!(unix) => {
            [measure::WALL, measure::CPU].map(Into::into)
        }
        None => return String::new(),
    };
    let gate = |metric: &str, rule: &str| {
        format!(
            "[[gates]]\nmetric = {}\nrule = {}\n",
            quoted(metric),
            quoted(rule)
        )
    };
    [gate(&gated, "limit"), "\n".to_owned(), gate(&other, "none")].concat()
}

/// The `[comparison]` of the benchmarks, as far as their names say one.
fn comparison(runs: &Runs) -> anyhow::Result<String> {
    let rows = runs.runs.iter().flat_map(|run| &run.rows);
    let names: BTreeSet<&str> = rows.map(|row| &*row.scenario).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Ok(compared::section(&names, &std::env::current_dir()?).unwrap_or_default())
}

/// The config that was there, with the settings of a run that differ from the defaults.
fn config(
    benchmark: &Benchmark,
    build: Option<&str>,
    measured: Measured,
    more: &str,
    own: &str,
) -> anyhow::Result<String> {
    let mut run = vec![("command", quoted(line(&benchmark.words)))];
    run.extend(build.map(|build| ("build", quoted(build))));
    run.extend(
        benchmark
            .output
            .iter()
            .map(|path| ("results", quoted(path.to_string_lossy()))),
    );
    run.extend(
        benchmark
            .format
            .iter()
            .map(|format| ("format", quoted(format.name))),
    );
    run.extend(benchmark.is_as_is.then(|| ("as-is", "true".to_owned())));
    match measured {
        Measured::Median => {}
        Measured::Quickest => run.push(("measure", quoted("quickest"))),
        Measured::Process => run.push(("measure", quoted("process"))),
    }
    let mut text = completed(own, benchmark, &run)?;
    if !more.is_empty() {
        text = format!("{text}\n{}\n", more.trim_end());
    }
    Config::parse(&text)
        .map_err(|error| Failure::new(format!("cannot write `{CONFIG}`: {error}")))?;
    Ok(text)
}

/// The text of a config with these settings of the run, and the baseline.
fn completed(own: &str, benchmark: &Benchmark, run: &[(&str, String)]) -> anyhow::Result<String> {
    let baseline = [("baseline", quoted(benchmark.baseline.to_string_lossy()))];
    with_entries(&with_entries(own, "run", run)?, "files", &baseline)
}

/// The text of a config with these entries of a table, which it may have; entries that it has already stay.
///
/// # Errors
/// A table that has no header, to which lines cannot be added.
pub(super) fn with_entries(
    text: &str,
    table: &str,
    entries: &[(&str, String)],
) -> anyhow::Result<String> {
    let known = toml::Value::Table(text.parse().unwrap_or_default());
    let known = table
        .split('.')
        .try_fold(&known, |outer, name| outer.get(name));
    let is_new = |key: &str| known.is_none_or(|known| known.get(key).is_none());
    let new: Vec<String> = entries
        .iter()
        .filter(|(key, _)| is_new(key))
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    let mut lines: Vec<String> = text.trim_end().lines().map(str::to_owned).collect();
    let is_header = |line: &String| {
        let words = line
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        words.collect::<String>() == format!("[{table}]")
    };
    if let Some(at) = lines.iter().position(is_header) {
        lines.splice(at + 1..=at, new);
    } else if known.is_some() {
        let name = table.rsplit('.').next().unwrap_or(table);
        let is_start = |line: &String| line.trim_start().starts_with(name);
        let at = lines
            .iter()
            .position(is_start)
            .map_or_else(String::new, |at| format!(" at line {}", at + 1));
        let failure = Failure::new(format!(
            "cannot add to `{table}` of `{CONFIG}`{at}: it has no header of its own"
        ));
        return Err(failure
            .hint(format!(
                "write it as a table that begins with the line `[{table}]`"
            ))
            .into());
    } else {
        lines.extend((!lines.is_empty()).then(String::new));
        lines.extend([format!("[{table}]")].into_iter().chain(new));
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_keep_their_quotes() {
        let benchmark = Benchmark {
            words: ["sh", "-c", "echo \"a b\""].map(Into::into).into(),
            output: Some("target/criterion".into()),
            baseline: "perf-baseline.csv".into(),
            ..Benchmark::default()
        };
        let text = config(&benchmark, None, Measured::Median, "", "").unwrap();
        let read = Config::parse(&text).unwrap();
        let measure = read.run().command.as_deref().unwrap();
        assert_eq!(
            shell_words::split(measure).unwrap(),
            ["sh", "-c", "echo \"a b\""]
        );
        let workflow = workflow::workflow(&benchmark, None, Path::new("/nowhere"));
        assert!(workflow.ends_with("results: \"target/criterion\"\n"));
    }
}
