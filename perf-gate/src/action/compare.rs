//! Compares the rows with the baseline and writes the report. A failed comparison is also written as an [`ActionOutcome`],
//! and the next step reports it.

use std::fmt::Write;

use perf_cli::{Exit, failure, file, term};
use perf_config::{Config, FailOn};
use perf_github::Actions;
use perf_report::markdown::cut::Limit;
use render_perf_deltas::{CompareReport, FailureReason, MeasuredCommits, Remarks, compare};
use render_perf_doc::{PageReport, PageRequest, update_page};
use upsert_pr_comment::regressed;

use super::base::Base;
use super::handover::SealedFiles;
use super::outcome::{ActionOutcome, COMMENT, JSON, Measured, PAGE, REPORT};
use super::plan::{ActionPlan, StepFailure};
use super::request::build_request;
use super::{environment, log, refresh, request};

/// Writes the report and the outcome of a measurement.
pub fn report(plan: &ActionPlan, measured: Result<Measured, StepFailure>) -> anyhow::Result<Exit> {
    let remarks = collect_remarks(plan, measured.as_ref().ok());
    let mut compared = match (&measured, &plan.base) {
        (Ok(measured), Ok(base)) => compare_rows(plan, base, measured).map_err(StepFailure::from),
        (Err(error), _) | (_, Err(error)) => Err(error.clone()),
    };
    let mut outcome = ActionOutcome {
        counts: None,
        summary: format!("nothing was compared: {UNREADABLE}"),
        has_page: false,
        share: measured.ok().and_then(|measured| measured.share),
        unrendered: None,
        sealed: SealedFiles::default(),
    };
    match &mut compared {
        Ok(compared) => {
            compared.remarks = remarks.clone();
            let counts = compared.counts();
            outcome.summary = compared.report().headline.replace('`', "");
            // The headline does not name every reason to fail, such as `moved`.
            let words = counts.failed.iter().map(|reason| reason.word());
            let mut others: Vec<&str> = words.collect();
            others.retain(|word| !outcome.summary.contains(word));
            if !others.is_empty() && !counts.failed.contains(&FailureReason::NothingCompared) {
                let others = others.join(", ");
                outcome.summary = format!("{} (fails: {others})", outcome.summary);
            }
            outcome.counts = Some(counts);
            if plan.comment.page {
                outcome.has_page = write_page(plan, &plan.config()?, compared)?;
            }
            write(plan, compared)?;
            if plan.is_refresh {
                let rendered = log::without_commands(|| refresh::render(plan));
                outcome.unrendered = rendered.err().map(StepFailure::from);
            }
        }
        Err(error) => {
            log::error(&error.message, &error.hints);
            let text = broken_report(error, &remarks);
            write_file(plan, REPORT, &text)?;
            write_file(plan, COMMENT, &text)?;
        }
    }
    outcome.write(&plan.folder)?;
    Ok(Exit::Ok)
}

/// Collects the remarks: ignored config changes of the pull request, the measured part of the suite, and the profiles.
fn collect_remarks(plan: &ActionPlan, measured: Option<&Measured>) -> Remarks {
    let base = plan.base.as_ref().ok();
    let mut remarks = Remarks::default();
    // The rows can't provide the commits: theirs may be the trial merge or anything else.
    if let Some(head) = &plan.commit {
        remarks.measured = Some(MeasuredCommits {
            head: head.clone(),
            base: base.and_then(|base| base.commit.clone()),
            repository: perf_cli::actions::repository(environment::variable),
            run: run_url(),
        });
    }
    if let Some(base) = base {
        remarks.notes.clone_from(&base.notes);
    }
    if let Some(measured) = measured {
        remarks.notes.extend(measured.note.clone());
        if let Some(share) = &measured.share {
            remarks.notes.push(format!("This is {}.", share.sentence()));
        }
        remarks.profiled.clone_from(&measured.profiled);
    }
    remarks
}

/// Writes the report as JSON, for the job summary, and for the comment.
fn write(plan: &ActionPlan, report: &mut CompareReport) -> anyhow::Result<()> {
    write_file(plan, JSON, &report.json()?)?;
    report.remarks.rest = Some("see the output `report-json`".into());
    // It is shortened when it is written to the job summary.
    write_file(plan, REPORT, &report.markdown(Limit::Chars(usize::MAX))?)?;
    // The job's files are deleted, so a comment refers to the job summary.
    let rest = match run_url() {
        Some(url) => format!("see the [job summary]({url})"),
        None => "see the job summary".to_owned(),
    };
    report.remarks.rest = Some(rest.into());
    let mut text = report.markdown(CompareReport::COMMENT)?;
    let counts = report.counts();
    let mention = &plan.comment.mention;
    if counts.tally.regressed > 0 && !mention.is_empty() {
        let names: Vec<&str> = mention.iter().map(|name| name.as_str()).collect();
        text = format!("{text}\ncc {}\n", names.join(" "));
    }
    // A maintainer may accept the regressions if the gate fails for no other reason.
    if counts.failed == [FailureReason::Verdict(FailOn::Regressed)]
        && let Some(marker) = regressed::line(&report.worst().into_iter().collect())
    {
        text = format!("{marker}\n{text}");
    }
    write_file(plan, COMMENT, &text)
}

fn write_file(plan: &ActionPlan, name: &str, text: &str) -> anyhow::Result<()> {
    file::write_if_changed(&plan.folder.join(name), text.as_bytes()).map(drop)
}

/// The URL of this workflow run and attempt.
pub fn run_url() -> Option<String> {
    let url = Actions::from_env().ok()?.run_url()?;
    url.starts_with("http").then_some(url)
}

fn compare_rows(
    plan: &ActionPlan,
    base: &Base,
    measured: &Measured,
) -> anyhow::Result<CompareReport> {
    environment::set_for_git(base.store.as_deref(), base.objects.as_deref());
    let request = build_request(plan, base, &plan.config()?, measured)?;
    let mut diagnostics = Vec::new();
    log::without_commands(|| {
        let compared = compare(&request, &mut diagnostics);
        term::diagnostics(&diagnostics);
        compared
    })
}

/// Writes the verdict and the page's tables with this run's numbers, for their own comment.
fn write_page(plan: &ActionPlan, config: &Config, report: &CompareReport) -> anyhow::Result<bool> {
    let source = request::rows(plan, config, plan.inputs.config_file())?;
    let request = PageRequest {
        preview: true,
        machine_specs: request::machine(plan, config)?,
        source,
        ..PageRequest::default()
    };
    let tables = match log::without_commands(|| term::quietly(|| update_page(&request))) {
        Ok(PageReport::Preview(tables)) => tables,
        Ok(_) => return Ok(false),
        Err(error) => {
            log::warning(&failure::message(&error), &failure::hints(&error));
            return Ok(false);
        }
    };
    write_file(plan, PAGE, &report.markdown_around(&tables))?;
    Ok(true)
}

const UNREADABLE: &str = "the rows, the baseline or the configuration cannot be read";

/// Renders a failed comparison's report. The message is indented code, which no text can end.
fn broken_report(error: &StepFailure, remarks: &Remarks) -> String {
    let notes: Vec<String> = remarks
        .notes
        .iter()
        .map(|note| format!("> {note}\n"))
        .collect();
    let mut text = notes.join(">\n");
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = write!(text, "**Nothing was compared:** {UNREADABLE}.\n\n");
    let hints = error.hints.iter().map(|hint| format!("hint: {hint}"));
    let mut message = vec![format!("error: {}", error.message)];
    message.extend(hints);
    for line in message.join("\n").lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "    {line}");
    }
    if let Some(measured) = &remarks.measured {
        let _ = writeln!(text, "\n<sub>{}</sub>", measured.footer());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_message_is_indented() {
        let error = |message: &str| StepFailure {
            message: message.to_owned(),
            hints: vec!["h".to_owned()],
        };
        let notes = vec!["one".to_owned(), "two".to_owned()];
        let report = broken_report(
            &error("x\n```\n"),
            &Remarks {
                notes,
                ..Remarks::default()
            },
        );
        assert!(
            report.starts_with("> one\n>\n> two\n\n**Nothing"),
            "{report}"
        );
        assert!(report.ends_with("\n\n    error: x\n    ```\n    hint: h\n"));
    }
}
