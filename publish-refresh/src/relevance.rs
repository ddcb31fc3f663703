//! Distinguishes changes that may affect the numbers from others.
//!
//! A changed file is *related* if it may affect the numbers. Published files are never related.

use perf_config::PathPattern;

use crate::content::RepoPath;

/// The default patterns for unrelated files, such as documentation.
pub(crate) const UNRELATED: [&str; 13] = [
    "**/*.md",
    "**/*.markdown",
    "**/*.rst",
    "**/*.adoc",
    "**/docs/",
    "**/LICENSE",
    "**/LICENSE.txt",
    "**/LICENSE-*",
    "**/LICENCE",
    "**/COPYING",
    "**/NOTICE",
    "**/CODEOWNERS",
    ".github/ISSUE_TEMPLATE/",
];

/// The rule for related files.
#[derive(Clone, Debug)]
pub(crate) struct Relevance {
    published: Vec<RepoPath>,
    patterns: Vec<PathPattern>,
    /// If true, only matching files are related; otherwise, only the others.
    is_related_if_matching: bool,
}

impl Relevance {
    /// Creates the rule from the patterns for related files. Without any, all files but [`UNRELATED`] are related.
    pub(crate) fn new(published: &[RepoPath], affects: &[PathPattern]) -> Self {
        let mut rule = Self::all_except(published);
        rule.patterns = affects.to_vec();
        rule.is_related_if_matching = !affects.is_empty();
        if affects.is_empty() {
            let defaults = UNRELATED.iter().filter_map(|text| text.parse().ok());
            rule.patterns = defaults.collect();
        }
        rule
    }

    /// All files are related except the published ones.
    pub(crate) fn all_except(published: &[RepoPath]) -> Self {
        Self {
            published: published.to_vec(),
            patterns: Vec::new(),
            is_related_if_matching: false,
        }
    }

    pub(crate) fn published(&self) -> &[RepoPath] {
        &self.published
    }

    /// The first related path.
    pub(crate) fn first_related<'p>(&self, changed: &'p [String]) -> Option<&'p str> {
        for path in changed {
            let is_published = self.published.iter().any(|file| file.as_str() == path);
            let is_matching = self.patterns.iter().any(|pattern| pattern.matches(path));
            if !is_published && is_matching == self.is_related_if_matching {
                return Some(path);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn related(affects: &[&str], changed: &[&str]) -> Option<String> {
        let affects: Vec<_> = affects.iter().map(|text| text.parse().unwrap()).collect();
        let published = ["perf/baseline.csv", "src/table.rs"].map(|path| path.parse().unwrap());
        let relevance = Relevance::new(&published, &affects);
        relevance
            .first_related(&changed.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map(str::to_owned)
    }

    #[test]
    fn code_is_related_and_documentation_is_not() {
        let texts = [
            "README.md",
            "docs/x.css",
            "a/LICENSE",
            "LICENSE-MIT",
            "x/notes.adoc",
        ];
        assert_eq!(related(&[], &texts), None);
        for code in [
            "src/lib.rs",
            "Cargo.toml",
            "CMakeLists.txt",
            "mydocs/x.c",
            ".github/workflows/perf.yml",
        ] {
            assert_eq!(related(&[], &["README.md", code]).as_deref(), Some(code));
        }
    }

    #[test]
    fn default_patterns_are_valid() {
        let patterns = Relevance::new(&[], &[]).patterns;
        assert_eq!(patterns.len(), UNRELATED.len());
    }

    #[test]
    fn published_files_are_never_related() {
        assert_eq!(
            related(&["**"], &["perf/baseline.csv", "src/table.rs"]),
            None
        );
        assert_eq!(
            related(&[], &["perf/other.csv"]).as_deref(),
            Some("perf/other.csv")
        );
    }

    #[test]
    fn given_patterns_replace_defaults() {
        assert_eq!(related(&["src/"], &["tests/a.rs", "Cargo.toml"]), None);
        assert_eq!(
            related(&["src/"], &["src/lib.rs"]).as_deref(),
            Some("src/lib.rs")
        );
    }
}
