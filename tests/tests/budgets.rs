//! Budgets and required benchmarks with and without a baseline, and baselines that are missing by mistake.

use end_to_end::{Outcome, Project};

const ROWS: &str = "scenario,platform,commit,runIndex,frameMs,allocs\nDraw,linux,b2,-1,17,0\nParse,linux,b2,-1,3,2\n";
const LINE: &str = "render-perf-deltas --input run.csv --baseline-csv base.csv --exit-code";

fn project(config: &str) -> Project {
    Project::empty()
        .with("run.csv", ROWS)
        .with("perf-gate.toml", config)
}

fn line<'o>(outcome: &'o Outcome, name: &str) -> &'o str {
    let line = outcome
        .out()
        .lines()
        .find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("{outcome}"))
}

#[test]
fn budget_needs_no_baseline() {
    let budgets =
        "gates = [{ metric = 'frameMs', max = '16 ms' }, { metric = 'allocs', max = 2 }]\n";
    let outcome = project(budgets).run(&format!("{LINE} --json report.json"));
    assert_eq!(
        (
            outcome.code,
            line(&outcome, "failed="),
            line(&outcome, "new=")
        ),
        (Some(1), "regressed", "2")
    );
    let wide = budgets.replace("16 ms", "17 ms");
    let outcome = project(&wide).run(LINE);
    assert_eq!(
        (
            outcome.code,
            line(&outcome, "failed="),
            line(&outcome, "compared=")
        ),
        (Some(0), "", "2")
    );
    assert!(
        outcome.mentions(&["--input run.csv --output base.csv"]),
        "{outcome}"
    );
}

#[test]
fn required_benchmark_fails_the_gate_and_the_refresh() {
    let config = "required = ['Draw', 'Encode*', { scope = 'windows' }]\n";
    let outcome = project(config).with("base.csv", ROWS).run(LINE);
    assert_eq!(
        (outcome.code, line(&outcome, "failed=")),
        (Some(1), "required")
    );
    let refresh = project(config).run("extract-perf-baseline --input run.csv --output base.csv");
    assert_eq!(refresh.code, Some(2));
    for outcome in [outcome, refresh] {
        assert!(
            outcome.mentions(&["Encode*", "windows"]) && !outcome.mentions(&["Draw"]),
            "{outcome}"
        );
    }
    let met = "required = ['D*', { scope = 'linux', benchmark = 'Parse' }]\n";
    assert_eq!(project(met).with("base.csv", ROWS).run(LINE).code, Some(0));
}

#[test]
fn misspelt_baseline_is_an_error_and_a_required_one_must_exist() {
    let misspelt = project("").with("base_line.csv", ROWS);
    let outcome = misspelt.run("render-perf-deltas --input run.csv --baseline-csv base-line.csv");
    assert!(
        outcome.code == Some(2) && outcome.mentions(&["base_line.csv"]),
        "{outcome}"
    );
    assert_eq!(project("").run(LINE).code, Some(0));
    let required = project("").run(&format!("{LINE} --require-baseline"));
    assert!(
        required.code == Some(2) && required.mentions(&["--output base.csv"]),
        "{required}"
    );
}
