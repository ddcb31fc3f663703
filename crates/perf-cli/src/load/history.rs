//! The rows of many commits: from a baseline's versions, or from one file that contains all of them.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use crate::{Failure, failure, input, term};
use indexmap::IndexMap;
use perf_config::Config;
use perf_model::metric::Declarations;
use perf_model::parallel;
use perf_model::row::{Key, Name, Row};
use perf_readers::{Collector, ParseReport};

use super::git::{self, Blob, FileHistory, FileVersion, Unread};
use super::require_only_rows;

/// One commit's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit, from the repository or from the rows. Empty if unknown.
    pub commit: String,
    /// The commit date in seconds since 1970. `None` if the file contains no dates.
    pub date: Option<i64>,
    /// The commit's rows, with the benchmarks' current names.
    pub rows: Vec<Row>,
}

/// Reads each version as a baseline, and keeps the versions' order, newest last. Versions that are not baselines are added
/// to [`FileHistory::left_out`], which [`FileHistory::diagnostics`] reports.
pub fn rows_of_versions(history: &mut FileHistory, config: &Config) -> Vec<Snapshot> {
    let versions = std::mem::take(&mut history.versions);
    let path = &history.path;
    // Reading takes most of the time, so it uses all cores.
    let results = parallel::map(&versions, |version| snapshot(version, path, config));
    let mut snapshots = Vec::with_capacity(results.len());
    for (version, result) in versions.into_iter().zip(results) {
        match result {
            Ok(snapshot) => {
                snapshots.push(snapshot);
                history.versions.push(version);
            }
            Err(error) => {
                let why = failure::message(&error);
                history.left_out.push(Unread {
                    commit: version.commit,
                    why,
                });
            }
        }
    }
    snapshots
}

fn snapshot(version: &FileVersion, path: &str, config: &Config) -> anyhow::Result<Snapshot> {
    let mut rows = strictly(&term::printable(path), &version.text, config)?.rows;
    name_as_now(&mut rows, config);
    Ok(Snapshot {
        commit: version.commit.clone(),
        date: Some(version.date),
        rows,
    })
}

/// Renames benchmarks to their current names, unless the same run also contains another benchmark with that name.
pub fn name_as_now(rows: &mut [Row], config: &Config) {
    for (old, new) in config.renamed() {
        if !rows.iter().any(|row| &*row.scenario == old) {
            continue;
        }
        let run = |row: &Row| (row.measured_at, Name::clone(&row.commit));
        let with_both: HashSet<(Option<i64>, Name)> = rows
            .iter()
            .filter(|row| &*row.scenario == new)
            .map(run)
            .collect();
        let scenario = Name::from(new);
        for row in rows.iter_mut().filter(|row| &*row.scenario == old) {
            if with_both.contains(&run(row)) {
                continue;
            }
            row.key = Arc::new(Key {
                scenario: Name::clone(&scenario),
                conditions: Arc::clone(&row.key.conditions),
            });
        }
    }
}

/// Like [`name_as_now`], but for a run's rows and findings.
pub fn name_run_as_now(run: &mut ParseReport, config: &Config) {
    name_as_now(&mut run.rows, config);
    name_findings_as_now(run, config);
}

/// Renames benchmarks in findings to match the rows, which the caller has already renamed.
pub fn name_findings_as_now(run: &mut ParseReport, config: &Config) {
    if run.findings.is_empty() {
        return;
    }
    for (old, new) in config.renamed() {
        if run.rows.iter().any(|row| &*row.scenario == old) {
            continue;
        }
        for finding in &mut run.findings {
            if finding.benchmark.as_deref() == Some(old) {
                finding.benchmark = Some(new.into());
            }
        }
    }
}

/// Reads a committed baseline as strictly as a baseline file.
///
/// # Errors
/// Fails if some lines are not rows. The message shows the first of them.
pub fn rows_of_blob(blob: &Blob, config: &Config) -> anyhow::Result<ParseReport> {
    let name = format!(
        "{}:{}",
        git::short(&blob.commit),
        term::printable(&blob.path)
    );
    strictly(&name, &blob.text, config)
}

fn strictly(name: &str, text: &[u8], config: &Config) -> anyhow::Result<ParseReport> {
    let mut collector = Collector::new(config);
    let mut input = input::from(name.to_owned(), Cursor::new(text.to_vec()))?;
    collector
        .read(name, &mut input)
        .map_err(|error| input::cannot_read(name, error))?;
    let parsed = collector.finish();
    require_only_rows(&parsed)?;
    Ok(parsed)
}

/// Reads a file with rows of many commits. Returns a snapshot for each commit and date, newest last. Dates are in the
/// column `measuredAt`, `snapshotDate`, `date` or `timestamp`. Undated rows come first, in file order, which is the
/// order in which `perf-gate baseline --append` adds them.
///
/// # Errors
/// Fails if the file is unreadable, has no rows, or has lines that are not rows. The message shows the first of these
/// lines.
pub fn snapshots(file: &Path, config: &Config) -> anyhow::Result<Vec<Snapshot>> {
    Ok(snapshots_and_metrics(file, config)?.0)
}

/// Like [`snapshots`], but also returns the metrics that the file declares.
pub fn snapshots_and_metrics(
    file: &Path,
    config: &Config,
) -> anyhow::Result<(Vec<Snapshot>, Declarations)> {
    let parsed = super::read_history(file, config)?;
    require_only_rows(&parsed)?;
    if parsed.rows.is_empty() {
        return Err(Failure::new(format!("`{}` has no rows", term::shown(file))).into());
    }
    let mut snapshots = by_commit(parsed.rows);
    for snapshot in &mut snapshots {
        name_as_now(&mut snapshot.rows, config);
    }
    Ok((snapshots, parsed.declared))
}

fn by_commit(rows: Vec<Row>) -> Vec<Snapshot> {
    let mut commits: IndexMap<(Option<i64>, Name), Vec<Row>> = IndexMap::new();
    for row in rows {
        commits
            .entry((row.measured_at, Name::clone(&row.commit)))
            .or_default()
            .push(row);
    }
    let snapshot = |((date, commit), rows): ((Option<i64>, Name), Vec<Row>)| Snapshot {
        commit: commit.to_string(),
        date,
        rows,
    };
    let mut snapshots: Vec<Snapshot> = commits.into_iter().map(snapshot).collect();
    snapshots.sort_by_key(|snapshot| snapshot.date);
    snapshots
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_model::finding::{Finding, FindingKind};

    fn read(text: &str) -> Vec<String> {
        read_with("", text)
    }

    fn read_with(config: &str, text: &str) -> Vec<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let described = |snapshot: &Snapshot| {
            let rows = snapshot
                .rows
                .iter()
                .map(|row| format!(" {}={:?}", row.scenario, row.metrics.get("x")));
            format!(
                "{:?} {}:{}",
                snapshot.date,
                snapshot.commit,
                rows.collect::<String>()
            )
        };
        snapshots(file.path(), &Config::parse(config).unwrap())
            .unwrap()
            .iter()
            .map(described)
            .collect()
    }

    #[test]
    fn rows_of_many_commits_are_put_in_order_by_their_dates() {
        let rows = "B,bbb,2031-03-05,2\nA,aaa,2031-03-04T12:00:00Z,1\nB,aaa,2031-03-04T12:00:00Z,1\nC,old,,0\n";
        for name in [
            "snapshotDate",
            "date",
            "measuredAt",
            "measured_at",
            "Timestamp",
        ] {
            insta::allow_duplicates! {
                insta::assert_snapshot!(read(&format!("scenario,commit,{name},x\n{rows}")).join("\n"), @"
                None old: C=Some(Int(0))
                Some(1930392000) aaa: A=Some(Int(1)) B=Some(Int(1))
                Some(1930435200) bbb: B=Some(Int(2))
                ");
            }
        }
        let lines =
            "{scenario:\"A\",date:\"2031-03-05\",x:1}\n{scenario:\"A\",date:\"2031-03-04\",x:1}\n";
        insta::assert_snapshot!(read(lines).join("\n"), @"
        Some(1930348800) : A=Some(Int(1))
        Some(1930435200) : A=Some(Int(1))
        ");
    }

    #[test]
    fn renamed_benchmarks_get_their_current_name() {
        let renamed = "[rows.renamed]\nA = 'B'\nB = 'C'\nD = 'E'\nE = 'D'\n";
        // A benchmark that already had the name is a different one.
        let text = "scenario,commit,x\nA,aaa,1\nB,bbb,2\nC,ccc,3\nB,ccc,4\nD,ddd,5\n";
        insta::assert_snapshot!(read_with(renamed, text).join("\n"), @"
        None aaa: C=Some(Int(1))
        None bbb: C=Some(Int(2))
        None ccc: C=Some(Int(3)) B=Some(Int(4))
        None ddd: D=Some(Int(5))
        ");
    }

    #[test]
    fn run_with_both_names_keeps_both() {
        let config = Config::parse("[rows.renamed]\nA = 'B'\n").unwrap();
        let names = |text: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            let mut parsed = crate::load::read(&[file.path()], None, &config).unwrap();
            let finding = Finding::about(FindingKind::Stale, "A".into(), "old");
            parsed.findings.push(finding);
            name_run_as_now(&mut parsed, &config);
            let rows = parsed.rows.iter().map(|row| row.scenario.to_string());
            let findings = parsed.findings.iter();
            let about = findings.filter_map(|one| one.benchmark.as_ref().map(ToString::to_string));
            rows.chain(about).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("scenario,commit,x\nA,aaa,1\nC,aaa,1\n"), "B C B");
        assert_eq!(names("scenario,commit,x\nA,aaa,1\nB,aaa,1\n"), "A B A");
        // A rolling baseline contains rows from before and after the rename.
        assert_eq!(names("scenario,commit,x\nA,aaa,1\nB,bbb,1\n"), "B B B");
    }

    #[test]
    fn without_dates_commits_come_as_they_appear() {
        insta::assert_snapshot!(read("scenario,commit,x\nA,ccc,1\nA,aaa,2\nB,ccc,1\n").join("\n"), @"
        None ccc: A=Some(Int(1)) B=Some(Int(1))
        None aaa: A=Some(Int(2))
        ");
    }
}
