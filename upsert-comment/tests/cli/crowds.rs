//! Ten newer runs at once, while an older one is held up between reading and writing. `PERF_GATE_ROUNDS=90` tries more
//! rounds than a test has time for.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common::{BOT, Case, HEAD, marker};

/// The run that is held up, and the newest of the ten.
const OLDER: u64 = 7;
const NEWEST: u64 = 17;

fn rounds() -> u64 {
    std::env::var("PERF_GATE_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(2)
}

fn post(case: &Case, run: u64) {
    let name = format!("{run}.md");
    case.write(&name, &format!("of run {run}"));
    let arguments = format!("--key perf --body-file {name} --no-summary");
    let outcome = case.run_with(&arguments, &[("GITHUB_RUN_ID", &run.to_string())]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

fn ten_newer(case: &Arc<Case>) -> Vec<thread::JoinHandle<()>> {
    let start = |run| {
        let case = Arc::clone(case);
        thread::spawn(move || post(&case, run))
    };
    (OLDER + 1..=NEWEST).map(start).collect()
}

#[test]
fn delayed_older_run_never_overwrites_newer_report() {
    for round in 0..rounds() {
        // Pauses are as long as they are: what is waited for happens in real time.
        let case = Arc::new(Case::new().env("PERF_GATE_CLOCK_SPEED", "1"));
        let write = if round % 2 == 0 {
            "POST */comments"
        } else {
            "PATCH *"
        };
        if write == "PATCH *" {
            case.comment(BOT, &format!("{}\nof run 3", marker(HEAD, 3)));
        }
        // The first to write is the older run, which goes on at another moment in every round.
        let (start, pause) = (
            Arc::downgrade(&case),
            Duration::from_millis(round * 37 % 600),
        );
        let (send, crowd) = std::sync::mpsc::channel();
        case.fake.when(write).hook(move |_| {
            let Some(case) = start.upgrade() else { return };
            // Nobody waits for them where the test has failed.
            let _ = send.send(ten_newer(&case));
            thread::sleep(pause);
        });
        post(&case, OLDER);
        for run in crowd.recv().unwrap() {
            run.join().unwrap();
        }
        let bodies = case.bodies();
        assert_eq!(
            bodies,
            [format!("{}\nof run {NEWEST}", marker(HEAD, NEWEST))],
            "round {round}"
        );
    }
}
