//! The refreshes of ten suites at once. `PERF_GATE_ROUNDS=5` makes fifty of them, in each of the two stores.

use std::process::Child;

use crate::setting::Setting;

fn rounds() -> usize {
    std::env::var("PERF_GATE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// Every suite publishes a file of its own, and all of them reach `branch`, by at most as many requests in each round.
fn all_published(setting: &Setting, (suites, most): (usize, usize), branch: &str, more: &[&str]) {
    for round in 0..rounds() {
        setting.set("GITHUB_RUN_ID", &(100 + round).to_string());
        let name = |suite: usize| format!("suite-{suite}/perf.csv");
        let content = |suite: usize| format!("{suite} of {round}\n");
        (0..suites).for_each(|suite| setting.write(&name(suite), &content(suite)));
        let start = |suite: usize| -> Child {
            let name = name(suite);
            // What renders the file again is as good as a copy of what was rendered.
            let script = format!("printf '{suite} of {round}\\n' >{name}");
            setting.start(&[&["--file", &name], more, &["--", "sh", "-c", &script]].concat())
        };
        let started: Vec<Child> = (0..suites).map(start).collect();
        for (suite, child) in started.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("refresh=committed"), "round {round}, suite {suite}: {said}");
            assert_eq!(setting.git().text(branch, &name(suite)), Some(content(suite)), "round {round}");
        }
        let calls = setting.calls();
        let all: usize = calls.values().sum();
        assert!(all <= most, "{all} calls in round {round}: {calls:#?}");
    }
}

#[test]
fn a_suite_alone_asks_for_nothing_twice() {
    all_published(&Setting::new(), (1, 5), "main", &[]);
    all_published(&Setting::new(), (1, 6), "perf-baseline", &["--store", "perf-baseline"]);
}

/// The order of the suites is chance: 119 to 161 requests were counted.
#[test]
fn ten_suites_at_once_are_all_published() {
    all_published(&Setting::new(), (10, 200), "main", &[]);
}

#[test]
fn ten_suites_at_once_are_all_published_to_a_branch_that_is_not_there_yet() {
    all_published(&Setting::new(), (10, 200), "perf-baseline", &["--store", "perf-baseline"]);
}
