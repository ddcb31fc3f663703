//! The programs outside of the row pipeline.
//!
//! Only the checks for all commands apply: they end in time, print one error if they fail, and print no workflow
//! command.

use std::fs;

use fake_github::account;

use crate::case::{Ended, Found, TortureCase};
use crate::harness;
use crate::seeds::EVENTS;

/// Builds a site of two histories.
pub(crate) fn site(case: &mut TortureCase<'_>) -> Found {
    case.write_mutated("other", |seeds| &seeds.inputs)?;
    Ok(case
        .run(
            "perf-gate",
            "site --history input other --output site --title '<b>'",
        )?
        .0)
}

/// Recommends limits for a history, or reads A/A runs.
pub(crate) fn calibrate(case: &mut TortureCase<'_>) -> Found {
    let source = if case.random.once_in(3) {
        "--a-a"
    } else {
        "--history"
    };
    let options = format!("{source} input --json calibration.json --toml limits.toml");
    Ok(case.run("calibrate-perf-gate", &options)?.0)
}

/// Runs commands that only `perf-gate` has.
pub(crate) fn local(case: &mut TortureCase<'_>) -> Found {
    if case.random.once_in(2) {
        case.write_mutated("perf-gate.toml", |seeds| &seeds.configs)?;
    }
    case.write_mutated("perf-baseline.csv", |seeds| &seeds.inputs)?;
    // `init` keeps an existing config, so it also reads the mutated one.
    let command = *case.random.pick(&[
        "run --quiet -- cat input",
        "run --quiet --save --no-confirm -- cat input",
        "explain scenario --input input --baseline-csv perf-baseline.csv",
        "history --baseline perf-baseline.csv --output history.csv",
        "page --input input --preview",
        "init --quiet --baseline new.csv -- cat input",
    ]);
    Ok(case.run("perf-gate", command)?.0)
}

/// Posts or deletes a report on the pull request of a mutated event.
pub(crate) fn comment(case: &mut TortureCase<'_>) -> Found {
    let name = case.event()?;
    case.write_mutated("report.md", |seeds| &seeds.pages)?;
    let mode = *case.random.pick(&["update", "delete"]);
    let options = ["--key", "perf", "--body-file", "report.md", "--mode", mode];
    Ok(case
        .run_with_api("", "upsert-pr-comment", &options, name)?
        .0)
}

/// Publishes mutated files from a checkout for a mutated event.
pub(crate) fn refresh(case: &mut TortureCase<'_>) -> Found {
    let name = case.event()?;
    let (page, rows) = (
        case.mutated(|seeds| &seeds.pages),
        case.mutated(|seeds| &seeds.inputs),
    );
    case.write("checkout/page.md", &page)?;
    case.write("checkout/base.csv", &rows)?;
    let pattern = String::from_utf8_lossy(&rows[..rows.len().min(40)]).replace('\0', "");
    let message = format!("--message={pattern}");
    let affects = format!("--affects={pattern}");
    let mut options = vec!["--file", "page.md", "base.csv", "--branch", "main"];
    if case.random.once_in(3) {
        options.push(&affects);
    }
    if case.random.once_in(3) {
        options.push(&message);
    }
    Ok(case
        .run_with_api("checkout", "publish-perf-refresh", &options, name)?
        .0)
}

/// Measures a misbehaving benchmark with each instrument.
pub(crate) fn measure(case: &mut TortureCase<'_>) -> Found {
    let script = harness::script(&mut case.random);
    case.write("harness.sh", script.as_bytes())?;
    // `compare` may find a damaged recording.
    if case.random.once_in(3) {
        let rows = case.mutated(|seeds| &seeds.inputs);
        case.write(".perf-recording.csv", &rows)?;
    }
    let command = *case.random.pick(&[
        "pairs --time-limit 1s --timeout 1s --base 'sh harness.sh' --current 'sh harness.sh'",
        "record -n 2 --timeout 1s -- sh harness.sh",
        "compare -n 2 --timeout 1s -- sh harness.sh",
        "window --window 0.1 --timeout 1 --baseline input -- sh harness.sh",
        "window --cold 2 --timeout 1 -- sh harness.sh",
        "rate --rate 50 --length 0.1s --repetitions 1 --warm-up 0 --grace 1s -- sh harness.sh",
        "agree --a wall --b timeNs --runs 2 --timeout 1s -- sh harness.sh",
    ]);
    Ok(case.run("measure-perf", command)?.0)
}

/// Reads mutated output of a fake valgrind.
pub(crate) fn count(case: &mut TortureCase<'_>) -> Found {
    let counts = case.damaged(harness::COUNTS.as_bytes());
    case.write("counts", &counts)?;
    case.write("valgrind", harness::VALGRIND.as_bytes())?;
    case.executable("valgrind")?;
    let path = format!(
        "{}:{}",
        case.path().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut options = vec![
        "count",
        "--times",
        "1",
        "--timeout",
        "5s",
        "--details",
        "details",
    ];
    // Counts of another build.
    if case.random.once_in(2) {
        let rows = case.mutated(|seeds| &seeds.inputs);
        case.write("before/counts.csv", &rows)?;
        options.extend(["--against", "before"]);
    }
    options.extend(["--", "true"]);
    Ok(case
        .run_in("", "measure-perf", &options, &[("PATH", &path)])?
        .0)
}

impl TortureCase<'_> {
    /// Writes a mutated payload, and returns its event's name.
    fn event(&mut self) -> anyhow::Result<&'static str> {
        let (name, payload) = *self.random.pick(&EVENTS);
        let payload = self.damaged(payload.as_bytes());
        self.write("event.json", &payload)?;
        Ok(name)
    }

    /// Runs a program as in a workflow for this event, with the fake API.
    fn run_with_api(
        &self,
        folder: &str,
        program: &str,
        options: &[&str],
        event: &str,
    ) -> anyhow::Result<Ended> {
        let payload = self.path().join("event.json");
        let variables = [
            ("GITHUB_EVENT_NAME", event),
            ("GITHUB_EVENT_PATH", &payload.to_string_lossy()),
            ("GITHUB_REPOSITORY", "octo/quill"),
            ("GITHUB_API_URL", self.api.url()),
            ("GITHUB_TOKEN", account::WORKFLOW),
            ("GITHUB_SHA", &self.api.head),
            ("GITHUB_RUN_ID", "12"),
            // Retries do not have to wait.
            ("PERF_GATE_CLOCK_SPEED", "1000"),
        ];
        self.run_in(folder, program, options, &variables)
    }

    fn executable(&self, name: &str) -> anyhow::Result<()> {
        #[cfg(unix)]
        {
            let path = self.path().join(name);
            let mut permissions = fs::metadata(&path)?.permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
            fs::set_permissions(&path, permissions)?;
        }
        #[cfg(not(unix))]
        let _ = name;
        Ok(())
    }
}
