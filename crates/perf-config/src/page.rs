//! The marked region of the performance page: its headings and columns.

use super::PRIMARY;
use super::build::{Built, ConfigBuilder, optional};
use super::file::{ColumnEntry, PageSection};
use crate::file::Spanned;
use perf_model::row::Name;
use perf_model::suggest::suggest;

/// The placeholders in a heading.
const PLACEHOLDERS: [&str; 3] = ["scope", "backend", "where"];

/// The document's region.
#[derive(Clone, Debug)]
pub struct PageConfig {
    /// The name in the markers.
    pub region: Option<String>,
    /// The level of the headings, 1–6.
    pub heading_level: u8,
    /// The heading of each scope's table, with placeholders.
    pub heading: String,
    /// The heading of the scenario column.
    pub scenario_label: String,
    /// The columns after the scenario; `None` shows one per result metric.
    pub columns: Option<Vec<PageColumn>>,
    /// Whether to right-align numbers.
    pub align_right: bool,
}

/// A column in a scope's table.
#[derive(Clone, Debug)]
pub struct PageColumn {
    /// The heading.
    pub label: String,
    /// The metric; `None` shows each scenario's primary metric.
    pub metric: Option<Name>,
    /// Whether to keep the column if nothing was measured.
    pub always: bool,
}

impl ConfigBuilder<'_> {
    pub(super) fn page(&self, section: &PageSection) -> Built<PageConfig> {
        let level = *section.heading_level.get_ref();
        if !(1..=6).contains(&level) {
            let message = format!("headings have levels 1 to 6, not `{level}`");
            return Err(self.error(section.heading_level.span(), message));
        }
        let columns = section.columns.as_ref();
        Ok(PageConfig {
            region: optional(section.region.as_ref(), |name| self.region(name))?,
            heading_level: level,
            heading: self.heading(&section.heading)?,
            scenario_label: section.scenario_label.clone(),
            columns: columns
                .map(|columns| columns.iter().map(|entry| self.column(entry)).collect())
                .transpose()?,
            align_right: section.align_right.unwrap_or(columns.is_none()),
        })
    }

    fn region(&self, name: &Spanned<String>) -> Built<String> {
        let text = name.get_ref();
        if !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b))
        {
            return Ok(text.clone());
        }
        let hint = "region names consist of letters, digits, `.`, `-` and `_`";
        self.refuse(name.span(), format!("invalid region name `{text}`"), hint)
    }

    /// Checks that every `{…}` in a heading is a known placeholder.
    pub(super) fn heading(&self, heading: &Spanned<String>) -> Built<String> {
        let text = heading.get_ref();
        let braced = text
            .split('{')
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('}')?.0));
        for place in braced {
            if !PLACEHOLDERS.contains(&place) {
                let error =
                    self.error(heading.span(), format!("unknown placeholder `{{{place}}}`"));
                return Err(error.with_hint(suggest(place, PLACEHOLDERS)));
            }
        }
        Ok(text.clone())
    }

    fn column(&self, entry: &ColumnEntry) -> Built<PageColumn> {
        let metric = if entry.metric.get_ref() == PRIMARY {
            None
        } else {
            Some(self.metric(&entry.metric)?)
        };
        Ok(PageColumn {
            label: entry.label.clone(),
            metric,
            always: entry.always,
        })
    }
}
