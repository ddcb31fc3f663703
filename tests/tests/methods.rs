//! How the numbers came to be: rows of another methodology or harness are not compared in time.

use end_to_end::Project;
use insta::assert_snapshot;

const ROWS: &str = "scenario,platform,commit,runIndex,parsesPerSecond,allocations\nParse,linux,,-1,100,3\n";

/// A repository in whose folder `suite` the baseline was measured with this config.
fn measured(config: &str) -> Project {
    let project = Project::empty()
        .with(".git/HEAD", "")
        .with("suite/perf-gate.toml", config)
        .with("suite/run.log", ROWS)
        .with("bench/a.rs", "loop {}\n");
    extracted(&project);
    project
}

fn extracted(project: &Project) {
    let line = "extract-perf-baseline --input run.log --output base.csv --replace";
    let outcome = project.tool(line).within("suite").run();
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

fn compared(project: &Project) -> String {
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv --output deltas.md --exit-code";
    let outcome = project.tool(line).within("suite").run();
    let lines = outcome.out().lines().filter(|line| !line.ends_with("=0") && !line.ends_with('='));
    format!("exit {}: {}\n{}", outcome.code.unwrap(), lines.collect::<Vec<_>>().join(" "), outcome.stderr)
}

const HARNESS: &str = "methodology = 'min of 5'\n[harness]\npaths = ['bench/**']\n";

#[test]
fn the_methodology_and_the_harness_go_into_the_baseline_and_stay_there() {
    let project = measured(HARNESS);
    let baseline = project.text("suite/base.csv");
    assert_snapshot!(baseline, @"
    scenario,platform,commit,runIndex,parsesPerSecond,allocations,methodology
    Parse,linux,,-1,100,3,min of 5 harness:49a73f26319b
    ");
    project.write("bench/a.rs", "loop { }\n");
    let again = project.tool("extract-perf-baseline --input base.csv").within("suite").run();
    assert_eq!(again.out(), baseline);
    assert_snapshot!(measured("methodology = 'min of 5'\n").text("suite/base.csv"), @"
    scenario,platform,commit,runIndex,parsesPerSecond,allocations,methodology
    Parse,linux,,-1,100,3,min of 5
    ");
}

#[test]
fn times_of_another_harness_are_not_compared_but_counts_are() {
    let project = measured(HARNESS);
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false compared=1
    note: No regression in 1 scenario compared.
    ");
    // What is measured may change, and so may line ends.
    project.write("src/lib.rs", "// new\n");
    project.write("bench/a.rs", "loop {}\r\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false compared=1
    note: No regression in 1 scenario compared.
    ");
    assert!(!project.text("suite/deltas.md").contains("not comparable"));
    project.write("bench/a.rs", "loop { }\n");
    project.write("suite/run.log", ROWS.replace("100,3", "10,3"));
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false not-comparable=1 compared=1
    note: No regression in 1 scenario compared; 1 with a gated metric that cannot be compared.
    ");
    assert!(project.text("suite/deltas.md").contains("not comparable"));
    project.write("suite/run.log", ROWS.replace("100,3", "10,4"));
    assert_snapshot!(compared(&project), @"
    exit 1: changed=true regressed=true not-comparable=1 compared=1 failed=regressed
    note: Parse regressed: Allocations 3 → 4: 1 more of 3 is the smallest step there is (33 %), and any at all fails; 1 with a gated metric that cannot be compared.
    ");
}

#[test]
fn what_a_compiler_decides_is_not_compared_between_toolchains_and_times_are() {
    let counted = ROWS.replace("allocations", "instructions").replace("100,3", "100,3000");
    let project = measured("[harness]\ntoolchain = ['rust-toolchain.toml']\n");
    project.write("rust-toolchain.toml", "channel = '1.91'\n");
    project.write("suite/run.log", &counted);
    extracted(&project);
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false compared=1
    note: No regression in 1 scenario compared.
    ");
    project.write("suite/run.log", counted.replace("100,3000", "100,6000"));
    assert_snapshot!(compared(&project), @"
    exit 1: changed=true regressed=true compared=1 failed=regressed
    note: Parse regressed: Instructions 3,000 → 6,000 (+100 % against the baseline); the limit is +0.2 %.
    ");
    project.write("rust-toolchain.toml", "channel = '1.95'\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false not-comparable=1 compared=1
    note: No regression in 1 scenario compared; 1 with a gated metric that cannot be compared.
    ");
    project.write("suite/run.log", counted.replace("100,3000", "50,6000"));
    assert_snapshot!(compared(&project), @"
    exit 1: changed=true regressed=true not-comparable=1 compared=1 failed=regressed
    note: Parse regressed: parsesPerSecond 100 → 50/s (-50 % against the baseline); the limit is -33 %; 1 with a gated metric that cannot be compared.
    ");
    let page = project.text("suite/deltas.md");
    assert!(page.contains("built by different toolchains"), "{page}");
}

#[test]
fn whatever_gates_instructions_they_are_of_one_toolchain() {
    for rule in ["threshold", "exact", "count"] {
        let gate = format!(
            "[[gates]]\nmetric = 'instructions'\nrule = '{rule}'\n[harness]\ntoolchain = ['tc.txt']\n"
        );
        let counted = ROWS.replace("allocations", "instructions").replace("100,3", "100,3000");
        let project = measured(&gate);
        project.write("tc.txt", "1.91\n");
        project.write("suite/run.log", &counted);
        extracted(&project);
        project.write("suite/run.log", counted.replace("3000", "6000"));
        assert!(compared(&project).contains("regressed=true"), "{rule}");
        project.write("tc.txt", "1.95\n");
        let told = compared(&project);
        assert!(told.contains("regressed=false not-comparable=1"), "{rule}: {told}");
        assert!(!project.text("suite/deltas.md").contains("times are not compared"));
    }
}

#[test]
fn of_a_rolling_baseline_the_newest_counts_whatever_built_it() {
    let project = Project::empty().with(".git/HEAD", "");
    project.write("suite/perf-gate.toml", "[harness]\ntoolchain = ['tc.txt']\n");
    for (commit, toolchain, time) in [("c1", "1.91", 100), ("c2", "1.95", 200), ("c3", "1.95", 300)] {
        project.write("tc.txt", toolchain);
        let rows = format!("scenario,platform,commit,runIndex,timeNs\nParse,linux,{commit},-1,{time}\n");
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
    project.write("suite/run.log", "scenario,platform,commit,runIndex,timeNs\nParse,linux,c4,-1,300\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false compared=1
    note: rows of the baseline left out, as a newer commit of their scenarios is there: 1
    note: No regression in 1 scenario compared.
    ");
}

#[test]
fn a_baseline_of_several_machines_is_compared_class_by_class() {
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
    assert_snapshot!(run("amd-2", 110), @"
    exit 0: changed=false regressed=false compared=1
    note: rows of the baseline left out, as a newer commit of their scenarios is there: 2
    note: of the baseline: 1 row: not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)
    note: No regression in 1 scenario compared.
    ");
    assert_snapshot!(run("arm-4", 440), @"
    exit 1: changed=true regressed=true compared=1 failed=regressed
    note: rows of the baseline left out, as a newer commit of their scenarios is there: 2
    note: of the baseline: 1 row: not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)
    note: Parse regressed: Time 220 → 440 ns (+100 % against the baseline); the limit is +49.3 %.
    ");
    assert_snapshot!(run("riscv-8", 440), @"
    exit 0: changed=false regressed=false not-comparable=1
    note: rows of the baseline left out, as a newer commit of their scenarios is there: 2
    note: of the baseline: 1 row: not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)
    warning: nothing was compared, as the baseline was measured on another kind of machine, by another method or with another toolchain
    note: Nothing was compared, so nothing is known: 0 scenarios only in the baseline, 0 only in this run, 1 on both sides without a metric to compare.
    ");
}

#[test]
fn nothing_but_another_methodology_is_said_loudly_and_does_not_fail() {
    let only_times = |text: &str| text.replace(",allocations", "").replace("100,3", "100");
    let project = measured("methodology = 'min of 5'\n");
    project.write("suite/run.log", only_times(ROWS));
    extracted(&project);
    project.write("suite/perf-gate.toml", "methodology = 'median of 9'\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false not-comparable=1
    warning: nothing was compared, as the baseline was measured on another kind of machine, by another method or with another toolchain
    note: Nothing was compared, so nothing is known: 0 scenarios only in the baseline, 0 only in this run, 1 on both sides without a metric to compare.
    ");
    let line = "render-perf-deltas --quiet --input run.log --baseline-csv base.csv --exit-code --fail-on not-comparable";
    assert_eq!(project.tool(line).within("suite").run().code, Some(1));
}

#[test]
fn a_harness_without_files_is_told() {
    let project = measured("[harness]\npaths = ['benches/**', '**/*.bench']\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false compared=1
    warning: no file is of the harness: nothing matches `benches/**`, `**/*.bench`
    note: No regression in 1 scenario compared.
    ");
}
