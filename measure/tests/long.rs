//! Benchmarks with operations longer than a scheduler time slice, with a script that prints Go results.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// Builds a test binary whose benchmark does `WORK` in each iteration, and prints meaningless times.
const GO: &str = r#"#!/bin/sh
case "$1 $2" in
  env*) printf '%s\n\n' "$PWD" ;;
  list*) printf 'example.org/p\t%s\n' "$PWD" ;;
  "test -c") cp binary "$4"; chmod +x "$4" ;;
esac
"#;
const BINARY: &str = r#"#!/bin/sh
echo "$*" >>launches
at=0
while read -r _; do at=$((at + 1)); done <launches
echo "pkg: example.org/p"
count=${*##*-test.benchtime=} count=${count%% *}
case "$count" in *x) count=${count%x} ;; *) count=9 ;; esac
case "$*" in *"(BenchmarkShort)"*) count=0 ;; esac
while [ "$count" -gt 0 ]; do
  count=$((count - 1))
  WORK
done
if [ "$at" -lt 30 ] && [ $((at % 2)) = 0 ]; then time=40000000; else time=20000000; fi
case "$*" in *"(BenchmarkLong)"*) ;; *) echo "BenchmarkShort-2 	100	5.0 ns/op" ;; esac
case "$*" in *"(BenchmarkShort)"*) exit ;; esac
for sample in 1 2 3 4 5; do echo "BenchmarkLong-2 	100	$time ns/op"; done
"#;

fn pairs(work: &str) -> (Output, Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("binary"), BINARY.replace("WORK", work)).unwrap();
    let go = folder.path().join("go");
    fs::write(&go, GO).unwrap();
    fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command
        .current_dir(folder.path())
        .args(["pairs", "--seed", "1"]);
    let output = command
        .args(["--", "./go", "test", "-bench", "."])
        .output()
        .unwrap();
    let launches = fs::read_to_string(folder.path().join("launches")).unwrap();
    let rows = fs::read_to_string(folder.path().join("current.csv")).unwrap();
    (output, launches.lines().map(str::to_owned).collect(), rows)
}

const COMPUTE: &str = "at_work=0; while [ $at_work -lt 4000 ]; do at_work=$((at_work + 1)); done";

#[test]
fn long_operations_are_judged_by_the_processor_time_of_iterations() {
    let (output, launches, rows) = pairs(COMPUTE);
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("is judged by wall time") {
        eprintln!("skipped: the machine is so busy that a loop seems to wait");
        return;
    }
    assert!(
        errors.contains("`example.org/p.BenchmarkLong` takes 20 ms per operation"),
        "{errors}"
    );
    let alone = |launch: &&String| launch.contains("-test.count=1 -test.bench=^(BenchmarkLong)$");
    let alone: Vec<&String> = launches.iter().filter(alone).collect();
    let fewer = alone
        .iter()
        .filter(|launch| launch.contains("-test.benchtime=2x -test.count=1"))
        .count();
    assert!(
        fewer >= 2 * (3 + 8) && alone.len() == 2 * fewer,
        "{launches:?}"
    );
    let of_long: Vec<&str> = rows
        .lines()
        .filter(|row| row.contains("BenchmarkLong"))
        .collect();
    assert!(
        of_long.len() >= 8 && rows.lines().next().unwrap().contains("cpuTimeNs"),
        "{rows}"
    );
    let methodology = "one build a side, processor time of a fixed number of iterations";
    assert!(
        of_long.iter().all(|row| row.contains(methodology)),
        "{rows}"
    );
    assert!(errors.contains("BenchmarkLong CPU time:"), "{errors}");
}

#[test]
fn long_operations_that_wait_are_judged_by_wall_time() {
    let (output, launches, rows) = pairs("sleep 0.003");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("`example.org/p.BenchmarkLong` has long operations, but is judged"),
        "{errors}"
    );
    assert!(
        launches
            .iter()
            .any(|launch| launch.contains("-test.benchtime=2x")),
        "{launches:?}"
    );
    assert!(
        !rows.contains("cpuTimeNs") && errors.contains("BenchmarkLong ns/op:"),
        "{errors}"
    );
}

/// Writes results like pytest-codspeed, of two long operations. Process start takes longer than the rounds.
const PYTEST: &str = r#"#!/bin/sh
echo "$*" >>launches
work() { at=0; while [ $at -lt "$1" ]; do at=$((at + 1)); done; }
case "$*" in *max-time=1000000*) rounds=${*##*max-rounds=}; work 200000; work $((${rounds%% *} * 5000)) ;; esac
time=2e7
if [ $(($(wc -l <launches) % 2)) = 0 ]; then time=4e7; fi
stats() { printf '{"name":"%s","uri":"t/a.py::%s","stats":{"min_ns":%s,"q1_ns":%s,"mean_ns":%s}}' "$1" "$1" $time $time $time; }
case "$*" in *::first) all=$(stats first) ;; *::second) all=$(stats second) ;; *) all=$(stats first),$(stats second) ;; esac
mkdir -p "$CODSPEED_PROFILE_FOLDER/results"
printf '{"creator":{"name":"pytest-codspeed"},"python":{},"instrument":{"type":"walltime"},"benchmarks":[%s]}' \
  "$all" >"$CODSPEED_PROFILE_FOLDER/results/1.json"
"#;

#[test]
fn pytest_start_is_only_tried_with_one_benchmark() {
    let folder = tempfile::tempdir().unwrap();
    let pytest = folder.path().join("pytest");
    fs::write(&pytest, PYTEST).unwrap();
    fs::set_permissions(&pytest, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command
        .current_dir(folder.path())
        .args(["pairs", "--seed", "1", "--time-limit", "100s"]);
    let output = command
        .args(["--", "./pytest", "--codspeed", "t"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let launches = fs::read_to_string(folder.path().join("launches")).unwrap();
    let tried: Vec<&str> = launches
        .lines()
        .filter(|launch| launch.contains("max-time=1000000"))
        .collect();
    // On a busy machine, the first difference can hide the start. Then another one is tried.
    assert!(
        !tried.is_empty() && tried.iter().all(|launch| launch.ends_with("::first")),
        "{tried:?} {errors}"
    );
    assert!(
        errors.contains("2 benchmarks (`t/a.py::first`, `t/a.py::second`) have long operations"),
        "{errors}"
    );
}

#[test]
fn long_operations_stay_with_as_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("binary"), BINARY.replace("WORK", ":")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command.current_dir(folder.path()).args([
        "pairs",
        "--seed",
        "1",
        "--as-is",
        "--time-limit",
        "2s",
    ]);
    command
        .args(["--", "sh", "binary", "-test.bench=."])
        .output()
        .unwrap();
    let launches = fs::read_to_string(folder.path().join("launches")).unwrap();
    assert!(
        launches.lines().all(|launch| launch == "-test.bench=."),
        "{launches}"
    );
}
