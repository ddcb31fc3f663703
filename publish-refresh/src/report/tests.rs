use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::origin::{MeasurementOrigin, PublishedRefresh};

fn version(path: &str, content: &str) -> PublishedFile {
    PublishedFile {
        path: path.parse().unwrap(),
        content: Some(content.into()),
    }
}

#[test]
fn numbers_are_shown_unchanged() {
    let numbers = [
        version("perf.csv", "scenario,platform\na,b"),
        version("perf.md", "````text\n</details>\n````\n"),
    ];
    assert_snapshot!(summary("`main` takes no commits, says <b>@octo</b>", &numbers, 100_000), @"
    ### Performance numbers

    `main` takes no commits, says &lt;b>&#64;octo&lt;/b>

    <details><summary>perf.csv</summary>

    ```text
    scenario,platform
    a,b
    ```

    </details>

    <details><summary>perf.md</summary>

    `````text
    ````text
    </details>
    ````
    `````

    </details>
    ");
}

#[test]
fn too_large_file_is_listed_with_its_size() {
    let numbers = [version("a.csv", &"1".repeat(5000)), version("b.csv", "2\n")];
    assert_snapshot!(summary("Lost", &numbers, 5000), @"
    ### Performance numbers

    Lost

    a.csv is too large to be shown here: 5000 bytes

    <details><summary>b.csv</summary>

    ```text
    2
    ```

    </details>
    ");
}

proptest! {
    #[test]
    fn content_stays_in_its_block(content in "[`a\n]{0,40}") {
        let block = block(&content);
        let fence = block.lines().next().unwrap().trim_end_matches("text").to_owned();
        let inside = block.strip_prefix(&format!("{fence}text\n")).unwrap();
        let inside = inside.strip_suffix(&format!("{fence}\n")).unwrap();
        prop_assert!(inside.is_empty() || inside.ends_with('\n'));
        prop_assert!(!inside.contains(&fence));
    }

    #[test]
    fn summary_fits_into_room(sizes in prop::collection::vec(0..9000_usize, 0..5), room in 9000..30_000_usize) {
        let numbers: Vec<_> = sizes.iter().map(|size| version("a", &"x".repeat(*size))).collect();
        prop_assert!(summary("Lost", &numbers, room).len() <= room);
    }
}

fn sha(digit: char) -> CommitId {
    digit.to_string().repeat(40).parse().unwrap()
}

fn scene() -> Scene {
    let repo: Repo = "octo/quill".parse().unwrap();
    let page = format!("https://github.com/{repo}");
    Scene {
        branch: "main".to_owned(),
        measured: sha('a'),
        repo,
        page,
    }
}

fn origin(measured: char) -> MeasurementOrigin {
    MeasurementOrigin {
        measured: sha(measured),
        run: "12.2".parse().ok(),
        mark: Some("bench.1".to_owned()),
    }
}

fn proposal(auto_merge: Result<(), &str>) -> RefreshOutcome {
    RefreshOutcome::Proposed {
        url: "https://github.com/octo/quill/pull/7".to_owned(),
        commit: sha('b'),
        auto_merge: auto_merge.map_err(str::to_owned),
    }
}

fn report(outcome: RefreshOutcome) -> RefreshReport {
    RefreshReport {
        scene: scene(),
        outcome,
        in_workflow: true,
    }
}

fn all() -> Vec<RefreshReport> {
    let outranked = |age, pull| RefreshOutcome::Outranked {
        refresh: PublishedRefresh {
            commit: sha('d'),
            origin: origin('c'),
            age,
        },
        pull,
    };
    [
        RefreshOutcome::Committed { commit: sha('b') },
        RefreshOutcome::Unchanged,
        proposal(Ok(())),
        proposal(Err("the repository does not allow auto-merge")),
        outranked(Age::Newer, None),
        outranked(Age::Same, Some(9)),
        RefreshOutcome::Stale,
        RefreshOutcome::Superseded {
            by: Some("src/\u{1b}[2Jlib.rs".to_owned()),
        },
        RefreshOutcome::Superseded { by: None },
        RefreshOutcome::Unpublished {
            why: "no room".to_owned(),
            hints: Vec::new(),
            expected: false,
        },
    ]
    .map(report)
    .into()
}

#[test]
fn every_outcome_is_one_sentence() {
    let described: Vec<String> = all().iter().map(RefreshReport::sentence).collect();
    assert_snapshot!(described.join("\n"), @"
    committed the numbers for aaaaaaa to `main`: https://github.com/octo/quill/commit/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    nothing changed: `main` already contains these numbers
    `main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/7: auto-merge is enabled
    `main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/7: merge it manually, because the repository does not allow auto-merge
    nothing published: `main` contains numbers for newer code, ccccccc
    nothing published: pull request #9 contains numbers for the same code from a later run
    nothing published: the measured commit aaaaaaa is no longer in `main`
    nothing published: `src/�[2Jlib.rs` changed on `main` since aaaaaaa was measured; that push's run publishes its own numbers
    nothing published: more files than GitHub lists changed on `main` since aaaaaaa was measured; that push's run publishes its own numbers
    nothing published: no room
    ");
}

#[test]
fn outcomes_have_result_lines() {
    let described: Vec<String> = all().iter().map(RefreshReport::lines).collect();
    assert_snapshot!(described.concat(), @"
    refresh=committed
    commit=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    commit-url=https://github.com/octo/quill/commit/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    refresh=unchanged
    refresh=pull-request
    commit=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    commit-url=https://github.com/octo/quill/commit/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    pull-request=https://github.com/octo/quill/pull/7
    refresh=pull-request
    commit=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    commit-url=https://github.com/octo/quill/commit/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    pull-request=https://github.com/octo/quill/pull/7
    refresh=newer
    refresh=newer
    refresh=stale
    refresh=superseded
    refresh=superseded
    refresh=unpublished
    ");
}

#[test]
fn only_unexpectedly_unpublished_numbers_fail() {
    let failed: Vec<bool> = all()
        .iter()
        .map(|report| report.exit() == Exit::Findings)
        .collect();
    assert_eq!(
        failed.iter().position(|failed| *failed),
        Some(all().len() - 1)
    );
    let expected = report(RefreshOutcome::Unpublished {
        why: String::new(),
        hints: Vec::new(),
        expected: true,
    });
    assert_eq!(
        (expected.exit(), expected.level()),
        (Exit::Ok, Some(Level::Notice))
    );
}
