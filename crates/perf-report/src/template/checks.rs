//! Refuses templates that would exhaust the engine, which calls itself for each level.

use handlebars::template::{Template, TemplateElement};

/// Most bytes of a template: the engine takes many times as much memory.
const LONGEST: usize = 1024 * 1024;

/// Most levels of blocks, or of expressions in a tag.
const DEEPEST: usize = 64;

/// The line, the column and the description of what keeps a template from being parsed.
pub(super) fn before_parsing(template: &str) -> Option<(usize, usize, String)> {
    if template.len() > LONGEST {
        return Some((1, 1, format!("a template has at most {LONGEST} bytes")));
    }
    let before = &template[..too_deep(template)?];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    Some((
        line,
        column,
        format!("nested too deeply: limit is {DEEPEST} levels"),
    ))
}

/// The offset at which a template is nested too deeply. Each `else` with a condition is a level of its own.
fn too_deep(template: &str) -> Option<usize> {
    let mut blocks: Vec<usize> = Vec::new();
    let mut from = 0;
    while let Some(start) = template[from..].find("{{").map(|at| from + at) {
        let end = template[start..]
            .find("}}")
            .map_or(template.len(), |at| start + at);
        let tag = &template[start..end];
        let name = tag.trim_start_matches(['{', '~']).trim_start();
        match name.as_bytes() {
            [b'#', ..] | [b'^', _, ..] => blocks.push(1),
            [b'/', ..] => drop(blocks.pop()),
            _ if name.starts_with("else ") => blocks
                .last_mut()
                .into_iter()
                .for_each(|levels| *levels += 1),
            _ => {}
        }
        if blocks.iter().sum::<usize>() > DEEPEST || tag.matches(['(', '[']).count() > DEEPEST {
            return Some(start);
        }
        from = end.max(start + 2);
    }
    None
}

/// The place at which a template includes another or itself, which might never end.
pub(super) fn first_partial(template: &Template) -> Option<(usize, usize)> {
    template
        .elements
        .iter()
        .zip(&template.mapping)
        .find_map(|(element, place)| match element {
            TemplateElement::DecoratorExpression(_)
            | TemplateElement::DecoratorBlock(_)
            | TemplateElement::PartialExpression(_)
            | TemplateElement::PartialBlock(_) => Some((place.0, place.1)),
            TemplateElement::HelperBlock(block) => [&block.template, &block.inverse]
                .into_iter()
                .flatten()
                .find_map(first_partial),
            _ => None,
        })
}
