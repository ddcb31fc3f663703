//! The cases: inputs, the commands that run on them, and the goals for these.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binaries::Binaries;
use crate::contestant::Contestant;
use crate::documents::{JSON, TESTS};
use crate::goal::CommandLimit;
use crate::inputs::{BenchInputs, ROWS};
use crate::tools::BENCHMARKS;

/// One input and the commands that run on it.
pub(crate) struct BenchCase {
    /// The title, for people.
    pub(crate) title: String,
    /// The same as a row's scenario; `None` where times are too short to stand out from noise.
    pub(crate) scenario: Option<&'static str>,
    /// Bytes of the input, for throughput; `None` where that says nothing.
    pub(crate) bytes: Option<u64>,
    /// The command that is judged, others beside it, and at the end what they are compared with.
    pub(crate) contestants: Vec<Contestant>,
    /// The goals for the first command.
    pub(crate) goals: Vec<CommandLimit>,
}

/// Every case, the most important first.
pub(crate) fn all(binaries: &Binaries, inputs: &BenchInputs) -> Vec<BenchCase> {
    let log = |title, scenario, most, log: &PathBuf| extraction(title, scenario, most, binaries, log);
    let mut cases = vec![
        log("A log of 100 MB", "Extract_Log", 1.5, &inputs.log),
        log("A log of 100 MB of short lines", "Extract_Short_Log", 1.5, &inputs.short_log),
    ];
    cases
        .extend(inputs.large_log.as_ref().map(|large| log("A log of 2 GB", "Extract_Large_Log", 2.0, large)));
    let [numbers, word] = &inputs.json_logs;
    cases.push(log("A log of 100 MB of JSON with numbers", "Extract_Json_Log", 3.0, numbers));
    cases.push(log("A log of 100 MB of JSON with the word of rows", "Extract_Word_Log", 3.0, word));
    cases.push(junit(binaries, &inputs.junit));
    cases.extend(
        JSON.iter().zip(&inputs.documents).map(|(json, document)| parsing(json.format, binaries, document)),
    );
    cases.extend(deltas(binaries, inputs));
    cases.extend([
        criterion(binaries, inputs),
        go(binaries, inputs),
        doc(binaries, inputs),
        small(binaries, inputs),
    ]);
    cases
}

/// The text that `grep` counts: it is in every input, as `grep` fails where it is not.
const ROW: &str = "Queue_Push_";

/// `grep` has to look at every byte, too, and does nothing else.
fn extraction(title: &str, scenario: &'static str, most: f64, binaries: &Binaries, log: &Path) -> BenchCase {
    let extract = Contestant::new(&binaries.extract, [&"--input", &log]);
    let grep = binaries.grep.iter().map(|grep| Contestant::new(grep, [&"-c", &ROW, &log]));
    BenchCase {
        title: format!("{title} with few rows: extracting them, and looking for a word"),
        scenario: Some(scenario),
        bytes: size(log),
        contestants: std::iter::once(extract).chain(grep).collect(),
        goals: vec![CommandLimit::Ratio(most), CommandLimit::Megabytes(64.0)],
    }
}

/// `xmllint` checks the same document, without keeping it.
fn junit(binaries: &Binaries, report: &Path) -> BenchCase {
    let extract = Contestant::new(&binaries.extract, [&"--input", &report]);
    let lint = binaries.xmllint.iter();
    let lint = lint.map(|lint| Contestant::new(lint, [&"--stream", &"--noout", &report]));
    BenchCase {
        title: format!("JUnit's XML of {TESTS} tests: extracting them, and checking the document"),
        scenario: Some("Extract_Junit"),
        bytes: size(report),
        contestants: std::iter::once(extract).chain(lint).collect(),
        goals: vec![CommandLimit::Milliseconds(1_500.0), CommandLimit::Megabytes(256.0)],
    }
}

/// `jq` parses the same document, and prints nothing of it.
fn parsing(format: &str, binaries: &Binaries, document: &Path) -> BenchCase {
    let extract = Contestant::new(&binaries.extract, [&"--input", &document]);
    let jq = binaries.jq.iter().map(|jq| Contestant::new(jq, [&"empty", &document]));
    BenchCase {
        title: format!("{format}, 50 MB of JSON: extracting rows, and parsing the document"),
        scenario: None,
        bytes: size(document),
        contestants: std::iter::once(extract).chain(jq).collect(),
        goals: vec![CommandLimit::Milliseconds(250.0)],
    }
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.len())
}

/// Python reads both tables with its CSV reader and does nothing else.
const READ_BOTH: &str =
    "import csv, sys\nfor name in sys.argv[1:]:\n    for row in csv.reader(open(name)): pass";

/// Comparisons with a Markdown report, and with the JSON report, too; also of ten times the rows where wanted.
fn deltas(binaries: &Binaries, inputs: &BenchInputs) -> Vec<BenchCase> {
    let small = [&inputs.baseline, &inputs.current];
    let mut cases = vec![
        tables(binaries, inputs, small, "Compare_Rows", false),
        tables(binaries, inputs, small, "Compare_Rows_Json", true),
    ];
    if let Some([baseline, current]) = &inputs.large_tables {
        cases.push(tables(binaries, inputs, [baseline, current], "Compare_Million_Rows", false));
    }
    cases
}

fn tables(
    binaries: &Binaries,
    inputs: &BenchInputs,
    [baseline, current]: [&PathBuf; 2],
    scenario: &'static str,
    has_json: bool,
) -> BenchCase {
    let (report, json) = (inputs.folder.join("deltas.md"), inputs.folder.join("deltas.json"));
    let mut compare = Contestant::new(
        &binaries.deltas,
        [&"--input", current, &"--baseline-csv", baseline, &"--output", &report],
    );
    if has_json {
        compare.line.extend([OsString::from("--json"), json.into()]);
        compare.name += " --json";
    }
    let python = binaries.python.iter();
    let python = python.map(|python| Contestant::new(python, [&"-c", &READ_BOTH, baseline, current]));
    let is_large = scenario == "Compare_Million_Rows";
    let rows = if is_large { 10 * ROWS } else { ROWS };
    let (time, memory) = match (is_large, has_json) {
        (true, _) => (4_000.0, 1_000.0),
        (_, true) => (600.0, 200.0),
        _ => (350.0, 120.0),
    };
    let with = if has_json { ", with the JSON report" } else { "" };
    BenchCase {
        title: format!(
            "{rows} rows: comparing them with as many of a baseline{with}, and reading both with Python"
        ),
        scenario: Some(scenario),
        bytes: None,
        contestants: std::iter::once(compare).chain(python).collect(),
        goals: vec![CommandLimit::Milliseconds(time), CommandLimit::Megabytes(memory)],
    }
}

/// `critcmp` shows two baselines of criterion side by side.
fn criterion(binaries: &Binaries, inputs: &BenchInputs) -> BenchCase {
    let [before, after] = &inputs.criterion;
    let baseline = inputs.folder.join("criterion.csv");
    let (extract, from, to) = (binaries.extract.clone(), before.clone(), baseline.clone());
    let prepare = move || {
        let mut command = Command::new(&extract);
        command.args(["--quiet", "--replace", "--input"]).arg(&from).arg("--output").arg(&to);
        command.status().map(drop)
    };
    let compare = Contestant::new(&binaries.deltas, [&"--input", after, &"--baseline-csv", &baseline]);
    let critcmp = binaries.critcmp.iter().map(|critcmp| {
        Contestant::new(critcmp, [&"--target-dir", &inputs.criterion_home(), &"before", &"after"])
    });
    BenchCase {
        title: format!("{BENCHMARKS} benchmarks of criterion: comparing them with a baseline"),
        scenario: Some("Compare_Criterion"),
        bytes: None,
        contestants: std::iter::once(Contestant { prepare: Some(Box::new(prepare)), ..compare })
            .chain(critcmp)
            .collect(),
        goals: vec![CommandLimit::Milliseconds(100.0)],
    }
}

/// `benchstat` compares two outputs of Go.
fn go(binaries: &Binaries, inputs: &BenchInputs) -> BenchCase {
    let [before, after] = &inputs.go;
    let compare = Contestant::new(&binaries.deltas, [&"--input", after, &"--baseline-csv", before]);
    let benchstat = binaries.benchstat.iter().map(|benchstat| Contestant::new(benchstat, [before, after]));
    BenchCase {
        title: format!("{BENCHMARKS} benchmarks of Go, 10 times each: comparing them"),
        scenario: Some("Compare_Go"),
        bytes: None,
        contestants: std::iter::once(compare).chain(benchstat).collect(),
        goals: vec![CommandLimit::Milliseconds(200.0)],
    }
}

/// The page is blank before each run; a settled one would not be written.
fn doc(binaries: &Binaries, inputs: &BenchInputs) -> BenchCase {
    let page = inputs.folder.join("page.md");
    let write = Contestant::new(&binaries.doc, [&"--input", &inputs.current, &"--doc", &page]);
    let (blank, fresh) = (inputs.blank_page.clone(), page.clone());
    let prepare: Box<dyn Fn() -> io::Result<()>> = Box::new(move || fs::copy(&blank, &fresh).map(drop));
    BenchCase {
        title: format!("{ROWS} rows: writing a page of them"),
        scenario: Some("Write_Page"),
        bytes: None,
        contestants: vec![Contestant { prepare: Some(prepare), ..write }],
        goals: vec![CommandLimit::Milliseconds(500.0)],
    }
}

/// Beside what starting a process costs on this machine.
fn small(binaries: &Binaries, inputs: &BenchInputs) -> BenchCase {
    let log = &inputs.small_log;
    let deltas =
        Contestant::new(&binaries.deltas, [&"--input", log, &"--baseline-csv", &inputs.small_baseline]);
    let extract = Contestant::new(&binaries.extract, [&"--input", log]);
    let nothing = Contestant::new(&binaries.deltas, [&"--version"]);
    let nothing = Contestant { name: format!("{} --version", nothing.name), ..nothing };
    let grep = binaries.grep.iter().map(|grep| Contestant::new(grep, [&"-c", &ROW, log]));
    BenchCase {
        title: "A small log: comparing it with a baseline, and starting a process at all".to_owned(),
        scenario: None,
        bytes: None,
        contestants: [deltas, extract, nothing].into_iter().chain(grep).collect(),
        goals: vec![CommandLimit::Milliseconds(3.0)],
    }
}
