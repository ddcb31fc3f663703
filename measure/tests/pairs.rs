//! Pairs of scripted commands. No test depends on the speed of the machine.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use crate::processes::{is_running, soon};

/// A temporary directory with scripts and a `perf-gate.toml` that gates one time.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::write(
            folder.path().join("perf-gate.toml"),
            "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\n",
        )
        .unwrap();
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a script that runs `also` and prints a row with this time.
    fn harness(&self, name: &str, time: &str, also: &str) -> String {
        let script = format!("{also}\necho scenario,runIndex,timeNs\necho parse,0,{time}\n");
        fs::write(self.path().join(name), script).unwrap();
        format!("sh {name}")
    }

    fn pairs(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
        command
            .current_dir(self.path())
            .arg("pairs")
            .args(["--seed", "1"])
            .args(arguments);
        command.env_remove("CARGO_TARGET_DIR");
        command
    }

    fn rows(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path().join(file)).unwrap_or_default();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    fn git(&self, arguments: &[&str]) {
        let identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let mut git = Command::new("git");
        let status = git
            .current_dir(self.path())
            .args(identity)
            .args(arguments)
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{arguments:?}");
    }
}

/// A result line's value.
fn line(output: &Output, key: &str) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned));
    found.unwrap_or_else(|| {
        panic!(
            "no {key}= in {text}{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn slower_side_regresses_at_the_first_analysis() {
    let folder = Folder::new();
    let (base, current) = (
        folder.harness("a.sh", "1000", ""),
        folder.harness("b.sh", "1100", ""),
    );
    let output = folder.pairs(&["--base", &base, "--current", &current, "--exit-code"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert_eq!(
        ["pairs", "concluded", "regressed"].map(|key| line(&output, key)),
        ["16", "true", "true"]
    );
    let rows = folder.rows("current.csv");
    assert_eq!((rows.len(), folder.rows("base.csv").len()), (16, 16));
    // A shell script contains no machine code with a layout.
    assert_eq!(rows[15], "parse,,,15,1100,pairs in random order");
}

#[test]
fn both_sides_of_a_pair_have_the_same_hash_seed() {
    let folder = Folder::new();
    let seed = folder.harness("a.sh", "$((100 + PYTHONHASHSEED))", "");
    folder.pairs(&["--base", &seed, "--current", &seed]);
    let (base, head) = (folder.rows("base.csv"), folder.rows("current.csv"));
    assert_eq!(base, head);
    assert!(base[0].contains(",0,100,") && base[7].contains(",7,107,"));

    // The user's seed is kept.
    let mut command = folder.command(&["--base", &seed, "--current", &seed]);
    command.env("PYTHONHASHSEED", "7").output().unwrap();
    assert!(folder.rows("base.csv")[5].contains(",5,107,"));
}

#[test]
fn equal_sides_do_not_regress() {
    let folder = Folder::new();
    let same = folder.harness("a.sh", "1000", "");
    let output = folder.pairs(&["--exit-code", "--", "sh", "a.sh"]);
    assert_eq!(output.status.code(), Some(0), "{same} {}", errors(&output));
    assert_eq!(
        (line(&output, "regressed"), line(&output, "concluded")),
        ("false".into(), "true".into())
    );
}

#[test]
fn builds_in_warm_up_runs_do_not_extend_the_time() {
    let folder = Folder::new();
    let work = folder.harness("work", "100", "[ -e built ] || sleep 4; touch built");
    let output = folder.pairs(&["--base", &work, "--current", &work]);
    assert!(
        line(&output, "concluded") == "true" && !errors(&output).contains("pairs take"),
        "{output:?}"
    );
}

#[test]
fn both_sides_are_first_in_turn() {
    let folder = Folder::new();
    let (base, current) = (
        folder.harness("a.sh", "1000", "echo a >>order"),
        folder.harness("b.sh", "1100", "echo b >>order"),
    );
    folder.pairs(&["--base", &base, "--current", &current]);
    let order = fs::read_to_string(folder.path().join("order")).unwrap();
    let launches: Vec<&str> = order.lines().skip(2).collect();
    let pairs: Vec<&[&str]> = launches.chunks_exact(2).collect();
    assert_eq!(pairs.len(), 16);
    assert!(pairs.iter().all(|pair| pair[0] != pair[1]), "{pairs:?}");
    assert!(
        (2..=14).contains(&pairs.iter().filter(|pair| pair[0] == "a").count()),
        "{pairs:?}"
    );
}

#[test]
fn commits_are_measured_in_worktrees_that_are_removed() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet"]);
    folder.harness("bench.sh", "$(cat built)", "");
    fs::write(folder.path().join("speed"), "1000").unwrap();
    folder.git(&["add", "."]);
    folder.git(&["commit", "--quiet", "-m", "base"]);
    fs::write(folder.path().join("speed"), "1200").unwrap();
    let output = folder.pairs(&[
        "--base-ref",
        "HEAD",
        "--build",
        "cp speed built",
        "--",
        "sh",
        "bench.sh",
    ]);
    assert_eq!(line(&output, "regressed"), "true", "{}", errors(&output));
    let base = folder.rows("base.csv");
    assert!(
        base.iter()
            .all(|row| row.contains(",1000,") && row.split(',').nth(2).unwrap().len() == 40),
        "{base:?}"
    );
    let listed = Command::new("git")
        .current_dir(folder.path())
        .args(["worktree", "list"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 1);
}

#[test]
fn changed_benchmark_is_not_compared() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet"]);
    folder.harness("bench.sh", "1000", "");
    fs::write(
        folder.path().join("perf-gate.toml"),
        "[harness]\npaths = ['bench.sh']\n",
    )
    .unwrap();
    folder.git(&["add", "."]);
    folder.git(&["commit", "--quiet", "-m", "base"]);
    let measure = || folder.pairs(&["--base-ref", "HEAD", "--", "sh", "bench.sh"]);
    folder.harness("bench.sh", "11000", "");
    let output = measure();
    assert_eq!(line(&output, "regressed"), "false", "{}", errors(&output));
    let fingerprints = ["base.csv", "current.csv"].map(|file| {
        let row = folder.rows(file).remove(0);
        row.split("harness:")
            .nth(1)
            .map(|text| text.trim_end_matches('"').to_owned())
            .unwrap()
    });
    assert_ne!(fingerprints[0], fingerprints[1]);
    // If other files changed, the benchmark is compared.
    fs::write(
        folder.path().join("perf-gate.toml"),
        "[harness]\npaths = ['other.sh']\n",
    )
    .unwrap();
    assert_eq!(line(&measure(), "regressed"), "true");
}

#[test]
fn base_that_does_not_build_is_one_error() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet"]);
    folder.git(&["commit", "--quiet", "--allow-empty", "-m", "base"]);
    folder.harness("bench.sh", "1", "");
    let output = folder.pairs(&[
        "--base-ref",
        "HEAD",
        "--build",
        "test -f bench.sh",
        "--",
        "sh",
        "bench.sh",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("does not build"),
        "{}",
        errors(&output)
    );
    assert!(!folder.path().join("base.csv").exists());
}

#[test]
fn wrong_commands_are_one_error_and_write_nothing() {
    let folder = Folder::new();
    let harness = folder.harness("a.sh", "1", "");
    folder.git(&["init", "--quiet"]);
    for (arguments, said) in [
        (vec!["--", "no-such-command"], "command not found"),
        (
            vec!["--", "sh", "-c", "echo gone wrong >&2; exit 3"],
            "gone wrong",
        ),
        (
            vec![
                "--timeout",
                "0.2s",
                "--",
                "sh",
                "-c",
                "echo parse; sleep 60",
            ],
            "the last line that it printed: parse",
        ),
        (
            vec!["--", "sh", "no.sh", "&&", "true"],
            "commands run without a shell",
        ),
        (
            vec!["--format", "go", "--", "echo", "hello"],
            "printed no benchmark results",
        ),
        (
            vec!["--base-ref", "no-such-ref", "--", "sh", "a.sh"],
            "unknown commit `no-such-ref`",
        ),
        (
            vec!["--base", &harness, "--current", "echo hello"],
            "does not",
        ),
        (
            vec!["--base", "sh 'a.sh", "--current", "sh a.sh"],
            "a quote is not closed",
        ),
        (
            vec!["--base-dir", "no-such-folder", "--", "sh", "a.sh"],
            "no such folder",
        ),
        (
            vec!["--build", "no-such-builder", "--", "sh", "a.sh"],
            "the base does not build: command not found",
        ),
        (
            vec!["--base", "false", "--current", &harness],
            "the base does not run",
        ),
    ] {
        let output = folder.pairs(&arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?} {}",
            errors(&output)
        );
        let error = errors(&output);
        assert!(
            error.contains(said) && error.matches("error:").count() == 1,
            "{arguments:?} {error}"
        );
    }
    assert!(
        !folder.path().join("base.csv").exists() && !folder.path().join("current.csv").exists()
    );
}

/// Measures pairs whose base always takes 1000 ns and whose head runs this script.
fn with_head(folder: &Folder, head: &str) -> Output {
    let base = folder.harness("base.sh", "1000", "");
    fs::write(folder.path().join("head.sh"), head).unwrap();
    folder.pairs(&["--base", &base, "--current", "sh head.sh"])
}

#[test]
fn failed_process_runs_are_counted_over_all_pairs() {
    for (when, is_always) in [("test $at = 5", false), ("true", true)] {
        let folder = Folder::new();
        let head = format!(
            "echo >>count; at=$(wc -l <count); outcome=measured; if {when}; then outcome=failed; fi\n\
             echo scenario,runIndex,timeNs,outcome\necho parse,0,1100,$outcome\necho scan,0,1100,measured\n"
        );
        let output = with_head(&folder, &head);
        let pairs: usize = line(&output, "pairs").parse().unwrap();
        let (failed, measured, failed_rows) = if is_always {
            ("failed".to_owned(), 0, 1)
        } else {
            (format!("1 of {pairs} process runs failed"), pairs - 1, 0)
        };
        let warning = format!("warning: head: parse: {failed}\n");
        let errors = errors(&output);
        assert!(
            errors.contains(&warning) && !errors.contains("base: "),
            "{errors}"
        );
        let mut found = [0, 0];
        for row in folder.rows("current.csv") {
            if row.starts_with("parse,") {
                found[usize::from(row.contains(",failed"))] += 1;
            }
        }
        assert_eq!(found, [measured, failed_rows]);
    }
}

#[test]
fn process_run_that_fails_later_is_not_a_sample() {
    for exit in ["exit 9", "kill -9 $$"] {
        let folder = Folder::new();
        let head = format!(
            "echo >>count; test $(wc -l <count) != 5 || {exit}\n\
             echo scenario,runIndex,timeNs\necho parse,0,1100\n"
        );
        let output = with_head(&folder, &head);
        let pairs: usize = line(&output, "pairs").parse().unwrap();
        let warning = format!("warning: head: parse: 1 of {pairs} process runs failed\n");
        assert!(errors(&output).contains(&warning), "{}", errors(&output));
        assert_eq!(folder.rows("current.csv").len(), pairs - 1);
        assert_eq!(
            line(&output, "regressed"),
            "true",
            "a flake hides no slowdown"
        );
    }
}

#[test]
fn repeated_failures_keep_the_pairs_so_far() {
    let folder = Folder::new();
    folder.harness(
        "a.sh",
        "1000",
        "echo >>count; test $(wc -l <count) -lt 11 || exit 9",
    );
    let output = folder.pairs(&["--", "sh", "a.sh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("exit status: 9"));
    let measured = |file: &str| {
        folder
            .rows(file)
            .iter()
            .filter(|row| row.contains(",1000,"))
            .count()
    };
    let failed = |file: &str| {
        folder
            .rows(file)
            .iter()
            .filter(|row| row.contains(",failed"))
            .count()
    };
    assert_eq!((measured("base.csv"), measured("current.csv")), (4, 4));
    assert_eq!(failed("base.csv") + failed("current.csv"), 1);
}

#[test]
fn too_few_pairs_for_an_analysis_are_inconclusive() {
    let folder = Folder::new();
    let base = folder.harness("a.sh", "1000", "sleep 0.1");
    let current = folder.harness("b.sh", "9000", "sleep 0.1");
    let output = folder.pairs(&["--base", &base, "--current", &current, "--time-limit", "1s"]);
    assert_eq!(
        ["concluded", "regressed"].map(|key| line(&output, key)),
        ["false", "false"]
    );
    assert!(
        errors(&output).contains("more pairs until the first analysis"),
        "{}",
        errors(&output)
    );
}

/// A script whose time drifts by this percentage over 20 pairs, on both sides, with some noise.
fn drifting(folder: &Folder, percent: i64) -> String {
    let time = format!(
        "$((100000 + {} * n / 42 + n * 7919 % 13 * 50))",
        percent * 1000
    );
    folder.harness(
        "a.sh",
        &time,
        "n=$(cat count 2>/dev/null || echo 0)\necho $((n + 1)) >count",
    )
}

#[test]
fn drift_of_both_sides_changes_no_verdict() {
    for percent in [30, -30] {
        let folder = Folder::new();
        let same = drifting(&folder, percent);
        let output = folder.pairs(&["--base", &same, "--current", &same]);
        let results = ["pairs", "concluded", "regressed"].map(|key| line(&output, key));
        assert_eq!(results, ["8", "true", "false"], "{}", errors(&output));
        assert!(errors(&output).contains("unchanged"), "{}", errors(&output));
    }
}

#[test]
fn uncommitted_changes_are_reported() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet"]);
    folder.harness("bench.sh", "1000", "");
    folder.git(&["add", "."]);
    folder.git(&["commit", "--quiet", "-m", "base"]);
    let arguments =
        |more: &[&'static str]| [&["--base-ref", "HEAD"], more, &["--", "sh", "bench.sh"]].concat();
    assert!(!errors(&folder.pairs(&arguments(&[]))).contains("uncommitted"));
    folder.harness("bench.sh", "1100", "");
    let measured = errors(&folder.pairs(&arguments(&[])));
    assert!(
        measured.contains("uncommitted changes, which are measured"),
        "{measured}"
    );
    if std::env::var_os("GITHUB_ACTIONS").is_none() {
        let rows = folder.rows("current.csv");
        assert!(rows[0].starts_with("parse,,working tree of "), "{rows:?}");
    }
    let ignored = errors(&folder.pairs(&arguments(&["--current-ref", "HEAD"])));
    assert!(ignored.contains("not measured"), "{ignored}");
}

#[test]
fn sides_without_a_common_benchmark_are_an_error() {
    let folder = Folder::new();
    folder.harness("a.sh", "1000", "");
    fs::write(
        folder.path().join("b.sh"),
        "echo scenario,runIndex,timeNs\necho other,0,1000\n",
    )
    .unwrap();
    let output = folder.pairs(&["--base", "sh a.sh", "--current", "sh b.sh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("no benchmark in common"),
        "{}",
        errors(&output)
    );
}

// Only Linux lists processes in /proc.
#[cfg(target_os = "linux")]
#[test]
fn killed_measurement_leaves_no_process_and_no_worktree() {
    for paths in [&[][..], &["--two-paths"]] {
        let (folder, temporary) = (Folder::new(), tempfile::tempdir().unwrap());
        folder.git(&["init", "--quiet"]);
        let started = temporary.path().join("started");
        fs::write(
            folder.path().join("bench.sh"),
            format!("sleep 600 & echo $! $$ >{}\nwait\n", started.display()),
        )
        .unwrap();
        folder.git(&["add", "."]);
        folder.git(&["commit", "--quiet", "-m", "base"]);
        let mut command =
            folder.command(&[&["--base-ref", "HEAD"], paths, &["--", "sh", "bench.sh"]].concat());
        command
            .env("TMPDIR", temporary.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        soon("the benchmark runs", || {
            fs::read_to_string(&started).is_ok_and(|ids| ids.ends_with('\n'))
        });
        let ids = fs::read_to_string(&started).unwrap();
        assert!(ids.split_whitespace().all(is_running));
        running.kill().unwrap();
        running.wait().unwrap();
        soon("its processes are gone", || {
            !ids.split_whitespace().any(is_running)
        });
        fs::remove_file(&started).unwrap();
        soon("its files are gone", || {
            fs::read_dir(temporary.path()).unwrap().next().is_none()
        });
        soon("git knows of none", || {
            fs::read_dir(folder.path().join(".git/worktrees"))
                .map_or(true, |mut all| all.next().is_none())
        });
    }
}

/// Kills the measurement during git, a build and a process run, between them, and at the end.
#[cfg(target_os = "linux")]
#[test]
fn kills_at_random_moments_leave_nothing() {
    let (folder, temporary) = (Folder::new(), tempfile::tempdir().unwrap());
    folder.git(&["init", "--quiet"]);
    // The sleeping process leaves its group and must be found by its environment. Both sides change user files.
    let also =
        "setsid sleep 601 &\nsleep 0.02; echo >>kept; rm -f gone; mkdir -p new; echo >new/file";
    // Noisy, so that the measurement continues beyond the last kill.
    folder.harness("bench.sh", "$((1000 + $$ % 7 * 200))", also);
    for name in ["kept", "gone", "changed"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    folder.git(&["add", "bench.sh", "changed"]);
    folder.git(&["commit", "--quiet", "-m", "base"]);
    fs::write(folder.path().join("changed"), "since").unwrap();
    let before = contents(folder.path());
    let kills: u64 = std::env::var("PERF_GATE_KILLS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(20);
    for kill in 0..kills {
        let two_paths = (kill % 4 == 3).then_some("--two-paths");
        let arguments = [
            "--base-ref",
            "HEAD",
            "--build",
            "sleep 0.05",
            "--",
            "sh",
            "bench.sh",
        ];
        let arguments: Vec<&str> = two_paths.into_iter().chain(arguments).collect();
        let mut command = folder.command(&arguments);
        command
            .env("TMPDIR", temporary.path())
            .env("PERF_GATE_TEST", folder.path());
        let mut running = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Kills are spread irregularly over the first second.
        sleep(Duration::from_millis(kill * kill * 389 % 1_000));
        if two_paths.is_none() {
            assert_eq!(contents(folder.path()), before, "while it runs, {kill}");
        }
        running.kill().unwrap();
        running.wait().unwrap();
        soon("nothing of it runs", || of_test(folder.path()).is_empty());
        soon("its files are gone", || {
            fs::read_dir(temporary.path()).unwrap().next().is_none()
        });
        soon("git knows of none", || {
            fs::read_dir(folder.path().join(".git/worktrees"))
                .map_or(true, |mut all| all.next().is_none())
        });
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        assert!(
            !mounts.contains(&*folder.path().to_string_lossy()),
            "{mounts}"
        );
        if two_paths.is_none() {
            assert_eq!(contents(folder.path()), before, "after it, {kill}");
        } else {
            // With two paths, the head runs in the checkout itself.
            fs::write(folder.path().join("kept"), "kept").unwrap();
            fs::write(folder.path().join("gone"), "gone").unwrap();
            let _ = fs::remove_dir_all(folder.path().join("new"));
        }
    }
}

/// The contents of all files in a directory, except in git's worktrees.
#[cfg(target_os = "linux")]
fn contents(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() && !path.ends_with(".git/worktrees") {
                folders.push(path);
            } else if path.is_file() {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The processes with this directory in their environment: the measurement, its guardian and all their child processes.
#[cfg(target_os = "linux")]
fn of_test(folder: &Path) -> Vec<PathBuf> {
    let variable = format!("PERF_GATE_TEST={}", folder.display());
    let processes = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let is_of_test = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == variable.as_bytes())
    };
    processes.filter(is_of_test).collect()
}

/// A program that looks like a benchmark of Google Benchmark: it does some work in a function with such a name, and prints
/// a time that has nothing to do with that.
#[cfg(target_os = "linux")]
const WORK: &str = r###"
#[unsafe(export_name = "_Z6BM_SumRN9benchmark5StateE")]
#[inline(never)]
pub extern "C" fn sum(numbers: u64) -> u64 {
    let mut sum = 1;
    for number in 0..numbers {
        sum = std::hint::black_box(sum OPERATION (number | 1));
    }
    sum
}

#[used]
static OTHER: fn(u64) -> u64 = other;

#[inline(never)]
fn other(number: u64) -> u64 {
    std::hint::black_box(number) OTHER
}

fn main() {
    std::hint::black_box(("benchmark_filter", sum(std::hint::black_box(NUMBERS))));
    let row = |name, time: &str| format!(
        r##"{{"name": "{name}", "run_type": "iteration", "iterations": 1, "real_time": {time}, "cpu_time": {time}, "time_unit": "ns"}}"##
    );
    let mut rows = vec![row("BM_Sum", std::hint::black_box("TIME")); 10];
    if std::env::var_os("WITH_NOISE").is_some() {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let time = 200 + std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos() / 1000 % 400;
        rows.extend(vec![row("BM_Noise", &time.to_string()); 10]);
    }
    println!(r##"{{"context": {{"library_build_type": "release"}}, "benchmarks": [{}]}}"##, rows.join(","));
}
"###;

#[cfg(target_os = "linux")]
#[test]
#[ignore = "runs valgrind: `.ci/run slow`"]
fn slower_benchmark_whose_code_only_moved_is_inconclusive() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: there is no valgrind");
        return;
    }
    let folder = Folder::new();
    fs::remove_file(folder.path().join("perf-gate.toml")).unwrap();
    for (name, time, operation, numbers, other) in [
        ("base", "100.0", "+", "2_000_000", ""),
        ("moved", "110.0", "+", "2_000_000", "* number / 7"),
        ("far", "150.0", "+", "2_000_000", "* number / 7"),
        ("more", "110.0", "+", "2_100_000", ""),
        ("other", "110.0", "^", "2_000_000", ""),
    ] {
        let mut source = WORK.to_owned();
        for (word, text) in [
            ("TIME", time),
            ("OPERATION", operation),
            ("NUMBERS", numbers),
            (" OTHER\n", &format!(" {other}\n")),
        ] {
            source = source.replace(word, text);
        }
        fs::write(folder.path().join("bench.rs"), source).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2024", "-O", "-o", name, "bench.rs"]);
        assert!(rustc.current_dir(folder.path()).status().unwrap().success());
    }
    for (head, code) in [("./moved", 0), ("./far", 1), ("./more", 1), ("./other", 1)] {
        let output = folder.pairs(&["--base", "./base", "--current", head, "--exit-code"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{head}: {said}");
        let is_moved = said.contains("BM_Sum: code layout: base and head execute the same code");
        assert_eq!(is_moved, code == 0, "{said}");
        assert_eq!(said.contains("inconclusive: BM_Sum"), is_moved, "{said}");
    }
    // A regression would end the measurement after half of the time limit. The moved benchmark must not.
    let start = Instant::now();
    let sides = [
        "--base",
        "./base",
        "--current",
        "./moved",
        "--exit-code",
        "--time-limit",
        "20s",
    ];
    let output = folder
        .command(&sides)
        .env("WITH_NOISE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("BM_Sum: code layout"), "{said}");
    assert!(start.elapsed() >= Duration::from_secs(20), "{said}");
}
