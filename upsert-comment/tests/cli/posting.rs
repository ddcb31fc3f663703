//! Creating, updating and deleting comments.

use fake_github::world::Comment;
use insta::assert_snapshot;

use crate::common::{BOT, Case, HEAD, OTHER, marker};

#[test]
fn first_report_is_posted_and_next_one_replaces_it() {
    let case = Case::new();
    assert_snapshot!(case.post("**All fine.**\n", ""), @"
    exit 0
    --- stdout
    comment-url=https://github.com/octo/quill/pull/5#issuecomment-1000001
    comment-id=1000001
    action=created
    --- stderr
    note: the comment `perf` is created: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    let [comment] = &case.comments()[..] else {
        panic!("{:?}", case.comments())
    };
    assert_eq!(
        (comment.author.as_str(), &comment.body),
        (BOT, &format!("{}\n**All fine.**", marker(HEAD, 7)))
    );

    let case = case.run_id(8);
    assert_snapshot!(case.post("**One regressed.**\n", ""), @"
    exit 0
    --- stdout
    comment-url=https://github.com/octo/quill/pull/5#issuecomment-1000001
    comment-id=1000001
    action=updated
    --- stderr
    note: the comment `perf` is updated: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    let bodies = case.bodies();
    assert_eq!(bodies, [format!("{}\n**One regressed.**", marker(HEAD, 8))]);

    let writes = case.writes().len();
    assert_snapshot!(case.post("**One regressed.**\r\n\r\n", ""), @"
    exit 0
    --- stdout
    comment-url=https://github.com/octo/quill/pull/5#issuecomment-1000001
    comment-id=1000001
    action=unchanged
    --- stderr
    note: the comment `perf` is unchanged: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    assert_eq!((case.bodies(), case.writes().len()), (bodies, writes));
    // A later run with the same report updates the marker. Otherwise run 8 would be treated as the latest.
    let case = case.run_id(9);
    assert_eq!(case.post("**One regressed.**", "").action(), "updated");
    assert_eq!(
        case.bodies(),
        [format!("{}\n**One regressed.**", marker(HEAD, 9))]
    );
    assert_eq!(
        case.run_id(8).post("**Two regressed.**", "").action(),
        "outdated"
    );
}

#[test]
fn unchanged_report_needs_few_requests() {
    let case = Case::new();
    let post = |report: &str| {
        case.fake.forget();
        case.post(report, "");
        case.fake.requests().len()
    };
    assert_eq!([post("one"), post("two"), post("two")], [7, 8, 3]);
}

#[test]
fn comment_is_found_by_author_and_marker_among_hundreds() {
    let case = Case::new();
    let old = format!("{}\nold", marker(HEAD, 3));
    for at in 0..250 {
        case.comment("ada", &format!("Comment {at}."));
    }
    let aliens = [
        case.comment("mallory", &old),
        case.comment(BOT, &old.replace("key=perf ", "key=perf-long ")),
        case.comment(BOT, &format!("As I said:\n{old}")),
        case.comment("", &old),
    ];
    let own = case.comment(BOT, &old);
    for at in 0..150 {
        case.comment("ada", &format!("Another {at}."));
    }
    let before = case.comments();
    assert_eq!(case.post("new", "").action(), "updated");
    let after = case.comments();
    let changed: Vec<u64> = before
        .iter()
        .zip(&after)
        .filter(|(old, new)| old.body != new.body)
        .map(|(old, _)| old.id)
        .collect();
    assert_eq!((changed, before.len()), (vec![own], after.len()));
    assert!(aliens.iter().all(|alien| *alien != own));
}

#[test]
fn enterprise_server_is_used_and_linked() {
    let case = Case::new();
    let api = format!("{}/api/v3", case.fake.url());
    let case = case
        .env("GITHUB_API_URL", &api)
        .env("GITHUB_SERVER_URL", "https://ghe.example.org");
    assert_eq!(
        case.post(&"A paragraph.\n\n".repeat(10_000), "").action(),
        "created"
    );
    let link = "[Full report](https://ghe.example.org/octo/quill/actions/runs/7/attempts/1)";
    assert!(case.bodies()[0].contains(link));
}

#[test]
fn hidden_comment_is_unchanged() {
    let case = Case::new();
    let hidden = case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
    let hide = |comment: &mut Comment| comment.minimized = Some("outdated".to_owned());
    case.fake.with(|world| {
        world
            .comments
            .iter_mut()
            .filter(|comment| comment.id == hidden)
            .for_each(hide);
    });
    assert_eq!(case.post("new", "").action(), "created");
    assert_eq!(case.bodies().len(), 2);
    assert_eq!(case.post("", "--mode delete").code, Some(2));
    assert_eq!(case.run("--key perf --mode delete").action(), "deleted");
    assert_eq!(case.bodies(), Vec::<String>::new());
}

#[test]
fn each_key_has_its_own_comment() {
    let case = Case::new();
    case.post("one", "");
    case.write("two.md", "two");
    assert_eq!(
        case.run("--key perf.2 --body-file two.md").action(),
        "created"
    );
    assert_eq!(case.run("--key perf --mode delete").action(), "deleted");
    assert_eq!(case.run("--key perf --mode delete").action(), "unchanged");
    assert_eq!(
        case.bodies(),
        [format!(
            "{}\ntwo",
            marker(HEAD, 7).replace("key=perf", "key=perf.2")
        )]
    );
}

#[test]
fn older_run_does_not_overwrite_newer_one() {
    let case = Case::new();
    let newer = format!("{}\nnewer", marker(HEAD, 9));
    case.comment(BOT, &newer);
    assert_snapshot!(case.post("older", ""), @"
    exit 0
    --- stdout
    comment-url=https://github.com/octo/quill/pull/5#issuecomment-1000001
    comment-id=1000001
    action=outdated
    --- stderr
    note: the comment `perf` already shows a newer report, for aaaaaaa: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    assert_eq!((case.bodies(), case.writes()), (vec![newer], vec![]));
    // On an earlier commit, even in a later run.
    let case = Case::new();
    case.comment(BOT, &format!("{}\nstale", marker(OTHER, 9)));
    assert_eq!(case.post("of the head", "").action(), "updated");
    let case = case.run_id(10);
    assert_eq!(
        case.post("stale", &format!("--head {OTHER}")).action(),
        "outdated"
    );
    assert_eq!(case.bodies(), [format!("{}\nof the head", marker(HEAD, 7))]);
}

/// Earlier versions wrote other details of the job into the marker.
#[test]
fn comment_by_another_version_is_updated() {
    let part =
        format!("<!-- perf-gate-part head={HEAD} run=6.1 of=2 at=1796000000 job=ci/perf (1) -->");
    for (details, text) in [
        (" of=0 at=1796000000 job=ci/perf (1)", "old"),
        (
            "",
            &*format!("### ✅ 1 of 2 jobs passed\n\n{part}\n#### perf (1)\n\nold"),
        ),
    ] {
        for job in ["", "--job ci/perf(1) --jobs 2"] {
            let case = Case::new();
            let other = marker(HEAD, 6).replace(" -->", &format!("{details} -->"));
            let id = case.comment(BOT, &format!("{other}\n{text}"));
            assert_eq!(case.post("new", job).action(), "updated");
            let comments = case.comments();
            assert_eq!((comments.len(), comments[0].id), (1, id));
            let body = &comments[0].body;
            assert!(body.contains("new") && !body.contains("old"), "{body}");
            // A newer report by the other version stays.
            let newer = other.replace("run=6", "run=9");
            case.fake
                .with(|world| world.comments[0].body = format!("{newer}\nold"));
            assert_eq!(case.post("new", "").action(), "outdated");
        }
    }
}

#[test]
fn outdated_run_does_not_restore_deleted_comment() {
    let case = Case::new();
    assert_snapshot!(case.post("late", &format!("--head {OTHER}")), @"
    exit 0
    --- stdout
    comment-url=
    comment-id=
    action=outdated
    --- stderr
    note: no comment `perf`: the newest commit aaaaaaa has its own run
    ");
    assert_eq!((case.bodies(), case.writes()), (vec![], vec![]));
}

#[test]
fn duplicates_from_earlier_races_are_removed() {
    let case = Case::new();
    for run in [3, 5, 4] {
        case.comment(BOT, &format!("{}\nrun {run}", marker(HEAD, run)));
    }
    let first = case.comments()[0].id;
    assert_eq!(case.post("run 7", "").action(), "updated");
    let left = case.comments();
    assert_eq!(
        left.iter().map(|comment| comment.id).collect::<Vec<_>>(),
        [first]
    );
    assert_eq!(left[0].body, format!("{}\nrun 7", marker(HEAD, 7)));
}

#[test]
fn long_report_is_shortened_and_linked() {
    let case = Case::new();
    let rows = "| S | unchanged |\n".repeat(20_000);
    let report =
        format!("**1 regressed**\n\n| S | V |\n| - | - |\n{rows}| Bad | **regressed** |\n");
    let outcome = case.post(&report, "");
    let body = &case.bodies()[0];
    assert!(body.chars().count() <= 60_000 && body.chars().count() > 59_000);
    let notice = "> This report is too long for a comment; its end is left out. \
                  [Full report](https://github.com/octo/quill/actions/runs/7/attempts/1)";
    assert!(body.starts_with(&format!(
        "{}\n{notice}\n\n**1 regressed**\n\n| S | V |",
        marker(HEAD, 7)
    )));
    assert!(body.ends_with("\n| S | unchanged |"));
    assert_eq!(outcome.summary, report);
    assert_eq!(case.run_id(8).post(&report, "").action(), "updated");
}

#[test]
fn hostile_report_has_no_effect() {
    let fake = marker(OTHER, 99);
    let report = format!(
        "{fake}\n::error::x\n\u{0}\u{202e}\u{1b}[2J ${{{{ secrets }}}} $(id) \"\\ 日本 🐎\n{fake}"
    );
    let case = Case::new();
    assert_eq!(case.post(&report, "").action(), "created");
    let body = &case.bodies()[0];
    assert!(body.starts_with(&format!("{}\n::error::x", marker(HEAD, 7))));
    assert!(!body.contains(&fake));
    let case = case.run_id(8);
    assert_eq!(case.post("fine", "").action(), "updated");
    assert_eq!(case.bodies(), [format!("{}\nfine", marker(HEAD, 8))]);
}
