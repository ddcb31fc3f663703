//! Compares the rows with the baseline and writes the report. A failed comparison is also written as an [`ActionOutcome`],
//! and the next step reports it.

use std::path::PathBuf;

use perf_cli::git::Git;
use perf_cli::{Exit, file, term};
use perf_config::{Config, FailOn};
use perf_github::Actions;
use perf_model::commit::CommitId;
use perf_report::markdown::cut::Limit;
use render_perf_deltas::{CompareReport, FailureReason, MeasuredCommits, Remarks, compare};
use render_perf_doc::{PageReport, PageRequest, update_page};
use upsert_pr_comment::regressed;

use super::base::Base;
use super::outcome::{ActionOutcome, GateVerdict, Measured};
use super::plan::{ActionPlan, RunMode, StepFailure};
use super::request::build_request;
use super::{environment, log, refresh, request};

/// Writes the report and the outcome of a measurement.
pub fn report(plan: &ActionPlan, measured: Result<Measured, StepFailure>) -> anyhow::Result<Exit> {
    let base = plan.base.as_ref().ok();
    let base_commit = base.and_then(Base::compared_commit).cloned();
    let mut remarks = collect_remarks(plan, measured.as_ref().ok(), base_commit.as_ref());
    let mut compared = match (&measured, &plan.base) {
        (Ok(measured), Ok(base)) => compare_rows(plan, base, measured).map_err(StepFailure::from),
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
        if outcome.verdict == GateVerdict::Regressed {
            outcome.range = pushed_range(plan, base_commit.as_ref(), report);
            remarks
                .notes
                .extend(outcome.range.as_deref().map(range_note));
        }
        report.remarks = remarks.clone();
        if plan.comment().page {
            outcome.page = write_page(plan, plan.config()?, report)?;
        }
    }
    write(plan, &outcome, &mut compared, &remarks)?;
    if plan.mode == RunMode::Refresh && outcome.verdict != GateVerdict::Broken {
        let rendered = log::without_commands(|| refresh::render(plan));
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
            let text = broken_report(error, remarks);
            file::write_if_changed(&outcome.report, text.as_bytes())?;
            file::write_if_changed(&outcome.comment, text.as_bytes())?;
            return Ok(());
        }
    };
    file::write_if_changed(&plan.folder.join("report.json"), report.json()?.as_bytes())?;
    report.remarks.rest = Some("see the output `report-json`".into());
    let whole = report.markdown(NO_LIMIT)?;
    file::write_if_changed(&outcome.report, whole.as_bytes())?;
    report.remarks.rest = Some(job_summary().into());
    let mut text = report.markdown(CompareReport::COMMENT)?;
    let mention = &plan.comment().mention;
    if outcome.verdict == GateVerdict::Regressed && !mention.is_empty() {
        let names: Vec<&str> = mention.iter().map(|name| name.as_str()).collect();
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
    regressed::line(&report.worst().into_iter().collect())
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
pub fn run_url() -> Option<String> {
    let url = Actions::from_env().ok()?.run_url()?;
    url.starts_with("http").then_some(url)
}

/// The report is only shortened when it is written to the job summary.
const NO_LIMIT: Limit = Limit::Chars(usize::MAX);

fn compare_rows(
    plan: &ActionPlan,
    base: &Base,
    measured: &Measured,
) -> anyhow::Result<CompareReport> {
    environment::set_for_git(base.store.as_deref(), base.objects.as_deref());
    let request = build_request(plan, base, plan.config()?, measured)?;
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

/// The shortest accepted prefix of a commit in a row.
const SHORTEST: usize = 7;

/// The commit that a push was compared with and the pushed commit, as `GOOD..BAD`. `None` for other events, or if the
/// baseline's rows aren't from exactly one other commit.
fn pushed_range(
    plan: &ActionPlan,
    base: Option<&CommitId>,
    report: &CompareReport,
) -> Option<String> {
    let bad = plan
        .pushed
        .as_ref()
        .filter(|_| plan.mode != RunMode::PullRequest)?;
    let good = if plan.settings.is_paired() {
        base?.to_string()
    } else {
        resolve(&report.baseline_commit()?)?
    };
    (!bad.as_str().starts_with(&good)).then(|| format!("{good}..{bad}"))
}

/// The full ID of a row's commit, or the row's prefix if a shallow checkout does not contain the commit.
fn resolve(commit: &str) -> Option<String> {
    if commit.len() < SHORTEST || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let found = Git::here().ask(&[
        "rev-parse",
        "--verify",
        "--quiet",
        &format!("{commit}^{{commit}}"),
    ]);
    Some(found.map_or_else(
        || commit.to_ascii_lowercase(),
        |found| found.trim().to_owned(),
    ))
}

/// The report's note about the range.
fn range_note(range: &str) -> String {
    let short = |commit: &str| commit.chars().take(SHORTEST).collect::<String>();
    let commits: Vec<String> = range.split("..").map(short).collect();
    format!(
        "**One of the commits `{}` caused the regression.**",
        commits.join("..")
    )
}

/// The maximum number of lines in an error message, because a comment's length is limited.
const SHOWN: usize = 200;

const BROKEN: &str =
    "**Nothing was compared:** the rows, the baseline or the configuration cannot be read.\n\n";

/// Renders a failed comparison's report. The message is indented code, which no text can end.
fn broken_report(error: &StepFailure, remarks: &Remarks) -> String {
    let hints = error.hints.iter().map(|hint| format!("hint: {hint}"));
    let said: Vec<String> = [format!("error: {}", error.message)]
        .into_iter()
        .chain(hints)
        .collect();
    let said = said.join("\n");
    let notes: Vec<String> = remarks
        .notes
        .iter()
        .map(|note| format!("> {note}\n"))
        .collect();
    let notes = notes.join(">\n") + if notes.is_empty() { "" } else { "\n" };
    let footer = remarks.measured.as_ref();
    let footer = footer.map_or_else(String::new, |measured| {
        format!("\n<sub>{}</sub>\n", measured.footer())
    });
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    let shown: String = lines
        .iter()
        .take(SHOWN)
        .flat_map(|line| ["    ", line, "\n"])
        .collect();
    match lines.len().saturating_sub(SHOWN) {
        0 => format!("{notes}{BROKEN}{shown}{footer}"),
        more => format!("{notes}{BROKEN}{shown}\nThe log contains {more} more lines.\n{footer}"),
    }
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
    fn error_message_is_indented_and_shortened() {
        let error = |message: &str| StepFailure {
            message: message.to_owned(),
            hints: vec!["h".to_owned()],
        };
        let said: Vec<String> = (1..=900).map(|line| format!("{line}\r\n")).collect();
        let report = broken_report(&error(&said.join("\n")), &Remarks::default());
        assert!(
            report.ends_with("    200\n\nThe log contains 701 more lines.\n"),
            "{report}"
        );
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
