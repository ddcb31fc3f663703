//! The site in a real Chromium. Skipped, with the reason, where its driver is missing.

// Addresses of files are others elsewhere, and the site is the same.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod driver;
mod history;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use perf_site::{Cli, run};
use serde_json::{Value, json};
use tempfile::TempDir;

use driver::{Browser, Screen};

/// One browser at a time: each takes a core.
static TURN: Mutex<()> = Mutex::new(());

/// A site of this history.
fn site(csv: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let [history, output] = ["history.csv", "site"].map(|name| folder.path().join(name));
    std::fs::write(&history, csv).unwrap();
    let line =
        ["perf-gate site", "--quiet", "--title", "Quill", "--repository", "https://git.example/octo/quill"];
    let line =
        line.into_iter().map(PathBuf::from).chain(["--history".into(), history, "--output".into(), output]);
    run(&Cli::try_parse_from(line).unwrap()).unwrap();
    folder
}

/// Does something in a browser that shows a page of the site.
fn visit(site: &Path, page: &str, screen: Screen, act: impl FnOnce(&Browser)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(browser) = Browser::start(screen) else {
        eprintln!("skipped: `chromedriver` is not installed");
        return;
    };
    let top = format!("file://{}/site/", site.canonicalize().unwrap().display());
    browser.open(&format!("{top}{page}"));
    act(&browser);
    assert_eq!(browser.console(), [""; 0], "messages on the console");
    let foreign: Vec<String> = browser.requests().into_iter().filter(|url| !url.starts_with(&top)).collect();
    assert_eq!(foreign, [""; 0], "requests to elsewhere");
}

/// The names of the rows in view.
fn names(browser: &Browser) -> Vec<String> {
    browser.texts("#rows .name a")
}

#[test]
fn the_overview_opens_with_recent_changes_and_all_series() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        assert_eq!(browser.texts("h1"), ["Quill"]);
        assert_eq!(browser.texts("#lately h3"), ["Write <b>rows</b> & columns", "Read quoted fields"]);
        assert_eq!(browser.texts("#count"), ["6 charts"]);
        assert_eq!(names(browser).len(), 6);
        assert_eq!(browser.run("return document.querySelectorAll('b, img').length"), json!(0));
        let sizes =
            browser.run("const b = document.body; return [b.scrollWidth <= innerWidth, b.offsetWidth > 900]");
        assert_eq!(sizes, json!([true, true]));
    });
}

#[test]
fn search_and_filters_choose_rows() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        browser.write("#search", "QUOTED read");
        assert_eq!(names(browser), ["Read quoted fields", "Read quoted fields"]);
        assert_eq!(browser.texts("#count"), ["2 of 6 charts"]);
        browser.choose("#scope", "wasm");
        assert_eq!(names(browser), ["Read quoted fields"]);
        let address = browser.run("return location.hash");
        assert_eq!(address, json!("#q=QUOTED+read&scope=wasm"));
        browser.run("location.hash = 'state=regressed'");
        browser.wait("return document.querySelectorAll('#rows .row').length === 1");
        assert_eq!(names(browser), ["Write <b>rows</b> & columns"]);
        browser.choose("#state", "improved");
        assert_eq!(names(browser), [""; 0]);
        browser.choose("#state", "regressed");
        browser.write("#search", "nothing has this name");
        assert_eq!(names(browser), [""; 0]);
    });
}

#[test]
fn a_chart_follows_the_keyboard_and_links_commits() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        browser.press("#rows .row:first-child a", driver::ARROW_DOWN);
        assert_eq!(browser.run("return document.activeElement.closest('.row').ariaRowIndex"), json!("3"));
        browser.press("#rows .row:first-child a", driver::ENTER);
        browser.wait("return document.querySelector('#plot canvas') !== null");
        assert_eq!(browser.texts("#detail h2"), ["Read 5 columns"]);
        let before = browser.texts("#point");
        browser.press("#plot", driver::ARROW_LEFT);
        let after = browser.texts("#point");
        assert!(before != after && after[0].contains("2031-02-08"), "{before:?} {after:?}");
        let link = browser.run("return document.querySelector('#point a').href");
        assert!(
            link.as_str().is_some_and(|link| link.starts_with("https://git.example/octo/quill/commit/")),
            "{link}"
        );
        let drawn = "const c = document.querySelector('#plot canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;\
                     return d.some((part) => part > 0)";
        assert_eq!(browser.run(drawn), json!(true));
        browser.run("document.querySelector('details summary').click()");
        browser.wait("return document.querySelectorAll('details tr').length === 41");
        browser.run("history.back()");
        browser.wait("return !document.getElementById('overview').hidden");
    });
}

#[test]
fn a_chart_has_the_verdict_of_the_gate_and_its_reason() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html#state=regressed", Screen::Desktop, |browser| {
        browser.wait("return document.querySelectorAll('#rows .row').length === 1");
        let row = browser.texts("#rows .row [role=cell]");
        assert!(row.iter().any(|cell| cell == "✖ regressed"), "{row:?}");
        browser.press("#rows .row:first-child a", driver::ENTER);
        browser.wait("return document.querySelector('#plot canvas') !== null");
        let said = browser.texts("#verdict");
        for part in ["✖ regressed: ", "the median of 30", "limit "] {
            assert!(said[0].contains(part), "{said:?} lacks {part}");
        }
    });
}

#[test]
fn nothing_scrolls_sideways_on_a_phone() {
    let site = site(&history::ordinary());
    let id = first_id(&site);
    let fits = "return document.documentElement.scrollWidth <= window.innerWidth";
    for page in ["index.html", &format!("index.html#id={id}"), "tables/0000.html"] {
        visit(site.path(), page, Screen::Phone, |browser| {
            browser.wait("return document.querySelector('#plot canvas, #rows .row, table') !== null");
            assert_eq!(browser.run("return window.innerWidth"), json!(390), "{page}");
            assert_eq!(browser.run(fits), json!(true), "{page}");
        });
    }
}

#[test]
fn only_rows_in_view_are_drawn() {
    let site = site(&history::large(2_000, 12));
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        let rows = "return document.querySelectorAll('#rows .row').length";
        assert!(browser.run(rows).as_u64().is_some_and(|count| (5..100).contains(&count)));
        browser.run("window.scrollTo(0, document.body.scrollHeight)");
        browser.wait(
            "return [...document.querySelectorAll('#rows a')].some((a) => a.textContent === 'bench_01999')",
        );
        assert!(browser.run(rows).as_u64().is_some_and(|count| count < 100));
        browser.write("#search", "bench_00042");
        assert_eq!(names(browser), ["bench_00042"]);
    });
}

#[test]
fn hostile_names_stay_text() {
    let site = site(&history::hostile());
    for page in ["index.html", "tables/0000.html"] {
        visit(site.path(), page, Screen::Desktop, |browser| {
            let state = browser.run("return [document.querySelectorAll('img, body script, iframe').length, window.hacked ?? null]");
            assert_eq!(state, json!([0, null]), "{page}");
            let text = browser.run("return document.body.textContent");
            assert!(
                text.as_str().is_some_and(|text| text.contains("<img src=x onerror=hacked=1>")),
                "{page}: {text}"
            );
        });
    }
}

fn first_id(site: &TempDir) -> String {
    let text = std::fs::read_to_string(site.path().join("site/data/index.js")).unwrap();
    let json = text.strip_prefix("perfSite(").and_then(|text| text.strip_suffix(");\n")).unwrap();
    let data: Value = serde_json::from_str(json).unwrap();
    data["series"]["id"][0].as_str().unwrap().to_owned()
}
