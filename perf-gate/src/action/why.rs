//! The functions behind the worst regressions, where pairs are measured: profiled within a time limit, and never a reason to
//! fail.

use std::ffi::OsString;
use std::iter;
use std::time::Duration;

use perf_cli::{file, term};
use perf_config::Config;
use render_perf_deltas::compare;

use super::baseline::Base;
use super::plan::ActionPlan;
use super::tool::Tool;
use super::{log, request};
use crate::why::{WhyAnswer, WhyRequest};

/// The file with the answers, in the folder of the run.
const FILE: &str = "why.json";
/// The most benchmarks that are profiled.
const WORST: usize = 3;

/// Profiles the worst regressions of what was measured.
///
/// # Errors
/// Rows that cannot be compared, or benchmarks that cannot be profiled.
pub(super) fn profile(
    plan: &ActionPlan,
    base: &Base,
    command: &[OsString],
    config: &Config,
) -> anyhow::Result<()> {
    let (Some(limit), Some(commit)) = (config.why().limit(), &base.commit) else { return Ok(()) };
    let compared = compare(&request::of(plan, base, config)?, &mut Vec::new())?;
    let mut benchmarks = compared.worst();
    benchmarks.truncate(WORST);
    if benchmarks.is_empty() {
        return Ok(());
    }
    term::note(&format!("profiling what regressed for at most {}", seconds(limit)));
    let request = WhyRequest {
        benchmarks,
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
    let tool = Tool::new("why")?.args(["-"]).with_objects(base.objects.as_deref()).without_workflow();
    let answers: Vec<WhyAnswer> = log::guarding(|| tool.ask(&request))?;
    file::write_if_changed(&plan.folder.join(FILE), serde_json::to_string(&answers)?.as_bytes())?;
    Ok(())
}

/// The report with the answers before its last line. Nothing within indented code can end it.
pub(super) fn with_answers(report: &str, plan: &ActionPlan, config: &Config) -> String {
    let read = file::read_text(&plan.folder.join(FILE)).ok();
    let answers: Vec<WhyAnswer> = read.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let limit = config.why().limit().map(seconds).unwrap_or_default();
    let text = text(&answers, &limit);
    match report.rfind("\n<sub>") {
        Some(at) => format!("{}{text}{}", &report[..at], &report[at..]),
        None => format!("{report}{text}"),
    }
}

fn text(answers: &[WhyAnswer], limit: &str) -> String {
    let found = answers.iter().filter(|answer| !answer.causes.is_empty());
    let lines = found.flat_map(|answer| iter::once(format!("{}:", answer.benchmark)).chain(indented(answer)));
    let lines: Vec<String> = lines.map(|line| format!("    {}\n", term::printable(&line))).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("\n**Functions behind the regressions**, profiled within {limit}:\n\n{}", lines.concat())
}

fn indented(answer: &WhyAnswer) -> impl Iterator<Item = String> {
    answer.causes.iter().map(|cause| format!("  {}", cause.replace('`', "")))
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_indented_code() {
        let answer = |benchmark: &str, causes: &[&str]| WhyAnswer {
            benchmark: benchmark.to_owned(),
            causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
        };
        let answers = [answer("a", &["`f` +1 ns\n@b", "`g` +1 ns"]), answer("b", &[])];
        let found = text(&answers, "30 s");
        let code: Vec<&str> = found.lines().skip(3).collect();
        assert_eq!(code.len(), 3, "{found}");
        assert!(code.iter().all(|line| line.starts_with("    ")), "{found}");
        assert_eq!(text(&[], "30 s"), "");
    }
}
