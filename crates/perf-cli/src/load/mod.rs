//! First steps of every program that reads rows: finds the config, reads the rows, reports what was wrong with them.

mod args;
mod config;
mod distinct;
mod explain;
mod folder;
pub mod git;
pub mod harness;
pub mod history;
mod matrix;
pub(crate) mod memory;
mod metrics;
mod required;
mod stamp;

use std::path::Path;

use perf_config::Config;
use perf_readers::{Collector, Format, ParseReport, Place};

pub use self::args::{
    FilterArgs, InputArgs, format_name, fraction, known_format, limit, named_file, places,
};
pub use self::config::{CONFIG, ConfigArgs, check_names, load as config};
pub use self::distinct::{check_distinct_runs, check_no_overwrite};
use self::folder::Folders;
pub use self::memory::{MAX_MEMORY, limit as limit_memory, size as memory_size};
pub use self::metrics::{with_declared, with_inputs};
pub use self::required::{not_measured, require, unmet};
pub use self::stamp::{
    MACHINE_SPECS, commit, machine_specs, stamp_commit, stamp_machine, stamp_methodology,
    stamp_platform,
};
use crate::Failure;
use crate::input::{cannot_read, open};

/// Reads files, and folders as some tools leave them, into one parsed: by the format that is named, else by the
/// one that each is recognised as.
pub fn read<P: AsRef<Path>>(
    files: &[P],
    format: Option<&Format>,
    config: &Config,
) -> anyhow::Result<ParseReport> {
    let files = files.iter().map(|file| (file.as_ref(), Place::default()));
    read_with(Collector::new(config), files, format)
}

/// As [`read`], of files of many commits.
pub fn read_history(file: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    read_with(
        Collector::of_history(config),
        [(file, Place::default())].into_iter(),
        None,
    )
}

fn read_with<'f>(
    collector: Collector<'_>,
    files: impl Iterator<Item = (&'f Path, Place)>,
    format: Option<&Format>,
) -> anyhow::Result<ParseReport> {
    let mut collector = collector.within(&memory::of_one_side());
    let mut folders = Folders::default();
    for (file, place) in files {
        collector.measured_on(place);
        if folders.read(file, format, &mut collector)? {
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
    Ok(collector.finish())
}

/// Reads a file in which every line must be a row, as the baseline is. A file with a header and no rows is
/// one; an empty file is not.
///
/// # Errors
/// A file that cannot be read, or the first lines that are no rows.
pub fn read_strictly(file: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    let parsed = read(&[file], None, config)?;
    require_only_rows(&parsed)?;
    Ok(parsed)
}

/// A file that holds rows and nothing else.
fn require_only_rows(report: &ParseReport) -> Result<(), Failure> {
    let hint =
        "restore the baseline from git, or write it again with `perf-gate baseline --replace`";
    if let Some(row) = report.skipped.first() {
        let more = match report.skipped_count {
            1 => String::new(),
            count => format!(", and {} more malformed rows", count - 1),
        };
        let message = format!("{}: {}{more}", report.place(row.origin), row.reason);
        return Err(Failure::new(message).hint(hint));
    }
    if let Some((input, header)) = report.text_before_header() {
        let message = format!(
            "{}:{}: text before the header of line {header}",
            input.name, input.first_line
        );
        return Err(Failure::new(message).hint(hint));
    }
    match report.inputs.iter().find(|input| input.format != "csv") {
        Some(input) if report.rows.is_empty() => {
            let message = format!(
                "`{}` is not a baseline: its first line is no header with a column `scenario`",
                input.name
            );
            Err(Failure::new(message).hint(hint))
        }
        _ => Ok(()),
    }
}
