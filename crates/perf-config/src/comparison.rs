//! The same work done by several libraries.

use indexmap::IndexMap;

use super::build::{Builder, Built};
use super::file::{ComparisonSection, LabelledKey, MatrixEntry};
use perf_model::row::Name;
use perf_model::suggest::suggest;

/// The same work done by several libraries.
#[derive(Clone, Debug)]
pub struct Comparison {
    prefix: String,
    separator: String,
    /// Key of the project's own technology.
    pub subject: Name,
    /// Heading of the first column.
    pub label: String,
    /// Keys and labels of the libraries, in order.
    pub technologies: IndexMap<Name, String>,
    /// Keys and labels of the work, in order.
    pub scenarios: IndexMap<Name, String>,
    /// One matrix for each metric.
    pub matrices: Vec<Matrix>,
}

/// A table of technologies × scenarios.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The metric in the cells.
    pub metric: Name,
    /// The heading, with places to fill in.
    pub heading: String,
    /// Whether the best cells of each column are bold.
    pub bold_winner: bool,
}

impl Comparison {
    /// Technology and work of a comparison row's scenario: by the longest listed technology, else up to the
    /// first separator.
    pub(super) fn split<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = scenario.strip_prefix(&*self.prefix)?;
        // The places of separators rather than the technologies: a config may list thousands of those.
        let mut places =
            rest.char_indices().rev().filter(|(at, _)| rest[*at..].starts_with(&*self.separator));
        let listed = places.find(|(at, _)| self.technologies.contains_key(&rest[..*at]));
        let split = |(at, _): (usize, char)| (&rest[..at], &rest[at + self.separator.len()..]);
        listed.map(split).or_else(|| rest.split_once(&*self.separator))
    }
}

impl Builder<'_> {
    pub(super) fn comparison(&self, section: &ComparisonSection) -> Built<Comparison> {
        let technologies = self.labelled(&section.technologies, "technology")?;
        for (text, what) in [(&section.prefix, "prefix"), (&section.separator, "separator")] {
            if text.get_ref().is_empty() {
                return Err(self.error(text.span(), format!("the comparison's {what} is empty")));
            }
        }
        let subject = section.subject.get_ref().as_str();
        if !technologies.contains_key(subject) {
            let error = self.error(
                section.subject.span(),
                format!("the subject `{subject}` is not among the technologies"),
            );
            return Err(error.with_hint(suggest(subject, technologies.keys().map(|key| &**key))));
        }
        Ok(Comparison {
            prefix: section.prefix.get_ref().clone(),
            separator: section.separator.get_ref().clone(),
            subject: subject.into(),
            label: section.label.clone(),
            technologies,
            scenarios: self.labelled(&section.scenarios, "comparison scenario")?,
            matrices: section.matrices.iter().map(|entry| self.matrix(entry)).collect::<Built<_>>()?,
        })
    }

    fn labelled(&self, entries: &[LabelledKey], what: &str) -> Built<IndexMap<Name, String>> {
        let mut labelled = IndexMap::with_capacity(entries.len());
        for entry in entries {
            let label = entry.label.clone().unwrap_or_else(|| entry.key.get_ref().clone());
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
        Ok(Matrix { metric, heading, bold_winner: entry.bold_winner })
    }
}
