//! Verdicts of `run`, and `explain` and `accept` for the last run.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::run::project::{BENCH, FAST, Project, SLOW};

/// The first note of a run, which describes its base.
fn base_note(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("note: "))
        .unwrap_or_default();
    // Hashes differ between test runs.
    let mut words = Vec::new();
    for word in line.split(' ') {
        let inner = word
            .trim_start_matches('(')
            .trim_end_matches([')', ',', ':']);
        let is_hash = inner.len() == 7 && inner.chars().all(|c| c.is_ascii_hexdigit());
        words.push(if is_hash {
            word.replace(inner, "HASH")
        } else {
            word.to_owned()
        });
    }
    words.join(" ")
}

#[test]
fn run_chooses_base_and_shows_it() {
    let project = Project::new(1000);
    project.git(&["checkout", "--quiet", "-b", "main"]);
    project.commit();
    let run = |code| base_note(&project.ends(&["run", "--", "sh", "bench.sh"], code));
    let mut said = vec![run(0)];
    project.rate(500);
    said.push(run(1));
    project.commit();
    said.push(run(1));
    project.git(&["checkout", "--quiet", "-b", "topic"]);
    project.rate(250);
    project.commit();
    project.write("unrelated", "1");
    project.commit();
    said.push(run(1));
    let named = ["run", "--base", "HEAD~1", "--", "sh", "bench.sh"];
    said.push(base_note(&project.ends(&named, 0)));
    project.git(&["revert", "--no-edit", "HEAD"]);
    project.git(&["checkout", "--quiet", "--detach"]);
    project.git(&["branch", "--delete", "--force", "main"]);
    said.push(run(0));
    insta::assert_snapshot!(said.join("\n"), @"
    nothing changed since HEAD (HASH), the first commit: this is an A/A check of unchanged code
    comparing uncommitted changes with HEAD (HASH)
    comparing HEAD (HASH) with HEAD~1 (HASH)
    comparing HEAD (HASH) with its merge base with main (HASH)
    comparing this checkout with HEAD~1 (HASH)
    comparing HEAD (HASH) with HEAD~1 (HASH)
    ");
}

#[test]
fn base_with_changes_of_its_own_gets_a_note() {
    let project = Project::new(1000);
    project.git(&["checkout", "--quiet", "-b", "main"]);
    project.commit();
    project.git(&["checkout", "--quiet", "-b", "topic"]);
    project.git(&["checkout", "--quiet", "main"]);
    project.rate(999);
    project.commit();
    project.git(&["checkout", "--quiet", "topic"]);
    let hint = "`main` has commits of its own; leave them out with `--base ";
    let run = |base| project.ends(&["run", "--base", base, "--", "sh", "bench.sh"], 0);
    let said = String::from_utf8_lossy(&run("main").stderr).into_owned();
    assert!(said.contains(hint), "{said}");
    let said = String::from_utf8_lossy(&run("HEAD").stderr).into_owned();
    assert!(!said.contains("leave them out"), "{said}");
}

#[test]
fn unchanged_code_is_reported_as_a_a_check() {
    let project = Project::new(1000);
    project.commit();
    project.git(&["commit", "--quiet", "--allow-empty", "--message", "Nothing"]);
    let output = project.ends(&["run", "--", "sh", "bench.sh"], 0);
    let said = base_note(&output);
    assert!(
        said.contains("nothing changed since HEAD~1 (HASH): this is an A/A check"),
        "{said}"
    );
}

#[test]
fn shallow_clone_without_base_fails() {
    let project = Project::new(1000);
    project.commit();
    project.rate(1001);
    project.commit();
    let shallow = Project(tempfile::tempdir().unwrap());
    let from = format!("file://{}", project.path().display());
    shallow.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    let output = shallow.ends(&["run", "--", "sh", "bench.sh"], 2);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("hint: fetch more commits"), "{said}");
}

#[test]
fn new_benchmark_has_no_base() {
    let project = Project::new(1000);
    project.write(".gitignore", "runs\nbench.sh\n");
    project.commit();
    project.write(".gitignore", "runs\n");
    project.commit();
    let output = project.ends(&["run", "--", "sh", "bench.sh"], 0);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("1 benchmark only in this run"), "{table}");
}

#[test]
fn log_lists_every_failed_benchmark() {
    let project = Project::new(1000);
    let suite = BENCH.replace(
        "Decode,linux,0,%s\\n",
        "Decode,linux,0,%s\\nEncode,linux,0,%s\\n",
    );
    project.write(
        "bench.sh",
        &suite.replace("\"$rate\"", "\"$rate\" \"$rate\""),
    );
    project.commit();
    project.rate(500);
    let output = project.ends(&["run", "--", "sh", "bench.sh"], 1);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(
        table.contains("Decode") && table.contains("Encode"),
        "{table}"
    );
    let log = String::from_utf8_lossy(&output.stderr);
    for word in ["seed", "unpacking", "/tmp/", "regressed="] {
        assert!(!log.contains(word), "{word}: {log}");
    }
    project.ends(&["run", "--exit-zero", "--", "sh", "bench.sh"], 0);
}

#[test]
fn output_of_a_failed_benchmark_is_shown() {
    let project = Project::new(1000);
    project.write(
        "bench.sh",
        "echo \"on stdout\"; echo \"on stderr\" >&2; exit 3\n",
    );
    let said = |arguments: &[&str]| {
        let output = project.ends(arguments, 2);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let stored = said(&["run", "--", "sh", "bench.sh"]);
    project.commit();
    let paired = said(&["run", "--", "sh", "bench.sh"]);
    for log in [stored, paired] {
        assert!(log.contains("on stderr"), "{log}");
    }
}

#[test]
fn misspelt_baseline_is_an_error() {
    let project = Project::new(1000);
    project.commit();
    let output = project.ends(
        &["run", "--baseline", "nosuch.csv", "--", "sh", "bench.sh"],
        2,
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("`nosuch.csv` does not exist"), "{stderr}");
}

#[test]
fn history_without_a_baseline_is_an_error() {
    let project = Project::new(1000);
    let history =
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,aaaaaaa,0,1000\n";
    project.write("perf-history.csv", history);
    let output = project.ends(&["run", "--", "sh", "bench.sh"], 2);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "`perf-baseline.csv` does not exist";
    assert!(stderr.contains(expected), "{stderr}");
    project.ends(&["run", "--save", "--", "sh", "bench.sh"], 0);
    project.ends(&["run", "--", "sh", "bench.sh"], 0);
}

#[test]
fn red_run_of_uncommitted_changes_suggests_commands_that_work() {
    let project = Project::new(FAST);
    project.commit();
    project.rate(SLOW);
    let output = project.ends(&["run", "--output", "report.md", "--", "sh", "bench.sh"], 1);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("hint: `perf-gate explain BENCHMARK`"),
        "{stderr}"
    );
    let report = project.read("report.md");
    assert!(
        report.contains("\nperf-gate why Decode --base "),
        "{report}"
    );
    assert!(
        !report.contains("perf-gate bisect") && !report.contains("--explain"),
        "{report}"
    );
}

#[test]
fn command_is_not_timed_if_its_output_has_unreadable_results() {
    let project = Project::new(1000);
    let unreadable = "printf 'name,value\nparse,200\nformat,100\n'\n";
    project.write("bench.sh", unreadable);
    project.commit();
    let run = ["run", "--base", "HEAD", "--", "sh", "bench.sh"];
    let output = project.ends(&run, 2);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let (_, error) = stderr.split_once("): ").unwrap();
    let (_, error) = error.split_once("): ").unwrap();
    insta::assert_snapshot!(error, @r"
    the output of `sh bench.sh` cannot be read as benchmark results
    hint: the closest format is `csv`: its output contains a column without a unit: add one to its name, such as `_ns`; or rename the first column to `scenario` and set `better` in `[metrics]`
    hint: to time the command itself, redirect its output to /dev/null
    ");
    project.write("bench.sh", &format!("exec >/dev/null; {unreadable}"));
    project.commit();
    let output = project.perf_gate(&[
        "run",
        "--base",
        "HEAD",
        "--time-limit",
        "3s",
        "--",
        "sh",
        "bench.sh",
    ]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("the whole command is timed"), "{stderr}");
}

#[test]
fn command_as_fast_as_the_no_op_is_measured() {
    let project = Project::new(1000);
    project.commit();
    let run = ["run", "--base", "HEAD", "--time-limit", "3s", "--", "true"];
    let output = project.perf_gate(&run);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("the whole command is timed"), "{stderr}");
}

#[test]
fn slow_head_of_a_fast_base_regresses() {
    let project = Project::new(1000);
    project.write("bench.sh", "");
    project.commit();
    project.write("bench.sh", "sleep 0.5\n");
    let run = ["run", "--time-limit", "40s", "--", "sh", "bench.sh"];
    project.ends(&run, 1);
}

#[test]
fn untracked_data_missing_in_the_base_is_reported() {
    let project = Project::new(FAST);
    project.write(
        "bench.sh",
        &BENCH.replace("echo run", "cat \"$1\" || exit 1; echo run"),
    );
    project.commit();
    project.write("data.txt", "");
    project.rate(SLOW);
    let run = ["run", "--build", "true", "--", "sh", "bench.sh", "data.txt"];
    let output = project.ends(&run, 2);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("hint: the base does not contain `data.txt`"),
        "{said}"
    );
}

#[test]
fn compare_uses_the_configured_baseline() {
    let project = Project::new(FAST);
    project.store_baseline();
    for (rate, code) in [(FAST + 1, 0), (SLOW, 1)] {
        project.write(
            "now.csv",
            &format!("scenario,platform,runIndex,decodesPerSecond\nDecode,linux,0,{rate}\n"),
        );
        project.ends(&["compare", "--exit-code", "--input", "now.csv"], code);
    }
    project.commit();
    let files = ["compare", "perf-baseline.csv", "now.csv"];
    project.ends(&[&files[..], &["--history-git", "5"]].concat(), 1);
    project.ends(&["compare"], 2);
}

#[test]
fn limit_is_share_or_percentage() {
    let project = Project::new(1000);
    let rows =
        |rate| format!("scenario,platform,runIndex,decodesPerSecond\nDecode,linux,0,{rate}\n");
    project.write("base.csv", &rows(1000));
    for limit in ["0.2", "\"20%\""] {
        let gate = format!(
            "[[gates]]\nmetric = \"decodesPerSecond\"\nrule = \"limit\"\nlimit = {limit}\n"
        );
        project.write("perf-gate.toml", &gate);
        for (rate, code) in [(810, 0), (790, 1)] {
            project.write("now.csv", &rows(rate));
            project.ends(
                &[
                    "compare",
                    "--exit-code",
                    "--input",
                    "now.csv",
                    "--baseline",
                    "base.csv",
                ],
                code,
            );
        }
    }
}

#[test]
fn waiver_covers_twice_the_slowdown() {
    let project = Project::new(FAST);
    project.ends(&["accept", "Decode", "--reason", "known"], 2);
    project.store_baseline();
    project.ends(&["run"], 0);
    let config = project.read("perf-gate.toml");
    project.ends(&["accept", "--all", "--reason", "none"], 2);
    project.rate(100 * SLOW);
    project.ends(&["run"], 1);
    project.ends(&["accept", "Dec"], 2);
    let past = ["--reason", "known", "--until", "2020-01-01"];
    project.ends(&[&["accept", "Dec"], &past[..]].concat(), 2);
    assert_eq!(project.read("perf-gate.toml"), config);
    project.ends(&["accept", "Dec", "--reason", "reads comments too"], 0);
    let waived = project.read("perf-gate.toml");
    assert!(
        waived.starts_with(&config) && waived.contains("up-to = 199"),
        "{waived}"
    );
    // Accepting it again adds no second waiver.
    let until = &waived[waived.find("until = ").unwrap() + 8..][..10];
    let again = ["accept", "Dec", "--reason", "another"];
    project.ends(&again, 0);
    project.ends(&[&again[..], &["--until", until]].concat(), 0);
    let refused = project.ends(&[&again[..], &["--until", "9999-01-01"]].concat(), 2);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains(&format!("already accepted until {until}")),
        "{said}"
    );
    assert_eq!(project.read("perf-gate.toml"), waived);
    project.ends(&["run"], 0);
    project.rate(SLOW);
    project.ends(&["run"], 1);
    project.ends(&["accept", "Dec", "--rebaseline"], 0);
    project.write("perf-gate.toml", &config);
    project.ends(&["run"], 0);
}

#[test]
fn all_accepts_several_slowdowns() {
    let project = Project::new(FAST);
    let suite = BENCH.replace(
        "Decode,linux,0,%s\\n",
        "Decode,linux,0,%s\\nEncode,linux,0,%s\\nPing,linux,0,9\\n",
    );
    project.write(
        "bench.sh",
        &suite.replace("\"$rate\"", "\"$rate\" \"$rate\""),
    );
    project.store_baseline();
    let config = project.read("perf-gate.toml");
    project.rate(SLOW);
    project.ends(&["run"], 1);
    let names = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("scenario"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for chosen in [&["Enc", "Dec"][..], &["--all"]] {
        project.write("perf-gate.toml", &config);
        project.ends(&[&["accept", "--reason", "known"], chosen].concat(), 0);
        assert_eq!(
            names(&project.read("perf-gate.toml")),
            "scenario = \"Decode\" scenario = \"Encode\""
        );
    }
    // A waiver with another date does not prevent the others.
    project.write("perf-gate.toml", &config);
    project.ends(&["accept", "--reason", "known", "Dec"], 0);
    let all = [
        "accept",
        "--reason",
        "known",
        "--all",
        "--until",
        "2999-01-01",
    ];
    let output = project.ends(&all, 0);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("warning: `Decode` is already accepted until "),
        "{said}"
    );
    assert!(said.contains("added a waiver for `Encode` to"), "{said}");
    assert_eq!(
        names(&project.read("perf-gate.toml")),
        "scenario = \"Decode\" scenario = \"Encode\""
    );
    let refused = project.ends(&["accept", "--reason", "known", "Dec", "Ping"], 2);
    let nothing = "there is nothing to accept: `Ping` did not regress in the last run";
    assert!(String::from_utf8_lossy(&refused.stderr).contains(nothing));
    project.ends(&["run"], 0);
    project.write("perf-gate.toml", &config);
    project.ends(&["run"], 1);
    project.ends(&["accept", "--all", "--rebaseline"], 0);
    project.ends(&["run"], 0);
}

#[test]
fn accept_suggests_renamed_benchmark() {
    let project = Project::new(1000);
    project.store_baseline();
    project.write("bench.sh", &BENCH.replace("Decode,", "Decode_all,"));
    let output = project.ends(&["run"], 1);
    let said = String::from_utf8_lossy(&output.stderr);
    let renamed = "`Decode` was probably renamed to `Decode_all`";
    let command = "`perf-gate accept Decode --renamed-to Decode_all`";
    assert!(said.contains(renamed) && said.contains(command), "{said}");
    for wrong in [
        &["Decoed", "--renamed-to", "Decode_all"][..],
        &["Decode", "--renamed-to", "Decode"],
    ] {
        project.ends(&[&["accept"], wrong].concat(), 2);
    }
    project.commit();
    let config = project.read("perf-gate.toml");
    project.write("perf-gate.toml", &format!("{config}[rows]\nrenamed = 1\n"));
    project.ends(&["accept", "Decode", "--renamed-to", "Decode_all"], 2);
    for rows in ["", "[rows]\nrenamed = {}\n"] {
        project.write("perf-gate.toml", &format!("{config}{rows}"));
        project.ends(&["accept", "Decode", "--renamed-to", "Decode_all"], 0);
    }
    project.ends(&["run"], 0);
    let history = project.ends(&["history", "--output", "-"], 0);
    let history = String::from_utf8(history.stdout).unwrap();
    assert!(
        history.contains("\nDecode_all,") && !history.contains("\nDecode,"),
        "{history}"
    );
    // Names that differ in a number are different benchmarks.
    project.write("bench.sh", &BENCH.replace("Decode,", "Decode_all2,"));
    let output = project.ends(&["run"], 1);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("renamed"));
}

#[test]
fn renamed_benchmark_is_compared_without_a_baseline() {
    let project = Project::new(1000);
    let line = |name: &str, time: u32| format!("echo 'Benchmark{name}-2 9 {time} ns/op'\n");
    project.write("bench.sh", &line("Sum", 2234));
    project.commit();
    project.write("bench.sh", &line("Total", 2234));
    let run = ["run", "--time-limit", "5s", "--", "sh", "bench.sh"];
    // Base and head have no benchmark in common.
    project.ends(&run, 2);
    let rename = ["BenchmarkSum", "--renamed-to", "BenchmarkTotal"];
    project.ends(&[&["accept"], &rename[..]].concat(), 0);
    project.ends(&run, 0);
    project.write("bench.sh", &line("Total", 2934));
    let output = project.ends(&run, 1);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("regressed  +31% slower"), "{table}");
}

#[test]
fn commands_in_report_of_two_files_name_both() {
    let project = Project::new(1000);
    project.write("base file.csv", "scenario,ns\nparse,100\n");
    project.write("head.csv", "scenario,ns\nparse,180\n");
    let files = ["compare", "base file.csv", "head.csv"];
    project.ends(&[&files[..], &["--output", "report.md"]].concat(), 1);
    let report = project.read("report.md");
    let explain = "\nperf-gate compare 'base file.csv' head.csv --explain parse\n";
    assert!(report.contains(explain), "{report}");
    assert!(
        report.contains("\nperf-gate why parse --base BASE -- COMMAND\n"),
        "{report}"
    );
    let explained = project.ends(&[&files[..], &["--explain", "parse"]].concat(), 1);
    let explained = String::from_utf8_lossy(&explained.stdout);
    assert!(explained.contains("parse: regressed"), "{explained}");
}

#[test]
fn run_builds_before_it_measures() {
    let project = Project::new(FAST);
    project.write("bench.sh", &BENCH.replace("cat rate", "cat built"));
    project.write(
        "perf-gate.toml",
        "[run]\ncommand = \"sh bench.sh\"\nbuild = \"cp rate built\"\n",
    );
    project.ends(&["run", "--save"], 0);
    project.rate(SLOW);
    project.ends(&["run"], 1);
}

#[test]
fn rows_get_checked_out_commit() {
    let project = Project::new(1000);
    project.commit();
    project.ends(&["run", "--save", "--", "sh", "bench.sh"], 0);
    let head = project
        .command("git")
        .args(["rev-parse", "HEAD"])
        .output()
        .unwrap()
        .stdout;
    let head = String::from_utf8(head).unwrap();
    assert!(
        project
            .read("perf-baseline.csv")
            .contains(&format!("Decode,linux,{},", head.trim()))
    );
}

#[test]
fn base_ref_measures_base_and_head() {
    let project = Project::new(1000);
    project.commit();
    project.rate(500);
    project.ends(&["run", "--base-ref", "HEAD", "--", "sh", "bench.sh"], 1);
    project.rate(1001);
    project.ends(&["run", "--base-ref", "HEAD", "--", "sh", "bench.sh"], 0);
    project.ends(
        &["run", "--base-ref", "no-such-ref", "--", "sh", "bench.sh"],
        2,
    );
}

#[test]
fn unknown_commit_error_shows_cause() {
    let refused = |project: &Project, commit: &str| {
        let output = project.ends(&["run", "--base-ref", commit, "--", "sh", "bench.sh"], 2);
        let said = String::from_utf8(output.stderr).unwrap();
        let lines = said
            .lines()
            .filter(|line| !line.contains("machine is busy"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let project = Project::new(1000);
    insta::assert_snapshot!(refused(&project, "HEAD"), @"
    error: unknown commit `HEAD`
    hint: this repository has no commits yet: commit first
    ");
    project.commit();
    insta::assert_snapshot!(refused(&project, "v1"), @"
    error: unknown commit `v1`
    hint: fetch it with `git fetch`
    ");
    project.git(&["tag", "version-1"]);
    insta::assert_snapshot!(refused(&project, "versoin-1"), @"
    error: unknown commit `versoin-1`
    hint: did you mean `version-1`?
    ");
    project.rate(1001);
    project.commit();
    let shallow = Project(tempfile::tempdir().unwrap());
    let from = format!("file://{}", project.path().display());
    shallow.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    insta::assert_snapshot!(refused(&shallow, "HEAD~1"), @"
    error: unknown commit `HEAD~1`
    hint: this clone is shallow: fetch more commits with `git fetch --unshallow`
    ");
    fs::remove_dir_all(shallow.path().join(".git")).unwrap();
    let outside = refused(&shallow, "HEAD");
    assert!(
        outside.contains("` is not in a git repository\n"),
        "{outside}"
    );
}

#[test]
fn ci_examples_write_report_and_fail_on_regression() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .join("examples/ci");
    let files: Vec<_> = fs::read_dir(examples)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 4, "{files:?}");
    let project = Project::new(1000);
    project.write(".gitignore", "runs\nreport.md\n");
    project.commit();
    project.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let program = env!("CARGO_BIN_EXE_perf-gate");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.split_once("perf-gate run "))
            .unwrap()
            .1;
        let line = line
            .trim_end_matches('\'')
            .trim_end_matches(" || status=$$?")
            .replace("$$", "$");
        let line = line.strip_suffix("-- cargo bench --bench parse").unwrap();
        for (rate, code, icon) in [(1000, 0, "✅"), (500, 1, "❌")] {
            project.rate(rate);
            let script = format!("{program} run {line} -- sh bench.sh");
            let output = project
                .command("sh")
                .args(["-c", &script])
                .output()
                .unwrap();
            assert_eq!(
                output.status.code(),
                Some(code),
                "{}: {output:?}",
                file.display()
            );
            let report = project.read("report.md");
            assert!(
                report.starts_with(&format!("### {icon}")),
                "{}: {report}",
                file.display()
            );
        }
    }
}

#[test]
fn accept_refuses_a_benchmark_that_did_not_regress() {
    let project = Project::new(FAST);
    project.store_baseline();
    let config = project.read("perf-gate.toml");
    // Slower, but within the limit of 33%.
    project.rate(FAST / 5 * 4);
    project.ends(&["run"], 0);
    let refused = project.ends(&["accept", "Decode", "--reason", "known"], 2);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("there is nothing to accept: `Decode`"),
        "{said}"
    );
    assert_eq!(project.read("perf-gate.toml"), config);
}

#[test]
fn undecided_run_hints_at_the_time_that_it_needs() {
    let project = Project::new(1000);
    project.write(
        "bench.sh",
        &BENCH.replace("echo run", "sleep 0.6; echo run"),
    );
    project.commit();
    project.rate(1001);
    let output = project.ends(&["run", "--time-limit", "8s", "--", "sh", "bench.sh"], 0);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("of 8 pairs fit into"), "{said}");
    let (_, hint) = said
        .split_once("note: the next analysis needs 8 pairs: `--time-limit ")
        .unwrap();
    let (seconds, rest) = hint.split_once("s` ").unwrap();
    assert!(seconds.parse::<u32>().unwrap() >= 10, "{said}");
    assert!(rest.starts_with("should be enough\n"), "{said}");
    // Without pairs, a longer limit does not help.
    project.store_baseline();
    project.write("bench.sh", &BENCH.replace("cat rate", "echo 500"));
    let output = project.ends(&["run", "--no-confirm"], 0);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("note: `perf-gate explain BENCHMARK` shows why"),
        "{said}"
    );
}

#[test]
fn interrupted_run_does_not_blame_the_time_limit() {
    let project = Project::new(1000);
    let bench = BENCH.replace("echo run", "sleep 0.3; echo run");
    project.write(
        "bench.sh",
        &format!("{bench}[ $(wc -l <runs) != 5 ] || kill -TERM $(cat pid)\n"),
    );
    project.write(".gitignore", "runs\npid\n");
    project.commit();
    project.rate(1001);
    let program = env!("CARGO_BIN_EXE_perf-gate");
    let script = format!("echo $$ >pid; exec {program} run --time-limit 60s -- sh bench.sh");
    let output = project
        .command("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("interrupted "), "{said}");
    assert!(
        !said.contains("fit into") && !said.contains("--time-limit"),
        "{said}"
    );
}

#[test]
fn command_that_compiles_within_the_time_limit_gets_a_hint() {
    let project = Project::new(1000);
    project.write("bench.sh", &BENCH.replace("echo run", "sleep 2; echo run"));
    project.commit();
    let output = project.ends(&["run", "--time-limit", "1s", "--", "sh", "bench.sh"], 2);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("or compile before, with `--build`"), "{said}");
}

#[test]
fn timing_of_a_whole_command_is_reported_once() {
    let project = Project::new(1000);
    project.write("bench.sh", "sleep 0.01\n");
    project.commit();
    let run = ["run", "--time-limit", "2s", "--", "sh", "bench.sh"];
    let note = "note: the command prints no benchmark results, so the whole command is timed";
    let said = |output: Output| {
        String::from_utf8_lossy(&output.stderr)
            .matches(note)
            .count()
    };
    assert_eq!(said(project.perf_gate(&run)), 1);
    project.write("perf-gate.toml", "[run]\nmeasure = \"process\"\n");
    assert_eq!(said(project.perf_gate(&run)), 0);
}

#[test]
fn filter_without_a_match_lists_benchmarks() {
    let project = Project::new(1000);
    let rows = "scenario,platform,commit,runIndex,parseNs\nParse,linux,aaaaaaa,0,10\n";
    project.write("a.csv", rows);
    let hint = |filter: &str| {
        let output = project.ends(&["compare", "a.csv", "a.csv", "--filter", filter], 2);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(hint("benchmark=parse").contains("hint: did you mean `Parse`?"));
    assert!(hint("benchmark=x*").contains("hint: known names: `Parse`"));
    assert!(hint("platform=win*").contains("hint: the rows' platforms are `linux`"));
}
