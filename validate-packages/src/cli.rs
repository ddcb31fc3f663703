//! Plumbing of `validate-comparison-packages`: arguments in, report out, exit code.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use perf_cli::{Common, Exit, ResultExt, file, term};

use crate::{Changed, Disk, Report, Severity, check, fix, output};

const EXAMPLES: &str = "\
Examples:
  validate-comparison-packages
      check .github/comparison-packages.json and everything it names
  validate-comparison-packages --format github
      in a workflow: annotate the lines of a pull request
  validate-comparison-packages --fix --dry-run
      show what `--fix` would change, and the remaining findings
  validate-comparison-packages --root game --manifest game/comparison-packages.json
      check a project in a folder

Exit codes:
  0  everything agrees, or there are only warnings
  1  findings (with `--fix`: remaining findings)
  2  a file is unreadable or invalid, or wrong usage; everything else is still checked";

/// Check that all consumers of the compared libraries agree with the pinned versions
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    /// The manifest of pinned versions [default: ROOT/.github/comparison-packages.json]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// The project root: paths in the manifest start here, and nothing outside is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,

    /// Output format
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Write the pinned versions into JSON and TOML manifests
    #[arg(long)]
    fix: bool,

    /// Print the changes of `--fix` as a diff, and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Plain text
    Text,
    /// One JSON object
    Json,
    /// GitHub workflow annotations
    Github,
}

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let project = Project::open(cli)?;
    let mut report = check(&project.manifest, &project.text, &project.disk);
    let fixed = if cli.fix { project.fix(&report)? } else { Vec::new() };
    if cli.dry_run {
        preview(cli.format, &fixed)?;
    } else {
        write(&fixed)?;
    }
    if !fixed.is_empty() {
        let files = fixed.iter().map(|file| (file.name.clone(), file.new.clone())).collect();
        report = check(&project.manifest, &project.text, &Changed { tree: &project.disk, files });
    }
    let exit = print(cli.format, project.relocated(report))?;
    let would_write = cli.dry_run && !fixed.is_empty();
    Ok(if exit == Exit::Ok && would_write { Exit::Findings } else { exit })
}

struct Project {
    disk: Disk,
    manifest: String,
    text: String,
    /// From the working directory to the root, for messages.
    prefix: String,
}

/// A file that `--fix` changes.
struct Fixed {
    /// From the project root.
    name: String,
    /// From the working directory.
    shown: String,
    path: PathBuf,
    old: String,
    new: String,
}

impl Project {
    fn open(cli: &Cli) -> anyhow::Result<Self> {
        let disk = Disk::new(&cli.root)
            .with_context(|| format!("cannot open the project `{}`", term::shown(&cli.root)))?;
        let path =
            cli.manifest.clone().unwrap_or_else(|| cli.root.join(".github").join("comparison-packages.json"));
        let text = file::read_text(&path)
            .hint("set the manifest with `--manifest FILE`, or the project with `--root DIR`")?;
        Ok(Self { disk, manifest: slashed(&path), text, prefix: prefix(&cli.root) })
    }

    fn fix(&self, report: &Report) -> anyhow::Result<Vec<Fixed>> {
        let mut fixed = Vec::new();
        for (name, edits) in fix::edits(report) {
            let Some(path) = self.disk.locate(name)? else { continue };
            let old = file::read_text(&path)?;
            let new = fix::apply(&old, &edits);
            fixed.push(Fixed {
                name: name.to_owned(),
                shown: format!("{}{name}", self.prefix),
                path,
                old,
                new,
            });
        }
        Ok(fixed)
    }

    /// Paths from the working directory.
    fn relocated(&self, mut report: Report) -> Report {
        report.relocate(&self.prefix, &self.manifest);
        report
    }
}

fn write(fixed: &[Fixed]) -> anyhow::Result<()> {
    for Fixed { shown, path, new, .. } in fixed {
        file::write_if_changed(path, new.as_bytes())?;
        term::note(&format!("fixed `{shown}`"));
    }
    Ok(())
}

/// The diff is data in the text format; in the others only the report is.
fn preview(format: Format, fixed: &[Fixed]) -> anyhow::Result<()> {
    let diff: String = fixed.iter().map(|file| fix::diff(&file.shown, &file.old, &file.new)).collect();
    match format {
        Format::Text => term::stdout(&diff)?,
        Format::Json | Format::Github if diff.is_empty() => {}
        Format::Json | Format::Github => term::note(&format!("`--fix` would change\n{diff}")),
    }
    Ok(())
}

fn print(format: Format, report: Report) -> anyhow::Result<Exit> {
    term::stdout(&match format {
        Format::Text => output::text(&report),
        Format::Json => output::json(&report)?,
        Format::Github => output::github(&report),
    })?;
    term::note(&output::summary(&report));
    Ok(match report {
        Report { broken, .. } if !broken.is_empty() => Exit::Error,
        report if report.count(Severity::Error) > 0 => Exit::Findings,
        _ => Exit::Ok,
    })
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// Annotations need paths from the repository root, where a workflow runs.
fn prefix(root: &Path) -> String {
    match slashed(root).trim_end_matches('/') {
        "" | "." => String::new(),
        root => format!("{root}/"),
    }
}
