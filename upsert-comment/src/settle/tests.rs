//! Pauses, and jobs that report concurrently.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use fake_github::account::{ACTIONS, WORKFLOW};
use fake_github::world::{Pull as FakePull, World};
use fake_github::{Fake, account};
use perf_github::{Api, ClientSettings, Clock, CommitId, System, Token};

use super::*;
use crate::job::JobStamp;
use crate::marker::Stamp;
use crate::plan::UpsertMode;

/// A clock that only records its pauses.
#[derive(Default)]
struct Recorder(Mutex<Vec<Duration>>);

impl Clock for Recorder {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }

    fn sleep(&self, time: Duration) {
        self.0.lock().unwrap().push(time);
    }
}

#[test]
fn uncertain_write_is_followed_by_a_pause() {
    let head = "a".repeat(40);
    let fake = Fake::start(World::with_pull(FakePull::new(5).at(&head))).unwrap();
    fake.when("POST */comments")
        .times(2)
        .answer(502, "Bad gateway");
    let clock = Arc::new(Recorder::default());
    let client = client(fake.url(), clock.clone());
    let author = Account {
        login: ACTIONS.to_owned(),
        id: account::id(ACTIONS),
    };
    let key: CommentKey = "perf".parse().unwrap();
    let mut thread = Thread {
        client: &client,
        pull: 5,
        author,
        key: key.clone(),
        has_checks: false,
        action: None,
        created: None,
        gone: Vec::new(),
        forged: Vec::new(),
    };
    let stamp = Stamp {
        head: head.parse().unwrap(),
        run: None,
    };
    let wanted = WantedComment {
        mode: UpsertMode::Update,
        report: RunReport {
            key,
            stamp: stamp.clone(),
            job: None,
            text: "ours".to_owned(),
        },
    };
    let settled = thread
        .settle(
            &wanted,
            CommentState {
                head: stamp.head,
                is_closed: false,
                own: Vec::new(),
                earlier: Vec::new(),
                checked: Vec::new(),
            },
        )
        .unwrap();
    assert_eq!(settled.action, CommentAction::Created);
    assert_eq!(*clock.0.lock().unwrap(), [PAUSE, PAUSE * 2, LAST_PAUSE]);
}

/// A clock with short pauses.
const FAST: System = System { speed: 100 };

fn client(url: &str, clock: Arc<dyn Clock>) -> Client {
    let settings = ClientSettings {
        clock,
        ..ClientSettings::read(|_| None).unwrap()
    };
    let token = Token::new(WORKFLOW).unwrap();
    Client::new(
        &Api::new(url).unwrap(),
        "octo/quill".parse().unwrap(),
        &token,
        settings,
    )
    .unwrap()
}

fn report(head: CommitId, run: u64, job: Option<JobStamp>, text: String) -> RunReport {
    let run = Some(perf_github::RunAttempt {
        id: run,
        attempt: 1,
    });
    RunReport {
        key: "perf".parse().unwrap(),
        stamp: Stamp { head, run },
        job,
        text,
    }
}

/// Reads the comments, then posts the report.
fn post(client: &Client, has_checks: bool, report: RunReport) {
    let author = client.viewer().unwrap();
    let mut thread = Thread {
        client,
        pull: 5,
        author,
        key: report.key.clone(),
        has_checks,
        action: None,
        created: None,
        gone: Vec::new(),
        forged: Vec::new(),
    };
    let (first, _) = thread.read().unwrap();
    thread
        .settle(
            &WantedComment {
                mode: UpsertMode::Update,
                report,
            },
            first,
        )
        .unwrap();
}

/// A job that creates its check run and then posts its report.
fn report_job(clock: System, url: &str, job: usize, jobs: usize) {
    let client = client(url, Arc::new(clock));
    let name = format!("ci/perf ({job})").parse().unwrap();
    let stamp = JobStamp {
        ended: false,
        of: u32::try_from(jobs).unwrap(),
        shard: None,
        name,
    };
    let text = format!("### {}", if job == 0 { "❌ bad" } else { "✅ fine" });
    let report = report("a".repeat(40).parse().unwrap(), 7, Some(stamp), text);
    let check = perf_github::Check {
        state: Some(perf_github::State::Success),
        name: format!("perf ({job})"),
        title: "compared".to_owned(),
        text: report.to_string(),
        details: None,
    };
    assert!(client.create_check(&report.stamp.head, &check).unwrap());
    post(&client, true, report);
}

/// Delays reads and writes differently in each round.
fn disturb(fake: &Fake, round: u64) {
    let pause = move |salt: u64| {
        let count = std::sync::atomic::AtomicU64::new(salt + round);
        move |_: &fake_github::Hub| {
            let turn = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(turn.wrapping_mul(2_654_435_761) % 40));
        }
    };
    fake.when("GET *").always().done().hook(pause(3));
    fake.when("PATCH *").always().hook(pause(11));
}

fn rounds() -> u64 {
    std::env::var("PERF_GATE_RACES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5)
}

#[test]
fn concurrent_runs_leave_one_comment_with_newest_report() {
    for round in 0..rounds() {
        let head: CommitId = "a".repeat(40).parse().unwrap();
        let world = World::with_pull(FakePull::new(5).at(head.as_str()));
        let fake = Fake::start(world).unwrap();
        disturb(&fake, round);
        std::thread::scope(|scope| {
            for run in 1..=6 {
                let (url, head) = (fake.url(), head.clone());
                scope.spawn(move || {
                    let report = report(head, run, None, format!("run {run}"));
                    post(&client(url, Arc::new(FAST)), false, report);
                });
            }
        });
        let comments = fake.with(|world| world.comments.clone());
        assert_eq!(comments.len(), 1, "{comments:?}");
        assert!(comments[0].body.ends_with("run 6"), "{}", comments[0].body);
    }
}

/// Only the check runs contain the lost reports, because this server returns no earlier texts.
#[test]
fn reports_lost_by_late_writes_are_found_in_check_runs() {
    for round in 0..rounds() {
        let jobs = 2 + usize::try_from(round % 5).unwrap();
        let fake = Fake::start(World::with_pull(FakePull::new(5).at(&"a".repeat(40)))).unwrap();
        fake.with(|world| {
            let token = world.tokens.get_mut(WORKFLOW).unwrap();
            token.writes.push(account::Permission::Checks);
        });
        fake.when("GRAPHQL node")
            .always()
            .answer(200, serde_json::json!({ "data": { "node": null } }));
        disturb(&fake, round);
        std::thread::scope(|scope| {
            for job in 0..jobs {
                let url = fake.url();
                scope.spawn(move || report_job(FAST, url, job, jobs));
            }
        });
        let comments = fake.comments(5);
        assert_eq!(comments.len(), 1, "{comments:?}");
        let headline = format!("\n### ❌ 1 of {jobs} jobs failed: `perf (0)`\n");
        assert!(comments[0].body.contains(&headline), "{}", comments[0].body);
    }
}

/// A workflow token may make 1,000 calls in an hour for a repository.
#[test]
fn twelve_matrix_jobs_make_at_most_150_calls() {
    for is_in_turn in [true, false] {
        let fake = Fake::start(World::with_pull(FakePull::new(5).at(&"a".repeat(40)))).unwrap();
        fake.with(|world| {
            let token = world.tokens.get_mut(WORKFLOW).unwrap();
            token.writes.push(account::Permission::Checks);
        });
        std::thread::scope(|scope| {
            for job in 0..12 {
                let url = fake.url();
                if is_in_turn {
                    report_job(FAST, url, job, 12);
                } else {
                    // On a busy machine, shortened pauses would end before the other jobs' requests.
                    scope.spawn(move || report_job(System { speed: 1 }, url, job, 12));
                }
            }
        });
        assert_eq!(fake.comments(5).len(), 1);
        // Jobs that report at the same moment disturb each other.
        let most = if is_in_turn { 150 } else { 180 };
        let calls = fake.requests().len();
        assert!(calls <= most, "{calls}");
    }
}

#[test]
fn markers_with_unknown_runs_are_ignored() {
    let head = "a".repeat(40);
    let fake = Fake::start(World::with_pull(FakePull::new(5).at(&head))).unwrap();
    for run in [998, 999] {
        fake.when(&format!("GET */actions/runs/{run}/attempts/1/jobs"))
            .always()
            .answer(404, "Not found");
    }
    let post_as = |run, text: &str| {
        let report = report(head.parse().unwrap(), run, None, text.to_owned());
        post(&client(fake.url(), Arc::new(FAST)), false, report);
    };
    post_as(999, "forged");
    let second = report(head.parse().unwrap(), 998, None, "forged too".to_owned());
    fake.with(|world| world.comment(5, ACTIONS, &second.to_string()));
    post_as(7, "ours");
    post_as(8, "newer");
    let texts: Vec<String> = fake
        .comments(5)
        .into_iter()
        .map(|comment| comment.body)
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(
        texts[0].ends_with("forged") && texts[2].ends_with("newer"),
        "{texts:?}"
    );
}
