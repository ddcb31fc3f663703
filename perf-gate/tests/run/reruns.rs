//! Reruns of undecided benchmarks when comparing with stored values.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
#[cfg(target_os = "linux")]
use std::process::Output;

use crate::run::project::{BENCH, FAST, Project, SLOW};

#[test]
fn single_slow_run_is_not_confirmed() {
    let project = Project::new(1000);
    project.store_baseline();
    // Only the next run is slow.
    let slow = BENCH.replace(
        "rate=$(($(cat rate)",
        "rate=$(($(if [ $(wc -l <runs) -eq 2 ]; then echo 300; else cat rate; fi)",
    );
    project.write("bench.sh", &slow);
    let output = project.ends(&["run"], 0);
    let (report, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        said.contains("unconfirmed: Decode") && report.contains("300"),
        "{said}{report}"
    );
    assert!(project.runs() >= 6, "a single rerun decides nothing");
}

#[test]
fn noisy_baseline_causes_reruns() {
    let project = Project::new(1000);
    let rates = [600, 2900, 1100, 500, 3400, 900, 1600, 700, 2200, 1000];
    let mut baseline = "scenario,platform,commit,runIndex,decodesPerSecond\n".to_owned();
    for (at, rate) in rates.iter().enumerate() {
        writeln!(baseline, "Decode,linux,,{at},{rate}").unwrap();
    }
    project.write("perf-baseline.csv", &baseline);
    let output = project.perf_gate(&["run", "--", "sh", "bench.sh"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("baseline too noisy to detect a 2× slowdown in 1 benchmark"),
        "{said}"
    );
    assert!(project.runs() >= 5, "{} runs", project.runs());
    // `--no-confirm` prevents reruns.
    let runs = project.runs();
    project.perf_gate(&["run", "--no-confirm", "--", "sh", "bench.sh"]);
    assert_eq!(project.runs(), runs + 1);
}

#[test]
fn new_benchmark_is_not_rerun() {
    let project = Project::new(1000);
    project.perf_gate(&["run", "--", "sh", "bench.sh"]);
    assert_eq!(project.runs(), 1);
}

#[test]
fn single_fast_run_is_not_an_improvement() {
    let project = Project::new(1000);
    project.store_baseline();
    let fast = BENCH.replace(
        "rate=$(($(cat rate)",
        "rate=$(($(if [ $(wc -l <runs) -eq 2 ]; then echo 3000; else cat rate; fi)",
    );
    project.write("bench.sh", &fast);
    let output = project.ends(&["run"], 0);
    let (report, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        said.contains("unconfirmed: Decode") && !report.contains("1 faster"),
        "{said}{report}"
    );
    project.rate(3000);
    let output = project.ends(&["run"], 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 faster"));
}

#[test]
fn config_selects_comparison_with_stored_values() {
    let project = Project::new(1000);
    project.commit();
    project.store_baseline();
    project.commit();
    project.rate(FAST);
    project.commit();
    let baseline = project.ends(&["run"], 0);
    let table = String::from_utf8_lossy(&baseline.stdout);
    assert!(
        !table.contains("paired") && !table.contains("pairs"),
        "{table}"
    );
    project.ends(&["run", "--base", "HEAD"], 0);
    // `explain` uses the last run without measuring.
    let runs = project.runs();
    project.ends(&["explain", "Deco"], 0);
    project.ends(&["explain", "Encode"], 2);
    assert_eq!(project.runs(), runs);
}

#[test]
fn unconfirmed_regression_is_rerun() {
    let project = Project::new(1000);
    for at in 0..12 {
        project.rate(1000 + at * 7 % 5);
        project.ends(
            &["run", "--save", "--no-confirm", "--", "sh", "bench.sh"],
            0,
        );
        project.commit();
    }
    project.rate(SLOW);
    let stored = [
        "run",
        "--baseline",
        "perf-baseline.csv",
        "--",
        "sh",
        "bench.sh",
    ];
    project.ends(&[&stored[..1], &["--no-confirm"], &stored[1..]].concat(), 0);
    project.ends(&stored, 1);
    // If the baseline file was deleted, HEAD's version is used.
    fs::remove_file(project.path().join("perf-baseline.csv")).unwrap();
    project.ends(&stored, 1);
}

/// Prints two Go sub-benchmarks, or only one. The time of `Read/all` comes from a file.
const GO: &str = r#"#!/bin/sh
case "$1 $2" in "test -c" | env* | list*) exit 1 ;; esac
time=$(cat time)
echo "pkg: example.org/p"
for sample in 1 2 3 4 5; do
  case "$*" in *"(some)"*) ;; *) echo "BenchmarkRead/all-2 	100	$time.0 ns/op" ;; esac
  case "$*" in *"(all)"*) ;; *) echo "BenchmarkRead/some-2 	100	50.0 ns/op" ;; esac
done
"#;

#[test]
fn go_sub_benchmark_is_rerun_by_name() {
    let project = Project::new(1000);
    project.write("go", GO);
    fs::set_permissions(project.path().join("go"), fs::Permissions::from_mode(0o755)).unwrap();
    project.write("time", "100");
    let run = |more: &[&str], code: i32| {
        project.ends(
            &[&["run"], more, &["--", "./go", "test", "-bench", "."]].concat(),
            code,
        );
    };
    run(&["--save", "--no-confirm"], 0);
    project.commit();
    project.write("time", "9000000");
    let stored = ["--baseline", "perf-baseline.csv"];
    run(&[&stored[..], &["--no-confirm"]].concat(), 0);
    run(&stored, 1);
}

/// Runs `perf-gate` with a replaced file in `/proc`.
#[cfg(target_os = "linux")]
#[expect(
    clippy::print_stderr,
    reason = "a skipped test says so where somebody looks"
)]
fn under_load(project: &Project, [file, text]: [&str; 2], arguments: &[&str]) -> Option<Output> {
    project.write("load", text);
    let unshare = |script: &str| {
        let mut command = project.command("unshare");
        let covered = format!("mount --bind load /proc/{file} && {script}");
        command.args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            &covered,
            "sh",
        ]);
        command
    };
    if !unshare("true")
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("skipped: this system does not allow unprivileged namespaces");
        return None;
    }
    Some(
        unshare("exec \"$@\"")
            .arg(env!("CARGO_BIN_EXE_perf-gate"))
            .args(arguments)
            .output()
            .unwrap(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn busy_machine_causes_a_note() {
    let project = Project::new(1000);
    let said = |load, arguments: &[&str]| {
        let text = format!("{load} 1.00 1.00 1/100 4711\n");
        let output = under_load(&project, ["loadavg", &text], arguments)?;
        Some(
            String::from_utf8_lossy(&output.stderr)
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    };
    let busy = "warning: the machine is busy: a load of 4711.0 on ";
    project.store_baseline();
    project.rate(600);
    if said("4711.00", &["run"]).is_none() {
        return;
    }
    let run = said("4711.00", &["run"]).unwrap();
    let unconfirmed = run
        .iter()
        .position(|line| line.contains("unconfirmed: Decode"));
    assert!(run[0].starts_with(busy) && unconfirmed.is_some(), "{run:?}");
    let quiet = said("0.50", &["run"]).unwrap();
    assert!(!quiet.iter().any(|line| line.contains("busy")), "{quiet:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn background_load_cannot_confirm_a_slowdown() {
    let project = Project::new(FAST);
    project.store_baseline();
    // Keep the number of processors, because it is part of the machine type.
    let processors = std::thread::available_parallelism().unwrap().get();
    let on = |runnable: usize, rate: u32| {
        project.rate(rate);
        let runs = project.runs();
        let mut text = "cpu  1 0 1 1 0 0 0 0 0 0\n".to_owned();
        for number in 0..processors {
            writeln!(text, "cpu{number} 1 0 1 1 0 0 0 0 0 0").unwrap();
        }
        writeln!(text, "procs_running {runnable}").unwrap();
        let output = under_load(&project, ["stat", &text], &["run"])?;
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        Some((output.status.code(), texts.concat(), project.runs() - runs))
    };
    // On an idle machine, the rerun confirms the slowdown.
    let Some((code, said, runs)) = on(1, 600_000) else {
        return;
    };
    assert_eq!(code, Some(1), "{said}");
    assert!(runs >= 5, "{said}");
    let busy = "background load could explain slowdowns up to ";
    let (code, said, runs) = on(4 * processors, 600_000).unwrap();
    assert_eq!(
        (code, runs),
        (Some(0), 3),
        "two reruns show the load: {said}"
    );
    assert!(
        said.contains(busy) && said.contains("1 of 1 benchmark inconclusive"),
        "{said}"
    );
    let (code, said, _) = on(4 * processors, SLOW).unwrap();
    assert_eq!(code, Some(1), "{said}");
    assert!(!said.contains(busy), "{said}");
}
