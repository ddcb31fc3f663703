//! `init` writes and completes files.

use std::fs;

use crate::run::project::{BENCH, FAST, Project, SLOW};

#[test]
fn init_runs_once_and_writes_config_and_workflow() {
    let project = Project::new(FAST);
    let output = project.ends(&["init", "--", "sh", "bench.sh"], 0);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"
    note: running the benchmark; its output is in `.perf-gate/run-0.log`
    note: read 1 benchmark (csv)
    note: wrote `perf-gate.toml` and `.github/workflows/perf.yml`, which measures pull requests against their base; add the setup steps that it needs, because none were found, then commit both
    note: `perf-gate run` measures your uncommitted changes and HEAD alternately
    ");
    assert_eq!(
        project.read("perf-gate.toml"),
        "[run]\ncommand = \"sh bench.sh\"\n"
    );
    let workflow = project.read(".github/workflows/perf.yml");
    assert!(workflow.contains("run: \"sh bench.sh\""), "{workflow}");
    assert_eq!(project.runs(), 1);
    assert!(!project.path().join("perf-baseline.csv").exists());
    project.commit();
    project.ends(&["run"], 0);
    project.rate(SLOW);
    project.ends(&["run"], 1);
    // Existing files are not replaced.
    let before = project.read("perf-gate.toml");
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
    assert_eq!(project.read("perf-gate.toml"), before);
}

#[test]
fn init_keeps_a_config_that_was_created_meanwhile() {
    let project = Project::new(1000);
    project.write(
        "bench.sh",
        &format!("{BENCH}echo '# mine' >perf-gate.toml\n"),
    );
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
    assert_eq!(project.read("perf-gate.toml"), "# mine\n");
}

#[test]
fn init_adds_to_a_config_without_a_benchmark() {
    let project = Project::new(1000);
    project.write("bench.sh", "echo 'parse    105.5 MB/s'\n");
    let formats = "[[formats]]\nname = \"own\"\nlines = ['^(?<name>\\w+) +(?<value>[0-9.]+) (?<unit>MB/s)$']\n";
    project.write("perf-gate.toml", formats);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    assert!(
        project
            .read("perf-gate.toml")
            .starts_with(&format!("{formats}\n[run]\ncommand = \"sh bench.sh\"\n"))
    );
    project.ends(&["run"], 0);
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
}

#[test]
fn init_completes_existing_config_tables() {
    let project = Project::new(1000);
    let own = "[ run ] # by hand\n# long enough\ntime-limit = \"1m\"\n\n[files]\npage = \"PERF.md\"\n\n[deltas]\ntolerance = 0.03\n";
    project.write("perf-gate.toml", own);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let added = own.replace("\"1m\"\n", "\"1m\"\ncommand = \"sh bench.sh\"\n");
    assert_eq!(project.read("perf-gate.toml"), added);
    project.ends(&["run"], 0);
}

#[test]
fn init_adds_to_tables_in_any_notation() {
    for (own, added) in [
        (
            "run = { time-limit = \"1m\" }\n",
            "run = { time-limit = \"1m\" , command = \"sh bench.sh\" }\n",
        ),
        (
            "run.time-limit = \"1m\"\n",
            "run.time-limit = \"1m\"\nrun.command = \"sh bench.sh\"\n",
        ),
    ] {
        let project = Project::new(1000);
        project.write("perf-gate.toml", own);
        project.ends(&["init", "--", "sh", "bench.sh"], 0);
        assert_eq!(project.read("perf-gate.toml"), added);
        project.ends(&["run"], 0);
    }
    let project = Project::new(1000);
    let own = "run = { command = \"old\" }\n";
    project.write("perf-gate.toml", own);
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
    assert_eq!(project.read("perf-gate.toml"), own);
}

#[test]
fn output_is_shown_only_if_benchmark_fails() {
    let said = |bench: &str, code: i32| {
        let project = Project::new(1000);
        project.write("bench.sh", bench);
        let output = project.ends(&["init", "--", "sh", "bench.sh"], code);
        String::from_utf8(output.stderr).unwrap()
    };
    let talks = BENCH.replace("echo run", "echo building >&2; echo run");
    assert!(!said(&talks, 0).contains("building"));
    let fails = talks.replace("rate=", "echo broken >&2; exit 1\nrate=");
    assert!(said(&fails, 2).contains("broken"), "{}", said(&fails, 2));
}

#[test]
fn unknown_benchmarks_and_wrong_folders_fail_before_running() {
    let project = Project::new(1000);
    project.store_baseline();
    let runs = project.runs();
    let refused = |arguments: &[&str]| {
        String::from_utf8_lossy(&project.ends(arguments, 2).stderr).into_owned()
    };
    let again = refused(&["init"]);
    assert!(
        again.contains("`perf-gate.toml` already has a benchmark\nhint: `perf-gate run` uses it"),
        "{again}"
    );
    let why = refused(&["why", "Encode"]);
    assert!(
        why.contains("baseline: no benchmark matches `Encode`\nhint: known names: `Decode`"),
        "{why}"
    );
    fs::create_dir(project.path().join("src")).unwrap();
    let inner = project
        .command(env!("CARGO_BIN_EXE_perf-gate"))
        .arg("run")
        .current_dir(project.path().join("src"))
        .output();
    let inner = String::from_utf8_lossy(&inner.unwrap().stderr).into_owned();
    assert!(
        inner.contains("perf-gate.toml` is in a parent folder: run this there"),
        "{inner}"
    );
    assert_eq!(project.runs(), runs);
}

/// Prints Google Benchmark's JSON if requested. The comment makes the script look like a program that links the library.
const GOOGLE_BENCHMARK: &str = r#"#!/bin/sh
# benchmark_filter
case "$*" in
  *--benchmark_format=json*) printf '{"context":{"caches":[]},"benchmarks":[{"name":"BM_Sum","run_name":"BM_Sum","run_type":"iteration","repetitions":1,"repetition_index":0,"threads":1,"iterations":9,"real_time":100,"cpu_time":100,"time_unit":"ns"}]}' ;;
  *) printf -- '-----------------------------------------------------\nBenchmark           Time             CPU   Iterations\n-----------------------------------------------------\nBM_Sum            100 ns          100 ns      7000000\n' ;;
esac
"#;

#[test]
fn library_in_the_executable_is_recognised_without_init() {
    let project = Project::new(1000);
    project.write("bench", GOOGLE_BENCHMARK);
    let made_executable = project.command("chmod").args(["+x", "bench"]).status();
    assert!(made_executable.unwrap().success());
    project.commit();
    project.ends(&["run", "--base-ref", "HEAD", "--", "./bench"], 0);
}

#[test]
fn stored_format_matches_next_run() {
    let project = Project::new(1000);
    project.write("bench", GOOGLE_BENCHMARK);
    let made_executable = project.command("chmod").args(["+x", "bench"]).status();
    assert!(made_executable.unwrap().success());
    project.ends(&["init", "--", "./bench"], 0);
    let config = project.read("perf-gate.toml");
    assert!(
        config.contains("format = \"google-benchmark\"\nmeasure = \"quickest\"\n"),
        "{config}"
    );
    project.ends(&["run"], 0);
    project.commit();
    project.ends(&["run", "--base-ref", "HEAD"], 0);
}

#[test]
fn workflow_contains_project_setup_steps() {
    let project = Project::new(1000);
    project.write("go.mod", "module example.com/decode\n");
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let workflow = project.read(".github/workflows/perf.yml");
    assert!(
        workflow.contains("setup-go") && workflow.contains("run: \"sh bench.sh\""),
        "{workflow}"
    );
}

#[test]
fn workflow_ignores_untracked_files() {
    let project = Project::new(1000);
    project.write(".gitignore", "runs\npackage-lock.json\n");
    for file in ["package.json", "package-lock.json"] {
        project.write(file, "{}");
    }
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let workflow = project.read(".github/workflows/perf.yml");
    assert!(
        workflow.contains("      - run: npm install\n"),
        "{workflow}"
    );
}

#[test]
fn command_without_output_is_timed() {
    for command in [
        &["sleep", "0.01"][..],
        &["sh", "-c", "sleep 0.01 >/dev/null"],
    ] {
        let project = Project::new(1000);
        project.ends(&[&["init", "--"], command].concat(), 0);
        let config = project.read("perf-gate.toml");
        assert!(config.contains("measure = \"process\""), "{config}");
        project.ends(&["run", "--save"], 0);
        assert!(project.read("perf-baseline.csv").contains("sleep 0.01"));
        project.perf_gate(&["run"]);
    }
}

#[test]
fn subfolder_project_gets_workflow_in_repository_root() {
    let project = Project::new(1000);
    fs::create_dir(project.path().join("sub")).unwrap();
    project.write("sub/bench.sh", BENCH);
    project.write("sub/rate", "1000");
    let output = project
        .command(env!("CARGO_BIN_EXE_perf-gate"))
        .args(["init", "--", "sh", "bench.sh"])
        .current_dir(project.path().join("sub"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let workflow = project.read(".github/workflows/perf.yml");
    assert!(
        workflow.contains("working-directory: \"sub\""),
        "{workflow}"
    );
    assert!(project.path().join("sub/perf-gate.toml").is_file());
}
