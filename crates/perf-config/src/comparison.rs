//! Comparisons: the same work done by several libraries.

use indexmap::IndexMap;

use super::build::{Built, ConfigBuilder, each};
use super::file::{ComparisonSection, LabelledKey, MatrixEntry};
use crate::file::Spanned;
use perf_model::row::Name;
use perf_model::suggest::suggest;

/// The default separator between technology and work in scenarios with a prefix.
pub(super) const SEPARATOR: &str = "_";

/// A comparison of libraries that do the same work.
#[derive(Clone, Debug)]
pub struct LibraryComparison {
    /// How the scenarios in comparison rows are named, such as `{work}/{library}`.
    pub pattern: String,
    /// The pattern's text before, between and after the placeholders.
    around: [String; 3],
    is_work_first: bool,
    /// Whether every scenario that matches the pattern belongs to the comparison, even if its technology is not listed.
    is_for_all: bool,
    /// The key of the project's own technology.
    pub subject: Name,
    /// The heading of the first column.
    pub label: String,
    /// Keys and labels of the libraries, in the order of lines.
    pub technologies: IndexMap<Name, String>,
    /// Keys and labels of the work, in the order of columns.
    pub scenarios: IndexMap<Name, String>,
    /// The tables, one for each metric.
    pub matrices: Vec<Matrix>,
}

/// A table of technologies × scenarios.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The metric in the cells.
    pub metric: Name,
    /// The heading, with placeholders.
    pub heading: String,
    /// Whether to show the best cells of each column in bold.
    pub bold_winner: bool,
}

impl LibraryComparison {
    /// Splits a comparison row's scenario into technology and work. If there are several ways to split, the longest listed
    /// technology is used. After a prefix, an unlisted technology ends at the first separator. Returns `None` if the
    /// scenario is not part of the comparison.
    pub(super) fn split<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let split = self.split_any(scenario)?;
        (self.is_for_all || self.is_listed(split)).then_some(split)
    }

    /// Like [`Self::split`], but accepts any scenario that matches the pattern, even if its technology is not listed.
    pub(super) fn split_any<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let [before, between, after] = &self.around;
        let rest = scenario.strip_prefix(before)?.strip_suffix(after)?;
        let mut splits = Vec::new();
        for (at, _) in rest.match_indices(between) {
            let (first, second) = (&rest[..at], &rest[at + between.len()..]);
            splits.push(if self.is_work_first {
                (second, first)
            } else {
                (first, second)
            });
        }
        splits.sort_by_key(|(technology, _)| technology.len());
        let longest = splits.iter().rfind(|split| self.is_listed(**split));
        longest.or(splits.first()).copied()
    }

    fn is_listed(&self, (technology, work): (&str, &str)) -> bool {
        self.technologies.contains_key(technology) && (self.is_for_all || !work.is_empty())
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn comparison(&self, section: &ComparisonSection) -> Built<LibraryComparison> {
        let technologies = self.labelled(&section.technologies, "technology", "library")?;
        let subject = section.subject.as_str();
        if !technologies.contains_key(subject) {
            let message = format!("the subject `{subject}` is not among the technologies");
            let known = technologies.keys().map(AsRef::as_ref);
            let error = self.error(&section.subject, message);
            return Err(error.with_hint(suggest(subject, known)));
        }
        let pattern = self.pattern(section)?;
        let is_work_first = pattern.find("{work}") < pattern.find("{library}");
        let (first, second) = if is_work_first {
            ("{work}", "{library}")
        } else {
            ("{library}", "{work}")
        };
        let mut parts = pattern.split(first).flat_map(|part| part.split(second));
        let around = match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some(before), Some(between), Some(after), None]
                if !between.is_empty() && pattern.contains(first) && pattern.contains(second) =>
            {
                [before, between, after].map(str::to_owned)
            }
            _ => {
                let message = format!(
                    "`{pattern}` must contain `{{work}}` and `{{library}}` once each, with text between them"
                );
                return self.refuse(&pattern, message, "`{work}/{library}`");
            }
        };
        Ok(LibraryComparison {
            around,
            is_work_first,
            is_for_all: section.pattern.is_none(),
            pattern: pattern.to_string(),
            subject: subject.into(),
            label: section.label.clone(),
            technologies,
            scenarios: self.labelled(&section.scenarios, "comparison scenario", "work")?,
            matrices: each(&section.matrices, |entry| self.matrix(entry))?,
        })
    }

    /// Returns the pattern of comparison scenarios: the config's `pattern`, or one made from `prefix` and `separator`.
    fn pattern(&self, section: &ComparisonSection) -> Built<Spanned<String>> {
        if let Some(pattern) = &section.pattern {
            if section.prefix.is_some() || section.separator.is_some() {
                let message = "`pattern` excludes `prefix` and `separator`";
                return self.refuse(pattern, message, "leave the others out");
            }
            return Ok(pattern.clone());
        }
        let Some(prefix) = &section.prefix else {
            let message = "the comparison has no `pattern` and no `prefix`";
            let hint = "`pattern = \"{work}/{library}\"` is how Criterion names groups";
            return self.refuse(&section.subject, message, hint);
        };
        let mut separator = SEPARATOR;
        if let Some(written) = &section.separator {
            self.refuse_empty(written, "separator")?;
            separator = written;
        }
        self.refuse_empty(prefix, "prefix")?;
        let pattern = format!("{prefix}{{library}}{separator}{{work}}");
        Ok(Spanned::new(prefix.span(), pattern))
    }

    fn refuse_empty(&self, text: &Spanned<String>, what: &str) -> Built<()> {
        if text.is_empty() {
            return Err(self.error(text, format!("the comparison's {what} is empty")));
        }
        Ok(())
    }

    fn labelled(
        &self,
        entries: &[LabelledKey],
        what: &str,
        kind: &'static str,
    ) -> Built<IndexMap<Name, String>> {
        let mut labelled = IndexMap::with_capacity(entries.len());
        for entry in entries {
            self.mention(kind, &entry.key, &entry.key);
            let label = entry.label.as_ref().unwrap_or(&entry.key).clone();
            self.insert_once(&mut labelled, &entry.key, label, what)?;
        }
        Ok(labelled)
    }

    fn matrix(&self, entry: &MatrixEntry) -> Built<Matrix> {
        let metric = self.metric(&entry.metric)?;
        let heading = match &entry.heading {
            Some(heading) => self.heading(heading)?,
            None => format!("Comparison - {metric} ({{where}})"),
        };
        Ok(Matrix {
            metric,
            heading,
            bold_winner: entry.bold_winner,
        })
    }
}
