//! Test binaries of Go, built once for each side.
//!
//! A file stays where it is in memory from launch to launch, and its place decides how well the processor's caches hold it. Of five
//! copies of one test binary of google/uuid, one was 9.9% slower in each of 25 launches: over a whole measurement, such a
//! difference looks like one of the code. So there are several copies of each binary.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use perf_harness::GoTest;

use crate::guardian::Stopped;
use crate::process::{Launcher, Line};

/// The most packages that are built apart.
const MOST: usize = 40;
/// The copies of a binary, and the most bytes of those of a side.
const COPIES: u64 = 12;
const LARGEST: u64 = 256 << 20;

/// The packages with tests, and the commands of both sides that launch their test binaries, which are built below `folder`. Empty
/// if the command is no `go test`, does not build, which it then says itself, or the sides have other packages.
///
/// # Errors
/// A build that was stopped.
pub(super) fn compile_test_binaries(
    lines: &[Line; 2],
    folder: &Path,
    launcher: &Launcher<'_>,
) -> anyhow::Result<Vec<(String, [Line; 2])>> {
    let mut sides = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        match of_side(line, &folder.join(number.to_string()), launcher) {
            Ok(packages) => sides.push(packages),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(_) => return Ok(Vec::new()),
        }
    }
    let (Some(current), Some(base)) = (sides.pop(), sides.pop()) else { return Ok(Vec::new()) };
    let are_same = base.iter().map(|(name, _)| name).eq(current.iter().map(|(name, _)| name));
    let both = base.into_iter().zip(current).map(|((name, base), (_, current))| (name, [base, current]));
    Ok(if are_same { both.collect() } else { Vec::new() })
}

/// The packages of a side with the commands that launch their test binaries.
fn of_side(line: &Line, folder: &Path, launcher: &Launcher<'_>) -> anyhow::Result<Vec<(String, Line)>> {
    let Some(test) = GoTest::of(&line.words) else { return Ok(Vec::new()) };
    let run = |words: Vec<OsString>| launcher.launch(&line.with(&words)?, 1, 0).map(|launch| launch.output);
    let printed = |words| run(words).map(|output| String::from_utf8_lossy(&output).into_owned());
    let (environment, packages) = (printed(test.environment())?, printed(test.list())?);
    let (root, flags) = environment.split_once('\n').unwrap_or_default();
    let packages: Vec<&str> = packages.lines().filter(|line| !line.is_empty()).collect();
    if !GoTest::allows(flags) || packages.len() > MOST {
        return Ok(Vec::new());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [Path::new(root).join("bin")].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths)?;
    let mut compiled = Vec::new();
    let most = LARGEST / u64::try_from(packages.len())?.max(1);
    for (number, package) in packages.into_iter().enumerate() {
        let Some((package, home)) = package.split_once('\t') else { return Ok(Vec::new()) };
        let home = PathBuf::from(home);
        // As `go test` names it; two packages may end alike.
        let name = package.rsplit('/').next().unwrap_or(package);
        let name = format!("{name}.test{}", std::env::consts::EXE_SUFFIX);
        // Paths of the same length, as each launch has its own in its environment.
        let path_of = |copy: u64| folder.join(format!("{number}-{copy:02}")).join(&name);
        let binary = path_of(0);
        fs::create_dir_all(binary.parent().unwrap_or(folder))?;
        run(test.build(package, &binary))?;
        let mut command = line.with(&test.launch(&binary))?;
        let size = fs::metadata(&binary)?.len();
        command.copies.push(binary.clone());
        for copy in 1..COPIES.min(most / size.max(1)) {
            let path = path_of(copy);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            if fs::copy(&binary, &path).is_err() {
                // Of a full disk, the next build needs the rest.
                let _ = fs::remove_file(&path);
                break;
            }
            command.copies.push(path);
        }
        command.variables.push(("PATH".into(), path.clone()));
        command.variables.push(("PWD".into(), home.clone().into()));
        command.folder = home;
        compiled.push((package.to_owned(), command));
    }
    Ok(compiled)
}
