//! Jobs of a matrix that report at once, and writes that arrive late.

use std::thread;
use std::time::Duration;

use fake_github::Hub;

use crate::common::{BOT, Case, HEAD, marker};

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A pause of up to so many milliseconds, another one each time.
fn delay(most: u64, seed: u64) -> impl Fn(&Hub) + Send + Sync + 'static {
    let numbers = std::sync::Mutex::new(Numbers(seed));
    move |_| {
        let pause = numbers.lock().map_or(0, |mut numbers| numbers.below(most));
        thread::sleep(Duration::from_millis(pause));
    }
}

/// Lets jobs report in the same run, each after a pause; the comment must show all of them in the end.
fn round(jobs: u64, seed: u64, slow: u64) {
    let case = Case::new().env("PERF_GATE_CLOCK_SPEED", "100");
    // A look is old when it arrives, and a write arrives late.
    case.fake.when("GET *").always().done().hook(delay(slow, seed));
    case.fake.when("PATCH *").always().hook(delay(slow, seed + 1));
    let mut numbers = Numbers(seed);
    let failing = numbers.below(jobs);
    for job in 0..jobs {
        let icon = if job == failing { "❌ bad" } else { "✅ fine" };
        case.write(&format!("{job}.md"), &format!("### {icon} {job}\n"));
    }
    thread::scope(|scope| {
        for job in 0..jobs {
            let (case, pause) = (&case, numbers.below(slow * 4));
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(pause));
                let arguments = "--key perf --no-summary";
                let outcome =
                    case.run(&format!("{arguments} --body-file {job}.md --jobs {jobs} --job ci/perf({job})"));
                assert_eq!(outcome.code, Some(0), "{outcome}");
            });
        }
    });
    let bodies = case.bodies();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    let headline = format!("\n### ❌ 1 of {jobs} jobs failed: <code>perf({failing})</code>\n");
    assert!(bodies[0].contains(&headline), "{} of seed {seed}", bodies[0]);
    for job in 0..jobs {
        let icon = if job == failing { "❌ bad" } else { "✅ fine" };
        assert!(bodies[0].contains(&format!("\n### {icon} {job}\n")), "{} of seed {seed}", bodies[0]);
    }
}

#[test]
fn jobs_that_report_at_once_are_all_shown() {
    let rounds = std::env::var("PERF_GATE_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    for seed in 0..rounds {
        round(2 + seed % 5, seed, 40);
    }
}

#[test]
fn a_newer_report_is_not_overwritten_by_a_limited_or_slow_one() {
    let newer =
        |key: &str| format!("{}\nof run 9", marker(HEAD, 9)).replace("key=perf", &format!("key={key}"));
    let case = Case::new();
    let id = case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
    let rewrite = move |hub: &Hub| {
        hub.with(|world| {
            world.comments.iter_mut().filter(|comment| comment.id == id).for_each(|comment| {
                comment.edit(BOT.to_owned(), newer("perf"));
            });
        });
    };
    // The limit is over when another run has reported.
    case.fake.when("PATCH *").limit_for(Some(60));
    case.fake.when("GET */comments").nth(2).hook(rewrite);
    assert_eq!(case.post("ours", "").action(), "outdated");
    assert_eq!(case.bodies(), [newer("perf")]);
    assert_eq!(case.writes().len(), 1, "{:?}", case.writes());
    // Ours is on its way when the other run reports, and overwrites it.
    let case = Case::new();
    let id_of = case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
    assert_eq!(id, id_of);
    case.fake.when("PATCH *").hook(rewrite);
    assert_eq!(case.post("ours", "").action(), "outdated");
    assert_eq!(case.bodies(), [newer("perf")]);
}
