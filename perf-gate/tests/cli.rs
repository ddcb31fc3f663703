//! The command line of `perf-gate`.

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
fn command_line_is_well_formed() {
    Cli::command().debug_assert();
}

/// Collects the letters of options in a command and its subcommands, each with the options that use it.
fn letters(command: &clap::Command, found: &mut BTreeMap<char, BTreeSet<String>>) {
    for option in command.get_arguments() {
        if let (Some(letter), Some(name)) = (option.get_short(), option.get_long()) {
            // The single-purpose programs use another name for the same option.
            let name = name.strip_suffix("-csv").unwrap_or(name);
            let name = name.strip_suffix("-ref").unwrap_or(name);
            found.entry(letter).or_default().insert(name.to_owned());
        }
    }
    command
        .get_subcommands()
        .for_each(|below| letters(below, found));
}

#[test]
fn command_before_dashes_has_a_hint() {
    let said = |line: &[&str]| String::from_utf8(run(line).stderr).unwrap();
    let tip = "tip: pass the command after `--`: `-- sh …`";
    assert!(said(&["init", "sh", "bench.sh"]).contains(tip));
    assert!(!said(&["init", "--nosuch"]).contains("write the command"));
}

#[test]
fn letter_is_same_option_in_all_subcommands() {
    let mut found = BTreeMap::new();
    letters(&Cli::command(), &mut found);
    found.retain(|_, names| names.len() > 1);
    assert_eq!(found, BTreeMap::new());
}

#[test]
fn every_tool_is_a_subcommand() {
    let always = [
        "run", "compare", "explain", "doctor", "init", "why", "bisect", "accept", "baseline",
        "backfill", "history", "page", "site", "measure", "formats", "specs", "packages", "ci",
    ];
    let network: &[&str] = if cfg!(feature = "github") {
        &["comment"]
    } else {
        &[]
    };
    let expected = always.iter().chain(network).chain(&["completions", "man"]);
    let expected: BTreeSet<String> = expected.map(ToString::to_string).collect();
    assert_eq!(tools().into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn help_groups_subcommands() {
    insta::assert_snapshot!(out(&["--help"]), @"
    Catch performance regressions in pull requests

    Usage: perf-gate <COMMAND>

    Measure:
      run       Measure this checkout and its base alternately, and compare them
      compare   Compare two results, or a result with a baseline
      explain   Explain one benchmark's verdict: the rule, the numbers, the limit
      doctor    Find the smallest slowdown that this machine can detect
      init      Write perf-gate.toml and a GitHub workflow for a benchmark

    Find:
      why       Find the functions that made a benchmark slower
      bisect    Find the commit that made a benchmark slower
      accept    Accept slowdowns of the last run

    Keep:
      baseline  Write benchmark results as a baseline CSV
      backfill  Measure earlier commits to get a history
      history   Export all versions of a baseline for a database
      page      Update the tables in a Markdown page
      site      Write a static site with a chart for each benchmark

    Tools:
      measure   Measure with one instrument: pairs, instruction counts, latency, …
      formats   List the known formats, or describe a new one
      specs     Describe this machine without identifying it
      packages  Check that every file pins the same versions of the libraries you benchmark against

    CI:
      ci        Post the report, answer comments, commit refreshed baselines

    Examples:
      perf-gate run -- go test -bench .
      perf-gate run --base main -- cargo bench
      perf-gate compare before.txt after.txt
      perf-gate completions bash

    `perf-gate COMMAND -h` shows the main options of a command, `--help` shows all.

    Exit codes: 0 passed; 1 the gate failed; 2 wrong usage or an error; 3 no answer, or an outdated page
    ");
    let short = out(&["-h"]);
    assert!(
        !short.contains("CI:") && short.contains("Tools:"),
        "{short}"
    );
}

#[cfg(feature = "github")]
#[test]
fn comment_is_also_a_top_level_subcommand() {
    assert!(out(&["comment", "--help"]).contains("--body-file"));
}

#[test]
fn replaced_option_has_a_hint() {
    let output = run(&["compare", "a.csv", "b.csv", "--unity-version=6000"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("`--filter 'platform=*Unity VERSION*'`"),
        "{said}"
    );
}

#[test]
fn unknown_config_key_is_answered_with_all_keys() {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), "limit = \"5%\"\n").unwrap();
    let output = run(&[
        "run",
        "--config",
        config.path().to_str().unwrap(),
        "--",
        "true",
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("`gates`, ") && !said.contains('…') && !said.contains("more"),
        "{said}"
    );
}

#[test]
fn compare_takes_two_files_and_fails_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let go = |time: u32| {
        format!(
            "pkg: example.org/p\nBenchmarkParse-8 100 {time} ns/op\nBenchmarkPrint-8 100 50 ns/op\nPASS\n"
        )
    };
    std::fs::write(path("base.txt"), go(100)).unwrap();
    std::fs::write(path("head.txt"), go(300)).unwrap();
    std::fs::write(path("base.csv"), "benchmark,time_ns\nparse,100\n").unwrap();
    std::fs::write(path("head.csv"), "benchmark,time_ns\nparse,300\n").unwrap();
    let code = |line: &[&str]| run(line).status.code();
    for kind in ["txt", "csv"] {
        let [base, head] = ["base", "head"].map(|name| path(&format!("{name}.{kind}")));
        assert_eq!(code(&["compare", &base, &head]), Some(1), "{kind}");
        assert_eq!(code(&["compare", &base, &head, "--exit-zero"]), Some(0));
        assert_eq!(code(&["compare", &base, &base]), Some(0), "{kind}");
    }
    let [base, head] = ["base.txt", "head.txt"].map(path);
    let filtered = |glob: &str| code(&["compare", &base, &head, "--filter", glob]);
    assert_eq!(filtered("benchmark=*Print"), Some(0));
    assert_eq!(filtered("benchmark=*Parse"), Some(1));
    assert_eq!(filtered("benchmark=Parse"), Some(2), "nothing matches");
    assert_eq!(filtered("name=Parse"), Some(2), "no such key");
}

#[test]
#[cfg(unix)]
fn link_name_selects_program() {
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
        // Two programs call GitHub, and are missing in a build without network code.
        let is_there = cfg!(feature = "github")
            || !["upsert-pr-comment", "publish-perf-refresh"].contains(&name);
        assert_eq!(
            said.split_whitespace().next(),
            Some(if is_there { name } else { "perf-gate" })
        );
    }
}

#[test]
fn help_mentions_only_perf_gate() {
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
            options <= 16 && help.lines().count() <= 40,
            "{options}: {help}"
        );
    }
}

#[test]
fn short_help_of_run_has_filters_and_limits() {
    let help = out(&["run", "-h"]);
    for text in ["--filter <KEY=GLOB>", "more than 2%", "33% worse"] {
        assert!(help.contains(text), "{text}: {help}");
    }
}

#[test]
fn only_main_command_has_version() {
    assert_eq!(
        out(&["-V"]),
        format!("perf-gate {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["compare", "-V"]).status.code(), Some(2));
}

#[test]
fn completions_and_manual_pages_include_every_tool() {
    let script = out(&["completions", "bash"]);
    let folder = tempfile::tempdir().unwrap();
    out(&["man", folder.path().to_str().unwrap()]);
    let command = Cli::command();
    let shown = command.get_subcommands().filter(|tool| !tool.is_hide_set());
    for tool in shown.map(clap::Command::get_name) {
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
    assert!(String::from_utf8_lossy(&refused.stderr).contains("use `perf-gate completions bash`"));
}

#[test]
fn compare_takes_input_and_baseline() {
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
    let line = ["compare", "--input", &log, "--baseline-csv", &baseline];
    let explained = out(&[&line[..], &["--explain", "Decode", "--exit-zero"]].concat());
    assert!(explained.contains("decodesPerSecond"), "{explained}");
    let lines = ["--output-format", "lines", "--exit-zero"];
    let compared = out(&[&line[..], &lines].concat());
    assert!(compared.contains("regressed=true"), "{compared}");
    assert_eq!(
        run(&["compare", "--baseline-csv", &baseline]).status.code(),
        Some(2)
    );
}

#[test]
fn quiet_applies_to_subcommand() {
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
fn action_without_network_code_fails_with_hint() {
    for line in [
        &["ci", "step", "plan"][..],
        &["ci", "comment", "--key", "perf"],
    ] {
        let output = run(line);
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("built without GitHub support"), "{errors}");
    }
}
