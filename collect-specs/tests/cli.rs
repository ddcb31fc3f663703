//! The command line: the output, the files and the exit code of a run.

use std::fs;

use assert_cmd::Command;

/// The program, without the environment of the user who runs the tests.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_collect-machine-specs"));
    command.env_clear();
    command
}

#[test]
fn a_second_run_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("specs.json");
    let run = || {
        let mut command = binary();
        command.arg("--output-json").arg(&json);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        fs::metadata(&json).unwrap().modified().unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
fn real_machine_is_described() {
    let output = binary()
        .arg("--output-json")
        .arg("-nonsense")
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(2),
        "an option is not a file name"
    );
    let output = binary().output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let line = String::from_utf8(output.stdout).unwrap();
    // Facts that this machine does not report are left out.
    assert!(
        line.lines().count() == 1 && !line.contains("unknown") && line.contains("; "),
        "{line}"
    );
}

#[test]
fn powershell_option_writes_the_same_json() {
    let folder = tempfile::tempdir().unwrap();
    let with = |args: &[&str]| {
        let mut command = binary();
        command.current_dir(folder.path()).args(args);
        command.output().unwrap().status.code()
    };
    assert_eq!(with(&["-OutputJson", "x.json"]), Some(0));
    assert_eq!(with(&["--output-json", "y.json"]), Some(0));
    let [x, y] = ["x.json", "y.json"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(x, y);
    for args in [
        &["-OutputJson"][..],
        &["x.json"],
        &["-Output", "x.json"],
        &["-OutputJson", "x.json", "--output-json", "y.json"],
    ] {
        assert_eq!(with(args), Some(2), "{args:?}");
    }
}

#[test]
fn write_error_contains_the_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for target in ["nowhere/specs.json", "folder"] {
        let output = binary()
            .arg("--output-json")
            .arg(folder.path().join(target))
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(&format!("{target}`")), "{said}");
    }
}

#[test]
fn best_effort_warns_about_unwritable_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = binary();
    command.arg("--best-effort");
    command
        .arg("--output-json")
        .arg(folder.path().join("nowhere/specs.json"));
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.is_empty()),
        (Some(0), false),
        "{said}"
    );
    assert!(
        said.contains("warning: ") && said.contains("nowhere/specs.json`"),
        "{said}"
    );
}

#[test]
fn the_help_names_every_option_and_exit_code() {
    let output = binary()
        .env("COLUMNS", "100")
        .arg("--help")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).unwrap();
    for word in [
        "--output-json <FILE>",
        "--best-effort",
        "Exit codes: 0 described; 2",
    ] {
        assert!(help.contains(word), "{help}");
    }
}
