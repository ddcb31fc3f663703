//! The parts that all pages share, such as head, navigation and footer, and the page that compares commits.

use perf_report::names::parts;
use perf_report::svg::escaped;

use crate::cli::About;
use crate::runs::CommitRun;
use crate::series::{SeriesEntry, shared_ends};

/// The content security policy: scripts, style sheets and images come from the site itself. Nothing else is loaded, and
/// nothing is sent.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// The pages in the navigation: file name and title.
const PAGES: [(&str, &str); 4] = [
    ("index.html", "Overview"),
    ("changes.html", "Changes of level"),
    ("compare.html", "Compare commits"),
    ("changes.xml", "Feed"),
];

pub(crate) struct SitePage<'p> {
    pub(crate) title: &'p str,
    /// The scripts in load order.
    pub(crate) scripts: &'p [&'p str],
    /// The HTML between the navigation and the footer.
    pub(crate) body: &'p str,
}

impl SitePage<'_> {
    pub(crate) fn to_html(&self, about: &About) -> String {
        let body = self.body;
        let title = escaped(self.title);
        let scripts: Vec<String> = self
            .scripts
            .iter()
            .map(|name| format!("<script defer src=\"{name}\"></script>\n"))
            .collect();
        let scripts = scripts.concat();
        let repository = about
            .repository
            .as_deref()
            .map_or_else(String::new, |address| {
                format!("<a href=\"{0}\">{0}</a> · ", escaped(address))
            });
        let nav = PAGES
            .map(|(file, title)| format!("<a href=\"{file}\">{title}</a>"))
            .join(" · ");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<link rel=\"icon\" href=\"assets/icon.svg\">\n\
             <link rel=\"alternate\" type=\"application/atom+xml\" title=\"Changes of level\" href=\"changes.xml\">\n\
             <link rel=\"stylesheet\" href=\"assets/uplot.css\">\n\
             <link rel=\"stylesheet\" href=\"assets/site.css\">\n{scripts}</head>\n<body>\n<nav class=\"pages\">{nav}</nav>\n{body}\
             <footer>{repository}Made by perf-gate · <a href=\"LICENSES.txt\">Licences</a></footer>\n\
             </body>\n</html>\n"
        )
    }
}

/// A short commit hash, linked if the repository is known.
fn commit(run: &CommitRun, about: &About) -> String {
    let short = escaped(run.short());
    match run.address(about.repository.as_deref()) {
        Some(address) => format!("<a href=\"{}\"><code>{short}</code></a>", escaped(&address)),
        None if short.is_empty() => String::new(),
        None => format!("<code>{short}</code>"),
    }
}

/// A run's commit and date, if known.
pub(crate) fn when(run: &CommitRun, about: &About) -> String {
    joined(
        [
            commit(run, about),
            run.date.map(|_| run.day()).unwrap_or_default(),
        ],
        ", ",
    )
}

/// Joins the parts that are not empty.
pub(crate) fn joined<const N: usize>(parts: [String; N], between: &str) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(between)
}

/// A series name as HTML, with line break opportunities between its parts. The beginning and the end that all names share
/// are left out.
pub(crate) fn name(entry: &SeriesEntry<'_>) -> String {
    let parts: Vec<String> = parts(&entry.short)
        .iter()
        .map(|part| escaped(part))
        .collect();
    format!("<bdi>{}</bdi>", parts.join("<wbr>"))
}

/// The scope and the machine type as HTML. Empty names are left out.
pub(crate) fn place(scope: &str, machine: &str) -> String {
    let named = [scope, machine].into_iter().filter(|name| !name.is_empty());
    named
        .map(|name| format!("<bdi>{}</bdi>", escaped(name)))
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The commit subject, with a link to its pull request, which contains the report comment.
pub(crate) fn subject(run: &CommitRun, about: &About) -> String {
    let text = format!("<bdi>{}</bdi>", escaped(&run.subject));
    match about.repository.as_deref().zip(run.pull_request()) {
        _ if run.subject.is_empty() => String::new(),
        Some((repository, number)) => {
            format!(
                "{text} · <a href=\"{}/pull/{number}\">pull request {number}</a>",
                escaped(repository)
            )
        }
        None => text,
    }
}

/// A sentence with the beginning and the end that all names share, because the pages leave them out of each name. Empty if
/// the names share neither.
pub(crate) fn names_begin(entries: &[SeriesEntry<'_>]) -> String {
    let shared = shared_ends(entries);
    let mut parts = Vec::new();
    for (verb, text) in [("begin", shared.begin), ("end", shared.end)] {
        if !text.is_empty() {
            parts.push(format!("{verb} with <code>{}</code>", escaped(text)));
        }
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" Names {}", parts.join(" and "))
}

/// The scripts in load order. The data comes last, because it calls a function in the other scripts.
const SCRIPTS: [&str; 5] = [
    "assets/list.js",
    "assets/chart.js",
    "assets/detail.js",
    "assets/compare.js",
    "data/index.js",
];

/// Renders the page that compares two commits. A script fills it in the browser.
pub(crate) fn compare_page(about: &About) -> String {
    let title = format!("{}: compare commits", about.title);
    let body = format!(
        "<header>\n<h1><bdi>{}</bdi>: compare commits</h1>\n</header>\n{FORM}",
        escaped(&about.title)
    );
    SitePage {
        title: &title,
        scripts: &SCRIPTS,
        body: &body,
    }
    .to_html(about)
}

const FORM: &str = r#"<main id="compare">
<form id="controls">
<label>From <input id="from" list="commits" autocomplete="off" spellcheck="false"></label>
<label>To <input id="to" list="commits" autocomplete="off" spellcheck="false"></label>
<label>Shown <select id="shown"><option value="">Changes</option><option value="all">All</option></select></label>
<span><button id="swap" type="button">Swap</button> <button id="save" type="button">Download CSV</button></span>
</form>
<datalist id="commits"></datalist>
<p id="count" role="status">This comparison needs JavaScript.</p>
<div id="compared"></div>
</main>
"#;
