//! Test binaries of Go, built once for each side.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use perf_harness::GoTest;

use crate::guardian::Stopped;
use crate::process::{Launcher, Line};

/// The commands that launch the test binaries of `go test` for both sides, which are built below `folder`. `None` if the
/// command is another one, tests several packages, or does not build: then it says so itself.
///
/// # Errors
/// A build that was stopped.
pub(super) fn compile_test_binaries(
    lines: &[Line; 2],
    folder: &Path,
    launcher: &Launcher<'_>,
) -> anyhow::Result<Option<[Line; 2]>> {
    let mut compiled = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        match of_side(line, &folder.join(number.to_string()), launcher) {
            Ok(Some(line)) => compiled.push(line),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Ok(None) | Err(_) => return Ok(None),
        }
    }
    Ok(compiled.try_into().ok())
}

fn of_side(line: &Line, folder: &Path, launcher: &Launcher<'_>) -> anyhow::Result<Option<Line>> {
    let Some(test) = GoTest::of(&line.words) else { return Ok(None) };
    let run = |words: Vec<OsString>| launcher.launch(&line.with(&words)?, 1, 0).map(|launch| launch.output);
    let printed = |words| run(words).map(|output| String::from_utf8_lossy(&output).into_owned());
    let (environment, packages) = (printed(test.environment())?, printed(test.list())?);
    let (root, flags) = environment.split_once('\n').unwrap_or_default();
    let mut packages = packages.lines().filter(|line| !line.is_empty());
    let (Some((package, home)), None) =
        (packages.next().and_then(|line| line.split_once('\t')), packages.next())
    else {
        return Ok(None);
    };
    if !GoTest::allows(flags) {
        return Ok(None);
    }
    let home = PathBuf::from(home);
    // As `go test` names it.
    let name = package.rsplit('/').next().unwrap_or(package);
    fs::create_dir_all(folder)?;
    let binary = folder.join(format!("{name}.test{}", std::env::consts::EXE_SUFFIX));
    run(test.build(package, &binary))?;
    let mut command = line.with(&test.launch(&binary))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [Path::new(root).join("bin")].into_iter().chain(std::env::split_paths(&path));
    command.variables.push(("PATH".into(), std::env::join_paths(paths)?));
    command.variables.push(("PWD".into(), home.clone().into()));
    command.folder = home;
    Ok(Some(command))
}
