//! Filling a template with Handlebars.

use handlebars::template::{Template, TemplateElement};
use handlebars::{Context, Handlebars, RenderError, RenderErrorReason, no_escape};
use serde::Serialize;

use super::TemplateError;
use super::limits::{Bounded, too_often};

/// How many bytes a template has at most: the engine takes many times as much memory.
const LONGEST: usize = 1024 * 1024;

pub(super) fn fill(template: &str, data: &impl Serialize) -> Result<String, TemplateError> {
    if template.len() > LONGEST {
        let message = format!("a template has at most {LONGEST} bytes");
        return Err(TemplateError { line: 1, column: 1, message });
    }
    if let Some(offset) = too_deep(template) {
        let before = &template[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = format!("nested too deeply: limit is {DEEPEST} levels");
        return Err(TemplateError { line, column, message });
    }
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.set_strict_mode(true);
    handlebars.register_template_string("template", template).map_err(|error| {
        let (line, column) = error.pos().unwrap_or((1, 1));
        TemplateError { line, column, message: error.reason().to_string() }
    })?;
    if let Some(at) = handlebars.get_template("template").and_then(first_partial) {
        let message = "a template cannot include another".to_owned();
        return Err(TemplateError { line: at.0, column: at.1, message });
    }
    let unfilled = |error: RenderError| TemplateError {
        line: error.line_no.unwrap_or(1),
        column: error.column_no.unwrap_or(1),
        message: unfilled(error.reason()),
    };
    let data = Context::wraps(data).map_err(unfilled)?;
    if let Some((line, column)) =
        handlebars.get_template("template").and_then(|template| too_often(template, data.data()))
    {
        let message = "blocks within blocks are repeated too often".to_owned();
        return Err(TemplateError { line, column, message });
    }
    let mut text = Bounded::default();
    handlebars.render_with_context_to_write("template", &data, &mut text).map_err(unfilled)?;
    Ok(tidy(&text.into_text()))
}

/// How deep blocks, or the expressions in a tag, may be nested: the engine calls itself for each level.
const DEEPEST: usize = 64;

/// Where a template is nested more deeply than that. Each `else` with a condition is a level of its own.
fn too_deep(template: &str) -> Option<usize> {
    let mut blocks: Vec<usize> = Vec::new();
    let mut from = 0;
    while let Some(start) = template[from..].find("{{").map(|at| from + at) {
        let end = template[start..].find("}}").map_or(template.len(), |at| start + at);
        let tag = &template[start..end];
        let name = tag.trim_start_matches(['{', '~']).trim_start();
        match name.as_bytes() {
            [b'#', ..] | [b'^', _, ..] => blocks.push(1),
            [b'/', ..] => drop(blocks.pop()),
            _ if name.starts_with("else ") => blocks.last_mut().into_iter().for_each(|levels| *levels += 1),
            _ => {}
        }
        if blocks.iter().sum::<usize>() > DEEPEST || tag.matches(['(', '[']).count() > DEEPEST {
            return Some(start);
        }
        from = end.max(start + 2);
    }
    None
}

/// Where a template includes another or itself, which might never end.
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
        RenderErrorReason::MissingVariable(Some(name)) => format!("unknown variable `{name}`"),
        RenderErrorReason::IOError(error) => error.to_string(),
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
