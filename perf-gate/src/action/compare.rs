//! Compares the rows with the baseline and writes the report. Whatever comes of it is an [`ActionOutcome`] for the steps that
//! report and decide: also that something cannot be read.

use std::path::PathBuf;

use perf_cli::{Exit, file, term};
use perf_config::Config;
use perf_model::commit::CommitId;
use render_perf_deltas::{CompareReport, CompareRequest, MeasuredCommits, Remarks, compare};
use render_perf_doc::{PageReport, PageRequest, update_page};

use super::plan::{ActionPlan, StepFailure};
use super::planning::{baseline::Base, settings::BaselineStore, source};
use super::reporting::outcome::{ActionOutcome, GateVerdict};
use super::reporting::{range, report, request, why};
use super::{environment, files, log, measure};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = ActionPlan::enter()?;
    let measured_note = measure::result(&plan);
    let base = measured_note.clone().and(plan.base.clone());
    let mut notes = base
        .as_ref()
        .map_or_else(|_| Vec::new(), |base| base.notes.clone());
    notes.extend(measured_note.ok().flatten());
    if let Some(share) = files::share(&plan)? {
        notes.push(match plan.inputs.part.left {
            Some(_) => {
                format!(
                    "This attempt measured {}: the attempt before passed the others.",
                    share.sentence()
                )
            }
            None => format!("This is {}.", share.sentence()),
        });
    }
    let base_commit = base.as_ref().ok().and_then(|base| base.named().cloned());
    let has_baseline = base
        .as_ref()
        .is_ok_and(|base| base.baseline.file().is_file());
    let config = plan.config().unwrap_or_default();
    if config.history.is_written && plan.settings.store == BaselineStore::Cache {
        log::notice(
            "`[history]` has no effect: a cache has no earlier baselines",
            &["`baseline: branch` has them"],
        );
    }
    let comment = config.comment();
    let remarks = Remarks {
        notes,
        measured: measured(&plan, base_commit.as_ref()),
        ..why::remarks(&plan, &config)
    };
    let mut compared =
        base.and_then(|base| compared(&plan, &base, &remarks).map_err(StepFailure::from));
    let counts = compared.as_ref().ok().map(CompareReport::counts);
    let mut outcome = ActionOutcome::new(counts, &plan.folder, has_baseline);
    outcome.comments_on_commit = comment.commit;
    outcome.repeats_itself = !plan.settings.run.is_empty();
    // After another workflow, the checkout has not the sources that were measured.
    if let (Ok(report), Some(commit), false) = (&compared, &plan.commit, plan.is_after_workflow) {
        outcome.lines = source::lines(report, commit);
    }
    if let (Ok(report), GateVerdict::Regressed) = (&mut compared, outcome.verdict) {
        outcome.range = range::of_push(&plan, base_commit.as_ref(), report);
        report
            .remarks
            .notes
            .extend(outcome.range.as_deref().map(range::note));
    }
    let texts = match &mut compared {
        Ok(report) => {
            file::write_if_changed_with(&plan.folder.join("report.json"), |out| {
                report.write_json(out)
            })?;
            let mut markdown = |rest: String, limit| {
                report.remarks.rest = Some(rest.into());
                report.markdown(limit)
            };
            let whole = markdown("see the output `report-json`".to_owned(), WHOLE)?;
            [whole, markdown(job_summary(), CompareReport::COMMENT)?]
        }
        Err(error) => {
            log::error(&error.message, &error.hints);
            [
                report::broken(error, &remarks),
                report::broken(error, &remarks),
            ]
        }
    };
    let acceptable = acceptable(&outcome, compared.as_ref().ok());
    for (path, mut text) in [&outcome.report, &outcome.comment].into_iter().zip(texts) {
        if *path == outcome.comment
            && outcome.verdict == GateVerdict::Regressed
            && !comment.mention.is_empty()
        {
            let names: Vec<&str> = comment
                .mention
                .iter()
                .map(|name| name.get_ref().as_str())
                .collect();
            text = format!("{text}\ncc {}\n", names.join(" "));
        }
        if let Some(line) = acceptable.as_ref().filter(|_| *path == outcome.comment) {
            text = format!("{line}\n{text}");
        }
        file::write_if_changed(path, text.as_bytes())?;
    }
    if let (true, Ok(report)) = (comment.page, &compared) {
        outcome.page = page(&plan, &config, report)?;
    }
    outcome.write(&plan.folder)?;
    Ok(Exit::Ok)
}

/// Hidden lines with the benchmarks that somebody may accept, as the gate fails for nothing else, and with those that a
/// further attempt measures.
#[cfg(feature = "github")]
fn acceptable(outcome: &ActionOutcome, report: Option<&CompareReport>) -> Option<String> {
    use perf_config::FailOn::{Inconclusive, Regressed};
    use render_perf_deltas::FailureReason;
    use upsert_pr_comment::regressed;

    let failed = outcome.failed();
    let is_for = |reasons: &[FailureReason]| failed.iter().all(|failing| reasons.contains(failing));
    let settled = [
        FailureReason::Verdict(Regressed),
        FailureReason::Verdict(Inconclusive),
    ];
    let report = report.filter(|_| !failed.is_empty() && is_for(&settled))?;
    let acceptable = regressed::line(&report.regressed()).filter(|_| is_for(&settled[..1]));
    let lines: Vec<String> = acceptable
        .into_iter()
        .chain(regressed::again(&report.unsettled()))
        .collect();
    Some(lines.join("\n")).filter(|lines| !lines.is_empty())
}

#[cfg(not(feature = "github"))]
fn acceptable(_: &ActionOutcome, _: Option<&CompareReport>) -> Option<String> {
    None
}

/// The commits that the report is of: rows name the trial merge, or what they like.
fn measured(plan: &ActionPlan, base: Option<&CommitId>) -> Option<MeasuredCommits> {
    Some(MeasuredCommits {
        head: plan.commit.clone()?,
        base: base.cloned(),
        repository: perf_cli::actions::repository(environment::variable),
        run: run_url(),
    })
}

/// The place of the rows that a comment leaves out: its files are gone with the job.
fn job_summary() -> String {
    run_url().map_or_else(
        || "see the job summary".to_owned(),
        |url| format!("see the [job summary]({url})"),
    )
}

/// The page of this attempt of the run.
pub(super) fn run_url() -> Option<String> {
    let repository = perf_cli::actions::repository(environment::variable)?;
    let [run, attempt] = ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"].map(environment::variable);
    let url = format!(
        "{repository}/actions/runs/{}/attempts/{}",
        run?,
        attempt.as_deref().unwrap_or("1")
    );
    Some(url).filter(|url| perf_cli::actions::is_address(url))
}

/// The length of the report in the job summary, which is cut where it is written.
const WHOLE: perf_report::markdown::cut::Limit =
    perf_report::markdown::cut::Limit::Chars(usize::MAX);

fn compared(plan: &ActionPlan, base: &Base, remarks: &Remarks) -> anyhow::Result<CompareReport> {
    perf_cli::git::set_environment(environment::of_git(
        base.store.as_deref(),
        base.objects.as_deref(),
    ));
    let config = plan.config()?;
    let request = CompareRequest {
        remarks: remarks.clone(),
        ..request::of(plan, base, &config)?
    };
    let mut found = Vec::new();
    log::guarding(|| {
        let compared = compare(&request, &mut found);
        term::diagnostics(&found);
        Ok(compared)
    })?
}

/// The tables of the page with the numbers of this run, below the result of the gate, where a comment shows them.
fn page(
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
    let tables = log::guarding(|| Ok(term::quietly(|| update_page(&request))))?;
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
