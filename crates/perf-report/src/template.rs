//! Templates: the Markdown around the tables. The built-in report and page have one each, which a project can replace.
//!
//! They are [Handlebars](https://handlebarsjs.com/guide/) with two helpers, `join` and `fold`. The variables are Markdown
//! already, so nothing is escaped here.

mod checks;
mod helpers;
mod limits;

use handlebars::{Context, Handlebars, RenderError, RenderErrorReason, no_escape};
use serde::Serialize;

use self::limits::Bounded;

/// The built-in page, filled with a [`PageModel`](crate::page::PageModel), to start from.
pub const PAGE: &str = include_str!("../templates/page.md.hbs");

/// The built-in report, filled with [`DeltasModel`](crate::deltas::DeltasModel), to start from.
pub const DELTAS: &str = include_str!("../templates/deltas.md.hbs");

/// An invalid template, or one with an unknown variable.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct TemplateError {
    /// Name of the template's file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Description of the mistake.
    pub message: String,
}

/// A template that was parsed once, to be filled any number of times.
pub struct Layout {
    file: String,
    handlebars: Handlebars<'static>,
}

/// The name under which a layout registers its template.
const NAME: &str = "template";

impl Layout {
    /// Parses the template of a file.
    pub fn new(file: impl Into<String>, text: &str) -> Result<Self, TemplateError> {
        let mut layout = Self {
            file: file.into(),
            handlebars: Handlebars::new(),
        };
        if let Some((line, column, message)) = checks::before_parsing(text) {
            return Err(layout.mistake(Some((line, column)), message));
        }
        layout.handlebars.register_escape_fn(no_escape);
        layout.handlebars.set_strict_mode(true);
        helpers::register(&mut layout.handlebars);
        if let Err(error) = layout.handlebars.register_template_string(NAME, text) {
            return Err(layout.mistake(error.pos(), error.reason().to_string()));
        }
        match layout
            .handlebars
            .get_template(NAME)
            .and_then(checks::first_partial)
        {
            Some(place) => {
                Err(layout.mistake(Some(place), "a template cannot include another".to_owned()))
            }
            None => Ok(layout),
        }
    }

    /// The built-in report.
    pub fn of_report() -> Result<Self, TemplateError> {
        Self::new("deltas.md.hbs", DELTAS)
    }

    /// The built-in page.
    pub fn of_page() -> Result<Self, TemplateError> {
        Self::new("page.md.hbs", PAGE)
    }

    /// Fills the template.
    ///
    /// # Errors
    /// When the template has an unknown variable, or grows beyond its limits.
    pub fn fill(&self, data: &impl Serialize) -> Result<String, TemplateError> {
        let unfilled = |error: RenderError| {
            let place = error.line_no.zip(error.column_no);
            self.mistake(place, reason(error.reason()))
        };
        let data = Context::wraps(data).map_err(unfilled)?;
        let template = self.handlebars.get_template(NAME);
        if let Some(place) = template.and_then(|template| limits::too_often(template, data.data()))
        {
            return Err(self.mistake(
                Some(place),
                "blocks within blocks are repeated too often".to_owned(),
            ));
        }
        let mut text = Bounded::default();
        self.handlebars
            .render_with_context_to_write(NAME, &data, &mut text)
            .map_err(unfilled)?;
        Ok(tidy(&text.into_text()))
    }

    fn mistake(&self, place: Option<(usize, usize)>, message: String) -> TemplateError {
        let (line, column) = place.unwrap_or((1, 1));
        TemplateError {
            file: self.file.clone(),
            line,
            column,
            message,
        }
    }
}

/// The reason why a template cannot be filled.
fn reason(reason: &RenderErrorReason) -> String {
    match reason {
        RenderErrorReason::MissingVariable(Some(name)) => format!("unknown variable `{name}`"),
        RenderErrorReason::IOError(error) => error.to_string(),
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_lowercase().chain(letters).collect()
            })
        }
    }
}

/// Leaves at most one empty line in a row, and none at the ends, except within a fence.
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
