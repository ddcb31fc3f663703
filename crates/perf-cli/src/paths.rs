//! Opens files and checks paths. The errors contain advice.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use perf_model::suggest::is_misspelt;

use crate::term::shown;
use crate::{Failure, ResultExt};

/// Opens a file for reading. Fails for a folder.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata), Failure> {
    let cannot = |error| cannot("read", path, error);
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(folder_instead("read", path));
    }
    Ok((file, metadata))
}

/// Creates the error for a `path` that cannot be read or written, with advice if possible.
pub(crate) fn cannot(verb: &str, path: &Path, error: io::Error) -> Failure {
    if path.as_os_str().is_empty() {
        return Failure::new(format!("cannot {verb} a file without a name"))
            .hint("is a variable empty?");
    }
    match error.kind() {
        io::ErrorKind::NotFound => missing(path),
        // Windows reports this for names that cannot exist.
        io::ErrorKind::InvalidFilename if cfg!(windows) && verb == "read" => missing(path),
        // Windows reports "access denied" for opening a folder.
        _ if path.is_dir() => folder_instead(verb, path),
        _ => Failure::new(format!("cannot {verb} `{}`", shown(path))).because(error),
    }
}

pub(crate) fn folder_instead(verb: &str, path: &Path) -> Failure {
    Failure::new(format!(
        "cannot {verb} `{}`: it is a directory",
        shown(path)
    ))
    .hint("pass a file in it")
}

/// The folder that contains a path.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn missing(path: &Path) -> Failure {
    if let Ok(target) = fs::read_link(path) {
        let (link, target) = (shown(path), shown(&target));
        return Failure::new(format!(
            "`{link}` is a link to `{target}`, which does not exist"
        ));
    }
    let failure = Failure::new(format!("`{}` does not exist", shown(path)));
    let folder = folder_of(path);
    if !folder.is_dir() {
        return failure.hint(format!("no folder `{}`", shown(folder)));
    }
    match similar(path, &[]) {
        Some(other) => failure.hint(format!("did you mean `{other}`?")),
        None => failure,
    }
}

/// Finds an existing file that the user probably meant, except `others`. The file has a similar name or, if the folder does
/// not exist, is in a folder with a similar name. Of several such files, returns the first one alphabetically.
pub(crate) fn similar(file: &Path, others: &[&Path]) -> Option<String> {
    let name = file.file_name()?;
    let folder = folder_of(file);
    let is_folder_missing = !folder.is_dir();
    let wrong = if is_folder_missing { folder } else { file };
    let wrong_name = wrong.file_name()?.to_str()?;
    let mut known = Vec::new();
    for other in others {
        known.extend(fs::canonicalize(other));
    }
    let mut similar = Vec::new();
    for entry in fs::read_dir(folder_of(wrong)).ok()?.flatten() {
        let Ok(other) = entry.file_name().into_string() else {
            continue;
        };
        let mut path = wrong.with_file_name(&other);
        if is_folder_missing {
            path.push(name);
        }
        if is_misspelt(wrong_name, &other)
            && path.is_file()
            && fs::canonicalize(&path).is_ok_and(|path| !known.contains(&path))
        {
            similar.push(path);
        }
    }
    let first = similar.into_iter().min()?;
    Some(shown(&first))
}

/// Fails if an output would overwrite an input or another output.
///
/// # Errors
/// Fails if two paths lead to the same file. The error shows the first such pair.
pub fn check_no_overwrite(
    outputs: &[Option<&Path>],
    inputs: &[Option<&Path>],
) -> anyhow::Result<()> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    let inputs: Vec<&Path> = inputs.iter().copied().flatten().collect();
    let Some((output, other)) = first_same(&inputs, &outputs) else {
        return Ok(());
    };
    let [output, other] = [output, other].map(shown);
    Err(anyhow!("`{output}` would be written over `{other}`")).hint("choose another output file")
}

/// Fails if a file is passed as two runs, because each run must be a separate measurement.
///
/// # Errors
/// Fails if a file is passed twice. The error shows the first such file.
pub fn check_distinct_runs(run: &[PathBuf], further: &[PathBuf]) -> anyhow::Result<()> {
    let [run, further] =
        [run, further].map(|files| files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let Some((again, _)) = first_same(&run, &further) else {
        return Ok(());
    };
    Err(anyhow!("`{}` is passed twice", shown(again)))
        .hint("a run cannot confirm itself: run the benchmark again")
}

/// Finds a path in `further` that leads to the same file as an earlier path, and returns both.
fn first_same<'p>(first: &[&'p Path], further: &[&'p Path]) -> Option<(&'p Path, &'p Path)> {
    let mut known = first.to_vec();
    for path in further.iter().filter(|path| path.as_os_str() != "-") {
        if let Some(same) = known.iter().find(|other| is_same_file(path, other)) {
            return Some((path, same));
        }
        known.push(path);
    }
    None
}

/// Whether two paths lead to the same file. The file need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}
