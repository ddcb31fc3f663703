//! Matrix jobs that report concurrently, and late writes.

use std::thread;
use std::time::Duration;

use fake_github::Hub;

use crate::common::{BOT, Case, HEAD, OTHER, marker};

/// Reproducible pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A hook that pauses for a random time of at most `most` milliseconds.
fn delay(most: u64, seed: u64) -> impl Fn(&Hub) + Send + Sync + 'static {
    let numbers = std::sync::Mutex::new(Numbers(seed));
    move |_| {
        let pause = numbers.lock().map_or(0, |mut numbers| numbers.below(most));
        thread::sleep(Duration::from_millis(pause));
    }
}

/// Lets jobs in a run report after random pauses, and checks that the comment finally shows all of them.
fn round(jobs: u64, seed: u64, slow: u64) {
    let case = Case::new().env("PERF_GATE_CLOCK_SPEED", "100");
    // Delay responses to reads, and the execution of writes.
    case.fake
        .when("GET *")
        .always()
        .done()
        .hook(delay(slow, seed));
    case.fake
        .when("PATCH *")
        .always()
        .hook(delay(slow, seed + 1));
    let mut numbers = Numbers(seed);
    let failing = numbers.below(jobs);
    for job in 0..jobs {
        let icon = if job == failing {
            "❌ bad"
        } else {
            "✅ fine"
        };
        case.write(&format!("{job}.md"), &format!("### {icon} {job}\n"));
    }
    thread::scope(|scope| {
        for job in 0..jobs {
            let (case, pause) = (&case, numbers.below(slow * 4));
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(pause));
                let arguments = "--key perf --no-summary";
                let outcome = case.run(&format!(
                    "{arguments} --body-file {job}.md --jobs {jobs} --job ci/perf({job})"
                ));
                assert_eq!(outcome.code, Some(0), "{outcome}");
            });
        }
    });
    let bodies = case.bodies();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    let headline = format!("\n### ❌ 1 of {jobs} jobs failed: `perf ({failing})`\n");
    assert!(
        bodies[0].contains(&headline),
        "{} of seed {seed}",
        bodies[0]
    );
    for job in 0..jobs {
        let icon = if job == failing {
            "❌ bad"
        } else {
            "✅ fine"
        };
        assert!(
            bodies[0].contains(&format!("\n### {icon} {job}\n")),
            "{} of seed {seed}",
            bodies[0]
        );
    }
}

#[test]
fn concurrent_jobs_are_all_shown() {
    let rounds = std::env::var("PERF_GATE_RACES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(6);
    for seed in 0..rounds {
        round(2 + seed % 5, seed, 40);
    }
}

/// Posts the report of one job in a matrix of three.
fn report(case: &Case, job: u32, attempt: &str) -> String {
    case.write("report.md", &format!("### ✅ fine {job}\n"));
    let arguments =
        format!("--key perf --body-file report.md --no-summary --jobs 3 --job ci/perf({job})");
    headline(case, &arguments, attempt)
}

/// Reports that all jobs in the matrix have ended.
fn end(case: &Case, attempt: &str) -> String {
    headline(case, "--key perf --ended ci/perf", attempt)
}

/// The headline of the only comment after running the program.
fn headline(case: &Case, arguments: &str, attempt: &str) -> String {
    let outcome = case.run_with(arguments, &[("GITHUB_RUN_ATTEMPT", attempt)]);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let bodies = case.bodies();
    assert!(bodies.len() < 2, "{bodies:?}");
    bodies
        .first()
        .and_then(|body| body.lines().nth(1))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn job_without_report_is_listed_after_the_end() {
    let case = Case::new();
    assert_eq!(end(&case, "1"), "### ❌ no job of `perf` has reported");
    let (open, lost) = (
        "### ⏳ 2 of 3 jobs passed · still to report: 1",
        "### ❌ 1 of 3 jobs has not reported · 2 of 3 jobs passed",
    );
    report(&case, 1, "2");
    assert_eq!(report(&case, 2, "2"), open);
    assert_eq!(end(&case, "2"), lost);
    let before = case.writes().len();
    assert_eq!(end(&case, "2"), lost);
    assert_eq!(case.writes().len(), before, "the comment says so already");
    // A new attempt starts over.
    assert_eq!(report(&case, 2, "3"), open);
    assert_eq!(
        end(&case, "2"),
        open,
        "an attempt that is over says nothing of the next"
    );
    assert_eq!(report(&case, 3, "3"), "### ✅ 3 of 3 jobs passed");
    assert_eq!(end(&case, "3"), "### ✅ 3 of 3 jobs passed");
}

#[test]
fn lost_job_is_listed_until_it_reports() {
    let case = Case::new();
    report(&case, 1, "1");
    report(&case, 2, "1");
    let lost = "### ❌ 1 of 3 jobs has not reported · 2 of 3 jobs passed";
    assert_eq!(end(&case, "1"), lost);
    // The end of one matrix is known in later reports of another.
    let other = "--key perf --body-file report.md --no-summary --jobs 2 --job ci/arm(1)";
    assert_eq!(
        headline(&case, other, "1"),
        "### ❌ 1 of 3 jobs has not reported · 3 of 5 jobs passed · still to report: 1"
    );
    let ended = headline(&case, "--key perf --ended ci/arm", "1");
    let both =
        "### ❌ 1 of 2 jobs has not reported · 1 of 3 jobs has not reported · 3 of 5 jobs passed";
    assert_eq!(ended, both);
    assert_eq!(end(&case, "1"), both);
    assert_eq!(
        report(&case, 3, "2"),
        "### ❌ 1 of 2 jobs has not reported · 4 of 5 jobs passed"
    );
}

#[test]
fn end_of_a_later_run_is_not_overwritten_by_an_earlier_run() {
    let case = Case::new();
    for job in 1..=3 {
        report(&case, job, "1");
    }
    let run = |arguments: &str, id: &str| {
        let outcome = case.run_with(arguments, &[("GITHUB_RUN_ID", id)]);
        assert_eq!(outcome.code, Some(0), "{outcome}");
        case.bodies().remove(0)
    };
    let lost = run("--key perf --ended ci/perf", "9");
    assert!(
        lost.starts_with(&marker(HEAD, 9))
            && lost.contains("### ❌ no job of `perf` has reported ·"),
        "{lost}"
    );
    let late = "--key perf --body-file report.md --no-summary --jobs 3 --job ci/perf(3)";
    assert_eq!(run(late, "8"), lost);
    assert_eq!(run("--key perf --ended ci/perf", "8"), lost);
}

#[test]
fn comment_without_matrix_is_unchanged_by_ended_jobs() {
    let case = Case::new();
    case.post("### ✅ fine", "");
    assert_eq!(end(&case, "1"), "### ✅ fine");
}

#[test]
fn ended_jobs_replace_a_report_of_an_earlier_commit() {
    let case = Case::new();
    case.comment(BOT, &format!("{}\n### ✅ fine", marker(OTHER, 3)));
    assert_eq!(end(&case, "1"), "### ❌ no job of `perf` has reported");
}

#[test]
fn ended_jobs_of_an_earlier_commit_are_not_missed() {
    let case = Case::new();
    let arguments = format!("--key perf --ended ci/perf --head {OTHER}");
    let outcome = case.run_with(&arguments, &[("GITHUB_RUN_ATTEMPT", "1")]);
    assert_eq!(
        (outcome.code, outcome.action()),
        (Some(0), "outdated"),
        "{outcome}"
    );
    assert_eq!(case.bodies(), Vec::<String>::new());
}

/// Checks that a newer report is not overwritten. It is posted at a different time in each round.
fn limited_round(round: u64) {
    let newer = move || format!("{}\nof run {}", marker(HEAD, 8 + round), 8 + round);
    let case = Case::new();
    let id = case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
    let rewrite = move |hub: &Hub| {
        hub.with(|world| {
            let ours = world.comments.iter_mut().filter(|comment| comment.id == id);
            ours.for_each(|comment| comment.edit(BOT.to_owned(), newer()));
        });
    };
    match round % 3 {
        // Another run reports while ours waits for a rate limit.
        0 => {
            (0..=round % 4).for_each(|_| {
                case.fake
                    .when("PATCH *")
                    .limit_for(Some(1 + round * 2 % 90));
            });
            case.fake.when("GET */comments").nth(2).hook(rewrite);
        }
        // Another run reports between our last read and our late write.
        1 => case.fake.when("PATCH *").hook(move |hub| {
            rewrite(hub);
            thread::sleep(Duration::from_millis(round));
        }),
        // The newer report is posted while it is unknown whether our write succeeded.
        _ => case.fake.when("PATCH *").done().hook(rewrite),
    }
    assert_eq!(case.post("ours", "").code, Some(0));
    assert_eq!(case.bodies(), [newer()], "round {round}");
}

#[test]
fn newer_report_is_not_overwritten_by_delayed_one() {
    let rounds = std::env::var("PERF_GATE_RACES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3);
    (0..rounds).for_each(limited_round);
}
