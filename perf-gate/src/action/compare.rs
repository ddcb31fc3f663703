//! Compares the rows with the baseline and writes the report. A failed comparison is also written as an [`ActionOutcome`],
//! and the next step reports it.

use std::fmt::Write;
use std::path::Path;

use perf_cli::actions::Level;
use perf_cli::load::InputArgs;
use perf_cli::{Exit, file, term};
use perf_config::FailOn;
use perf_report::markdown::cut::Limit;
use perf_report::report::Report;
use render_perf_deltas::{
    CompareReport, CompareRequest, FailureReason, MeasuredCommits, Remarks, compare,
};
use render_perf_doc::{PageReport, PageRequest, update_page};
use upsert_pr_comment::regressed;

use super::outcome::{ActionOutcome, COMMENT, JSON, Measured, PAGE, REPORT};
use super::plan::ActionPlan;
use super::{environment, log, refresh};

/// Writes the report and the outcome of a measurement, or the text of its error.
pub fn report(
    plan: &ActionPlan,
    measured: &Result<Measured, String>,
    outputs: &Path,
) -> anyhow::Result<Exit> {
    let remarks = collect_remarks(plan, measured.as_ref().ok());
    let compared = match measured {
        Ok(measured) => compare_rows(&measured.request)
            .map(|compared| (&measured.request, compared))
            .map_err(|error| log::show_error(Level::Error, &error)),
        Err(text) => Err(text.clone()),
    };
    let mut outcome = ActionOutcome::default();
    if let Ok(measured) = measured {
        outcome.shard.clone_from(&measured.shard);
    }
    match compared {
        Ok((request, mut compared)) => {
            compared.remarks = remarks;
            let counts = compared.counts();
            outcome.summary = compared.report().headline.replace('`', "");
            // The headline does not mention every reason to fail, such as `moved`.
            let words = counts.failed.iter().map(|reason| reason.word());
            let mut others: Vec<&str> = words.collect();
            others.retain(|word| !outcome.summary.contains(word));
            if !others.is_empty() && !counts.failed.contains(&FailureReason::NothingCompared) {
                let others = others.join(", ");
                outcome.summary = format!("{} (fails: {others})", outcome.summary);
            }
            outcome.counts = Some(counts);
            if plan.comment.page {
                outcome.has_page = write_page(plan, request, &compared)?;
            }
            write(plan, &mut compared)?;
            if plan.is_refresh {
                match log::without_commands(|| refresh::render(plan)) {
                    Ok(()) => outcome.is_rendered = true,
                    Err(error) => drop(log::show_error(Level::Error, &error)),
                }
            }
        }
        Err(error) => {
            let mut report = Report::nothing_compared("the benchmark or the comparison failed")
                .with_remarks(&remarks);
            // Unlike a comparison without benchmarks, this always fails the job.
            report.icon = "❌";
            let text = report.markdown_around(&error_text(&error, &remarks));
            outcome.summary = report.headline;
            write_file(plan, REPORT, &text)?;
            write_file(plan, COMMENT, &text)?;
        }
    }
    outcome.write(&plan.folder, outputs)?;
    Ok(Exit::Ok)
}

/// Collects the remarks: ignored config changes of the pull request, the measured part of the suite, and the profiles.
fn collect_remarks(plan: &ActionPlan, measured: Option<&Measured>) -> Remarks {
    let base = plan.base.as_ref().ok();
    let mut remarks = Remarks::default();
    // Don't use the rows' commits, which may be the trial merge or any other value.
    if let Some(head) = &plan.commit {
        remarks.measured = Some(MeasuredCommits {
            head: head.clone(),
            base: base.and_then(|base| base.commit.clone()),
            repository: perf_cli::actions::repository(environment::variable),
            run: plan.run_url.clone(),
        });
    }
    if let Some(base) = base {
        remarks.notes.clone_from(&base.notes);
    }
    if let Some(measured) = measured {
        remarks.notes.extend_from_slice(&measured.notes);
        remarks.profiled.clone_from(&measured.profiled);
    }
    remarks
}

/// Writes the report as JSON, for the job summary, and for the comment.
fn write(plan: &ActionPlan, report: &mut CompareReport) -> anyhow::Result<()> {
    write_file(plan, JSON, &report.json()?)?;
    report.remarks.rest = Some("see the output `report-json`".into());
    // The whole report is written here; it is shortened for the job summary.
    write_file(plan, REPORT, &report.markdown(Limit::Chars(usize::MAX))?)?;
    // The job's files are deleted, so a comment refers to the job summary.
    let rest = match &plan.run_url {
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

fn compare_rows(request: &CompareRequest) -> anyhow::Result<CompareReport> {
    let mut diagnostics = Vec::new();
    log::without_commands(|| {
        let compared = compare(request, &mut diagnostics);
        term::diagnostics(&diagnostics);
        compared
    })
}

/// Writes the verdict and the page's tables with this run's numbers, for a separate comment.
fn write_page(
    plan: &ActionPlan,
    request: &CompareRequest,
    report: &CompareReport,
) -> anyhow::Result<bool> {
    let request = PageRequest {
        preview: true,
        machine_specs: request.machine_specs.clone(),
        source: InputArgs {
            config: plan.inputs.config.clone(),
            ..request.source.clone()
        },
        ..PageRequest::default()
    };
    match log::without_commands(|| term::quietly(|| update_page(&request))) {
        Ok(PageReport::Preview(tables)) => {
            write_file(plan, PAGE, &report.markdown_around(&tables))?;
            return Ok(true);
        }
        Ok(_) => {}
        Err(error) => drop(log::show_error(Level::Warning, &error)),
    }
    Ok(false)
}

/// The notes and the message of a failed comparison. The message is indented as a code block, so that no text in it can
/// end the block.
fn error_text(error: &str, remarks: &Remarks) -> String {
    let mut text = String::new();
    for note in &remarks.notes {
        let _ = writeln!(text, "> {note}\n>");
    }
    text.push_str("\nThe message:\n\n");
    for line in error.lines().filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "    {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_message_is_indented() {
        let notes = vec!["one".to_owned(), "two".to_owned()];
        let remarks = Remarks {
            notes,
            ..Remarks::default()
        };
        assert_eq!(
            error_text("error: x\n```\nhint: h", &remarks),
            "> one\n>\n> two\n>\n\nThe message:\n\n    error: x\n    ```\n    hint: h\n"
        );
    }
}
