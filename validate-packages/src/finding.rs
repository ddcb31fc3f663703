//! The result of a check: findings, and files that could not be read.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::source::{Broken, SourceSpan, TextPosition};

/// The rule that a finding violates. The names are part of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingRule {
    /// The manifest has an unknown key, or one that has no effect.
    UnknownKey,
    /// A file has a key twice.
    DuplicateKey,
    /// The manifest's registry is missing, not `https`, or without scopes.
    Registry,
    /// No scope of the registry covers a package.
    Scope,
    /// A pin is not one exact version.
    Exact,
    /// A Unity built-in package has the wrong prefix, or is also a package.
    BuiltIn,
    /// A symbol of the manifest is missing, invalid, or owned by two packages.
    Define,
    /// `minUnityForComparisons` is not a Unity version, or a project is opened with an older one.
    MinUnity,
    /// A label is empty.
    Label,
    /// The manifest pins nothing.
    NoPins,
    /// A consumer cannot be checked.
    Consumer,
    /// A file uses a pinned library, but no consumer lists it.
    Unlisted,
    /// A consumer uses another version.
    Version,
    /// A consumer allows several versions.
    Range,
    /// A library comes from a folder, a repository or another registry.
    Origin,
    /// A consumer does not declare a pinned library.
    Missing,
    /// A consumer uses a library that is not pinned.
    Unpinned,
    /// A lock file disagrees or is missing.
    Lock,
    /// A Unity project's scoped registries disagree.
    ProjectRegistry,
    /// An assembly definition's `versionDefines` disagree.
    VersionDefine,
    /// An assembly definition's `defineConstraints` disagree.
    DefineConstraint,
    /// A script does not mention the manifest, or an assembly definition does not reference a package.
    Reference,
}

impl fmt::Display for FindingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// Something disagrees.
    Error,
    /// Something cannot be checked until the manifest says more; the exit code is not affected.
    Warning,
}

/// A change to a file that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub span: Range<usize>,
    /// The replacement.
    pub text: String,
}

impl Edit {
    /// Appends to a JSON array or object, formatted like its last member.
    pub(crate) fn append(last: &SourceSpan, text: &str) -> Self {
        let SourceSpan { source, span } = last;
        Self {
            span: span.end..span.end,
            text: format!(",{}{text}", source.blanks_before(span.start)),
        }
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// One violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: FindingRule,
    /// The weight.
    pub severity: FindingSeverity,
    /// The file, from the project root.
    pub file: String,
    /// The position in the file.
    #[serde(flatten)]
    pub position: TextPosition,
    /// The mistake.
    pub message: String,
    /// The value in the file.
    pub found: Option<String>,
    /// The correct value.
    pub expected: Option<String>,
    /// The advice on how to resolve it, in one sentence.
    pub hint: String,
    /// The change that `--fix` makes.
    #[serde(skip)]
    pub fix: Option<Edit>,
}

impl Finding {
    pub(crate) fn new(
        rule: FindingRule,
        place: &SourceSpan,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity: FindingSeverity::Error,
            file: place.source.path.clone(),
            position: place.position(),
            message: message.into(),
            found: None,
            expected: None,
            hint: hint.into(),
            fix: None,
        }
    }

    pub(crate) fn warning(&mut self) -> &mut Self {
        self.severity = FindingSeverity::Warning;
        self
    }

    pub(crate) fn found(&mut self, value: impl Into<String>) -> &mut Self {
        self.found = Some(value.into());
        self
    }

    pub(crate) fn expected(&mut self, value: impl Into<String>) -> &mut Self {
        self.expected = Some(value.into());
        self
    }

    pub(crate) fn fix(&mut self, edit: Option<Edit>) -> &mut Self {
        self.fix = edit;
        self
    }
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackagesReport {
    /// The files that were read, in order of reading.
    pub checked: Vec<String>,
    /// The findings, sorted by file and position.
    pub findings: Vec<Finding>,
    /// The files that could not be checked.
    pub broken: Vec<Broken>,
    /// The files that a fix changes.
    pub changes: Vec<FileChange>,
}

impl PackagesReport {
    /// Prepends `prefix`, the path from the working directory to the project, to every path but the manifest's.
    pub fn relocate(&mut self, prefix: &str, manifest: &str) {
        let findings = self.findings.iter_mut().map(|finding| &mut finding.file);
        let broken = self.broken.iter_mut().map(|broken| &mut broken.file);
        for file in findings
            .chain(broken)
            .chain(&mut self.checked)
            .filter(|file| *file != manifest)
        {
            file.insert_str(0, prefix);
        }
    }

    /// The number of findings of one weight.
    pub fn count(&self, severity: FindingSeverity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    pub(crate) fn sort(&mut self) {
        self.findings
            .sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
        self.findings.dedup();
        self.broken.sort_by(|a, b| a.file.cmp(&b.file));
        self.broken.dedup();
    }
}

/// A file that a fix changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, from the working directory.
    pub file: String,
    /// The content before.
    pub old: String,
    /// The content after.
    pub new: String,
}
