//! Comparisons: the same work done by several libraries.

use indexmap::IndexMap;

use super::build::{Built, ConfigBuilder, each};
use super::file::{ComparisonSection, LabelledKey, MatrixEntry};
use crate::file::Spanned;
use perf_model::row::Name;
use perf_model::suggest::suggest;

/// The default separator between technology and work after a prefix.
pub(super) const SEPARATOR: &str = "_";

/// The same work done by several libraries.
#[derive(Clone, Debug)]
pub struct LibraryComparison {
    shape: NameShape,
    /// The project's own technology.
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
    /// The heading, with placeholders.
    pub heading: String,
    /// Whether to show the best cells of each column in bold.
    pub bold_winner: bool,
}

/// How the scenarios in comparison rows are named: the texts around technology and work.
#[derive(Clone, Debug)]
struct NameShape {
    before: String,
    between: String,
    after: String,
    is_work_first: bool,
    /// Whether every scenario with this shape belongs to the comparison, even with unlisted technologies.
    is_for_all: bool,
}

impl NameShape {
    /// Splits a scenario into technology and work, if it matches this shape and this technology.
    fn split<'a>(&self, scenario: &'a str, technology: &str) -> Option<(&'a str, &'a str)> {
        let rest = self.without_ends(scenario)?;
        let between = self.between.as_str();
        let (technology, work) = if self.is_work_first {
            let work = rest.strip_suffix(technology)?.strip_suffix(between)?;
            (&rest[rest.len() - technology.len()..], work)
        } else {
            let work = rest.strip_prefix(technology)?.strip_prefix(between)?;
            (&rest[..technology.len()], work)
        };
        (self.is_for_all || !work.is_empty()).then_some((technology, work))
    }

    fn without_ends<'a>(&self, scenario: &'a str) -> Option<&'a str> {
        scenario
            .strip_prefix(&*self.before)?
            .strip_suffix(&*self.after)
    }

    /// Splits a scenario of this shape at the text between technology and work.
    fn split_unlisted<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = self.without_ends(scenario)?;
        if self.is_work_first {
            let (work, technology) = rest.rsplit_once(&*self.between)?;
            Some((technology, work))
        } else {
            rest.split_once(&*self.between)
        }
    }
}

impl LibraryComparison {
    /// Splits a comparison row's scenario into technology and work: at the longest listed technology, or otherwise at
    /// the first separator after a prefix.
    pub(super) fn split<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let keys = self.technologies.keys();
        let listed = keys.filter_map(|key| self.shape.split(scenario, key));
        let longest = listed.max_by_key(|(technology, _)| technology.len());
        if longest.is_none() && self.shape.is_for_all {
            return self.shape.split_unlisted(scenario);
        }
        longest
    }

    /// Splits a scenario of this shape into technology and work, even if the technology is not listed.
    pub(super) fn split_any<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        self.split(scenario)
            .or_else(|| self.shape.split_unlisted(scenario))
    }

    /// The pattern of the scenarios, such as `{work}/{library}`.
    pub fn pattern(&self) -> String {
        let NameShape {
            before,
            between,
            after,
            is_work_first,
            ..
        } = &self.shape;
        let [first, second] = placeholders(*is_work_first);
        format!("{before}{first}{between}{second}{after}")
    }
}

/// The placeholders of a pattern, in order.
fn placeholders(is_work_first: bool) -> [&'static str; 2] {
    if is_work_first {
        ["{work}", "{library}"]
    } else {
        ["{library}", "{work}"]
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn comparison(&self, section: &ComparisonSection) -> Built<LibraryComparison> {
        let technologies = self.labelled(&section.technologies, "technology")?;
        let subject = section.subject.as_str();
        if !technologies.contains_key(subject) {
            let error = self.error(
                &section.subject,
                format!("the subject `{subject}` is not among the technologies"),
            );
            return Err(error.with_hint(suggest(subject, technologies.keys().map(|key| &**key))));
        }
        Ok(LibraryComparison {
            shape: self.shape(section)?,
            subject: subject.into(),
            label: section.label.clone(),
            technologies,
            scenarios: self.labelled(&section.scenarios, "comparison scenario")?,
            matrices: each(&section.matrices, |entry| self.matrix(entry))?,
        })
    }

    fn shape(&self, section: &ComparisonSection) -> Built<NameShape> {
        if let Some(pattern) = &section.pattern {
            if section.prefix.is_some() || section.separator.is_some() {
                let message = "`pattern` excludes `prefix` and `separator`";
                return self.refuse(pattern, message, "leave the others out");
            }
            return self.pattern(pattern);
        }
        let Some(prefix) = &section.prefix else {
            let message = "the comparison has no `pattern` and no `prefix`";
            let hint = "`pattern = \"{work}/{library}\"` is how Criterion names groups";
            return self.refuse(&section.subject, message, hint);
        };
        let mut between = SEPARATOR;
        if let Some(separator) = &section.separator {
            between = separator;
            self.refuse_empty(separator, "separator")?;
        }
        self.refuse_empty(prefix, "prefix")?;
        Ok(NameShape {
            before: prefix.to_string(),
            between: between.to_owned(),
            after: String::new(),
            is_work_first: false,
            is_for_all: true,
        })
    }

    fn refuse_empty(&self, text: &Spanned<String>, what: &str) -> Built<()> {
        if text.is_empty() {
            return Err(self.error(text, format!("the comparison's {what} is empty")));
        }
        Ok(())
    }

    /// Parses `{work}/{library}`.
    fn pattern(&self, written: &Spanned<String>) -> Built<NameShape> {
        let is_work_first = written.find("{work}") < written.find("{library}");
        let [first, second] = placeholders(is_work_first);
        let is_once = |name: &str| written.matches(name).count() == 1;
        if is_once(first)
            && is_once(second)
            && let Some((before, rest)) = written.split_once(first)
            && let Some((between, after)) = rest.split_once(second)
            && !between.is_empty()
        {
            return Ok(NameShape {
                before: before.to_owned(),
                between: between.to_owned(),
                after: after.to_owned(),
                is_work_first,
                is_for_all: false,
            });
        }
        let message = format!(
            "`{written}` must contain `{{work}}` and `{{library}}` once each, with text between them"
        );
        self.refuse(written, message, "`{work}/{library}`")
    }

    fn labelled(&self, entries: &[LabelledKey], what: &str) -> Built<IndexMap<Name, String>> {
        let mut labelled = IndexMap::with_capacity(entries.len());
        for entry in entries {
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
