//! The site in a real Chromium. Skipped, with the reason, if no driver is installed.

// File URLs look different on other systems; the site is the same.
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
    let line = [
        "perf-gate site",
        "--quiet",
        "--title",
        "Quill",
        "--repository",
        "https://git.example/octo/quill",
    ];
    let line = line.into_iter().map(PathBuf::from).chain([
        "--history".into(),
        history,
        "--output".into(),
        output,
    ]);
    run(&Cli::try_parse_from(line).unwrap()).unwrap();
    folder
}

/// Runs `act` in a browser that shows a page of the site.
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
    let foreign: Vec<String> = browser
        .requests()
        .into_iter()
        .filter(|url| !url.starts_with(&top))
        .collect();
    assert_eq!(foreign, [""; 0], "requests to elsewhere");
}

/// The names in the visible rows.
fn names(browser: &Browser) -> Vec<String> {
    browser.texts("#rows .name a")
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn the_overview_opens_with_recent_changes_and_all_series() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        assert_eq!(browser.texts("h1"), ["Quill"]);
        assert_eq!(
            browser.texts("#lately h3"),
            ["Write <b>rows</b> & columns", "Read quoted fields"]
        );
        assert_eq!(browser.texts("#count"), ["6 charts"]);
        assert_eq!(names(browser).len(), 6);
        assert_eq!(
            browser.run("return document.querySelectorAll('b, img').length"),
            json!(0)
        );
        let sizes = browser.run(
            "const b = document.body; return [b.scrollWidth <= innerWidth, b.offsetWidth > 900]",
        );
        assert_eq!(sizes, json!([true, true]));
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn search_and_filters_choose_rows() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        browser.write("#search", "QUOTED read");
        assert_eq!(names(browser), ["Read quoted fields", "Read quoted fields"]);
        assert_eq!(browser.texts("#count"), ["2 of 6 charts"]);
        browser.choose("#scope", "wasm");
        assert_eq!(names(browser), ["Read quoted fields"]);
        browser.wait("return location.hash === '#q=QUOTED+read&scope=wasm'");
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
#[ignore = "drives Chromium: `.ci/run slow`"]
fn a_chart_follows_the_keyboard_and_links_commits() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        browser.press("#rows .row:first-child a", driver::ARROW_DOWN);
        assert_eq!(
            browser.run("return document.activeElement.closest('.row').ariaRowIndex"),
            json!("3")
        );
        browser.press("#rows .row:first-child a", driver::ENTER);
        browser.wait("return document.querySelector('#plot canvas') !== null");
        assert_eq!(browser.texts("#detail h2"), ["Read 5 columns"]);
        let before = browser.texts("#point");
        browser.press("#plot", driver::ARROW_LEFT);
        let after = browser.texts("#point");
        assert!(
            before != after && after[0].contains("2031-02-08"),
            "{before:?} {after:?}"
        );
        let link = browser.run("return document.querySelector('#point a').href");
        assert!(
            link.as_str()
                .is_some_and(|link| link.starts_with("https://git.example/octo/quill/commit/")),
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
#[ignore = "drives Chromium: `.ci/run slow`"]
fn a_chart_has_the_verdict_of_the_gate_and_its_reason() {
    let site = site(&history::ordinary());
    visit(
        site.path(),
        "index.html#state=regressed",
        Screen::Desktop,
        |browser| {
            browser.wait("return document.querySelectorAll('#rows .row').length === 1");
            let row = browser.texts("#rows .row [role=cell]");
            assert!(row.iter().any(|cell| cell == "✖ regressed"), "{row:?}");
            browser.press("#rows .row:first-child a", driver::ENTER);
            browser.wait("return document.querySelector('#plot canvas') !== null");
            let said = browser.texts("#verdict");
            for part in ["✖ regressed: ", "the median of 30", "limit "] {
                assert!(said[0].contains(part), "{said:?} lacks {part}");
            }
        },
    );
}

/// The series id of a benchmark in the first scope.
fn id_of(site: &TempDir, name: &str) -> String {
    let data = index(site);
    let place = |list: &Value, text: &str| {
        list.as_array()
            .unwrap()
            .iter()
            .position(|one| one == text)
            .unwrap()
    };
    let name = place(&data["names"], name);
    let at = data["series"]["name"]
        .as_array()
        .unwrap()
        .iter()
        .position(|one| one == name)
        .unwrap();
    data["series"]["id"][at].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn benchmarks_share_a_chart() {
    let site = site(&history::ordinary());
    let [one, other] = ["Read 5 columns", "Read quoted fields"].map(|name| id_of(&site, name));
    let page = format!("index.html#id={one}&with={other}&scale=percent");
    visit(site.path(), &page, Screen::Desktop, |browser| {
        browser.wait("return document.querySelector('#plot canvas') !== null");
        let key = browser.texts(".key li");
        assert!(
            key[0].starts_with("Read 5 columns") && key[1].starts_with("Read quoted fields"),
            "{key:?}"
        );
        let point = browser.texts("#point");
        assert!(
            point[0].contains("Read 5 columns") && point[0].contains("Read quoted fields"),
            "{point:?}"
        );
        assert_eq!(
            browser.run("return document.getElementById('scale').value"),
            json!("percent")
        );
        browser.run("document.querySelector('.key button').click()");
        browser.wait("return !location.hash.includes('with=')");
        browser.wait("return document.querySelector('#with') !== null");
        browser.write(
            "#with",
            "Write <b>rows</b> & columns · rowsPerSecond · linux",
        );
        browser.wait("return document.querySelectorAll('.key button').length === 1");
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn the_address_has_the_zoom_and_the_held_value() {
    let site = site(&history::ordinary());
    let id = id_of(&site, "Read 5 columns");
    visit(
        site.path(),
        &format!("index.html#id={id}"),
        Screen::Desktop,
        |browser| {
            browser.wait("return document.querySelector('#plot canvas') !== null");
            assert!(browser.texts("#hint")[0].contains("Drag over the chart to zoom"));
            browser.press("#plot", "+");
            browser.press("#plot", driver::ARROW_LEFT);
            browser.wait(
                "return /&from=[0-9a-f]{10}&to=[0-9a-f]{10}&at=[0-9a-f]{10}$/.test(location.hash)",
            );
            let (address, point) = (browser.run("return location.href"), browser.texts("#point"));
            browser.open("about:blank");
            browser.open(address.as_str().unwrap());
            browser.wait("return document.querySelector('#plot canvas') !== null");
            assert_eq!(browser.texts("#point"), point);
            // Wait longer than the delay after which the address is updated.
            browser.run("return new Promise((done) => setTimeout(done, 300))");
            assert_eq!(browser.run("return location.href"), address);
        },
    );
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn values_of_a_chart_are_downloaded_as_csv_and_json() {
    let site = site(&history::ordinary());
    let page = format!("index.html#id={}", id_of(&site, "Read 5 columns"));
    visit(site.path(), &page, Screen::Desktop, |browser| {
        browser.wait("return document.querySelector('#plot canvas') !== null");
        browser.run("save = (...file) => (window.saved = file)");
        let download = |text: &str| {
            let buttons = "[...document.querySelectorAll('.tools button')]";
            browser.run(&format!(
                "{buttons}.find((one) => one.textContent === '{text}').click(); return window.saved"
            ))
        };
        let csv = download("CSV");
        assert_eq!(csv[0], "Read 5 columns.csv");
        let lines: Vec<&str> = csv[2].as_str().unwrap().lines().collect();
        assert!(
            lines.len() == 41 && lines[0].starts_with("commit,date,subject,Read 5 columns"),
            "{lines:?}"
        );
        let json: Value = serde_json::from_str(download("JSON")[2].as_str().unwrap()).unwrap();
        assert_eq!(
            (
                json[0]["benchmark"].as_str(),
                json[0]["values"].as_array().unwrap().len()
            ),
            (Some("Read 5 columns"), 40)
        );
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn a_report_links_to_the_chart_with_its_value() {
    let site = site(&history::ordinary());
    let page = "index.html#benchmark=Read%20quoted%20fields&metric=rowsPerSecond&scope=wasm&value=1500000&commit=d07f3a2";
    visit(site.path(), page, Screen::Desktop, |browser| {
        browser.wait("return document.querySelector('#plot canvas') !== null");
        assert_eq!(browser.texts("#detail h2"), ["Read quoted fields"]);
        let point = browser.texts("#point");
        assert!(
            point[0].contains("1.5") && point[0].contains("d07f3a2"),
            "{point:?}"
        );
        assert!(point[0].contains("the run of the report"), "{point:?}");
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn two_commits_are_compared_by_their_changes() {
    let site = site(&history::ordinary());
    visit(site.path(), "compare.html", Screen::Desktop, |browser| {
        browser.wait("return document.querySelectorAll('#compared tbody tr').length === 1");
        assert_eq!(browser.texts("#count"), ["1 of 6 changed: 1 slower."]);
        let row = browser.texts("#compared tbody td");
        assert!(
            row[0].contains("slower") && row[1].starts_with("Write <b>rows</b>"),
            "{row:?}"
        );
        let commits = browser.run("return site.data.runs.map(([commit]) => commit.slice(0, 8))");
        browser.run(&format!(
            "location.hash = '{}..{}'",
            commits[25].as_str().unwrap(),
            commits[39].as_str().unwrap()
        ));
        browser.wait("return document.querySelectorAll('#compared tbody tr').length === 2");
        let changes = browser.texts("#compared tbody td:first-child");
        assert!(
            changes[0].contains("slower") && changes[1].contains("faster"),
            "{changes:?}"
        );
        browser.run("location.hash = 'nothing..0'");
        browser.wait(
            "return document.getElementById('count').textContent.startsWith('No measured commit')",
        );
        browser.wait("return document.querySelector('#compared table') === null");
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn nothing_scrolls_sideways_on_a_phone() {
    let site = site(&history::ordinary());
    let id = first_id(&site);
    let fits = "return document.documentElement.scrollWidth <= window.innerWidth";
    let pages = [
        "index.html",
        &format!("index.html#id={id}"),
        "changes.html",
        "compare.html",
    ];
    for page in pages {
        visit(site.path(), page, Screen::Phone, |browser| {
            browser
                .wait("return document.querySelector('#plot canvas, #rows .row, table, #changes') !== null");
            assert_eq!(
                browser.run("return window.innerWidth"),
                json!(390),
                "{page}"
            );
            assert_eq!(browser.run(fits), json!(true), "{page}");
        });
    }
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn names_and_charts_have_room_on_a_tablet() {
    let site = site(&history::ordinary());
    visit(site.path(), "index.html", Screen::Tablet, |browser| {
        browser.wait("return document.querySelector('#rows .name') !== null");
        for part in ["#rows .name", ".cards svg.line"] {
            let width = format!(
                "return document.querySelector('{part}').getBoundingClientRect().width >= 240"
            );
            assert_eq!(browser.run(&width), json!(true), "{part}");
        }
    });
}

#[test]
#[ignore = "drives Chromium: `.ci/run slow`"]
fn only_rows_in_view_are_drawn() {
    let site = site(&history::large(2_000, 12));
    visit(site.path(), "index.html", Screen::Desktop, |browser| {
        let rows = "return document.querySelectorAll('#rows .row').length";
        assert!(
            browser
                .run(rows)
                .as_u64()
                .is_some_and(|count| (5..100).contains(&count))
        );
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
#[ignore = "drives Chromium: `.ci/run slow`"]
fn hostile_names_stay_text() {
    let site = site(&history::hostile());
    for page in ["index.html", "changes.html"] {
        visit(site.path(), page, Screen::Desktop, |browser| {
            let state = browser.run("return [document.querySelectorAll('img, body script, iframe').length, window.hacked ?? null]");
            assert_eq!(state, json!([0, null]), "{page}");
            let text = browser.run("return document.body.textContent");
            assert!(
                text.as_str()
                    .is_some_and(|text| text.contains("<img src=x onerror=hacked=1>")),
                "{page}: {text}"
            );
        });
    }
}

fn first_id(site: &TempDir) -> String {
    index(site)["series"]["id"][0].as_str().unwrap().to_owned()
}

fn index(site: &TempDir) -> Value {
    let text = std::fs::read_to_string(site.path().join("site/data/index.js")).unwrap();
    let json = text
        .strip_prefix("perfSite(")
        .and_then(|text| text.strip_suffix(");\n"))
        .unwrap();
    serde_json::from_str(json).unwrap()
}
