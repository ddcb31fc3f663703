//! A report as text, JSON, or GitHub annotations.

use std::fmt::Write as _;

use perf_cli::actions::{escape, escape_property};
use perf_cli::term::{printable, printable_within};
use perf_model::diagnostic::counted;
use serde::Serialize;

use crate::finding::{Finding, PackagesReport};
use crate::source::TextPosition;

/// The version of the JSON output, increased when a field is removed or changes its meaning.
const JSON_VERSION: u32 = 2;

/// The numbers of checked files, findings and broken files in one line.
pub fn summary(report: &PackagesReport) -> String {
    let checked = counted(report.checked.len() as u64, "file");
    let findings = counted(report.findings.len() as u64, "finding");
    let mut summary = format!("{checked} checked, {findings}");
    if !report.broken.is_empty() {
        let broken = counted(report.broken.len() as u64, "file");
        let _ = write!(summary, ", {broken} not readable");
    }
    summary
}

/// Up to three lines for each finding and broken file: position and message, values, hint.
pub fn text(report: &PackagesReport) -> String {
    let mut text = String::new();
    for finding in report.broken.iter().chain(&report.findings) {
        let TextPosition { line, column } = finding.position;
        let (file, rule) = (printable(&finding.file), finding.rule);
        let message = sentence(&finding.message);
        let _ = writeln!(text, "{file}:{line}:{column}: {message} [{rule}]");
        for detail in details(finding) {
            let _ = writeln!(text, "  {detail}");
        }
    }
    text
}

/// A message or hint in printable form. The limit is high, because a hint may contain a line that the user has to add.
fn sentence(text: &str) -> String {
    printable_within(text, 600)
}

/// The values, if any, and the hint.
fn details(finding: &Finding) -> Vec<String> {
    let mut values = Vec::new();
    for (name, value) in [("found", &finding.found), ("expected", &finding.expected)] {
        if let Some(value) = value {
            values.push(format!("{name} `{}`", printable(value)));
        }
    }
    let mut details = Vec::new();
    if !values.is_empty() {
        details.push(values.join(", "));
    }
    if !finding.hint.is_empty() {
        details.push(format!("hint: {}", sentence(&finding.hint)));
    }
    details
}

#[derive(Serialize)]
struct PackagesDocument<'r> {
    version: u32,
    checked: &'r [String],
    findings: Vec<DescribedFinding<'r>>,
    broken: &'r [Finding],
}

#[derive(Serialize)]
struct DescribedFinding<'r> {
    #[serde(flatten)]
    finding: &'r Finding,
    fixable: bool,
}

/// The report as one JSON object.
pub fn json(report: &PackagesReport) -> serde_json::Result<String> {
    let findings = report.findings.iter().map(|finding| DescribedFinding {
        finding,
        fixable: finding.fix.is_some(),
    });
    let document = PackagesDocument {
        version: JSON_VERSION,
        checked: &report.checked,
        findings: findings.collect(),
        broken: &report.broken,
    };
    serde_json::to_string_pretty(&document).map(|json| json + "\n")
}

/// One `::error` command for each finding and broken file.
pub fn github(report: &PackagesReport) -> String {
    let mut text = String::new();
    for finding in report.broken.iter().chain(&report.findings) {
        let TextPosition { line, column } = finding.position;
        let (file, rule) = (escape_property(&finding.file), finding.rule);
        let mut lines = vec![sentence(&finding.message)];
        lines.extend(details(finding));
        let message = escape(&lines.join("\n"));
        let _ = writeln!(
            text,
            "::error file={file},line={line},col={column},title={rule}::{message}"
        );
    }
    text
}
