//! The files that the lines of an input name.

use std::fs;

use glob::{MatchOptions, Pattern};
use perf_cli::Failure;

use super::place::{path, slashes};

/// As a shell does it: `*` neither crosses folders nor matches hidden files.
const AS_A_SHELL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files, in the order of the lines and then of their names. What exists is no pattern.
///
/// # Errors
/// A line that matches nothing.
pub(super) fn find(input: &str, lines: &str) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let pattern = path(&slashes(line));
        if let Ok(metadata) = fs::metadata(&pattern) {
            if !metadata.is_file() && !metadata.is_dir() {
                return Err(no_file(line));
            }
            files.push(pattern);
            continue;
        }
        if pattern.contains("**") {
            return Err(Failure::new(format!("invalid `{input}`: `{line}`"))
                .hint("`**` is not supported: name each folder, with one `*` in its place"));
        }
        let found = matching(&pattern);
        if found.is_empty() {
            return Err(Failure::new(format!("no file matches `{line}`"))
                .hint(format!("did the benchmark run and write there? see the input `{input}`")));
        }
        files.extend(found);
    }
    Ok(files)
}

/// A device may have no end, and a pipe may wait for one for ever.
fn no_file(line: &str) -> Failure {
    Failure::new(format!("`{line}` is neither a file nor a folder"))
        .hint("give the path of the file that the benchmark wrote")
}

/// What a name on the disk is when it is no text cannot be an argument of a tool.
fn matching(pattern: &str) -> Vec<String> {
    if Pattern::new(pattern).is_err() {
        return Vec::new();
    }
    let found = glob::glob_with(pattern, AS_A_SHELL).into_iter().flatten().flatten();
    found.filter_map(|found| found.to_str().map(path)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        for name in ["b.log", "a.log", ".hidden.log", "c[1].log", "d.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |lines: &str| {
            let found = find("input", lines)?;
            Ok::<_, Failure>(
                found
                    .iter()
                    .map(|file| Path::new(file).file_name().unwrap().to_string_lossy().into_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(names(&format!("{root}/*.log")).unwrap(), ["a.log", "b.log", "c[1].log"]);
        assert_eq!(names(&format!("{root}/c[1].log\r\n\n  {root}/d.*\n")).unwrap(), ["c[1].log", "d.txt"]);
        assert_eq!(names("").unwrap(), [""; 0]);
        for wrong in ["no-*.log", "[", "**/*.log"] {
            assert!(names(&format!("{root}/{wrong}")).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_before_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("link")).unwrap();
        for name in ["pipe", "link"] {
            let error = find("input", &folder.path().join(name).to_string_lossy()).unwrap_err();
            assert!(error.to_string().contains("is neither a file nor a folder"), "{error}");
        }
    }
}
