//! The first steps of every program that reads rows: finding the config, reading the rows and reporting problems.

mod args;
pub mod benchmark_files;
mod config;
mod explain;
mod folder;
pub mod git;
pub mod history;
mod matrix;
mod stamp;

use std::path::Path;
use std::time::SystemTime;

use perf_config::Config;
use perf_readers::{Collector, Format, ParseReport, Provenance};

pub use self::args::{
    FilterArgs, InputArgs, NothingMatches, RowFilters, format_name, formats, fraction,
    known_format, limit, named_file, places,
};
pub use self::config::{
    CONFIG, ConfigArgs, check_names, load as config, not_measured, require, unmet, with_declared,
    with_inputs,
};
use self::folder::Folders;
pub use self::stamp::{
    MACHINE_SPECS, machine_specs, stamp_commit, stamp_machine, stamp_measured_commit,
    stamp_methodology, stamp_platform,
};
use crate::Failure;
use crate::input::{cannot_read, open};
pub use crate::paths::{check_distinct_runs, check_no_overwrite};

/// Reads files and tools' result folders into one report. If `format` is `None`, detects the format of each input.
pub fn read<P: AsRef<Path>>(
    files: &[P],
    format: Option<&Format>,
    config: &Config,
) -> anyhow::Result<ParseReport> {
    read_since(files, format, config, None)
}

/// Like [`read`], but for results of a command that started at `started`. Older results in folders are from an earlier run
/// and left out; [`ParseReport::earlier_results`] is their number.
///
/// # Errors
/// Fails in the same cases as [`read`], and if a folder contains only older results.
pub fn read_since<P: AsRef<Path>>(
    files: &[P],
    format: Option<&Format>,
    config: &Config,
    started: Option<SystemTime>,
) -> anyhow::Result<ParseReport> {
    let files = files
        .iter()
        .map(|file| (file.as_ref(), Provenance::default()));
    read_with(Collector::new(config), files, format, started)
}

/// Like [`read`], but for a file with rows of many commits.
pub fn read_history(file: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    read_with(
        Collector::of_history(config),
        [(file, Provenance::default())].into_iter(),
        None,
        None,
    )
}

fn read_with<'f>(
    mut collector: Collector<'_>,
    files: impl Iterator<Item = (&'f Path, Provenance)>,
    format: Option<&Format>,
    started: Option<SystemTime>,
) -> anyhow::Result<ParseReport> {
    let mut folders = Folders::since(started);
    let mut inputs = Vec::new();
    for (file, place) in files {
        inputs.push((file, place, folder::parts_of(file, format)?));
    }
    // Treat files that are passed one by one, such as by a shell pattern, like the files of a folder.
    let named = inputs.iter().filter(|(file, ..)| !file.is_dir());
    let newest_named = folder::newest(named.filter_map(|(.., parts)| parts.as_ref()).flatten());
    for (file, place, parts) in inputs {
        collector.measured_on(place);
        if let Some(parts) = parts {
            let newest = if file.is_dir() {
                folder::newest(&parts)
            } else {
                newest_named
            };
            folders.read(file, &parts, newest, &mut collector)?;
            continue;
        }
        let mut input = open(file)?;
        let name = input.name.clone();
        let read = match format {
            Some(format) => collector.read_as(format, &name, &mut input),
            None => collector.read(&name, &mut input),
        };
        read.map_err(|error| cannot_read(&name, error))?;
    }
    let mut parsed = collector.finish();
    folders.report(&mut parsed);
    Ok(parsed)
}

/// Reads a file in which every line must be a row, such as a baseline. A file with only a header is valid, but an empty file
/// is not.
///
/// # Errors
/// Fails if the file is unreadable, or if some lines are not rows. The message shows the first of them.
pub fn read_strictly(file: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    let parsed = read(&[file], None, config)?;
    require_only_rows(&parsed)?;
    Ok(parsed)
}

/// Fails if the inputs contain anything but rows.
fn require_only_rows(report: &ParseReport) -> Result<(), Failure> {
    let message = if let Some(row) = report.skipped().next() {
        let reason = ParseReport::reason(row);
        let place = report.place_of(row);
        match report.skipped_count {
            1 => format!("{place}: {reason}"),
            count => format!("{place}: {reason}, and {} more malformed rows", count - 1),
        }
    } else if let Some((input, header)) = report.text_before_header() {
        let place = format!("{}:{}", input.name, input.first_line);
        format!("{place}: unexpected text before the header in line {header}")
    } else if report.rows.is_empty()
        && let Some(input) = report.inputs.iter().find(|input| input.format != "csv")
    {
        let name = &input.name;
        format!(
            "`{name}` is not a baseline: its first line is not a header with a column `scenario`"
        )
    } else {
        return Ok(());
    };
    Err(Failure::new(message).hint(
        "restore the baseline from git, or write it again with `perf-gate baseline --replace`",
    ))
}
