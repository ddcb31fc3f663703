use insta::assert_snapshot;

use super::*;

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
    RefreshOutcome::Proposed(Proposal {
        url: "https://github.com/octo/quill/pull/7".to_owned(),
        commit: sha('b'),
        auto_merge: auto_merge.map_err(str::to_owned),
        closed: vec![5],
        is_update: false,
    })
}

fn all() -> Vec<RefreshOutcome> {
    let outranked = |age, place| RefreshOutcome::Outranked {
        origin: origin('c'),
        age,
        place,
    };
    vec![
        RefreshOutcome::Committed { commit: sha('b') },
        RefreshOutcome::Unchanged,
        proposal(Ok(())),
        proposal(Err("the repository does not allow auto-merge")),
        outranked(Age::Newer, OutrankingPlace::Branch),
        outranked(Age::Same, OutrankingPlace::PullRequest(9)),
        RefreshOutcome::Stale { behind: true },
        RefreshOutcome::Stale { behind: false },
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
}

#[test]
fn every_outcome_is_one_sentence() {
    let described: Vec<String> = all()
        .iter()
        .map(|outcome| outcome.sentence(&scene()))
        .collect();
    assert_snapshot!(described.join("\n"), @"
    committed the numbers for aaaaaaa to `main`: https://github.com/octo/quill/commit/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    nothing changed: `main` already contains these numbers
    `main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/7: auto-merge is enabled; it replaces #5, which is closed
    `main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/7: merge it manually, because the repository does not allow auto-merge; it replaces #5, which is closed
    nothing published: `main` contains numbers for newer code, ccccccc
    nothing published: pull request #9 contains numbers for the same code from the later run 12.2
    nothing published: `main` was reset to a commit before the measured one, aaaaaaa
    nothing published: the measured commit aaaaaaa is no longer in `main`
    nothing published: `src/�[2Jlib.rs` changed on `main` since aaaaaaa was measured; that push's run publishes its own numbers
    nothing published: more files than GitHub lists changed on `main` since aaaaaaa was measured; that push's run publishes its own numbers
    nothing published: no room
    ");
}

#[test]
fn outcomes_have_result_lines() {
    let described: Vec<String> = all()
        .iter()
        .map(|outcome| outcome.lines(&scene()))
        .collect();
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
        .map(|outcome| outcome.exit() == Exit::Findings)
        .collect();
    assert_eq!(
        failed.iter().position(|failed| *failed),
        Some(all().len() - 1)
    );
    let expected = RefreshOutcome::Unpublished {
        why: String::new(),
        hints: Vec::new(),
        expected: true,
    };
    assert_eq!(
        (expected.exit(), expected.level()),
        (Exit::Ok, Some(Level::Notice))
    );
}
