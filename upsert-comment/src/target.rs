//! Determines the pull request that gets the comment, and its measured commit.

use perf_cli::Failure;
use perf_github::{Actions, CommitId, Event, Pull};

/// The pull request's number: the given one, otherwise the event's, or `None` if the event has none. Outside of a workflow, it
/// must be given.
pub(crate) fn number(named: Option<u64>, actions: &Actions) -> Result<Option<u64>, Failure> {
    let event = &actions.event;
    let mut number = named;
    if let Some(pull) = &event.pull_request
        && event.is_pull_request()
    {
        number = number.or(Some(pull.number));
    }
    if let Some(run) = &event.workflow_run
        && run.is_of_pull_request()
        && let [only] = &run.pulls[..]
    {
        number = number.or(Some(only.number));
    }
    if number.is_none() && actions.run.is_none() {
        return Err(Failure::new("no pull request given").hint("pass its number with `--pr`"));
    }
    Ok(number)
}

/// The measured commit: the given one, otherwise the event's.
pub(crate) fn measured(
    named: Option<&CommitId>,
    actions: &Actions,
    number: u64,
) -> Option<CommitId> {
    let event = &actions.event;
    let of_event = match &event.pull_request {
        Some(pull) if pull.number == number => Some(&pull.head.sha),
        Some(_) => None,
        None => event.head().or(event.after.as_ref()),
    };
    named.or(of_event).cloned()
}

/// Checks whether the report may be posted on a pull request. An error is the reason why not, for a notice.
///
/// A workflow that runs after another one has write access, and gets the pull request's number from the other workflow's artifact,
/// which is untrusted. So the report is only posted if the other run measured the pull request's head: the same commit in the same
/// repository.
pub(crate) fn check(pull: &Pull, event: &Event) -> Result<(), String> {
    if let Some(run) = &event.workflow_run
        && !(run.is_of_head(pull) && run.is_of_pull_request())
    {
        let measured = run.head_sha.as_ref();
        let measured = measured.map_or("of the other workflow", CommitId::short);
        let number = pull.number;
        return Err(format!(
            "the measured commit {measured} is not the head of #{number}"
        ));
    }
    if pull.locked {
        return Err(locked(pull.number));
    }
    Ok(())
}

pub(crate) fn locked(number: u64) -> String {
    format!("the conversation of #{number} is locked")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const OTHER: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    /// The environment of a run started by `event` with this payload, or outside of a workflow if `event` is empty.
    fn actions(event: &str, payload: &str) -> Actions {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("event.json");
        fs::write(&path, payload).unwrap();
        let variable = |name: &str| match name {
            "GITHUB_EVENT_NAME" => Some(event.to_owned()),
            "GITHUB_EVENT_PATH" => Some(path.to_string_lossy().into_owned()),
            "GITHUB_RUN_ID" => Some("7".to_owned()).filter(|_| !event.is_empty()),
            _ => None,
        };
        Actions::read(variable).unwrap()
    }

    fn pull_json(state: &str, locked: bool, from: &str) -> String {
        format!(
            r#"{{"number": 5, "node_id": "n", "html_url": "u", "title": "t", "body": null, "user": null,
                "state": "{state}", "locked": {locked},
                "head": {{"ref": "topic", "sha": "{HEAD}", "repo": {{"full_name": "{from}"}}}},
                "base": {{"ref": "main", "sha": "{OTHER}", "repo": {{"full_name": "octo/quill"}}}}}}"#
        )
    }

    fn of_pull(state: &str, locked: bool) -> Actions {
        actions(
            "pull_request",
            &format!(
                r#"{{"pull_request": {}}}"#,
                pull_json(state, locked, "fork/quill")
            ),
        )
    }

    fn pull(state: &str, locked: bool) -> Pull {
        *of_pull(state, locked).event.pull_request.unwrap()
    }

    fn of_run(event: &str, sha: &str, repo: &str, pulls: &str) -> Actions {
        let payload = format!(
            r#"{{"workflow_run": {{"id": 1, "event": "{event}", "head_sha": "{sha}", "head_branch": "topic",
                "head_repository": {repo}, "conclusion": "success", "pull_requests": {pulls}}}}}"#
        );
        actions("workflow_run", &payload)
    }

    #[test]
    fn given_pull_request_takes_precedence_over_event() {
        let fork = r#"{"full_name": "fork/quill"}"#;
        assert_eq!(number(None, &of_pull("open", false)).unwrap(), Some(5));
        assert_eq!(number(Some(6), &of_pull("open", false)).unwrap(), Some(6));
        let numbered = r#"[{"number": 8}]"#;
        assert_eq!(
            number(None, &of_run("pull_request", HEAD, fork, numbered)).unwrap(),
            Some(8)
        );
        for nowhere in [
            of_run("push", HEAD, fork, numbered),
            of_run("pull_request", HEAD, fork, "[]"),
            actions("schedule", "{}"),
        ] {
            assert_eq!(number(None, &nowhere).unwrap(), None);
        }
        let by_hand = number(None, &actions("", "{}")).unwrap_err().to_string();
        assert_eq!(by_hand, "no pull request given");
    }

    #[test]
    fn measured_commit_is_head_not_trial_merge() {
        let (event, named) = (of_pull("open", false), OTHER.parse().unwrap());
        assert_eq!(measured(None, &event, 5).unwrap().as_str(), HEAD);
        assert_eq!(measured(Some(&named), &event, 5).unwrap(), named);
        assert_eq!(measured(None, &event, 6), None);
        assert_eq!(measured(None, &actions("schedule", "{}"), 5), None);
    }

    #[test]
    fn locked_pull_request_gets_no_comment() {
        let refused = |state, locked| check(&pull(state, locked), &Event::default());
        assert_eq!(refused("open", false), Ok(()));
        // An existing comment is updated even after the merge.
        assert_eq!(refused("closed", false), Ok(()));
        assert_eq!(refused("open", true), Err(locked(5)));
    }

    #[test]
    fn other_workflow_must_have_measured_the_pull_requests_head() {
        let fork = r#"{"full_name": "fork/quill"}"#;
        let taken = |run: Actions| check(&pull("open", false), &run.event).is_ok();
        assert!(taken(of_run("pull_request", HEAD, fork, "[]")));
        assert!(!taken(of_run("pull_request", OTHER, fork, "[]")));
        assert!(!taken(of_run(
            "pull_request",
            HEAD,
            r#"{"full_name": "mallory/quill"}"#,
            "[]"
        )));
        assert!(!taken(of_run("pull_request", HEAD, "null", "[]")));
        assert!(!taken(of_run("push", HEAD, fork, "[]")));
    }
}
