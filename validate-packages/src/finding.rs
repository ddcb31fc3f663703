//! What a check says: findings, and files it could not read.

use std::ops::Range;

use serde::Serialize;

use crate::source::{Place, Position};

/// What kind of disagreement a finding is. The names are part of the JSON output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The manifest has a key that means nothing.
    UnknownKey,
    /// A file gives one key twice; only the last counts.
    DuplicateKey,
    /// The manifest's registry is missing, not `https`, or without scopes.
    Registry,
    /// No scope of the registry covers a package.
    Scope,
    /// A pin is not one exact version.
    Exact,
    /// A Unity built-in has the wrong prefix, or is also a package.
    BuiltIn,
    /// The manifest's symbols are not one for each package.
    Define,
    /// `minUnityForComparisons` is no Unity version.
    MinUnity,
    /// A consumer cannot be checked as it is described.
    Consumer,
    /// A consumer uses another version.
    Version,
    /// A consumer allows several versions.
    Range,
    /// A consumer takes the library from elsewhere: a folder, a repository, another registry.
    Origin,
    /// A consumer does not have a pinned library.
    Missing,
    /// A consumer has a library that is not pinned.
    Unpinned,
    /// A lock file disagrees, or is not there.
    Lock,
    /// A Unity project's scoped registry disagrees.
    ProjectRegistry,
    /// An assembly definition's `versionDefines` disagree.
    VersionDefine,
    /// An assembly definition's `defineConstraints` disagree.
    DefineConstraint,
}

impl Rule {
    /// Its name, as in the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown-key",
            Self::DuplicateKey => "duplicate-key",
            Self::Registry => "registry",
            Self::Scope => "scope",
            Self::Exact => "exact",
            Self::BuiltIn => "built-in",
            Self::Define => "define",
            Self::MinUnity => "min-unity",
            Self::Consumer => "consumer",
            Self::Version => "version",
            Self::Range => "range",
            Self::Origin => "origin",
            Self::Missing => "missing",
            Self::Unpinned => "unpinned",
            Self::Lock => "lock",
            Self::ProjectRegistry => "project-registry",
            Self::VersionDefine => "version-define",
            Self::DefineConstraint => "define-constraint",
        }
    }
}

/// A change of a file's bytes that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub span: Range<usize>,
    /// What stands there then.
    pub text: String,
}

/// One disagreement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind it is.
    pub rule: Rule,
    /// The file, from the project's root.
    pub file: String,
    /// Where in it.
    #[serde(flatten)]
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// The value that was found; nothing where a value is missing.
    pub found: Option<String>,
    /// The value that should be there; nothing where nothing should.
    pub expected: Option<String>,
    /// What to do.
    pub hint: String,
    /// What `--fix` does about it.
    #[serde(skip)]
    pub fix: Option<Edit>,
}

impl Finding {
    /// A finding at a place; values, hint and fix are added.
    pub(crate) fn new(rule: Rule, place: &Place, message: impl Into<String>) -> Self {
        Self {
            rule,
            file: place.source.path.clone(),
            position: place.position(),
            message: message.into(),
            found: None,
            expected: None,
            hint: String::new(),
            fix: None,
        }
    }

    pub(crate) fn found(mut self, value: impl Into<String>) -> Self {
        self.found = Some(value.into());
        self
    }

    pub(crate) fn expected(mut self, value: impl Into<String>) -> Self {
        self.expected = Some(value.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(crate) fn fix(mut self, edit: Option<Edit>) -> Self {
        self.fix = edit;
        self
    }
}

/// A file that could not be read or is not what its name says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The file, from the project's root.
    pub file: String,
    /// Where reading stopped, when it had started.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// Why.
    pub message: String,
}

/// Everything one check says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The files that were read, in order.
    pub checked: Vec<String>,
    /// The disagreements, by file and place.
    pub findings: Vec<Finding>,
    /// What kept parts from being checked.
    pub broken: Vec<Broken>,
}

impl Report {
    /// Whether everything was read and agrees.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.broken.is_empty()
    }

    /// Puts `prefix` before every path but the manifest's own: the way from the reader to the project.
    pub fn relocate(&mut self, prefix: &str, manifest: &str) {
        let findings = self.findings.iter_mut().map(|finding| &mut finding.file);
        let broken = self.broken.iter_mut().map(|broken| &mut broken.file);
        for file in findings.chain(broken).chain(&mut self.checked).filter(|file| *file != manifest) {
            file.insert_str(0, prefix);
        }
    }

    pub(crate) fn sort(&mut self) {
        self.findings.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
        self.findings.dedup();
        self.broken.sort_by(|a, b| a.file.cmp(&b.file));
        self.broken.dedup();
    }
}
