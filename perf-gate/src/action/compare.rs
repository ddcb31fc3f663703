//! Compares the rows with the baseline and writes the report. A failed comparison is also written as an [`ActionOutcome`],
//! and the next step reports it.

use std::path::PathBuf;

use perf_cli::{Exit, file, term};
use perf_config::{Config, FailOn};
use perf_github::Actions;
use perf_model::commit::CommitId;
use perf_report::markdown::cut::Limit;
use render_perf_deltas::{
    CompareReport, CompareRequest, FailureReason, MeasuredCommits, Remarks, compare,
};
use render_perf_doc::{PageReport, PageRequest, update_page};
use upsert_pr_comment::regressed;

use super::base::Base;
use super::handover::SealedFiles;
use super::outcome::{ActionOutcome, Measured};
use super::plan::{ActionPlan, StepFailure};
use super::request::build_request;
use super::{environment, log, refresh, request};

/// Writes the report and the outcome of a measurement.
pub fn report(plan: &ActionPlan, measured: Result<Measured, StepFailure>) -> anyhow::Result<Exit> {
    let remarks = collect_remarks(plan, measured.as_ref().ok());
    let mut compared = match (&measured, &plan.base) {
        (Ok(measured), Ok(base)) => {
            compare_rows(plan, base, measured, &remarks).map_err(StepFailure::from)
        }
        (Err(error), _) | (_, Err(error)) => Err(error.clone()),
    };
    let mut outcome = ActionOutcome {
        counts: None,
        summary: format!("nothing was compared: {UNREADABLE}"),
        report: plan.folder.join("report.md"),
        comment: plan.folder.join("comment.md"),
        json: None,
        page: None,
        share: measured.ok().and_then(|measured| measured.share),
        unrendered: None,
        sealed: SealedFiles::default(),
    };
    match &mut compared {
        Ok(compared) => {
            outcome.counts = Some(compared.counts());
            outcome.summary = compared.report().headline();
            outcome.json = Some(plan.folder.join("report.json"));
            if plan.comment.page {
                outcome.page = write_page(plan, &plan.config()?, compared)?;
            }
            write(plan, &outcome, compared)?;
            if plan.is_refresh {
                let rendered = log::without_commands(|| refresh::render(plan));
                outcome.unrendered = rendered.err().map(StepFailure::from);
            }
        }
        Err(error) => {
            log::error(&error.message, &error.hints);
            let text = broken_report(error, &remarks);
            file::write_if_changed(&outcome.report, text.as_bytes())?;
            file::write_if_changed(&outcome.comment, text.as_bytes())?;
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
fn write(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    report: &mut CompareReport,
) -> anyhow::Result<()> {
    file::write_if_changed(&plan.folder.join("report.json"), report.json()?.as_bytes())?;
    report.remarks.rest = Some("see the output `report-json`".into());
    // It is shortened when it is written to the job summary.
    let whole = report.markdown(Limit::Chars(usize::MAX))?;
    file::write_if_changed(&outcome.report, whole.as_bytes())?;
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
    file::write_if_changed(&outcome.comment, text.as_bytes())?;
    Ok(())
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
    remarks: &Remarks,
) -> anyhow::Result<CompareReport> {
    environment::set_for_git(base.store.as_deref(), base.objects.as_deref());
    let request = CompareRequest {
        remarks: remarks.clone(),
        ..build_request(plan, base, &plan.config()?, measured)?
    };
    let mut diagnostics = Vec::new();
    log::without_commands(|| {
        let compared = compare(&request, &mut diagnostics);
        term::diagnostics(&diagnostics);
        Ok(compared)
    })?
}

/// Writes the verdict and the page's tables with this run's numbers, for their own comment. Returns the file's path.
fn write_page(
    plan: &ActionPlan,
    config: &Config,
    report: &CompareReport,
) -> anyhow::Result<Option<PathBuf>> {
    let source = request::rows(plan, config, plan.inputs.config_file())?;
    let request = PageRequest {
        preview: true,
        machine_specs: request::machine(plan, config)?,
        source,
        ..PageRequest::default()
    };
    let tables = log::without_commands(|| Ok(term::quietly(|| update_page(&request))))?;
    let tables = match tables {
        Ok(PageReport::Preview(tables)) => tables,
        Ok(_) => return Ok(None),
        Err(error) => {
            let error = StepFailure::from(error);
            log::warning(&error.message, &error.hints);
            return Ok(None);
        }
    };
    let text = report.markdown_around(&tables);
    let path = plan.folder.join("page.md");
    file::write_if_changed(&path, text.as_bytes())?;
    Ok(Some(path))
}

const UNREADABLE: &str = "the rows, the baseline or the configuration cannot be read";

/// Renders a failed comparison's report. The message is indented code, which no text can end.
fn broken_report(error: &StepFailure, remarks: &Remarks) -> String {
    let mut text = String::new();
    for note in &remarks.notes {
        if !text.is_empty() {
            text += ">\n";
        }
        text += &format!("> {note}\n");
    }
    if !text.is_empty() {
        text += "\n";
    }
    text += &format!("**Nothing was compared:** {UNREADABLE}.\n\n");
    let mut message = format!("error: {}", error.message);
    for hint in &error.hints {
        message += &format!("\nhint: {hint}");
    }
    for line in message.lines().filter(|line| !line.is_empty()) {
        text += &format!("    {line}\n");
    }
    if let Some(measured) = &remarks.measured {
        text += &format!("\n<sub>{}</sub>\n", measured.footer());
    }
    text
}

/// The note that the base could not be measured.
pub fn unmeasured_base(base: Option<&CommitId>, why: &str) -> String {
    let base = base.map_or_else(String::new, |base| format!(" `{}`", base.short()));
    let why = why.replace('`', "'");
    format!("**The base commit{base} was not measured, so all benchmarks are new:** `{why}`")
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
