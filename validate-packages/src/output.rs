//! A report as text, JSON, or GitHub annotations.

use std::fmt::Write as _;

use perf_cli::actions::{escape, escape_property};
use perf_cli::term::{printable, printable_within};
use perf_model::diagnostic::counted;
use serde::Serialize;

use crate::TextPosition;
use crate::finding::{Finding, FindingSeverity, PackagesReport};
use crate::source::Broken;

/// The version of the JSON output; it increases when a field changes its meaning or is removed.
const JSON_VERSION: u32 = 1;

/// The counts, in one line.
pub fn summary(report: &PackagesReport) -> String {
    let count = |count: usize, noun: &str| counted(count as u64, noun);
    let mut parts = vec![
        format!("{} checked", count(report.checked.len(), "file")),
        count(report.count(FindingSeverity::Error), "finding"),
    ];
    let warnings = report.count(FindingSeverity::Warning);
    if warnings > 0 {
        parts.push(count(warnings, "warning"));
    }
    if !report.broken.is_empty() {
        parts.push(format!(
            "{} not readable",
            count(report.broken.len(), "file")
        ));
    }
    parts.join(", ")
}

/// Three lines for each finding: position and message, values, hint.
pub fn text(report: &PackagesReport) -> String {
    let mut text = String::new();
    for broken in &report.broken {
        let at = broken
            .position
            .map(|at| format!(":{}:{}", at.line, at.column));
        let (file, at) = (printable(&broken.file), at.unwrap_or_default());
        let message = sentence(&broken.message);
        let _ = writeln!(text, "{file}{at}: {message} [broken]");
    }
    for finding in &report.findings {
        let TextPosition { line, column } = finding.position;
        let (file, rule) = (printable(&finding.file), finding.rule);
        let weight = match finding.severity {
            FindingSeverity::Warning => "warning: ",
            FindingSeverity::Error => "",
        };
        let message = sentence(&finding.message);
        let _ = writeln!(text, "{file}:{line}:{column}: {weight}{message} [{rule}]");
        for detail in details(finding) {
            let _ = writeln!(text, "  {detail}");
        }
    }
    text
}

/// A message or hint, which may contain a whole line to add.
fn sentence(text: &str) -> String {
    printable_within(text, 600)
}

/// The values, if there are any, and the hint.
fn details(finding: &Finding) -> Vec<String> {
    let mut values = Vec::new();
    for (name, value) in [("found", &finding.found), ("expected", &finding.expected)] {
        if let Some(value) = value {
            values.push(format!("{name} `{}`", printable(value)));
        }
    }
    let hint = format!("hint: {}", sentence(&finding.hint));
    if values.is_empty() {
        vec![hint]
    } else {
        vec![values.join(", "), hint]
    }
}

#[derive(Serialize)]
struct PackagesDocument<'r> {
    version: u32,
    checked: &'r [String],
    findings: Vec<DescribedFinding<'r>>,
    broken: &'r [Broken],
}

#[derive(Serialize)]
struct DescribedFinding<'r> {
    #[serde(flatten)]
    finding: &'r Finding,
    fixable: bool,
}

/// One object.
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

/// One `::error` or `::warning` command for each finding and broken file.
pub fn github(report: &PackagesReport) -> String {
    let mut text = String::new();
    for broken in &report.broken {
        let at = broken
            .position
            .map(|at| format!(",line={},col={}", at.line, at.column));
        let (file, at) = (escape_property(&broken.file), at.unwrap_or_default());
        let message = escape(&sentence(&broken.message));
        let _ = writeln!(
            text,
            "::error file={file}{at},title=broken input::{message}"
        );
    }
    for finding in &report.findings {
        let TextPosition { line, column } = finding.position;
        let (file, rule) = (escape_property(&finding.file), finding.rule);
        let command = match finding.severity {
            FindingSeverity::Warning => "warning",
            FindingSeverity::Error => "error",
        };
        let details = details(finding).join("\n");
        let message = escape(&format!("{}\n{details}", sentence(&finding.message)));
        let _ = writeln!(
            text,
            "::{command} file={file},line={line},col={column},title={rule}::{message}"
        );
    }
    text
}
