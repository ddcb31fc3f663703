//! Checks the headings and columns in the page's marked section.

use super::PRIMARY;
use super::build::{Built, ConfigBuilder};
use super::file::PageSection;
use crate::file::Spanned;
use crate::glob::is_match;
use perf_model::suggest::suggest;

/// The placeholders in a heading.
const PLACEHOLDERS: [&str; 3] = ["scope", "backend", "where"];

impl ConfigBuilder<'_> {
    pub(super) fn page(&self, section: &PageSection) -> Built<PageSection> {
        let level = *section.heading_level;
        if !(1..=6).contains(&level) {
            let message = format!("headings have levels 1 to 6, not `{level}`");
            return Err(self.error(&section.heading_level, message));
        }
        if let Some(name) = &section.region
            && !is_match(r"^[\w.-]+$", name)
        {
            let hint = "region names consist of letters, digits, `.`, `-` and `_`";
            return self.refuse(name, format!("invalid region name `{name}`"), hint);
        }
        self.heading(&section.heading)?;
        for column in section.columns.iter().flatten() {
            if *column.metric != PRIMARY {
                self.resolve(&column.metric)?;
            }
        }
        Ok(section.clone())
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
}
