//! Starting benchmark tools, and finding their results.

use std::fs;

use crate::run::project::Project;

/// Imitates pytest-codspeed, which reads its results folder from a variable.
const CODSPEED: &str = r#"#!/bin/sh
[ "$1" = --codspeed ] || exit 1
echo 2 passed
time=$((1000000 / $(cat rate)))
mkdir -p "$CODSPEED_PROFILE_FOLDER/results"
printf '{"creator":{"name":"pytest-codspeed","version":"5.0.4"},"python":{},"instrument":{"type":"walltime"},"benchmarks":[{"name":"test_a","uri":"test_b.py::test_a","stats":{"mean_ns":%d,"stdev_ns":1,"min_ns":%d,"max_ns":%d,"median_ns":%d}}]}' $time $time $time $time >"$CODSPEED_PROFILE_FOLDER/results/$$.json"
"#;

#[test]
fn results_folder_from_variable_is_found() {
    let project = Project::new(1000);
    project.write("pytest", CODSPEED);
    assert!(
        project
            .command("chmod")
            .args(["+x", "pytest"])
            .status()
            .unwrap()
            .success()
    );
    project.commit();
    project.ends(&["init", "--", "./pytest", "--codspeed"], 0);
    project.ends(&["run", "--save"], 0);
    let baseline = project.read("perf-baseline.csv");
    assert!(baseline.contains("test_b.py::test_a"), "{baseline}");
    project.rate(800);
    let output = project.ends(&["run"], 1);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("test_a"), "{table}");
}

#[test]
fn criterion_folder_is_found() {
    let project = Project::new(1000);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/criterion");
    project.write(
        "Cargo.toml",
        &fs::read_to_string(format!("{example}/Cargo.toml")).unwrap(),
    );
    fs::create_dir(project.path().join("benches")).unwrap();
    project.write("benches/count.rs", "use criterion::Criterion;\n");
    let cargo = format!(
        "#!/bin/sh\n[ $1 = metadata ] && exec {} $@\nmkdir -p target\nrm -rf target/criterion\ncp -R {example}/before target/criterion\n\
         find target/criterion -type f -exec touch {{}} +\n",
        env!("CARGO")
    );
    project.write("cargo", &cargo);
    let path = format!(
        "{}:{}",
        project.path().display(),
        std::env::var("PATH").unwrap()
    );
    let is_made = project
        .command("chmod")
        .args(["+x", "cargo"])
        .status()
        .unwrap()
        .success();
    let mut init = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    let output = init
        .env("PATH", path)
        .args(["init", "--", "cargo", "bench", "--bench", "count"])
        .output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(is_made && output.status.success(), "{said}");
    assert!(
        said.contains("--sample-size=40") && said.contains("benchmarks (criterion"),
        "{said}"
    );
}

#[test]
fn old_criterion_results_are_ignored() {
    let project = Project::new(1000);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/criterion/before");
    let made = project
        .command("cp")
        .args(["-R", example, "results"])
        .status();
    assert!(made.unwrap().success());
    let read = [
        "baseline",
        "--input",
        "results",
        "--output",
        "perf-baseline.csv",
    ];
    project.ends(&read, 0);
    // The command writes one benchmark's files. All others are an hour old.
    project.write(
        "renew.sh",
        "first=$(find results -name estimates.json -path '*/new/*' | sort | head -1)\n\
         touch \"$(dirname \"$first\")\"/*\n",
    );
    let aged = project
        .command("sh")
        .args([
            "-c",
            "find results -type f -exec touch -d '1 hour ago' {} +",
        ])
        .status();
    assert!(aged.unwrap().success());
    let run = ["run", "--output-of", "results", "--", "sh", "renew.sh"];
    let output = project.ends(&run, 1);
    let said = String::from_utf8_lossy(&output.stderr);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("missing"), "{said}{table}");
}

/// Imitates benchmark.js with and without the module that perf-gate loads. Older versions reject the module.
const NODE: &str = r#"#!/bin/sh
echo "${NODE_OPTIONS:+module} ${PERF_GATE_ONLY:-all}" >>"$LAUNCHES"
[ -z "$NODE_OPTIONS" ] || [ ! -e old ] || { echo "bad option" >&2; exit 9; }
if [ -z "$NODE_OPTIONS" ]; then
  for name in parse print; do echo "$name x $(cat rate) ops/sec ±0.74% (93 runs sampled)"; done
  exit
fi
for name in parse print; do
  time=$(cat time.$name 2>/dev/null || cat rate)
  printf '[{"name":"%s","result":{"latency":{"mean":%s,"min":%s}}}]\n' $name $((time + $$ % 90)) $time
done >"$PERF_GATE_RESULTS"
"#;

/// A project with the imitation as `node`.
fn node_project(rate: u32) -> Project {
    let project = Project::new(rate);
    project.write("bench.js", "require('benchmark')\n");
    project.write("node", NODE);
    assert!(
        project
            .command("chmod")
            .args(["+x", "node"])
            .status()
            .unwrap()
            .success()
    );
    project.commit();
    project
}

/// The messages of `perf-gate`, and the recorded process runs.
fn with_node(project: &Project, arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let launches = folder.path().join("launches");
    let path = format!(
        "{}:{}",
        project.path().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    command
        .env("PATH", path)
        .env("LAUNCHES", &launches)
        .args(arguments);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    (said, fs::read_to_string(launches).unwrap_or_default())
}

#[test]
fn tool_variables_are_set_in_init_run_and_reruns() {
    let project = node_project(1000);
    let is_all = |launches: &str, kind: &str| launches.lines().all(|line| line == kind);
    let note =
        "benchmark.js: short batches of calls by NODE_OPTIONS (`--as-is` leaves the command alone)";
    let (said, launches) = with_node(&project, &["init", "--", "node", "bench.js"]);
    assert!(launches == "module all\n" && said.contains(note), "{said}");
    let config = project.read("perf-gate.toml");
    assert_eq!(
        config,
        "[run]\ncommand = \"node bench.js\"\nmeasure = \"quickest\"\n"
    );
    let (said, launches) = with_node(&project, &["run", "--save", "--no-confirm"]);
    assert!(launches == "module all\n" && said.contains(note), "{said}");
    // The baseline contains the time of the quickest calls, which background load hardly affects.
    let baseline = project.read("perf-baseline.csv");
    let quickest = baseline
        .lines()
        .filter(|row| row.starts_with("parse,") && row.contains(",1000"));
    assert_eq!(quickest.count(), 1, "{baseline}");
    project.commit();
    let stored = ["run", "--baseline", "perf-baseline.csv"];
    let (said, launches) = with_node(
        &project,
        &[&stored[..], &["--as-is", "--no-confirm"]].concat(),
    );
    assert!(
        is_all(&launches, " all") && !said.contains(note),
        "{said}{launches}"
    );
    project.write("time.print", "1500000");
    let (said, launches) = with_node(&project, &stored);
    let again: Vec<&str> = launches.lines().skip(1).collect();
    assert!(
        again.len() >= 4 && again.iter().all(|line| *line == "module [\"print\"]"),
        "{said}{launches}"
    );
}

#[test]
fn rejected_tool_options_are_left_out() {
    let project = node_project(1000);
    project.write("old", "");
    let (said, launches) = with_node(&project, &["init", "--", "node", "bench.js"]);
    assert!(
        said.contains("without options for its tool: `node` failed: exit status: 9"),
        "{said}"
    );
    assert_eq!(launches, "module all\n all\n");
    assert!(!project.read("perf-gate.toml").contains("measure"));
    project.commit();
    let (said, _) = with_node(&project, &["run", "--base-ref", "HEAD"]);
    let left_out = said
        .lines()
        .skip_while(|line| !line.contains("the added options do not work"))
        .nth(1);
    assert_eq!(left_out, Some("hint: it printed: bad option"), "{said}");
    // The warning is printed before the run without the options, which fails here but can take minutes for other tools.
    project.write("node", "#!/bin/sh\nexit 9\n");
    let (said, _) = with_node(&project, &["run", "--base-ref", "HEAD"]);
    let warned =
        said.find("the added options do not work and are left out, so a process run takes");
    assert!(
        warned < said.find("does not run") && warned.is_some(),
        "{said}"
    );
}

#[test]
fn filter_selects_benchmarks_that_no_earlier_run_knows() {
    let project = node_project(1000);
    with_node(&project, &["init", "--", "node", "bench.js"]);
    with_node(&project, &["run", "--save", "--no-confirm"]);
    project.write("node", &project.read("node").replace("parse", "prinz"));
    let (said, launches) = with_node(
        &project,
        &[
            "run",
            "--baseline",
            "perf-baseline.csv",
            "--no-confirm",
            "--filter",
            "benchmark=prin*",
        ],
    );
    let selected = "module all\nmodule [\"print\",\"prinz\"]\n";
    assert_eq!(launches, selected, "{said}");
}

#[test]
#[ignore = "runs Go: `.ci/run slow`"]
fn filtered_pairs_report_a_removed_benchmark() {
    let project = Project::new(1000);
    if project.command("go").arg("version").output().is_err() {
        println!("skipped: Go is not installed");
        return;
    }
    project.write("go.mod", "module example.com/p\n\ngo 1.19\n");
    project.write("p.go", "package p\n");
    let benchmark = "(b *testing.B) { s := 0; for i := 0; i < b.N; i++ { for j := 0; j < 999; j++ { s ^= j } } }";
    let file = format!("package p\nimport \"testing\"\nfunc BenchmarkOne{benchmark}\n");
    project.write(
        "p_test.go",
        &format!("{file}func BenchmarkTwo{benchmark}\n"),
    );
    project.commit();
    project.write("p_test.go", &file);
    let run = ["run", "--base", "HEAD", "--time-limit", "3s"];
    let command = ["--", "go", "test", "-bench", "."];
    for part in [["--filter", "benchmark=*"], ["--shard", "1/1"]] {
        let output = project.ends(&[&run[..], &part, &command].concat(), 1);
        let table = String::from_utf8_lossy(&output.stdout);
        let mut missing = table.lines().filter(|line| line.starts_with("missing"));
        assert!(
            missing.any(|line| line.contains("example.com/p.BenchmarkTwo")),
            "{table}"
        );
    }
    // A filter for the new name would not find the benchmark in the base.
    let renamed =
        "[rows.renamed]\n\"example.com/p.BenchmarkTwo\" = \"example.com/p.BenchmarkThree\"\n";
    project.write("perf-gate.toml", renamed);
    let file = format!("{file}func BenchmarkThree{benchmark}\n");
    project.write("p_test.go", &file);
    let output = project.perf_gate(&[&run[..], &command].concat());
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(
        table.contains("2 benchmarks") || table.contains("1 within limits"),
        "{table}"
    );
    assert!(!table.contains("new"), "{table}");
}

/// Imitates Google Benchmark with the benchmarks in the file `names`, and supports its filter.
const FILTERED: &str = r#"#!/bin/sh
filter=. repetitions=1
for option; do
  case $option in
    --benchmark_filter=*) filter=${option#*=} ;;
    --benchmark_repetitions=*) repetitions=${option#*=} ;;
  esac
done
echo '{"context": {"num_cpus": 4, "library_build_type": "release"}, "benchmarks": ['
joint=
for name in $(grep -E "$filter" names); do
  for index in $(seq 0 $((repetitions - 1))); do
    printf '%s{"name": "%s", "run_name": "%s", "run_type": "iteration", "repetitions": %s, "repetition_index": %s, "threads": 1, "iterations": 10, "real_time": 100, "cpu_time": 100, "time_unit": "ns"}\n' \
      "$joint" "$name" "$name" "$repetitions" "$index"
    joint=,
  done
done
echo ']}'
"#;

#[test]
fn part_of_a_suite_reports_removed_and_renamed_benchmarks() {
    let project = Project::new(1000);
    project.write("bench.sh", FILTERED);
    let mut chmod = project.command("chmod");
    assert!(chmod.args(["+x", "bench.sh"]).status().unwrap().success());
    project.write("names", "parse\nprint\nsort\n");
    project.commit();
    project.write("names", "parse\nprinter\nnew\n");
    let part = |part: [&str; 2], code| {
        let run = ["run", "--base", "HEAD", "--format", "google-benchmark"];
        let command = ["--", "./bench.sh"];
        let output = project.ends(&[&run[..], &part, &command].concat(), code);
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8(said).unwrap()
    };
    let said = part(["--filter", "benchmark=p*"], 1);
    assert!(said.contains("3 of 5 benchmarks"), "{said}");
    assert!(said.contains("missing  print "), "{said}");
    assert!(!said.contains("sort"), "{said}");
    let said = part(["--filter", "benchmark=sort"], 1);
    assert!(said.contains("missing  sort "), "{said}");
    let said = part(["--filter", "benchmark=nope"], 2);
    assert!(
        said.contains("found no benchmark that matches `nope`"),
        "{said}"
    );
    let said = part(["--filter", "benchmark=new"], 0);
    assert!(said.contains("1 benchmark only in this run"), "{said}");
    let said = part(["--shard", "7/7"], 2);
    assert!(said.contains("found no benchmark for shard 7/7"), "{said}");
    // The base contains the benchmark under its old name, which a filter would not find.
    let config = "[rows]\nrenamed = { print = \"printer\" }\n";
    project.write("perf-gate.toml", config);
    let said = part(["--filter", "benchmark=p*"], 0);
    assert!(said.contains("2 benchmarks within limits"), "{said}");
    let said = part(["--as-is", "--filter=benchmark=printer"], 0);
    assert!(said.contains("1 benchmark within limits"), "{said}");
}

#[test]
fn runtime_without_module_is_read_from_its_output() {
    let project = Project::new(1000);
    project.write("bench.js", "require('benchmark')\n");
    project.write(
        "node",
        "#!/bin/sh\necho 'parse x 1,000,000 ops/sec ±0.74% (93 runs sampled)'\n",
    );
    let path = format!(
        "{}:{}",
        project.path().display(),
        std::env::var("PATH").unwrap()
    );
    let is_made = project
        .command("chmod")
        .args(["+x", "node"])
        .status()
        .unwrap()
        .success();
    project.commit();
    let mut run = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    let output = run
        .env("PATH", path)
        .args(["run", "--base-ref", "HEAD", "--", "node", "bench.js"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(is_made && output.status.success(), "{said}");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("do not work"), "{said}");
    assert!(!table.contains("A/A check"), "{table}");
}

#[test]
fn results_from_earlier_run_are_not_read() {
    let project = Project::new(1000);
    let named = ["run", "--output-of", "result.csv", "--"];
    project.ends(
        &[&named[..], &["sh", "-c", "sh bench.sh >result.csv"]].concat(),
        0,
    );
    let old = ["-d", "2020-01-01", "result.csv"];
    assert!(
        project
            .command("touch")
            .args(old)
            .status()
            .unwrap()
            .success()
    );
    project.ends(&[&named[..], &["true"]].concat(), 2);
}

#[test]
fn benchmark_without_results_is_an_error() {
    let project = Project::new(1000);
    for command in [&["true"][..], &["false"], &["no-such-program"]] {
        project.ends(&[&["run", "--"], command].concat(), 2);
    }
    for command in ["false", "no-such-program"] {
        project.ends(&["init", "--", command], 2);
    }
    project.ends(&["run"], 2);
    assert!(!project.path().join("perf-gate.toml").exists());
    let talks = project.ends(&["init", "--", "echo", "no results"], 2);
    let said = String::from_utf8_lossy(&talks.stderr);
    let error = said.split_once("error: ").unwrap().1;
    assert!(
        !error.contains("run-0.log")
            && said.contains("if `echo` writes its results to a file")
            && said.contains("`--output-of FILE`"),
        "{said}"
    );
    let talks = project.ends(&["run", "--", "printf", "{\"a\": 1}\\n"], 2);
    let said = String::from_utf8_lossy(&talks.stderr);
    assert!(
        said.contains("hint: its output is JSON from an unknown tool"),
        "{said}"
    );
}

#[test]
fn build_failure_without_an_exit_code_is_reported() {
    let project = Project::new(1000);
    let printed =
        "pkg: example.com/a\nBenchmarkOne-2 100 50.5 ns/op\nPASS\nok example.com/a 1.2s\n";
    let failed = "FAIL\texample.com/b [build failed]\nFAIL\n";
    project.write("bench.sh", &format!("cat <<'END'\n{printed}{failed}END\n"));
    project.commit();
    let run = ["run", "--base", "HEAD", "--time-limit", "5s", "--fail-on"];
    let command = ["inconclusive", "--", "sh", "bench.sh"];
    let output = project.ends(&[&run[..], &command].concat(), 1);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(said.contains("build failed"), "{said}");
}
