//! What a comparison came to, for the steps that report it and decide.

use std::path::{Path, PathBuf};

use perf_cli::file;
use serde::{Deserialize, Serialize};

use super::log;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Verdict {
    Passed,
    /// Something regressed, whether that fails or not.
    Regressed,
    /// Something else of `fail-on` is there.
    Failed,
    /// There is a baseline, and nothing could be compared with it.
    NothingCompared,
    /// Rows, baseline or configuration cannot be read.
    Broken,
}

/// The result lines of `perf-gate compare`, the verdict, and where the report is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    pub(super) has_baseline: bool,
    pub(super) report: PathBuf,
    pub(super) comment: PathBuf,
    pub(super) json: Option<PathBuf>,
    /// The tables of the page, where a comment shows them.
    pub(super) page: Option<PathBuf>,
    /// Whether the report on a push is a comment on its commit.
    pub(super) comments_on_commit: bool,
    lines: Vec<(String, String)>,
}

/// The keys whose values are numbers or `true` and `false`.
const KEYS: [&str; 12] = [
    "changed",
    "regressed",
    "improved",
    "inconclusive",
    "missing",
    "new",
    "not-comparable",
    "compared",
    "unmeasured",
    "waived",
    "blind",
    "confirm",
];

const FILE: &str = "outcome.json";

impl Outcome {
    /// Made of what `perf-gate compare` printed and the code that it ended with.
    pub(super) fn new(printed: &str, code: Option<i32>, folder: &Path, has_baseline: bool) -> Self {
        let lines = printed.lines().filter_map(line).collect();
        let mut outcome = Self {
            verdict: Verdict::Broken,
            has_baseline,
            report: folder.join("report.md"),
            comment: folder.join("comment.md"),
            json: None,
            page: None,
            comments_on_commit: false,
            lines,
        };
        outcome.verdict = outcome.judged(code);
        if outcome.verdict != Verdict::Broken {
            outcome.json = Some(folder.join("report.json"));
        }
        outcome
    }

    /// A regression comes first: whatever else fails, `comment: regressed` wants to hear of it.
    fn judged(&self, code: Option<i32>) -> Verdict {
        match code {
            Some(0 | 1) if self.is("regressed") => Verdict::Regressed,
            Some(0 | 1) if self.failed().first() == Some(&"nothing-compared") => Verdict::NothingCompared,
            Some(0) => Verdict::Passed,
            Some(1) => Verdict::Failed,
            _ => Verdict::Broken,
        }
    }

    fn value(&self, key: &str) -> &str {
        self.lines.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.value(key) == "true"
    }

    pub(super) fn count(&self, key: &str) -> u64 {
        self.value(key).parse().unwrap_or(0)
    }

    /// What of `fail-on` is there.
    pub(super) fn failed(&self) -> Vec<&str> {
        self.value("failed").split(',').filter(|word| !word.is_empty()).collect()
    }

    /// Leaves it for the later steps, and the outputs for everybody.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        file::write_if_changed(&folder.join(FILE), serde_json::to_string(self)?.as_bytes())?;
        for (key, value) in &self.lines {
            log::output(key, value)?;
        }
        log::output("report", &self.report.to_string_lossy())?;
        self.json.iter().try_for_each(|path| log::output("report-json", &path.to_string_lossy()))
    }

    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        Ok(serde_json::from_str(&file::read_text(&folder.join(FILE))?)?)
    }
}

/// A line whose key and value are of one of the few forms that there are.
fn line(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = KEYS.contains(&key) && (is_number || matches!(value, "true" | "false"));
    let is_list = key == "failed" && value.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b',' | b'-'));
    (is_known || is_list).then(|| (key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(printed: &str, code: i32) -> Verdict {
        Outcome::new(printed, Some(code), Path::new("f"), true).verdict
    }

    #[test]
    fn a_regression_outranks_what_else_fails() {
        assert_eq!(verdict("regressed=true\nfailed=missing\n", 1), Verdict::Regressed);
        assert_eq!(verdict("regressed=true\nfailed=\n", 0), Verdict::Regressed);
        assert_eq!(verdict("failed=nothing-compared,missing\n", 1), Verdict::NothingCompared);
        assert_eq!(verdict("failed=missing\n", 1), Verdict::Failed);
        assert_eq!(verdict("failed=\n", 0), Verdict::Passed);
        assert_eq!(verdict("regressed=true\n", 2), Verdict::Broken);
    }

    #[test]
    fn only_known_lines_are_handed_on() {
        let lines =
            "changed=true\nchanged=$(id)\nowned=1\nmissing=\nmissing=7\nfailed=a b\nfailed=new,moved\n";
        let outcome = Outcome::new(lines, Some(0), Path::new("f"), true);
        let kept: Vec<String> = outcome.lines.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(kept, ["changed=true", "missing=7", "failed=new,moved"]);
    }
}
