//! Any text as a template, filled with a report and a page whose texts it also chooses: no panic, an end in time, a
//! mistake has a place in the template, and what is filled is tidy.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_report::page::{PageModel, Section};
use perf_report::template::{Layout, TemplateError};

fuzz_target!(|data: &[u8]| {
    // The template and a text of the page, with a unit separator between them.
    let text = String::from_utf8_lossy(data);
    let (template, value) = text
        .split_once('\u{1f}')
        .unwrap_or((&text, "| a | b |\n{{summary}}"));
    let fill = || Layout::new("t", template)?.fill(&page(value));
    let filled = fill();
    mistake_has_a_place(template, &filled);
    if let Ok(filled) = filled {
        assert!(
            filled.ends_with('\n') && !filled.starts_with('\n') || filled == "\n",
            "{filled:?}"
        );
        assert_eq!(fill().ok().as_ref(), Some(&filled));
    }
});

fn mistake_has_a_place(template: &str, filled: &Result<String, TemplateError>) {
    if let Err(error) = filled {
        let lines = template.matches('\n').count() + 1;
        assert!(
            error.column >= 1 && (1..=lines).contains(&error.line),
            "{error}"
        );
        assert!(
            !error.message.is_empty() && !error.message.contains('\n'),
            "{error}"
        );
    }
}

fn page(value: &str) -> PageModel {
    let section = Section {
        heading: value.to_owned(),
        platform: String::new(),
        chart: String::new(),
        table: value.to_owned(),
    };
    PageModel {
        region: "PERFORMANCE".to_owned(),
        hashes: "##".to_owned(),
        measured: value.to_owned(),
        commits: vec![value.to_owned()],
        runner: String::new(),
        tables: vec![section.clone(), section],
        matrices: vec![],
        notes: value.lines().map(str::to_owned).collect(),
        files: vec![],
    }
}
