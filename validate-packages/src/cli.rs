//! The command line of `validate-comparison-packages`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use perf_cli::{Common, Exit, Failure, term};

use crate::{GenerateArgs, generate, output, validate};

const EXAMPLES: &str = "\
Examples:
  perf-gate packages
      check .github/comparison-packages.json and all its consumers
  perf-gate packages --format github
      in a workflow: annotate the lines of a pull request
  perf-gate packages --fix
      write the pinned versions; `git diff` shows the changes
  perf-gate packages generate --with com.example.mine=file:../../.. --output \
      Temp/Packages/manifest.json
      write the manifest of a temporary Unity project with the pinned packages
  perf-gate packages --root game --manifest game/comparison-packages.json
      check a project in a folder

Exit codes:
  0  everything agrees
  1  findings (with `--fix`: remaining findings)
  2  a file is unreadable or invalid, or wrong usage";

/// Check that all consumers of the compared libraries agree with the pinned versions
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// The manifest of pinned versions [default: ROOT/.github/comparison-packages.json]
    #[arg(long, value_name = "FILE", global = true)]
    manifest: Option<PathBuf>,

    /// The project root: paths in the manifest start here, and nothing outside is read or written
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    root: PathBuf,

    /// Output format
    #[arg(short, long, value_enum, default_value_t = PackagesFormat::Text)]
    format: PackagesFormat,

    /// Write the pinned versions into the files, except lock files
    #[arg(long)]
    fix: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(clap::Subcommand)]
enum Command {
    Generate(GenerateArgs),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PackagesFormat {
    /// Plain text
    Text,
    /// One JSON object
    Json,
    /// GitHub workflow annotations
    Github,
}

/// Runs `perf-gate packages`.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if let Some(Command::Generate(args)) = &cli.command {
        if cli.fix || cli.format != PackagesFormat::Text {
            let message = "`generate` accepts neither `--fix` nor `--format`";
            return Err(Failure::new(message).into());
        }
        return generate::run(args, &cli.root, cli.manifest.as_deref());
    }
    let report = validate(&cli.root, cli.manifest.as_deref(), cli.fix)?;
    for file in &report.fixed {
        term::note(&format!("fixed `{file}`"));
    }
    term::stdout(&match cli.format {
        PackagesFormat::Text => output::text(&report),
        PackagesFormat::Json => output::json(&report)?,
        PackagesFormat::Github => output::github(&report),
    })?;
    term::note(&output::summary(&report));
    if !report.broken.is_empty() {
        return Ok(Exit::Error);
    }
    if !report.findings.is_empty() {
        return Ok(Exit::Findings);
    }
    Ok(Exit::Ok)
}
