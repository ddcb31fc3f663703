//! Parses any payload of a GitHub event. Checks: no panics; commits and repositories are safe for use in requests,
//! command lines and messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_github::Side;
use perf_github::{CommitId, Event, Repo};

fuzz_target!(|payload: &str| {
    for name in [
        "pull_request",
        "pull_request_target",
        "push",
        "workflow_run",
        "schedule",
    ] {
        match Event::parse(name, payload) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(event) => {
                assert_eq!(event.name, name);
                let pull = event
                    .pull_request
                    .iter()
                    .flat_map(|pull| [&pull.head, &pull.base]);
                pull.for_each(side_is_plain);
                let run = event
                    .workflow_run
                    .iter()
                    .filter_map(|run| run.head_repo.as_ref());
                run.for_each(repo_is_plain);
                let commits = [
                    event.base(),
                    event.head(),
                    event.before.as_ref(),
                    event.after.as_ref(),
                ];
                commits.into_iter().flatten().for_each(sha_is_plain);
            }
        }
    }
});

fn sha_is_plain(sha: &CommitId) {
    let text = sha.to_string();
    assert!(
        [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{text:?}"
    );
    assert!(text.starts_with(sha.short()));
}

fn repo_is_plain(repo: &Repo) {
    let text = repo.to_string();
    let is_plain = |part: &str| {
        !part.is_empty()
            && ![".", ".."].contains(&part)
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    assert!(
        text.split('/').count() == 2 && text.split('/').all(is_plain),
        "{text:?}"
    );
}

fn side_is_plain(side: &Side) {
    sha_is_plain(&side.sha);
    side.repo.iter().for_each(repo_is_plain);
}
