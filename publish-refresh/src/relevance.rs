//! Tells changes of a branch that can change the numbers from changes that cannot.
//!
//! A change is *related* when it may have changed the numbers. Published files never do: they hold the numbers.

use perf_config::PathPattern;

use crate::content::RepoPath;

/// Patterns of files that are unrelated by default: texts for people.
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

/// Tells related changes from others.
#[derive(Clone, Debug)]
pub(crate) struct Relevance {
    published: Vec<RepoPath>,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// Only what matches is related.
    Affects(Vec<PathPattern>),
    /// Everything is related but what matches.
    Unrelated(Vec<PathPattern>),
}

impl Relevance {
    /// The rule by the patterns of related files; without any, by the patterns of unrelated files; without those, by
    /// [`UNRELATED`].
    pub(crate) fn new(
        published: &[RepoPath],
        affects: &[PathPattern],
        unrelated: &[PathPattern],
    ) -> Self {
        let rule = match (affects, unrelated) {
            ([], []) => Rule::Unrelated(
                UNRELATED
                    .iter()
                    .filter_map(|pattern| pattern.parse().ok())
                    .collect(),
            ),
            ([], unrelated) => Rule::Unrelated(unrelated.to_vec()),
            (affects, _) => Rule::Affects(affects.to_vec()),
        };
        Self {
            published: published.to_vec(),
            rule,
        }
    }

    /// Everything is related but the published files themselves.
    pub(crate) fn but(published: &[RepoPath]) -> Self {
        Self {
            published: published.to_vec(),
            rule: Rule::Unrelated(Vec::new()),
        }
    }

    /// The files that are published.
    pub(crate) fn published(&self) -> &[RepoPath] {
        &self.published
    }

    /// The first of the paths that is related.
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

    fn related(affects: &[&str], unrelated: &[&str], changed: &[&str]) -> Option<String> {
        let patterns = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| text.parse().unwrap())
                .collect::<Vec<_>>()
        };
        let published = ["perf/baseline.csv", "src/table.rs"].map(|path| path.parse().unwrap());
        let relevance = Relevance::new(&published, &patterns(affects), &patterns(unrelated));
        relevance
            .first_related(&changed.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map(str::to_owned)
    }

    #[test]
    fn code_is_related_and_texts_for_people_are_not() {
        let texts = [
            "README.md",
            "docs/x.css",
            "a/LICENSE",
            "LICENSE-MIT",
            "x/notes.adoc",
        ];
        assert_eq!(related(&[], &[], &texts), None);
        for code in [
            "src/lib.rs",
            "Cargo.toml",
            "CMakeLists.txt",
            "mydocs/x.c",
            ".github/workflows/perf.yml",
        ] {
            assert_eq!(
                related(&[], &[], &["README.md", code]).as_deref(),
                Some(code)
            );
        }
    }

    #[test]
    fn every_default_is_a_pattern() {
        let Rule::Unrelated(patterns) = Relevance::new(&[], &[], &[]).rule else {
            panic!("not the default")
        };
        assert_eq!(patterns.len(), UNRELATED.len());
    }

    #[test]
    fn published_files_are_never_related() {
        assert_eq!(
            related(&["**"], &[], &["perf/baseline.csv", "src/table.rs"]),
            None
        );
        assert_eq!(
            related(&[], &[], &["perf/other.csv"]).as_deref(),
            Some("perf/other.csv")
        );
    }

    #[test]
    fn the_command_line_draws_its_own_line() {
        assert_eq!(related(&["src/"], &[], &["tests/a.rs", "Cargo.toml"]), None);
        assert_eq!(
            related(&["src/"], &[], &["src/lib.rs"]).as_deref(),
            Some("src/lib.rs")
        );
        assert_eq!(related(&[], &["tests/"], &["tests/a.rs"]), None);
        assert_eq!(
            related(&[], &["tests/"], &["README.md"]).as_deref(),
            Some("README.md")
        );
    }
}
