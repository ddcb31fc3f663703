//! `perf-gate formats`: lists the known formats, and proposes a config entry for an unknown format.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use perf_cli::load::{self, ConfigArgs};
use perf_cli::{Exit, ResultExt, file, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_readers::{Collector, ParseReport, propose};

/// Describe formats of benchmark output
#[derive(Args, Clone, Debug)]
pub struct Cli {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand, Clone, Debug)]
enum Step {
    /// List the known formats
    List,
    /// Show the results in a file; for an unknown format, propose a `[[formats]]` entry
    #[command(after_help = EXAMPLES)]
    Try {
        /// The output of a benchmark tool
        file: PathBuf,

        #[command(flatten)]
        general: ConfigArgs,
    },
}

const EXAMPLES: &str = "\
Examples:
  perf-gate formats try bench.log
  perf-gate formats try bench.log >> perf-gate.toml

Exit codes: 0 the file has results; 2 wrong usage or an error";

/// Runs the command.
///
/// # Errors
/// Fails if the file cannot be read, or contains nothing that looks like a result.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let Step::Try { file, general } = &cli.step else {
        term::stdout(&load::formats())?;
        return Ok(Exit::Ok);
    };
    let config = general.load()?;
    let text = file::read_text(file)?;
    let name = term::shown(file);
    let known = read(&name, text.as_bytes(), &config)?;
    if !known.rows.is_empty() {
        let format = known.inputs.first().map_or("log", |input| input.format);
        term::note(&format!("`{name}` is read as `{format}`"));
        term::data(&as_comments(&known.rows))?;
        return Ok(Exit::Ok);
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let Some(spec) = propose::propose(&stem, &text) else {
        return Err(anyhow!(
            "`{name}` contains nothing that looks like a benchmark result"
        ))
        .hint("docs/reference/configuration.md describes `[[formats]]`");
    };
    let toml = propose::to_toml(&spec)?;
    let read = read(&name, text.as_bytes(), &Config::parse(&toml)?)?;
    term::diagnostics(&read.diagnostics());
    for metric in propose::without_direction(&spec) {
        term::note(&format!(
            "`{metric}` is not gated: add `better = \"lower\"` or `better = \"higher\"`"
        ));
    }
    term::data(&format!("{toml}\n{}", as_comments(&read.rows)))?;
    Ok(Exit::Ok)
}

/// Reads a tool's output. Messages refer to it by `name`.
pub fn read(name: &str, mut text: &[u8], config: &Config) -> anyhow::Result<ParseReport> {
    let mut collector = Collector::new(config);
    collector.read(name, &mut text)?;
    Ok(collector.finish())
}

/// Formats rows as TOML comments, because the output may be appended to a config.
fn as_comments(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let metrics = row.metrics.iter();
        let values: Vec<String> = metrics
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let [name, values] = [&row.scenario, &*values.join(" ")].map(term::printable);
        let _ = writeln!(text, "# {name}: {values}");
    }
    text
}
