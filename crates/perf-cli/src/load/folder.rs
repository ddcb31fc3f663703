//! Finds the result files in the folders of tools such as Criterion and gungraun.
//!
//! A *part* is a set of files that are read as one input, for example the files of one benchmark. Parts are ordered by
//! path, so the same folder always gives the same rows. Links to folders are not followed.
//!
//! These tools overwrite the results of the benchmarks that they run, and never remove other results. So results that
//! are older than the start of the command are left out. If the start is unknown, a result that is at least a day older
//! than the newest result causes a [`Stale`](FindingKind::Stale) finding.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::input::{cannot_read, open};
use crate::paths::folder_of;
use crate::{Failure, term};
use perf_model::diagnostic::counted;
use perf_model::finding::{Finding, FindingKind};
use perf_model::row::Name;
use perf_readers::folder::{GROUPS, Group};
use perf_readers::{Collector, Format, ParseReport};

/// The maximum depth of subfolders to search.
const DEEPEST: usize = 64;

/// A result is stale if it is at least this much older than the newest result in the folder.
const STALE: Duration = Duration::from_hours(24);

/// The resolution of modification times: file systems round them down, by up to two seconds.
const RESOLUTION: Duration = Duration::from_secs(2);

/// Files that are read as one input.
#[derive(Clone, Debug)]
pub struct FolderPart {
    group: &'static Group,
    /// The path in messages: the folder, or the only file.
    path: PathBuf,
    files: Vec<PathBuf>,
}

/// The result files that were read, left out, or look stale.
#[derive(Debug, Default)]
pub struct Folders {
    /// When the command that wrote the results started, if known.
    started: Option<SystemTime>,
    read: HashSet<PathBuf>,
    /// The number of parts that are older than `started`.
    earlier: u64,
    /// For each stale input, by name: how many days older it is than the newest part in the folder.
    stale: HashMap<String, u64>,
}

impl Folders {
    /// Accepts results that were written since `started`, or all results if `started` is `None`.
    pub fn since(started: Option<SystemTime>) -> Self {
        Self {
            started,
            ..Self::default()
        }
    }

    /// Reads the parts of an input. Parts that are much older than `newest` are stale.
    ///
    /// # Errors
    /// Fails if results are unreadable, or if all results are older than the start of the command.
    pub fn read(
        &mut self,
        input: &Path,
        parts: &[FolderPart],
        newest: Option<SystemTime>,
        collector: &mut Collector<'_>,
    ) -> anyhow::Result<()> {
        if let (Some(started), Some(newest)) = (self.started, newest)
            && newest + RESOLUTION < started
        {
            return Err(all_earlier(input).into());
        }
        for part in parts {
            let written = part.written();
            if !self.read.insert(part.path.clone()) {
                continue;
            }
            if let (Some(started), Some(written)) = (self.started, written)
                && written + RESOLUTION < started
            {
                self.earlier += 1;
                continue;
            }
            part.read(collector)?;
            if let (Some(written), Some(newest)) = (written, newest)
                && let Ok(behind) = newest.duration_since(written)
                && behind >= STALE
            {
                let days = (behind.as_secs() + STALE.as_secs() / 2) / STALE.as_secs();
                self.stale.insert(term::shown(&part.path), days);
            }
        }
        Ok(())
    }

    /// Reports how many results were left out, and adds a finding for each benchmark with a stale result.
    pub fn report(self, parsed: &mut ParseReport) {
        parsed.earlier_results += self.earlier;
        if self.stale.is_empty() {
            return;
        }
        let mut named: HashSet<Name> = HashSet::new();
        for (row, origin) in parsed.rows.iter().zip(&parsed.origins) {
            let input = parsed.inputs.get(origin.input());
            let Some(days) = input.and_then(|input| self.stale.get(&input.name)) else {
                continue;
            };
            if !named.insert(Name::clone(&row.scenario)) {
                continue;
            }
            let text = format!(
                "result is {} older than the newest one in its folder, so it is probably from an earlier run",
                counted(*days, "day")
            );
            let finding = Finding::about(FindingKind::Stale, Name::clone(&row.scenario), text);
            parsed.findings.push(finding);
        }
    }
}

/// Finds the parts of an input folder, or the part that an input file belongs to. Returns `None` for an input that is read
/// as a single file.
///
/// # Errors
/// Fails if a folder is unreadable, or if it contains no results in the format.
pub fn parts_of(input: &Path, format: Option<&Format>) -> anyhow::Result<Option<Vec<FolderPart>>> {
    if input.is_dir() {
        let wanted = GROUPS.iter().filter(|group| is_wanted(group, format));
        let groups: Vec<&'static Group> = wanted.collect();
        let mut parts = Vec::new();
        walk(input, DEEPEST, &groups, &mut parts)?;
        if parts.is_empty() {
            return Err(nothing(input, format).into());
        }
        return Ok(Some(parts));
    }
    let part = group_of(input).filter(|part| is_wanted(part.group, format));
    Ok(part.map(|part| vec![part]))
}

/// When the newest of these parts was written.
pub fn newest<'p>(parts: impl IntoIterator<Item = &'p FolderPart>) -> Option<SystemTime> {
    parts.into_iter().filter_map(FolderPart::written).max()
}

impl FolderPart {
    /// Collects a group's files in a folder. `is_file` says whether a file exists. Returns `None` if none of the files
    /// exists.
    fn new(group: &'static Group, folder: &Path, is_file: impl Fn(&Path) -> bool) -> Option<Self> {
        let files: Vec<PathBuf> = group
            .files
            .iter()
            .map(|name| folder.join(name))
            .filter(|file| is_file(file))
            .collect();
        let path = match group.files {
            [_] => files.first()?.clone(),
            // `.` has no name, but its canonical path does.
            _ if folder.file_name().is_none() => folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf()),
            _ => folder.to_path_buf(),
        };
        (!files.is_empty()).then_some(Self { group, path, files })
    }

    /// The newest modification time of the part's files. `None` if the file system does not record it.
    fn written(&self) -> Option<SystemTime> {
        let times = self.files.iter().filter_map(|file| file.metadata().ok());
        times.filter_map(|file| file.modified().ok()).max()
    }

    fn read(&self, collector: &mut Collector<'_>) -> anyhow::Result<()> {
        let mut input: Box<dyn Read> = Box::new(io::empty());
        for file in &self.files {
            // Files need not end with a line end.
            input = Box::new(input.chain(open(file)?).chain(&b"\n"[..]));
        }
        let name = term::shown(&self.path);
        let read = match self.group.reader() {
            Some(format) => collector.read_as(format, &name, &mut input),
            None => collector.read(&name, &mut input),
        };
        Ok(read.map_err(|error| cannot_read(&name, error))?)
    }
}

fn is_wanted(group: &Group, format: Option<&Format>) -> bool {
    format.is_none_or(|format| format.name == group.format)
}

/// Finds the part that contains a file and its related files.
fn group_of(file: &Path) -> Option<FolderPart> {
    let name = file.file_name()?.to_str()?;
    let folder = folder_of(file);
    if !file.is_file() {
        return None;
    }
    let group = GROUPS.iter().find(|group| {
        group.folder.is_some() && group.files.contains(&name) && is_in(folder, group)
    })?;
    FolderPart::new(group, folder, Path::is_file)
}

/// Whether a group's files can be in this folder. Some groups require a folder name.
fn is_in(folder: &Path, group: &Group) -> bool {
    let Some(wanted) = group.folder else {
        return true;
    };
    // A relative path might not contain its parents' names.
    let real = || folder.canonicalize();
    folder.ends_with(wanted) || real().is_ok_and(|folder| folder.ends_with(wanted))
}

/// Adds all parts in a folder and in its subfolders, at most `deeper` levels deep.
fn walk(
    folder: &Path,
    deeper: usize,
    groups: &[&'static Group],
    parts: &mut Vec<FolderPart>,
) -> anyhow::Result<()> {
    let cannot = |error| {
        Failure::new(format!("cannot read the folder `{}`", term::shown(folder))).because(error)
    };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let kind = entry.file_type().map_err(cannot)?;
        if kind.is_dir() {
            folders.push(entry.path());
        } else if entry.path().is_file() {
            files.push(entry.file_name());
        }
    }
    files.sort();
    let has = |file: &Path| files.iter().any(|name| Some(&**name) == file.file_name());
    for group in groups {
        if !is_in(folder, group) {
            continue;
        }
        parts.extend(FolderPart::new(group, folder, has));
        for name in &files {
            if name.to_str().is_some_and(|name| group.takes_each(name)) {
                let path = folder.join(name);
                let files = vec![path.clone()];
                parts.push(FolderPart { group, path, files });
            }
        }
    }
    if deeper > 0 {
        folders.sort();
        for folder in folders {
            walk(&folder, deeper - 1, groups, parts)?;
        }
    }
    Ok(())
}

/// The error for a command that wrote no results.
fn all_earlier(input: &Path) -> Failure {
    let message = format!(
        "the command wrote no results to `{}`: every result there is older than the start of the command",
        term::shown(input)
    );
    Failure::new(message).hint("check that the command runs benchmarks and writes to this folder")
}

fn nothing(folder: &Path, format: Option<&Format>) -> Failure {
    let shown = term::shown(folder);
    let mut patterns = Vec::new();
    for group in GROUPS.iter().filter(|group| is_wanted(group, format)) {
        patterns.push(format!("`{}` ({})", group.pattern(), group.format));
    }
    if let (true, Some(format)) = (patterns.is_empty(), format) {
        let name = format.name;
        let message = format!("`{shown}` is a folder, but `{name}` is not read from folders");
        return Failure::new(message).hint("pass the files in it");
    }
    Failure::new(format!("`{shown}` is a folder without results")).hint(format!(
        "searched it and its subfolders for {}; pass other files one by one",
        patterns.join(" and ")
    ))
}
