//! Passes or fails, after the report was delivered. A push is done already, so a refresh fails on nothing that it
//! measured.

use perf_cli::{Exit, Failure};

use perf_config::FailOn;
use render_perf_deltas::FailureReason;

use super::outcome::{ActionOutcome, GateVerdict};
use crate::action::{
    compare::run_url,
    log,
    plan::{ActionPlan, RunMode},
};

/// The delivery of the report to GitHub.
#[derive(Debug, Default)]
pub struct Delivery {
    /// The address of the comment, if there is one.
    pub url: Option<String>,
    /// True if an API error fails the job.
    pub has_failed: bool,
    /// True if the shards of the matrix did not measure one suite.
    pub has_two_suites: bool,
}

/// Passes or fails.
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
        return Err(Failure::new("the shards are not one suite")
            .hint(report)
            .into());
    }
    if delivery.has_failed {
        return Err(Failure::new("the report could not be delivered to GitHub")
            .hint("the annotations above say why")
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
    // `fail-on: none` concerns the job alone: a status says what the gate says.
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

/// The verdict as the status of a commit.
pub fn status(mode: RunMode, outcome: &ActionOutcome) -> (perf_github::State, String) {
    use perf_github::State;
    let compared = || match outcome.tally().compared {
        0 if !outcome.has_baseline => "nothing was compared: there is no baseline".to_owned(),
        0 => "nothing was compared".to_owned(),
        1 => "1 benchmark compared".to_owned(),
        count => format!("{count} benchmarks compared"),
    };
    if outcome.verdict == GateVerdict::Broken {
        return (
            State::Error,
            "nothing was compared: something cannot be read".to_owned(),
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

/// Green does not say that all is well.
fn warn(outcome: &ActionOutcome, report: &str) {
    let tally = outcome.tally();
    if tally.inconclusive > 0 {
        let (message, help) = inconclusive(outcome);
        log::warning(&message, &[format!("{help}; {report}")]);
    }
    if tally.not_comparable > 0 && tally.compared > 0 {
        let message = format!(
            "not comparable with the baseline: {} of the benchmarks",
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
    let help = "a push to the default branch writes it; if there should be one, check `baseline` and `working-directory`";
    let (why, help) = if tally.new > 0 && tally.missing == 0 {
        (": all benchmarks are new", report)
    } else if outcome.has_baseline {
        (", although there is a baseline", report)
    } else {
        (": there is no baseline", help)
    };
    log::warning(&format!("nothing was compared{why}"), &[help]);
}

/// The reason for which the job fails, and advice beside the report.
fn reason(failing: FailureReason, outcome: &ActionOutcome) -> (String, Option<String>) {
    let tally = outcome.tally();
    let message = match failing {
        FailureReason::NothingCompared => {
            "nothing could be compared, although there is a baseline".to_owned()
        }
        FailureReason::NotCompared => {
            let help = "the report names it; compare it alone with `deltas.scope` of the config, or refresh the baseline there";
            let message = "several classes of machines measured, and one of them was not compared";
            return (message.to_owned(), Some(help.to_owned()));
        }
        FailureReason::Required => {
            "benchmarks that the configuration requires were not measured".to_owned()
        }
        FailureReason::Verdict(FailOn::Regressed) => "performance regressed".to_owned(),
        FailureReason::Verdict(FailOn::Missing) => {
            let missing = tally.missing + tally.unmeasured;
            format!("benchmarks or gated metrics of the baseline are missing: {missing}")
        }
        FailureReason::Verdict(FailOn::Unmeasured) => {
            let count = tally.unmeasured;
            format!("gated metrics of the baseline were not measured: {count}")
        }
        FailureReason::Verdict(FailOn::Inconclusive) => {
            let (message, help) = inconclusive(outcome);
            return (message, Some(help));
        }
        FailureReason::Verdict(FailOn::NotComparable) => {
            "a benchmark was measured in another way than the baseline".to_owned()
        }
        FailureReason::Verdict(FailOn::New) => {
            "a benchmark is new: the baseline does not have it".to_owned()
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

const CONFIRM: &str =
    "and name the output by `files.confirm` of the config, as in docs/how-to/stored-baseline.md";

/// The number of inconclusive benchmarks, and advice. The report has the reason for each benchmark.
fn inconclusive(outcome: &ActionOutcome) -> (String, String) {
    let (these, looks) = match outcome.tally().inconclusive {
        // A benchmark counts once, as the gravest of its metrics.
        0 => ("other metrics of what regressed".to_owned(), "look"),
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
            let help = "when everything changed at once it is the machine: measure again, or check the runner";
            return (format!("inconclusive: {these}"), help.to_owned());
        }
        _ if outcome.repeats_itself => "re-run the job".to_owned(),
        1 => format!("re-run the benchmark once, {CONFIRM}"),
        many => format!("re-run the benchmark {many} times, {CONFIRM}"),
    };
    (format!("unconfirmed: {these} {looks} slower"), runs)
}
