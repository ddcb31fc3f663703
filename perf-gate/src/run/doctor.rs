//! `perf-gate doctor`: the state of the machine, and the slowdowns that each instrument would detect on it today.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use measure::pairs::{self, Outlook, PairsReport, PairsRequest, Session, Tree};
use perf_cli::load::ConfigArgs;
use perf_cli::{Exit, failure, term};
use perf_config::Config;
use perf_model::diagnostic::counted;
use perf_readers::ParseReport;

use super::benchmark::{self, line};
use super::noise::{FINE, Runs};
use super::{Benchmark, BenchmarkSource};

/// The time for launches; with what comes before them, it stays below a minute.
const LIMIT: Duration = Duration::from_secs(50);
/// The most benchmarks in the table.
const NAMED: usize = 12;
/// The widest name in it.
const WIDEST: usize = 48;

/// Files of projects, and the benchmark command that they usually mean.
const USUAL: [(&str, &str); 4] = [
    ("Cargo.toml", "cargo bench"),
    ("go.mod", "go test -run '^$' -bench . ./..."),
    ("package.json", "npx vitest bench --run"),
    ("pyproject.toml", "pytest --benchmark-only"),
];

/// Show what disturbs a measurement here, and which slowdowns of a benchmark can be detected today
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    source: BenchmarkSource,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate doctor                     # the machine, and the benchmark of the config
  perf-gate doctor -- cargo bench

It launches the benchmark for up to a minute, always the same code, and writes
no files.

Exit codes: 0 shown; 2 something is wrong";

/// Runs the command.
///
/// # Errors
/// A config that cannot be read, or a command with a quote that is not closed.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    let is_named = !cli.source.command.is_empty() || config.run().command.is_some();
    let benchmark = is_named.then(|| cli.source.with(&config)).transpose()?;
    let words = benchmark.as_ref().map(|benchmark| benchmark.words.clone()).unwrap_or_default();
    let session = Session::start()?;
    let outlook = Outlook::of(&words, &session);
    let mut sections = vec![("machine", outlook.machine), ("pairs", outlook.pairs)];
    if is_without_packages(&std::env::current_dir()?) {
        sections.push((
            "project",
            vec!["package.json has dependencies, but there is no node_modules".to_owned()],
        ));
    }
    let Some(benchmark) = benchmark else {
        let usual = USUAL.iter().find(|(file, _)| Path::new(file).is_file());
        let command = usual.map_or("COMMAND", |(_, command)| command);
        sections.push(("next", vec![format!("perf-gate doctor -- {command}")]));
        return shown(&sections);
    };
    sections.push(("tool", vec![tool(&benchmark)]));
    term::note(&format!("launching the benchmark for up to {} s", LIMIT.as_secs()));
    match term::quietly(|| measured(&benchmark, &config, &session)) {
        Err(error) => {
            let hints = failure::hints(&error).into_iter().map(str::to_owned);
            sections.push(("noise", [failure::message(&error)].into_iter().chain(hints).collect()));
        }
        Ok(report) => sections.extend(noise(report, &config, &benchmark.words)),
    }
    shown(&sections)
}

/// The tool behind the command, with the options that `init` would add.
fn tool(benchmark: &Benchmark) -> String {
    match benchmark.harness().map(|harness| harness.short_samples(Path::new("results.json")).note()) {
        Ok(note) => note.unwrap_or_else(|| "known, and needs no options".to_owned()),
        Err(why) => format!("not known, so it gets no options: {why}"),
    }
}

/// Launches of the same code in turn.
fn measured(benchmark: &Benchmark, config: &Config, session: &Session) -> anyhow::Result<PairsReport> {
    let request = benchmark.pairs(Tree::Here, config);
    pairs::measure(&PairsRequest { is_silent: true, time_limit: Some(LIMIT), ..request }, session)
}

/// The noise of each benchmark, the slowdowns that each instrument detects, and the commands to use.
fn noise(report: PairsReport, config: &Config, words: &[OsString]) -> Vec<(&'static str, Vec<String>)> {
    let run = |mut rows| {
        benchmark::quickest(&mut rows, config);
        ParseReport { rows, ..ParseReport::default() }
    };
    // By launch, as quantiles of all launches would hide how they vary.
    let mut launches = std::collections::BTreeMap::<i64, Vec<_>>::new();
    for row in report.current {
        launches.entry(row.run_index).or_default().push(row);
    }
    let found = Runs { runs: launches.into_values().map(run).collect() }.noisiest(config);
    let is_one_metric = found.iter().all(|([_, metric], _)| *metric == found[0].0[1]);
    let mut table: Vec<String> = found
        .iter()
        .take(NAMED)
        .map(|([name, metric], band)| {
            let name = term::printable_within(name, WIDEST);
            let of = if is_one_metric { String::new() } else { format!("  {}", term::printable(metric)) };
            format!(
                "{name:<WIDEST$}  ±{:>4.1}%  {:>4.0}%{of}",
                100.0 * band.scale,
                100.0 * band.detectable().exp_m1()
            )
        })
        .collect();
    if table.is_empty() {
        table.push(format!("{} are too few to tell", counted(report.pairs as u64, "launch")));
    } else {
        table.insert(
            0,
            format!(
                "{:<WIDEST$}  {:>6}  {}",
                "benchmark (the noisiest)", "noise", "detected by stored values"
            ),
        );
    }
    if found.len() > NAMED {
        table.push(format!("and {} that vary less", found.len() - NAMED));
    }
    let typical = found.get(found.len() / 2).map(|(_, band)| band.detectable().exp_m1());
    let percent = |share: Option<f64>| share.map_or("?".to_owned(), |share| format!("{:.0}%", 100.0 * share));
    let detected = vec![
        format!("stored values   {} in half of the benchmarks", percent(typical)),
        format!(
            "{:<15} {}",
            format!("{} pairs", report.pairs),
            report.detectable.unwrap_or_else(|| "?".to_owned())
        ),
        format!("counts          {}", counts()),
    ];
    let mut next = Vec::new();
    if config.run().command.is_none() {
        next.push(format!("perf-gate init -- {}", line(words)));
    }
    let is_fine = typical.is_some_and(|share| share <= FINE);
    next.push(if is_fine { "perf-gate run" } else { "perf-gate run --base-ref HEAD" }.to_owned());
    vec![("noise", table), ("detects", detected), ("next", next)]
}

/// The instrument that counts instructions, as far as it is installed.
fn counts() -> &'static str {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_valgrind = std::env::split_paths(&path).any(|folder| folder.join("valgrind").is_file());
    if has_valgrind {
        "valgrind is installed: `perf-gate measure count`"
    } else {
        "valgrind is not installed, which `perf-gate measure count` needs"
    }
}

/// True if a package.json names packages that are not installed.
fn is_without_packages(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("package.json")).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    let names_some = ["dependencies", "devDependencies"]
        .iter()
        .any(|key| manifest[key].as_object().is_some_and(|packages| !packages.is_empty()));
    names_some && !folder.ancestors().any(|folder| folder.join("node_modules").is_dir())
}

fn shown(sections: &[(&str, Vec<String>)]) -> anyhow::Result<Exit> {
    let named = sections.iter().flat_map(|(name, lines)| {
        let names = [*name].into_iter().chain(std::iter::repeat(""));
        names.zip(lines).map(|(name, line)| format!("{name:<9} {line}\n"))
    });
    term::data(&term::printable_lines(&named.collect::<String>()))?;
    Ok(Exit::Ok)
}
