//! Profiles the worst regressions of measured pairs within a time limit. An error here never fails the job.

use std::ffi::OsString;
use std::time::Duration;

use measure::pairs::Session;
use perf_cli::term;
use perf_config::Config;
use render_perf_deltas::{ProfiledBenchmark, compare};

use super::outcome::Measured;
use super::request;
use crate::action::{log, plan::ActionPlan, planning::base::Base};
use crate::why::{WhyAnswer, WhyRequest, causes};

/// The maximum number of profiled benchmarks.
const WORST: usize = 3;

/// Profiles the worst regressions.
pub fn profile(
    plan: &ActionPlan,
    base: &Base,
    command: &[OsString],
    config: &Config,
    measured: &Measured,
    session: &Session,
) -> anyhow::Result<Vec<ProfiledBenchmark>> {
    let (Some(limit), Some(commit)) = (config.why().limit(), &base.commit) else {
        return Ok(Vec::new());
    };
    let compared = compare(
        &request::build(plan, base, config, measured)?,
        &mut Vec::new(),
    )?;
    let worst = compared.worst();
    if worst.is_empty() {
        return Ok(Vec::new());
    }
    term::note(&format!(
        "profiling the worst regressions for at most {}",
        seconds(limit)
    ));
    let request = WhyRequest {
        benchmarks: worst.iter().take(WORST).cloned().collect(),
        command: command.to_vec(),
        base_ref: Some(commit.to_string()),
        build: plan.settings.build.clone(),
        format: config.run().format.clone(),
        time_limit: limit,
        is_whole_limit: true,
        timeout: limit,
        config: base.config.clone(),
        ..WhyRequest::default()
    };
    let mut answers = log::without_commands(|| causes(&request, session))?;
    for benchmark in worst {
        if answers.iter().all(|answer| answer.benchmark != benchmark) {
            answers.push(WhyAnswer {
                benchmark,
                causes: Vec::new(),
            });
        }
    }
    Ok(answers.into_iter().map(profiled).collect())
}

/// Converts an answer to plain text, one line per function.
fn profiled(answer: WhyAnswer) -> ProfiledBenchmark {
    let functions = answer
        .causes
        .iter()
        .map(|cause| term::printable(&cause.replace('`', "")));
    ProfiledBenchmark {
        benchmark: answer.benchmark,
        functions: functions.collect(),
    }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_is_one_line_of_plain_text() {
        let answer = WhyAnswer {
            benchmark: "a".to_owned(),
            causes: vec!["`f` +1 ns\n@b".to_owned()],
        };
        let functions = profiled(answer).functions;
        assert!(
            functions
                .iter()
                .all(|line| line.lines().count() == 1 && !line.contains('`')),
            "{functions:?}"
        );
    }
}
