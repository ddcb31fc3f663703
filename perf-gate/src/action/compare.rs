//! Compares the rows with the baseline and writes the report. A failed comparison is also written as an [`ActionOutcome`],
//! and the next step reports it.

use std::path::PathBuf;

use perf_cli::{Exit, file, term};
use perf_config::{Config, FailOn};
use perf_github::Actions;
use perf_model::commit::CommitId;
use render_perf_deltas::{
    CompareReport, CompareRequest, FailureReason, MeasuredCommits, Remarks, compare,
};
use render_perf_doc::{PageReport, PageRequest, update_page};
use upsert_pr_comment::regressed;

use super::plan::{ActionPlan, RunMode, StepFailure};
use super::planning::base::Base;
use super::reporting::outcome::{ActionOutcome, GateVerdict, Measured};
use super::reporting::{range, report, request, source};
use super::{environment, files, log, render};

/// Writes the report and the outcome of a measurement.
pub(super) fn report(
    plan: &ActionPlan,
    measured: Result<Measured, StepFailure>,
) -> anyhow::Result<Exit> {
    let base = plan.base.as_ref().ok();
    let base_commit = base.and_then(Base::compared_commit).cloned();
    let mut remarks = collect_remarks(plan, measured.as_ref().ok(), base_commit.as_ref());
    let mut compared = match (&measured, &plan.base) {
        (Ok(measured), Ok(base)) => {
            compare_rows(plan, base, measured, &remarks).map_err(StepFailure::from)
        }
        (Err(error), _) | (_, Err(error)) => Err(error.clone()),
    };
    let counts = compared.as_ref().ok().map(CompareReport::counts);
    let has_baseline = base.is_some_and(|base| base.baseline.file().is_file());
    let mut outcome = ActionOutcome::new(counts, &plan.folder, has_baseline);
    outcome.repeats_itself = !plan.settings.run.is_empty();
    if let Ok(measured) = measured {
        outcome.share = measured.share;
        outcome.shortage = measured.shortage;
    }
    if let Ok(report) = &mut compared {
        // After another workflow, the checkout does not contain the sources that were measured.
        if let (Some(commit), false) = (&plan.commit, plan.is_after_workflow) {
            outcome.lines = source::lines(report, commit);
        }
        if outcome.verdict == GateVerdict::Regressed {
            outcome.range = range::pushed_range(plan, base_commit.as_ref(), report);
            remarks
                .notes
                .extend(outcome.range.as_deref().map(range::note));
            report.remarks.notes.clone_from(&remarks.notes);
        }
        if plan.comment().page {
            outcome.page = write_page(plan, plan.config()?, report)?;
        }
    }
    write(plan, &outcome, &mut compared, &remarks)?;
    if plan.mode == RunMode::Refresh && outcome.verdict != GateVerdict::Broken {
        let rendered = log::without_commands(|| render::render(plan));
        outcome.unrendered = rendered.err().map(StepFailure::from);
    }
    outcome.write(&plan.folder)?;
    Ok(Exit::Ok)
}

/// Collects the remarks: ignored config changes of the pull request, the measured part of the suite, and the profiles.
fn collect_remarks(
    plan: &ActionPlan,
    measured: Option<&Measured>,
    base: Option<&CommitId>,
) -> Remarks {
    let mut remarks = Remarks {
        measured: measured_commits(plan, base),
        ..Remarks::default()
    };
    if let Ok(base) = &plan.base {
        remarks.notes.clone_from(&base.notes);
    }
    let Some(measured) = measured else {
        return remarks;
    };
    remarks.notes.extend(measured.note.clone());
    if let Some(share) = &measured.share {
        remarks.notes.push(format!("This is {}.", share.sentence()));
    }
    remarks.profiled.clone_from(&measured.profiled);
    if let Ok(config) = plan.config() {
        remarks.time_limit = config.why().limit().unwrap_or_default();
    }
    remarks
}

/// Writes the report for the job summary, for the comment, and as JSON.
fn write(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    compared: &mut Result<CompareReport, StepFailure>,
    remarks: &Remarks,
) -> anyhow::Result<()> {
    let report = match compared {
        Ok(report) => report,
        Err(error) => {
            log::error(&error.message, &error.hints);
            let text = report::broken(error, remarks);
            file::write_if_changed(&outcome.report, text.as_bytes())?;
            file::write_if_changed(&outcome.comment, text.as_bytes())?;
            return Ok(());
        }
    };
    file::write_if_changed_with(&plan.folder.join("report.json"), |out| {
        report.write_json(out)
    })?;
    report.remarks.rest = Some("see the output `report-json`".into());
    let whole = report.markdown(NO_LIMIT)?;
    file::write_if_changed(&outcome.report, whole.as_bytes())?;
    report.remarks.rest = Some(job_summary().into());
    let mut text = report.markdown(CompareReport::COMMENT)?;
    let mention = &plan.comment().mention;
    if outcome.verdict == GateVerdict::Regressed && !mention.is_empty() {
        let names: Vec<&str> = mention.iter().map(|name| name.get_ref().as_str()).collect();
        text = format!("{text}\ncc {}\n", names.join(" "));
    }
    if let Some(line) = hidden_marker(outcome, report) {
        text = format!("{line}\n{text}");
    }
    file::write_if_changed(&outcome.comment, text.as_bytes())?;
    Ok(())
}

/// The hidden marker line with the regressions that a maintainer may accept, if the gate fails for no other reason.
fn hidden_marker(outcome: &ActionOutcome, report: &CompareReport) -> Option<String> {
    let regressed = FailureReason::Verdict(FailOn::Regressed);
    let failed = outcome.failed();
    if failed.is_empty() || failed.iter().any(|reason| *reason != regressed) {
        return None;
    }
    regressed::line(&report.regressed())
}

/// The compared commits. The rows can't provide them: theirs may be the trial merge or anything else.
fn measured_commits(plan: &ActionPlan, base: Option<&CommitId>) -> Option<MeasuredCommits> {
    Some(MeasuredCommits {
        head: plan.commit.clone()?,
        base: base.cloned(),
        repository: perf_cli::actions::repository(environment::variable),
        run: run_url(),
    })
}

/// Refers a comment's reader to the full report, in the job summary because the job's files are deleted.
fn job_summary() -> String {
    run_url().map_or_else(
        || "see the job summary".to_owned(),
        |url| format!("see the [job summary]({url})"),
    )
}

/// The URL of this workflow run and attempt.
pub(super) fn run_url() -> Option<String> {
    let url = Actions::from_env().ok()?.run_url()?;
    url.starts_with("http").then_some(url)
}

/// The report is only shortened when it is written to the job summary.
const NO_LIMIT: perf_report::markdown::cut::Limit =
    perf_report::markdown::cut::Limit::Chars(usize::MAX);

fn compare_rows(
    plan: &ActionPlan,
    base: &Base,
    measured: &Measured,
    remarks: &Remarks,
) -> anyhow::Result<CompareReport> {
    environment::set_for_git(base.store.as_deref(), base.objects.as_deref());
    let request = CompareRequest {
        remarks: remarks.clone(),
        ..request::build(plan, base, plan.config()?, measured)?
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
    let source = files::rows(plan, config, plan.inputs.config_file())?;
    let request = PageRequest {
        preview: true,
        machine_specs: files::machine(plan, config)?,
        ..PageRequest::of(source)
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
