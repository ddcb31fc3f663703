//! Concurrent runs, and requests with an unknown result.

use std::process::Stdio;
use std::time::Duration;

use fake_github::Hub;
use fake_github::When;
use fake_github::world::World;
use insta::assert_snapshot;

use crate::common::{BOT, Case, HEAD, OTHER, marker};

const CREATE: &str = "POST */comments";
const UPDATE: &str = "PATCH *";
const LIST: &str = "GET */comments";

/// The text of the only comment.
fn only(case: &Case) -> String {
    let mut bodies = case.bodies();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    bodies.remove(0)
}

fn rewrite(world: &mut World, id: u64, body: String) {
    if let Some(comment) = world.comments.iter_mut().find(|comment| comment.id == id) {
        comment.body = body;
    }
}

/// Posts another run's comment.
fn comes(hub: &Hub, run: u64) {
    hub.with(|world| world.comment(5, BOT, &theirs(HEAD, run)));
}

/// The text of another run's comment.
fn theirs(head: &str, run: u64) -> String {
    format!("{}\nof run {run}", marker(head, run))
}

#[test]
fn concurrent_creation_leaves_older_comment_with_newer_report() {
    for (their_run, newest) in [(6, "ours"), (8, "of run 8")] {
        // Theirs is created between our read and our creation, so it is the older comment.
        let case = Case::new();
        case.fake
            .when(CREATE)
            .hook(move |hub| comes(hub, their_run));
        let outcome = case.post("ours", "");
        assert_eq!(only(&case).lines().last(), Some(newest), "{outcome}");
        assert_eq!(
            outcome.action(),
            if newest == "ours" {
                "created"
            } else {
                "outdated"
            }
        );
        // Ours is the older one. Theirs is created before we read again.
        let case = Case::new();
        let come = move |hub: &Hub| comes(hub, their_run);
        case.fake.when(CREATE).done().hook(come);
        case.post("ours", "");
        assert_eq!(only(&case).lines().last(), Some(newest));
    }
}

#[test]
fn two_concurrent_runs_leave_one_comment() {
    for (first, second) in [(7, 8), (8, 7)] {
        let case = std::sync::Arc::new(Case::new());
        let other = std::sync::Arc::downgrade(&case);
        // The other run reads, creates and finishes just before ours creates.
        case.fake.when(CREATE).hook(move |_| {
            let Some(case) = other.upgrade() else { return };
            case.write("other.md", &format!("of run {second}"));
            let arguments = "--key perf --body-file other.md --no-summary";
            assert_eq!(
                case.run_with(arguments, &[("GITHUB_RUN_ID", &second.to_string())])
                    .code,
                Some(0)
            );
        });
        case.write("one.md", &format!("of run {first}"));
        let outcome = case.run_with(
            "--key perf --body-file one.md",
            &[("GITHUB_RUN_ID", &first.to_string())],
        );
        assert_eq!(
            (outcome.code, only(&case)),
            (Some(0), theirs(HEAD, 8)),
            "{outcome}"
        );
    }
}

#[test]
fn newer_report_wins_over_late_older_write() {
    let case = Case::new();
    let id = case.comment(BOT, &theirs(HEAD, 3));
    // An older run that has read before us writes after us.
    case.fake.when(UPDATE).done().hook(move |hub| {
        hub.with(|world| rewrite(world, id, theirs(HEAD, 6)));
    });
    assert_eq!(case.post("ours", "").action(), "updated");
    assert_eq!(only(&case), format!("{}\nours", marker(HEAD, 7)));
    assert_eq!(case.writes().len(), 2);
}

#[test]
fn newer_report_posted_meanwhile_is_not_overwritten() {
    let case = Case::new();
    let id = case.comment(BOT, &theirs(HEAD, 3));
    // A newer run writes after our read, and finishes before our write.
    case.fake.when("GET */pulls/5").hook(move |hub| {
        hub.with(|world| rewrite(world, id, theirs(HEAD, 8)));
    });
    assert_eq!(case.post("ours", "").action(), "outdated");
    assert_eq!((only(&case), case.writes().len()), (theirs(HEAD, 8), 0));
}

#[test]
fn report_on_new_head_is_not_overwritten() {
    let case = Case::new();
    case.fake.when(LIST).hook(|hub| {
        hub.with(|world| {
            world.pulls[0].head.sha = Some(OTHER.to_owned());
            world.comment(5, BOT, &theirs(OTHER, 6))
        });
    });
    assert_eq!(case.post("ours", "").action(), "outdated");
    assert_eq!(only(&case), theirs(OTHER, 6));
}

#[test]
fn comment_deleted_meanwhile_is_created_again() {
    let case = Case::new();
    case.comment(BOT, &theirs(HEAD, 3));
    case.comment("ada", "Nice.");
    case.fake
        .when(UPDATE)
        .hook(|hub| hub.with(|world| drop(world.comments.remove(0))));
    assert_eq!(case.post("ours", "").action(), "created");
    assert_eq!(
        case.bodies(),
        ["Nice.".to_owned(), format!("{}\nours", marker(HEAD, 7))]
    );
}

#[test]
fn leftover_deleted_by_another_run_is_not_an_error() {
    let case = Case::new();
    case.comment(BOT, &theirs(HEAD, 3));
    let second = case.comment(BOT, &theirs(HEAD, 4));
    case.fake
        .when("DELETE *")
        .hook(move |hub| hub.with(|world| world.comments.retain(|comment| comment.id != second)));
    assert_eq!(case.post("ours", "").action(), "updated");
    assert_eq!(only(&case), format!("{}\nours", marker(HEAD, 7)));
}

#[test]
fn comment_created_despite_error_is_not_duplicated() {
    let unsure: [(bool, fn(When<'_>)); 5] = [
        (true, |when| when.done().cut()),
        (true, |when| when.halve()),
        (true, |when| when.done().answer(502, "Bad gateway")),
        (false, |when| when.cut()),
        (false, |when| when.answer(502, "Bad gateway")),
    ];
    for (at, (done, order)) in unsure.into_iter().enumerate() {
        let case = Case::new();
        order(case.fake.when(CREATE));
        let outcome = case.post("ours", "");
        assert_eq!(
            (outcome.code, outcome.action()),
            (Some(0), "created"),
            "{at}: {outcome}"
        );
        assert_eq!(only(&case), format!("{}\nours", marker(HEAD, 7)));
        assert_eq!(case.writes().len(), if done { 1 } else { 2 }, "{at}");
    }
}

#[test]
fn persistently_failing_write_is_given_up() {
    let case = Case::new();
    case.fake.when(CREATE).always().answer(502, "Bad gateway");
    let outcome = case.post("ours", "");
    assert_snapshot!(outcome, @"
    exit 2
    --- stderr
    error: cannot comment on #5: GitHub answers 502
    hint: GitHub has a problem; see https://www.githubstatus.com
    ");
    assert_eq!((case.bodies(), case.writes().len()), (vec![], 5));
}

#[test]
fn two_jobs_with_one_key_terminate() {
    let case = Case::new();
    let id = case.comment(BOT, &theirs(HEAD, 3));
    case.fake.when(UPDATE).always().done().hook(move |hub| {
        hub.with(|world| rewrite(world, id, theirs(HEAD, 7)));
    });
    let outcome = case.post("ours", "");
    assert_eq!(
        (outcome.code, outcome.action()),
        (Some(0), "updated"),
        "{outcome}"
    );
    assert_eq!(case.writes().len(), 5);
}

/// `PERF_GATE_KILLS=200` kills more runs than a normal test run.
#[test]
fn killed_run_is_completed_by_the_next_one() {
    let kills = std::env::var("PERF_GATE_KILLS");
    let kills: u64 = kills.ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    for round in 0..kills {
        let case = Case::new();
        case.fake
            .when("*")
            .always()
            .hook(|_| std::thread::sleep(Duration::from_millis(5)));
        if round % 2 == 0 {
            case.comment(BOT, &theirs(HEAD, 3));
        }
        case.write("report.md", &format!("### ✅ round {round}\n"));
        let mut arguments = "--key perf --no-summary --body-file report.md".to_owned();
        if round % 3 == 0 {
            arguments += " --jobs 2 --job ci/perf(1)";
        }
        let mut command = case.command(&arguments);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(10 + round * 7 % 130));
        // It may already have ended.
        let _ = child.kill();
        child.wait().unwrap();
        let outcome = case.run(&arguments);
        assert_eq!(outcome.code, Some(0), "{outcome}");
        assert!(
            only(&case).contains(&format!("### ✅ round {round}")),
            "{outcome}"
        );
    }
}
