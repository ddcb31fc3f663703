//! Finds programs the way a shell does.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::term::printable;

/// The hint that commands run without a shell.
pub const NO_SHELL: &str = "commands run without a shell: use `sh -c '…'` for pipes and variables";

/// Creates a command for a program's name or path. On Windows, programs such as `npm` are scripts like `npm.cmd`, which the
/// system starts only by their full names.
#[must_use]
pub fn command(program: &OsStr) -> Command {
    #[cfg(windows)]
    if let Ok(path) = which::which(program) {
        return Command::new(path);
    }
    Command::new(program)
}

/// Creates the error for a missing program. If this folder, which is not in the search path, contains a file with the
/// program's name, a hint says how to run it.
#[must_use]
pub fn not_found(program: &OsStr, folder: &Path) -> Failure {
    let shown = printable(&program.to_string_lossy());
    let failure = Failure::new(format!("command not found: `{shown}`"));
    if Path::new(program).parent() == Some(Path::new("")) && folder.join(program).is_file() {
        return failure.hint(format!("did you mean `./{shown}`?"));
    }
    failure.hint(NO_SHELL)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_program_of_the_folder_is_named_by_its_path() {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("bench"), "").unwrap();
        let hints = |program: &str| {
            let error = anyhow::Error::from(not_found(program.as_ref(), folder.path()));
            crate::failure::hints(&error)
                .first()
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        assert_eq!(hints("bench"), "did you mean `./bench`?");
        for other in ["./bench", "other", "a | b"] {
            assert!(
                hints(other).starts_with("commands run without a shell"),
                "{other}"
            );
        }
    }

    /// A script without its extension, as Windows installs `npm`.
    #[cfg(windows)]
    #[test]
    fn a_script_is_found_by_its_name() {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("greet.cmd"), "@echo hello %1\r\n").unwrap();
        let output = command(folder.path().join("greet").as_os_str())
            .arg("you")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "hello you");
    }
}
