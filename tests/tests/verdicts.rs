//! `render-perf-deltas`: what it says of a run, in every form in which it says it.

use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";

/// A row of each scenario with its throughput and allocations.
fn rows(commit: &str, scenarios: &[(&str, &str, i64)]) -> String {
    let row = |(key, rate, allocations): &(&str, &str, i64)| {
        format!("{key},linux x64,{commit},-1,{rate},{allocations},1000.000,0\n")
    };
    scenarios.iter().map(row).collect()
}

fn project(before: &[(&str, &str, i64)], now: &[(&str, &str, i64)]) -> Project {
    Project::empty()
        .with("baseline.csv", HEADER.to_owned() + &rows("0123abcd", before))
        .with("run.log", rows("4567cdef", now))
}

const DELTAS: &str = "render-perf-deltas --input run.log --baseline-csv baseline.csv";

fn compared(before: &[(&str, &str, i64)], now: &[(&str, &str, i64)], options: &str) -> Outcome {
    project(before, now).run(&format!("{DELTAS} {options}"))
}

#[test]
fn a_drop_of_exactly_the_threshold_passes_and_a_little_more_does_not() {
    // (100 − 67) / 100 is 33 %; in thousandths, 66.999 is the next lower number that a baseline can hold.
    for (now, regressed) in [("67", false), ("66.999", true)] {
        let outcome = compared(&[("Parse", "100", 0)], &[("Parse", now, 0)], "--exit-code");
        assert_eq!(outcome.code, Some(i32::from(regressed)), "{outcome}");
        assert!(outcome.out().contains(&format!("changed=true\nregressed={regressed}\n")), "{outcome}");
    }
    for (threshold, regressed) in [("0.25", true), ("0.26", false), ("0", true)] {
        let outcome = compared(
            &[("Parse", "50000", 0)],
            &[("Parse", "37499", 0)],
            &format!("--regression-threshold {threshold}"),
        );
        assert!(outcome.out().contains(&format!("regressed={regressed}\n")), "{threshold}: {outcome}");
    }
}

#[test]
fn a_change_of_exactly_the_tolerance_is_none_and_a_little_more_is_one() {
    for (now, changed) in [("51", false), ("49", false), ("51.001", true), ("48.999", true)] {
        let outcome = compared(&[("Parse", "50", 0)], &[("Parse", now, 0)], "");
        assert!(
            outcome.out().starts_with(&format!("changed={changed}\nregressed=false\n")),
            "{now}: {outcome}"
        );
    }
    let outcome = compared(&[("Parse", "50", 0)], &[("Parse", "54.999", 0)], "--tolerance 0.1");
    assert!(outcome.out().starts_with("changed=false\n"), "{outcome}");
}

#[test]
fn one_allocation_more_regresses_and_one_less_improves_whatever_the_tolerance() {
    let outcome = compared(
        &[("More", "100", 0), ("Less", "100", 1000), ("Same", "100", 7), ("Unmeasured", "100", -1)],
        &[("More", "100", 1), ("Less", "100", 999), ("Same", "100", 7), ("Unmeasured", "100", 3)],
        "--output - --tolerance 0.5",
    );
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    **More regressed**: GC allocs 0 → 1: any at all fails; 1 improved.

    | Scenario | Metric    | Baseline | Current | Delta  | Verdict       |
    | -------- | --------- | -------- | ------- | ------ | ------------- |
    | More     | GC allocs | 0        | 1       | +1     | **regressed** |
    | Less     | GC allocs | 1,000    | 999     | +0.10% | improved      |

    <details><summary>9 unchanged, 1 unmeasured</summary>

    | Scenario   | Metric     | Baseline | Current | Delta | Verdict    |
    | ---------- | ---------- | -------- | ------- | ----- | ---------- |
    | More       | Throughput | 100/s    | 100/s   | 0.00% | unchanged  |
    | More       | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged  |
    | Less       | Throughput | 100/s    | 100/s   | 0.00% | unchanged  |
    | Less       | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged  |
    | Same       | Throughput | 100/s    | 100/s   | 0.00% | unchanged  |
    | Same       | GC allocs  | 7        | 7       | 0.00% | unchanged  |
    | Same       | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged  |
    | Unmeasured | Throughput | 100/s    | 100/s   | 0.00% | unchanged  |
    | Unmeasured | GC allocs  | n/a      | 3       | n/a   | unmeasured |
    | Unmeasured | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged  |

    </details>

    <details><summary>Why More regressed</summary>

    - GC allocs, regressed: 0 → 1: any at all fails.
    - Judged by the exact rule; baseline 0, current 1.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --tolerance=0.5 --explain More
    ```

    </details>

    <details><summary>Why Less improved</summary>

    - GC allocs, improved: 1,000 → 999: 1 fewer.
    - Judged by the exact rule; baseline 1,000, current 999; noticed from +0.1 %.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --tolerance=0.5 --explain Less
    ```

    </details>

    <details><summary>Not compared</summary>

    - Unmeasured, GC allocs: not measured in the baseline

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 50 % is unchanged.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=1
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=4
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    ");
}

#[test]
fn a_regression_is_an_exit_code_only_for_those_who_ask() {
    let (before, now) = ([("Parse", "100", 0)], [("Parse", "1", 0)]);
    assert_eq!(compared(&before, &now, "").code, Some(0));
    assert_snapshot!(compared(&before, &now, "--exit-code"), @"
    exit 1
    --- stdout
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    --- stderr
    note: Parse regressed: Throughput 100 → 1/s (-99 % against the baseline); the limit is -33 %.
    ");
    assert_eq!(compared(&now, &before, "--exit-code").code, Some(0), "an improvement is none");
}

#[test]
fn a_zero_on_either_side_is_a_number() {
    let outcome = compared(
        &[("Dead", "100", 0), ("Alive", "0", 0), ("Still", "0", 0)],
        &[("Dead", "0", 0), ("Alive", "100", 0), ("Still", "0", 0)],
        "--output -",
    );
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    **Dead regressed**: Throughput 100 → 0/s (-100 % against the baseline); the limit is -33 %; 1 with a gated metric that cannot be compared.

    | Scenario | Metric     | Baseline | Current | Delta    | Verdict        |
    | -------- | ---------- | -------- | ------- | -------- | -------------- |
    | Dead     | Throughput | 100/s    | 0/s     | -100.00% | **regressed**  |
    | Alive    | Throughput | 0/s      | 100/s   | n/a      | not comparable |

    <details><summary>9 unchanged</summary>

    | Scenario | Metric     | Baseline | Current | Delta | Verdict   |
    | -------- | ---------- | -------- | ------- | ----- | --------- |
    | Dead     | GC allocs  | 0        | 0       | 0.00% | unchanged |
    | Dead     | Wall clock | 1 s      | 1 s     | 0.00% | unchanged |
    | Dead     | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged |
    | Alive    | GC allocs  | 0        | 0       | 0.00% | unchanged |
    | Alive    | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged |
    | Alive    | Wall clock | 1 s      | 1 s     | 0.00% | unchanged |
    | Still    | GC allocs  | 0        | 0       | 0.00% | unchanged |
    | Still    | Wall clock | 1 s      | 1 s     | 0.00% | unchanged |
    | Still    | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged |

    </details>

    <details><summary>Why Dead regressed</summary>

    - Throughput, regressed: 100 → 0/s (-100 % against the baseline); the limit is -33 %.
    - Judged by the threshold of -33 %; baseline 100/s, current 0/s; noticed from -33 %.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --explain Dead
    ```

    </details>

    <details><summary>Why Alive is not comparable</summary>

    - Throughput, not comparable: the baseline is zero, so there is nothing to lose.
    - Judged by the threshold of -33 %; baseline 0/s, current 100/s; noticed from -33 %.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --explain Alive
    ```

    </details>

    <details><summary>Not compared</summary>

    - Alive, Throughput: the baseline is zero, so there is nothing to lose

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=1
    compared=3
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    ");
}

#[test]
fn on_standard_output_the_report_stands_alone() {
    let project = project(&[("Parse", "100", 0)], &[("Parse", "50", 0)]);
    let outcome = project.run(&format!("{DELTAS} --output - --json report.json"));
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    **Parse regressed**: Throughput 100 → 50/s (-50 % against the baseline); the limit is -33 %.

    | Scenario | Metric     | Baseline | Current | Delta   | Verdict       |
    | -------- | ---------- | -------- | ------- | ------- | ------------- |
    | Parse    | Throughput | 100/s    | 50/s    | -50.00% | **regressed** |

    <details><summary>2 unchanged</summary>

    | Scenario | Metric    | Baseline | Current | Delta | Verdict   |
    | -------- | --------- | -------- | ------- | ----- | --------- |
    | Parse    | GC allocs | 0        | 0       | 0.00% | unchanged |
    | Parse    | GC bytes  | 0 B      | 0 B     | 0.00% | unchanged |

    </details>

    <details><summary>Why Parse regressed</summary>

    - Throughput, regressed: 100 → 50/s (-50 % against the baseline); the limit is -33 %.
    - Judged by the threshold of -33 %; baseline 100/s, current 50/s; noticed from -33 %.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --explain Parse
    ```

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    --- files
    + report.json
    ");
    let file = project.run(&format!("{DELTAS} --output deltas.md"));
    assert_eq!(outcome.out(), project.text("deltas.md"), "{file}");
}
