//! The layouts of the report and the page: Handlebars templates whose variables are finished Markdown.

use handlebars::{Handlebars, RenderError, no_escape};
use serde::Serialize;

/// The template of the report.
pub(crate) const REPORT: &str = include_str!("../templates/report.md.hbs");

/// The template of the page.
pub(crate) const PAGE: &str = include_str!("../templates/page.md.hbs");

/// The error for a template that does not fit its data.
#[derive(Debug, thiserror::Error)]
#[error("cannot fill the template: {_0}")]
pub struct TemplateError(#[from] RenderError);

/// Fills a template, and tidies the empty lines.
pub(crate) fn fill(template: &str, data: &impl Serialize) -> Result<String, TemplateError> {
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.set_strict_mode(true);
    Ok(tidy(&handlebars.render_template(template, data)?))
}

/// Removes repeated empty lines outside of code fences, and empty lines at both ends.
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
