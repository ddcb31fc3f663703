//! Every workflow of the documentation and the examples is run as it stands there: its jobs with a token of their own
//! permissions, its scripts by bash, this repository's actions step by step, other actions by what stands for them.
//!
//! Every YAML block of a page has its check in [`PAGES`], or the reason why it has none.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end::action::runner::{Done, Runner};
use end_to_end::action::workflow::{Workflow, blocks};
use end_to_end::action::{Workspace, git};
use end_to_end::binaries;
use fake_github::account::{ACTIONS, APP, Permission, Token};
use fake_github::{Fake, World};
use serde_json::{Value, json};

use super::scene::{Pull, github, pull_request_to};

/// What a block of a page is checked by.
enum Check {
    Run(fn(&str)),
    Not(&'static str),
}
use Check::{Not, Run};

const PAGES: [(&str, &[Check]); 9] = [
    ("README.md", &[Run(gate)]),
    ("INSTALL.md", &[Run(gate)]),
    (
        "docs/action.md",
        &[
            Run(gate),
            Run(gate),
            Run(refresh),
            Run(report),
            Run(confirm),
            Run(suites),
            Run(several_inputs),
            Run(gate),
            Run(pairs_of_a_matrix),
            Run(on_a_comment),
            Run(on_demand),
            Run(setup),
        ],
    ),
    ("docs/baseline-stores.md", &[Run(own_branch), Run(cached), Run(of_the_workspace)]),
    ("docs/branch-protection.md", &[Run(by_an_app)]),
    (
        "docs/comparison-packages.md",
        &[Not("a program of its own, which the tests of `validate-packages` run")],
    ),
    ("docs/guide.md", &[Run(by_hand)]),
    ("docs/self-hosted.md", &[Run(with_programs_of_ones_own)]),
    ("docs/measuring.md", &[]),
];

/// The whole examples; [`of_a_fork`] runs the first two, one after the other.
const EXAMPLES: [(&str, fn(&str)); 4] = [
    ("perf-comment.yml", of_a_fork),
    ("perf-measure.yml", gate_of_two),
    ("perf-site.yml", site),
    ("perf.yml", gate),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The tools that scripts of the workflows use; a machine without one of them runs none of this.
fn has_tools() -> bool {
    let has = |tool: &&str| {
        Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let missing: Vec<&str> = ["curl", "jq"].into_iter().filter(|tool| !has(tool)).collect();
    let zip = ["zip", "unzip"].into_iter().filter(|tool| Command::new(tool).arg("-v").output().is_err());
    let missing: Vec<&str> = missing.into_iter().chain(zip).collect();
    if !missing.is_empty() {
        eprintln!("skipped: the documented workflows need {}", missing.join(", "));
    }
    missing.is_empty()
}

/// Runs the checks of a page, each block with its own.
fn check(page: &str) {
    if !has_tools() {
        return;
    }
    let (_, checks) = PAGES.iter().find(|(name, _)| *name == page).unwrap();
    let blocks = blocks(&repository().join(page));
    assert_eq!(blocks.len(), checks.len(), "a YAML block of {page} has no check in `PAGES`");
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
fn every_page_with_a_workflow_is_checked() {
    let mut pages: Vec<String> = vec!["README.md".into(), "INSTALL.md".into(), "SECURITY.md".into()];
    let docs = fs::read_dir(repository().join("docs")).unwrap().flatten();
    pages.extend(docs.map(|entry| format!("docs/{}", entry.file_name().to_string_lossy())));
    for page in pages.iter().filter(|page| page.ends_with(".md")) {
        let known = PAGES.iter().any(|(name, _)| name == page);
        assert!(
            known || blocks(&repository().join(page)).is_empty(),
            "`{page}` has YAML and is not in `PAGES`"
        );
    }
    let examples = fs::read_dir(repository().join("examples/workflows")).unwrap().count();
    assert_eq!(examples, EXAMPLES.len(), "an example has no check");
}

#[test]
fn readme_and_installation() {
    check("README.md");
    check("INSTALL.md");
}

#[test]
fn the_page_of_the_action() {
    check("docs/action.md");
}

#[test]
fn the_page_of_stores() {
    check("docs/baseline-stores.md");
}

#[test]
fn the_other_pages() {
    for page in
        ["docs/branch-protection.md", "docs/comparison-packages.md", "docs/guide.md", "docs/self-hosted.md"]
    {
        check(page);
    }
}

#[test]
fn the_examples() {
    if !has_tools() {
        return;
    }
    for (name, run) in EXAMPLES {
        run(&example(name));
    }
}

fn example(name: &str) -> String {
    fs::read_to_string(repository().join("examples/workflows").join(name)).unwrap()
}

/// Prints a row with the rate for the time in the file `speed`, a little less each time, whatever shard is asked for.
const BENCH: &str = "#!/bin/sh\n\
    cd \"$(dirname \"$0\")\" || exit 1\n\
    printf . >>runs.log\n\
    printf 'scenario,platform,commit,runIndex,decodesPerSecond\\nDecode,linux,2222222,-1,%s\\n' \\\n\
    $((100000 / $(cat speed) - $(wc -c <runs.log)))\n";

fn baseline(rate: &str) -> String {
    format!("scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1111111,-1,{rate}\n")
}

/// A repository with a benchmark at its top and in two packages, each with a baseline.
fn project() -> Workspace {
    let workspace = Workspace::new();
    workspace.write(".gitignore", "*.log\nbase.csv\ncurrent.csv\nmachine-specs.json\nnumber.txt\ntarget/\n");
    for folder in ["", "packages/parser/", "packages/server/"] {
        workspace.write(&format!("{folder}bench.sh"), BENCH);
        workspace.write(&format!("{folder}speed"), "100");
        workspace.write(&format!("{folder}perf-baseline.csv"), baseline("1000"));
        let script = workspace.checkout().join(format!("{folder}bench.sh"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(script, mode).unwrap();
    }
    workspace.push("main", "Begin");
    workspace
}

/// A pull request that makes everything take this long.
fn proposed(workspace: Workspace, time: &str) -> Pull {
    pull_request_to(workspace, "", |workspace| {
        for folder in ["", "packages/parser/", "packages/server/"] {
            workspace.write(&format!("{folder}speed"), time);
        }
    })
}

/// Programs of the tests for those that a runner has.
fn programs(workspace: &Workspace) -> PathBuf {
    let folder = workspace.root().join("programs");
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        for name in ["cargo", "gh"] {
            symlink(repository().join("tests/fixtures/runner").join(name), folder.join(name)).unwrap();
        }
        for name in ["perf-gate", "render-perf-deltas"] {
            symlink(binaries::path(name), folder.join(name)).unwrap();
        }
    }
    folder
}

/// An event, with the commit and the branch that its workflow runs on.
struct Event<'e> {
    name: &'e str,
    payload: Value,
    commit: &'e str,
    reference: &'e str,
}

fn run(workspace: &Workspace, fake: &Fake, event: Event<'_>, text: &str) -> Vec<Done> {
    let token = |permissions: &BTreeMap<String, String>| {
        let name = format!(
            "ghs_{}",
            permissions.iter().map(|(what, how)| format!("{what}_{how}")).collect::<String>()
        );
        let writes =
            permissions.iter().filter(|(_, how)| *how == "write").filter_map(|(what, _)| permission(what));
        let token = Token { writes: writes.collect(), bypasses: false, ..Token::new(ACTIONS) };
        fake.with(|world| world.tokens.insert(name.clone(), token));
        name
    };
    let runner = Runner {
        workspace,
        event: event.name,
        payload: event.payload,
        commit: event.commit.to_owned(),
        reference: event.reference,
        api: fake.url().to_owned(),
        token: &token,
        app: APP.to_owned(),
        programs: programs(workspace),
    };
    runner.run(&Workflow::parse(text))
}

fn permission(what: &str) -> Option<Permission> {
    match what {
        "contents" => Some(Permission::Contents),
        "pull-requests" => Some(Permission::PullRequests),
        "statuses" => Some(Permission::Statuses),
        _ => None,
    }
}

fn on_pull_request(pull: &Pull, fake: &Fake, text: &str) -> Vec<Done> {
    let reference = "refs/pull/5/merge";
    run(
        &pull.workspace,
        fake,
        Event { name: "pull_request", payload: pull.event(), commit: &pull.merge, reference },
        text,
    )
}

fn on_push(workspace: &Workspace, fake: &Fake, text: &str) -> Vec<Done> {
    let tip = git(&workspace.server(), &["rev-parse", "main"]);
    let payload = json!({
        "ref": "refs/heads/main", "before": "0".repeat(40), "after": tip,
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    run(workspace, fake, Event { name: "push", payload, commit: &tip, reference: "refs/heads/main" }, text)
}

fn github_of(pull: &Pull) -> Fake {
    super::scene::github_of(pull)
}

#[track_caller]
fn green(done: &[Done]) {
    for job in done {
        assert_eq!(job.failed, None, "{}: {}", job.job, job.log);
    }
    assert!(done.iter().any(|job| job.ran), "no job ran");
}

#[track_caller]
fn red(done: &[Done]) {
    let failed = done.iter().filter_map(|job| job.failed.as_ref());
    assert!(failed.count() > 0, "{}", done.iter().map(|job| &*job.log).collect::<String>());
}

/// The results of the action in all jobs.
fn outputs<'d>(done: &'d [Done], name: &str) -> Vec<&'d str> {
    done.iter().flat_map(|job| &job.reports).map(|report| report.output(name)).collect()
}

/// Green when nothing changed, red when everything takes twice as long, and one comment each.
fn gate(text: &str) {
    for (time, regressed) in [("100", "false"), ("200", "true")] {
        let pull = proposed(project(), time);
        let fake = github_of(&pull);
        let done = on_pull_request(&pull, &fake, text);
        if regressed == "true" {
            red(&done)
        } else {
            green(&done)
        }
        assert_eq!(outputs(&done, "regressed"), [regressed], "{}", done.last().unwrap().log);
        assert_eq!(outputs(&done, "compared"), ["1"]);
        assert_eq!(fake.comments(5).len(), 1);
    }
}

/// A push writes the baseline, and a pull request is compared with it.
fn refresh(text: &str) {
    let workspace = project();
    fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    workspace.push("main", "Have no baseline");
    let fake = github(&workspace, World::default());
    let done = on_push(&workspace, &fake, text);
    green(&done);
    assert_eq!(outputs(&done, "refresh"), ["committed"]);
    assert!(fake.git().text("main", "perf-baseline.csv").unwrap().contains("Decode"));
    gate(text);
}

fn report(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    let done = on_pull_request(&pull, &fake, text);
    green(&done);
    assert_eq!((outputs(&done, "regressed"), fake.comments(5).len()), (vec!["true"], 0));
}

/// With a history, a second run is only asked for when something is slower than usual.
fn confirm(text: &str) {
    for (time, runs, failed) in [("100", 1, ""), ("109", 2, "regressed")] {
        let workspace = project();
        for rate in ["1005", "996", "1002", "999", "1004", "997", "1001", "998", "1003", "1000"] {
            workspace.write("perf-baseline.csv", baseline(rate).replace("1111111", &workspace.tip()[..7]));
            workspace.push("main", "Refresh");
        }
        let pull = proposed(workspace, time);
        let done = on_pull_request(&pull, &github_of(&pull), text);
        assert_eq!(outputs(&done, "failed").last(), Some(&failed), "{}", done[0].log);
        assert_eq!(done[0].reports.len(), runs, "{}", done[0].log);
    }
}

fn suites(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    let done = on_pull_request(&pull, &fake, text);
    red(&done);
    assert_eq!((done.len(), outputs(&done, "regressed")), (2, vec!["true", "true"]));
    assert_eq!(fake.comments(5).len(), 2);
}

fn several_inputs(text: &str) {
    let workspace = project();
    let results = r#"[{"name": "Encode", "unit": "ms", "value": 3}]"#;
    workspace.write("results/one.json", results);
    workspace.push("main", "Have results");
    let pull = proposed(workspace, "100");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert_eq!((outputs(&done, "compared"), outputs(&done, "new")), (vec!["1"], vec!["1"]));
}

/// The steps of two jobs of the workflow before it: what one leaves, the other reads.
fn pairs_of_a_matrix(text: &str) {
    let (measure, compare) = text.split_once("# in the report job\n").unwrap();
    let checkout = "- uses: actions/checkout@v5\n  with:\n    fetch-depth: 0\n";
    let setup = "- uses: perf-gate/perf-gate/setup@v0\n";
    let gather = "- run: mkdir -p artifacts/perf-1 && mv base.csv current.csv artifacts/perf-1\n";
    let text = format!("{checkout}{setup}{measure}{gather}{compare}");
    for (time, regressed) in [("100", "false"), ("200", "true")] {
        let pull = proposed(project(), time);
        let done = on_pull_request(&pull, &github_of(&pull), &text);
        assert_eq!(outputs(&done, "regressed"), [regressed], "{}", done[0].log);
    }
}

fn comment(pull: &Pull, by: &str, from_fork: bool, text: &str) -> (Vec<Done>, Option<String>) {
    let root = pull.workspace.root();
    let seen = json!({ "headRefName": "topic", "isCrossRepository": from_fork });
    fs::write(root.join("pull.json"), seen.to_string()).unwrap();
    let payload = json!({
        "issue": { "number": 5, "pull_request": {} },
        "comment": { "body": "/bench", "author_association": by },
        "repository": { "default_branch": "main" },
    });
    let event = Event { name: "issue_comment", payload, commit: &pull.base, reference: "refs/heads/main" };
    let done = run(&pull.workspace, &github_of(pull), event, text);
    (done, fs::read_to_string(root.join("dispatched")).ok())
}

fn on_a_comment(text: &str) {
    let pull = proposed(project(), "200");
    let (done, dispatched) = comment(&pull, "NONE", false, text);
    assert!(!done[0].ran && dispatched.is_none());
    let (done, dispatched) = comment(&pull, "MEMBER", true, text);
    assert!(done[0].failed.is_some() && dispatched.is_none(), "{}", done[0].log);
    let (done, dispatched) = comment(&pull, "MEMBER", false, text);
    green(&done);
    assert_eq!(dispatched.as_deref(), Some("perf-on-demand.yml\ntopic\nnumber=5\n"));
}

fn on_demand(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    let payload = json!({ "inputs": { "number": "5" }, "repository": { "default_branch": "main" } });
    let event =
        Event { name: "workflow_dispatch", payload, commit: &pull.head, reference: "refs/heads/topic" };
    let done = run(&pull.workspace, &fake, event, text);
    red(&done);
    assert_eq!((outputs(&done, "regressed"), fake.comments(5).len()), (vec!["true"], 1), "{}", done[0].log);
}

fn setup(text: &str) {
    let pull = proposed(project(), "200");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert!(done[0].log.contains("regressed=true"), "{}", done[0].log);
}

/// A push to a repository without a baseline stores it elsewhere, and a pull request finds it there.
fn stored(text: &str) -> (Workspace, Fake) {
    let workspace = project();
    fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    let tip = workspace.push("main", "Have no baseline");
    let fake = github(&workspace, World::default());
    green(&on_push(&workspace, &fake, text));
    assert_eq!(fake.git().head("main"), Some(tip.clone()));
    workspace.check_out_shallow(&tip);
    git(&workspace.checkout(), &["remote", "add", "origin", &workspace.server().to_string_lossy()]);
    git(
        &workspace.checkout(),
        &["fetch", "--quiet", "--unshallow", &workspace.server().to_string_lossy(), "main"],
    );
    (workspace, fake)
}

fn own_branch(text: &str) {
    let (workspace, fake) = stored(text);
    assert!(fake.git().text("perf-baseline", "perf-baseline.csv").unwrap().contains("Decode"));
    drop(fake);
    stored_gate(workspace, text);
}

fn cached(text: &str) {
    let (workspace, fake) = stored(text);
    assert_eq!(fake.writes().len(), 0);
    drop(fake);
    stored_gate(workspace, text);
}

fn stored_gate(workspace: Workspace, text: &str) {
    let pull = proposed(workspace, "200");
    let fake = github_of(&pull);
    let done = on_pull_request(&pull, &fake, text);
    red(&done);
    assert_eq!((outputs(&done, "regressed"), fake.comments(5).len()), (vec!["true"], 1), "{}", done[0].log);
}

fn of_the_workspace(text: &str) {
    let workspace = project();
    workspace.write("perf-baseline.csv", baseline("2000"));
    workspace.push("numbers", "Have numbers");
    git(&workspace.checkout(), &["reset", "--quiet", "--hard", "HEAD~1"]);
    let pull = proposed(workspace, "100");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    red(&done);
    assert_eq!(outputs(&done, "regressed"), ["true"], "{}", done[0].log);
}

fn by_an_app(text: &str) {
    let workspace = project();
    workspace.write("speed", "90");
    workspace.push("main", "Improve");
    let fake = github(&workspace, World { protected: vec!["main".into()], ..World::default() });
    let done = on_push(&workspace, &fake, text);
    green(&done);
    assert_eq!(outputs(&done, "refresh"), ["committed"], "{}", done[0].log);
}

fn by_hand(text: &str) {
    for (time, passes) in [("100", true), ("200", false)] {
        let pull = proposed(project(), time);
        let done = on_pull_request(&pull, &github_of(&pull), text);
        if passes { green(&done) } else { red(&done) }
    }
}

fn with_programs_of_ones_own(text: &str) {
    let folder = binaries::path("perf-gate").parent().unwrap().to_string_lossy();
    let text = text.replace("/opt/perf-gate/bin", &folder);
    gate(&text);
}

fn site(text: &str) {
    let workspace = project();
    let fake = github(&workspace, World::default());
    green(&on_push(&workspace, &fake, text));
}

/// The first of two workflows by itself: it measures whatever comes, and judges nothing.
fn gate_of_two(text: &str) {
    let pull = proposed(project(), "200");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert_eq!(done[0].reports.len(), 0);
}

/// Both workflows for the pull request of a fork: a comment and a status, by what the first one left.
fn of_a_fork(second: &str) {
    for (time, state) in [("100", "success"), ("200", "failure")] {
        let pull = proposed(project(), time);
        let fake = github(
            &pull.workspace,
            World::with_pull(fake_github::Pull::new(5).at(&pull.head).fork("eve/quill")),
        );
        green(&on_pull_request(&pull, &fake, &example("perf-measure.yml")));
        let done = after_measuring(&pull, &fake, &pull.head, second);
        assert_eq!(done[0].failed.is_some(), state == "failure", "{}", done[0].log);
        let statuses = fake.with(|world| world.statuses.clone());
        let [status] = &statuses[..] else { panic!("{statuses:?}: {}", done[0].log) };
        assert_eq!((&*status.sha, &*status.state, fake.comments(5).len()), (&*pull.head, state, 1));
        // What was measured at another commit is nobody's.
        fake.with(|world| world.statuses.clear());
        let done = after_measuring(&pull, &fake, &pull.base, second);
        green(&done);
        assert_eq!((done[0].reports.len(), fake.with(|world| world.statuses.len())), (0, 0));
    }
}

fn after_measuring(pull: &Pull, fake: &Fake, head: &str, text: &str) -> Vec<Done> {
    let payload = json!({
        "workflow_run": {
            "id": 7001, "event": "pull_request", "conclusion": "success", "head_sha": head,
            "head_branch": "topic", "head_repository": { "full_name": "eve/quill" },
        },
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    let event = Event { name: "workflow_run", payload, commit: &pull.base, reference: "refs/heads/main" };
    run(&pull.workspace, fake, event, text)
}
