//! What one side of a comparison has and the other has not.

use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";
const DELTAS: &str = "render-perf-deltas --input run.log --baseline-csv baseline.csv";

/// A row of each scenario.
fn rows(commit: &str, scenarios: &[&str]) -> String {
    scenarios.iter().map(|key| format!("{key},linux x64,{commit},-1,100,0,1000.000,0\n")).collect()
}

fn compared(before: &[&str], now: &[&str], options: &str) -> Outcome {
    let project = Project::empty()
        .with("baseline.csv", HEADER.to_owned() + &rows("0123abcd", before))
        .with("run.log", rows("4567cdef", now));
    project.run(&format!("{DELTAS} {options}"))
}

#[test]
fn scenarios_that_vanished_or_are_new_are_listed() {
    let outcome = compared(&["Parse", "Gone"], &["Parse", "Fresh"], "--output -");
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    No regression in 1 scenario compared; 1 missing, 1 new.

    Missing, as only the baseline has them: Gone.

    New, as the baseline does not have them: Fresh.

    <details><summary>3 unchanged</summary>

    | Scenario | Metric     | Baseline | Current | Delta | Verdict   |
    | -------- | ---------- | -------- | ------- | ----- | --------- |
    | Parse    | Throughput | 100/s    | 100/s   | 0.00% | unchanged |
    | Parse    | GC allocs  | 0        | 0       | 0.00% | unchanged |
    | Parse    | GC bytes   | 0 B      | 0 B     | 0.00% | unchanged |

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=1
    new=1
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=missing
    ");
    assert_eq!(compared(&["Parse", "Gone"], &["Parse"], "--exit-code").code, Some(1));
    assert_eq!(compared(&["Parse"], &["Parse", "Fresh"], "--exit-code").code, Some(0));
}

#[test]
fn when_nothing_could_be_compared_nobody_is_told_that_all_is_well() {
    let outcome = compared(&["Old"], &["New"], "--output - --exit-code");
    assert_snapshot!(outcome, @"
    exit 1
    --- stdout
    **Nothing was compared**, so nothing is known: 1 scenario only in the baseline, 1 only in this run.

    Missing, as only the baseline has them: Old.

    New, as the baseline does not have them: New.

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=1
    new=1
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=nothing-compared,missing
    ");
    let outcome = compared(&["Old"], &["New"], "");
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=1
    new=1
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=nothing-compared,missing
    --- stderr
    note: Nothing was compared, so nothing is known: 1 scenario only in the baseline, 1 only in this run.
    ");
}

#[test]
fn what_was_measured_on_one_side_only_is_not_compared_and_says_why() {
    let project = Project::empty()
        .with("baseline.csv", "scenario,platform,decodeNs,copies\nA,linux,100,1\nB,linux,0,\n")
        .with("run.csv", "scenario,platform,decodeNs,score\nA,linux,100,7\nB,linux,5,\n");
    let outcome = project.run("render-perf-deltas --input run.csv --baseline-csv baseline.csv --output -");
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    **B regressed**: decodeNs 0 → 5 ns: no longer zero; the limit is +49.3 %.

    | Scenario | Metric   | Baseline | Current | Delta | Verdict       |
    | -------- | -------- | -------- | ------- | ----- | ------------- |
    | B        | decodeNs | 0 ns     | 5 ns    | n/a   | **regressed** |

    <details><summary>2 unmeasured, 1 unchanged</summary>

    | Scenario | Metric   | Baseline | Current | Delta | Verdict    |
    | -------- | -------- | -------- | ------- | ----- | ---------- |
    | A        | decodeNs | 100 ns   | 100 ns  | 0.00% | unchanged  |
    | A        | score    | n/a      | 7       | n/a   | unmeasured |
    | A        | copies   | 1        | n/a     | n/a   | unmeasured |

    </details>

    <details><summary>Why B regressed</summary>

    - decodeNs, regressed: 0 → 5 ns: no longer zero; the limit is +49.3 %.
    - Judged by the threshold of +49.3 %; baseline 0 ns, current 5 ns; noticed from +49.3 %.

    ```sh
    render-perf-deltas --input run.csv --baseline-csv baseline.csv --explain B
    ```

    </details>

    <details><summary>Not compared</summary>

    - A, score: not measured in the baseline
    - A, copies: measured in the baseline, but not now

    </details>

    <sub>+ is better; up to 2 % is unchanged. ▲ and ▼: which way is better is not known.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=2
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    ");
}

#[test]
fn scopes_are_told_apart_and_the_vanished_ones_too() {
    let project = Project::empty()
        .with(
            "baseline.csv",
            HEADER.to_owned()
                + "Parse,linux x64,0123abcd,-1,100,0,1,0\nParse,mac arm64,0123abcd,-1,100,0,1,0\n",
        )
        .with("run.log", "Parse,windows x64,4567cdef,-1,100,0,1,0\nParse,linux x64,4567cdef,-1,10,0,1,0\n");
    assert_snapshot!(project.run(&format!("{DELTAS} --output -")), @"
    exit 0
    --- stdout
    **Parse (linux x64) regressed**: Throughput 100 → 10/s (-90 % against the baseline); the limit is -33 %; 1 missing, 1 new.

    #### windows x64

    New, as the baseline does not have them: Parse.

    #### linux x64

    | Scenario | Metric     | Baseline | Current | Delta   | Verdict       |
    | -------- | ---------- | -------- | ------- | ------- | ------------- |
    | Parse    | Throughput | 100/s    | 10/s    | -90.00% | **regressed** |

    <details><summary>2 unchanged</summary>

    | Scenario | Metric    | Baseline | Current | Delta | Verdict   |
    | -------- | --------- | -------- | ------- | ----- | --------- |
    | Parse    | GC allocs | 0        | 0       | 0.00% | unchanged |
    | Parse    | GC bytes  | 0 B      | 0 B     | 0.00% | unchanged |

    </details>

    #### mac arm64

    Missing, as only the baseline has them: Parse.

    <details><summary>Why Parse (linux x64) regressed</summary>

    - Throughput, regressed: 100 → 10/s (-90 % against the baseline); the limit is -33 %.
    - Judged by the threshold of -33 %; baseline 100/s, current 10/s; noticed from -33 %.

    ```sh
    render-perf-deltas --input run.log --baseline-csv baseline.csv --explain 'linux x64/Parse'
    ```

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=1
    new=1
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed,missing
    ");
    let one = project.tool(&format!("{DELTAS} --scope")).arg("linux x64").run();
    assert_snapshot!(one, @"
    exit 0
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
    note: 1 row: of no scope that was asked for
    note: of the baseline: 1 row: of no scope that was asked for
    note: Parse regressed: Throughput 100 → 10/s (-90 % against the baseline); the limit is -33 %.
    ");
}

#[test]
fn samples_of_a_run_are_compared_by_their_median() {
    let sample = |rate: i64, run: i64| format!("Parse,linux,4567cdef,{run},{rate},0,1,0\n");
    let project = Project::empty()
        .with("baseline.csv", HEADER.to_owned() + "Parse,linux,0123abcd,-1,100,0,1,0\n")
        .with(
            "run.log",
            [1, 99, 500].iter().zip(0..).map(|(rate, run)| sample(*rate, run)).collect::<String>(),
        );
    assert_snapshot!(project.run(&format!("{DELTAS} --output -")), @"
    exit 0
    --- stdout
    No regression in 1 scenario compared.

    <details><summary>3 unchanged</summary>

    | Scenario | Metric     | Baseline | Current | Delta  | Verdict   |
    | -------- | ---------- | -------- | ------- | ------ | --------- |
    | Parse    | Throughput | 100/s    | 99/s    | -1.00% | unchanged |
    | Parse    | GC allocs  | 0        | 0       | 0.00%  | unchanged |
    | Parse    | GC bytes   | 0 B      | 0 B     | 0.00%  | unchanged |

    </details>

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    ");
}
