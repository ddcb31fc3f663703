//! Ten concurrent newer runs, while an older one is delayed between reading and writing. `PERF_GATE_ROUNDS=90` tries more rounds
//! than a normal test run.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common::{BOT, Case, HEAD, marker};

/// The delayed run, and the newest of the ten.
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
        // Pauses are not shortened, because the runs wait for each other in real time.
        let case = Arc::new(Case::new().env("PERF_GATE_CLOCK_SPEED", "1"));
        let write = if round % 2 == 0 {
            "POST */comments"
        } else {
            "PATCH *"
        };
        if write == "PATCH *" {
            case.comment(BOT, &format!("{}\nof run 3", marker(HEAD, 3)));
        }
        // The first write is the older run's, which continues at a different time in each round.
        let (start, pause) = (
            Arc::downgrade(&case),
            Duration::from_millis(round * 37 % 600),
        );
        let (send, crowd) = std::sync::mpsc::channel();
        case.fake.when(write).hook(move |_| {
            let Some(case) = start.upgrade() else { return };
            // If the test has failed, don't wait for the other runs.
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
