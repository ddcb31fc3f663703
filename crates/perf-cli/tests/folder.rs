//! Result folders as inputs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use perf_cli::failure::{hints, message};
use perf_cli::load::{read, read_since};
use perf_config::Config;
use perf_model::finding::FindingKind;
use perf_readers::{Format, ParseReport, format};
use tempfile::TempDir;

/// Writes a benchmark's files, with two samples of `ns` nanoseconds.
fn benchmark(folder: &Path, id: &str, ns: u32) {
    fs::create_dir_all(folder).unwrap();
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    write(
        "benchmark.json",
        format!(r#"{{"group_id":"{id}","full_id":"{id}","throughput":null}}"#),
    );
    write(
        "sample.json",
        format!(
            r#"{{"sampling_mode":"Flat","iters":[2,2],"times":[{0},{0}]}}"#,
            2 * ns
        ),
    );
    let estimate = format!(
        r#"{{"confidence_interval":{{"lower_bound":{ns},"upper_bound":{ns}}},"point_estimate":{ns}}}"#
    );
    write(
        "estimates.json",
        format!(r#"{{"mean":{estimate},"slope":null,"std_dev":{estimate}}}"#),
    );
    write("tukey.json", "[1,2,3,4]".to_owned());
}

fn summary(folder: &Path, function: &str, count: u32) {
    fs::create_dir_all(folder).unwrap();
    let text = format!(
        r#"{{"version":"6","benchmark_exe":"b","module_path":"bench::{function}","profiles":[{{"tool":"Callgrind",
        "summaries":{{"total":{{"summary":{{"Callgrind":{{"Ir":{{"metrics":{{"Left":{{"Int":{count}}}}}}}}}}}}}}}}}]}}"#
    );
    fs::write(folder.join("summary.json"), text.replace('\n', "")).unwrap();
}

/// `target` with two Criterion benchmarks, Criterion's other files, and one gungraun benchmark.
fn target() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("target");
    let criterion = target.join("criterion");
    benchmark(&criterion.join("parse_long/8/new"), "parse/long/8", 80);
    benchmark(&criterion.join("parse_long/8/base"), "parse/long/8", 70);
    benchmark(&criterion.join("add/new"), "add", 2);
    fs::create_dir_all(criterion.join("add/change")).unwrap();
    fs::write(
        criterion.join("add/change/estimates.json"),
        r#"{"mean":{},"median":{}}"#,
    )
    .unwrap();
    fs::create_dir_all(criterion.join("report")).unwrap();
    fs::write(criterion.join("report/index.html"), "<html>").unwrap();
    summary(&target.join("gungraun/bench/group/sort.few"), "sort", 1735);
    (folder, target)
}

fn account(parsed: &ParseReport, root: &Path) -> String {
    let row = |(row, origin): (&perf_model::row::Row, _)| {
        let metrics: Vec<String> = row
            .metrics
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!(
            "{} {} {} {}",
            parsed.place(origin),
            row.scenario,
            row.run_index,
            metrics.join(" ")
        )
    };
    let rows = parsed
        .rows
        .iter()
        .zip(parsed.origins.iter().copied())
        .map(row);
    let skipped = parsed.skipped().map(|near| {
        format!(
            "{} skipped: {}",
            parsed.place_of(near),
            ParseReport::reason(near)
        )
    });
    let account: Vec<String> = rows.chain(skipped).collect();
    account
        .join("\n")
        .replace(root.to_str().unwrap(), "")
        .replace('\\', "/")
}

fn rows(inputs: &[PathBuf], format: Option<&Format>, root: &Path) -> Result<String, String> {
    match read(inputs, format, &Config::default()) {
        Ok(parsed) => Ok(account(&parsed, root)),
        Err(error) => {
            let error_text = [vec![message(&error).as_str()], hints(&error)]
                .concat()
                .join("\nhint: ");
            Err(error_text
                .replace(root.to_str().unwrap(), "")
                .replace('\\', "/"))
        }
    }
}

#[test]
fn a_folder_gives_its_newest_results_in_the_order_of_its_paths() {
    let (folder, target) = target();
    let read = rows(std::slice::from_ref(&target), None, folder.path()).unwrap();
    insta::assert_snapshot!(read, @r"
    /target/criterion/add/new:1 add 0 timeNs=2
    /target/criterion/add/new:1 add 1 timeNs=2
    /target/criterion/parse_long/8/new:1 parse/long/8 0 timeNs=80
    /target/criterion/parse_long/8/new:1 parse/long/8 1 timeNs=80
    /target/gungraun/bench/group/sort.few/summary.json:1 bench::sort -1 instructions=1735
    ");
    for deeper in ["criterion/add", "criterion/add/new"] {
        let read = rows(&[target.join(deeper)], None, folder.path()).unwrap();
        assert_eq!(
            read,
            "/target/criterion/add/new:1 add 0 timeNs=2\n/target/criterion/add/new:1 add 1 timeNs=2"
        );
    }
}

#[test]
fn files_that_belong_together_are_read_once_however_they_are_named() {
    let (folder, target) = target();
    let new = target.join("criterion/add/new");
    let files = ["benchmark.json", "estimates.json", "sample.json"].map(|name| new.join(name));
    let read = rows(&files, None, folder.path()).unwrap();
    assert_eq!(
        read,
        "/target/criterion/add/new:1 add 0 timeNs=2\n/target/criterion/add/new:1 add 1 timeNs=2"
    );
}

#[test]
fn files_of_any_name_are_inputs_of_their_own() {
    let folder = TempDir::new().unwrap();
    let results = folder.path().join(".codspeed/results");
    fs::create_dir_all(&results).unwrap();
    for (process, mean) in [("31", 9.5), ("7", 8.5)] {
        let stats = format!(r#"{{"mean_ns": {mean}, "min_ns": 8.0}}"#);
        let benchmark =
            format!(r#"{{"name": "test_join", "uri": "tests/a.py::test_join", "stats": {stats}}}"#);
        let text = format!(
            r#"{{"creator": {{"name": "pytest-codspeed"}}, "instrument": {{"type": "walltime"}}, "benchmarks": [{benchmark}]}}"#
        );
        fs::write(results.join(format!("{process}.json")), text).unwrap();
    }
    fs::write(results.join("notes.txt"), "").unwrap();
    let read = rows(&[folder.path().to_path_buf()], None, folder.path()).unwrap();
    insta::assert_snapshot!(read, @r"
    /.codspeed/results/31.json:1 tests/a.py::test_join 0 timeNs=9.5 timeNs.min=8
    /.codspeed/results/7.json:1 tests/a.py::test_join 1 timeNs=8.5 timeNs.min=8
    ");
}

#[test]
fn estimates_replace_missing_samples_and_folder_names_replace_missing_names() {
    let (folder, target) = target();
    let new = target.join("criterion/parse_long/8/new");
    fs::remove_file(new.join("sample.json")).unwrap();
    fs::remove_file(new.join("benchmark.json")).unwrap();
    let read = rows(&[new], None, folder.path()).unwrap();
    insta::assert_snapshot!(read, @"/target/criterion/parse_long/8/new:1 parse_long/8 -1 timeNs=80 timeNs.lower=80 timeNs.upper=80 timeNs.stddev=80");
}

#[test]
fn the_format_that_is_asked_for_chooses_among_the_results() {
    let (folder, target) = target();
    let read = rows(
        std::slice::from_ref(&target),
        format("gungraun"),
        folder.path(),
    )
    .unwrap();
    insta::assert_snapshot!(read, @"/target/gungraun/bench/group/sort.few/summary.json:1 bench::sort -1 instructions=1735");
    let refused = rows(&[target], format("go"), folder.path()).unwrap_err();
    insta::assert_snapshot!(refused, @r"
    `/target` is a folder, but `go` is not read from folders
    hint: pass the files in it
    ");
}

#[test]
fn folder_without_results_lists_searched_files() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("bench")).unwrap();
    fs::write(folder.path().join("bench/results.csv"), "scenario\n").unwrap();
    let refused = rows(&[folder.path().join("bench")], None, folder.path()).unwrap_err();
    insta::assert_snapshot!(refused, @r"
    `/bench` is a folder without results
    hint: searched it and its subfolders for `new/{benchmark.json,estimates.json,sample.json}` (criterion) and `summary.json` (gungraun) and `.codspeed/results/*.json` (codspeed); pass other files one by one
    ");
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_are_not_followed() {
    let (folder, target) = target();
    std::os::unix::fs::symlink(&target, target.join("criterion/again")).unwrap();
    let read = rows(&[target.join("criterion")], None, folder.path()).unwrap();
    assert_eq!(read.lines().count(), 4, "{read}");
}

#[test]
fn file_is_read_with_its_neighbours_in_the_current_folder() {
    let (_folder, target) = target();
    let new = target.join("criterion/parse_long/8/new");
    // Other tests are not affected, because they use absolute paths.
    let before = std::env::current_dir().unwrap();
    std::env::set_current_dir(&new).unwrap();
    let named = |input: &str| read(&[input], None, &Config::default()).unwrap();
    for input in ["sample.json", "./sample.json", "."] {
        assert_eq!(&*named(input).rows[0].scenario, "parse/long/8", "{input}");
    }
    fs::remove_file("benchmark.json").unwrap();
    assert_eq!(&*named("sample.json").rows[0].scenario, "parse_long/8");
    std::env::set_current_dir(before).unwrap();
}

/// Sets the modification time of a result's files.
fn age(folder: &Path, age: Duration) {
    let then = SystemTime::now() - age;
    for entry in fs::read_dir(folder).unwrap() {
        let file = fs::File::options()
            .write(true)
            .open(entry.unwrap().path())
            .unwrap();
        file.set_modified(then).unwrap();
    }
}

const HOUR: Duration = Duration::from_hours(1);

#[test]
fn result_a_day_older_than_the_newest_is_a_stale_finding() {
    let (_folder, target) = target();
    let criterion = target.join("criterion");
    for (hours, expected) in [(23, None), (25, Some("1 day")), (71, Some("3 days"))] {
        age(&criterion.join("add/new"), hours * HOUR);
        let parsed = read(&[&criterion], None, &Config::default()).unwrap();
        let found: Vec<_> = parsed
            .findings
            .iter()
            .map(|finding| (finding.kind, finding.benchmark.as_deref(), &*finding.text))
            .collect();
        let Some(days) = expected else {
            assert_eq!(found, []);
            continue;
        };
        let text = format!(
            "result is {days} older than the newest one in its folder, so it is probably from an earlier run"
        );
        assert_eq!(found, [(FindingKind::Stale, Some("add"), &*text)]);
    }
}

#[test]
fn equally_old_results_are_not_stale() {
    let (_folder, target) = target();
    let criterion = target.join("criterion");
    for name in ["add/new", "parse_long/8/new"] {
        age(&criterion.join(name), 24 * 30 * HOUR);
    }
    let parsed = read(&[&criterion], None, &Config::default()).unwrap();
    assert_eq!(parsed.findings, []);
}

#[test]
fn files_named_one_by_one_are_stale_as_in_a_folder() {
    let (_folder, target) = target();
    let old = target.join("criterion/add/new");
    age(&old, 48 * HOUR);
    let fresh = target.join("criterion/parse_long/8/new");
    let files = [old.join("sample.json"), fresh.join("sample.json")];
    let parsed = read(&files, None, &Config::default()).unwrap();
    assert_eq!(parsed.findings.len(), 1);
    assert_eq!(parsed.findings[0].benchmark.as_deref(), Some("add"));
}

#[test]
fn results_older_than_the_start_of_the_command_are_left_out() {
    let (_folder, target) = target();
    let criterion = target.join("criterion");
    age(&criterion.join("add/new"), HOUR);
    let now = Some(SystemTime::now());
    let parsed = read_since(&[&criterion], None, &Config::default(), now).unwrap();
    assert!(parsed.rows.iter().all(|row| &*row.scenario != "add"));
    assert_eq!((parsed.earlier_results, parsed.findings.len()), (1, 0));
    let told = parsed.diagnostics();
    assert!(told.iter().any(|told| {
        told.message
            .starts_with("1 result ignored: written before the command")
    }));

    age(&criterion.join("parse_long/8/new"), HOUR);
    let error = read_since(&[&criterion], None, &Config::default(), now).unwrap_err();
    assert!(message(&error).starts_with("the command wrote no results to"));
}
