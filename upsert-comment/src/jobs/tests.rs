//! Job names, and comments with the reports of several jobs.

use perf_github::{Comment, RunAttempt};
use proptest::prelude::*;

use super::*;
use crate::job::JobName;
use crate::marker::{CommentKey, Stamp};
use crate::plan::{CommentChange, CommentState, UpsertMode, WantedComment, plan};
use crate::text::Own;

fn key() -> CommentKey {
    "perf".parse().unwrap()
}

fn stamp(run: u64) -> Stamp {
    Stamp {
        head: "a".repeat(40).parse().unwrap(),
        run: Some(RunAttempt {
            id: run,
            attempt: 1,
        }),
    }
}

fn name(values: &str) -> JobName {
    format!("ci/perf ({values})").parse().unwrap()
}

fn part(run: u64, of: u32, values: &str, text: &str) -> RunReport {
    let name = name(values);
    RunReport {
        key: key(),
        stamp: stamp(run),
        job: Some(JobStamp {
            of,
            ended: false,
            shard: None,
            name,
        }),
        text: text.to_owned(),
    }
}

fn own(body: String) -> Own {
    let comment = Comment {
        id: 1,
        node_id: "IC_1".to_owned(),
        author: None,
        body,
        url: String::new(),
        minimized: false,
    };
    Own::of(&comment, &key()).unwrap()
}

/// The comment after posting these reports in turn.
fn posted(reports: &[RunReport]) -> String {
    let mut state = CommentState {
        head: stamp(1).head,
        is_closed: false,
        own: vec![],
        earlier: vec![],
        checked: vec![],
    };
    for report in reports {
        let wanted = WantedComment {
            mode: UpsertMode::Update,
            report: report.clone(),
        };
        for change in plan(&state, &wanted).changes {
            if let CommentChange::Create(body) | CommentChange::Update(_, body) = change {
                state.own = vec![own(body)];
            }
        }
    }
    state.own[0].report.to_string()
}

#[test]
fn matrix_jobs_share_one_comment() {
    let linux = part(
        7,
        3,
        "ubuntu-24.04, 1",
        "### ✅ Within limits\n\n| a |\n|---|\n\n<sub>run 7</sub>",
    );
    let windows = part(
        7,
        3,
        "windows-2025, 1",
        "### ❌ 1 of 2 benchmarks regressed\n\n**Parse**: −42%",
    );
    insta::assert_snapshot!(posted(&[linux, windows]), @r#"
    <!-- perf-gate key=perf head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=7.1 -->
    ### ❌ 1 of 3 jobs failed: `perf (windows-2025, 1)` · still to report: 1

    <!-- perf-gate key=perf head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=7.1 {"of":3,"name":{"workflow":"ci","job":"perf","values":["windows-2025","1"]}} -->
    #### `perf (windows-2025, 1)`

    ### ❌ 1 of 2 benchmarks regressed

    **Parse**: −42%

    <!-- perf-gate key=perf head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=7.1 {"of":3,"name":{"workflow":"ci","job":"perf","values":["ubuntu-24.04","1"]}} -->
    <details><summary><code>perf (ubuntu-24.04, 1)</code></summary>

    ### ✅ Within limits

    | a |
    |---|

    <sub>run 7</sub>

    </details>
    "#);
}

#[test]
fn headline_shows_worst_job_and_missing_jobs() {
    let headline = |reports: &[RunReport]| posted(reports).lines().nth(1).unwrap().to_owned();
    let (fine, bad, odd) = ("### ✅ fine", "### ❌ bad", "### ⚠️ odd");
    let jobs = |run, texts: &[&str]| -> Vec<RunReport> {
        texts
            .iter()
            .zip(["a", "b", "c"])
            .map(|(text, name)| part(run, 3, name, text))
            .collect()
    };
    assert_eq!(
        headline(&jobs(7, &[fine])),
        "### ⏳ 1 of 3 jobs passed · still to report: 2"
    );
    assert_eq!(
        headline(&jobs(7, &[fine, fine, fine])),
        "### ✅ 3 of 3 jobs passed"
    );
    assert_eq!(
        headline(&jobs(7, &[fine, odd, fine])),
        "### ⚠️ 1 to look at: `perf (b)`"
    );
    let all = headline(&jobs(7, &[bad, odd, fine]));
    assert_eq!(
        all,
        "### ❌ 1 of 3 jobs failed: `perf (a)` · 1 to look at: `perf (b)`"
    );
    // A later run has begun, in which the other jobs have not reported yet.
    let again = [jobs(7, &[fine, bad, fine]), jobs(8, &[fine])].concat();
    assert_eq!(
        headline(&again),
        "### ⏳ 1 of 3 jobs passed · still to report: 2: `perf (b)`, `perf (c)`"
    );
    // A job that was removed from the matrix disappears.
    let smaller = [
        jobs(7, &[bad, bad, bad]),
        vec![part(8, 2, "a", fine), part(8, 2, "b", fine)],
    ]
    .concat();
    assert_eq!(headline(&smaller), "### ✅ 2 of 2 jobs passed");
    // Neither an earlier run nor the same report changes anything.
    let late = [jobs(8, &[bad, fine, fine]), vec![part(7, 3, "a", fine)]].concat();
    assert_eq!(headline(&late[..3]), headline(&jobs(8, &[bad, fine, fine])));
    assert_eq!(posted(&late), posted(&late[..3]));
}

#[test]
fn single_job_gets_an_ordinary_comment() {
    let alone = posted(&[part(7, 0, "linux", "### ✅ fine")]);
    insta::assert_snapshot!(alone, @r#"
    <!-- perf-gate key=perf head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=7.1 {"of":0,"name":{"workflow":"ci","job":"perf","values":["linux"]}} -->
    ### ✅ fine
    "#);
    let two = posted(&[
        part(7, 0, "linux", "### ✅ fine"),
        part(7, 0, "windows", "### ❌ bad"),
    ]);
    assert!(
        two.contains("\n### ❌ 1 of 2 jobs failed: `perf (windows)`\n"),
        "{two}"
    );
}

#[test]
fn earlier_failure_stays_until_the_job_reports_again() {
    let (fine, bad) = ("### ✅ fine", "### ❌ bad");
    for of in [0, 2] {
        let mut reports = vec![
            part(7, of, "linux", fine),
            part(7, of, "windows", bad),
            part(8, of, "linux", fine),
        ];
        let begun = posted(&reports);
        for line in [
            "### ⏳ 1 of 2 jobs passed · still to report: 1: `perf (windows)`",
            "#### `perf (windows)`, from an earlier run",
            bad,
        ] {
            assert!(begun.lines().any(|found| found == line), "{begun}");
        }
        reports.push(part(8, of, "windows", fine));
        let complete = posted(&reports);
        assert!(
            complete.contains("\n### ✅ 2 of 2 jobs passed\n") && !complete.contains(bad),
            "{complete}"
        );
    }
}

#[test]
fn shortened_parts_keep_first_rows() {
    let long = format!(
        "### ❌ bad\n\n**Parse**: −42%\n\n| a |\n|---|\n{}\n<sub>run 7</sub>",
        "| b |\n".repeat(9_000)
    );
    let text = posted(&[part(7, 2, "a", &long), part(7, 2, "b", &long)]);
    let length = text.chars().count();
    assert!((LIMIT / 10 * 9..LIMIT).contains(&length), "{length}");
    let notice = "| b |\n\n> The rest does not fit; see the job summary.";
    assert_eq!(text.matches(notice).count(), 2, "{text}");
    let block = format!(
        "### ❌ bad\n\n<details>\n{}\n</details>",
        "a\n".repeat(40_000)
    );
    let text = posted(&[part(7, 2, "a", &block), part(7, 2, "b", &block)]);
    assert!(
        !text.contains("<details>"),
        "an open block would hide the next part"
    );
}

proptest! {
    #[test]
    fn job_names_round_trip(workflow in ".{0,60}", job in ".{0,60}", values in prop::collection::vec(".{0,30}", 0..3)) {
        let name = JobName { workflow, job, values };
        let job = JobStamp { of: 3, ended: false, shard: None, name };
        let report = RunReport { key: key(), stamp: stamp(7), job: Some(job), text: String::new() };
        let marker = report.marker();
        prop_assert_eq!(marker.lines().count(), 1);
        prop_assert_eq!(RunReport::parse_marker(&marker), Some(report));
    }
}

#[test]
fn job_names_are_parsed_from_the_command_line() {
    let parsed = |text: &str| {
        text.parse::<JobName>()
            .map(|name| (name.to_string(), name.values))
    };
    let values = vec!["linux".to_owned(), "1/2".to_owned()];
    let shown = "perf (linux, 1/2)".to_owned();
    assert_eq!(parsed("ci/perf (linux, 1/2)"), Ok((shown, values)));
    assert_eq!(parsed("ci/perf"), Ok(("perf".to_owned(), Vec::new())));
    for wrong in ["perf", "perf (1/2)", "/perf", "ci/", "ci/ (1)"] {
        assert_eq!(
            parsed(wrong),
            Err("write the workflow and the job, such as `ci/perf`"),
            "{wrong}"
        );
    }
}
