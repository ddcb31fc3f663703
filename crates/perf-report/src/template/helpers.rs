//! The helpers of templates.
//!
//! `{{join LIST SEPARATOR PREFIX}}` writes the entries of a list, by default as paragraphs. `{{fold SUMMARY TEXT…}}` writes
//! paragraphs and lists below a summary that unfolds them, or nothing if the first of them is empty.

use handlebars::{
    Context, Handlebars, Helper, HelperDef, PathAndJson, RenderContext, RenderError,
    RenderErrorReason, ScopedJson,
};
use serde_json::Value;

/// The space between two paragraphs.
const PARAGRAPH: &str = "\n\n";

pub(super) fn register(handlebars: &mut Handlebars<'_>) {
    handlebars.register_helper("join", Box::new(Written(join)));
    handlebars.register_helper("fold", Box::new(Written(fold)));
}

/// A helper that makes a text of its parameters.
struct Written(fn(&[&Value]) -> String);

impl HelperDef for Written {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        if let Some(missing) = helper
            .params()
            .iter()
            .find(|parameter| parameter.is_value_missing())
        {
            return Err(
                RenderErrorReason::MissingVariable(missing.relative_path().cloned()).into(),
            );
        }
        let parameters: Vec<&Value> = helper.params().iter().map(PathAndJson::value).collect();
        Ok(ScopedJson::Derived(Value::String((self.0)(&parameters))))
    }
}

fn join(parameters: &[&Value]) -> String {
    let text = |at: usize| parameters.get(at).and_then(|text| text.as_str());
    let entries = parameters.first().and_then(|list| list.as_array());
    joined(
        entries.into_iter().flatten(),
        text(1).unwrap_or(PARAGRAPH),
        text(2).unwrap_or_default(),
    )
}

fn joined<'v>(entries: impl Iterator<Item = &'v Value>, separator: &str, prefix: &str) -> String {
    let mut text = String::new();
    for (at, entry) in entries.enumerate() {
        let separator = if at == 0 { "" } else { separator };
        text.extend([separator, prefix, entry.as_str().unwrap_or_default()]);
    }
    text
}

fn fold(parameters: &[&Value]) -> String {
    let text = |value: &&Value| match value {
        Value::Array(entries) => joined(entries.iter(), "\n", "- "),
        text => text.as_str().unwrap_or_default().to_owned(),
    };
    let [summary, first, more @ ..] = parameters else {
        return String::new();
    };
    let first = text(first);
    if first.is_empty() {
        return first;
    }
    let more: String = more
        .iter()
        .map(text)
        .filter(|text| !text.is_empty())
        .map(|text| PARAGRAPH.to_owned() + &text)
        .collect();
    format!(
        "<details><summary>{}</summary>\n\n{first}{more}\n\n</details>",
        text(summary)
    )
}
