//! A site's files as the command writes them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use clap::Parser;
use perf_cli::failure;
use perf_site::{Cli, run};
use tempfile::TempDir;

const CSV: &str = "scenario,platform,commit,date,wallNs\n";

fn history(folder: &TempDir, runs: u32) {
    let row = |run: u32| {
        format!(
            "parse <x>,linux,{:07x},2031-01-{:02},{}\n",
            0xabc_0000 + run,
            run + 1,
            100 + run % 3
        )
    };
    let rows: String = (0..runs).map(row).collect();
    fs::write(folder.path().join("history.csv"), CSV.to_owned() + &rows).unwrap();
}

fn write(folder: &TempDir, options: &str) -> Result<(), String> {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let line = format!(
        "site --quiet --history {} --output {} {options}",
        path("history.csv"),
        path("site")
    );
    let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
    run(&cli)
        .map(|_| ())
        .map_err(|error| failure::message(&error))
}

fn times(folder: &Path) -> BTreeMap<String, SystemTime> {
    let mut times = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            times.extend(self::times(&entry.path()));
        } else {
            times.insert(
                entry.path().display().to_string(),
                entry.metadata().unwrap().modified().unwrap(),
            );
        }
    }
    times
}

#[test]
fn rewriting_a_site_touches_no_files() {
    let folder = tempfile::tempdir().unwrap();
    history(&folder, 20);
    write(&folder, "").unwrap();
    let site = folder.path().join("site");
    for name in [
        "index.html",
        "data/index.js",
        "data/0000.js",
        "assets/uplot.js",
        "LICENSES.txt",
    ] {
        assert!(site.join(name).is_file(), "{name}");
    }
    let before = times(&site);
    write(&folder, "").unwrap();
    assert_eq!(times(&site), before);
    history(&folder, 21);
    write(&folder, "").unwrap();
    let (after, data) = (
        times(&site),
        site.join("data/0000.js").display().to_string(),
    );
    assert_ne!(after[&data], before[&data]);
    let script = site.join("assets/uplot.js").display().to_string();
    assert_eq!(after[&script], before[&script]);
}

#[test]
fn overview_shows_recent_changes_without_scripts() {
    let folder = tempfile::tempdir().unwrap();
    history(&folder, 20);
    let file = folder.path().join("history.csv");
    let slow = "parse <x>,linux,abc00ff,2031-02-01,300\n";
    let rows = fs::read_to_string(&file).unwrap() + slow;
    fs::write(&file, rows).unwrap();
    write(&folder, "--repository https://git.example/octo/quill/").unwrap();
    let overview = fs::read_to_string(folder.path().join("site/index.html")).unwrap();
    for part in [
        "<h1><bdi>octo/quill</bdi></h1>",
        "parse &lt;x&gt;",
        "<svg class=\"line\"",
        "class=\"normal\"",
        "class=\"limit\"",
        "101\u{a0}ns",
        "href=\"https://git.example/octo/quill/commit/abc00ff\"",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'\">",
    ] {
        assert!(overview.contains(part), "`{part}` is missing: {overview}");
    }
    assert!(
        !overview.contains("style=") && !overview.contains("<x>"),
        "{overview}"
    );
}

#[test]
fn changes_of_level_are_a_page_and_a_feed() {
    let folder = tempfile::tempdir().unwrap();
    let row = |run: u32| {
        let value = if run < 20 { 100 } else { 150 } + run % 3;
        format!(
            "github.com/octo/quill/parse.Benchmark<x>/long-{{}},linux,{:07x},2031-01-{:02},{value}\n",
            0xabc_0000 + run,
            run + 1
        )
    };
    let rows: String = (0..30)
        .flat_map(|run| ["a", "b"].map(|name| row(run).replace("{}", name)))
        .collect();
    fs::write(folder.path().join("history.csv"), CSV.to_owned() + &rows).unwrap();
    write(
        &folder,
        "--repository https://git.example/octo/quill --title Quill",
    )
    .unwrap();
    let text = |name: &str| fs::read_to_string(folder.path().join("site").join(name)).unwrap();
    let (page, feed, list) = (
        text("changes.html"),
        text("changes.xml"),
        text("data/index.js"),
    );
    for part in [
        "<bdi>long-a</bdi></a>",
        "<strong>101\u{a0}ns → 151\u{a0}ns, +50%, slower</strong>",
        "2 slower",
        "href=\"compare.html#abc0013..abc0014\"",
        "href=\"https://git.example/octo/quill/compare/abc0013...abc0014\"",
        "Names begin with <code>github.com/octo/quill/parse.Benchmark&lt;x&gt;/</code>",
    ] {
        assert!(page.contains(part), "`{part}` is missing: {page}");
    }
    for part in [
        "<title>abc0014: 2 slower</title>",
        "<updated>2031-01-21T00:00:00Z</updated>",
    ] {
        assert!(feed.contains(part), "`{part}` is missing: {feed}");
    }
    assert!(
        list.contains("level +50%") && !list.contains("within limits"),
        "{list}"
    );
}

#[test]
fn committed_versions_of_a_baseline_are_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let git = |line: &str| {
        let identity = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let command = Command::new("git")
            .current_dir(&folder)
            .args(identity)
            .args(line.split(' '))
            .output();
        assert!(command.unwrap().status.success(), "{line}");
    };
    git("init --quiet");
    for value in [100, 101, 160] {
        fs::write(
            folder.path().join("base.csv"),
            format!("scenario,platform,wallNs\nparse,linux,{value}\n"),
        )
        .unwrap();
        git("add base.csv");
        git("commit --quiet --message refresh(#12)");
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let line = format!(
        "site --baseline-csv {} --output {} --history-git 2",
        path("base.csv"),
        path("site")
    );
    run(&Cli::try_parse_from(line.split_whitespace()).unwrap()).unwrap();
    let data = fs::read_to_string(folder.path().join("site/data/0000.js")).unwrap();
    assert!(data.contains("\"values\":[101,160]"), "{data}");
}

#[test]
fn mistakes_are_errors_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    history(&folder, 3);
    let error = write(&folder, "--filter scope=nowhere").unwrap_err();
    assert_eq!(error, "no result has a number to show");
    fs::write(folder.path().join("history.csv"), "scenario,wallNs\nA\n").unwrap();
    assert!(write(&folder, "").unwrap_err().contains("history.csv:2"));
    fs::remove_file(folder.path().join("history.csv")).unwrap();
    assert!(write(&folder, "").unwrap_err().contains("history.csv"));
    assert!(!folder.path().join("site").exists());
    let refused = |line: &str| {
        Cli::try_parse_from(line.split(' '))
            .err()
            .unwrap()
            .to_string()
    };
    assert!(refused("site --output x").contains("--history"));
    let address = refused("site --output x --history y --repository javascript:alert(1)");
    assert!(address.contains("begins with `https://`"), "{address}");
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    history(&folder, 3);
    fs::create_dir(folder.path().join("site")).unwrap();
    fs::write(folder.path().join("site/index.html"), "mine").unwrap();
    let error = write(&folder, "").unwrap_err();
    assert!(
        error.contains("contains files that are not part of a site, such as `index.html`"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("site/index.html")).unwrap(),
        "mine"
    );
}
