//! The contract with scripts and report readers: result lines, exit codes, JSON, and the sources of both sides.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// A folder with files in which the program runs.
struct Project(TempDir);

struct Run {
    code: Option<i32>,
    lines: BTreeMap<String, String>,
    stdout: String,
    stderr: String,
    json: Value,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            project.write(name, content);
        }
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.path().join(name), content).unwrap();
    }

    fn git(&self, line: &str) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(line.split(' '));
        let output = git
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {line}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything, and returns the commit.
    fn commit(&self) -> String {
        self.git("add --all");
        self.git("commit --quiet --message Refresh");
        self.git("rev-parse HEAD")
    }

    fn run(&self, line: &str) -> Run {
        self.run_with(line, &[])
    }

    /// Runs the program with a JSON report, and no workflow variables except these.
    fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> Run {
        let _ = fs::remove_file(self.path().join("out.json"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_render-perf-deltas"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .envs(variables.iter().copied())
            .current_dir(self.path());
        let words = line.split(' ').filter(|word| !word.is_empty());
        let output = command
            .args(words)
            .args(["--json", "out.json"])
            .output()
            .unwrap();
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        let lines = stdout
            .lines()
            .chain(stderr.lines())
            .filter_map(|line| line.split_once('='));
        let json = fs::read(self.path().join("out.json")).unwrap_or_else(|_| b"null".to_vec());
        Run {
            code: output.status.code(),
            lines: lines
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            json: serde_json::from_slice(&json).unwrap(),
            stdout,
            stderr,
        }
    }
}

impl Run {
    /// Checks result lines, written as `key=value` between spaces, and the exit code.
    #[track_caller]
    fn is(&self, code: i32, expected: &str) -> &Self {
        for pair in expected.split(' ').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap();
            let found = self.lines.get(key).map(String::as_str);
            assert_eq!(
                found,
                Some(value),
                "{key} of\n{}\n{}",
                self.stdout,
                self.stderr
            );
        }
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks that the run failed with one error that contains these words.
    #[track_caller]
    fn fails(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{}\n{}", self.stdout, self.stderr);
        assert_eq!(
            self.stderr
                .lines()
                .filter(|line| line.starts_with("error:"))
                .count(),
            1,
            "{}",
            self.stderr
        );
        let missing: Vec<_> = words
            .iter()
            .filter(|word| !self.stderr.contains(*word))
            .collect();
        assert!(missing.is_empty(), "{missing:?} in\n{}", self.stderr);
        assert_eq!(self.json, Value::Null, "an error writes nothing");
    }

    #[track_caller]
    fn says(&self, word: &str, is_said: bool) -> &Self {
        assert_eq!(
            self.stderr.contains(word),
            is_said,
            "`{word}` in\n{}",
            self.stderr
        );
        self
    }
}

/// Rows for one commit: `name=milliseconds`, separated by spaces; an empty value was not measured.
fn rows(commit: &str, values: &str) -> String {
    let row = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap();
        format!("{name},linux,{commit},-1,{value}\n")
    };
    let rows: String = values.split(' ').map(row).collect();
    format!("scenario,platform,commit,runIndex,wallMs\n{rows}")
}

const LINE: &str = "--input run.csv --baseline-csv base.csv";

/// A project with both sides.
fn sides(base: &str, run: &str) -> Project {
    Project::new(&[
        ("base.csv", &rows("aaaaaaa", base)),
        ("run.csv", &rows("bbbbbbb", run)),
    ])
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
#[test]
fn fail_on_selects_failing_verdicts() {
    let cases = [
        // The base, the run, options, the exit code with `--exit-code`, result lines.
        (
            "a=10 b=20",
            "a=10 b=20",
            "",
            0,
            "changed=false regressed=false compared=2 new=0 missing=0 failed=",
        ),
        (
            "a=10 b=20",
            "a=30 b=20",
            "",
            1,
            "changed=true regressed=true compared=2 improved=0 failed=regressed",
        ),
        (
            "a=10 b=20",
            "a=30 b=20",
            "--fail-on none",
            0,
            "regressed=true failed=",
        ),
        (
            "a=10 b=20",
            "a=30 b=20",
            "--fail-on missing",
            0,
            "regressed=true failed=",
        ),
        (
            "a=10 b=20",
            "a=30",
            "",
            1,
            "missing=1 compared=1 failed=regressed,missing",
        ),
        (
            "a=10 b=20",
            "a=10",
            "",
            1,
            "missing=1 regressed=false failed=missing",
        ),
        (
            "a=10 b=20",
            "a=10",
            "--fail-on regressed",
            0,
            "missing=1 failed=",
        ),
        (
            "a=10 b=20",
            "a=10 b=5",
            "",
            0,
            "changed=true regressed=false improved=1 failed=",
        ),
        (
            "a=10 b=20",
            "a=10 b=5",
            "--fail-on improved",
            1,
            "improved=1 failed=improved",
        ),
        (
            "a=10 b=20",
            "a=10 b=20",
            "--fail-on improved,moved,new",
            0,
            "improved=0 failed=",
        ),
        (
            "a=10 b=20",
            "a=10 b=21",
            "--fail-on moved",
            1,
            "changed=true regressed=false failed=moved",
        ),
        (
            "a=10",
            "a=10 c=7",
            "",
            0,
            "new=1 missing=0 compared=1 failed=",
        ),
        ("a=10", "a=10 c=7", "--fail-on new", 1, "new=1 failed=new"),
        (
            "a=10",
            "c=7",
            "",
            1,
            "new=1 missing=1 compared=0 failed=nothing-compared,missing",
        ),
        ("a=10", "c=7", "--fail-on none", 0, "compared=0 failed="),
        (
            "a=10 b=20",
            "a=12 b=20",
            "--regression-threshold 0.1",
            1,
            "regressed=true failed=regressed",
        ),
        (
            "a=10 b=20",
            "a=10.1 b=20",
            "--tolerance 0.001",
            0,
            "changed=true regressed=false",
        ),
        (
            "a=10 b=20",
            "a=10.1 b=20",
            "",
            0,
            "changed=false regressed=false",
        ),
    ];
    for (base, run, options, code, expected) in cases {
        let project = sides(base, run);
        project
            .run(&format!("{LINE} {options} --exit-code"))
            .is(code, expected);
        let quiet = project.run(&format!("{LINE} {options} --output -"));
        quiet.is(0, expected);
        assert!(
            quiet.stdout.starts_with('#') && !quiet.stdout.contains("regressed="),
            "{}",
            quiet.stdout
        );
    }
}

#[test]
fn report_agrees_with_result_lines() {
    let run = sides("a=10 b=20 gone=1", "a=30 b=20 c=7").run(LINE);
    let json = &run.json;
    assert_eq!(
        (
            &json["regressed"],
            &json["counts"]["missing"],
            &json["counts"]["new"]
        ),
        (&true.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&json["baselineCommits"][0], &json["currentCommits"][0]),
        (&"aaaaaaa".into(), &"bbbbbbb".into())
    );
    let scope = &json["scopes"][0];
    assert_eq!(
        (&scope["scope"], &scope["new"][0]),
        (&"linux".into(), &"c".into())
    );
    let metric = &scope["scenarios"][0]["metrics"][0];
    assert_eq!(
        (&metric["baseline"], &metric["current"]),
        (&10.into(), &30.into()),
        "{metric}"
    );
}

#[test]
fn without_baseline_only_budgets_are_checked() {
    let budget = (
        "perf-gate.toml",
        "[[gates]]\nmetric = 'wallMs'\nmax = '20 ms'\n",
    );
    let required = ("perf-gate.toml", "required = ['b']\n");
    let run = ("run.csv", &*rows("", "a=30"));
    let only = Project::new(&[run]);
    only.run(&format!("{LINE} --exit-code"))
        .is(0, "compared=0 failed=")
        .says(
            "`perf-gate baseline --input run.csv --output base.csv`",
            true,
        );
    Project::new(&[run])
        .run(&format!("{LINE} --require-baseline"))
        .fails(&["base.csv", "hint: create it"]);
    Project::new(&[run, budget])
        .run(&format!("{LINE} --exit-code"))
        .is(1, "regressed=true failed=regressed");
    Project::new(&[run, required])
        .run(&format!("{LINE} --exit-code"))
        .is(1, "failed=required");
    let empty = ("base.csv", "scenario,platform,commit,runIndex,wallMs\n");
    Project::new(&[run, empty])
        .run(&format!("{LINE} --exit-code"))
        .is(0, "compared=0 new=0 failed=");
    let paired = Project::new(&[run, empty]).run(&format!("{LINE} --paired --exit-code"));
    paired
        .is(0, "compared=0 new=1 failed=")
        .says("error", false);
    let misspelt = Project::new(&[run, ("perf-baseline.csv", &rows("", "a=10"))]);
    misspelt
        .run("--input run.csv --baseline-csv perf-baselin.csv")
        .fails(&["`perf-baseline.csv`"]);
}

#[test]
fn newest_commit_of_rolling_baseline_is_used() {
    let file = |order: [&str; 2]| {
        let dated = |commit: &str| match commit {
            "1111111" => {
                "a,linux,1111111,-1,10,2026-01-01T00:00:00Z\nold,linux,1111111,-1,4,2026-01-01T00:00:00Z\n"
            }
            _ => "a,linux,2222222,-1,30,2026-02-01T00:00:00Z\n",
        };
        format!(
            "scenario,platform,commit,runIndex,wallMs,measuredAt\n{}{}",
            dated(order[0]),
            dated(order[1])
        )
    };
    for order in [["1111111", "2222222"], ["2222222", "1111111"]] {
        let base = file(order);
        let project = Project::new(&[("base.csv", &base), ("run.csv", &rows("", "a=30 old=4"))]);
        let newest = project.run(LINE);
        newest.is(0, "changed=false compared=2 new=0");
        assert!(
            newest.json["notes"].as_array().unwrap().is_empty(),
            "an ordinary comparison has no note: {}",
            newest.json
        );
        project
            .run(&format!("{LINE} --baseline-commit 2222222"))
            .is(0, "changed=false compared=1 new=1");
        project
            .run(&format!("{LINE} --baseline-commit 1111"))
            .is(0, "regressed=true compared=2");
    }
    let unknown = Project::new(&[
        ("base.csv", &file(["1111111", "2222222"])),
        ("run.csv", &rows("", "a=30")),
    ]);
    unknown
        .run(&format!("{LINE} --baseline-commit 3333"))
        .fails(&["3333", "`2222222`, `1111111`"]);
    let similar = rows("1111111", "a=10") + "b,linux,1111222,-1,10\n";
    let ambiguous = Project::new(&[("base.csv", &similar), ("run.csv", &rows("", "a=30"))]);
    ambiguous
        .run(&format!("{LINE} --baseline-commit 1111"))
        .fails(&["several commits"]);
}

#[test]
fn baseline_and_history_come_from_git() {
    let project = sides("a=10", "a=13");
    project.git("init --quiet --initial-branch main");
    // The committed versions alternate between 10 and 13, so 13 is within their normal range.
    for at in 0..11 {
        let value = if at % 2 == 0 { 10 } else { 13 };
        project.write(
            "base.csv",
            &rows(&format!("{at:07}"), &format!("a={value}")),
        );
        project.commit();
    }
    project.write("base.csv", &rows("ccccccc", "a=4"));
    // `--baseline-git` uses the committed file, not the file in the folder.
    let line = "--input run.csv --baseline-git main:base.csv";
    let metric = |run: &Run| run.json["scopes"][0]["scenarios"][0]["metrics"][0].clone();
    assert_eq!(metric(&project.run(line))["baseline"], 10);
    assert_eq!(metric(&project.run(LINE))["baseline"], 4);
    project
        .run("--input run.csv --baseline-git main~99:base.csv")
        .fails(&["main~99"]);
    let absent = project.run("--input run.csv --baseline-git main:other.csv");
    absent.is(0, "compared=0").says("main:other.csv", true);
    let tight = "--regression-threshold 0.1 --exit-code";
    project
        .run(&format!("{line} {tight}"))
        .is(1, "regressed=true");
    project
        .run(&format!("{line} --history-git 20 {tight}"))
        .is(0, "regressed=false");
    let piped = project.run("--input run.csv --baseline-csv - --history-git 3");
    assert_eq!(piped.code, Some(2), "{}", piped.stderr);
}

#[test]
fn history_files_are_sorted_by_date() {
    let day = |day: usize, value: f64| {
        format!("a,linux,{day:07},-1,{value},2026-01-{day:02}T00:00:00Z\n")
    };
    let days: Vec<String> = (1..=20)
        .map(|at| day(at, if at % 2 == 0 { 10.0 } else { 12.5 }))
        .collect();
    let head = "scenario,platform,commit,runIndex,wallMs,measuredAt\n";
    let (first, last) = (
        head.to_owned() + &days[..10].concat(),
        head.to_owned() + &days[10..].concat(),
    );
    let base = head.to_owned() + &days[19];
    let project = Project::new(&[
        ("base.csv", &base),
        ("1.csv", &first),
        ("2.csv", &last),
        ("run.csv", &rows("", "a=12.5")),
    ]);
    let [one, other] = ["1.csv 2.csv", "2.csv 1.csv"].map(|files| {
        let run = project.run(&format!(
            "{LINE} --regression-threshold 0.1 --history {files}"
        ));
        run.is(0, "regressed=false");
        run.json
    });
    assert_eq!(one, other);
    project
        .run(&format!("{LINE} --regression-threshold 0.1"))
        .is(0, "regressed=true");
    project
        .run(&format!("{LINE} --history absent.csv"))
        .fails(&["absent.csv"]);
    // A lasting step: the newer level is normal.
    let level = |at: u8| if at <= 15 { 10.0 } else { 12.5 } + f64::from(at % 3) / 100.0;
    let days: Vec<String> = (1..=30).map(|at| day(at.into(), level(at))).collect();
    project.write("1.csv", &(head.to_owned() + &days[..15].concat()));
    project.write("2.csv", &(head.to_owned() + &days[15..].concat()));
    project.write("base.csv", &(head.to_owned() + &days[29]));
    let [one, other] = ["1.csv 2.csv", "2.csv 1.csv"].map(|files| {
        project
            .run(&format!("{LINE} --history {files}"))
            .is(0, "regressed=false")
            .json
            .clone()
    });
    assert_eq!(one, other);
}

#[test]
fn confirmation_runs_must_be_other_runs_of_same_commit() {
    let stable: String = (0..20)
        .map(|at| format!("a,linux,{at:07},-1,{}\n", 10.0 + f64::from(at % 3) / 100.0))
        .collect::<Vec<_>>()
        .concat();
    let history = format!("scenario,platform,commit,runIndex,wallMs\n{stable}");
    let project = sides("a=10", "a=11.8");
    for (name, content) in [
        ("history.csv", history),
        ("slow.csv", rows("bbbbbbb", "a=11.9")),
        ("fast.csv", rows("bbbbbbb", "a=10.01")),
        ("copy.csv", rows("bbbbbbb", "a=11.8")),
        ("other.csv", rows("ddddddd", "a=11.9")),
        ("nameless.csv", rows("", "a=11.9")),
    ] {
        project.write(name, &content);
    }
    let line = format!("{LINE} --history history.csv");
    let alone = project.run(&line);
    alone.is(0, "confirm=1 regressed=false");
    let nameless = project.run(&format!("{line} --confirm nameless.csv"));
    nameless
        .is(0, "confirm=1 regressed=false")
        .says("`nameless.csv`: 1 row left out", true);
    let copied = project.run(&format!("{line} --confirm copy.csv"));
    copied
        .is(0, "confirm=1 regressed=false")
        .says("`copy.csv`", true);
    project
        .run(&format!("{line} --confirm slow.csv"))
        .is(0, "confirm=0 regressed=true")
        .says("left out", false);
    let refuted = project.run(&format!("{line} --confirm fast.csv --output -"));
    refuted.is(0, "regressed=false");
    assert!(
        refuted.stdout.contains("not confirmed"),
        "{}",
        refuted.stdout
    );
    project
        .run(&format!("{line} --confirm other.csv"))
        .fails(&["other.csv", "ddddddd", "bbbbbbb"]);
}

#[test]
fn machine_types_are_compared_separately() {
    let file = |rows: &str| format!("scenario,platform,runIndex,machineClass,wallMs\n{rows}");
    let one = file("a,linux,-1,x64 4 cores,10\nb,linux,-1,x64 4 cores,20\n");
    let both = file("a,linux,-1,x64 4 cores,10\nb,linux,-1,arm 8 cores,20\n");
    let twice = file("a,linux,-1,x64 4 cores,10\na,linux,-1,arm 8 cores,10\n");
    let other = file("a,linux,-1,arm 8 cores,40\nb,linux,-1,arm 8 cores,40\n");
    let cases = [
        (&one, &one, 0, "compared=2 failed="),
        (&one, &both, 1, "compared=1 failed=not-compared"),
        (&one, &twice, 1, "missing=1 failed=not-compared,missing"),
        (&one, &other, 0, "compared=0 regressed=false failed="),
    ];
    for (base, run, code, expected) in cases {
        let project = Project::new(&[("base.csv", base), ("run.csv", run)]);
        project
            .run(&format!("{LINE} --exit-code"))
            .is(code, expected);
        project
            .run(&format!("{LINE} --exit-code --fail-on none"))
            .is(0, "failed=");
    }
    let barred = Project::new(&[("base.csv", &one), ("run.csv", &both)]).run(LINE);
    barred
        .says("`arm 8 cores`", true)
        .says("`x64 4 cores`", false);
}

#[test]
fn changed_benchmark_files_are_listed() {
    let project = Project::new(&[
        ("perf-gate.toml", "[harness]\npaths = ['benches/**']\n"),
        ("lib.rs", "1"),
    ]);
    project.git("init --quiet --initial-branch main");
    fs::create_dir(project.path().join("benches")).unwrap();
    project.write("benches/a.rs", "1");
    let commit = project.commit();
    project.write("lib.rs", "2");
    for at in 1..=7 {
        project.write(&format!("benches/{at}.rs"), "2");
    }
    project.commit();
    project.write("run.csv", &rows("", "a=10"));
    project.write("base.csv", &rows(&commit, "a=10"));
    let run = project.run(LINE);
    run.says("7 benchmark files", true)
        .says("`benches/1.rs`", true)
        .says("`benches/5.rs` and 2 more", true);
    run.says("lib.rs", false).says("`benches/6.rs`", false);
    project.write("base.csv", &rows("", "a=10"));
    project.run(LINE).says("benches/", false);
}

#[test]
fn doubtful_passing_results_have_warnings() {
    let project = sides("a=10 b=20 c=30", "a=10 b=20 c=30");
    project
        .run(LINE)
        .says("identical to the baseline", true)
        .is(0, "changed=false");
    sides("a=10 b=20 c=30", "a=10 b=20 c=30.5")
        .run(LINE)
        .says("identical to the baseline", false);
    sides("a=10 b=20", "a=10 b=20")
        .run(LINE)
        .says("identical to the baseline", false);
    sides("a=10 b=20", "a=10 b=20")
        .run(&format!("{LINE} --paired"))
        .says("no rows are paired", true);
    let launches = |from: u32| {
        (0..24)
            .map(|at| format!("a,linux,,{at},{}\n", from + at % 3))
            .collect::<Vec<_>>()
            .concat()
    };
    let file = |from| {
        format!(
            "scenario,platform,commit,runIndex,wallMs\n{}",
            launches(from)
        )
    };
    let paired = Project::new(&[("base.csv", &file(100)), ("run.csv", &file(101))]);
    paired
        .run(&format!("{LINE} --paired"))
        .says("order within each pair", true)
        .says("no rows are paired", false);
    paired.run(LINE).says("pair", false);
    let none = sides("a=10", "a=11");
    none.write("perf-gate.toml", "gates = []\n");
    let warned = none.run(LINE);
    warned.says("nothing here can fail", true);
    assert!(
        warned.json["notes"]
            .to_string()
            .contains("Nothing here can fail"),
        "{}",
        warned.json
    );
    sides("a=10", "a=11")
        .run(LINE)
        .says("nothing here can fail", false);
    let wide = sides("a=10", "a=11");
    let limit = "--regression-threshold 1500%";
    wide.run(&format!("{LINE} {limit}"))
        .fails(&["self-test", "`wallMs` of `a`", "`[[gates]]`"]);
    sides("a=10", "a=11")
        .run(&format!("{LINE} --scope mac"))
        .fails(&["linux"]);
    let both = sides("a=10", "a=11");
    both.run(LINE).says("no baseline row", false);
    both.write("run.csv", &rows("", "a=11").replace("linux", "mac"));
    let other = both.run(&format!("{LINE} --scope mac --exit-code"));
    other
        .is(1, "compared=0 new=1 failed=nothing-compared")
        .says("no baseline row", true);
}

#[test]
fn report_links_workflow_run_and_shows_reproduce_command() {
    let workflow = [
        ("GITHUB_SERVER_URL", "https://github.example"),
        ("GITHUB_REPOSITORY", "octo/quill"),
        ("GITHUB_RUN_ID", "77"),
    ];
    let project = sides("a=10", "a=30");
    let line = format!("{LINE} --tolerance 0.05 --output report.md --comment comment.md");
    project.run_with(&line, &workflow);
    let report = || fs::read_to_string(project.path().join("report.md")).unwrap();
    let text = report();
    assert_eq!(
        fs::read_to_string(project.path().join("comment.md")).unwrap(),
        text
    );
    for link in [
        "https://github.example/octo/quill/actions/runs/77",
        "https://github.example/octo/quill/commit/bbbbbbb",
    ] {
        assert!(text.contains(link), "{link} in\n{text}");
    }
    assert!(
        text.contains("perf-gate compare --input run.csv --baseline base.csv --tolerance 0.05"),
        "{text}"
    );
    project.run(&line);
    assert!(!report().contains("https://github.example"), "{}", report());
    project.run(&format!("{line} --max-length 600"));
    assert!(report().chars().count() <= 600 && report().len() < text.len());
}

#[test]
fn explain_suggests_nearest_benchmark() {
    let project = sides("decode_small=10 gone=5", "decode_small=30 fresh=5");
    let run = project.run(&format!("{LINE} --explain decode_small"));
    run.is(0, "regressed=true").says("regressed=true", true);
    assert!(
        run.stdout.contains("decode_small") && !run.stdout.contains("regressed=true"),
        "{}",
        run.stdout
    );
    project
        .run(&format!("{LINE} --explain decode_smll"))
        .fails(&["`decode_small`"]);
    assert!(
        project
            .run(&format!("{LINE} --explain fresh"))
            .stdout
            .contains("fresh: new")
    );
    assert!(
        project
            .run(&format!("{LINE} --explain gone"))
            .stdout
            .contains("gone: in the baseline")
    );
}

#[test]
fn outputs_never_overwrite_inputs() {
    let lines = [
        (format!("{LINE} --output run.csv"), "`run.csv`"),
        (format!("{LINE} --comment base.csv"), "`base.csv`"),
        (format!("{LINE} --confirm run.csv"), "`run.csv`"),
        ("--input - --baseline-csv -".to_owned(), "only once"),
        (
            format!("{LINE} --explain a --output -"),
            "taken by `--explain`",
        ),
        (
            format!("{LINE} --output-format json --output -"),
            "taken by `--output -`",
        ),
    ];
    for (line, word) in lines {
        let project = sides("a=10", "a=30");
        project.run(&line).fails(&[word]);
        assert_eq!(
            fs::read_to_string(project.path().join("run.csv")).unwrap(),
            rows("bbbbbbb", "a=30"),
            "{line}"
        );
    }
}

#[test]
fn renames_apply_to_every_side() {
    let renamed = "[rows.renamed]\nold = \"new\"\n";
    let before = rows("aaaaaaa", "old=10 other=5");
    let project = Project::new(&[
        ("perf-gate.toml", renamed),
        ("base.csv", &before),
        ("slow.csv", &rows("bbbbbbb", "new=20 other=5")),
        ("fast.csv", &rows("bbbbbbb", "new=10.1 other=5")),
        // A branch from before the rename.
        ("older.csv", &rows("ccccccc", "old=10.1 other=5")),
        ("confirm.csv", &rows("bbbbbbb", "old=20.1 other=5.1")),
        ("both.csv", &rows("bbbbbbb", "new=10.1 old=10.2 other=5")),
        (
            "rolling.csv",
            &(before.clone() + "new,linux,bbbbbbb,-1,20\n"),
        ),
    ]);
    project.git("init --quiet");
    let base = project.commit();
    let git = format!("--baseline-git {base}:base.csv --history-git 30");
    for baseline in ["--baseline-csv base.csv", &git] {
        let line = |run: &str| format!("--input {run} {baseline} --exit-code");
        for (run, code) in [("fast.csv", 0), ("older.csv", 0), ("slow.csv", 1)] {
            let found = project.run(&line(run));
            found.is(code, "missing=0 new=0 compared=2");
        }
        // Two benchmarks that ran side by side stay separate.
        let found = project.run(&line("both.csv"));
        found.is(0, "missing=0 new=1 compared=2");
    }
    let line = "--input slow.csv --baseline-csv base.csv --confirm confirm.csv --exit-code";
    project.run(line).is(1, "regressed=true missing=0 new=0");
    let line = "--input slow.csv --baseline-csv rolling.csv --exit-code";
    project.run(line).is(0, "regressed=false missing=0 new=0");
}

#[test]
fn red_log_lists_every_failing_benchmark() {
    let project = Project::new(&[
        (
            "base.csv",
            &rows("aaaaaaa", "parse=1 encode=2 gone=3 noisy=4"),
        ),
        (
            "run.csv",
            &rows("bbbbbbb", "parse=1 encode=5 noisy=9 added=1"),
        ),
    ]);
    let line = "--input run.csv --baseline-csv base.csv --exit-code";
    let failing = "regressed: encode: 2 → 5 ms (+150% slower than the baseline); limit +33%\n\
                   regressed: noisy: 4 → 9 ms (+125% slower than the baseline); limit +33%\n\
                   missing: gone\n";
    for form in [
        "",
        "--quiet",
        "--output -",
        "--output-format json",
        "--output-format table",
    ] {
        let found = project.run(&format!("{line} {form}"));
        let listed: String = found
            .stderr
            .lines()
            .filter(|line| line.starts_with("regressed: ") || line.starts_with("missing: "))
            .flat_map(|line| [line, "\n"])
            .collect();
        let listed = listed.replace('\u{a0}', " ");
        assert_eq!((found.code, &*listed), (Some(1), failing), "{form}");
    }
    // A passing run lists nothing.
    let passed = project.run(&format!("{line} --fail-on improved"));
    assert!(!passed.stderr.contains("encode:"), "{}", passed.stderr);

    let many: Vec<String> = (0..3000).map(|at| format!("case{at:04}")).collect();
    let all = |time: u32| {
        let pairs = many.iter().map(|name| format!("{name}={time}"));
        pairs.collect::<Vec<_>>().join(" ")
    };
    project.write("base.csv", &rows("aaaaaaa", &all(1)));
    project.write("run.csv", &rows("bbbbbbb", &all(4)));
    let found = project.run(line);
    let listed = found
        .stderr
        .lines()
        .filter(|line| line.starts_with("regressed: "));
    assert_eq!(listed.count(), 200);
    assert!(
        found
            .stderr
            .contains("and 2,800 more benchmarks; `--json` lists all")
    );
}

#[test]
fn shown_numbers_are_measured_numbers() {
    // Half of the process runs fall below the clock's resolution.
    let ticks = |commit: &str, zeros: usize| {
        let header = "scenario,platform,commit,runIndex,timeMs\n".to_owned();
        (0..20).fold(header, |text, run| {
            let time = if run < zeros { "0" } else { "15.625" };
            text + &format!("open,windows,{commit},{run},{time}\n")
        })
    };
    let project = Project::new(&[
        ("base.csv", &ticks("aaaaaaa", 10)),
        ("run.csv", &ticks("bbbbbbb", 9)),
    ]);
    let found = project.run("--input run.csv --baseline-csv base.csv --output -");
    let metric = &found.json["scopes"][0]["scenarios"][0]["metrics"][0];
    assert_eq!(metric["current"], 15.625);
    let row = found
        .stdout
        .lines()
        .find(|line| line.contains("`open`") && line.starts_with('|'));
    assert!(
        row.is_some_and(|row| row.contains("15.6")),
        "{}",
        found.stdout
    );
}

#[test]
fn stale_results_are_listed_and_not_green() {
    let project = Project::new(&[]);
    let result = |name: &str, days: u64| {
        let folder = project.path().join("criterion").join(name).join("new");
        fs::create_dir_all(&folder).unwrap();
        let estimate =
            r#"{"confidence_interval":{"lower_bound":80,"upper_bound":80},"point_estimate":80}"#;
        let files = [
            (
                "benchmark.json",
                format!(r#"{{"group_id":"{name}","full_id":"{name}","throughput":null}}"#),
            ),
            (
                "sample.json",
                r#"{"sampling_mode":"Flat","iters":[2,2],"times":[160,160]}"#.to_owned(),
            ),
            (
                "estimates.json",
                format!(r#"{{"mean":{estimate},"slope":null,"std_dev":{estimate}}}"#),
            ),
        ];
        for (file, text) in files {
            let path = folder.join(file);
            fs::write(&path, text).unwrap();
            let age = std::time::Duration::from_secs(days * 86_400);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
        }
    };
    for name in ["a", "b", "c", "d", "e"] {
        result(name, 0);
    }
    let base = "scenario,commit,timeNs
a,aaaaaaa,80
b,aaaaaaa,80
c,aaaaaaa,80
d,aaaaaaa,80
e,aaaaaaa,80
";
    project.write("base.csv", base);
    let line = "--input criterion --baseline-csv base.csv --output - --exit-code";
    let fresh = project.run(line);
    assert!(!fresh.stdout.contains("older"), "{}", fresh.stdout);
    for name in ["a", "b", "c", "d"] {
        result(name, 3);
    }
    let stale = project.run(line);
    let text = "result is 3 days older than the newest one in its folder, so it is probably from an earlier run";
    let headline = stale.stdout.lines().next().unwrap_or_default();
    assert!(
        headline.starts_with("### ⚠️ perf-gate: `a`, `b`, `c` and 1 more: "),
        "{headline}"
    );
    assert!(headline.contains(text), "{headline}");
    assert_eq!(stale.stderr.matches(text).count(), 1, "{}", stale.stderr);
    assert_eq!(stale.json["findings"][0]["kind"], "stale");
}

#[test]
fn undetermined_review_is_a_warning() {
    let project = Project::new(&[
        ("perf-gate.toml", "[review]\npaths = [\"src/\"]\n"),
        ("run.csv", &rows("bbbbbbb", "parse=1")),
        ("base.csv", &rows("", "parse=1")),
    ]);
    let found =
        |project: &Project| project.run("--input run.csv --baseline-csv base.csv --output -");
    let warning = "cannot tell whether the hot path (`[review]`) changed: ";
    project.git("init --quiet");
    let commit = project.commit();
    found(&project).says("the baseline does not specify a commit", true);
    project.write("base.csv", &rows("aaaaaaa", "parse=1"));
    found(&project).says(warning, true).says("git fetch", true);
    project.write("base.csv", &rows(&commit, "parse=1"));
    found(&project).says(warning, false);

    project.git("commit --quiet --allow-empty --message Later");
    let from = format!(
        "clone --quiet --depth 1 file://{} shallow",
        project.path().display()
    );
    project.git(&from);
    let files = ["base.csv", "run.csv"];
    let shallow = Project(tempfile::tempdir().unwrap());
    fs::rename(project.path().join("shallow"), shallow.path().join("clone")).unwrap();
    let clone = shallow.path().join("clone");
    for file in files {
        fs::copy(project.path().join(file), clone.join(file)).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_render-perf-deltas"))
        .args(["--input", "run.csv", "--baseline-csv", "base.csv"])
        .current_dir(&clone)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains(warning) && stderr.contains("fetch-depth: 0"),
        "{stderr}"
    );
}

/// One benchmark's rows, with a value for each of these days in January 2026.
fn earlier(values: &[f64]) -> String {
    let rows = (1..)
        .zip(values)
        .map(|(day, value)| format!("a,linux,{day:07x},-1,{value},2026-01-{day:02}T00:00:00Z\n"));
    let header = "scenario,platform,commit,runIndex,timeNs,measuredAt\n";
    header.to_owned() + &rows.collect::<String>()
}

#[test]
fn identical_sizes_confirm_but_identical_times_are_a_copy() {
    for (metric, is_copy) in [("B/op", false), ("gas", false), ("timeNs", true)] {
        let row = |value: &str| format!("scenario,platform,{metric}\na,linux,{value}\n");
        let project = Project::new(&[
            ("b.csv", &row("96")),
            ("c.csv", &row("960")),
            ("k.csv", &row("960")),
        ]);
        let run = project.run("--input c.csv --baseline-csv b.csv --confirm k.csv");
        assert_eq!(run.stderr.contains("left out"), is_copy, "{metric}");
    }
}

#[test]
fn noise_that_hides_a_doubling_fails_as_inconclusive() {
    let wild: Vec<f64> = [0.6, 2.9, 1.1, 0.5, 3.4].map(|one| 100.0 * one).repeat(4);
    let row = |commit: &str| format!("scenario,platform,commit,timeNs\na,linux,{commit},100\n");
    let project = Project::new(&[
        ("h.csv", &earlier(&wild)),
        ("b.csv", &row("aaaaaaa")),
        ("c.csv", &row("bbbbbbb")),
    ]);
    let line = "--input c.csv --baseline-csv b.csv --history h.csv --exit-code";
    let run = project.run(line);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr
            .contains("Cannot tell: noise would hide a doubling in 1 of 1 benchmark"),
        "{}",
        run.stderr
    );
    let run = project.run(&format!("{line} --fail-on inconclusive"));
    assert_eq!((run.code, &*run.lines["failed"]), (Some(1), "inconclusive"));
}

#[test]
fn failed_rows_are_findings_of_the_report() {
    let project = Project::new(&[
        (
            "b.csv",
            "scenario,platform,commit,runIndex,timeMs\na,linux,x1,-1,100\n",
        ),
        (
            "c.csv",
            "scenario,platform,commit,runIndex,timeMs,outcome\na,linux,x2,0,20,failed\na,linux,x2,1,100,measured\n",
        ),
    ]);
    let run = project.run("--input c.csv --baseline-csv b.csv");
    assert_eq!(run.lines["inconclusive"], "1");
    assert_eq!(run.json["findings"][0]["kind"], "partly-failed");
    assert_eq!(run.json["findings"][0]["scenario"], "a");
}

#[test]
fn failure_on_other_platform_or_commit_hides_no_regression() {
    let run =
        "scenario,platform,commit,runIndex,timeMs\na,linux,ccc,-1,500\na,windows,ccc,-1,500\n";
    let head = "scenario,platform,commit,runIndex,timeMs,outcome\n";
    for (baseline, regressed, new) in [
        (
            "a,linux,bbb,-1,100,measured\na,windows,bbb,-1,-1,failed\n",
            "true",
            1,
        ),
        // A rolling file: each platform's newest commit is used.
        (
            "a,linux,aaa,-1,-1,failed\na,windows,aaa,-1,100,measured\na,linux,bbb,-1,100,measured\n",
            "true",
            0,
        ),
        (
            "a,linux,bbb,-1,-1,failed\na,windows,bbb,-1,-1,failed\n",
            "false",
            2,
        ),
    ] {
        let project = Project::new(&[("b.csv", &format!("{head}{baseline}")), ("c.csv", run)]);
        let run = project.run("--input c.csv --baseline-csv b.csv --exit-code");
        assert_eq!(
            run.lines["regressed"], regressed,
            "{baseline}{}",
            run.stderr
        );
        assert_eq!(run.json["counts"]["new"], new, "{baseline}");
        let listed = run.json["findings"].as_array().map_or(0, Vec::len);
        assert_eq!(listed, new, "{baseline}");
    }
    // The requested commit is used.
    let baseline = format!("{head}a,linux,aaa,-1,-1,failed\na,linux,bbb,-1,100,measured\n");
    let project = Project::new(&[("b.csv", &baseline), ("c.csv", run)]);
    let line = "--input c.csv --baseline-csv b.csv --baseline-commit bbb --exit-code";
    assert_eq!(project.run(line).code, Some(1));
}

#[test]
fn refuted_tenfold_slowdown_is_not_green() {
    let history: Vec<f64> = (0..12).map(|at| 10.0 + 0.1 * f64::from(at % 3)).collect();
    let project = Project::new(&[
        ("h.csv", &earlier(&history).replace("timeNs", "wallMs")),
        ("base.csv", &rows("aaaaaaa", "a=10 b=5")),
        ("k.csv", &rows("bbbbbbb", "a=10.1 b=5.1")),
    ]);
    let line = format!("{LINE} --history h.csv --confirm k.csv --output -");
    for (run, icon) in [("a=100 b=5", "### ⚠️ "), ("a=13 b=5", "### ✅ ")] {
        project.write("run.csv", &rows("bbbbbbb", run));
        let found = project.run(&line);
        assert!(found.stdout.starts_with(icon), "{}", found.stdout);
        assert!(found.stdout.contains("not confirmed"), "{}", found.stdout);
    }
}
