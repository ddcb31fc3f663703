//! Rows with another methodology, harness or toolchain are not compared if that affects them.

use end_to_end::{Outcome, Project, Report};

const ROWS: &str =
    "scenario,platform,commit,runIndex,parsesPerSecond,allocations\nParse,linux,,-1,100,3\n";

const SAME: &str = "exit 0: changed=false regressed=false compared=1";
const REGRESSED: &str = "exit 1: changed=true regressed=true compared=1 failed=regressed";
const PARTLY: &str = "exit 0: changed=false regressed=false not-comparable=1 compared=1";
const PARTLY_REGRESSED: &str =
    "exit 1: changed=true regressed=true not-comparable=1 compared=1 failed=regressed";
const NOTHING: &str = "exit 0: changed=false regressed=false not-comparable=1";

/// A repository whose folder `suite` contains a baseline that was measured with this config.
fn measured(config: &str) -> Project {
    let project = Project::empty()
        .with(".git/HEAD", "")
        .with("suite/perf-gate.toml", config)
        .with("suite/run.log", ROWS)
        .with("bench/a.rs", "loop {}\n");
    extract(&project);
    project
}

fn extract(project: &Project) {
    let line = "extract-perf-baseline --input run.log --output base.csv --replace";
    let outcome = project.tool(line).within("suite").run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

fn compared(project: &Project) -> Outcome {
    let line =
        "render-perf-deltas --input run.log --baseline-csv base.csv --json report.json --exit-code";
    project.tool(line).within("suite").run()
}

fn differences(project: &Project) -> Vec<String> {
    Report::parse(&project.text("suite/report.json")).differences()
}

const HARNESS: &str = "methodology = 'min of 5'\n[harness]\npaths = ['bench/**']\n";

/// Rows with an instruction count instead of allocations.
fn counted(rate: &str, instructions: &str) -> String {
    ROWS.replace("allocations", "instructions")
        .replace("100,3", &format!("{rate},{instructions}"))
}

#[test]
fn methodology_and_harness_are_a_column_in_the_baseline() {
    let project = measured(HARNESS);
    let baseline = project.text("suite/base.csv");
    let header = ROWS.lines().next().unwrap();
    let stamped = |method: &str| format!("{header},methodology\nParse,linux,,-1,100,3,{method}\n");
    assert_eq!(baseline, stamped("min of 5 harness:49a73f26319b"));
    project.write("bench/a.rs", "loop { }\n");
    let again = project
        .tool("extract-perf-baseline --input base.csv")
        .within("suite")
        .run();
    assert_eq!(again.out(), baseline);
    let plain = measured("methodology = 'min of 5'\n").text("suite/base.csv");
    assert_eq!(plain, stamped("min of 5"));
}

#[test]
fn counts_but_not_times_are_compared_across_harnesses() {
    let project = measured(HARNESS);
    assert_eq!(compared(&project).results(), SAME);
    // Changes to the measured code, or only to line endings, are allowed.
    project.write("src/lib.rs", "// new\n");
    project.write("bench/a.rs", "loop {}\r\n");
    assert_eq!(compared(&project).results(), SAME);
    project.write("bench/a.rs", "loop { }\n");
    project.write("suite/run.log", ROWS.replace("100,3", "10,3"));
    assert_eq!(compared(&project).results(), PARTLY);
    assert_eq!(
        differences(&project),
        ["Parse parsesPerSecond not-comparable"]
    );
    project.write("suite/run.log", ROWS.replace("100,3", "10,4"));
    assert_eq!(compared(&project).results(), PARTLY_REGRESSED);
    let expected = [
        "Parse parsesPerSecond not-comparable",
        "Parse allocations regressed",
    ];
    assert_eq!(differences(&project), expected);
}

#[test]
fn times_but_not_instructions_are_compared_across_toolchains() {
    for gates in [
        "",
        "[[gates]]\nmetric = 'instructions'\nrule = 'limit'\n",
        "[[gates]]\nmetric = 'instructions'\nrule = 'exact'\n",
        "[[gates]]\nmetric = 'instructions'\nrule = 'count'\n",
    ] {
        let project = measured(&format!("{gates}[harness]\ntoolchain = ['tc.txt']\n"));
        project.write("tc.txt", "1.91\n");
        project.write("suite/run.log", counted("100", "3000"));
        extract(&project);
        assert_eq!(compared(&project).results(), SAME, "{gates}");
        project.write("suite/run.log", counted("100", "6000"));
        assert_eq!(compared(&project).results(), REGRESSED, "{gates}");
        project.write("tc.txt", "1.95\n");
        assert!(
            compared(&project)
                .results()
                .contains("regressed=false not-comparable=1"),
            "{gates}"
        );
        if gates.is_empty() {
            project.write("suite/run.log", counted("50", "6000"));
            assert_eq!(compared(&project).results(), PARTLY_REGRESSED);
            let expected = [
                "Parse parsesPerSecond regressed",
                "Parse instructions not-comparable",
            ];
            assert_eq!(differences(&project), expected);
        }
    }
}

#[test]
fn newest_commit_in_a_rolling_baseline_is_used_for_any_toolchain() {
    let project = Project::empty().with(".git/HEAD", "");
    project.write(
        "suite/perf-gate.toml",
        "[harness]\ntoolchain = ['tc.txt']\n",
    );
    for (commit, toolchain, time) in [
        ("c1", "1.91", 100),
        ("c2", "1.95", 200),
        ("c3", "1.95", 300),
    ] {
        project.write("tc.txt", toolchain);
        let rows =
            format!("scenario,platform,commit,runIndex,timeNs\nParse,linux,{commit},-1,{time}\n");
        project.write("suite/run.log", rows);
        let line = "extract-perf-baseline --input run.log --output base.csv --append --keep 2";
        let outcome = project.tool(line).within("suite").run();
        assert_eq!(outcome.code, Some(0), "{outcome}");
    }
    let kept: Vec<String> = project
        .text("suite/base.csv")
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(2).unwrap().to_owned())
        .collect();
    assert_eq!(kept, ["c2", "c3"]);
    project.write(
        "suite/run.log",
        "scenario,platform,commit,runIndex,timeNs\nParse,linux,c4,-1,300\n",
    );
    assert_eq!(compared(&project).results(), SAME);
}

#[test]
fn baseline_from_several_machines_is_compared_by_machine_type() {
    let project = Project::empty().with(".git/HEAD", "").with(
        "suite/base.csv",
        "scenario,platform,commit,runIndex,timeNs,machineClass\n\
         Parse,linux,c1,-1,100,amd-2\nParse,linux,c1,-1,200,arm-4\n\
         Parse,linux,c2,-1,110,amd-2\nParse,linux,c2,-1,220,arm-4\n",
    );
    let run = |class: &str, time: u32| {
        let rows = format!(
            "scenario,platform,commit,runIndex,timeNs,machineClass\nParse,linux,c3,-1,{time},{class}\n"
        );
        project.write("suite/run.log", rows);
        compared(&project)
    };
    assert_eq!(run("amd-2", 110).results(), SAME);
    assert_eq!(run("arm-4", 440).results(), REGRESSED);
    let report = Report::parse(&project.text("suite/report.json"));
    assert_eq!(report.metric("Parse", "timeNs")["baseline"], 220);
    let nothing = run("riscv-8", 440);
    assert_eq!(
        (&*nothing.results(), nothing.warnings()),
        (NOTHING, vec![""])
    );
}

#[test]
fn different_methodology_alone_only_warns() {
    let project = measured("methodology = 'min of 5'\n");
    project.write(
        "suite/run.log",
        ROWS.replace(",allocations", "").replace("100,3", "100"),
    );
    extract(&project);
    project.write("suite/perf-gate.toml", "methodology = 'median of 9'\n");
    let outcome = compared(&project);
    assert_eq!(
        (&*outcome.results(), outcome.warnings()),
        (NOTHING, vec![""])
    );
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv --exit-code --fail-on not-comparable";
    assert_eq!(project.tool(line).within("suite").run().code, Some(1));
}

#[test]
fn harness_pattern_without_files_warns() {
    let outcome = compared(&measured(
        "[harness]\npaths = ['benches/**', '**/*.bench']\n",
    ));
    assert_eq!((&*outcome.results(), outcome.warnings()), (SAME, vec![""]));
    assert!(outcome.mentions(&["benches/**", "**/*.bench"]), "{outcome}");
}
