//! The level changes, newest commit first: a page and an Atom feed.

use std::collections::BTreeMap;

use perf_model::date;
use perf_report::number::counted;
use perf_report::svg::escaped;

use crate::cli::About;
use crate::collect::Collected;
use crate::page::{SitePage, joined, name, names_begin, place, subject, when};
use crate::runs::CommitRun;
use crate::series::{SeriesEntry, id};
use crate::summary::LevelChange;

/// The maximum number of commits on the page.
const COMMITS: usize = 200;

/// The maximum number of commits in the feed.
const FED: usize = 50;

/// The maximum number of benchmarks listed below a commit.
const LISTED: usize = 100;

/// The level changes whose first value belongs to a run, largest change first.
pub(crate) struct ChangedRun<'c> {
    run: usize,
    changes: Vec<(&'c SeriesEntry<'c>, &'c LevelChange)>,
}

/// Groups the level changes by the run of their first value, newest run first.
pub(crate) fn changed_runs<'c>(entries: &'c [SeriesEntry<'_>]) -> Vec<ChangedRun<'c>> {
    let mut runs: BTreeMap<usize, Vec<(&SeriesEntry<'_>, &LevelChange)>> = BTreeMap::new();
    for entry in entries {
        for change in &entry.summary.changes {
            let run = entry.series.runs.get(change.at).copied();
            runs.entry(run.unwrap_or_default())
                .or_default()
                .push((entry, change));
        }
    }
    let size = |change: &LevelChange| (change.after / change.before).ln().abs();
    let sorted = runs.into_iter().rev().map(|(run, mut changes)| {
        changes.sort_by(|a, b| size(b.1).total_cmp(&size(a.1)));
        ChangedRun { run, changes }
    });
    sorted.collect()
}

pub(crate) fn page(
    about: &About,
    collected: &Collected,
    entries: &[SeriesEntry<'_>],
    changed: &[ChangedRun<'_>],
) -> String {
    let shown = changed.iter().take(COMMITS);
    let runs: String = shown
        .map(|changed| section(about, collected, changed))
        .collect();
    let empty = if runs.is_empty() {
        "<p>No benchmark changed its level.</p>\n"
    } else {
        ""
    };
    let more = match changed.len().saturating_sub(COMMITS) {
        0 => String::new(),
        more => format!(
            "<p class=\"more\">And {}: see the charts.</p>\n",
            counted(more, "older commit")
        ),
    };
    let body = format!(
        "<header>\n<h1><bdi>{}</bdi>: changes of level</h1>\n<p>Commits whose values before and after differ \
         significantly. The first commit measured at a new level need not be the cause: see the commits between.{}</p>\n\
         </header>\n<main id=\"changes\">\n{empty}{runs}{more}</main>\n",
        escaped(&about.title),
        names_begin(entries),
    );
    let title = format!("{}: changes of level", about.title);
    SitePage {
        title: &title,
        scripts: &[],
        body: &body,
    }
    .to_html(about)
}

/// The number of changes of each kind, such as `3 slower, 1 faster`.
fn tally(changed: &ChangedRun<'_>) -> String {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for (entry, change) in &changed.changes {
        *words.entry(entry.word(change.is_worse)).or_default() += 1;
    }
    words
        .into_iter()
        .rev()
        .map(|(word, count)| format!("{count} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn section(about: &About, collected: &Collected, changed: &ChangedRun<'_>) -> String {
    let run = &collected.runs[changed.run];
    let items = changed.changes.iter().take(LISTED).map(|(entry, change)| {
        format!(
            "<li class=\"{}\"><a href=\"{}\">{}</a>, {}: <strong>{}</strong> <small>{}</small></li>\n",
            entry.class(change.is_worse),
            escaped(&chart(entry, run)),
            name(entry),
            escaped(&entry.metric),
            escaped(&entry.level(change)),
            place(&collected.scopes[entry.series.scope], &collected.machines[entry.series.machine]),
        )
    });
    let items: String = items.collect();
    let more = match changed.changes.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<li>and {more} more</li>\n"),
    };
    let parts = [
        when(run, about),
        subject(run, about),
        tally(changed),
        between(about, collected, changed),
    ];
    let head = joined(parts, " · ");
    format!("<section>\n<h2>{head}</h2>\n<ul>\n{items}{more}</ul>\n</section>\n")
}

/// Links to a comparison with the previously measured commit, and to the code changes since then. The previous commit is
/// taken from the series with the largest change.
fn between(about: &About, collected: &Collected, changed: &ChangedRun<'_>) -> String {
    let Some((entry, change)) = changed.changes.first() else {
        return String::new();
    };
    let Some(at) = change.at.checked_sub(1) else {
        return String::new();
    };
    let before = &collected.runs[entry.series.runs[at]];
    let run = &collected.runs[changed.run];
    if before.commit.is_empty() || run.commit.is_empty() {
        return String::new();
    }
    let [from, to] = [before, run].map(|run| escaped(run.short()));
    let links = format!("<a href=\"compare.html#{from}..{to}\">all changes</a>");
    match &about.repository {
        Some(repository) if before.is_hash() && run.is_hash() => format!(
            "{links} · <a href=\"{}/compare/{}...{}\">code between</a>",
            escaped(repository),
            before.commit,
            run.commit
        ),
        _ => links,
    }
}

/// The URL of a series' chart. If the run's commit is a hash, the chart opens with the commit selected.
fn chart(entry: &SeriesEntry<'_>, run: &CommitRun) -> String {
    if run.is_hash() {
        format!("index.html#id={}&at={}", entry.id, run.short())
    } else {
        format!("index.html#id={}", entry.id)
    }
}

pub(crate) fn feed(about: &About, collected: &Collected, changed: &[ChangedRun<'_>]) -> String {
    let dated = changed
        .iter()
        .filter(|changed| collected.runs[changed.run].date.is_some());
    let entries: String = dated
        .take(FED)
        .map(|changed| fed(about, collected, changed))
        .collect();
    let newest = collected
        .runs
        .iter()
        .filter_map(|run| run.date)
        .max()
        .unwrap_or_default();
    let base = about
        .site
        .as_deref()
        .map(|site| format!(" xml:base=\"{}/\"", escaped(site)));
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"{}>\n\
         <title>{}: changes of level</title>\n<id>urn:perf-gate:{}</id>\n<updated>{}</updated>\n\
         <author><name>perf-gate</name></author>\n<link href=\"changes.html\"/>\n\
         <link rel=\"self\" href=\"changes.xml\"/>\n{entries}</feed>\n",
        base.unwrap_or_default(),
        escaped(&about.title),
        id(&[&about.title]),
        date::text(newest),
    )
}

fn fed(about: &About, collected: &Collected, changed: &ChangedRun<'_>) -> String {
    let run = &collected.runs[changed.run];
    let lines = changed.changes.iter().take(LISTED).map(|(entry, change)| {
        let link = escaped(&chart(entry, run));
        format!(
            "<li><a href=\"{link}\">{}</a>, {}: {}</li>",
            escaped(&entry.name),
            escaped(&entry.metric),
            escaped(&entry.level(change))
        )
    });
    let content = format!("<ul>{}</ul>", lines.collect::<String>());
    let title = joined(
        [run.short(), &*run.subject, &*tally(changed)].map(escaped),
        ": ",
    );
    let link = run
        .address(about.repository.as_deref())
        .unwrap_or_else(|| "changes.html".to_owned());
    format!(
        "<entry>\n<title>{title}</title>\n<id>urn:perf-gate:{}</id>\n<updated>{}</updated>\n<link href=\"{}\"/>\n\
         <content type=\"html\">{}</content>\n</entry>\n",
        id(&[
            &about.title,
            &run.commit,
            &run.date.unwrap_or_default().to_string()
        ]),
        date::text(run.date.unwrap_or_default()),
        escaped(&link),
        escaped(&content),
    )
}
