//! `perf-gate doctor`: the state of the machine, and the slowdowns that each instrument would detect on it today.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use measure::pairs::{self, NoPair, PairsReport, PairsRequest, Session, Summary, Tree};
use perf_cli::load::ConfigArgs;
use perf_cli::{Exit, failure, term};
use perf_config::Config;
use perf_model::diagnostic::counted;
use perf_model::row::{Name, Row};
use perf_readers::ParseReport;
use perf_verdict::rules::history::Band;
use perf_verdict::rules::pairs::DECISIVE;

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
    let is_named = !cli.source.launch.command.is_empty() || config.run().command.is_some();
    let benchmark = is_named.then(|| cli.source.with(&config)).transpose()?;
    let words = benchmark
        .as_ref()
        .map(|benchmark| benchmark.words.clone())
        .unwrap_or_default();
    let session = Session::start()?;
    let summary = Summary::of(&words, &session);
    let mut sections = vec![("machine", summary.machine), ("pairs", summary.pairs)];
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
    term::note(&format!(
        "launching the benchmark for up to {} s",
        LIMIT.as_secs()
    ));
    match term::quietly(|| measured(&benchmark, &config, &session)) {
        Err(error) if error.chain().any(<dyn std::error::Error>::is::<NoPair>) => {
            let limit = LIMIT.as_secs();
            let why = format!(
                "no launch of each side fits into {limit} s: choose benchmarks by the options of the tool"
            );
            sections.push(("noise", vec![why]));
        }
        Err(error) => {
            let hints = failure::hints(&error).into_iter().map(str::to_owned);
            sections.push((
                "noise",
                [failure::message(&error)]
                    .into_iter()
                    .chain(hints)
                    .collect(),
            ));
        }
        Ok(report) => sections.extend(noise(report, &config, &benchmark.words)),
    }
    shown(&sections)
}

/// The tool behind the command, with the options that `init` would add.
fn tool(benchmark: &Benchmark) -> String {
    if benchmark.is_as_is {
        return "launched as it is".to_owned();
    }
    match benchmark
        .harness()
        .map(|harness| harness.short_samples(Path::new("results.json")).note())
    {
        Ok(note) => note.unwrap_or_else(|| "known, and needs no options".to_owned()),
        Err(why) => format!("not known, so it gets no options: {why}"),
    }
}

/// Launches of the same code in turn.
fn measured(
    benchmark: &Benchmark,
    config: &Config,
    session: &Session,
) -> anyhow::Result<PairsReport> {
    let request = benchmark.pairs(Tree::Here, config);
    pairs::measure(
        &PairsRequest {
            is_silent: true,
            time_limit: Some(LIMIT),
            ..request
        },
        session,
    )
}

/// The noise of each benchmark, the slowdowns that each instrument detects, and the commands to use.
fn noise(
    report: PairsReport,
    config: &Config,
    words: &[OsString],
) -> Vec<(&'static str, Vec<String>)> {
    let (pairs, seconds) = (report.pairs, report.seconds);
    let runs = launches([report.base, report.current], config);
    let found = runs.noisiest(config);
    let table = if found.is_empty() {
        let header = format!(
            "{} of the same code",
            counted(runs.runs.len() as u64, "launch")
        );
        let shown = |difference: &f64| format!("{:>4}", percent(*difference));
        table(
            [&header, "slowest against quickest"],
            &runs.differing(config),
            shown,
        )
    } else {
        let shown = |band: &Band| {
            format!(
                "±{:>4.1}%  {:>4}",
                100.0 * band.scale,
                percent(band.detectable().exp_m1())
            )
        };
        table(
            [
                "benchmark (the noisiest)",
                " noise  detected by stored values",
            ],
            &found,
            shown,
        )
    };
    let typical = found
        .get(found.len() / 2)
        .map(|(_, band)| band.detectable().exp_m1());
    let by_values = typical.map(|share| format!("{} in half of the benchmarks", percent(share)));
    let detected = vec![
        format!(
                "stored values   {}",
                by_values.unwrap_or_else(
                    || "unknown before `perf-gate init`, which takes 5 runs".to_owned()
                )
            ),
        format!(
            "{:<15} {}",
            counted(pairs as u64, "pair"),
            report.detectable.unwrap_or_else(|| too_few(pairs, seconds))
        ),
        format!("counts          {}", counts()),
    ];
    let mut next = Vec::new();
    if config.run().command.is_none() {
        next.push(format!("perf-gate init -- {}", line(words)));
    }
    let is_fine = typical.is_some_and(|share| share <= FINE);
    next.push(
        if is_fine {
            "perf-gate run"
        } else {
            "perf-gate run --base-ref HEAD"
        }
        .to_owned(),
    );
    vec![("noise", table), ("detects", detected), ("next", next)]
}

/// The launches of both sides, which have the same code, as runs: quantiles of all would hide how they vary.
fn launches(sides: [Vec<Row>; 2], config: &Config) -> Runs {
    let mut launches = BTreeMap::<(i64, usize), Vec<Row>>::new();
    for (side, rows) in sides.into_iter().enumerate() {
        for row in rows {
            launches.entry((row.run_index, side)).or_default().push(row);
        }
    }
    let run = |mut rows| {
        benchmark::quickest(&mut rows, config);
        ParseReport {
            rows,
            ..ParseReport::default()
        }
    };
    Runs {
        runs: launches.into_values().map(run).collect(),
        ..Runs::default()
    }
}

/// Lines on the first benchmarks, each with its metric where these differ.
fn table<T>(
    header: [&str; 2],
    found: &[([Name; 2], T)],
    shown: impl Fn(&T) -> String,
) -> Vec<String> {
    let is_one_metric = found
        .iter()
        .all(|([_, metric], _)| *metric == found[0].0[1]);
    let line = |([name, metric], of): &([Name; 2], T)| {
        let name = term::printable_end(name, WIDEST);
        let metric = if is_one_metric {
            String::new()
        } else {
            format!("  {}", term::printable(metric))
        };
        format!("{name:<WIDEST$}  {}{metric}", shown(of))
    };
    let header = format!("{:<WIDEST$}  {}", header[0], header[1]);
    let more = found.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} that vary less"));
    [header]
        .into_iter()
        .chain(found.iter().take(NAMED).map(line))
        .chain(more)
        .collect()
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// The time of enough pairs.
fn too_few(pairs: usize, seconds: f64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a few pairs")]
    let all = seconds * DECISIVE as f64 / pairs.max(1) as f64;
    format!("are too few to tell: {DECISIVE} take about {all:.0} s")
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
    let names_some = ["dependencies", "devDependencies"].iter().any(|key| {
        manifest[key]
            .as_object()
            .is_some_and(|packages| !packages.is_empty())
    });
    names_some
        && !folder
            .ancestors()
            .any(|folder| folder.join("node_modules").is_dir())
}

fn shown(sections: &[(&str, Vec<String>)]) -> anyhow::Result<Exit> {
    let named = sections.iter().flat_map(|(name, lines)| {
        let names = [*name].into_iter().chain(std::iter::repeat(""));
        names
            .zip(lines)
            .map(|(name, line)| format!("{name:<9} {line}\n"))
    });
    term::data(&term::printable_lines(&named.collect::<String>()))?;
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests {
    use perf_model::row::{Key, Metrics, Outcome, Value};

    use super::*;

    fn row(time: i64, pair: i64) -> Row {
        let mut metrics = Metrics::default();
        metrics.insert("timeNs".into(), Value::Int(time));
        let (outcome, launch, measured_at) = (Outcome::Measured, None, None);
        let key = Key {
            scenario: "Decode".into(),
            ..Key::default()
        };
        Row {
            key: key.into(),
            run_index: pair,
            outcome,
            launch,
            measured_at,
            metrics,
        }
    }

    fn lines(base: &[i64], current: &[i64]) -> String {
        let rows = |times: &[i64]| {
            times
                .iter()
                .zip(0..)
                .map(|(time, pair)| row(*time, pair))
                .collect()
        };
        let (base, current) = (rows(base), rows(current));
        let report = PairsReport {
            pairs: 2,
            seconds: 48.0,
            base,
            current,
            ..PairsReport::default()
        };
        let sections = noise(report, &Config::default(), &["bench".into()]).into_iter();
        let lines = sections
            .filter(|(name, _)| *name != "next")
            .flat_map(|(_, lines)| lines);
        lines
            .filter(|line| !line.starts_with("counts"))
            .map(|line| line + "\n")
            .collect()
    }

    #[test]
    fn launches_of_both_sides_show_the_noise() {
        insta::assert_snapshot!(lines(&[100, 103, 101], &[102, 100, 99]), @"
        benchmark (the noisiest)                           noise  detected by stored values
        Decode                                            ± 2.1%   11%
        stored values   11% in half of the benchmarks
        2 pairs         are too few to tell: 16 take about 384 s
        ");
    }

    #[test]
    fn few_launches_show_how_they_differ() {
        insta::assert_snapshot!(lines(&[100, 110], &[120, 105]), @"
        4 launches of the same code                       slowest against quickest
        Decode                                             20%
        stored values   unknown before `perf-gate init`, which takes 5 runs
        2 pairs         are too few to tell: 16 take about 384 s
        ");
    }
}
