//! What a run was measured on, and what it was measured with.

use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

/// Two scenarios: a time, and a count beside it.
const ROWS: &str = "Parse,linux,0123abcd,-1,100,3\nPrint,linux,0123abcd,-1,100,3\n";

/// A project whose rows were measured on one machine, and its baseline on another.
fn moved(from: &str, to: &str) -> Project {
    let specs = |class: &str| format!("{{\"cpu\": \"any\", \"machineClass\": \"{class}\"}}");
    let project = Project::empty()
        .with("perf-gate.toml", "[rows]\nlayouts = [['decodeNs', 'gcAllocations']]\n")
        .with("before.log", ROWS)
        .with("run.log", ROWS.replace("100,3\nPrint", "900,4\nPrint").replace("0123abcd", "4567cdef"))
        .with("old.json", specs(from))
        .with("new.json", specs(to));
    project.run("extract-perf-baseline --input before.log --machine-specs old.json --output base.csv");
    project.run("extract-perf-baseline --input run.log --machine-specs new.json --output run.csv");
    project
}

#[test]
fn the_class_of_the_machine_goes_into_every_row_and_comes_out_again() {
    let project = moved("small-4c", "large-16c");
    assert_snapshot!(project.text("base.csv"), @"
    scenario,platform,commit,runIndex,decodeNs,gcAllocations,machineClass
    Parse,linux,0123abcd,-1,100,3,small-4c
    Print,linux,0123abcd,-1,100,3,small-4c
    ");
    let again = project.run("extract-perf-baseline --input base.csv");
    assert_eq!(again.out(), project.text("base.csv"));
    let missing = project.run("extract-perf-baseline --input run.log --machine-specs none.json");
    assert_snapshot!(missing, @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,decodeNs,gcAllocations
    Parse,linux,4567cdef,-1,900,4
    Print,linux,4567cdef,-1,100,3
    --- stderr
    warning: `none.json` does not exist: the rows carry none
    ");
}

#[test]
fn times_of_different_machines_are_not_compared_but_counts_are() {
    let line = "render-perf-deltas --input run.csv --baseline-csv base.csv --output -";
    assert_snapshot!(moved("small-4c", "large-16c").run(line), @"
    exit 0
    --- stdout
    **Parse regressed**: GC allocs 3 → 4: 1 more of 3 is the smallest step there is (33 %), and any at all fails; 2 with a gated metric that cannot be compared.

    | Scenario | Metric    | Baseline | Current | Delta    | Verdict        |
    | -------- | --------- | -------- | ------- | -------- | -------------- |
    | Parse    | GC allocs | 3        | 4       | -33.33%  | **regressed**  |
    | Parse    | decodeNs  | 100 ns   | 900 ns  | -800.00% | not comparable |
    | Print    | decodeNs  | 100 ns   | 100 ns  | 0.00%    | not comparable |

    <details><summary>1 unchanged</summary>

    | Scenario | Metric    | Baseline | Current | Delta | Verdict   |
    | -------- | --------- | -------- | ------- | ----- | --------- |
    | Print    | GC allocs | 3        | 3       | 0.00% | unchanged |

    </details>

    <details><summary>Why Parse regressed</summary>

    - decodeNs, not comparable: measured on machines of different classes.
    - Judged by the threshold of +49.3 %; baseline 100 ns, current 900 ns; noticed from +49.3 %.
    - GC allocs, regressed: 3 → 4: 1 more of 3 is the smallest step there is (33 %), and any at all fails.
    - Judged by the exact rule; baseline 3, current 4; noticed from +33.3 %.

    ```sh
    render-perf-deltas --input run.csv --baseline-csv base.csv --explain Parse
    ```

    </details>

    <details><summary>Why Print is not comparable</summary>

    - decodeNs, not comparable: measured on machines of different classes.
    - Judged by the threshold of +49.3 %; baseline 100 ns, current 100 ns; noticed from +49.3 %.

    ```sh
    render-perf-deltas --input run.csv --baseline-csv base.csv --explain Print
    ```

    </details>

    <details><summary>Not compared</summary>

    - Parse, decodeNs: measured on machines of different classes
    - Print, decodeNs: measured on machines of different classes

    </details>

    > This run was measured on large-16c, the baseline on small-4c: times are not compared.

    <sub>Measured: `4567cdef`. Baseline: `0123abcd`. + is better; up to 2 % is unchanged.</sub>
    --- stderr
    changed=true
    regressed=true
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=2
    compared=2
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    ");
    let same = moved("small-4c", "small-4c").run(line);
    assert!(same.out().contains("decodeNs 100 → 900 ns (+800 %"), "{same}");
}

#[test]
fn the_class_can_be_told_beside_the_log_that_was_measured() {
    let project = moved("small-4c", "large-16c");
    let from_rows = project.run("render-perf-deltas --input run.csv --baseline-csv base.csv --output -");
    let told = project.run(
        "render-perf-deltas --input run.log --machine-specs new.json --baseline-csv base.csv --output -",
    );
    // All but the command that they come from.
    let said = |outcome: &Outcome| {
        outcome.out().lines().filter(|line| !line.starts_with("render-")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said(&told), said(&from_rows));
    let same = project.run(
        "render-perf-deltas --input run.log --machine-specs old.json --baseline-csv base.csv --output -",
    );
    assert!(same.out().contains("decodeNs 100 → 900 ns (+800 %"), "{same}");
}

#[test]
fn another_kind_of_runner_is_no_failure_and_is_said() {
    let project = moved("small-4c", "large-16c");
    for (name, class) in [("times.log", "small-4c"), ("slow.log", "large-16c")] {
        project.write(name, format!("{{scenario:\"Parse\",machineClass:\"{class}\",decodeNs:100}}\n"));
    }
    let line = "render-perf-deltas --input slow.log --baseline-csv times.csv --exit-code";
    project.run("extract-perf-baseline --input times.log --output times.csv");
    assert_snapshot!(project.run(line), @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=1
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    warning: nothing was compared, as the baseline was measured on another kind of machine, by another method or with another toolchain
    note: Nothing was compared, so nothing is known: 0 scenarios only in the baseline, 0 only in this run, 1 on both sides without a metric to compare.
    ");
    // Rows that do not meet are another matter.
    project.write("slow.log", "{scenario:\"Other\",decodeNs:100}\n");
    assert_eq!(project.run(line).code, Some(1));
}

#[test]
fn versions_of_compared_libraries_stand_beside_their_names() {
    let manifest = r#"{
  "packages": { "com.packrat": "2.4.1" },
  "ecosystems": { "nuget": { "JsonLite": "7.0.0" } },
  "labels": { "com.packrat": "Packrat", "JsonLite": "JSON lite" }
}"#;
    let project = Project::fixture("ferrite").with("packages.json", manifest);
    let page = project.run("render-perf-doc --input bench.log --preview --packages packages.json");
    let matrix = page.out().split("#### Serializers").nth(1).unwrap_or_default().to_owned();
    assert_snapshot!(matrix, @"
     - throughput (Desktop (Mono))

    | Technology      | Write            | Read (big)       |
    | --------------- | ---------------- | ---------------- |
    | Ferrite         | 4.00 M emits/sec | 0.00 M emits/sec |
    | Packrat 2.4.1   | 3.00 M emits/sec | 0.00 M emits/sec |
    | JSON lite 7.0.0 | 0.20 M emits/sec | N/A              |
    | Oxide           | N/A              | 0.00 M emits/sec |
    ");
    project.write("packages.json", "{\n  \"packages\": 5\n}");
    assert_snapshot!(project.run("render-perf-doc -q --input bench.log --preview --packages packages.json"), @"
    exit 2
    --- stderr
    error: packages.json:2:15: invalid type: integer `5`, expected a map
    ");
    assert_snapshot!(project.run("render-perf-doc -q --input bench.log --preview --packages none.json"), @"
    exit 2
    --- stderr
    error: `none.json` does not exist
    ");
}
