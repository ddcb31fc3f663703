//! The workflow for commands in comments.

use end_to_end::action::Workspace;
use end_to_end::action::runner::JobResult;
use fake_github::{Fake, World};
use serde_json::json;

use super::scene::{Event, github_of, green, on_pull_request, outputs, project, proposed, run};
use crate::action::scene::{Pull, configure, github};
use crate::action::shards;

/// Runs the workflow on a comment. Returns the jobs, the last reaction and the last comment.
fn comment(
    pull: &Pull,
    fake: &Fake,
    (login, body): (&str, &str),
    text: &str,
) -> (Vec<JobResult>, String, String) {
    let id = fake.with(|world| world.comment(5, login, body));
    let payload = json!({
        "action": "created",
        "issue": { "number": 5, "pull_request": {} },
        "comment": {
            "id": id, "body": body, "user": { "login": login, "id": 1 },
            "author_association": "OWNER",
        },
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    let event = Event {
        name: "issue_comment",
        payload,
        commit: &pull.base,
        reference: "refs/heads/main",
    };
    let done = run(&pull.workspace, fake, event, text);
    let reaction = fake.with(|world| world.reactions.iter().rfind(|(of, _)| *of == id).cloned());
    let last = fake
        .comments(5)
        .last()
        .map(|comment| comment.body.clone())
        .unwrap_or_default();
    (
        done,
        reaction.map(|(_, reaction)| reaction).unwrap_or_default(),
        last,
    )
}

pub(super) fn commands(text: &str) {
    benched(text);
    filtered(text);
    refused(text);
    accepted(text);
}

fn benched(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    let (done, reaction, report) = comment(&pull, &fake, ("ada", "/bench"), text);
    assert_eq!(
        (outputs(&done, "regressed"), &*reaction),
        (vec!["true"], "eyes"),
        "{}",
        done[0].log
    );
    assert!(report.starts_with("<!-- perf-gate key=bench "), "{report}");
    assert!(report.contains(&format!("head={} ", pull.head)), "{report}");
    // A comment without a command gets no answer.
    for text_of_others in ["/benchmark", "/ please", "/etc/passwd"] {
        let (done, reaction, _) = comment(&pull, &fake, ("ada", text_of_others), text);
        assert_eq!(
            (&*reaction, done.iter().filter(|job| job.ran).count()),
            ("", 1),
            "{}",
            done[0].log
        );
    }
}

/// The filter is untrusted text, and selects benchmarks whose names contain it.
fn filtered(text: &str) {
    let text = text
        .replace("cargo bench --bench parse", "./bench.sh")
        .replace("cargo bench --no-run", "chmod +x bench.sh");
    let pull = shards::divided_suite("parse 200\nprint 100\nsort 200\n");
    let fake = github_of(&pull);
    let hostile =
        "/bench $(touch \"$HOME/owned\") `id` '; touch \"$HOME/owned\"; ${{ github.token }}";
    let (done, reaction, report) = comment(&pull, &fake, ("ada", hostile), &text);
    assert!(
        done[1].failed.is_some() && reaction == "eyes",
        "{}",
        done[1].log
    );
    assert!(
        report.contains("found no benchmark that matches `*$(touch"),
        "{report}"
    );
    assert!(!pull.workspace.root().join("owned").exists());
    let (done, _, report) = comment(&pull, &fake, ("ada", "/bench or"), &text);
    assert_eq!(
        (outputs(&done, "regressed"), outputs(&done, "compared")),
        (vec!["true"], vec!["1"]),
        "{report}"
    );
    assert!(shards::filters(&pull.workspace).contains(&"^(sort)$".to_owned()));
}

fn refused(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    // Even if the event claims otherwise about the author.
    let (done, reaction, _) = comment(&pull, &fake, ("mallory", "/bench"), text);
    assert_eq!(
        (&*reaction, done[1].ran, fake.comments(5).len()),
        ("-1", false, 1),
        "{}",
        done[0].log
    );
    let (_, reaction, reply) = comment(&pull, &fake, ("ada", "/perf accept"), text);
    assert!(
        reaction == "confused" && reply.starts_with("The commands are `/bench`"),
        "{reply}"
    );
    let (_, _, reply) = comment(
        &pull,
        &fake,
        ("ada", "/perf accept Decode --reason x"),
        text,
    );
    assert!(reply.contains("has no report `perf-gate` yet"), "{reply}");
    let fork = World::with_pull(fake_github::Pull::new(5).at(&pull.head).fork("eve/quill"));
    let fake = github(&pull.workspace, fork);
    let (done, reaction, reply) = comment(&pull, &fake, ("ada", "/bench"), text);
    assert!(
        reaction == "confused" && !done[1].ran && reply.starts_with("The head is in a fork"),
        "{reply}"
    );
}

/// The pull request's workflow, whose status branch protection requires.
const GATE: &str = "name: perf\non: pull_request\npermissions: {contents: read, pull-requests: write, statuses: write}\n\
    jobs:\n  perf:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v5\n      - run: ./bench.sh >bench.log\n      \
    - uses: perf-gate/perf-gate@v0\n        with: {results: bench.log}\n";

fn statuses(fake: &Fake) -> Vec<(String, String)> {
    fake.with(|world| {
        world
            .statuses
            .iter()
            .map(|status| (status.sha.clone(), status.state.clone()))
            .collect()
    })
}

fn accepted(text: &str) {
    let workspace = project();
    configure(&workspace, "[comment]\nstatus = true\n");
    workspace.write("bench.sh", "#!/bin/sh\nprintf 'scenario,platform,commit,runIndex,decodesPerSecond\\n'\nfor name in Decode Small; do printf '%s,linux,2222222,-1,%s\\n' $name $((100000 / $(cat speed))); done\n");
    workspace.write(
        "perf-baseline.csv",
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1111111,-1,1000\nSmall,linux,1111111,-1,1000\n",
    );
    workspace.write(".github/workflows/perf-command.yml", text);
    workspace.push("main", "Require the status");
    let pull = proposed(workspace, "200");
    let fake = github_of(&pull);
    on_pull_request(&pull, &fake, GATE);
    let failure = [(pull.head.clone(), "failure".to_owned())];
    assert_eq!(statuses(&fake), failure);
    let report = &fake.comments(5)[0].body;
    assert!(
        report.contains("or accept this commit alone with `/perf accept Decode --reason TEXT`"),
        "{report}"
    );
    let accept =
        |who: &str, what: &str| comment(&pull, &fake, (who, &format!("/perf accept {what}")), text);
    let (_, reaction, _) = accept("mallory", "Decode --reason x");
    assert_eq!((&*reaction, statuses(&fake).len()), ("-1", 1));
    let (done, reaction, reply) = accept("ada", "Dec --reason it *checks* more");
    green(&done[..1]);
    assert!(
        reaction == "+1" && reply.contains("Still to accept: `Small`."),
        "{reply}"
    );
    assert!(
        reply.contains("`Decode` is accepted for ")
            && reply.contains("by @ada: it \\*checks\\* more"),
        "{reply}"
    );
    let (_, reaction, reply) = accept("ada", "Other --reason x");
    assert!(
        reaction == "confused" && reply.contains("`Decode`, `Small`"),
        "{reply}"
    );
    assert_eq!(statuses(&fake), failure);
    let (_, _, reply) = accept("ada", "Small --reason fine");
    assert!(reply.contains("The status `perf-gate` passes."), "{reply}");
    assert_eq!(
        statuses(&fake).last(),
        Some(&(pull.head.clone(), "success".to_owned()))
    );
    // `fail-on: none` only affects the job: the status fails, and the slowdown can be accepted.
    fake.with(|world| world.statuses.clear());
    on_pull_request(
        &pull,
        &fake,
        &GATE.replace("bench.log}", "bench.log, fail-on: none}"),
    );
    let (_, _, reply) = accept("ada", "Decode --reason x");
    assert!(reply.contains("`Decode` is accepted for"), "{reply}");
    // After another push, the report is for an older commit.
    fake.with(|world| world.pulls[0].head.sha = Some("c".repeat(40)));
    let (_, _, reply) = accept("ada", "Decode --reason x");
    assert!(reply.contains("has no report `perf-gate` yet"), "{reply}");
}
