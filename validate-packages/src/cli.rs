//! Plumbing of `validate-comparison-packages`: arguments in, report out, exit code.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use perf_cli::{Common, Exit, ResultExt, file, term};

use crate::{Changed, Disk, Report, check, fix, output};

const EXAMPLES: &str = "\
Examples:
  validate-comparison-packages
      check .github/comparison-packages.json and everything it names
  validate-comparison-packages --format github
      in a workflow: annotate the lines of a pull request
  validate-comparison-packages --fix --dry-run
      show what `--fix` would write, and what it would leave
  validate-comparison-packages --root game --manifest game/comparison-packages.json
      check a project in a folder

Exit codes:
  0  everything agrees
  1  there are findings (after `--fix`: findings are left)
  2  broken input or wrong usage; what could be checked is still reported";

/// Check that every consumer of the compared libraries agrees with the pinned versions
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    /// The manifest of pinned versions [default: ROOT/.github/comparison-packages.json]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// The project's root: the manifest's paths start here, and nothing outside is touched
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,

    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Write the pinned versions into manifests that are JSON or TOML
    #[arg(long)]
    fix: bool,

    /// Print what `--fix` would change as a diff, and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: one object
    Json,
    /// Annotations of a GitHub workflow
    Github,
}

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let project = Project::open(cli)?;
    let mut report = check(&project.manifest, &project.text, &project.disk);
    let mended = if cli.fix { project.mend(&report)? } else { Vec::new() };
    if cli.dry_run {
        preview(cli.format, &mended)?;
    } else {
        write(&mended)?;
    }
    if !mended.is_empty() {
        let files = mended.iter().map(|file| (file.name.clone(), file.new.clone())).collect();
        report = check(&project.manifest, &project.text, &Changed { tree: &project.disk, files });
    }
    let exit = tell(cli.format, project.relocated(report))?;
    let would_write = cli.dry_run && !mended.is_empty();
    Ok(if exit == Exit::Ok && would_write { Exit::Findings } else { exit })
}

/// The project as the command line names it.
struct Project {
    disk: Disk,
    manifest: String,
    text: String,
    /// What leads from the working directory to the root, for messages.
    prefix: String,
}

/// A file that `--fix` changes.
struct Mended {
    /// From the project's root.
    name: String,
    /// For people.
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
        let text =
            file::read_text(&path).hint("`--manifest FILE` names the manifest, `--root DIR` the project")?;
        Ok(Self { disk, manifest: slashed(&path), text, prefix: prefix(&cli.root) })
    }

    fn mend(&self, report: &Report) -> anyhow::Result<Vec<Mended>> {
        let mut mended = Vec::new();
        for (name, edits) in fix::edits(report) {
            let Some(path) = self.disk.locate(name)? else { continue };
            let old = file::read_text(&path)?;
            let new = fix::apply(&old, &edits);
            mended.push(Mended {
                name: name.to_owned(),
                shown: format!("{}{name}", self.prefix),
                path,
                old,
                new,
            });
        }
        Ok(mended)
    }

    /// Files as the reader of the messages finds them.
    fn relocated(&self, mut report: Report) -> Report {
        report.relocate(&self.prefix, &self.manifest);
        report
    }
}

fn write(mended: &[Mended]) -> anyhow::Result<()> {
    for Mended { shown, path, new, .. } in mended {
        file::write_if_changed(path, new.as_bytes())?;
        term::note(&format!("mended `{shown}`"));
    }
    Ok(())
}

/// The diff is data for people; for programs it is talk, because they read the report.
fn preview(format: Format, mended: &[Mended]) -> anyhow::Result<()> {
    let diff: String = mended.iter().map(|file| fix::diff(&file.shown, &file.old, &file.new)).collect();
    match format {
        Format::Text => term::stdout(&diff)?,
        Format::Json | Format::Github if diff.is_empty() => {}
        Format::Json | Format::Github => term::note(&format!("`--fix` would write\n{diff}")),
    }
    Ok(())
}

fn tell(format: Format, report: Report) -> anyhow::Result<Exit> {
    term::stdout(&match format {
        Format::Text => output::text(&report),
        Format::Json => output::json(&report)?,
        Format::Github => output::github(&report),
    })?;
    term::note(&output::summary(&report));
    Ok(match report {
        Report { broken, .. } if !broken.is_empty() => Exit::Error,
        Report { findings, .. } if !findings.is_empty() => Exit::Findings,
        _ => Exit::Ok,
    })
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// Annotations name files from the repository's root, which is where a workflow runs.
fn prefix(root: &Path) -> String {
    match slashed(root).trim_end_matches('/') {
        "" | "." => String::new(),
        root => format!("{root}/"),
    }
}
