//! The setup of the action's tests: repositories with a baseline, and events.

use end_to_end::action::{ActionRun, Workspace};
use fake_github::{Fake, World};
use serde_json::{Value, json};

/// The main branch's baseline.
pub(super) const BASELINE: &str = "scenario,platform,commit,runIndex,decodesPerSecond\n\
    Decode_Small,linux,1111111,-1,1000\nDecode_Big,linux,1111111,-1,10\n";

/// The main branch's config, which makes tests independent of the machine. Profiling is disabled except in
/// [`super::why`], because it takes half a minute. More keys of `[files]` may follow.
pub(super) const CONFIG: &str = "[why]\nenabled = false\n\n[files]\nmachine-specs = false\n";

/// The benchmark's output after a slowdown.
pub(super) const SLOWER: &str = "warming up\nscenario,platform,commit,runIndex,decodesPerSecond\n\
    Decode_Small,linux,2222222,-1,500\nDecode_Big,linux,2222222,-1,10\ndone\n";

/// The benchmark's output without a slowdown.
pub(super) const SAME: &str = "scenario,platform,commit,runIndex,decodesPerSecond\n\
    Decode_Small,linux,2222222,-1,1001\nDecode_Big,linux,2222222,-1,10\n";

/// A pull request: the commits of `main` and of the topic branch, and the merge of both, which is checked out.
pub(super) struct Pull {
    pub(super) workspace: Workspace,
    pub(super) base: String,
    pub(super) head: String,
    pub(super) merge: String,
}

/// A repository that contains only its config.
pub(super) fn empty() -> Workspace {
    let workspace = Workspace::new();
    configure(&workspace, "");
    workspace
}

/// Writes the config, with more keys of `[files]` and other sections.
pub(super) fn configure(workspace: &Workspace, more: &str) {
    workspace.write("perf-gate.toml", format!("{CONFIG}{more}"));
}

/// A repository with a baseline on `main`.
pub(super) fn repository() -> Workspace {
    repository_with("")
}

/// The same, with additional config.
pub(super) fn repository_with(more: &str) -> Workspace {
    let workspace = empty();
    // The base has a parent, which a shallow checkout does not contain.
    workspace.commit("Start");
    configure(&workspace, more);
    workspace.write("src/lib.rs", "// one\n");
    workspace.write("perf-baseline.csv", BASELINE);
    workspace.push("main", "Begin");
    workspace
}

/// A pull request with the changes that `edit` makes, in a checkout of its trial merge. The benchmark has printed
/// `log`.
pub(super) fn pull_request(log: &str, edit: impl FnOnce(&Workspace)) -> Pull {
    pull_request_to(repository(), log, edit)
}

/// The same, to an existing repository.
pub(super) fn pull_request_to(
    workspace: Workspace,
    log: &str,
    edit: impl FnOnce(&Workspace),
) -> Pull {
    let base = workspace.tip();
    workspace.write("src/lib.rs", "// two\n");
    edit(&workspace);
    let head = workspace.push("topic", "Improve");
    let merge = workspace.check_out_merge(&base, &head);
    workspace.push_to("refs/pull/5/merge", &merge);
    workspace.write("bench.log", log);
    Pull {
        workspace,
        base,
        head,
        merge,
    }
}

impl Pull {
    /// The event as sent by GitHub.
    pub(super) fn event(&self) -> Value {
        self.event_from(Workspace::REPOSITORY)
    }

    /// The event of a pull request from this repository.
    pub(super) fn event_from(&self, repository: &str) -> Value {
        let full_name = Workspace::REPOSITORY;
        json!({
            "number": 5,
            "pull_request": {
                "number": 5, "node_id": "PR_5", "title": "Improve", "body": null, "state": "open", "locked": false,
                "draft": false, "html_url": "https://github.com/octo/quill/pull/5",
                "user": { "login": "ada", "id": 1 },
                "head": { "ref": "topic", "sha": self.head, "repo": { "full_name": repository } },
                "base": { "ref": "main", "sha": self.base, "repo": { "full_name": full_name } },
            },
            "repository": { "full_name": full_name, "default_branch": "main" },
        })
    }

    /// The action in a run that the pull request started.
    pub(super) fn run(&self) -> ActionRun<'_> {
        let run = ActionRun::new(&self.workspace, "pull_request", self.event())
            .input("results", "bench.log");
        run.env("GITHUB_SHA", &self.merge)
            .env("GITHUB_REF", "refs/pull/5/merge")
    }
}

/// The action in a scheduled run.
pub(super) fn scheduled(workspace: &Workspace) -> ActionRun<'_> {
    let event = json!({ "repository": { "default_branch": "main" } });
    ActionRun::new(workspace, "schedule", event)
        .input("results", "bench.log")
        .env("GITHUB_REF", "refs/heads/main")
}

/// A repository in which the benchmark has printed `log`.
pub(super) fn measured(log: impl AsRef<[u8]>) -> Workspace {
    let workspace = repository();
    workspace.write("bench.log", log);
    workspace
}

/// The same, with additional config.
pub(super) fn measured_with(more: &str, log: impl AsRef<[u8]>) -> Workspace {
    let workspace = repository_with(more);
    workspace.write("bench.log", log);
    workspace
}

/// A fake GitHub with a workspace's repository and this world.
pub(super) fn github(workspace: &Workspace, world: World) -> Fake {
    Fake::start_with(world, &workspace.server()).unwrap()
}

/// A fake GitHub with the pull request.
pub(super) fn github_of(pull: &Pull) -> Fake {
    github(
        &pull.workspace,
        World::with_pull(fake_github::Pull::new(5).at(&pull.head)),
    )
}
