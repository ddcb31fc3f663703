//! Templates: the Markdown around the tables, which a project can replace.
//!
//! They are [Handlebars](https://handlebarsjs.com/guide/). What they are filled with is Markdown already, so
//! nothing is escaped here.

use handlebars::{Handlebars, no_escape};
use serde::Serialize;

use crate::deltas::Deltas;
use crate::page::Page;

/// The region of a document, filled with a [`Page`].
pub const PAGE: &str = include_str!("../templates/page.md.hbs");

/// The differences, filled with [`Deltas`].
pub const DELTAS: &str = include_str!("../templates/deltas.md.hbs");

/// A template that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// It is not Handlebars.
    #[error("{line}:{column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// It asks for something that is not there.
    #[error("{0}")]
    Fill(String),
}

/// Fills a page's template.
///
/// # Errors
/// When the template is not Handlebars, or asks for what a page does not have.
pub fn page(template: &str, page: &Page) -> Result<String, TemplateError> {
    fill(template, page)
}

/// Fills a template of differences.
///
/// # Errors
/// When the template is not Handlebars, or asks for what differences do not have.
pub fn deltas(template: &str, deltas: &Deltas) -> Result<String, TemplateError> {
    fill(template, deltas)
}

fn fill(template: &str, data: &impl Serialize) -> Result<String, TemplateError> {
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.set_strict_mode(true);
    handlebars.register_template_string("template", template).map_err(|error| {
        let (line, column) = error.pos().unwrap_or((1, 1));
        TemplateError::Syntax { line, column, message: error.reason().to_string() }
    })?;
    let text = handlebars.render("template", data);
    text.map(|text| tidy(&text)).map_err(|error| TemplateError::Fill(error.reason().to_string()))
}

/// At most one empty line in a row, none at the ends, no white space before line ends.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && empty {
            continue;
        }
        empty = line.is_empty();
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy.truncate(tidy.trim_end().len());
    tidy.push('\n');
    tidy
}
