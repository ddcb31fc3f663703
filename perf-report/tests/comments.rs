//! Whole comments, as a reviewer reads them.

mod common;

use common::{Case, run};

const SCENARIOS: [(&str, f64, u32); 14] = [
    ("decode/small", 120.0, 2),
    ("decode/large", 12_400.0, 7),
    ("encode/small", 95.0, 0),
    ("encode/large", 9_800.0, 3),
    ("sort/1e3", 41_000.0, 1),
    ("sort/1e6", 61_000_000.0, 1),
    ("hash/64B", 18.5, 0),
    ("hash/1MiB", 310_000.0, 0),
    ("lookup/hit", 33.0, 0),
    ("lookup/miss", 21.0, 0),
    ("insert", 77.0, 1),
    ("remove", 64.0, 0),
    ("iterate", 5_200.0, 0),
    ("clone", 880.0, 4),
];

fn case() -> Case {
    let history = (0..24).map(|commit| run(commit, &SCENARIOS, 0.02)).collect();
    Case {
        history,
        baseline: run(24, &SCENARIOS, 0.02),
        current: run(25, &SCENARIOS, 0.02),
        ..Case::default()
    }
}

/// The scenarios with some times multiplied and some allocations added.
fn changed(changes: &[(&str, f64, u32)]) -> Vec<(&'static str, f64, u32)> {
    let of = |name: &str| changes.iter().find(|(changed, ..)| *changed == name);
    SCENARIOS
        .iter()
        .map(|(name, ns, allocs)| match of(name) {
            Some((_, times, more)) => (*name, ns * times, allocs + more),
            None => (*name, *ns, *allocs),
        })
        .collect()
}

#[test]
fn a_clean_run() {
    insta::assert_snapshot!(case().markdown());
}

#[test]
fn a_regression() {
    let slower = changed(&[("sort/1e6", 1.34, 0), ("hash/64B", 0.7, 0), ("insert", 1.0, 1)]);
    let case = Case { current: run(25, &slower, 0.02), repeats: vec![run(26, &slower, 0.02)], ..case() };
    insta::assert_snapshot!(case.markdown());
}

#[test]
fn an_inconclusive_run() {
    let slower = changed(&[("lookup/hit", 1.22, 0)]);
    let case = Case { current: run(25, &slower, 0.02), ..case() };
    insta::assert_snapshot!(case.markdown());
}

#[test]
fn a_run_on_a_slower_machine() {
    let slower: Vec<_> = SCENARIOS.iter().map(|(name, ns, allocs)| (*name, ns * 1.19, *allocs)).collect();
    let case = Case { current: run(25, &slower, 0.02), ..case() };
    insta::assert_snapshot!(case.markdown());
}
