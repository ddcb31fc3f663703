//! Inputs from several machines of a job matrix: one folder per machine, such as an artifact.
//!
//! A machine description in an input's folder states the machine type. Rows with different machine types are never
//! samples of one measurement. If the folders are from several systems, each folder gets a platform: from its
//! description, such as `x86_64-linux`, or the folder's name if that is the name of a system.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use perf_model::diagnostic::Diagnostic;
use perf_model::machine::{UNKNOWN, target};
use perf_model::system::Systems;
use perf_readers::Provenance;

use super::{MACHINE_SPECS, machine_specs};
use crate::{failure, term};

/// Returns each input's machine type and platform, if the folders show them, and warnings about unreadable descriptions.
pub(super) fn places(inputs: &[&Path]) -> (Vec<Provenance>, Vec<Diagnostic>) {
    let folders: Vec<Option<PathBuf>> = inputs.iter().map(|input| folder(input)).collect();
    let common = common(&folders).unwrap_or_default();
    // The folder of each input's machine, directly below the common folder.
    let mut machines: Vec<Option<PathBuf>> = Vec::new();
    for folder in &folders {
        machines.push(machine_folder(folder.as_deref(), &common));
    }
    let mut places = vec![Provenance::default(); inputs.len()];
    let mut found = Vec::new();
    if machines.iter().flatten().collect::<BTreeSet<_>>().len() < 2 {
        return (places, found);
    }
    for (place, (folder, machine)) in places.iter_mut().zip(folders.iter().zip(&machines)) {
        if let (Some(folder), Some(machine)) = (folder, machine) {
            *place = provenance(folder, machine, &mut found);
        }
    }
    found.dedup();
    let platforms: BTreeSet<&str> = places.iter().map(|place| place.platform.as_str()).collect();
    if platforms.len() < 2 {
        without_platforms(&mut places);
    }
    (places, found)
}

/// The folder directly below `common` that contains `folder`.
fn machine_folder(folder: Option<&Path>, common: &Path) -> Option<PathBuf> {
    let first = folder?.strip_prefix(common).ok()?.components().next()?;
    Some(common.join(first))
}

/// Removes the platforms. The rows then keep their own platforms.
pub(super) fn without_platforms(places: &mut [Provenance]) {
    for place in places {
        place.platform.clear();
    }
}

/// An input file's folder, or the input folder itself. `None` for standard input.
fn folder(input: &Path) -> Option<PathBuf> {
    if input.as_os_str() == "-" {
        return None;
    }
    let folder = if input.is_dir() {
        input
    } else {
        input.parent()?
    };
    // `./linux` and `linux` are the same folder.
    Some(
        folder
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect(),
    )
}

/// The deepest folder that contains all these folders.
fn common(folders: &[Option<PathBuf>]) -> Option<PathBuf> {
    folders.iter().flatten().cloned().reduce(|common, folder| {
        let same = common
            .components()
            .zip(folder.components())
            .take_while(|(one, other)| one == other);
        same.map(|(part, _)| part).collect()
    })
}

/// Reads the machine type and the platform from the nearest description, from `folder` up to the machine's folder.
/// Without a description, the platform is taken from the name of the machine's folder.
fn provenance(folder: &Path, machine: &Path, found: &mut Vec<Diagnostic>) -> Provenance {
    let mut machine_class = None;
    for folder in folder.ancestors() {
        let description = folder.join(MACHINE_SPECS);
        if description.is_file() {
            match machine_specs(&description) {
                Ok(specs) => machine_class = specs.machine_class.filter(|class| class != UNKNOWN),
                Err(error) => {
                    let why = failure::message(&error);
                    let message = format!("{why}: the rows next to it get no machine type");
                    found.push(Diagnostic::warning(message));
                }
            }
            break;
        }
        if folder == machine {
            break;
        }
    }
    let described = machine_class.as_deref().map(target).unwrap_or_default();
    let platform = if described.is_empty() {
        system_name(machine).unwrap_or_default()
    } else {
        described.join("-")
    };
    Provenance {
        platform,
        machine_class,
    }
}

/// The folder's name, if it is a system's name.
fn system_name(folder: &Path) -> Option<String> {
    let name = term::printable(folder.file_name().and_then(OsStr::to_str)?);
    (!Systems::of(&name).is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Each input's platform and machine type, in folders with these descriptions.
    fn shown(inputs: &[&str], described: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = inputs
            .iter()
            .map(|input| folder.path().join(input))
            .collect();
        for path in &paths {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (at, class) in described {
            let specs = format!("{{\"machineClass\": \"{class}\"}}");
            fs::write(folder.path().join(at).join(MACHINE_SPECS), specs).unwrap();
        }
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let (places, found) = places(&paths);
        assert_eq!(found.len(), 0);
        let class = |place: &Provenance| place.machine_class.clone().unwrap_or_default();
        places
            .iter()
            .map(|place| format!("{}:{}", place.platform, class(place)))
            .collect()
    }

    #[test]
    fn folders_of_several_systems_are_platforms() {
        let inputs = ["perf-ubuntu-24.04/b.json", "perf-macos-15/deep/b.json"];
        assert_eq!(
            shown(&inputs, &[]),
            ["perf-ubuntu-24.04:", "perf-macos-15:"]
        );
        let described = [
            ("perf-ubuntu-24.04", "epyc-4c-x86_64-linux-16g"),
            ("perf-macos-15", "m2-aarch64-macos-8g"),
        ];
        assert_eq!(
            shown(&inputs, &described),
            [
                "x86_64-linux:epyc-4c-x86_64-linux-16g",
                "aarch64-macos:m2-aarch64-macos-8g"
            ]
        );
    }

    #[test]
    fn shards_of_one_system_are_one_platform() {
        let inputs = ["linux-1/b.json", "linux-2/b.json", "windows-1/b.json"];
        let described = [
            ("linux-1", "a-x86_64-linux"),
            ("linux-2", "b-x86_64-linux"),
            ("windows-1", "c-x86_64-windows"),
        ];
        assert_eq!(
            shown(&inputs, &described),
            [
                "x86_64-linux:a-x86_64-linux",
                "x86_64-linux:b-x86_64-linux",
                "x86_64-windows:c-x86_64-windows"
            ]
        );
        // A single system needs no platform.
        assert_eq!(
            shown(&inputs[..2], &described[..2]),
            [":a-x86_64-linux", ":b-x86_64-linux"]
        );
    }

    #[test]
    fn repeated_runs_and_single_inputs_have_no_platform() {
        assert_eq!(shown(&["run-1/b.json", "run-2/b.json"], &[]), [":", ":"]);
        assert_eq!(
            shown(&["linux/b.json"], &[("linux", "a-x86_64-linux")]),
            [":"]
        );
        assert_eq!(shown(&["linux/a.json", "linux/b.json"], &[]), [":", ":"]);
        assert_eq!(shown(&["b.json", "linux/b.json"], &[]), [":", ":"]);
    }

    #[test]
    fn a_broken_description_costs_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["linux", "macos"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("linux").join(MACHINE_SPECS), "[").unwrap();
        let inputs = ["linux", "macos"].map(|name| folder.path().join(name).join("b.json"));
        let (places, found) = places(&[&inputs[0], &inputs[1]]);
        assert_eq!((places[0].platform.as_str(), found.len()), ("linux", 1));
    }
}
