//! Concurrent refreshes of ten suites. `PERF_GATE_ROUNDS=5` makes fifty refreshes, all on one branch.

use std::process::Child;

use crate::setting::Setting;

fn rounds() -> usize {
    std::env::var("PERF_GATE_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1)
}

/// Lets each suite publish its own file, and checks that all of them reach the branch. Their order and number of
/// attempts are random, but an attempt fails only because of a commit by another suite. A failed attempt costs `again`
/// requests. In addition, each suite makes at most `each` requests.
fn publish_concurrently(suites: usize, each: usize, again: usize) {
    let setting = &Setting::new();
    for round in 0..rounds() {
        // Each round measures the newest commit: GitHub lists no more than 100 commits since the measured one.
        let newest = setting.git().head("main").unwrap();
        setting
            .set("GITHUB_SHA", &newest)
            .set("GITHUB_RUN_ID", &(100 + round).to_string());
        let name = |suite: usize| format!("suite-{suite}/perf.csv");
        let content = |suite: usize| format!("{suite} of {round}\n");
        (0..suites).for_each(|suite| setting.write(&name(suite), &content(suite)));
        let start = |suite: usize| -> Child {
            let name = name(suite);
            // Rendering again produces the same file.
            let script = format!("printf '{suite} of {round}\\n' >{name}");
            setting.start(&["--file", &name, "--", "sh", "-c", &script])
        };
        let started: Vec<Child> = (0..suites).map(start).collect();
        for (suite, child) in started.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                said.contains("refresh=committed"),
                "round {round}, suite {suite}: {said}"
            );
            assert_eq!(
                setting.git().text("main", &name(suite)),
                Some(content(suite)),
                "round {round}"
            );
        }
        let calls = setting.calls();
        let of = |endings: &[&str]| -> usize {
            let is_of = |name: &String| endings.iter().any(|ending| name.ends_with(ending));
            calls
                .iter()
                .filter(|(name, _)| is_of(name))
                .map(|(_, count)| count)
                .sum()
        };
        let (all, lost) = (of(&[""]), of(&["createCommitOnBranch errors"]));
        assert!(
            lost <= suites * (suites - 1),
            "{lost} lost attempts in round {round}: {calls:#?}"
        );
        assert!(
            all <= suites * each + again * lost,
            "{all} calls in round {round}: {calls:#?}"
        );
    }
}

#[test]
fn single_suite_repeats_no_request() {
    publish_concurrently(1, 5, 0);
}

#[test]
fn ten_concurrent_suites_are_published() {
    publish_concurrently(10, 6, 3);
}
