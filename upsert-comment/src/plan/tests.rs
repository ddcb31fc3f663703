//! Plans, and the comments after applying them.

use proptest::prelude::*;

use super::*;

const HEAD: char = 'a';

fn sha(digit: char) -> CommitId {
    String::from(digit).repeat(40).parse().unwrap()
}

fn stamp(head: char, run: u64) -> Stamp {
    Stamp {
        head: sha(head),
        run: Some(perf_github::RunAttempt {
            id: run,
            attempt: 1,
        }),
    }
}

fn report(head: char, run: u64, text: &str) -> RunReport {
    RunReport {
        key: key(),
        stamp: stamp(head, run),
        job: None,
        text: text.to_owned(),
    }
}

fn key() -> CommentKey {
    "perf".parse().unwrap()
}

fn wanted(mode: UpsertMode, report: RunReport) -> WantedComment {
    WantedComment { mode, report }
}

fn account(login: &str) -> Account {
    Account {
        login: login.to_owned(),
        id: 1,
    }
}

fn comment(id: u64, author: &str, body: String) -> Comment {
    Comment {
        id,
        node_id: format!("IC_{id}"),
        author: Some(account(author)),
        body,
        url: format!("https://github.com/o/r/pull/5#issuecomment-{id}"),
        minimized: false,
    }
}

fn posted(id: u64, report: &RunReport) -> Comment {
    comment(id, "bot", report.to_string())
}

fn state(comments: &[Comment]) -> CommentState {
    CommentState::of(comments, &account("bot"), &key(), sha(HEAD))
}

/// A short form of a plan: each change with the comment's ID and last line.
fn planned(comments: &[Comment], wanted: &WantedComment) -> String {
    let plan = plan(&state(comments), wanted);
    let text = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let mut lines: Vec<String> = plan
        .changes
        .iter()
        .map(|change| match change {
            CommentChange::Create(body) => format!("create {}", text(body)),
            CommentChange::Update(id, body) => format!("update {id} {}", text(body)),
            CommentChange::Delete(id) => format!("delete {id}"),
        })
        .collect();
    lines.extend(plan.outdated_by.map(|newer| match newer {
        Newer::Report(stamp) => format!("outdated by {}", stamp.run.map_or(0, |run| run.id)),
        Newer::Commit(head) => format!("outdated by {}", head.short()),
    }));
    lines.join(", ")
}

#[test]
fn update_leaves_one_comment_with_newest_report() {
    let update = |head, run| wanted(UpsertMode::Update, report(head, run, "ours"));
    let (old, new) = (report(HEAD, 4, "four"), report(HEAD, 6, "six"));
    let late = report('b', 7, "seven");
    assert_eq!(planned(&[], &update(HEAD, 5)), "create ours");
    assert_eq!(
        planned(&[posted(1, &old)], &update(HEAD, 5)),
        "update 1 ours"
    );
    assert_eq!(
        planned(&[posted(1, &new)], &update(HEAD, 5)),
        "outdated by 6"
    );
    assert_eq!(
        planned(&[posted(1, &late)], &update(HEAD, 5)),
        "update 1 ours"
    );
    assert_eq!(
        planned(&[posted(1, &new)], &update('b', 9)),
        "outdated by 6"
    );
    assert_eq!(
        planned(&[posted(1, &old), posted(2, &old)], &update(HEAD, 5)),
        "update 1 ours, delete 2"
    );
    // The newer stamp is copied, although the older comment's text is the same.
    let again = report(HEAD, 4, "six");
    assert_eq!(
        planned(&[posted(1, &again), posted(2, &new)], &update(HEAD, 5)),
        "update 1 six, delete 2, outdated by 6"
    );
    assert_eq!(
        planned(
            &[posted(1, &old), posted(2, &new), posted(3, &late)],
            &update(HEAD, 5)
        ),
        "update 1 six, delete 2, delete 3, outdated by 6"
    );
    assert_eq!(
        planned(&[posted(1, &new), posted(2, &old)], &update(HEAD, 5)),
        "delete 2, outdated by 6"
    );
}

#[test]
fn unchanged_report_is_not_written_again() {
    let ours = report(HEAD, 5, "line\n\nsame");
    let same = |report: RunReport| {
        planned(
            &[posted(1, &report)],
            &wanted(UpsertMode::Update, ours.clone()),
        )
    };
    assert_eq!(same(report(HEAD, 5, "line\n\nsame")), "");
    assert_eq!(same(report(HEAD, 5, "line\r\n\r\nsame\r\n")), "");
    // From an earlier run, so that a run between the two is recognised as outdated.
    assert_eq!(same(report(HEAD, 4, "line\n\nsame")), "update 1 same");
    assert_eq!(same(report(HEAD, 4, "line\nsame")), "update 1 same");
    // On another commit, so that a late run on that commit is recognised as outdated.
    assert_eq!(same(report('b', 4, "line\n\nsame")), "update 1 same");
}

#[test]
fn older_run_is_outdated_even_after_unchanged_newer_report() {
    let update = |run, text| wanted(UpsertMode::Update, report(HEAD, run, text));
    let comments = settled(
        vec![posted(1, &report(HEAD, 4, "same"))],
        &update(6, "same"),
    );
    assert_eq!(planned(&comments, &update(5, "late")), "outdated by 6");
}

#[test]
fn outdated_run_does_not_create_a_comment() {
    let by_hand = RunReport {
        stamp: Stamp {
            run: None,
            ..stamp('b', 5)
        },
        ..report('b', 5, "ours")
    };
    let hidden = Comment {
        minimized: true,
        ..posted(1, &report(HEAD, 4, "four"))
    };
    let ours = wanted(UpsertMode::Update, report('b', 5, "ours"));
    assert_eq!(planned(&[], &ours), "outdated by aaaaaaa");
    assert_eq!(
        planned(std::slice::from_ref(&hidden), &ours),
        "outdated by aaaaaaa"
    );
    let by_hand = wanted(UpsertMode::Update, by_hand);
    assert_eq!(planned(&[], &by_hand), "create ours");
    assert_eq!(
        planned(&[hidden], &wanted(UpsertMode::Delete, report('b', 5, ""))),
        "delete 1"
    );
}

#[test]
fn foreign_and_hidden_comments_are_ignored() {
    let text = report(HEAD, 4, "four").to_string();
    let mut hidden = comment(5, "bot", text.clone());
    hidden.minimized = true;
    let nobody = Comment {
        author: None,
        ..comment(6, "", text.clone())
    };
    let comments = [
        comment(1, "mallory", text.clone()),
        comment(2, "bot", text.replace("key=perf", "key=perf-2")),
        comment(3, "bot", format!("see:\n{text}")),
        comment(4, "bot", format!("> {text}")),
        hidden,
        nobody,
        comment(7, "bot", String::new()),
    ];
    assert_eq!(
        planned(
            &comments,
            &wanted(UpsertMode::Update, report(HEAD, 5, "ours"))
        ),
        "create ours"
    );
    // `delete` also removes hidden comments.
    assert_eq!(
        planned(
            &comments,
            &wanted(UpsertMode::Delete, report(HEAD, 5, "ours"))
        ),
        "delete 5"
    );
    assert_eq!(state(&[comment(8, "Bot", text)]).own.len(), 1);
}

#[test]
fn outdated_run_does_not_delete() {
    let delete = wanted(UpsertMode::Delete, report(HEAD, 5, ""));
    assert_eq!(planned(&[], &delete), "");
    assert_eq!(
        planned(
            &[
                posted(1, &report(HEAD, 4, "x")),
                posted(2, &report(HEAD, 4, "y"))
            ],
            &delete
        ),
        "delete 1, delete 2"
    );
    assert_eq!(
        planned(&[posted(1, &report(HEAD, 6, "six"))], &delete),
        "outdated by 6"
    );
}

/// The comments after repeatedly applying the plan for `wanted`, until it is empty.
fn settled(mut comments: Vec<Comment>, wanted: &WantedComment) -> Vec<Comment> {
    for _ in 0..3 {
        let changes = plan(&state(&comments), wanted).changes;
        if changes.is_empty() {
            return comments;
        }
        for change in changes {
            match change {
                CommentChange::Create(body) => {
                    comments.push(comment(100 + comments.len() as u64, "bot", body));
                }
                CommentChange::Update(id, body) => {
                    comments
                        .iter_mut()
                        .find(|comment| comment.id == id)
                        .unwrap()
                        .body = body;
                }
                CommentChange::Delete(id) => comments.retain(|comment| comment.id != id),
            }
        }
    }
    panic!("never settles: {comments:?}");
}

#[test]
fn report_cannot_imitate_another_run() {
    let imitation = report('f', 99, "ours").to_string();
    let ours = report(HEAD, 5, &imitation).postable(None);
    assert_eq!(ours.text, "ours");
    let comments = settled(Vec::new(), &wanted(UpsertMode::Update, ours));
    assert_eq!(state(&comments).own[0].report.stamp, stamp(HEAD, 5));
}

fn any_report() -> impl Strategy<Value = RunReport> {
    (
        prop::sample::select(vec!['a', 'b', 'c']),
        1..6_u64,
        "[xy\n]{1,4}",
    )
        .prop_map(|(head, run, text)| report(head, run, text.trim()))
        .prop_filter("an empty report is refused before", |report| {
            !report.text.is_empty()
        })
}

fn any_comment() -> impl Strategy<Value = (bool, bool, RunReport)> {
    (
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.2),
        any_report(),
    )
}

fn any_mode() -> impl Strategy<Value = UpsertMode> {
    prop::sample::select(vec![UpsertMode::Update, UpsertMode::Delete])
}

fn numbered(all: Vec<(bool, bool, RunReport)>) -> Vec<Comment> {
    let comments = all
        .into_iter()
        .enumerate()
        .map(|(at, (ours, hidden, report))| {
            let mut comment = posted(at as u64, &report);
            comment.author = Some(account(if ours { "bot" } else { "mallory" }));
            comment.minimized = hidden;
            comment
        });
    comments.collect()
}

proptest! {
    #[test]
    fn applied_plans_leave_one_comment_with_newest_report(
        all in prop::collection::vec(any_comment(), 0..6), ours in any_report(), mode in any_mode(),
    ) {
        let before = numbered(all);
        let wanted = wanted(mode, ours.clone());
        let after = settled(before.clone(), &wanted);
        let alien = |comment: &&Comment| comment.author != Some(account("bot"));
        prop_assert!(before.iter().filter(alien).eq(after.iter().filter(alien)));
        let (old, new) = (state(&before), state(&after));
        let shown: Vec<&Own> = new.shown().collect();
        let late = old.newest().is_some_and(|newest| !ours.stamp.supersedes(&newest.stamp, &new.head));
        if mode == UpsertMode::Delete {
            prop_assert!(late && old.own == new.own || !late && new.own.is_empty());
        } else if old.shown().next().is_none() && ours.stamp.head != sha(HEAD) {
            prop_assert_eq!(&old.own, &new.own);
        } else {
            prop_assert_eq!(shown.len(), 1);
            let expected = if late { old.newest().unwrap().clone() } else { ours };
            prop_assert_eq!(&shown[0].report.text, &expected.text);
            prop_assert_eq!(&shown[0].report.stamp.head, &expected.stamp.head);
        }
    }

    #[test]
    fn order_of_two_runs_does_not_matter(
        all in prop::collection::vec(any_comment(), 0..4), one in any_report(), other in any_report(),
    ) {
        prop_assume!(one.stamp.run != other.stamp.run);
        let after = |first: &RunReport, second: &RunReport| {
            let comments = settled(numbered(all.clone()), &wanted(UpsertMode::Update, first.clone()));
            let comments = settled(comments, &wanted(UpsertMode::Update, second.clone()));
            let state = state(&comments);
            state.newest().map(|newest| (newest.stamp.clone(), newest.text.clone()))
        };
        prop_assert_eq!(after(&one, &other), after(&other, &one));
    }
}
