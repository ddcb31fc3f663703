//! The workflow that finds the commit after a push that regressed.

use end_to_end::action::Workspace;
use fake_github::World;
use serde_json::json;

use super::scene::{Event, green, project, run};
use crate::action::scene::github;

/// Pushes three commits; the second changes the time.
pub(super) fn after_a_push(text: &str) {
    for (time, regressed) in [("200", true), ("100", false)] {
        let workspace = project();
        let before = workspace.tip();
        workspace.write("README.md", "# Quill\n");
        workspace.commit("Explain");
        workspace.write("speed", time);
        workspace.write("src.txt", time);
        let second = workspace.commit("Parse twice");
        workspace.write("README.md", "# Quill\n\nParses.\n");
        let after = workspace.push("main", "Explain more");
        let fake = github(&workspace, World::default());
        let payload = json!({
            "ref": "refs/heads/main", "before": before, "after": after,
            "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
        });
        let event = Event {
            name: "push",
            payload,
            commit: &after,
            reference: "refs/heads/main",
        };
        let done = run(&workspace, &fake, event, text);
        green(&done);
        let ran: Vec<bool> = done.iter().map(|job| job.ran).collect();
        assert_eq!(ran, [true, regressed, regressed], "{}", done[0].log);
        let comments = fake.with(|world| world.comments.clone());
        if regressed {
            let [comment] = &comments[..] else {
                panic!("{comments:?}: {}", done[1].log)
            };
            assert_eq!(comment.sha, second);
            assert!(
                comment.body.starts_with("`parse` ")
                    && comment.body.ends_with("% since this commit")
            );
        } else {
            assert!(comments.is_empty(), "{comments:?}");
        }
    }
}
