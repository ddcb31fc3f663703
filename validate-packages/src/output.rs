//! A report as text, JSON, or GitHub annotations.

use std::fmt::Write as _;

use perf_cli::actions::{escape, escape_property};
use perf_cli::term::{printable, printable_within};
use perf_model::diagnostic::counted;
use serde::Serialize;

use crate::finding::{Broken, Finding, FindingSeverity, PackagesReport};

/// The version of the JSON output; it increases when a field changes its meaning or is removed.
const JSON_VERSION: u32 = 1;

/// The counts, in one line.
pub fn summary(report: &PackagesReport) -> String {
    let count = |count: usize, noun: &str| counted(count as u64, noun);
    let files = count(report.checked.len(), "file");
    let mut summary = format!(
        "{files} checked, {}",
        count(report.count(FindingSeverity::Error), "finding")
    );
    if report.count(FindingSeverity::Warning) > 0 {
        let _ = write!(
            summary,
            ", {}",
            count(report.count(FindingSeverity::Warning), "warning")
        );
    }
    if !report.broken.is_empty() {
        let _ = write!(
            summary,
            ", {} not readable",
            count(report.broken.len(), "file")
        );
    }
    summary
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
        let (file, at) = (printable(&finding.file), finding.position);
        let weight = match finding.severity {
            FindingSeverity::Warning => "warning: ",
            FindingSeverity::Error => "",
        };
        let (message, rule) = (sentence(&finding.message), finding.rule);
        let (line, column) = (at.line, at.column);
        let _ = writeln!(text, "{file}:{line}:{column}: {weight}{message} [{rule}]");
        if let Some(values) = values(finding) {
            let _ = writeln!(text, "  {values}");
        }
        let _ = writeln!(text, "  hint: {}", sentence(&finding.hint));
    }
    text
}

/// A message or hint, which may contain a whole line to add.
fn sentence(text: &str) -> String {
    printable_within(text, 600)
}

fn values(finding: &Finding) -> Option<String> {
    let mut parts = Vec::new();
    for (name, value) in [("found", &finding.found), ("expected", &finding.expected)] {
        parts.extend(
            value
                .as_ref()
                .map(|value| format!("{name} `{}`", printable(value))),
        );
    }
    (!parts.is_empty()).then(|| parts.join(", "))
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
            .map(|at| format!(",line={},col={}", at.line, at.column))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "::error file={}{at},title=broken input::{}",
            escape_property(&broken.file),
            escape(&sentence(&broken.message))
        );
    }
    for finding in &report.findings {
        let (file, at, rule) = (
            escape_property(&finding.file),
            finding.position,
            finding.rule,
        );
        let values = values(finding)
            .map(|values| format!("{values}\n"))
            .unwrap_or_default();
        let message = escape(&format!(
            "{}\n{values}hint: {}",
            sentence(&finding.message),
            sentence(&finding.hint)
        ));
        let _ = writeln!(
            text,
            "::{} file={file},line={},col={},title={}::{message}",
            if finding.severity == FindingSeverity::Warning {
                "warning"
            } else {
                "error"
            },
            at.line,
            at.column,
            rule
        );
    }
    text
}
