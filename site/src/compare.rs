//! The page that compares two commits, which a script fills.

use perf_report::svg::escaped;

use crate::cli::About;
use crate::page::SitePage;

/// The scripts, in their order: the data come last.
const SCRIPTS: [&str; 5] = [
    "assets/list.js",
    "assets/chart.js",
    "assets/detail.js",
    "assets/compare.js",
    "data/index.js",
];

pub(crate) fn page(about: &About) -> String {
    let title = format!("{}: compare commits", about.title);
    let body = format!(
        "<header>\n<h1><bdi>{}</bdi>: compare commits</h1>\n</header>\n{FORM}",
        escaped(&about.title)
    );
    SitePage {
        title: &title,
        top: "",
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
<p id="count" role="status">Two commits are compared by a script: the tables need none.</p>
<div id="compared"></div>
</main>
"#;
