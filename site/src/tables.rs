//! Table pages with a chart in each row, which need no scripts.

use perf_report::svg::escaped;

use crate::cli::About;
use crate::collect::Collected;
use crate::data::CHUNK;
use crate::page::{self, SitePage, names_begin, place, when};
use crate::series::SeriesEntry;

/// The number of values in a chart.
const VALUES: usize = 100;

/// A page's file name.
pub(crate) fn name(number: usize) -> String {
    format!("tables/{number:04}.html")
}

pub(crate) fn page(
    about: &About,
    collected: &Collected,
    entries: &[SeriesEntry<'_>],
    number: usize,
) -> String {
    let first = number * CHUNK;
    let shown = &entries[first..entries.len().min(first + CHUNK)];
    let rows: String = shown
        .iter()
        .map(|entry| row(about, collected, entry))
        .collect();
    let pages = entries.len().div_ceil(CHUNK);
    let title = format!("{}: tables, {} of {pages}", about.title, number + 1);
    let nav = nav(number, pages);
    let body = format!(
        "<header>\n<h1><bdi>{}</bdi></h1>\n{nav}</header>\n<main>\n<table class=\"tables\">\n\
         <caption>The last {VALUES} values of each benchmark, with the normal range, the limit (dashed) and changes of \
         level (dotted).{}</caption>\n<thead><tr><th scope=\"col\">Benchmark</th><th scope=\"col\">Newest</th>\
         <th scope=\"col\">Compared with</th><th scope=\"col\">Change</th><th scope=\"col\">Limit</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">History</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n\
         {nav}</main>\n",
        escaped(&title),
        names_begin(entries),
    );
    SitePage {
        title: &title,
        top: "../",
        scripts: &[],
        body: &body,
    }
    .to_html(about)
}

fn nav(number: usize, pages: usize) -> String {
    let file = |number: usize| name(number).replace("tables/", "");
    let before = number
        .checked_sub(1)
        .map(|before| format!("<a rel=\"prev\" href=\"{}\">Before</a>", file(before)));
    let next = Some(number + 1).filter(|next| *next < pages);
    let next = next.map(|next| format!("<a rel=\"next\" href=\"{}\">Next</a>", file(next)));
    let links = [before, next]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ");
    format!("<p class=\"nav\">{links}</p>\n")
}

/// The reason for a verdict that is news, as HTML; otherwise empty.
fn why(entry: &SeriesEntry<'_>) -> String {
    let is_said = entry.summary.state.is_news() && !entry.why.is_empty();
    if is_said {
        format!("<small>{}</small>", escaped(&entry.why))
    } else {
        String::new()
    }
}

fn row(about: &About, collected: &Collected, entry: &SeriesEntry<'_>) -> String {
    let summary = &entry.summary;
    let text = |number: Option<f64>| {
        number
            .map(|number| escaped(&entry.units.text(number)))
            .unwrap_or_default()
    };
    let run = collected
        .runs
        .get(entry.last_run())
        .map(|run| when(run, about));
    format!(
        "<tr id=\"{id}\"><th scope=\"row\"><a href=\"../index.html#id={id}\">{}</a><small>{} · {}<br>{}</small></th>\
         <td data-label=\"Newest\">{}</td><td data-label=\"Compared with\">{}</td><td data-label=\"Change\">{}</td>\
         <td data-label=\"Limit\">{}</td><td data-label=\"Verdict\" class=\"{}\">{}{}</td><td>{}</td></tr>\n",
        page::name(entry),
        escaped(&entry.metric),
        place(
            &collected.scopes[entry.series.scope],
            &collected.machines[entry.series.machine]
        ),
        run.unwrap_or_default(),
        escaped(&entry.newest()),
        escaped(entry.reference()),
        escaped(entry.newest_change()),
        text(summary.limit),
        entry.verdict().0,
        escaped(&entry.verdict().1),
        why(entry),
        entry.line(VALUES, 480, 80),
        id = entry.id,
    )
}
