//! The result of a check: findings, files that could not be read, and the edits of `--fix`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use perf_model::packages::ManifestError;
use serde::Serialize;

use crate::source::{ParseError, SourceFile, SourceSpan, TextPosition};

/// The violated rule. The names are part of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingRule {
    /// A file is unreadable or invalid.
    Broken,
    /// The manifest contains an unknown key, or a key without effect.
    UnknownKey,
    /// A file contains a key twice.
    DuplicateKey,
    /// The manifest's registry is missing or incomplete, or its URL is not `https`.
    Registry,
    /// No scope of the registry covers a package, or a scope covers a package from Unity's registry.
    Scope,
    /// A pin is not one exact version.
    Exact,
    /// One of Unity's own packages does not have Unity's prefix, or is also pinned in another section.
    BuiltIn,
    /// A symbol of the manifest is missing, invalid, or owned by two packages.
    Define,
    /// `minUnityForComparisons` is not a Unity version, or a project's Unity version is older or unknown.
    MinUnity,
    /// A label is empty.
    Label,
    /// The manifest pins nothing.
    NoPins,
    /// A consumer is incorrect or does not exist, or a pin has no consumer.
    Consumer,
    /// A consumer uses a version other than the pinned one.
    Version,
    /// A consumer allows several versions.
    Range,
    /// A library comes from a folder, a repository or a registry other than its own.
    Origin,
    /// A consumer does not declare a pinned library.
    Missing,
    /// A consumer uses a library that is not pinned.
    Unpinned,
    /// A Unity project's lock file is missing, or disagrees with the pins.
    Lock,
    /// A Unity project's scoped registries disagree with the manifest's registry.
    ProjectRegistry,
    /// An assembly definition's `versionDefines` disagree with the manifest's symbols or pins.
    VersionDefine,
    /// An assembly definition's `defineConstraints` disagree with the symbols that it produces.
    DefineConstraint,
    /// A script does not read the manifest, or an assembly definition does not reference a package.
    Reference,
}

impl fmt::Display for FindingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A change to a file that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The range of bytes to replace, not counting a byte order mark. An empty range inserts the text.
    pub span: Range<usize>,
    /// The replacement.
    pub text: String,
}

/// A text as a JSON string, with quotes.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// One violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The violated rule.
    pub rule: FindingRule,
    /// The file's path, from the project root or, after [`crate::validate`], from the working directory.
    pub file: String,
    /// The position of the mistake in the file.
    #[serde(flatten)]
    pub position: TextPosition,
    /// A description of the mistake.
    pub message: String,
    /// The value in the file.
    pub found: Option<String>,
    /// The correct value.
    pub expected: Option<String>,
    /// How to resolve the finding, in one sentence. Empty for a broken file.
    pub hint: String,
    /// The change that `--fix` makes, or `None` if `--fix` cannot resolve the finding.
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
            file: place.source.path.clone(),
            position: place.position(),
            message: message.into(),
            found: None,
            expected: None,
            hint: hint.into(),
            fix: None,
        }
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
    /// The files that are unreadable or invalid, each as a finding.
    pub broken: Vec<Finding>,
    /// The files that `--fix` has changed.
    pub fixed: Vec<String>,
}

impl PackagesReport {
    /// Reports a file that cannot be parsed.
    pub(crate) fn add_broken(&mut self, source: &Rc<SourceFile>, error: &ParseError) {
        let place = SourceSpan::new(source, error.offset..error.offset);
        let broken = Finding::new(FindingRule::Broken, &place, &error.message, "");
        self.broken.push(broken);
    }

    /// Reports an invalid manifest: an unknown key as a finding, and any other error as a broken file.
    pub(crate) fn add_invalid_manifest(&mut self, source: &Rc<SourceFile>, error: ManifestError) {
        let mut error = error;
        if error.message.starts_with("unknown variant") {
            error.message += "; for any other file, write `file` with `key` or `pattern`";
        }
        let lines = source.text.split_inclusive('\n').take(error.line - 1);
        let line_start: usize = lines.map(str::len).sum();
        let offset = line_start + error.column - 1;
        if error.message.starts_with("unknown field") {
            let place = SourceSpan::new(source, offset..offset);
            let hint = "correct or remove the key";
            let finding = Finding::new(FindingRule::UnknownKey, &place, error.message, hint);
            self.findings.push(finding);
        } else {
            let message = error.message;
            self.add_broken(source, &ParseError { offset, message });
        }
    }

    /// Prefixes all paths except the manifest's with the project's folder. Then all paths are relative to the working
    /// directory, because the manifest's path already was.
    pub(crate) fn relocate(&mut self, folder: &str, manifest: &str) {
        let findings = self.findings.iter_mut().chain(&mut self.broken);
        let files = findings.map(|finding| &mut finding.file);
        for file in files.chain(&mut self.checked).chain(&mut self.fixed) {
            if file != manifest {
                *file = format!("{folder}/{file}");
            }
        }
    }

    pub(crate) fn sort(&mut self) {
        for list in [&mut self.findings, &mut self.broken] {
            list.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
            list.dedup();
        }
    }

    /// The edits of all findings, by file.
    pub fn edits(&self) -> BTreeMap<&str, Vec<&Edit>> {
        let mut edits: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
        for finding in &self.findings {
            if let Some(edit) = &finding.fix {
                edits.entry(&finding.file).or_default().push(edit);
            }
        }
        edits
    }
}

/// Applies edits to a file's text. The rest of the text does not change, including a byte order mark.
///
/// If edits overlap, only the first one is applied. The next check then reports the other findings again.
pub fn apply(text: &str, edits: &[&Edit]) -> String {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let (mark, body) = text.split_at(mark);
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    let mut fixed = mark.to_owned();
    let mut done = 0;
    for Edit { span, text } in edits {
        if let Some(kept) = body.get(done..span.start) {
            fixed.push_str(kept);
            fixed.push_str(text);
            done = span.end;
        }
    }
    fixed.push_str(body.get(done..).unwrap_or_default());
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: start..end,
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_keep_the_rest() {
        let (a, b, twice) = (edit(1, 2, "xx"), edit(4, 4, "+"), edit(1, 2, "xx"));
        assert_eq!(
            apply("\u{feff}abcd\r\n", &[&b, &a, &twice]),
            "\u{feff}axxcd+\r\n"
        );
    }

    #[test]
    fn overlapping_and_invalid_edits_are_skipped() {
        let (a, b, outside, in_char) = (
            edit(0, 3, "x"),
            edit(1, 2, "y"),
            edit(50, 60, "z"),
            edit(4, 5, "w"),
        );
        assert_eq!(apply("abcé", &[&a, &b, &outside, &in_char]), "xé");
    }
}
