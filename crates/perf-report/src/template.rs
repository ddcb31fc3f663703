//! Templates: the Markdown around the tables, which a project can replace.
//!
//! They are [Handlebars](https://handlebarsjs.com/guide/), of which the feature `templates` brings the engine: the
//! built-in report and page do not need it. The variables are Markdown already, so nothing is escaped here.

#[cfg(feature = "templates")]
mod fill;
#[cfg(feature = "templates")]
mod limits;

#[cfg(feature = "templates")]
use self::fill::fill;
use crate::deltas::Deltas;
use crate::page::Page;

/// The built-in page, filled with a [`Page`], to start from.
pub const PAGE: &str = include_str!("../templates/page.md.hbs");

/// The built-in report, filled with [`Deltas`], to start from.
pub const DELTAS: &str = include_str!("../templates/deltas.md.hbs");

/// An invalid template, or one with an unknown variable.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct TemplateError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Fills a page's template.
///
/// # Errors
/// When the template is invalid or has an unknown variable.
pub fn page(template: &str, page: &Page) -> Result<String, TemplateError> {
    fill(template, page)
}

/// Fills a report's template.
///
/// # Errors
/// When the template is invalid or has an unknown variable.
pub fn deltas(template: &str, deltas: &Deltas) -> Result<String, TemplateError> {
    fill(template, deltas)
}

#[cfg(not(feature = "templates"))]
fn fill(_: &str, _: &impl serde::Serialize) -> Result<String, TemplateError> {
    let message = "this build has no templates: build it with the feature `templates`".to_owned();
    Err(TemplateError { line: 1, column: 1, message })
}
