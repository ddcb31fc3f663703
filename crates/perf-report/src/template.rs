//! The layouts of report and page: Handlebars templates whose variables are finished Markdown.

use handlebars::{Handlebars, RenderError, no_escape};
use serde::Serialize;

/// The layout of the report.
pub(crate) const REPORT: &str = include_str!("../templates/report.md.hbs");

/// The layout of the page.
pub(crate) const PAGE: &str = include_str!("../templates/page.md.hbs");

/// A template that does not fit its data.
#[derive(Debug, thiserror::Error)]
#[error("cannot fill the template: {_0}")]
pub struct TemplateError(#[from] RenderError);

/// Fills a template.
pub(crate) fn fill(template: &str, data: &impl Serialize) -> Result<String, TemplateError> {
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.set_strict_mode(true);
    Ok(tidy(&handlebars.render_template(template, data)?))
}

/// Removes repeated empty lines and those at the ends, except within a fence.
fn tidy(text: &str) -> String {
    let mut tidy = String::new();
    let (mut is_after_empty, mut is_fenced) = (true, false);
    for line in text.lines() {
        let is_empty = line.trim().is_empty();
        if is_empty && is_after_empty && !is_fenced {
            continue;
        }
        is_fenced ^= line.trim_start().starts_with("```");
        is_after_empty = is_empty;
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy.truncate(tidy.trim_end().len());
    tidy.push('\n');
    tidy
}
