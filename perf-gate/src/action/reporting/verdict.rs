//! Passes or fails the job after the report was delivered. A refresh never fails because of a regression, because its
//! commit is already pushed.

use perf_cli::{Exit, Failure};

use perf_config::FailOn;
use render_perf_deltas::FailureReason;

use super::outcome::{ActionOutcome, GateVerdict};
use crate::action::{
    compare::run_url,
    log,
    plan::{ActionPlan, RunMode},
};

/// The result of delivering the report to GitHub.
#[derive(Debug, Default)]
pub struct Delivery {
    /// The comment's URL, if there is one.
    pub url: Option<String>,
    /// True if an API error fails the job.
    pub has_failed: bool,
    /// True if the matrix jobs did not measure shards of one suite.
    pub has_two_suites: bool,
}

/// Annotates the job with the verdict, and passes or fails.
pub fn exit(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    delivery: &Delivery,
) -> anyhow::Result<Exit> {
    let report = if let Some(url) = &delivery.url {
        format!("the report: {url}")
    } else {
        let run = run_url().map_or_else(String::new, |url| format!(": {url}"));
        format!("the report is in the job summary{run}")
    };
    let verdict = verdict(plan, outcome, &report);
    if delivery.has_two_suites {
        return Err(Failure::new("the matrix jobs are not shards of one suite")
            .hint(report)
            .into());
    }
    if delivery.has_failed {
        return Err(Failure::new("the report could not be delivered to GitHub")
            .hint("see the annotations above")
            .into());
    }
    Ok(verdict)
}

fn verdict(plan: &ActionPlan, outcome: &ActionOutcome, report: &str) -> Exit {
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
    let failed = outcome.failed();
    if failed.is_empty() {
        warn(outcome, report);
        return Exit::Ok;
    }
    // `fail-on: none` only makes the job pass. A status still shows the failure.
    let fail_on = plan.inputs.fail_on.as_ref();
    let passes = fail_on.is_some_and(|input| input.verdicts.is_empty());
    for failing in failed {
        let (message, help) = reason(*failing, outcome);
        let hint = help.map_or_else(|| report.to_owned(), |help| format!("{help}; {report}"));
        if passes {
            log::warning(&message, &[hint]);
        } else {
            log::error(&message, &[hint]);
        }
    }
    if passes { Exit::Ok } else { Exit::Error }
}

/// The verdict as a commit status.
pub fn status(mode: RunMode, outcome: &ActionOutcome) -> (perf_github::State, String) {
    use perf_github::State;
    let compared = || match outcome.tally().compared {
        0 if !outcome.has_baseline => "nothing was compared: no baseline yet".to_owned(),
        0 => "nothing was compared".to_owned(),
        1 => "1 benchmark compared".to_owned(),
        count => format!("{count} benchmarks compared"),
    };
    if outcome.verdict == GateVerdict::Broken {
        return (
            State::Error,
            "nothing was compared: an input cannot be read".to_owned(),
        );
    }
    match outcome
        .failed()
        .first()
        .filter(|_| mode != RunMode::Refresh)
    {
        Some(failing) => (State::Failure, reason(*failing, outcome).0),
        None => (State::Success, compared()),
    }
}

/// Warns if a passing run is incomplete: inconclusive, not comparable, or without any comparison.
fn warn(outcome: &ActionOutcome, report: &str) {
    let tally = outcome.tally();
    if tally.inconclusive > 0 {
        let (message, help) = inconclusive(outcome);
        log::warning(&message, &[format!("{help}; {report}")]);
    }
    if tally.not_comparable > 0 && tally.compared > 0 {
        let message = format!(
            "benchmarks not comparable with the baseline: {}",
            tally.not_comparable
        );
        log::warning(
            &message,
            &[
                "`fail-on: regressed,missing,not-comparable` makes this fail",
                report,
            ],
        );
    }
    if tally.compared > 0 {
        return;
    }
    let help = "a push to the default branch writes it; if it exists already, check `baseline` and `working-directory`";
    let (why, help) = if tally.new > 0 && tally.missing == 0 {
        (": all benchmarks are new", report)
    } else if outcome.has_baseline {
        (", although a baseline exists", report)
    } else {
        (": no baseline yet", help)
    };
    log::warning(&format!("nothing was compared{why}"), &[help]);
}

/// The message for a failure, and advice in addition to the report's URL.
fn reason(failing: FailureReason, outcome: &ActionOutcome) -> (String, Option<String>) {
    let tally = outcome.tally();
    let message = match failing {
        FailureReason::NothingCompared => {
            "nothing could be compared, although a baseline exists".to_owned()
        }
        FailureReason::NotCompared => {
            let help = "see the report; compare that machine type alone with `deltas.scope`, or refresh the baseline on it";
            let message = "several machine types were measured, and one of them was not compared";
            return (message.to_owned(), Some(help.to_owned()));
        }
        FailureReason::Required => "required benchmarks were not measured".to_owned(),
        FailureReason::Verdict(FailOn::Regressed) => "performance regressed".to_owned(),
        FailureReason::Verdict(FailOn::Missing) => {
            let missing = tally.missing + tally.unmeasured;
            format!("benchmarks or gated metrics in the baseline are missing: {missing}")
        }
        FailureReason::Verdict(FailOn::Unmeasured) => {
            let count = tally.unmeasured;
            format!("gated metrics in the baseline were not measured: {count}")
        }
        FailureReason::Verdict(FailOn::Inconclusive) => {
            let (message, help) = inconclusive(outcome);
            return (message, Some(help));
        }
        FailureReason::Verdict(FailOn::NotComparable) => {
            "a benchmark was measured differently from the baseline".to_owned()
        }
        FailureReason::Verdict(FailOn::New) => {
            "a benchmark is new: it is not in the baseline".to_owned()
        }
        FailureReason::Verdict(FailOn::Moved) => {
            "a number changed by more than its tolerance".to_owned()
        }
        FailureReason::Verdict(FailOn::Improved) => {
            "a benchmark improved, so the baseline is out of date".to_owned()
        }
    };
    (message, None)
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
        let help = "raise `run.time-limit` in the config";
        return (
            format!("inconclusive: {these}: {shortage}"),
            help.to_owned(),
        );
    }
    let runs = match outcome.confirmations() {
        0 => {
            let help = "if everything changed at once, the machine did: measure again, or check the runner";
            return (format!("inconclusive: {these}"), help.to_owned());
        }
        _ if outcome.repeats_itself => "re-run the job".to_owned(),
        1 => format!("rerun the benchmark once, {CONFIRM}"),
        many => format!("rerun the benchmark {many} times, {CONFIRM}"),
    };
    (format!("unconfirmed: {these} {looks} slower"), runs)
}
