//! Runs every workflow in the documentation and the examples as it is: jobs get a token with their permissions,
//! scripts run in bash, this repository's actions run step by step, and other actions are imitated.
//!
//! Every YAML block on a page has a check in [`PAGES`], or a reason why it has none.
#![expect(
    clippy::print_stderr,
    reason = "a failed test shows which block it was at"
)]

mod bisect;
mod checks;
mod commands;
mod scene;

use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end::action::workflow::blocks;

use self::checks::{
    by_an_app, by_hand, cached, confirmed_by_the_action, confirmed_by_the_workflow, gate,
    gate_of_two, jobs_of_a_matrix, of_a_fork, of_the_workspace, refresh, setup, several_inputs,
    site, suites, with_programs_of_ones_own,
};
use self::scene::{example, repository};

/// Runs a block and asserts its results.
type Runs = fn(&str);

/// The check of a block.
enum Check {
    Run(Runs),
    Not(&'static str),
}
use Check::{Not, Run};

/// The workflow on a page of `docs/start`.
const STARTED: &[Check] = &[Not("it needs the language's own tools")];

const PAGES: [(&str, &[Check]); 19] = [
    ("README.md", &[Run(gate)]),
    ("INSTALL.md", &[Run(gate)]),
    ("docs/how-to/compare-files.md", &[Run(by_hand)]),
    (
        "docs/how-to/large-suites.md",
        &[Not(
            "`action::shards` runs it, with a tool that has a filter",
        )],
    ),
    (
        "docs/how-to/matrix-and-monorepo.md",
        &[
            Run(suites),
            Run(several_inputs),
            Run(jobs_of_a_matrix),
            Run(gate),
        ],
    ),
    ("docs/how-to/protected-branches.md", &[Run(by_an_app)]),
    (
        "docs/how-to/self-hosted.md",
        &[Run(with_programs_of_ones_own)],
    ),
    (
        "docs/how-to/stored-baseline.md",
        &[
            Run(refresh),
            Run(cached),
            Run(of_the_workspace),
            Run(confirmed_by_the_action),
            Run(confirmed_by_the_workflow),
        ],
    ),
    (
        "docs/reference/action.md",
        &[Run(gate), Run(gate), Run(setup)],
    ),
    (
        "docs/reference/comparison-packages.md",
        &[Not(
            "a program of its own, which the tests of `validate-packages` run",
        )],
    ),
    ("docs/start/command-line.md", STARTED),
    ("docs/start/cpp.md", STARTED),
    ("docs/start/dotnet.md", STARTED),
    ("docs/start/go.md", STARTED),
    ("docs/start/java.md", STARTED),
    ("docs/start/javascript.md", STARTED),
    ("docs/start/python.md", STARTED),
    ("docs/start/rust.md", STARTED),
    ("docs/start/service.md", STARTED),
];

/// The complete examples. [`of_a_fork`] runs the first two, one after the other.
const EXAMPLES: [(&str, Runs); 6] = [
    ("perf-bisect.yml", bisect::after_a_push),
    ("perf-command.yml", commands::commands),
    ("perf-comment.yml", of_a_fork),
    ("perf-measure.yml", gate_of_two),
    ("perf-site.yml", site),
    ("perf.yml", gate),
];

/// Whether all tools are installed that scripts in the workflows use; otherwise, these tests are skipped.
fn has_tools() -> bool {
    let has = |tool: &&str| {
        Command::new(tool)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let missing: Vec<&str> = ["curl", "jq"]
        .into_iter()
        .filter(|tool| !has(tool))
        .collect();
    let zip = ["zip", "unzip"]
        .into_iter()
        .filter(|tool| Command::new(tool).arg("-v").output().is_err());
    let missing: Vec<&str> = missing.into_iter().chain(zip).collect();
    if !missing.is_empty() {
        eprintln!(
            "skipped: the documented workflows need {}",
            missing.join(", ")
        );
    }
    missing.is_empty()
}

/// Runs the check of each block on a page.
fn check(page: &str) {
    if !has_tools() {
        return;
    }
    let (_, checks) = PAGES.iter().find(|(name, _)| *name == page).unwrap();
    let blocks = blocks(&repository().join(page), "yaml");
    assert_eq!(
        blocks.len(),
        checks.len(),
        "a YAML block of {page} has no check in `PAGES`"
    );
    for ((line, block), check) in blocks.iter().zip(checks.iter()) {
        match check {
            Run(run) => {
                eprintln!("{page}:{line}");
                run(block);
            }
            Not(reason) => eprintln!("{page}:{line} is not run: {reason}"),
        }
    }
}

#[test]
fn every_page_with_a_workflow_has_a_check() {
    let mut pages: Vec<String> = vec![
        "README.md".into(),
        "INSTALL.md".into(),
        "SECURITY.md".into(),
    ];
    for folder in ["docs", "docs/start", "docs/how-to", "docs/reference"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            let name = entry.unwrap().file_name();
            pages.push(format!("{folder}/{}", name.to_string_lossy()));
        }
    }
    for page in pages
        .iter()
        .filter(|page| Path::new(page).extension().is_some_and(|kind| kind == "md"))
    {
        let known = PAGES.iter().any(|(name, _)| name == page);
        assert!(
            known || blocks(&repository().join(page), "yaml").is_empty(),
            "`{page}` has YAML and is not in `PAGES`"
        );
    }
    let examples = fs::read_dir(repository().join("examples/workflows"))
        .unwrap()
        .count();
    assert_eq!(examples, EXAMPLES.len(), "an example has no check");
}

#[test]
fn readme_and_installation() {
    check("README.md");
    check("INSTALL.md");
}

#[test]
fn action_reference() {
    check("docs/reference/action.md");
}

#[test]
#[ignore = "runs many workflows: `.ci/run slow`"]
fn matrix_and_monorepo() {
    check("docs/how-to/matrix-and-monorepo.md");
}

#[test]
#[ignore = "runs many workflows: `.ci/run slow`"]
fn stored_baseline() {
    check("docs/how-to/stored-baseline.md");
}

#[test]
fn other_pages() {
    for (page, _) in PAGES {
        let own_test = [
            "README.md",
            "INSTALL.md",
            "docs/reference/action.md",
            "docs/how-to/matrix-and-monorepo.md",
            "docs/how-to/stored-baseline.md",
        ];
        if !own_test.contains(&page) {
            check(page);
        }
    }
}

#[test]
#[ignore = "runs many workflows: `.ci/run slow`"]
fn the_examples() {
    if !has_tools() {
        return;
    }
    for (name, run) in EXAMPLES {
        run(&example(name));
    }
}
