//! The command line of the one program.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output};

use clap::CommandFactory;
use perf_gate::cli::Cli;

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
    command
        .args(arguments)
        .env("COLUMNS", "100")
        .env_remove("GITHUB_TOKEN")
        .env_remove("GH_TOKEN");
    command.output().expect("it runs")
}

fn out(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn tools() -> Vec<String> {
    Cli::command()
        .get_subcommands()
        .map(|tool| tool.get_name().to_owned())
        .collect()
}

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}

/// Letters of options with the options that they stand for, of a command and of all below it.
fn letters(command: &clap::Command, found: &mut BTreeMap<char, BTreeSet<String>>) {
    for option in command.get_arguments() {
        if let (Some(letter), Some(name)) = (option.get_short(), option.get_long()) {
            // One option under the name that it has in the scripts.
            let name = name.strip_suffix("-csv").unwrap_or(name);
            found.entry(letter).or_default().insert(name.to_owned());
        }
    }
    command
        .get_subcommands()
        .for_each(|below| letters(below, found));
}

#[test]
fn a_command_before_the_dashes_has_a_tip() {
    let said = |line: &[&str]| String::from_utf8(run(line).stderr).unwrap();
    let tip = "tip: pass the command after `--`: `-- sh …`";
    assert!(said(&["init", "--workflow", "sh", "bench.sh"]).contains(tip));
    assert!(!said(&["init", "--nosuch"]).contains("write the command"));
}

#[test]
fn a_letter_is_the_same_option_everywhere() {
    let mut found = BTreeMap::new();
    letters(&Cli::command(), &mut found);
    found.retain(|_, names| names.len() > 1);
    assert_eq!(found, BTreeMap::new());
}

#[test]
fn every_tool_is_a_subcommand() {
    let network: &[&str] = if cfg!(feature = "github") {
        &["comment", "command", "refresh"]
    } else {
        &[]
    };
    let always = [
        "run", "init", "doctor", "accept", "bisect", "backfill", "why", "compare", "explain",
        "baseline", "page", "site", "specs", "packages", "history", "formats", "measure",
    ];
    let expected = always
        .iter()
        .chain(network)
        .chain(&["action", "completions", "man"]);
    assert_eq!(
        tools(),
        expected.map(ToString::to_string).collect::<Vec<_>>()
    );
}

#[test]
#[cfg(unix)]
fn link_is_the_program_that_it_is_named_after() {
    let script = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../.github/release/pack"
    ))
    .unwrap();
    let names = script
        .split_once("links=(")
        .unwrap()
        .1
        .split_once(')')
        .unwrap()
        .0;
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<&str> = names.split_whitespace().collect();
    assert_eq!(names.len(), 8, "{names:?}");
    for name in names {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_perf-gate"), &link).unwrap();
        let output = Command::new(&link).arg("--version").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        // Two of them reach GitHub, and a program without that does not have them.
        let is_there = cfg!(feature = "github")
            || !["upsert-pr-comment", "publish-perf-refresh"].contains(&name);
        assert_eq!(
            said.split_whitespace().next(),
            Some(if is_there { name } else { "perf-gate" })
        );
    }
}

#[test]
fn help_speaks_of_this_program_alone() {
    let old = [
        "extract-perf",
        "render-perf",
        "collect-machine",
        "validate-comparison",
        "upsert-pr",
    ];
    for tool in tools() {
        let help = out(&[&tool, "--help"]);
        assert!(help.contains(&format!("perf-gate {tool}")), "{help}");
        assert!(old.iter().all(|name| !help.contains(name)), "{help}");
        assert!(!help.contains("--completions"), "{help}");
    }
}

#[test]
fn short_help_is_one_screen() {
    for tool in tools() {
        let help = out(&[&tool, "-h"]);
        let options = help
            .lines()
            .filter(|line| line.starts_with("  -") || line.starts_with("      --"))
            .count();
        assert!(
            options <= 16 && help.lines().count() <= 50,
            "{options}: {help}"
        );
    }
}

#[test]
fn there_is_one_version() {
    assert_eq!(
        out(&["-V"]),
        format!("perf-gate {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["compare", "-V"]).status.code(), Some(2));
}

#[test]
fn completions_and_manual_pages_have_every_tool() {
    let script = out(&["completions", "bash"]);
    let folder = tempfile::tempdir().unwrap();
    out(&["man", folder.path().to_str().unwrap()]);
    for tool in tools()
        .iter()
        .filter(|tool| !["completions", "man"].contains(&tool.as_str()))
    {
        assert!(
            script.contains(&format!("perf__gate__subcmd__{tool}"))
                || script.contains(&format!("perf__gate__{tool}")),
            "{tool}"
        );
        assert!(
            folder.path().join(format!("perf-gate-{tool}.1")).is_file(),
            "{tool}"
        );
    }
    let refused = run(&["doctor", "--completions", "bash"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&refused.stderr)
            .contains("`perf-gate completions bash` prints the script")
    );
}

#[test]
fn explain_takes_its_benchmark_first() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |rate: u32| {
        format!(
            "scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1111111,-1,{rate}\n"
        )
    };
    let [log, baseline] =
        ["run.log", "base.csv"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&log, rows(500)).unwrap();
    std::fs::write(&baseline, rows(1000)).unwrap();
    let explained = out(&[
        "explain",
        "Decode",
        "--input",
        &log,
        "--baseline-csv",
        &baseline,
    ]);
    assert!(explained.contains("decodesPerSecond"), "{explained}");
    let compared = out(&[
        "compare",
        "--input",
        &log,
        "--baseline-csv",
        &baseline,
        "--quiet",
    ]);
    assert!(compared.contains("regressed=true"), "{compared}");
    assert_eq!(
        run(&["explain", "--input", &log, "--baseline-csv", &baseline])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn quiet_reaches_the_subcommand() {
    let folder = tempfile::tempdir().unwrap();
    let [log, csv] =
        ["run.log", "base.csv"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(
        &log,
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1,-1,5\n",
    )
    .unwrap();
    let said = |options: &[&str]| {
        let line = [
            &["baseline", "--input", &log, "--output", &csv, "--replace"],
            options,
        ]
        .concat();
        String::from_utf8(run(&line).stderr).unwrap()
    };
    assert!(said(&[]).contains("note:"), "{}", said(&[]));
    assert_eq!(said(&["--quiet"]), "");
}

#[cfg(not(feature = "github"))]
#[test]
fn without_network_code_the_action_says_so() {
    let output = run(&["action", "comment"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("built without GitHub support"), "{said}");
}
