//! `run` and `init` in a repository with a small benchmark.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot do its work has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Prints the rate that the file has, a little more in every second run, and counts its runs.
const BENCH: &str = "#!/bin/sh\n\
    echo run >>runs\n\
    rate=$(($(cat rate) + $(wc -l <runs) % 2))\n\
    printf 'scenario,platform,runIndex,decodesPerSecond\\nDecode,linux,0,%s\\n' \"$rate\"\n";

struct Project(tempfile::TempDir);

impl Project {
    fn new(rate: u32) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.git(&["init", "--quiet"]);
        project.write("bench.sh", BENCH);
        project.write(".gitignore", "runs\n");
        project.rate(rate);
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn rate(&self, rate: u32) {
        self.write("rate", &rate.to_string());
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = self.command("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "Refresh"]);
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env("GIT_CONFIG_GLOBAL", "").env_remove("CARGO_TARGET_DIR");
        for name in ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_DIR"] {
            command.env_remove(name);
        }
        command
    }

    fn perf_gate(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_perf-gate")).args(arguments).output().unwrap()
    }

    #[track_caller]
    fn ends(&self, arguments: &[&str], code: i32) -> Output {
        let output = self.perf_gate(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn runs(&self) -> usize {
        self.read("runs").lines().count()
    }
}

#[test]
fn init_writes_config_and_baseline_that_run_uses() {
    let project = Project::new(1000);
    let output = project.ends(&["init", "--", "sh", "bench.sh"], 0);
    assert!(String::from_utf8(output.stdout).unwrap().contains("run: \"sh bench.sh\""));
    assert_eq!(
        project.read("perf-gate.toml"),
        "[run]\ncommand = \"sh bench.sh\"\n\n[files]\nbaseline = \"perf-baseline.csv\"\n"
    );
    // Five runs, which show the noise: a slowdown of 20% is far beyond it.
    assert_eq!(project.read("perf-baseline.csv").matches("Decode,linux,").count(), 5);
    assert_eq!(project.runs(), 5, "the run that shows the tool is the first of them");
    project.ends(&["run"], 0);
    project.rate(800);
    let runs = project.runs();
    project.ends(&["run", "--no-confirm"], 0);
    assert_eq!(project.runs(), runs + 1);
    let output = project.ends(&["run"], 1);
    assert!(String::from_utf8_lossy(&output.stderr).contains("unconfirmed: "), "a second look");
    assert_eq!(project.runs(), runs + 3);
    // What exists is not replaced.
    let before = project.read("perf-baseline.csv");
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
    assert_eq!(project.read("perf-baseline.csv"), before);
    project.ends(&["run", "--save"], 0);
    project.ends(&["run"], 0);
}

#[test]
fn slow_moment_is_not_confirmed() {
    let project = Project::new(1000);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    // Only the next run is slow.
    let slow = BENCH.replace(
        "rate=$(($(cat rate)",
        "rate=$(($(if [ $(wc -l <runs) -eq 6 ]; then echo 300; else cat rate; fi)",
    );
    project.write("bench.sh", &slow);
    let output = project.ends(&["run"], 0);
    let (report, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("unconfirmed: Decode") && report.contains("300"), "{said}{report}");
    assert_eq!(project.runs(), 7);
}

#[test]
fn fast_moment_is_no_improvement() {
    let project = Project::new(1000);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let fast = BENCH.replace(
        "rate=$(($(cat rate)",
        "rate=$(($(if [ $(wc -l <runs) -eq 6 ]; then echo 1300; else cat rate; fi)",
    );
    project.write("bench.sh", &fast);
    let output = project.ends(&["run"], 0);
    let (report, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("unconfirmed: Decode") && !report.contains("🚀"), "{said}{report}");
    project.rate(1300);
    let output = project.ends(&["run"], 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("🚀"));
}

#[test]
fn machine_that_is_faster_or_slower_than_in_the_minute_of_init_leaves_little_open() {
    let project = Project::new(1000);
    let rows: Vec<String> = (0..12).map(|at| format!("Decode{at},linux,0,%s\\n")).collect();
    let rates = " \"$rate\"".repeat(12);
    let suite = BENCH.replace("Decode,linux,0,%s\\n", &rows.concat()).replace(" \"$rate\"", &rates);
    project.write("bench.sh", &suite);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let of = |rate, runs| {
        project.rate(rate);
        let before = project.runs();
        let output = project.ends(&["run"], 0);
        assert_eq!(project.runs() - before, runs, "{rate}");
        String::from_utf8(output.stdout).unwrap()
    };
    for rate in [970, 1030, 1070] {
        let report = of(rate, 1);
        assert!(!report.contains("inconclusive") && !report.contains("🚀"), "{rate}: {report}");
    }
    // All beyond their limits, in the second look as well: the machine may be the cause.
    assert!(of(900, 2).contains("12 of 12 benchmarks inconclusive"));
}

#[test]
fn committed_baseline_is_measured_in_turn() {
    let project = Project::new(1000);
    project.commit();
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    project.commit();
    project.rate(800);
    let output = project.ends(&["run"], 1);
    let (report, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("in turn") && report.contains("paired"), "{said}{report}");
    // The last run is explained without measuring.
    let runs = project.runs();
    let explained = project.ends(&["explain", "Deco"], 0);
    assert!(String::from_utf8_lossy(&explained.stdout).contains("regressed"));
    project.ends(&["explain", "Encode"], 2);
    assert_eq!(project.runs(), runs);
}

#[test]
fn machine_that_is_too_busy_for_one_pair_confirms_nothing() {
    let project = Project::new(1000);
    project.commit();
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let config = project.read("perf-gate.toml").replace("[run]\n", "[run]\ntime-limit = \"0.5s\"\n");
    project.write("perf-gate.toml", &config);
    project.write("bench.sh", &BENCH.replace("echo run", "sleep 1; echo run"));
    project.commit();
    project.rate(600);
    let runs = project.runs();
    let output = project.ends(&["run"], 0);
    let (report, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("no pair was measured within the time limit"), "{said}");
    assert!(report.contains("1 of 1 benchmark inconclusive"), "{report}");
    assert_eq!(project.runs(), runs + 1, "it does not run again");
}

#[test]
fn data_that_git_does_not_know_is_named_where_the_base_lacks_it() {
    let project = Project::new(1000);
    project.write("bench.sh", &BENCH.replace("echo run", "cat \"$1\" || exit 1; echo run"));
    project.commit();
    project.write("data.txt", "");
    project.ends(&["init", "--build", "true", "--", "sh", "bench.sh", "data.txt"], 0);
    project.rate(800);
    let output = project.ends(&["run"], 1);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("hint: the base is without `data.txt`"), "{said}");
}

#[test]
fn compare_and_explain_take_what_is_left_out_from_the_last_run() {
    let project = Project::new(1000);
    project.ends(&["compare"], 2);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    project.ends(&["compare"], 2);
    project.rate(500);
    project.ends(&["run"], 1);
    let runs = project.runs();
    project.ends(&["compare", "--exit-code"], 1);
    project.write("now.csv", "scenario,platform,runIndex,decodesPerSecond\nDecode,linux,0,1001\n");
    project.ends(&["compare", "--exit-code", "--input", "now.csv"], 0);
    let explained = project.ends(&["explain", "Decode", "--input", "now.csv"], 0);
    assert!(String::from_utf8_lossy(&explained.stdout).contains("unchanged"));
    // A name is checked before anything is measured.
    let refused = project.ends(&["run", "--explain", "Decoed"], 2);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("did you mean `Decode`"));
    assert_eq!(project.runs(), runs);
}

#[test]
fn limit_is_a_share_or_a_percentage() {
    let project = Project::new(1000);
    let rows = |rate| format!("scenario,platform,runIndex,decodesPerSecond\nDecode,linux,0,{rate}\n");
    project.write("base.csv", &rows(1000));
    for limit in ["0.2", "\"20%\""] {
        let gate = format!("[[gates]]\nmetric = \"decodesPerSecond\"\nrule = \"limit\"\nlimit = {limit}\n");
        project.write("perf-gate.toml", &gate);
        for (rate, code) in [(810, 0), (790, 1)] {
            project.write("now.csv", &rows(rate));
            project.ends(&["compare", "--exit-code", "--input", "now.csv", "--baseline", "base.csv"], code);
        }
    }
}

#[test]
fn accepted_slowdown_is_waived_up_to_twice_its_size() {
    let project = Project::new(1000);
    project.ends(&["accept", "Decode", "--reason", "known"], 2);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    project.ends(&["run"], 0);
    let config = project.read("perf-gate.toml");
    project.rate(800);
    project.ends(&["run"], 1);
    project.ends(&["accept", "Dec"], 2);
    project.ends(&["accept", "Dec", "--reason", "reads comments too"], 0);
    let waived = project.read("perf-gate.toml");
    assert!(waived.starts_with(&config) && waived.contains("up-to = 0.5"), "{waived}");
    project.ends(&["run"], 0);
    project.rate(400);
    project.ends(&["run"], 1);
    project.ends(&["accept", "Dec", "--rebaseline"], 0);
    project.write("perf-gate.toml", &config);
    project.ends(&["run"], 0);
}

#[test]
fn undo_removes_what_init_wrote_and_keeps_what_was_changed() {
    let project = Project::new(1000);
    project.ends(&["init", "--undo"], 2);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    project.write("perf-gate.toml", "[run]\ncommand = \"mine\"\n");
    project.ends(&["init", "--undo"], 0);
    assert!(
        !project.path().join("perf-baseline.csv").exists() && !project.path().join(".perf-gate").exists()
    );
    assert!(project.read("perf-gate.toml").contains("mine"));
    fs::remove_file(project.path().join("perf-gate.toml")).unwrap();
    let init = ["init", "--workflow", "--", "sh", "bench.sh"];
    project.ends(&init, 0);
    project.ends(&["init", "--undo"], 0);
    assert!(!project.path().join(".github").exists(), "the folders that only held it go, too");
    project.ends(&init, 0);
    let workflow = ".github/workflows/perf.yml";
    project.write(workflow, &(project.read(workflow) + "# mine\n"));
    project.ends(&["init", "--undo"], 0);
    assert!(project.read(workflow).ends_with("# mine\n"));
}

#[test]
fn run_builds_before_it_measures() {
    let project = Project::new(1000);
    project.write("bench.sh", &BENCH.replace("cat rate", "cat built"));
    project.ends(&["init", "--build", "cp rate built", "--", "sh", "bench.sh"], 0);
    project.rate(500);
    project.ends(&["run"], 1);
}

#[test]
fn init_adds_to_a_config_without_a_benchmark() {
    let project = Project::new(1000);
    project.write("bench.sh", "echo 'parse    105.5 MB/s'\n");
    let formats =
        "[[formats]]\nname = \"own\"\nlines = ['^(?<name>\\w+) +(?<value>[0-9.]+) (?<unit>MB/s)$']\n";
    project.write("perf-gate.toml", formats);
    project.ends(&["init", "--", "sh", "bench.sh"], 0);
    assert!(
        project.read("perf-gate.toml").starts_with(&format!("{formats}\n[run]\ncommand = \"sh bench.sh\"\n"))
    );
    project.ends(&["run"], 0);
    project.ends(&["init", "--", "sh", "bench.sh"], 2);
    project.ends(&["init", "--undo"], 0);
    assert_eq!(project.read("perf-gate.toml"), formats);
}

/// Prints what Google Benchmark would print with these options.
const GOOGLE_BENCHMARK: &str = r#"#!/bin/sh
case "$*" in
  *--benchmark_format=json*) printf '{"context":{"caches":[]},"benchmarks":[{"name":"BM_Sum","run_name":"BM_Sum","run_type":"iteration","repetitions":1,"repetition_index":0,"threads":1,"iterations":9,"real_time":100,"cpu_time":100,"time_unit":"ns"}]}' ;;
  *) printf -- '-----------------------------------------------------\nBenchmark           Time             CPU   Iterations\n-----------------------------------------------------\nBM_Sum            100 ns          100 ns      7000000\n' ;;
esac
"#;

#[test]
fn format_that_init_stores_is_the_one_that_the_next_run_prints() {
    let passes_nothing = "#!/bin/sh\nexec ./google\n";
    let of_format = |format: &str| format!("format = \"{format}\"\nmeasure = \"quickest\"\n");
    for (script, line, settings) in [
        (GOOGLE_BENCHMARK, "init -- ./bench", of_format("google-benchmark")),
        (GOOGLE_BENCHMARK, "init -- ./bench --benchmark_format=console", of_format("google-benchmark-text")),
        (GOOGLE_BENCHMARK, "init --as-is -- ./bench", "command = \"./bench\"\nas-is = true\n\n".to_owned()),
        (passes_nothing, "init -- ./bench", "command = \"./bench\"\n\n".to_owned()),
    ] {
        let project = Project::new(1000);
        for (name, text) in [("google", GOOGLE_BENCHMARK), ("bench", script)] {
            project.write(name, text);
            assert!(project.command("chmod").args(["+x", name]).status().unwrap().success());
        }
        project.ends(&line.split(' ').collect::<Vec<_>>(), 0);
        let config = project.read("perf-gate.toml");
        assert!(config.contains(&settings), "{config}");
        project.ends(&["run"], 0);
        project.ends(&["run", "--as-is"], 0);
        if line == "init -- ./bench" {
            project.commit();
            project.ends(&["run", "--base-ref", "HEAD"], 0);
        }
    }
}

#[test]
fn workflow_is_written_with_the_steps_of_the_project() {
    let project = Project::new(1000);
    project.write("go.mod", "module example.com/decode\n");
    project.ends(&["init", "--workflow", "--", "sh", "bench.sh"], 0);
    let workflow = project.read(".github/workflows/perf.yml");
    assert!(workflow.contains("setup-go") && workflow.contains("run: \"sh bench.sh\""), "{workflow}");
}

#[test]
fn workflow_needs_no_file_that_a_clone_lacks() {
    let project = Project::new(1000);
    project.write(".gitignore", "runs\npackage-lock.json\n");
    for file in ["package.json", "package-lock.json"] {
        project.write(file, "{}");
    }
    let output = project.ends(&["init", "--", "sh", "bench.sh"], 0);
    let workflow = String::from_utf8(output.stdout).unwrap();
    assert!(workflow.contains("run: npm install") && !workflow.contains("npm ci"), "{workflow}");
}

#[test]
fn command_without_output_is_timed() {
    for command in [&["sleep", "0.01"][..], &["sh", "-c", "sleep 0.01 >/dev/null"]] {
        let project = Project::new(1000);
        project.ends(&[&["init", "--"], command].concat(), 0);
        assert!(project.read("perf-baseline.csv").contains("sleep 0.01"));
        let config = project.read("perf-gate.toml");
        assert!(config.contains("measure = \"process\""), "{config}");
        // It waits, so the little processor time that it takes tells nothing.
        let gates =
            "metric = \"timeS\"\nrule = \"limit\"\n\n[[gates]]\nmetric = \"cpuTimeS\"\nrule = \"none\"\n";
        assert!(config.contains(gates), "{config}");
        project.ends(&["run"], 0);
    }
}

/// Writes what pytest-codspeed would write with this rate, where its variable says.
const CODSPEED: &str = r#"#!/bin/sh
[ "$1" = --codspeed ] || exit 1
echo 2 passed
time=$((1000000 / $(cat rate)))
mkdir -p "$CODSPEED_PROFILE_FOLDER/results"
printf '{"creator":{"name":"pytest-codspeed","version":"5.0.4"},"python":{},"instrument":{"type":"walltime"},"benchmarks":[{"name":"test_a","uri":"test_b.py::test_a","stats":{"mean_ns":%d,"stdev_ns":1,"min_ns":%d,"max_ns":%d,"median_ns":%d}}]}' $time $time $time $time >"$CODSPEED_PROFILE_FOLDER/results/$$.json"
"#;

#[test]
fn results_that_a_variable_directs_are_found() {
    let project = Project::new(1000);
    project.write("pytest", CODSPEED);
    assert!(project.command("chmod").args(["+x", "pytest"]).status().unwrap().success());
    project.commit();
    project.ends(&["init", "--", "./pytest", "--codspeed"], 0);
    let baseline = project.read("perf-baseline.csv");
    assert!(baseline.contains("test_b.py::test_a"), "{baseline}");
    project.ends(&["run"], 0);
    project.rate(800);
    let output = project.ends(&["run"], 1);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("pairs with the baseline's commit"), "{said}");
}

#[test]
fn folder_of_criterion_is_found() {
    let project = Project::new(1000);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/criterion");
    project.write("Cargo.toml", &fs::read_to_string(format!("{example}/Cargo.toml")).unwrap());
    fs::create_dir(project.path().join("benches")).unwrap();
    project.write("benches/count.rs", "use criterion::Criterion;\n");
    let cargo = format!(
        "#!/bin/sh\nmkdir -p target\nrm -rf target/criterion\ncp -R {example}/before target/criterion\n\
         find target/criterion -type f -exec touch {{}} +\n"
    );
    project.write("cargo", &cargo);
    let path = format!("{}:{}", project.path().display(), std::env::var("PATH").unwrap());
    let is_made = project.command("chmod").args(["+x", "cargo"]).status().unwrap().success();
    let mut init = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    let output = init.env("PATH", path).args(["init", "--", "cargo", "bench", "--bench", "count"]).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(is_made && output.status.success(), "{said}");
    assert!(
        said.contains("--sample-size=40") && project.read("perf-baseline.csv").contains("count/16"),
        "{said}"
    );
}

/// Leaves what the module for benchmark.js would, as if it could not select benchmarks; without it, prints what benchmark.js does.
/// Older versions refuse the module.
const NODE: &str = r#"#!/bin/sh
echo "${NODE_OPTIONS:+module} ${PERF_GATE_ONLY:-all}" >>"$LAUNCHES"
[ -z "$NODE_OPTIONS" ] || [ ! -e old ] || exit 9
if [ -z "$NODE_OPTIONS" ]; then
  for name in parse print; do echo "$name x $(cat rate) ops/sec ±0.74% (93 runs sampled)"; done
  exit
fi
for name in parse print; do
  time=$(cat time.$name 2>/dev/null || cat rate)
  printf '[{"name":"%s","result":{"latency":{"mean":%s,"min":%s}}}]\n' $name $((time + $$ % 90)) $time
done >"$PERF_GATE_RESULTS"
"#;

/// A project with that as `node`.
fn node_project(rate: u32) -> Project {
    let project = Project::new(rate);
    project.write("bench.js", "require('benchmark')\n");
    project.write("node", NODE);
    assert!(project.command("chmod").args(["+x", "node"]).status().unwrap().success());
    project.commit();
    project
}

/// What perf-gate says, and the launches of it.
fn with_node(project: &Project, arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let launches = folder.path().join("launches");
    let path = format!("{}:{}", project.path().display(), std::env::var("PATH").unwrap());
    let mut command = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    command.env("PATH", path).env("LAUNCHES", &launches).args(arguments);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    (said, fs::read_to_string(launches).unwrap_or_default())
}

#[test]
fn variables_that_a_tool_gets_hold_in_init_and_run_and_the_second_look() {
    let project = node_project(1000);
    let is_all = |launches: &str, kind: &str| launches.lines().all(|line| line == kind);
    let note = "benchmark.js: short batches of calls by NODE_OPTIONS (`--as-is` leaves the command alone)";
    let (said, launches) = with_node(&project, &["init", "--", "node", "bench.js"]);
    assert!(is_all(&launches, "module all") && said.contains(note), "{said}");
    let config = project.read("perf-gate.toml");
    assert!(config.starts_with("[run]\ncommand = \"node bench.js\"\nmeasure = \"quickest\"\n"), "{config}");
    // The quickest calls are compared, which other work on the machine does not make slower.
    let baseline = project.read("perf-baseline.csv");
    let quickest = baseline.lines().filter(|row| row.starts_with("parse,") && row.contains(",1000"));
    assert_eq!(quickest.count(), 5, "{baseline}");
    project.commit();
    let (said, launches) = with_node(&project, &["run"]);
    assert!(launches == "module all\n" && said.contains(note), "{said}{launches}");
    let (said, launches) = with_node(&project, &["run", "--as-is"]);
    assert!(is_all(&launches, " all") && !said.contains(note), "{said}{launches}");
    project.write("time.print", "1500");
    let (said, launches) = with_node(&project, &["run"]);
    let again: Vec<&str> = launches.lines().skip(1).collect();
    assert!(again.len() > 16 && again.iter().all(|line| *line == "module [\"print\"]"), "{said}{launches}");
    // What the tool launches beside it is not compared.
    assert!(said.contains("regressed     print ") && !said.contains("unchanged     parse "), "{said}");
}

#[test]
fn options_that_the_tool_refuses_are_left_out() {
    let project = node_project(1000);
    project.write("old", "");
    let (said, launches) = with_node(&project, &["init", "--", "node", "bench.js"]);
    assert!(said.contains("without the options of its tool: `node` failed: exit status: 9"), "{said}");
    assert_eq!(launches, format!("module all\n{}", " all\n".repeat(5)));
    assert!(!project.read("perf-gate.toml").contains("measure"));
}

#[test]
fn a_runtime_that_loads_no_module_is_read_by_what_it_prints() {
    let project = Project::new(1000);
    project.write("bench.js", "require('benchmark')\n");
    project.write("node", "#!/bin/sh\necho 'parse x 1,000,000 ops/sec ±0.74% (93 runs sampled)'\n");
    let path = format!("{}:{}", project.path().display(), std::env::var("PATH").unwrap());
    let is_made = project.command("chmod").args(["+x", "node"]).status().unwrap().success();
    project.commit();
    let mut run = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    let output =
        run.env("PATH", path).args(["run", "--base-ref", "HEAD", "--", "node", "bench.js"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(is_made && output.status.success(), "{said}");
    assert!(said.contains("parse Operations/s") && !said.contains("do not work"), "{said}");
}

#[test]
fn rows_get_the_commit_that_is_checked_out() {
    let project = Project::new(1000);
    project.commit();
    project.ends(&["run", "--save", "--", "sh", "bench.sh"], 0);
    let head = project.command("git").args(["rev-parse", "HEAD"]).output().unwrap().stdout;
    let head = String::from_utf8(head).unwrap();
    assert!(project.read("perf-baseline.csv").contains(&format!("Decode,linux,{},", head.trim())));
    project.ends(&["run", "--save", "--commit", "v1", "--", "sh", "bench.sh"], 0);
    assert!(project.read("perf-baseline.csv").contains("Decode,linux,v1,"));
}

#[test]
fn unconfirmed_regression_is_run_again() {
    let project = Project::new(1000);
    for at in 0..12 {
        project.rate(1000 + at * 7 % 5);
        project.ends(&["run", "--save", "--no-confirm", "--", "sh", "bench.sh"], 0);
        project.commit();
    }
    project.rate(800);
    project.ends(&["run", "--no-confirm", "--", "sh", "bench.sh"], 0);
    project.ends(&["run", "--", "sh", "bench.sh"], 1);
    // The baseline of HEAD stands in for a file that is not there.
    fs::remove_file(project.path().join("perf-baseline.csv")).unwrap();
    project.ends(&["run", "--", "sh", "bench.sh"], 1);
}

/// Prints two sub-benchmarks as Go does, or one of them alone; `Read/all` takes the time that the file has.
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
fn a_sub_benchmark_alone_is_confirmed_by_its_name() {
    let project = Project::new(1000);
    project.write("go", GO);
    fs::set_permissions(project.path().join("go"), fs::Permissions::from_mode(0o755)).unwrap();
    project.write("time", "100");
    let run = |more: &[&str], code: i32| {
        project.ends(&[&["run"], more, &["--", "./go", "test", "-bench", "."]].concat(), code);
    };
    run(&["--save", "--no-confirm"], 0);
    project.commit();
    project.write("time", "150");
    run(&["--no-confirm"], 0);
    run(&[], 1);
}

/// The output of `perf-gate` on a machine with this load.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a skipped test says so where somebody looks")]
fn under_load(project: &Project, load: &str, arguments: &[&str]) -> Option<Output> {
    project.write("load", &format!("{load} 1.00 1.00 1/100 4711\n"));
    let unshare = |script: &str| {
        let mut command = project.command("unshare");
        let covered = format!("mount --bind load /proc/loadavg && {script}");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &covered, "sh"]);
        command
    };
    if !unshare("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system does not allow unprivileged namespaces");
        return None;
    }
    Some(unshare("exec \"$@\"").arg(env!("CARGO_BIN_EXE_perf-gate")).args(arguments).output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn load_is_named_before_what_it_made_slow() {
    let project = Project::new(1000);
    let said = |load, arguments: &[&str]| {
        let output = under_load(&project, load, arguments)?;
        Some(String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let busy = "warning: the machine is busy: a load of 4711.0 on ";
    let Some(init) = said("4711.00", &["init", "--", "sh", "bench.sh"]) else { return };
    assert!(init[0].starts_with(busy), "{init:?}");
    project.rate(800);
    let run = said("4711.00", &["run"]).unwrap();
    let unconfirmed = run.iter().position(|line| line.contains("unconfirmed: Decode"));
    assert!(run[0].starts_with(busy) && unconfirmed.is_some(), "{run:?}");
    let quiet = said("0.50", &["run"]).unwrap();
    assert!(!quiet.iter().any(|line| line.contains("busy")), "{quiet:?}");
}

#[test]
fn base_ref_measures_both_sides() {
    let project = Project::new(1000);
    project.commit();
    project.rate(500);
    project.ends(&["run", "--base-ref", "HEAD", "--", "sh", "bench.sh"], 1);
    project.rate(1001);
    project.ends(&["run", "--base-ref", "HEAD", "--", "sh", "bench.sh"], 0);
    project.ends(&["run", "--base-ref", "no-such-ref", "--", "sh", "bench.sh"], 2);
}

#[test]
fn results_of_an_earlier_run_are_not_read() {
    let project = Project::new(1000);
    let named = ["run", "--output-of", "result.csv", "--"];
    project.ends(&[&named[..], &["sh", "-c", "sh bench.sh >result.csv"]].concat(), 0);
    let old = ["-d", "2020-01-01", "result.csv"];
    assert!(project.command("touch").args(old).status().unwrap().success());
    project.ends(&[&named[..], &["true"]].concat(), 2);
}

#[test]
fn unknown_commit_has_its_cause() {
    let refused = |project: &Project, commit: &str| {
        let output = project.ends(&["run", "--base-ref", commit, "--", "sh", "bench.sh"], 2);
        String::from_utf8(output.stderr).unwrap()
    };
    let project = Project::new(1000);
    insta::assert_snapshot!(refused(&project, "HEAD"), @r"
    error: invalid commit `HEAD`: git does not know it
    hint: this repository has no commits yet: commit first
    ");
    project.commit();
    insta::assert_snapshot!(refused(&project, "v1"), @r"
    error: invalid commit `v1`: git does not know it
    ");
    project.rate(1001);
    project.commit();
    let shallow = Project(tempfile::tempdir().unwrap());
    let from = format!("file://{}", project.path().display());
    shallow.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    insta::assert_snapshot!(refused(&shallow, "HEAD~1"), @r"
    error: invalid commit `HEAD~1`: git does not know it
    hint: this clone is shallow: fetch more commits with `git fetch --unshallow`
    ");
    fs::remove_dir_all(shallow.path().join(".git")).unwrap();
    let outside = refused(&shallow, "HEAD");
    assert!(outside.contains("` is in no git repository\n"), "{outside}");
}

#[test]
fn benchmark_that_gives_nothing_is_an_error() {
    let project = Project::new(1000);
    for command in [&["true"][..], &["false"], &["no-such-program"]] {
        project.ends(&[&["run", "--"], command].concat(), 2);
    }
    for command in ["false", "no-such-program"] {
        project.ends(&["init", "--", command], 2);
    }
    project.ends(&["run"], 2);
    for file in ["perf-gate.toml", ".perf-gate"] {
        assert!(!project.path().join(file).exists(), "{file}");
    }
    let talks = project.ends(&["init", "--", "echo", "no results"], 2);
    let said = String::from_utf8_lossy(&talks.stderr);
    assert!(
        !said.contains("run-0.log")
            && said.contains("what `echo` printed")
            && said.contains("`--output-of FILE`"),
        "{said}"
    );
    let talks = project.ends(&["run", "--", "printf", "{\"a\": 1}\\n"], 2);
    let said = String::from_utf8_lossy(&talks.stderr);
    assert!(said.contains("hint: its output is JSON of no known tool"), "{said}");
}

#[test]
fn examples_of_other_systems_write_a_report_and_fail_on_a_regression() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/ci");
    let files: Vec<_> = fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 4, "{files:?}");
    let project = Project::new(1000);
    project.write(".gitignore", "runs\nreport.md\n");
    project.commit();
    project.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let program = env!("CARGO_BIN_EXE_perf-gate");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let line = text.lines().find_map(|line| line.split_once("perf-gate run ")).unwrap().1;
        let line = line.trim_end_matches('\'').trim_end_matches(" || status=$$?");
        let line = line.strip_suffix("-- cargo bench --bench parse").unwrap();
        for (rate, code, icon) in [(1000, 0, "✅"), (500, 1, "❌")] {
            project.rate(rate);
            let script = format!("{program} run {line} -- sh bench.sh");
            let output = project.command("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{}: {output:?}", file.display());
            let report = project.read("report.md");
            assert!(report.starts_with(&format!("### {icon}")), "{}: {report}", file.display());
        }
    }
}
