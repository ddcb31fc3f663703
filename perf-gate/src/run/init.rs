//! `perf-gate init`: the first baseline and the config, from several runs, and the workflow to copy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use perf_cli::load::{CONFIG, InputArgs};
use perf_cli::{Common, Exit, Failure, ResultExt, file, term};
use perf_config::{Config, Measured};
use perf_harness::{Harness, NotRecognised};

use super::benchmark::{FOLDER, line};
use super::compared::{self, quoted};
use super::noise::Runs;
use super::{Benchmark, BenchmarkSource, tools, workflow};

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
    common: Common,
}

/// The workflow for pull requests.
const WORKFLOW: &str = ".github/workflows/perf.yml";

/// The file with what `init` wrote.
const WRITTEN: &str = "init.json";

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
/// A config or a baseline that exists, or a benchmark that cannot be run or leaves no results.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    if cli.undo {
        return undo();
    }
    let given = cli.source.with(&Config::default())?;
    refuse_existing(cli, &given.baseline)?;
    let folder = Path::new(FOLDER);
    keep_out_of_git(folder)?;
    let specs = tools::describe_machine(folder);
    let (benchmark, measured) = tuned(given.clone(), folder, specs.as_deref())?;
    let settings = config(&benchmark, cli.build.as_deref(), measured, "")?;
    let runs = Runs::take(&Config::parse(&settings)?, |number| {
        benchmark.run(folder, number, specs.as_deref(), &Config::parse(&settings)?)
    })?;
    let more = [gates(&runs), comparison(&runs)?].concat();
    let (settings, lines) =
        (config(&benchmark, cli.build.as_deref(), measured, &more)?, runs.lines(&Config::default()));
    tools::write_baseline(
        InputArgs { rows: Some(runs.rows()), ..InputArgs::default() },
        &benchmark.baseline,
    )?;
    file::create_new(&PathBuf::from(CONFIG), settings.as_bytes()).hint("the baseline is written")?;
    remember([&benchmark.baseline, Path::new(CONFIG)])?;
    for line in lines {
        term::note(&line);
    }
    term::note(&format!("`{}` and `{CONFIG}` are written: commit both", term::shown(&benchmark.baseline)));
    write_workflow(cli, &given)?;
    Ok(Exit::Ok)
}

/// Files that exist are not replaced.
fn refuse_existing(cli: &Cli, baseline: &Path) -> anyhow::Result<()> {
    let workflow = cli.workflow.then_some(Path::new(WORKFLOW));
    match [Path::new(CONFIG), baseline].into_iter().chain(workflow).find(|path| path.exists()) {
        Some(path) => Err(Failure::new(format!("`{}` exists", term::shown(path)))
            .hint("`perf-gate run` uses it; to begin again, remove it first")
            .into()),
        None => Ok(()),
    }
}

/// Prints the workflow, or writes it where it belongs.
fn write_workflow(cli: &Cli, benchmark: &Benchmark) -> anyhow::Result<()> {
    let text = workflow::workflow(benchmark, cli.build.as_deref(), Path::new("."));
    if !cli.workflow {
        term::note("`perf-gate run` compares with this baseline; the workflow for pull requests:");
        return term::stdout(&text);
    }
    let path = Path::new(WORKFLOW);
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    file::create_new(path, text.as_bytes()).hint("`perf-gate init` without `--workflow` prints it")?;
    term::note(&format!("`{WORKFLOW}` is written: look at its steps, commit it, and open a pull request"));
    Ok(())
}

/// Makes the folder for results and the last run, which git ignores by a file in it.
fn keep_out_of_git(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot create `{}`", term::shown(folder))).because(error))?;
    file::write_if_changed(&folder.join(".gitignore"), b"*\n").map(drop)
}

/// Keeps what was written, so that it can be undone.
fn remember(written: [&Path; 2]) -> anyhow::Result<()> {
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    for path in written {
        texts.insert(path.to_owned(), file::read_text(path)?);
    }
    file::write_if_changed(&Path::new(FOLDER).join(WRITTEN), &serde_json::to_vec(&texts)?).map(drop)
}

/// Removes what `init` wrote and nothing changed, and the folder of the last run.
fn undo() -> anyhow::Result<Exit> {
    let text = file::read_text(&Path::new(FOLDER).join(WRITTEN))
        .map_err(|_| Failure::new("there is nothing to undo: `perf-gate init` wrote no files here"))?;
    let written: BTreeMap<PathBuf, String> = serde_json::from_str(&text)?;
    for (path, text) in written {
        let shown = term::shown(&path);
        if file::read_text(&path).is_ok_and(|now| now == text) {
            std::fs::remove_file(&path)?;
            term::note(&format!("`{shown}` is removed"));
        } else {
            term::warn(&format!("`{shown}` changed since, and is kept"));
        }
    }
    std::fs::remove_dir_all(FOLDER)?;
    Ok(Exit::Ok)
}

/// The benchmark with the options of its tool for many short samples, of which the quickest tenth counts; a command that
/// prints no results is timed itself.
fn tuned(benchmark: Benchmark, folder: &Path, specs: Option<&Path>) -> anyhow::Result<(Benchmark, Measured)> {
    let harness = match Harness::of(&benchmark.words, Path::new(".")) {
        Err(NotRecognised::Program(_)) if is_google_benchmark(&benchmark) => {
            Harness::of_format(GOOGLE_BENCHMARK, &benchmark.words)
                .map(|harness| (harness, Some(GOOGLE_BENCHMARK)))
        }
        Err(NotRecognised::Program(_)) => {
            let first = match benchmark.run(folder, 0, specs, &Config::default()) {
                Ok(first) => first,
                Err(_) if is_silent(&benchmark, folder) => {
                    term::note("it prints nothing, so the time of the command itself is measured");
                    return Ok((benchmark, Measured::Process));
                }
                Err(error) => return Err(error),
            };
            // With the options for samples, it prints JSON.
            let format = first.inputs.first().map_or("", |input| input.format.trim_end_matches("-text"));
            Harness::of_format(format, &benchmark.words).map(|harness| (harness, Some(format)))
        }
        found => found.map(|harness| (harness, None)),
    };
    let Ok((harness, format)) = harness else { return Ok((benchmark, Measured::Median)) };
    let format = format.map(perf_cli::load::format_name).transpose().map_err(Failure::new)?;
    let adjusted = harness.short_samples(&Path::new(FOLDER).join("results.json"));
    // Criterion's folder is named by a variable, and is found without it.
    let is_by_variable =
        |path: &PathBuf| adjusted.environment.iter().any(|(_, value)| value == path.as_os_str());
    let results = adjusted.results.clone().filter(|path| path.extension().is_some() && !is_by_variable(path));
    // A command holds no variables, and runs that are compared hours later need no short samples.
    let has_settings = !adjusted.added.is_empty();
    let adjusted = adjusted.without_variables();
    if has_settings && adjusted.added.is_empty() && adjusted.command == benchmark.words {
        return Ok((benchmark, Measured::Median));
    }
    if let Some(note) = adjusted.note() {
        term::note(&note);
    }
    let output = benchmark.output.clone().or(results);
    let format = benchmark.format.or(format);
    Ok((Benchmark { words: adjusted.command, output, format, ..benchmark }, Measured::Quickest))
}

/// The format of Google Benchmark, whose executables nothing but an option in them tells.
pub(super) const GOOGLE_BENCHMARK: &str = "google-benchmark";

pub(super) fn is_google_benchmark(benchmark: &Benchmark) -> bool {
    let program = benchmark.words.first().and_then(|program| std::fs::read(program).ok()).unwrap_or_default();
    let option = b"benchmark_repetitions";
    program.windows(option.len()).any(|part| part == option)
}

/// True if a benchmark ran and printed nothing, and names no results.
fn is_silent(benchmark: &Benchmark, folder: &Path) -> bool {
    let log = folder.join("run-0.log");
    let is_empty = log.metadata().is_ok_and(|log| log.len() == 0);
    is_empty && benchmark.output.is_none() && benchmark.launch(&benchmark.words, &log).is_ok()
}

/// The gate on the processor time, where the wall time varies more.
fn gates(runs: &Runs) -> String {
    let Some([cpu, wall]) = runs.quieter(&Config::default()) else { return String::new() };
    term::note(&format!("`{cpu}` varies less than `{wall}`, so it is gated instead"));
    let gate = |metric: &str, rule: &str| {
        format!("[[gates]]\nmetric = {}\nrule = {}\n", quoted(metric), quoted(rule))
    };
    [gate(&cpu, "limit"), "\n".to_owned(), gate(&wall, "none")].concat()
}

/// The `[comparison]` of the benchmarks, as far as their names say one.
fn comparison(runs: &Runs) -> anyhow::Result<String> {
    let rows = runs.runs.iter().flat_map(|run| &run.rows);
    let names: BTreeSet<&str> = rows.map(|row| &*row.scenario).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Ok(compared::section(&names, &std::env::current_dir()?).unwrap_or_default())
}

/// The settings of a run that differ from the defaults.
fn config(
    benchmark: &Benchmark,
    build: Option<&str>,
    measured: Measured,
    more: &str,
) -> anyhow::Result<String> {
    let mut lines = vec!["[run]".to_owned(), format!("command = {}", quoted(line(&benchmark.words)))];
    lines.extend(build.map(|build| format!("build = {}", quoted(build))));
    lines.extend(benchmark.output.iter().map(|path| format!("results = {}", quoted(path.to_string_lossy()))));
    lines.extend(benchmark.format.iter().map(|format| format!("format = {}", quoted(format.name))));
    match measured {
        Measured::Median => {}
        Measured::Quickest => lines.push("measure = \"quickest\"".to_owned()),
        Measured::Process => lines.push("measure = \"process\"".to_owned()),
    }
    let baseline = quoted(benchmark.baseline.to_string_lossy());
    lines.extend([String::new(), "[files]".to_owned(), format!("baseline = {baseline}")]);
    if !more.is_empty() {
        lines.extend([String::new(), more.trim_end().to_owned()]);
    }
    let text = lines.join("\n") + "\n";
    Config::parse(&text).map_err(|error| Failure::new(format!("cannot write `{CONFIG}`: {error}")))?;
    Ok(text)
}

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
        let text = config(&benchmark, None, Measured::Median, "").unwrap();
        let read = Config::parse(&text).unwrap();
        let measure = read.run().command.as_deref().unwrap();
        assert_eq!(shell_words::split(measure).unwrap(), ["sh", "-c", "echo \"a b\""]);
        let workflow = workflow::workflow(&benchmark, None, Path::new("/nowhere"));
        assert!(workflow.ends_with("results: \"target/criterion\"\n"));
    }
}
