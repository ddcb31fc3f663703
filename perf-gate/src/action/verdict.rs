//! Passes or fails the job after the report was delivered. A refresh never fails because of a regression, because its
//! commit is already pushed.

use perf_cli::Exit;
use perf_config::FailOn;
use perf_github::State;
use render_perf_deltas::FailureReason;

use super::log;
use super::outcome::{ActionOutcome, GateVerdict};
use super::plan::{ActionPlan, RunMode};

/// Annotates the job with the verdict, and passes or fails. `report` states where the report is.
pub fn show_verdict(plan: &ActionPlan, outcome: &ActionOutcome, report: &str) -> Exit {
    if outcome.verdict == GateVerdict::Broken {
        log::error(
            "nothing was compared: the rows, the baseline or the configuration cannot be read",
            &[report],
        );
        return Exit::Error;
    }
    if plan.mode == RunMode::Refresh {
        return Exit::Ok;
    }
    if outcome.failed().is_empty() {
        warn_if_incomplete(outcome, report);
        return Exit::Ok;
    }
    // `fail-on: none` only makes the job pass. A status still shows the failure.
    let passes = plan.inputs.fail_on.as_ref().is_some_and(Vec::is_empty);
    for failing in outcome.failed() {
        let (message, help) = reason(*failing, outcome);
        let hint = match help {
            Some(help) => format!("{help}; {report}"),
            None => report.to_owned(),
        };
        if passes {
            log::warning(&message, &[hint]);
        } else {
            log::error(&message, &[hint]);
        }
    }
    if passes { Exit::Ok } else { Exit::Error }
}

/// The verdict as a commit status.
pub fn status(mode: RunMode, outcome: &ActionOutcome) -> (State, String) {
    if outcome.verdict == GateVerdict::Broken {
        let message = "nothing was compared: an input cannot be read";
        return (State::Error, message.to_owned());
    }
    if mode != RunMode::Refresh
        && let Some(failing) = outcome.failed().first()
    {
        return (State::Failure, reason(*failing, outcome).0);
    }
    let message = match outcome.tally().compared {
        0 if !outcome.has_baseline => "nothing was compared: no baseline yet".to_owned(),
        0 => "nothing was compared".to_owned(),
        1 => "1 benchmark compared".to_owned(),
        count => format!("{count} benchmarks compared"),
    };
    (State::Success, message)
}

/// Warns if a passing run is incomplete: inconclusive, not comparable, or without any comparison.
fn warn_if_incomplete(outcome: &ActionOutcome, report: &str) {
    let tally = outcome.tally();
    if tally.inconclusive > 0 {
        let (message, help) = inconclusive(outcome);
        log::warning(&message, &[format!("{help}; {report}")]);
    }
    if tally.compared > 0 {
        if tally.not_comparable > 0 {
            let count = tally.not_comparable;
            log::warning(
                &format!("benchmarks not comparable with the baseline: {count}"),
                &[
                    "`fail-on: regressed,missing,not-comparable` makes this fail",
                    report,
                ],
            );
        }
        return;
    }
    if tally.new > 0 && tally.missing == 0 {
        log::warning("nothing was compared: all benchmarks are new", &[report]);
    } else if outcome.has_baseline {
        log::warning(
            "nothing was compared, although a baseline exists",
            &[report],
        );
    } else {
        let help = "a push to the default branch writes it; if it exists already, check `baseline` and `working-directory`";
        log::warning("nothing was compared: no baseline yet", &[help]);
    }
}

/// The message for a failure, and advice in addition to the report's URL.
fn reason(failing: FailureReason, outcome: &ActionOutcome) -> (String, Option<String>) {
    let tally = outcome.tally();
    let message = match failing {
        FailureReason::NothingCompared => "nothing could be compared, although a baseline exists",
        FailureReason::NotCompared => {
            let help = "see the report; compare that machine type alone with `deltas.scope`, or refresh the baseline on it";
            let message = "several machine types were measured, and one of them was not compared";
            return (message.to_owned(), Some(help.to_owned()));
        }
        FailureReason::Required => "required benchmarks were not measured",
        FailureReason::Verdict(FailOn::Regressed) => "performance regressed",
        FailureReason::Verdict(FailOn::Missing) => {
            let count = tally.missing + tally.unmeasured;
            let message = "benchmarks or gated metrics in the baseline are missing";
            return (format!("{message}: {count}"), None);
        }
        FailureReason::Verdict(FailOn::Unmeasured) => {
            let message = "gated metrics in the baseline were not measured";
            return (format!("{message}: {}", tally.unmeasured), None);
        }
        FailureReason::Verdict(FailOn::Inconclusive) => {
            let (message, help) = inconclusive(outcome);
            return (message, Some(help));
        }
        FailureReason::Verdict(FailOn::NotComparable) => {
            "a benchmark was measured differently from the baseline"
        }
        FailureReason::Verdict(FailOn::New) => "a benchmark is new: it is not in the baseline",
        FailureReason::Verdict(FailOn::Moved) => "a number changed by more than its tolerance",
        FailureReason::Verdict(FailOn::Improved) => {
            "a benchmark improved, so the baseline is out of date"
        }
    };
    (message.to_owned(), None)
}

const CONFIRM: &str = "and set `files.confirm` to its output: see docs/how-to/stored-baseline.md";

/// The number of inconclusive benchmarks, and advice. The report shows each benchmark's reason.
fn inconclusive(outcome: &ActionOutcome) -> (String, String) {
    let (these, looks) = match outcome.tally().inconclusive {
        // The tally contains only the worst verdict of each benchmark, here a regression.
        0 => ("other metrics of regressed benchmarks".to_owned(), "look"),
        1 => ("1 benchmark".to_owned(), "looks"),
        many => (format!("{many} benchmarks"), "look"),
    };
    if let Some(shortage) = &outcome.shortage {
        let help = "raise `run.time-limit` in the config".to_owned();
        return (format!("inconclusive: {these}: {shortage}"), help);
    }
    let help = match outcome.confirmations() {
        0 => {
            let help = "if everything changed at once, the machine did: measure again, or check the runner";
            return (format!("inconclusive: {these}"), help.to_owned());
        }
        _ if outcome.repeats_itself => "re-run the job".to_owned(),
        1 => format!("rerun the benchmark once, {CONFIRM}"),
        many => format!("rerun the benchmark {many} times, {CONFIRM}"),
    };
    (format!("unconfirmed: {these} {looks} slower"), help)
}
