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
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// Only matching files are related.
    Affects(Vec<PathPattern>),
    /// All files are related except matching ones.
    Unrelated(Vec<PathPattern>),
}

impl Relevance {
    /// Creates the rule from the patterns for related files. Without any, all files but [`UNRELATED`] are related.
    pub(crate) fn new(published: &[RepoPath], affects: &[PathPattern]) -> Self {
        let rule = if affects.is_empty() {
            let patterns = UNRELATED.iter();
            Rule::Unrelated(patterns.filter_map(|text| text.parse().ok()).collect())
        } else {
            Rule::Affects(affects.to_vec())
        };
        Self {
            published: published.to_vec(),
            rule,
        }
    }

    /// All files are related except the published ones.
    pub(crate) fn all_except(published: &[RepoPath]) -> Self {
        Self {
            published: published.to_vec(),
            rule: Rule::Unrelated(Vec::new()),
        }
    }

    /// The published files.
    pub(crate) fn published(&self) -> &[RepoPath] {
        &self.published
    }

    /// The first related path.
    pub(crate) fn first_related<'p>(&self, changed: &'p [String]) -> Option<&'p str> {
        let is_published = |path: &str| {
            self.published
                .iter()
                .any(|published| published.as_str() == path)
        };
        let matches =
            |patterns: &[PathPattern], path| patterns.iter().any(|pattern| pattern.matches(path));
        changed
            .iter()
            .map(String::as_str)
            .find(|path| match &self.rule {
                _ if is_published(path) => false,
                Rule::Affects(patterns) => matches(patterns, path),
                Rule::Unrelated(patterns) => !matches(patterns, path),
            })
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
        let Rule::Unrelated(patterns) = Relevance::new(&[], &[]).rule else {
            panic!("not the default")
        };
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
