//! How the numbers came to be: rows of another methodology or harness are not compared in time.

use end_to_end::Project;
use insta::assert_snapshot;

const ROWS: &str = "scenario,platform,commit,runIndex,parsesPerSecond,allocations\nParse,linux,,-1,100,3\n";

/// A repository in whose folder `suite` the baseline was measured with this catalogue.
fn measured(catalogue: &str) -> Project {
    let project = Project::empty()
        .with(".git/HEAD", "")
        .with("suite/perf-gate.toml", catalogue)
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
fn nothing_but_another_methodology_is_said_loudly_and_does_not_fail() {
    let only_times = |text: &str| text.replace(",allocations", "").replace("100,3", "100");
    let project = measured("methodology = 'min of 5'\n");
    project.write("suite/run.log", only_times(ROWS));
    extracted(&project);
    project.write("suite/perf-gate.toml", "methodology = 'median of 9'\n");
    assert_snapshot!(compared(&project), @"
    exit 0: changed=false regressed=false not-comparable=1
    warning: nothing was compared, as the baseline was measured on another kind of machine or by another method
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
