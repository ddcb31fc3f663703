//! Limits of what a template makes: blocks that repeat within each other multiply.

use std::io::{self, Write};

use handlebars::template::{Template, TemplateElement};
use serde_json::Value;

/// The maximum number of repetitions of all blocks of a template together: many times the rows of the largest report.
const MOST_REPETITIONS: usize = 10_000_000;

/// The maximum size of a filled template in bytes, which no report comes near.
const LARGEST: usize = 64 * 1024 * 1024;

/// Blocks that are there once.
const SINGLE: [&str; 4] = ["if", "unless", "with", "raw"];

/// The place (line, column) at which a template begins to repeat its blocks too often, if each list is as long as the
/// longest of the data.
pub(super) fn too_often(template: &Template, data: &Value) -> Option<(usize, usize)> {
    let longest = longest(data);
    let mut all = 0_usize;
    let is_over = |(element, _): &(&TemplateElement, _)| {
        all = all.saturating_add(repetitions(element, longest));
        all > MOST_REPETITIONS
    };
    let (_, place) = template
        .elements
        .iter()
        .zip(&template.mapping)
        .find(is_over)?;
    Some((place.0, place.1))
}

fn repetitions(element: &TemplateElement, longest: usize) -> usize {
    let TemplateElement::HelperBlock(block) = element else {
        return 0;
    };
    let parts = [&block.template, &block.inverse].into_iter().flatten();
    let within = parts
        .flat_map(|part| &part.elements)
        .map(|element| repetitions(element, longest));
    let within = within.fold(1, usize::saturating_add);
    let is_single = block
        .name
        .as_name()
        .is_some_and(|name| SINGLE.contains(&name));
    if is_single {
        within
    } else {
        within.saturating_mul(longest)
    }
}

/// The length of the longest list or table.
fn longest(data: &Value) -> usize {
    let inner = |values: &mut dyn Iterator<Item = &Value>| values.map(longest).max().unwrap_or(1);
    match data {
        Value::Array(list) => list.len().max(inner(&mut list.iter())),
        Value::Object(table) => table.len().max(inner(&mut table.values())),
        _ => 1,
    }
}

/// A text of limited length.
#[derive(Default)]
pub(super) struct Bounded(Vec<u8>);

impl Bounded {
    pub(super) fn into_text(self) -> String {
        String::from_utf8(self.0)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Write for Bounded {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.0.len() + text.len() > LARGEST {
            let limit = LARGEST / (1024 * 1024);
            return Err(io::Error::other(format!(
                "the result is larger than {limit} MiB"
            )));
        }
        self.0.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Layout;

    #[test]
    fn templates_cannot_multiply() {
        let list: Vec<usize> = (0..2_000).collect();
        let data = json!({ "list": list, "rows": { "a": 1 }, "text": "x".repeat(1024 * 1024) });
        let filled = |template: &str| {
            let filled = Layout::new("t", template).and_then(|layout| layout.fill(&data));
            filled.map_err(|error| error.to_string())
        };
        assert_eq!(
            filled("{{#each list}}a{{/each}}").map(|text| text.len()),
            Ok(2_001)
        );
        let often = Err("t:2:1: blocks within blocks are repeated too often".to_owned());
        for [open, close] in [
            ["{{#each list}}", "{{/each}}"],
            ["{{#list}}", "{{/list}}"],
            ["{{#each rows}}", "{{/each}}"],
        ] {
            let nested = |depth: usize| format!("a\n{}{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(filled(&nested(3)), often, "{open}");
            let hidden = format!(
                "a\n{{{{#if list}}}}{{{{else}}}}{}{{{{/if}}}}",
                &nested(40)[2..]
            );
            assert_eq!(filled(&hidden), often, "{open}");
        }
        let large = Err("the result is larger than 64 MiB".to_owned());
        let repeated = filled("{{#each list}}{{../text}}{{/each}}");
        assert_eq!(
            repeated.map(|text| text.len()).map_err(|error| error
                .rsplit(": ")
                .next()
                .unwrap_or_default()
                .to_owned()),
            large
        );
        assert_eq!(
            filled(&" ".repeat(2_000_000)),
            Err("t:1:1: a template has at most 1048576 bytes".to_owned())
        );
    }
}
