//! Templates: the Markdown around the tables, which a project can replace.
//!
//! They are [Handlebars](https://handlebarsjs.com/guide/). What they are filled with is Markdown already, so
//! nothing is escaped here.

use handlebars::template::{Template, TemplateElement};
use handlebars::{Handlebars, RenderErrorReason, no_escape};
use serde::Serialize;

use crate::deltas::Deltas;
use crate::page::Page;

/// The region of a document, filled with a [`Page`].
pub const PAGE: &str = include_str!("../templates/page.md.hbs");

/// The differences, filled with [`Deltas`].
pub const DELTAS: &str = include_str!("../templates/deltas.md.hbs");

/// A template that is not Handlebars, or that asks for something that is not there.
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
        TemplateError { line, column, message: error.reason().to_string() }
    })?;
    if let Some(at) = handlebars.get_template("template").and_then(first_partial) {
        let message = "a template includes no other".to_owned();
        return Err(TemplateError { line: at.0, column: at.1, message });
    }
    let text = handlebars.render("template", data).map_err(|error| TemplateError {
        line: error.line_no.unwrap_or(1),
        column: error.column_no.unwrap_or(1),
        message: unfilled(error.reason()),
    })?;
    Ok(tidy(&text))
}

/// Where a template includes another or itself, which could go on for ever.
fn first_partial(template: &Template) -> Option<(usize, usize)> {
    template.elements.iter().zip(&template.mapping).find_map(|(element, place)| match element {
        TemplateElement::DecoratorExpression(_)
        | TemplateElement::DecoratorBlock(_)
        | TemplateElement::PartialExpression(_)
        | TemplateElement::PartialBlock(_) => Some((place.0, place.1)),
        TemplateElement::HelperBlock(block) => {
            [&block.template, &block.inverse].into_iter().flatten().find_map(first_partial)
        }
        _ => None,
    })
}

/// Why a template cannot be filled.
fn unfilled(reason: &RenderErrorReason) -> String {
    match reason {
        RenderErrorReason::MissingVariable(Some(name)) => format!("there is no `{name}` to fill in"),
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
        }
    }
}

/// At most one empty line in a row, and none at the ends; what stands in a fence stays as it is.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let (mut empty, mut fenced) = (true, false);
    for line in text.lines() {
        if line.trim().is_empty() && empty && !fenced {
            continue;
        }
        fenced ^= line.trim_start().starts_with("```");
        empty = line.trim().is_empty();
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy.truncate(tidy.trim_end().len());
    tidy.push('\n');
    tidy
}
