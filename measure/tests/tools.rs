//! Options and filters of benchmark tools, with scripts that print Go results.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::time::Duration;

use measure::pairs::{PairsRequest, Session, SideRequest, Tree, measure};
use tempfile::TempDir;

/// `Even` always takes the same time. `Odd` takes twice as long in every other one of the first 60 process runs.
const GO: &str = r#"#!/bin/sh
case "$1 $2" in "test -c" | env* | list*) exit 1 ;; esac
echo "$@" >>launches
at=$(wc -l <launches)
echo "pkg: example.org/p"
for sample in 1 2 3 4 5 6 7 8 9 10; do
  case "$*" in *Odd*) ;; *) echo "BenchmarkEven-2 	100	100.0 ns/op" ;; esac
  if [ "$at" -lt 60 ] && [ $((at % 2)) = 0 ]; then time=200.0; else time=100.0; fi
  echo "BenchmarkOdd-2 	100	$time ns/op"
done
"#;

/// Builds a test binary that records where and how it was run.
const COMPILER: &str = r#"#!/bin/sh
case "$1 $2" in
  env*) printf '%s\n\n' "$PWD" ;;
  list*) mkdir -p inner; printf 'example.org/p\t%s/inner\n' "$PWD" ;;
  "test -c")
    echo "built $4 $5" >>launches
    cat >"$4" <<'END'
#!/bin/sh
echo "$(pwd) $PWD ${PATH%%:*} $*" >>../launches
echo "pkg: example.org/p"
for sample in 1 2 3 4 5; do echo "BenchmarkEven-2 	100	100.0 ns/op"; done
END
    chmod +x "$4" ;;
  *) echo "$@" >>launches ;;
esac
"#;

/// A directory with this script as `go`.
fn folder_with(script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    fs::write(&go, script).unwrap();
    fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn launches_in(folder: &TempDir) -> Vec<String> {
    let launches = fs::read_to_string(folder.path().join("launches")).unwrap();
    launches.lines().map(str::to_owned).collect()
}

fn pairs(arguments: &[&str]) -> (Output, Vec<String>) {
    pairs_with(GO, arguments)
}

fn pairs_with(script: &str, arguments: &[&str]) -> (Output, Vec<String>) {
    let folder = folder_with(script);
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command
        .current_dir(folder.path())
        .args(["pairs", "--seed", "1"])
        .args(arguments);
    let output = command
        .args(["--", "./go", "test", "-bench", "."])
        .output()
        .unwrap();
    (output, launches_in(&folder))
}

#[test]
fn known_tool_runs_short_samples_and_then_only_undecided_benchmarks() {
    let (output, launches) = pairs(&[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        launches
            .iter()
            .all(|launch| launch.contains("-benchtime=2ms -count=")),
        "{launches:?}"
    );
    assert!(errors.contains("note: Go: added"), "{errors}");
    assert!(errors.contains("now running 1 of 2 benchmarks"), "{errors}");
    let narrowed = launches
        .iter()
        .position(|launch| launch.contains("-bench=^(BenchmarkOdd)$"));
    // The warm-up runs and eight pairs contain all benchmarks.
    assert!(narrowed.is_some_and(|at| at >= 18), "{launches:?}");
    assert!(
        launches[narrowed.unwrap()..]
            .iter()
            .all(|launch| launch.contains("BenchmarkOdd")),
        "{launches:?}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("concluded=true\nregressed=false"),
        "{errors}"
    );
}

/// Writes results like pytest-codspeed. The minima are meaningless, and so are the quartiles of `odd` in the first
/// process runs.
const PYTEST: &str = r#"#!/bin/sh
echo "$@" >>launches
at=$(wc -l <launches)
if [ $((at % 2)) = 0 ]; then min=20.0; else min=10.0; fi
if [ "$at" -lt 34 ]; then odd=$min; else odd=30.0; fi
stats() { printf '{"name":"%s","uri":"t/a.py::%s","stats":{"min_ns":%s,"q1_ns":%s,"mean_ns":40.0}}' "$1" "$1" "$min" "$2"; }
mkdir -p "$CODSPEED_PROFILE_FOLDER/results"
printf '{"creator":{"name":"pytest-codspeed"},"python":{},"instrument":{"type":"walltime"},"benchmarks":[%s,%s]}' \
  "$(stats even 30.0)" "$(stats odd $odd)" >"$CODSPEED_PROFILE_FOLDER/results/1.json"
"#;

#[test]
fn first_quartile_represents_a_process_run_of_pytest() {
    let folder = folder_with(PYTEST);
    fs::rename(folder.path().join("go"), folder.path().join("pytest")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command.current_dir(folder.path()).args([
        "pairs",
        "--seed",
        "1",
        "--",
        "./pytest",
        "--codspeed",
        "t",
    ]);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let launches = launches_in(&folder);
    let rounds = |launch: &str| launch.contains("--codspeed-max-time=0.04 ");
    assert!(
        launches[0].contains("--codspeed t --codspeed-warmup-time=0.002 --codspeed-max-time=0.01")
    );
    assert!(
        launches[4..].iter().all(|launch| rounds(launch)),
        "{launches:?}"
    );
    assert!(
        errors.contains("unchanged: t/a.py::even Time: "),
        "{errors}"
    );
    assert!(
        errors.contains("slower by less than 5% in 8 of 8 pairs"),
        "{errors}"
    );
    let alone = launches
        .iter()
        .filter(|launch| launch.ends_with(" t/a.py::odd"));
    assert!(alone.count() + 20 == launches.len(), "{launches:?}");
}

/// Prints Go results of a benchmark that is alternately 50% slower and faster in the head.
const UNDECIDED: &str = r#"#!/bin/sh
case "$1 $2" in "test -c" | env* | list*) exit 1 ;; esac
echo "$SIDE $@" >>launches
time=100.0
if [ "$SIDE" = current ]; then
  if [ $(($(grep -c "^$SIDE" launches) % 2)) = 0 ]; then time=150.0; else time=66.7; fi
fi
echo "pkg: example.org/p"
for sample in 1 2 3 4 5; do echo "BenchmarkEven-2 	100	$time ns/op"; done
"#;

#[test]
fn sixteen_pairs_are_measured_even_beyond_the_budget() {
    let folder = folder_with(UNDECIDED);
    let side = |name: &str| {
        let variable = format!("SIDE={name}");
        let words = ["env", &variable, "./go", "test", "-bench", "."].map(Into::into);
        SideRequest {
            command: words.to_vec(),
            tree: Tree::Folder(folder.path().to_owned()),
        }
    };
    let request = PairsRequest {
        base: side("base"),
        current: side("current"),
        seed: Some(1),
        budget: Some(Duration::ZERO),
        ..PairsRequest::default()
    };
    let report = measure(&request, &Session::start().unwrap(), None, None).unwrap();
    assert_eq!((report.pairs, report.is_concluded), (16, false));
}

#[test]
fn as_is_adds_no_options() {
    let (_, launches) = pairs(&["--as-is", "--time-limit", "1s"]);
    assert!(
        launches.iter().all(|launch| launch == "test -bench ."),
        "{launches:?}"
    );
}

#[test]
fn go_tests_are_built_once_per_side() {
    let (output, printed) = pairs_with(COMPILER, &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("pairs=8\n"),
        "{errors}"
    );
    assert!(
        errors.contains("; the test binary is built in advance"),
        "{errors}"
    );
    let (built, launches) = printed.split_at(6);
    for (number, line) in built.iter().enumerate() {
        let end = format!("/{}/0-{}/p.test example.org/p", number / 3, number % 3);
        assert!(line.ends_with(&end), "{line}");
    }
    assert!(launches.len() >= 18);
    for launch in launches {
        let words: Vec<&str> = launch.split(' ').collect();
        let (folder, go) = words[0].rsplit_once('/').unwrap();
        assert!(
            go == "inner" && words[1] == words[0] && words[2] == format!("{folder}/bin"),
            "{launch}"
        );
        assert!(
            launch.contains(" -test.paniconexit0 -test.timeout=10m0s"),
            "{launch}"
        );
    }
}

#[test]
fn builds_of_a_go_test_align_functions_differently() {
    let script = COMPILER.replace(r"'%s\n\n'", r"'%s\n\ngo1.25\n'");
    let (_, printed) = pairs_with(&script, &[]);
    let mut aligned = Vec::new();
    for built in &printed[..6] {
        aligned.push(built.split_once("-funcalign=").unwrap().1);
    }
    assert_eq!(aligned, ["64", "32", "128", "64", "32", "128"]);
}

/// Builds a test binary that prints five samples of these benchmarks. It is slow with a benchmark time, and fails if
/// its arguments contain `REFUSED`, which tests replace.
fn built(benchmarks: &str) -> String {
    r#"#!/bin/sh
case "$1 $2" in
  env*) printf '%s\n\n' "$PWD" ;;
  list*) printf 'example.org/p\t%s\n' "$PWD" ;;
  "test -c")
    cat >"$4" <<'END'
#!/bin/sh
echo "$*" >>launches
case "$*" in *REFUSED*) exit 1 ;; *=2ms*) sleep 0.3 ;; esac
echo "pkg: example.org/p"
for sample in 1 2 3 4 5; do BENCHMARKS
done
END
    chmod +x "$4" ;;
esac
"#
    .replace("BENCHMARKS", benchmarks)
}

const PARTS: &str = r#"
  case "$*" in *"^("*Quick*|*"bench=. "*|*"bench=.") echo "BenchmarkQuick-2 	100	500.0 ns/op" ;; esac
  case "$*" in *"^("*Slow*|*"bench=. "*|*"bench=.") echo "BenchmarkSlow-2 	100	450000 ns/op" ;; esac
  case "$*" in *"^("*Slower*|*"bench=. "*|*"bench=.") echo "BenchmarkSlower-2 	100	490000 ns/op" ;; esac"#;

#[test]
fn each_go_benchmark_has_its_own_iterations() {
    let (output, launches) = pairs_with(&built(PARTS), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("; each benchmark gets iterations"),
        "{errors}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("pairs=8\nseconds="),
        "{errors}"
    );
    // Each side warms up, and one more process run is timed, all with a benchmark time.
    let in_turn = launches.len() - 2 * 8 * 2;
    assert!(
        launches[..3]
            .iter()
            .all(|launch| launch.contains("-test.benchtime=2ms -test.count=5 "))
    );
    for pair in launches[in_turn..].chunks(4) {
        let parts = [
            ("4x", "BenchmarkSlow|BenchmarkSlower"),
            ("4096x", "BenchmarkQuick"),
        ];
        for (launches, (iterations, names)) in pair.chunks(2).zip(parts) {
            let expected =
                format!("-test.benchtime={iterations} -test.count=9 -test.bench=^({names})$ ");
            assert!(
                launches.iter().all(|launch| launch.contains(&expected)),
                "{pair:?}"
            );
        }
    }
}

/// `Read/size-8` is as fast on one processor, and `-8` is part of its name. `Parallel` takes twice as long on one processor.
const PROCESSORS: &str = r#"
  suffix=-2 parallel=300.0
  if [ "$GOMAXPROCS" = 1 ]; then suffix= parallel=600.0; fi
  case "$*" in *"^("*Read*|*"bench=. "*|*"bench=.") echo "BenchmarkRead/size-8$suffix 	100	500.0 ns/op" ;; esac
  case "$*" in *"^("*Parallel*|*"bench=. "*|*"bench=.") echo "BenchmarkParallel$suffix 	100	$parallel ns/op" ;; esac"#;

#[test]
fn go_benchmarks_that_are_as_fast_on_one_processor_get_one() {
    let script = built(PROCESSORS).replace(r#"echo "$*""#, r#"echo "${GOMAXPROCS:-all} $*""#);
    let (output, launches) = pairs_with(&script, &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("; GOMAXPROCS=1 for 1 benchmark: about as fast on one processor"),
        "{errors}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("pairs=8\nseconds="),
        "{errors}"
    );
    assert!(
        ["BenchmarkRead/size-8 ", "BenchmarkParallel "]
            .iter()
            .all(|name| errors.contains(name)),
        "{errors}"
    );
    for launch in &launches[launches.len() - 2 * 8 * 2..] {
        assert_eq!(
            launch.starts_with("1 "),
            launch.contains("BenchmarkRead"),
            "{launch}"
        );
        assert_eq!(
            launch.starts_with("all "),
            launch.contains("BenchmarkParallel"),
            "{launch}"
        );
    }
}

#[test]
fn rejected_iterations_are_not_used() {
    let (output, launches) = pairs_with(&built(PARTS).replace("REFUSED", "benchtime=4x"), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !errors.contains("gets the number of iterations"),
        "{errors}"
    );
    let last = launches.last().unwrap();
    assert!(
        last.contains("-test.benchtime=2ms -test.count=20 ") && last.ends_with("-test.bench=."),
        "{last}"
    );
}

#[test]
fn own_benchmark_time_is_kept() {
    let (_, launches) = pairs_with(&built(PARTS), &[]);
    assert!(launches.iter().any(|launch| launch.contains("4096x")));
    let folder = folder_with(&built(PARTS));
    let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
    command
        .current_dir(folder.path())
        .args(["pairs", "--seed", "1", "--", "./go", "test", "-bench", "."]);
    assert!(
        command
            .args(["-benchtime", "1ms"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let launches = launches_in(&folder);
    assert!(
        launches
            .iter()
            .all(|launch| launch.contains("-test.benchtime=1ms")),
        "{launches:?}"
    );
}

/// Builds the test binaries of three packages. `none` contains no benchmark, and `half` none on the side `LACKS`.
const PACKAGES: &str = r#"#!/bin/sh
case "$1 $2" in
  env*) printf '%s\n\n' "$PWD" ;;
  list*) for name in a none half; do printf "example.org/$name\t%s\n" "$PWD"; done ;;
  "test -c")
    echo "built $5" >>launches
    cat >"$4" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>launches
name=${0##*/} name=${name%.test}
case "$0" in *none.test | LACKS) echo PASS; exit ;; esac
case "$*" in *=2ms*) sleep 0.3 ;; esac
echo "pkg: example.org/$name"
for sample in 1 2 3 4 5; do echo "BenchmarkOf-2 	100	450000 ns/op"; done
END
    chmod +x "$4" ;;
  *) echo "go $*" >>launches; echo "pkg: example.org/a"; echo "BenchmarkOf-2 	100	450000 ns/op" ;;
esac
"#;

#[test]
fn go_packages_are_built_once_and_run_in_turn() {
    let (output, launches) = pairs_with(&PACKAGES.replace("LACKS", "nothing"), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("; the test binaries of 3 packages are built in advance"),
        "{errors}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("pairs=8\nseconds="),
        "{errors}"
    );
    assert_eq!(
        launches
            .iter()
            .filter(|launch| launch.starts_with("built "))
            .count(),
        18
    );
    assert_eq!(
        launches
            .iter()
            .filter(|launch| launch.starts_with("none.test"))
            .count(),
        3,
        "{launches:?}"
    );
    let in_turn = launches.len() - 8 * 4;
    for pair in launches[in_turn..].chunks(4) {
        let names: Vec<&str> = pair
            .iter()
            .map(|launch| launch.split(' ').next().unwrap())
            .collect();
        assert_eq!(names, ["a.test", "a.test", "half.test", "half.test"]);
        assert!(
            pair.iter()
                .all(|launch| launch.contains("-test.benchtime=4x -test.count=9 ")),
            "{pair:?}"
        );
    }
}

const SUB_BENCHMARKS: &str = r#"
  case "$*" in *"(short)"*) ;; *) echo "BenchmarkRead/long-2 	100	450000 ns/op" ;; esac
  case "$*" in *"(long)"*) ;; *) echo "BenchmarkRead/short-2 	100	4500 ns/op" ;; esac"#;

#[test]
fn single_sub_benchmark_keeps_its_name() {
    let (output, launches) = pairs_with(&built(SUB_BENCHMARKS), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        launches
            .last()
            .unwrap()
            .contains("-test.bench=^(BenchmarkRead)$/^(short)$"),
        "{launches:?}"
    );
    for name in ["short", "long"] {
        assert!(
            errors.contains(&format!(
                "unchanged: example.org/p.BenchmarkRead/{name} ns/op:"
            )),
            "{errors}"
        );
    }
}

#[test]
fn package_with_benchmarks_on_only_one_side_runs_there() {
    let (output, launches) = pairs_with(&PACKAGES.replace("LACKS", "*/0/*half.test"), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("unchanged: example.org/a."), "{errors}");
    assert!(!errors.contains("example.org/half."), "{errors}");
    let last = &launches[launches.len() - 3..];
    let half = last.iter().filter(|launch| launch.starts_with("half.test"));
    assert_eq!(half.count(), 1, "{last:?}");
}

#[test]
fn known_tool_with_unreadable_results_is_an_error() {
    let (output, _) = pairs_with(&GO.replace(" ns/op", ""), &[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    let error = "the output of `./go test -bench .` cannot be read as benchmark results";
    assert!(errors.contains(error), "{errors}");
}

#[test]
fn known_tool_without_results_causes_a_warning() {
    let script = GO.replace("echo \"Bench", "true \"Bench");
    // Enough time for warm-up runs, even on a busy machine.
    let (output, launches) = pairs_with(&script, &["--time-limit", "5s"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    let warning = "warning: no results found in the output of Go (";
    let advice = "so the whole process is the benchmark: pass `--format go` to make this an error";
    assert!(
        errors.contains(warning) && errors.contains(advice),
        "{errors}"
    );
    assert!(
        !launches[launches.len() - 1].contains("benchtime"),
        "the process is the command's own"
    );
    let (output, _) = pairs_with(&script, &["--time-limit", "1s", "--as-is"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("has no results"));
    let (output, _) = pairs_with(&script, &["--format", "go"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn go_tests_with_as_is_build_in_every_process_run() {
    let (_, launches) = pairs_with(COMPILER, &["--as-is", "--time-limit", "1s"]);
    assert!(
        launches.iter().all(|launch| launch == "test -bench ."),
        "{launches:?}"
    );
}
