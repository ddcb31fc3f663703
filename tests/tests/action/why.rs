//! The functions that caused a regression, which the action finds by profiling after measuring pairs.

use fake_github::account::WORKFLOW;

use super::scene::{Pull, empty, github_of, pull_request_to};

const TITLE: &str = "**Functions that caused the regressions**";

/// A pull request that makes a function three times slower.
fn slower(config: &str) -> Pull {
    let library = |size: u32| {
        format!(
            "SIZE = {size}\n\n\ndef parse():\n    return sum(n * n % 7 for n in range({size}))\n"
        )
    };
    let workspace = empty();
    workspace.write(
        "perf-gate.toml",
        format!("{config}[files]\nmachine-specs = false\n"),
    );
    let bench = "import library\n\nfor _ in range(200):\n    library.parse()\n\
                 print(f'scenario,platform,runIndex,timeNs\\nParse,linux,0,{library.SIZE}')\n";
    workspace.write("bench.py", bench);
    workspace.write("library.py", library(1000));
    workspace.push("main", "Begin");
    pull_request_to(workspace, "", |workspace| {
        workspace.write("library.py", library(3000));
    })
}

fn comment(pull: &Pull) -> String {
    let fake = github_of(pull);
    let run = pull
        .run()
        .input("results", "")
        .input("run", "python3 bench.py");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    fake.comments(5)[0].body.clone()
}

#[test]
fn functions_that_caused_a_regression_are_listed() {
    let comment = comment(&slower(""));
    let (_, causes) = comment.split_once(TITLE).expect(&comment);
    assert!(
        causes.contains("parse (library.py)") && causes.contains("changed here"),
        "{comment}"
    );
}

#[test]
fn profiling_can_be_disabled_in_the_config() {
    let comment = comment(&slower("[why]\nenabled = false\n"));
    assert!(
        comment.contains("1 of 1 benchmark regressed") && !comment.contains(TITLE),
        "{comment}"
    );
}
