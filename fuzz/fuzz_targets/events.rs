//! Any payload of an event of GitHub: no panic, and commits, repositories and branches that can be written into a
//! request, a command line or a message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_github::event::Event;
use perf_github::names::{Repo, Sha};
use perf_github::pulls::Side;

fuzz_target!(|payload: &str| {
    for name in ["pull_request", "pull_request_target", "push", "workflow_run", "schedule"] {
        match Event::parse(name, payload) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(Event::PullRequest { pull, target }) => {
                assert_eq!(target, name == "pull_request_target");
                [&pull.head, &pull.base].into_iter().for_each(side_is_plain);
            }
            Ok(Event::Push(push)) => [&push.before, &push.after].into_iter().for_each(sha_is_plain),
            Ok(Event::WorkflowRun(run)) => {
                sha_is_plain(&run.head_sha);
                run.head_repo.iter().for_each(repo_is_plain);
            }
            Ok(Event::Other(other)) => assert_eq!((other.as_str(), name), ("schedule", "schedule")),
        }
    }
});

fn sha_is_plain(sha: &Sha) {
    let text = sha.to_string();
    assert!([40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text:?}");
    assert!(text.starts_with(sha.short()));
}

fn repo_is_plain(repo: &Repo) {
    let text = repo.to_string();
    let is_plain = |part: &str| {
        !part.is_empty()
            && ![".", ".."].contains(&part)
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    assert!(text.split('/').count() == 2 && text.split('/').all(is_plain), "{text:?}");
}

fn side_is_plain(side: &Side) {
    sha_is_plain(&side.sha);
    side.repo.iter().for_each(repo_is_plain);
}
