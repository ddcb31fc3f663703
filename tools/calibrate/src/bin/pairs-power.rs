//! The power of pairs on this machine: programs with 0, 2, 5 and 10% more work, judged by wall time and by user time, and
//! compared with two hyperfine runs of the same programs.
//!
//! Run it with `just measure-power`. To measure only false alarms, add `--blocks 200 --growth 0`.

#![expect(clippy::print_stdout, reason = "a table for people")]
#![expect(clippy::cast_precision_loss, reason = "counts of launches")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use perf_config::Config;
use perf_readers::Collector;
use perf_verdict::rules::pairs::{Finding, Outcome, look};
use perf_verdict::statistics::order::{median, sorted};
use perf_verdict::statistics::ranks::mann_whitney_two_sided;

/// Measure which changes pairs detect on this machine
#[derive(Parser)]
struct Cli {
    /// Measurements per growth
    #[arg(long, default_value_t = 20)]
    blocks: u64,

    /// How much more work the head does, in percent
    #[arg(long, value_delimiter = ',', default_values_t = [0, 2, 5, 10])]
    growth: Vec<u64>,

    /// Rounds of the work: 10,000,000 take about 20 ms
    #[arg(long, default_value_t = 10_000_000)]
    rounds: u64,

    /// Skip hyperfine
    #[arg(long)]
    no_hyperfine: bool,
}

/// Metrics per measurement, each judged separately.
const METRICS: [(&str, &str); 2] = [("wall", "timeS"), ("user", "userS")];
/// Hyperfine runs per program.
const RUNS: &str = "30";

fn main() -> ExitCode {
    if let Some(code) = measure::entered() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("work") => {
            let rounds = arguments
                .next()
                .and_then(|rounds| rounds.parse().ok())
                .unwrap_or_default();
            black_box(work(black_box(rounds)));
            ExitCode::SUCCESS
        }
        // Act as `measure-perf`, so that this program can measure itself.
        Some("pairs") => measure::main(),
        _ => match run(&Cli::parse()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("error: {error:#}");
                ExitCode::from(2)
            }
        },
    }
}

/// Arithmetic in which each round depends on the previous one.
fn work(rounds: u64) -> u64 {
    (0..rounds).fold(0x9e37_79b9_7f4a_7c15, |state: u64, round| {
        (state ^ round)
            .rotate_left(13)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
    })
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    let program = program
        .to_str()
        .context("the program's path is not UTF-8")?;
    println!(
        "| work | time | slower | faster | unchanged | inconclusive | launches per side | seconds |"
    );
    println!(
        "| ---- | ---- | -----: | -----: | --------: | -----------: | --------------: | ------: |"
    );
    for growth in &cli.growth {
        let sides = [0, *growth].map(|more| {
            format!(
                "{} work {}",
                shell_words::quote(program),
                cli.rounds / 100 * (100 + more)
            )
        });
        let blocks = (0..cli.blocks)
            .map(|seed| block(program, &sides, seed))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for (at, (name, _)) in METRICS.into_iter().enumerate() {
            println!("{}", line(&format!("+{growth}%"), name, &blocks, at));
        }
    }
    if cli.no_hyperfine {
        return Ok(());
    }
    println!(
        "\n| work | hyperfine, run 1 | run 2 | base of run 1 against current of run 2, Mann–Whitney |"
    );
    println!(
        "| ---- | ---------------: | ----: | ---------------------------------------------------: |"
    );
    for growth in &cli.growth {
        let sides = [0, *growth].map(|more| {
            format!(
                "{} work {}",
                shell_words::quote(program),
                cli.rounds / 100 * (100 + more)
            )
        });
        match hyperfine(&sides) {
            Ok(cells) => println!("| +{growth}% | {cells} |"),
            Err(error) => {
                println!("hyperfine is left out: {error:#}");
                break;
            }
        }
    }
    Ok(())
}

/// The findings of one measurement, and the seconds per pair.
struct Block {
    found: [Option<Finding>; 2],
    seconds: f64,
}

fn block(program: &str, sides: &[String; 2], seed: u64) -> anyhow::Result<Block> {
    let folder = tempfile::tempdir()?;
    let gates =
        METRICS.map(|(_, metric)| format!("[[gates]]\nmetric = '{metric}'\nrule = 'limit'\n"));
    fs::write(folder.path().join("perf-gate.toml"), gates.concat())?;
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args([
        "pairs",
        "--name",
        "work",
        "--seed",
        &seed.to_string(),
    ]);
    command.args(["--base", &sides[0], "--current", &sides[1]]);
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    anyhow::ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let elapsed = start.elapsed().as_secs_f64();
    let [base, current] = ["base.csv", "current.csv"].map(|file| times(&folder.path().join(file)));
    let (base, current) = (base?, current?);
    let found = [0, 1].map(|at| {
        let pairs: Vec<(f64, f64)> = base
            .iter()
            .zip(&current)
            .map(|(base, current)| (base[at].ln(), current[at].ln()))
            .collect();
        look(&pairs)
    });
    Ok(Block {
        found,
        seconds: elapsed / base.len().max(1) as f64,
    })
}

/// Wall and user time of each process run.
fn times(file: &Path) -> anyhow::Result<Vec<[f64; 2]>> {
    let text = fs::read(file)?;
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("rows", &mut text.as_slice())?;
    let rows = collector.finish().rows;
    let number = |row: &perf_model::row::Row, metric| {
        row.metrics.get(metric).map(perf_model::row::Value::as_f64)
    };
    let both = |row| Some([number(row, METRICS[0].1)?, number(row, METRICS[1].1)?]);
    Ok(rows.iter().filter_map(both).collect())
}

fn line(growth: &str, name: &str, blocks: &[Block], at: usize) -> String {
    let of = |outcome| {
        let found = blocks
            .iter()
            .filter(|block| block.found[at].is_some_and(|found| found.outcome == outcome));
        found.count()
    };
    let launches: Vec<f64> = blocks
        .iter()
        .filter_map(|block| block.found[at].map(|found| found.pairs as f64))
        .collect();
    let seconds: Vec<f64> = blocks
        .iter()
        .filter_map(|block| block.found[at].map(|found| found.pairs as f64 * block.seconds))
        .collect();
    let middle = |numbers: &[f64]| median(&sorted(numbers)).unwrap_or_default();
    format!(
        "| {growth} | {name} | {} | {} | {} | {} | {} | {:.1} |",
        of(Outcome::Slower),
        of(Outcome::Faster),
        of(Outcome::Same),
        of(Outcome::Open),
        middle(&launches),
        middle(&seconds)
    )
}

/// The change of the mean in two hyperfine runs, and the result of a test that compares these runs.
fn hyperfine(sides: &[String; 2]) -> anyhow::Result<String> {
    let runs = [hyperfine_times(sides)?, hyperfine_times(sides)?];
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let change = |base: &[f64], current: &[f64]| {
        format!("{:+.1}%", 100.0 * (mean(current) / mean(base) - 1.0))
    };
    let [first, second] = [0, 1].map(|run: usize| change(&runs[run][0], &runs[run][1]));
    let p = mann_whitney_two_sided(&runs[1][1], &runs[0][0]).unwrap_or(1.0);
    let across = change(&runs[0][0], &runs[1][1]);
    Ok(format!("{first} | {second} | {across}, p = {p:.4}"))
}

fn hyperfine_times(sides: &[String; 2]) -> anyhow::Result<[Vec<f64>; 2]> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("times.json");
    let mut command = Command::new("hyperfine");
    command
        .args([
            "-N",
            "--style",
            "none",
            "--warmup",
            "1",
            "--runs",
            RUNS,
            "--export-json",
        ])
        .arg(&file);
    let status = command
        .args(sides)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    anyhow::ensure!(
        status.context("it cannot be started")?.success(),
        "it failed"
    );
    let report: serde_json::Value = serde_json::from_slice(&fs::read(&file)?)?;
    let times = |side: usize| -> Vec<f64> {
        let times = report["results"][side]["times"]
            .as_array()
            .into_iter()
            .flatten();
        times.filter_map(serde_json::Value::as_f64).collect()
    };
    Ok([times(0), times(1)])
}
