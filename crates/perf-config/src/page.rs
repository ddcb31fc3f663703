//! The marked region of the performance page: its headings and columns.

use super::PRIMARY;
use super::build::{Built, ConfigBuilder, each, optional};
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
        let level = *section.heading_level;
        if !(1..=6).contains(&level) {
            let message = format!("headings have levels 1 to 6, not `{level}`");
            return Err(self.error(&section.heading_level, message));
        }
        Ok(PageConfig {
            region: optional(&section.region, |name| self.region(name))?,
            heading_level: level,
            heading: self.heading(&section.heading)?,
            scenario_label: section.scenario_label.clone(),
            columns: optional(&section.columns, |columns| {
                each(columns, |entry| self.column(entry))
            })?,
            align_right: section.align_right.unwrap_or(section.columns.is_none()),
        })
    }

    fn region(&self, name: &Spanned<String>) -> Built<String> {
        let text = &**name;
        if !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b))
        {
            return Ok(text.to_owned());
        }
        let hint = "region names consist of letters, digits, `.`, `-` and `_`";
        self.refuse(name, format!("invalid region name `{text}`"), hint)
    }

    /// Checks that every `{…}` in a heading is a known placeholder.
    pub(super) fn heading(&self, heading: &Spanned<String>) -> Built<String> {
        let text = &**heading;
        let braced = text
            .split('{')
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('}')?.0));
        for place in braced {
            if !PLACEHOLDERS.contains(&place) {
                let error = self.error(heading, format!("unknown placeholder `{{{place}}}`"));
                return Err(error.with_hint(suggest(place, PLACEHOLDERS)));
            }
        }
        Ok(text.to_owned())
    }

    fn column(&self, entry: &ColumnEntry) -> Built<PageColumn> {
        let metric = if *entry.metric == PRIMARY {
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
