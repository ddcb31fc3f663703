//! The first page: recent changes, and the list of all benchmarks, which a script fills.

use perf_report::number::counted;
use perf_report::svg::escaped;

use crate::cli::About;
use crate::collect::Collected;
use crate::page::{SitePage, joined, name, names_begin, place, subject, when};
use crate::series::{RECENT, SeriesEntry};

/// The maximum number of recent changes on the page.
const SHOWN: usize = 12;

/// The scripts in load order. The data comes last, because it calls a function in the other scripts.
const SCRIPTS: [&str; 5] = [
    "assets/uplot.js",
    "assets/list.js",
    "assets/chart.js",
    "assets/detail.js",
    "data/index.js",
];

pub(crate) fn page(about: &About, collected: &Collected, entries: &[SeriesEntry<'_>]) -> String {
    let body = format!(
        "<header>\n<h1><bdi>{}</bdi></h1>\n<p>{}</p>\n</header>\n<main>\n<div id=\"overview\">\n{}{CONTROLS}{NO_SCRIPTS}</div>\n\
         <article id=\"detail\" hidden></article>\n</main>\n",
        escaped(&about.title),
        summary(about, collected, entries),
        lately(about, collected, entries),
    );
    SitePage {
        title: &about.title,
        scripts: &SCRIPTS,
        body: &body,
    }
    .to_html(about)
}

fn summary(about: &About, collected: &Collected, entries: &[SeriesEntry<'_>]) -> String {
    let mut parts = vec![
        counted(entries.len(), "chart"),
        counted(collected.runs.len(), "commit"),
    ];
    if collected.machines.len() > 1 {
        parts.push(format!("{} machine types", collected.machines.len()));
    }
    if let Some(run) = collected.runs.last() {
        parts.push(format!("newest commit {}", when(run, about)));
    }
    parts.join(" · ") + "." + &names_begin(entries)
}

/// Renders the recent changes, newest run first. The changes of a run are sorted by size, largest first.
fn lately(about: &About, collected: &Collected, entries: &[SeriesEntry<'_>]) -> String {
    let mut changed: Vec<(usize, &SeriesEntry<'_>)> = entries
        .iter()
        .filter_map(|entry| Some((entry.changed_in()?, entry)))
        .collect();
    let size = |entry: &SeriesEntry<'_>| entry.loss().abs();
    changed.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| size(b.1).total_cmp(&size(a.1))));
    let head = "<section id=\"lately\" aria-labelledby=\"lately-heading\">\n<h2 id=\"lately-heading\">Recent changes</h2>\n";
    if changed.is_empty() {
        return format!(
            "{head}<p>No change in the last {RECENT} values of any benchmark.</p>\n</section>\n"
        );
    }
    let mut cards = String::new();
    for (run, entry) in changed.iter().take(SHOWN) {
        cards += &card(about, collected, *run, entry);
    }
    let more = match changed.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => {
            format!(
                "<p class=\"more\">{more} more: to see them, sort the list by recent changes.</p>\n"
            )
        }
    };
    format!("{head}<ul class=\"cards\">\n{cards}</ul>\n{more}</section>\n")
}

fn card(about: &About, collected: &Collected, run: usize, entry: &SeriesEntry<'_>) -> String {
    let (class, words) = news(entry);
    let when = joined(
        [
            when(&collected.runs[run], about),
            subject(&collected.runs[run], about),
        ],
        ": ",
    );
    format!(
        "<li class=\"{class}\"><h3><a href=\"index.html#id={}\">{}</a></h3>\
         <p class=\"place\">{} · {}</p><p><strong>{}</strong><br>{when}</p>{}</li>\n",
        entry.id,
        name(entry),
        escaped(&entry.metric),
        place(
            &collected.scopes[entry.series.scope],
            &collected.machines[entry.series.machine]
        ),
        escaped(&words),
        entry.line(60, 320, 72),
    )
}

/// The CSS class and the words for a recent change: the newest value's change if its verdict is news, otherwise the recent
/// level change.
fn news(entry: &SeriesEntry<'_>) -> (&'static str, String) {
    let state = entry.summary.state;
    let mut words = entry.newest();
    if state.is_news() {
        if !entry.reference().is_empty() {
            words = format!("{} → {words}", entry.reference());
        }
        if !entry.newest_change().is_empty() {
            words = format!("{words}, {}", entry.newest_change());
        }
        return (state.key(), format!("{words}: {}", entry.state()));
    }
    if let Some(change) = entry.recent() {
        let words = format!("New level: {}", entry.level(change));
        return (entry.class(change.is_worse), words);
    }
    (state.key(), words)
}

/// A sentence for readers without scripts.
const NO_SCRIPTS: &str = "<noscript><p>The benchmark list and the charts need JavaScript. <a href=\"changes.html\">All changes of level</a> do not.</p></noscript>\n";

/// The search form and the list, hidden until a script fills them.
const CONTROLS: &str = r#"<section id="list" aria-labelledby="list-heading" hidden>
<h2 id="list-heading">All benchmarks</h2>
<form id="controls" role="search">
<label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Scope <select id="scope"><option value="">All</option></select></label>
<label>Machine <select id="machine"><option value="">All</option></select></label>
<label>Metric <select id="metric"><option value="">All</option></select></label>
<label>Show <select id="state"><option value="">All</option><option value="changed">Changed recently</option><option value="regressed">Regressed</option><option value="inconclusive">Inconclusive</option><option value="improved">Improved</option><option value="within">Within limits</option></select></label>
<label>Sort by <select id="order"><option value="">As configured</option><option value="recent">Recent changes</option><option value="worst">Largest slowdown</option><option value="best">Largest improvement</option><option value="name">Name</option></select></label>
<span><button id="save" type="button">Download CSV</button></span>
</form>
<p id="count" role="status"></p>
<div id="table" role="table" aria-labelledby="list-heading">
<div class="row head" role="row"><span role="columnheader">Benchmark</span><span role="columnheader">Metric</span><span role="columnheader">Newest</span><span role="columnheader">Compared with</span><span role="columnheader">Change</span><span role="columnheader">Verdict</span><span role="columnheader">Trend</span></div>
<div id="rows" role="rowgroup"></div>
</div>
</section>
"#;
