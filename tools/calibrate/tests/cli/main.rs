//! Output of `calibrate-perf-gate` for a small simulated history.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod day;
mod histories;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use calibrate::random::RandomStream;
use insta::assert_snapshot;
use tempfile::TempDir;

/// 24 commits of two rows that vary by 1% and a very noisy one.
fn history() -> String {
    let mut random = RandomStream::new(11, 0);
    let mut text = "scenario,platform,commit,runIndex,timeNs\n".to_owned();
    for commit in 0..24 {
        for (scenario, stray) in [("decode", 0.01), ("encode", 0.01), ("wild", 1.0)] {
            let time = 1000.0 * (stray * random.normal()).exp();
            let _ = writeln!(text, "{scenario},linux,c{commit},-1,{time:.3}");
        }
    }
    text
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calibrate-perf-gate"));
    command.args(arguments).current_dir(folder).env_clear();
    // Windows cannot start programs without `SystemRoot`.
    command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("base.csv"), history()).unwrap();
    folder
}

#[test]
fn history_results_in_a_conclusion_and_rates() {
    let folder = folder();
    let output = run(
        folder.path(),
        &[
            "--history",
            "base.csv",
            "--json",
            "power.json",
            "--toml",
            "gates.toml",
        ],
    );
    assert_eq!(
        (output.status.code(), &*text(&output.stderr)),
        (Some(0), "")
    );
    let printed = text(&output.stdout);
    assert!(
        printed
            .lines()
            .skip(1)
            .all(|line| line.chars().count() <= 100),
        "{printed}"
    );
    assert_snapshot!(printed, @"
    At your noise even a +100% slowdown is found only 6 times in 10; 0 of 13 pull requests would have failed wrongly.
    Recommended: history, confirmed by a run on another runner.

    base: 24 runs, replayed as 13 pull requests
    Assumed: a confirmation run in the same job shares 90% of the first run's noise (simulated).

                                    failed wrongly   found   found   found   found  found
                                          in 1,000    +10%    +20%    +33%    +50%  +100%
    one value, fixed limit                     385     15%     15%     54%     85%    87%
                                            73–793  5.9–31  5.9–31   27–79   69–94  70–97
    one value, own limits                        0     64%     69%     69%     69%    69%
                                             0–247   47–79   52–83   52–83   52–83  52–83
    history, no confirmation                    77    2.6%    2.6%    7.7%     10%    69%
                                           0.2–478  0.0–20  0.0–20  0.0–52  0.3–45  52–83
    history, run in the same job                77     69%     69%     69%     69%    72%
                                           0.2–478   52–83   52–83   52–83   52–83  55–85
    history, run on another runner               0     67%     67%     67%     67%    67%
                                             0–247   50–81   50–81   50–81   50–81  50–81
    history, interleaved pairs                  77     69%     69%     69%     69%    77%
                                           0.2–478   52–83   52–83   52–83   52–83  61–89
    below each: 95% intervals, from blocks of pull requests

    Pull requests that fail, confirmed by a run in the same job: 1 wrongly, 0 rightly (lasting),
    0 for a change merged before; inconclusive: 5; with an environment shift: 0
      wrongly, 1×: wild (timeNs, linux)
    ");
    assert_snapshot!(std::fs::read_to_string(folder.path().join("gates.toml")).unwrap(), @r#"
    # limits for a gate with a single baseline value; omit them with a history
    # (`--history-git`, `--history`), because they would only hide regressions
    # they replace the default rules of their metrics; the entries without `scenarios` restore
    # those for all other benchmarks
    # too noisy for a useful limit: "wild", "timeNs" (less than +3512% could be noise); this one only detects breakage

    [[gates]]
    metric = "timeNs"
    rule = "limit"
    limit = 0.07
    scenarios = [
        "decode",
    ]

    [[gates]]
    metric = "timeNs"
    rule = "limit"
    limit = 0.08
    scenarios = [
        "encode",
    ]

    [[gates]]
    metric = "timeNs"
    rule = "limit"
    limit = "3513%"
    scenarios = [
        "wild",
    ]

    [[gates]]
    metric = "timeNs"
    rule = "limit"
    "#);
    let json = json(folder.path());
    assert_eq!(json["schema"], 1);
    let history = &json["histories"][0];
    assert_eq!(
        (&history["pullRequests"], &history["confirm"]),
        (&13.into(), &"same-job".into())
    );
    assert_eq!(history["historyConfirmed"]["found"][6]["trials"], 39);
    let again = run(folder.path(), &["--history", "base.csv"]);
    assert_eq!(again.stdout, output.stdout);
}

fn json(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("power.json")).unwrap()).unwrap()
}

#[test]
fn confirmation_determines_assumption_and_rates() {
    let folder = folder();
    for (how, assumed) in [
        ("same-job", "shares 90% of the first run's noise"),
        (
            "other-runner",
            "as independent of the first as the next run on main",
        ),
        ("pairs", "Assumed: pairs refute"),
    ] {
        let output = run(
            folder.path(),
            &[
                "--history",
                "base.csv",
                "--confirm",
                how,
                "--json",
                "power.json",
            ],
        );
        assert!(text(&output.stdout).contains(assumed), "{how}");
        assert_eq!(json(folder.path())["histories"][0]["confirm"], how);
    }
}

/// 52 commits of eight rows. One row is 40% slower in two single runs, and another stays slower after a change.
fn unlucky() -> String {
    let mut random = RandomStream::new(5, 0);
    let mut text = "scenario,platform,commit,runIndex,timeNs\n".to_owned();
    for commit in 0..52 {
        for row in 0..8 {
            let luck = if row == 2 && [20, 33].contains(&commit) {
                1.4
            } else {
                1.0
            };
            let change = if row == 5 && commit >= 40 { 1.6 } else { 1.0 };
            let time = 1000.0 * luck * change * (0.01 * random.normal()).exp();
            let _ = writeln!(text, "row{row},linux,c{commit},-1,{time:.3}");
        }
    }
    text
}

#[test]
fn second_run_in_the_same_job_confirms_bad_luck() {
    let folder = folder();
    std::fs::write(folder.path().join("unlucky.csv"), unlucky()).unwrap();
    let wrong = |how: &str| {
        run(
            folder.path(),
            &[
                "--history",
                "unlucky.csv",
                "--confirm",
                how,
                "--trials",
                "1",
                "--json",
                "power.json",
            ],
        );
        let history = json(folder.path())["histories"][0].clone();
        let lasting = history["lasting"].as_array().unwrap().clone();
        // A merged regression stays suspected for some runs.
        assert!(
            lasting.iter().all(|row| row["scenario"] == "row5"),
            "{history:#}"
        );
        assert_eq!(lasting[0]["commit"], "c40");
        let passing = history["passing"].as_array().unwrap().iter();
        passing
            .map(|row| (row["scenario"].clone(), row["times"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(wrong("same-job"), [("row2".into(), 2.into())]);
    assert_eq!(wrong("other-runner"), []);
}

/// Writes a history whose rows have two allocations each, and returns its recommended limits.
fn counted(folder: &Path, name: &str) -> String {
    let counted = |(at, line): (usize, &str)| {
        format!("{line},{}\n", if at == 0 { "allocations" } else { "2" })
    };
    let text: String = history().lines().enumerate().map(counted).collect();
    std::fs::write(folder.join(name), text.replace("encode", "en?ode")).unwrap();
    let output = run(folder, &["--history", name, "--toml", "gates.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    std::fs::read_to_string(folder.join("gates.toml")).unwrap()
}

fn text_of(output: &Output) -> String {
    text(&output.stderr)
}

fn text_of_history(folder: &Path, name: &str) -> String {
    let output = run(folder, &["--history", name]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Rows from this many process runs of the same program.
fn launches(count: usize) -> String {
    let mut random = RandomStream::new(3, 0);
    let mut rows = "scenario,platform,commit,runIndex,timeNs\n".to_owned();
    for launch in 0..count {
        let _ = writeln!(
            rows,
            "decode,linux,c,{launch},{:.3}",
            1000.0 * (0.01 * random.normal()).exp()
        );
    }
    rows
}

#[test]
fn runs_of_an_unchanged_program_become_pairs() {
    let folder = folder();
    std::fs::write(folder.path().join("aa.csv"), launches(80)).unwrap();
    let output = run(folder.path(), &["--a-a", "aa.csv", "--trials", "3"]);
    assert_snapshot!(text(&output.stdout), @"
    Pairs find +5% 100 times in 100.

    A/A runs: 1 metrics, each with at least 40 pairs and 40 distinct pairs

                             false PRs  found  found  found  found  found
                              in 1,000   +10%   +20%   +33%   +50%  +100%
    resampled from 40 pairs          0   100%   100%   100%   100%   100%
    ");
}

#[test]
fn table_of_goals_is_the_same_for_a_seed() {
    let folder = folder();
    let arguments = [
        "power",
        "base.csv",
        "--rows",
        "*code",
        "--blocks",
        "0",
        "--suites",
        "4",
        "--metrics",
        "40",
    ];
    let output = run(folder.path(), &arguments);
    assert_snapshot!(text(&output.stdout), @"
                                     rate [95% interval]  trials   goal     met
    base
      limit: false PRs                  0.0‰ [0.0–247.1]      13
      limit: +50%                    100.0% [75.3–100.0]      26
      limit: +100%                   100.0% [75.3–100.0]      26
      history, next run: false PRs      0.0‰ [0.0–247.1]      13  ≤ 10‰     yes
      history, next run: +50%        100.0% [75.3–100.0]      26  ≥ 55%  surely
      history, next run: +100%       100.0% [75.3–100.0]      26  ≥ 90%     yes
      history, same job: false PRs      0.0‰ [0.0–247.1]      13
      history, same job: +50%        100.0% [75.3–100.0]      26
      history, same job: +100%       100.0% [75.3–100.0]      26
    1% normal noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found               100.0% [91.2–100.0]      40  ≥ 95%     yes
    2% normal noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found               100.0% [91.2–100.0]      40  ≥ 95%     yes
    3% normal noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found                 97.5% [86.8–99.9]      40  ≥ 95%     yes
    10% normal noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–205.9]      16   ≤ 1‰     yes
      pairs: +10% found              100.0% [91.2–100.0]      40  ≥ 90%  surely
    1% one-sided noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found               100.0% [91.2–100.0]      40  ≥ 95%     yes
    2% one-sided noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found                 97.5% [86.8–99.9]      40  ≥ 95%     yes
    3% one-sided noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–602.4]       4   ≤ 1‰     yes
      pairs: +5% found               100.0% [91.2–100.0]      40  ≥ 95%     yes
    10% one-sided noise, 300 pairs
      pairs: false suites of 60         0.0‰ [0.0–205.9]      16   ≤ 1‰     yes
      pairs: +10% found              100.0% [91.2–100.0]      40  ≥ 90%  surely
    3% normal noise, 300 pairs
      pairs: false alarms at +2%         0.0‰ [0.0–88.1]      40   ≤ 1‰     yes
      pairs: +5% unchanged               2.5% [0.1–13.2]      40   ≤ 5%     yes
      pairs: +10% found              100.0% [91.2–100.0]      40  ≥ 99%     yes
      pairs: falsely dependent           0.0‰ [0.0–88.1]      40   ≤ 1‰     yes
    1.5% normal noise, autocorrelation 0.5
      pairs: false suites of 60         0.0‰ [0.0–975.0]       1
      pairs: falsely dependent         25.0‰ [0.6–131.6]      40
    1.5% normal noise, autocorrelation 0.9
      pairs: false suites of 60         0.0‰ [0.0–975.0]       1
      pairs: falsely dependent      275.0‰ [146.0–438.9]      40

    base: Pull requests that fail, confirmed by a run on another runner: 0 wrongly, 0 rightly (lasting),
    0 for a change merged before; inconclusive: 0; with an environment shift: 0
    ");
    assert_eq!(run(folder.path(), &arguments).stdout, output.stdout);
}

#[test]
fn pairs_are_measured_on_this_machine() {
    let folder = folder();
    let output = run(
        folder.path(),
        &["power", "--blocks", "1", "--suites", "1", "--metrics", "1"],
    );
    let text = text(&output.stdout);
    assert!(text.contains("this machine, A/A, runs vary by"), "{text}");
}

#[test]
fn mistakes_end_with_a_hint() {
    let folder = folder();
    std::fs::write(
        folder.path().join("short.csv"),
        history().lines().take(20).collect::<Vec<_>>().join("\n") + "\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("long.csv"),
        "suite,name,unixMs,commit,value,unit\na,b,now,c,1,ns\n",
    )
    .unwrap();
    let failed = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{arguments:?}"
        );
        text(&output.stderr)
    };
    assert_snapshot!(failed(&["--history", "base.csv", "--rows", "nothing"]), @"
    error: `base.csv` contains no selected rows
    hint: `--rows` and `--not` select benchmarks by patterns such as `decode_*`
    ");
    assert_snapshot!(failed(&["--history", "short.csv"]), @"
    error: history too short: no row of `short` has 10 earlier values and a later one
    hint: use a longer history, or lower `least` in `[history]`
    ");
    assert_snapshot!(failed(&["--a-a", "base.csv", "--rows", "nothing"]), @"
    error: `base.csv` contains no selected rows
    hint: `--rows` and `--not` select benchmarks by patterns such as `decode_*`
    ");
    assert!(failed(&["--history", "long.csv"]).contains("long.csv:2: "));
    assert!(failed(&["--history", "none.csv"]).contains("none.csv"));
    std::fs::write(folder.path().join("few.csv"), launches(39)).unwrap();
    assert_snapshot!(failed(&["--a-a", "few.csv"]), @"
    error: too few A/A runs: each metric needs 20 pairs, and there are at most 19
    hint: two successive runs form a pair, so pass at least 40 runs per benchmark
    ");
    assert_snapshot!(failed(&[]), @"
    error: the following required arguments were not provided:
      <--history <FILE>...|--history-git <N>|--a-a <FILE>...>

    Usage: calibrate-perf-gate <--history <FILE>...|--history-git <N>|--a-a <FILE>...>

    For more information, try '--help'.
    ");
}

#[test]
fn help_has_examples_and_exit_codes() {
    let folder = folder();
    for arguments in [&["--help"][..], &["power", "--help"]] {
        let help = text(&run(folder.path(), arguments).stdout);
        assert!(
            help.contains("Examples:\n  just calibrate") && help.contains("Exit codes: 0"),
            "{help}"
        );
    }
}
