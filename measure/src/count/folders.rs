//! The directories for valgrind's files, one per benchmark.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use perf_cli::{ResultExt, load, term};
use perf_config::Config;
use perf_model::row::Row;

use crate::benchmarks::safe_file_name;
use crate::process::has_end;

/// The file in a `--details` directory that contains the rows.
pub const ROWS: &str = "counts.csv";

/// Creates the directory for a benchmark's next count, or removes the files that valgrind left there earlier.
///
/// # Errors
/// Fails if the directory cannot be created, or if a file cannot be removed.
pub fn empty_folder(within: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let folder = std::path::absolute(count_folder(within, name))?;
    let cannot = || format!("cannot prepare `{}`", term::shown(&folder));
    fs::create_dir_all(&folder).with_context(cannot)?;
    for entry in fs::read_dir(&folder).with_context(cannot)? {
        let path = entry?.path();
        if has_end(&path, &["cachegrind"]) {
            fs::remove_file(&path).with_context(cannot)?;
        }
    }
    Ok(folder)
}

/// Returns the directory for the files of a benchmark's last count.
pub fn count_folder(within: &Path, name: &str) -> PathBuf {
    within.join(folder_name(name))
}

fn folder_name(name: &str) -> String {
    let short = safe_file_name(name, "_", 60);
    if short == name && !name.is_empty() {
        return short;
    }
    // A hash (FNV-1a) distinguishes benchmarks whose names differ only in replaced characters.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{short}-{:08x}", hash & 0xffff_ffff)
}

/// Reads the rows in a `--details` directory.
///
/// # Errors
/// Fails if the directory contains no rows, or if they cannot be read.
pub fn baseline(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let path = folder.join(ROWS);
    if !path.is_file() {
        return Err(anyhow!("no counts in `{}`", term::shown(folder)))
            .hint("count the other build with `--details FOLDER` first");
    }
    Ok(load::read_strictly(&path, &Config::default())?.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_own_folder() {
        assert_eq!(folder_name("parse_1"), "parse_1");
        let names = ["a b", "a-b", "a/b", "../..", ""].map(folder_name);
        assert!(
            names.iter().all(|name| !name.contains(['/', '.', ' '])),
            "{names:?}"
        );
        assert!(
            (1..names.len()).all(|at| !names[..at].contains(&names[at])),
            "{names:?}"
        );
    }

    #[test]
    fn only_files_of_valgrind_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let own = empty_folder(folder.path(), "a").unwrap();
        for name in ["1.cachegrind", "notes.txt"] {
            fs::write(own.join(name), "x").unwrap();
        }
        empty_folder(folder.path(), "a").unwrap();
        assert!(own.join("notes.txt").exists() && !own.join("1.cachegrind").exists());
    }
}
