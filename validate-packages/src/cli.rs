//! Plumbing of `validate-comparison-packages`: arguments in, report out, exit code.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use perf_cli::{Common, Exit, Failure, term};

use crate::{
    FileChange, FindingSeverity, Fix, GenerateArgs, PackagesReport, fix, generate, output, validate,
};

const EXAMPLES: &str = "\
Examples:
  perf-gate packages
      check .github/comparison-packages.json and everything it names
  perf-gate packages --format github
      in a workflow: annotate the lines of a pull request
  perf-gate packages --fix --dry-run
      show what `--fix` would change, and the remaining findings
  perf-gate packages generate --with com.example.mine=file:../../.. --output \
      Temp/Packages/manifest.json
      write the manifest of a temporary Unity project with the pinned packages
  perf-gate packages --root game --manifest game/comparison-packages.json
      check a project in a folder

Exit codes:
  0  everything agrees, or there are only warnings
  1  findings (with `--fix`: remaining findings)
  2  a file is unreadable or invalid, or wrong usage; everything else is still checked";

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

    /// Print the changes of `--fix` as a diff, and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,

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

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if let Some(Command::Generate(args)) = &cli.command {
        if cli.fix || cli.format != PackagesFormat::Text {
            let message = "`--fix` and `--format` have no effect for `generate`";
            return Err(Failure::new(message).hint("remove them").into());
        }
        return generate::run(args, &cli.root, cli.manifest.as_deref());
    }
    let fix = match (cli.fix, cli.dry_run) {
        (false, _) => Fix::Nothing,
        (true, true) => Fix::Preview,
        (true, false) => Fix::Write,
    };
    let report = validate(&cli.root, cli.manifest.as_deref(), fix)?;
    if fix == Fix::Preview {
        preview(cli.format, &report.changes)?;
    } else {
        report
            .changes
            .iter()
            .for_each(|change| term::note(&format!("fixed `{}`", change.file)));
    }
    term::stdout(&match cli.format {
        PackagesFormat::Text => output::text(&report),
        PackagesFormat::Json => output::json(&report)?,
        PackagesFormat::Github => output::github(&report),
    })?;
    term::note(&output::summary(&report));
    let would_write = fix == Fix::Preview && !report.changes.is_empty();
    Ok(match report {
        PackagesReport { broken, .. } if !broken.is_empty() => Exit::Error,
        report if report.count(FindingSeverity::Error) > 0 || would_write => Exit::Findings,
        _ => Exit::Ok,
    })
}

/// The diff is data in the text format; in the others only the report is.
fn preview(format: PackagesFormat, changes: &[FileChange]) -> anyhow::Result<()> {
    let diff: String = changes
        .iter()
        .map(|change| fix::diff(&change.file, &change.old, &change.new))
        .collect();
    match format {
        PackagesFormat::Text => term::stdout(&diff)?,
        PackagesFormat::Json | PackagesFormat::Github if diff.is_empty() => {}
        PackagesFormat::Json | PackagesFormat::Github => {
            term::note(&format!("`--fix` would change\n{diff}"));
        }
    }
    Ok(())
}
