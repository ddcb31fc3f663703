//! Pairs measured with real benchmark tools, if installed: `measure pairs` and a comparison of its rows agree.
#![cfg(unix)]

use std::process::{Command, Stdio};

use end_to_end::{Project, binaries};

/// Whether a tool is installed; otherwise, the test is skipped and prints that.
fn is_installed(tool: &str, arguments: &[&str]) -> bool {
    is_done(Command::new(tool).args(arguments), tool)
}

#[expect(
    clippy::print_stderr,
    reason = "a skipped test says so where somebody looks"
)]
fn is_done(command: &mut Command, tool: &str) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_done = status.is_ok_and(|status| status.success());
    if !is_done {
        eprintln!("skipped: `{tool}` is not installed");
    }
    is_done
}

/// Measures pairs of the current folder and the folder `base`, then compares the rows again. The head does four times
/// as much work, so that noise cannot hide it.
fn assert_regressed(project: &Project, options: &[&str], command: &[&str]) {
    let mut pairs = Command::new(binaries::path(binaries::ACTION_PROGRAM));
    // Otherwise, the environment could redirect Criterion's output.
    pairs.env("CRITERION_HOME", "target/criterion");
    pairs.current_dir(project.path("")).args([
        "measure",
        "pairs",
        "--seed",
        "1",
        "--base-dir",
        "base",
    ]);
    // Without a time limit, because benchmark tools are slow.
    let measured = pairs
        .args(options)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    let (out, errors) = (
        String::from_utf8_lossy(&measured.stdout),
        String::from_utf8_lossy(&measured.stderr),
    );
    assert!(
        out.contains("concluded=true\nregressed=true\n"),
        "{out}{errors}"
    );
    let compared =
        project.run("render-perf-deltas --paired --baseline-csv base.csv --input current.csv");
    assert!(
        compared.results().contains("regressed=true"),
        "{}",
        compared.results()
    );
}

#[test]
fn scripts_are_measured_as_processes() {
    let script = |rounds: u32| format!("i=0; while [ $i -lt {rounds} ]; do i=$((i + 1)); done\n");
    let project = Project::empty()
        .with("work.sh", script(40_000))
        .with("base/work.sh", script(10_000));
    assert_regressed(&project, &[], &["sh", "work.sh"]);
}

#[test]
fn hyperfine_runs_are_paired() {
    if !is_installed("hyperfine", &["--version"]) {
        return;
    }
    let project = Project::empty()
        .with("seconds", "0.04")
        .with("base/seconds", "0.01");
    let run = "sh -c 'sleep $(cat seconds)'";
    let hyperfine = [
        "hyperfine",
        "-N",
        "--runs",
        "2",
        "--style",
        "none",
        "--export-json",
        "out.json",
        "-n",
        "nap",
        run,
    ];
    assert_regressed(&project, &["--output-of", "out.json"], &hyperfine);
}

#[test]
#[ignore = "runs pytest: `.ci/run slow`"]
fn pytest_benchmarks_are_paired() {
    if !is_installed("python3", &["-c", "import pytest_benchmark"]) {
        return;
    }
    let test = |rounds: u32| {
        format!("def test_sum(benchmark):\n    benchmark(lambda: sum(range({rounds})))\n")
    };
    let project = Project::empty()
        .with("test_sum.py", test(40_000))
        .with("base/test_sum.py", test(10_000));
    let quick = [
        "--benchmark-max-time=0.02",
        "--benchmark-min-rounds=3",
        "--benchmark-json=out.json",
    ];
    let command = [
        &["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        &quick[..],
        &["test_sum.py"],
    ]
    .concat();
    assert_regressed(&project, &["--output-of", "out.json"], &command);
}

#[test]
fn go_benchmarks_are_paired() {
    if !is_installed("go", &["version"]) {
        return;
    }
    let test = |rounds: u32| {
        format!(
            "package sum\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {{\n\tfor i := 0; i < b.N; \
             i++ {{\n\t\tfor j := 0; j < {rounds}; j++ {{\n\t\t\tsink += j * i\n\t\t}}\n\t}}\n}}\n"
        )
    };
    let module = "module example.org/sum\n\ngo 1.18\n";
    let project = Project::empty()
        .with("go.mod", module)
        .with("sum_test.go", test(4_000));
    let project = project
        .with("base/go.mod", module)
        .with("base/sum_test.go", test(1_000));
    for folder in ["", "base"] {
        let mut build = Command::new("go");
        build
            .args(["test", "-c", "-o", "sum.test"])
            .current_dir(project.path(folder));
        build.env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local");
        assert!(build.status().unwrap().success());
    }
    let command = [
        "./sum.test",
        "-test.run",
        "NONE",
        "-test.bench",
        ".",
        "-test.benchtime",
        "2ms",
    ];
    assert_regressed(&project, &[], &command);
}

#[test]
fn criterion_benchmarks_are_paired() {
    let bench = binaries::example("criterion_sum");
    let project = Project::empty()
        .with("rounds", "40000")
        .with("base/rounds", "10000");
    let quick = [
        "--bench",
        "--noplot",
        "--warm-up-time",
        "0.01",
        "--measurement-time",
        "0.02",
        "--sample-size",
        "10",
        // Criterion's own statistics are not used here, and would take most of the time.
        "--nresamples",
        "1000",
    ];
    let command = [&[bench.to_str().unwrap()], &quick[..]].concat();
    assert_regressed(&project, &["--output-of", "target/criterion"], &command);
}

#[test]
fn google_benchmarks_are_paired() {
    let project = Project::empty()
        .with("rounds", "40000")
        .with("base/rounds", "10000");
    let project = project.with("sum.cc", GOOGLE_BENCHMARK);
    let mut compiler = Command::new("c++");
    compiler
        .args(["-O1", "sum.cc", "-o", "sum", "-lbenchmark", "-lpthread"])
        .current_dir(project.path(""));
    if !is_done(&mut compiler, "c++ -lbenchmark") {
        return;
    }
    let bench = project.path("sum");
    let quick = ["--benchmark_min_time=0.002", "--benchmark_format=json"];
    let command = [&[bench.to_str().unwrap()], &quick[..]].concat();
    assert_regressed(&project, &[], &command);
}

/// Does as much work as the file `rounds` in the current folder says.
const GOOGLE_BENCHMARK: &str = r#"
#include <benchmark/benchmark.h>
#include <fstream>

static void Sum(benchmark::State& state) {
  long rounds = 1000;
  std::ifstream("rounds") >> rounds;
  for (auto _ : state) {
    long sum = 0;
    for (long round = 0; round < rounds; ++round) benchmark::DoNotOptimize(sum += round);
  }
}
BENCHMARK(Sum);
BENCHMARK_MAIN();
"#;
