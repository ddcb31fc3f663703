//! Folders of results, as criterion and gungraun leave them: which of their files are read, and together.
//!
//! A *part* is what is read as one input: the files of one benchmark. Parts come in the order of their paths, so
//! that the same folder always gives the same rows. Links to folders are not followed.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::input::{cannot_read, open};
use crate::paths::folder_of;
use crate::{Failure, term};
use perf_readers::folder::{GROUPS, Group};
use perf_readers::{Collector, Format};

/// Deeper folders are not looked into.
const DEEPEST: usize = 64;

/// Files that are read one behind the other.
#[derive(Debug)]
struct FolderPart {
    group: &'static Group,
    /// The path that stands for the part in messages: its folder, or its only file.
    path: PathBuf,
    files: Vec<PathBuf>,
}

/// Reads folders, and files that belong to a group in their folder; it remembers what was read.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    read: HashSet<PathBuf>,
}

impl Folders {
    /// Reads what is in the folder that an input is, or what belongs to the file that it is. `false` for an input
    /// that stands for itself.
    ///
    /// # Errors
    /// A folder without results of the format, or something in it that cannot be read.
    pub(crate) fn read(
        &mut self,
        input: &Path,
        format: Option<&Format>,
        collector: &mut Collector<'_>,
    ) -> anyhow::Result<bool> {
        let parts = match group_of(input) {
            _ if input.is_dir() => in_folder(input, format)?,
            Some(part) if is_wanted(part.group, format) => vec![part],
            _ => return Ok(false),
        };
        for part in parts {
            if self.read.insert(part.path.clone()) {
                part.read(collector)?;
            }
        }
        Ok(true)
    }
}

impl FolderPart {
    /// The files of a group that exist in a folder, by `is_file`; `None` when there are none.
    fn new(group: &'static Group, folder: &Path, is_file: impl Fn(&Path) -> bool) -> Option<Self> {
        let files: Vec<PathBuf> = group
            .files
            .iter()
            .map(|name| folder.join(name))
            .filter(|file| is_file(file))
            .collect();
        let path = match group.files {
            [_] => files.first()?.clone(),
            // What `.` is called says what was measured.
            _ if folder.file_name().is_none() => folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf()),
            _ => folder.to_path_buf(),
        };
        (!files.is_empty()).then_some(Self { group, path, files })
    }

    /// A file that is an input of its own.
    fn of_file(group: &'static Group, path: PathBuf) -> Self {
        Self {
            group,
            files: vec![path.clone()],
            path,
        }
    }

    fn read(&self, collector: &mut Collector<'_>) -> anyhow::Result<()> {
        let mut input: Box<dyn Read> = Box::new(io::empty());
        for file in &self.files {
            // Not every file ends with a line end.
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

/// The part that a file belongs to with others.
fn group_of(file: &Path) -> Option<FolderPart> {
    let name = file.file_name()?.to_str()?;
    let folder = folder_of(file);
    let belongs = |group: &&Group| {
        group.folder.is_some() && group.files.contains(&name) && is_in(folder, group)
    };
    let group = GROUPS.iter().find(belongs)?;
    file.is_file()
        .then(|| FolderPart::new(group, folder, Path::is_file))
        .flatten()
}

/// True if the group takes files of this folder: any folder, or only one of a certain name.
fn is_in(folder: &Path, group: &Group) -> bool {
    let Some(wanted) = group.folder else {
        return true;
    };
    // `.` and `..` have no name of their own, and a short path may lack the names above.
    let is_short = folder.file_name().is_none()
        || folder.components().count() < Path::new(wanted).components().count();
    folder.ends_with(wanted)
        || is_short
            && folder
                .canonicalize()
                .is_ok_and(|folder| folder.ends_with(wanted))
}

/// All parts in a folder and below it.
fn in_folder(folder: &Path, format: Option<&Format>) -> anyhow::Result<Vec<FolderPart>> {
    let groups: Vec<&'static Group> = GROUPS
        .iter()
        .filter(|group| is_wanted(group, format))
        .collect();
    let mut parts = Vec::new();
    walk(folder, DEEPEST, &groups, &mut parts)?;
    if parts.is_empty() {
        return Err(nothing(folder, format).into());
    }
    Ok(parts)
}

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
        let is_linked_file = || kind.is_symlink() && entry.path().is_file();
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() || is_linked_file() {
            files.push(entry.file_name());
        }
    }
    files.sort();
    let has = |file: &Path| files.iter().any(|name| Some(&**name) == file.file_name());
    for group in groups.iter().filter(|group| is_in(folder, group)) {
        parts.extend(FolderPart::new(group, folder, has));
        let each = files
            .iter()
            .filter(|name| name.to_str().is_some_and(|name| group.takes_each(name)));
        parts.extend(each.map(|name| FolderPart::of_file(group, folder.join(name))));
    }
    if deeper == 0 {
        return Ok(());
    }
    folders.sort();
    folders
        .iter()
        .try_for_each(|folder| walk(folder, deeper - 1, groups, parts))
}

fn nothing(folder: &Path, format: Option<&Format>) -> Failure {
    let looked_for: Vec<String> = GROUPS
        .iter()
        .filter(|group| is_wanted(group, format))
        .map(|group| format!("`{}` ({})", group.pattern(), group.format))
        .collect();
    let shown = term::shown(folder);
    match (looked_for.is_empty(), format) {
        (true, Some(format)) => Failure::new(format!(
            "`{shown}` is a folder, which `{}` is not read from",
            format.name
        ))
        .hint("name the files in it"),
        _ => Failure::new(format!("`{shown}` is a folder without results")).hint(format!(
            "looked in it and below for {}; name other files one by one",
            looked_for.join(" and ")
        )),
    }
}
