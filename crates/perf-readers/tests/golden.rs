//! The rows of every fixture, as one hash per file in `golden.txt`, which shows the outputs that a change to a reader
//! affects.
//!
//! `UPDATE_GOLDEN=1 cargo test -p perf-readers --test integration golden` rewrites the file.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use perf_config::Config;
use perf_readers::{Collector, baseline};

/// The files below a folder, sorted.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files_below(&entry, files);
        } else {
            files.push(entry);
        }
    }
}

/// FNV-1a, which needs no dependency and does not change between Rust versions.
fn hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// Format, number of rows, and hash of the rows as CSV.
fn summary(path: &Path) -> String {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    collector.read(&name, &mut &*bytes).unwrap();
    let report = collector.finish();
    let rows = baseline::write(&report.rows, &[], &config).unwrap();
    let format = report.inputs[0].format;
    format!("{format} {} {:08x}", report.rows.len(), hash(&rows) >> 32)
}

#[test]
fn rows_of_fixtures_match_their_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut files = Vec::new();
    files_below(&folder, &mut files);
    let mut record = String::new();
    for file in files {
        let path = file.strip_prefix(&folder).unwrap().to_string_lossy();
        writeln!(record, "{} {}", path.replace(' ', "_"), summary(&file)).unwrap();
    }
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&known, &record).unwrap();
    }
    let known = std::fs::read_to_string(&known).unwrap();
    let mut changed = String::new();
    for line in record
        .lines()
        .filter(|line| !known.lines().any(|old| old == *line))
    {
        let path = line.split(' ').next().unwrap();
        let before = known
            .lines()
            .find(|old| old.split(' ').next() == Some(path));
        writeln!(changed, "{line}\n  before: {}", before.unwrap_or("none")).unwrap();
    }
    assert!(changed.is_empty(), "{changed}");
    assert_eq!(
        record.lines().count(),
        known.lines().count(),
        "files of the record are missing"
    );
}
