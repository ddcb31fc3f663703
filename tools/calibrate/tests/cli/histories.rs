//! The sources of histories, and the selection of runs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use perf_config::Config;
use perf_model::suite::{Filter, Suite};
use perf_verdict::{Sides, Thresholds, Verdict, compare};

use crate::{counted, folder, history, json, run, text, text_of_history};

#[test]
fn pasted_limits_gate_everything_that_was_gated_before() {
    let folder = folder();
    let config = Config::parse(&counted(folder.path(), "counted.csv")).unwrap();
    let rows = |name: &str, rows: &str| {
        let path = folder.path().join(name);
        std::fs::write(
            &path,
            format!("scenario,platform,commit,runIndex,timeNs,allocations\n{rows}"),
        )
        .unwrap();
        perf_cli::load::read(&[&path], None, &config).unwrap().rows
    };
    let before = rows(
        "old.csv",
        "decode,x,a,-1,100,2\nen?ode,x,a,-1,100,2\nfresh,x,a,-1,100,2\nwild,x,a,-1,100,2\n",
    );
    let after = rows(
        "new.csv",
        "decode,x,b,-1,109,9\nen?ode,x,b,-1,160,2\nfresh,x,b,-1,160,2\nwild,x,b,-1,160,2\n",
    );
    let suite = |rows| Suite::new(rows, &config, &Filter::default());
    let (before, after) = (suite(&before), suite(&after));
    let compared = compare(
        &Sides::new(&after, &before),
        &config,
        Thresholds::of(&config),
    );
    let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
    let regressed = scenarios.flat_map(|scenario| {
        let metrics = scenario
            .metrics
            .iter()
            .filter(|one| one.judgement.verdict == Verdict::Regressed);
        metrics.map(|one| format!("{} {}", scenario.scenario, one.metric.name))
    });
    assert_eq!(
        regressed.collect::<Vec<_>>(),
        [
            "decode timeNs",
            "decode allocations",
            "en?ode timeNs",
            "fresh timeNs"
        ]
    );
}

#[test]
fn copies_are_ignored_regardless_of_dates() {
    let folder = folder();
    let mut dated = String::new();
    let mut copied = String::new();
    for (at, line) in history().lines().enumerate() {
        let day = |day: usize| format!("2031-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        if at == 0 {
            let _ = writeln!(dated, "{line},measuredAt");
            let _ = writeln!(copied, "{line},measuredAt");
            continue;
        }
        let commit = (at - 1) / 3;
        let _ = writeln!(dated, "{line},{}", day(2 * commit));
        let _ = writeln!(
            copied,
            "{line},{}\n{line},{}",
            day(2 * commit),
            day(2 * commit + 1)
        );
    }
    std::fs::create_dir(folder.path().join("copied")).unwrap();
    std::fs::write(folder.path().join("copied/base.csv"), copied).unwrap();
    let output = run(folder.path(), &["--history", "copied/base.csv"]);
    assert_eq!(
        text(&output.stderr),
        "note: ignored copies of earlier rows: 72\n"
    );
    assert_eq!(
        text(&output.stdout),
        text_of_history(folder.path(), "base.csv")
    );

    // In reverse order, rows are sorted by date, but one commit's rows keep their order.
    let (header, rows) = dated.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let turned: Vec<String> = rows.chunks(3).rev().map(|rows| rows.join("\n")).collect();
    let turned = format!("{header}\n{}\n", turned.join("\n"));
    std::fs::write(folder.path().join("copied/base.csv"), &turned).unwrap();
    let output = run(folder.path(), &["--history", "copied/base.csv"]);
    assert_eq!(
        text(&output.stderr),
        "warning: the dates in `copied/base.csv` are not in order: its rows are sorted by date\n"
    );
    assert_eq!(
        text(&output.stdout),
        text_of_history(folder.path(), "base.csv")
    );
    std::fs::write(
        folder.path().join("copied/base.csv"),
        turned.replacen("2031-02-19", "", 1),
    )
    .unwrap();
    let output = run(folder.path(), &["--history", "copied/base.csv"]);
    assert_eq!(
        text(&output.stderr),
        "warning: the dates in `copied/base.csv` are not in order, and some rows have none: its rows are used in file order\n"
    );
}

#[test]
fn exports_of_other_services_are_histories() {
    let folder = folder();
    let mut values = "suite,name,unixMs,commit,value,unit\n".to_owned();
    let mut entries = Vec::new();
    for (at, line) in history().lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let date = 1000 * (at / 3);
        let _ = writeln!(
            values,
            "{},{},{date},{},{},ns/iter",
            cells[1], cells[0], cells[2], cells[4]
        );
        entries.push(format!(
            r#"{{"commit": {{"id": "{}"}}, "date": {date}, "tool": "cargo", "benches": [
               {{"name": "{}", "value": {}, "unit": "ns/iter"}}]}}"#,
            cells[2], cells[0], cells[4]
        ));
    }
    std::fs::create_dir(folder.path().join("other")).unwrap();
    let path = folder.path().join("other/base.csv");
    let expected = text_of_history(folder.path(), "base.csv").replace(", linux)", ")");
    std::fs::write(&path, values).unwrap();
    assert_eq!(text_of_history(folder.path(), "other/base.csv"), expected);
    let script = format!(
        "window.BENCHMARK_DATA = {{\"entries\": {{\"a\": [{}]}}}}",
        entries.join(",")
    );
    std::fs::write(&path, script).unwrap();
    assert_eq!(text_of_history(folder.path(), "other/base.csv"), expected);
}

#[test]
fn slowdowns_of_noisy_rows_are_never_found() {
    let folder = folder();
    let output = run(
        folder.path(),
        &[
            "--history",
            "base.csv",
            "--rows",
            "wi*",
            "--json",
            "power.json",
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("no gate on single runs is useful"),
        "{printed}"
    );
    assert!(
        printed.contains("No limits for a single value are useful"),
        "{printed}"
    );
    let json = json(folder.path());
    assert_eq!(json["histories"][0]["recommended"], "pairs");
    let found = json["histories"][0]["historyConfirmed"]["found"]
        .as_array()
        .unwrap();
    assert!(
        found
            .iter()
            .all(|growth| growth["hits"] == 0 && growth["trials"] == 13),
        "{found:?}"
    );
}

/// Commits each version of the baseline, with one commit's rows each. One version changes no rows.
fn committed(folder: &Path) {
    let git = |arguments: &[&str]| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let output = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    git(&["init", "-q"]);
    let text = history();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    for (version, rows) in rows.chunks(3).enumerate() {
        let end = if version == 20 { "\n\n" } else { "\n" };
        std::fs::write(
            folder.join("now.csv"),
            format!("{header}\n{}{end}", rows.join("\n")),
        )
        .unwrap();
        git(&["add", "now.csv"]);
        git(&["commit", "-q", "-m", "baseline"]);
    }
}

#[test]
fn versions_in_git_are_a_history() {
    let folder = folder();
    committed(folder.path());
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_calibrate-perf-gate"));
    command
        .args(["--history-git", "30", "--baseline", "now.csv"])
        .current_dir(folder.path());
    let of_git = command.env("PATH", path).output().unwrap();
    assert_eq!(of_git.status.code(), Some(0), "{}", text(&of_git.stderr));
    let of_file = run(folder.path(), &["--history", "base.csv"]);
    assert_eq!(
        text(&of_git.stdout).replace("now:", "base:"),
        text(&of_file.stdout)
    );
}
