//! `bisect` and `backfill` in a repository whose benchmark prints a number from a file, so no test depends on the machine's
//! speed.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const BENCH: &str = "#!/bin/sh\n\
    printf 'scenario,platform,runIndex,timeNs,allocs\\nwork,linux,0,%s,7\\n' \"$(cat cost)\"\n\
    printf 'rest,linux,0,50,7\\n'\n";

struct Project(tempfile::TempDir);

impl Project {
    /// Creates a repository whose benchmark has this cost.
    fn new(cost: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.write("bench.sh", BENCH);
        project.commit("cost", cost, "Begin");
        project.git(&["tag", "good"]);
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Commits a file, and returns the commit's short ID.
    fn commit(&self, name: &str, text: &str, subject: &str) -> String {
        self.write(name, text);
        self.git(&["add", "bench.sh", name]);
        self.git(&["commit", "--quiet", "--message", subject]);
        self.git(&["rev-parse", "HEAD"])[..10].to_owned()
    }

    /// Adds commits that don't affect the benchmark.
    fn pass(&self, count: usize) {
        for _ in 0..count {
            let notes = fs::read_to_string(self.path().join("notes")).unwrap_or_default();
            self.commit("notes", &(notes + "note\n"), "Write a note");
        }
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = self.command("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments);
        let output = git.output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .env_remove("CARGO_TARGET_DIR");
        for name in ["GITHUB_SHA", "GITHUB_ACTIONS", "CI_COMMIT_SHA", "GIT_DIR"] {
            command.env_remove(name);
        }
        command
    }

    fn perf_gate(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_perf-gate"));
        command.args(arguments).args(["--", "sh", "bench.sh"]);
        command
    }

    /// The exit code and both outputs.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self.perf_gate(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }
}

#[test]
fn bisect_finds_commit_of_a_step() {
    let project = Project::new("1000");
    project.pass(5);
    let slow = project.commit("cost", "1100", "Parse twice");
    project.pass(7);
    project.write("cost", "5000");
    let (code, found, said) = project.run(&["bisect", "good..", "work"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        found.contains(&format!("  commit   {slow} Parse twice (Ada, ")),
        "{found}"
    );
    assert!(
        found.contains("work timeNs: +10.0% [+10.0%, +10.0%], worse"),
        "{found}"
    );
    assert!(
        said.contains("warning: the working tree has uncommitted changes"),
        "{said}"
    );
    assert!(
        found.contains(&format!("  look     git show {slow}")),
        "{found}"
    );
    assert!(found.contains("\n4 comparisons in "), "{found}{said}");
    let (_, json, _) = project.run(&["bisect", "good..", "--json", "-", "--quiet"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["benchmark"], "work");
    assert!(
        json["changes"][0]["commits"][0]["commit"]
            .as_str()
            .unwrap()
            .starts_with(&slow),
        "{json}"
    );
}

#[test]
fn all_finds_every_change_and_improvement() {
    let project = Project::new("1000");
    project.pass(2);
    let slow = project.commit("cost", "1300", "Parse twice");
    project.pass(3);
    let quick = project.commit("cost", "1250", "Parse less");
    project.pass(1);
    let (_, found, said) = project.run(&["bisect", "good..", "--all"]);
    let [first, second] =
        [&slow, &quick].map(|commit| found.find(&format!("{commit} made the change")));
    assert!(first.unwrap() < second.unwrap(), "{found}{said}");
    assert!(
        found.contains("+30.0%") && found.contains("−3.8%") && found.contains(", better"),
        "{found}"
    );
}

#[test]
fn failing_commits_are_skipped() {
    let project = Project::new("1000");
    project.pass(2);
    let first = project.commit("bench.sh", "exit 3", "Break it");
    let slow = project.commit("cost", "1300", "Parse twice");
    let last = project.commit("bench.sh", BENCH, "Repair it");
    project.pass(2);
    let (code, found, said) = project.run(&["bisect", "good.."]);
    assert_eq!(code, 0, "{said}");
    assert!(
        found.contains("one of these 3 commits made the change"),
        "{found}"
    );
    assert!(
        [&first, &slow, &last]
            .iter()
            .all(|commit| found.contains(*commit)),
        "{found}"
    );
    assert!(
        found.contains(&format!("skipped {slow}: the head")),
        "{found}"
    );
}

#[test]
fn bisect_finds_commit_in_merged_branch() {
    let project = Project::new("1000");
    project.git(&["checkout", "--quiet", "-b", "topic"]);
    project.commit("other", "1", "Begin the topic");
    let slow = project.commit("cost", "1300", "Parse twice");
    project.commit("other", "2", "End the topic");
    project.git(&["checkout", "--quiet", "main"]);
    project.pass(3);
    project.git(&[
        "merge",
        "--quiet",
        "--no-ff",
        "--message",
        "Merge the topic",
        "topic",
    ]);
    project.pass(3);
    let (_, found, said) = project.run(&["bisect", "good.."]);
    assert!(
        found.starts_with(&format!("{slow} made the change")),
        "{found}{said}"
    );
    assert!(
        said.contains("is a merge: searching its 3 commits"),
        "{said}"
    );
}

#[test]
fn equal_ends_exit_without_answer() {
    let project = Project::new("1000");
    project.pass(2);
    let (code, found, said) = project.run(&["bisect", "good..", "work"]);
    assert_eq!((code, &*found), (3, ""), "{said}");
    assert!(
        said.contains(": 8 pairs would have shown") && !said.contains("error:"),
        "{said}"
    );
}

#[test]
fn bisect_finds_one_percent_change() {
    let project = Project::new("1000");
    project.pass(3);
    let slow = project.commit("cost", "1016", "Parse a little more");
    project.pass(3);
    let (code, found, said) = project.run(&["bisect", "good..", "work"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        found.starts_with(&format!("{slow} made the change")),
        "{found}"
    );
}

#[test]
fn invalid_ranges_and_commands_are_errors() {
    let project = Project::new("1000");
    project.pass(2);
    let said = |arguments: &[&str]| {
        let (code, found, said) = project.run(arguments);
        assert_eq!((code, &*found), (2, ""), "{said}");
        said
    };
    assert!(said(&["bisect", "good..", "wrok"]).contains("hint: did you mean `work`?"));
    assert!(
        said(&["bisect", "good..", "--metric", "alocs"]).contains("hint: metrics: allocs, timeNs")
    );
    assert!(said(&["bisect", "good"]).contains("invalid range `good`"));
    assert!(said(&["bisect", "good..good"]).contains("both ends are the same commit"));
    assert!(said(&["bisect", "HEAD..good"]).contains("the reversed range has 2"));
    assert!(said(&["bisect", "none..HEAD"]).contains("unknown commit `none`"));
    project.commit("bench.sh", "exit 3", "Break it");
    assert!(said(&["bisect", "good.."]).contains("does not run"));
}

#[test]
fn interrupted_search_resumes() {
    let project = Project::new("1000");
    project.pass(6);
    let slow = project.commit("cost", "1100", "Parse twice");
    project.pass(8);
    let mut first = project
        .perf_gate(&["bisect", "good.."])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let state = project.path().join(".perf-gate/bisect.json");
    while !state.exists() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = first.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let stopped = first.wait_with_output().unwrap();
    let said = String::from_utf8(stopped.stderr).unwrap();
    assert_eq!(stopped.status.code(), Some(3), "{said}");
    assert!(
        said.contains("interrupted after ") && said.contains("hint: run the same command again"),
        "{said}"
    );
    let (code, found, said) = project.run(&["bisect", "good.."]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("continuing after ") && found.starts_with(&slow),
        "{said}{found}"
    );
    assert!(!state.exists() && project.git(&["status", "--porcelain"]).is_empty());
}

#[test]
fn backfill_writes_history_of_earlier_commits() {
    let project = Project::new("1000");
    for cost in 1001..1012 {
        project.commit("cost", &cost.to_string(), "Change little");
    }
    let (code, _, said) = project.run(&["backfill", "4"]);
    assert!(code == 0 && !said.contains("warning"), "{said}");
    let rows = || fs::read_to_string(project.path().join("perf-history.csv")).unwrap();
    assert_eq!(rows().lines().count(), 1 + 2 * 4, "{}", rows());
    let (_, _, said) = project.run(&["backfill", "12"]);
    assert!(
        !said.contains("4/12 ")
            && said.contains("5/12 ")
            && said.contains("contains 12 commits; 0"),
        "{said}"
    );
    let oldest = project.git(&["rev-parse", "good"]);
    assert!(
        rows()
            .lines()
            .any(|row| row.starts_with(&format!("work,linux,{oldest},-1,1000,7,"))),
        "{}",
        rows()
    );
    project.run(&["run", "--save"]);
    let stored = ["run", "--baseline", "perf-baseline.csv"];
    let unchanged = project.run(&stored);
    assert_eq!(unchanged.0, 0, "{}", unchanged.2);
    project.write("cost", "150000");
    let (code, report, said) = project.run(&stored);
    assert!(code == 1 && report.contains("work"), "{report}{said}");
    project.write("cost", "1011");
    // A slowdown that a single stored value could not detect.
    project.write(
        "now.csv",
        "scenario,platform,runIndex,timeNs\nwork,linux,0,1200\nrest,linux,0,50\n",
    );
    let mut compare = project.command(env!("CARGO_BIN_EXE_perf-gate"));
    compare.args([
        "compare",
        "-i",
        "now.csv",
        "-b",
        "perf-history.csv",
        "--history",
        "perf-history.csv",
    ]);
    let judged = compare.args(["--explain", "work"]).output().unwrap();
    let judged = String::from_utf8(judged.stdout).unwrap();
    assert!(
        judged.contains("Rule: history") && judged.contains("median of 12"),
        "{judged}"
    );
}

/// A benchmark that gets slower with each process run, by 1% of the first.
const DRIFTING: &str = "#!/bin/sh\n\
    launches=$(wc -l <\"$MACHINE\"); echo launch >>\"$MACHINE\"\n\
    cost=$(($(cat cost) * (100 + launches) / 100))\n\
    printf 'scenario,platform,runIndex,timeNs\\nwork,linux,0,%s\\n' $cost\n";

#[test]
fn backfilled_history_includes_noise_of_single_runs() {
    let project = Project::new("1000");
    project.commit("bench.sh", DRIFTING, "Measure on a busy machine");
    project.pass(1);
    project.commit("cost", "2000", "Parse twice");
    project.commit("cost", "1000", "Parse once");
    let machine = tempfile::NamedTempFile::new().unwrap();
    let mut backfill = project.perf_gate(&["backfill", "4"]);
    let done = backfill.env("MACHINE", machine.path()).output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let launches = fs::read_to_string(machine.path()).unwrap().lines().count();
    assert_eq!(launches, 4, "one of each commit");
    let rows = fs::read_to_string(project.path().join("perf-history.csv")).unwrap();
    let cost = |row: &str| row.split(',').nth(4)?.parse::<u32>().ok();
    let costs: Vec<u32> = rows.lines().filter_map(cost).collect();
    assert_eq!(
        costs,
        [1030, 1020, 2020, 1000],
        "the newest was first: {rows}"
    );
}

#[test]
fn backfill_rejects_output_of_working_tree_build() {
    let project = Project::new("1000");
    project.write(".gitignore", "dist\n");
    fs::create_dir(project.path().join("dist")).unwrap();
    project.write("dist/bench.js", "1200");
    project.commit(
        "bench.sh",
        &BENCH.replace("cat cost", "cat dist/bench.js"),
        "Run what the build made",
    );
    project.commit("source.c", "int a;", "Change the source");
    let (code, _, said) = project.run(&["backfill", "2"]);
    assert!(
        code == 0
            && said.contains("left out: it ran `dist/bench.js` from the working tree; set `build`"),
        "{said}"
    );
    assert!(
        said.contains("contains 1 commit; 1 could not be measured"),
        "{said}"
    );
}

#[test]
fn backfill_selects_tags_or_newest_commit_per_week() {
    let project = Project::new("1000");
    for (cost, date) in [
        (1001, "02T09"),
        (1002, "03T09"),
        (1003, "10T09"),
        (1004, "11T09"),
        (1005, "12T09"),
    ] {
        project.write("cost", &cost.to_string());
        let date = format!("2031-01-{date}:00:00Z");
        let mut commit = project.command("git");
        commit.args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=a@example.org",
            "commit",
            "-qam",
            "Change little",
        ]);
        assert!(
            commit
                .env("GIT_COMMITTER_DATE", date)
                .output()
                .unwrap()
                .status
                .success()
        );
        if cost == 1001 || cost == 1005 {
            project.git(&["tag", &format!("v{cost}")]);
        }
    }
    let costs = |options: &[&str]| {
        let (code, _, said) =
            project.run(&[&["backfill", "2", "--output", "rows.csv"], options].concat());
        assert_eq!(code, 0, "{said}");
        let rows = fs::read_to_string(project.path().join("rows.csv")).unwrap();
        fs::remove_file(project.path().join("rows.csv")).unwrap();
        let work = rows.lines().filter(|row| row.starts_with("work,"));
        work.map(|row| row.split(',').nth(4).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(costs(&["--tags"]), ["1001", "1005"]);
    assert_eq!(costs(&["--every", "week"]), ["1002", "1005"]);
}

#[test]
fn backfill_resumes_after_time_limit() {
    let project = Project::new("1000");
    project.pass(2);
    let (code, _, said) = project.run(&["backfill", "3", "--time-limit", "0.001s"]);
    assert!(
        code == 2 && said.contains("the time is up before 3 commits"),
        "{said}"
    );
    let mut first = project
        .perf_gate(&["backfill", "3"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let rows = project.path().join("perf-history.csv");
    while !rows.exists() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill")
            .args(["-INT", &first.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let stopped = first.wait_with_output().unwrap();
    let said = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        stopped.status.code() == Some(2) && said.contains("hint: run the same command again"),
        "{said}"
    );
    let (code, _, said) = project.run(&["backfill", "3"]);
    assert!(
        code == 0 && !said.contains("1/3 ") && said.contains("contains 3 commits; 0"),
        "{said}"
    );
}

#[test]
fn search_resumes_after_time_limit() {
    let project = Project::new("1000");
    project.pass(3);
    let slow = project.commit("cost", "1100", "Parse twice");
    project.pass(4);
    let (code, _, said) = project.run(&["bisect", "good..", "--time-limit", "0.001s"]);
    assert!(code == 3 && said.contains("the time is up"), "{said}");
    let (code, found, said) = project.run(&["bisect", "good..", "--time-limit", "10m"]);
    assert!(code == 0 && found.starts_with(&slow), "{found}{said}");
}
