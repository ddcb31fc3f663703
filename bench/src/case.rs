//! What runs on what, and what it should come to.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

use crate::binaries::Binaries;
use crate::goal::Goal;
use crate::inputs::{Inputs, ROWS};

/// One input and the commands that run on it.
pub(crate) struct Case {
    /// What is measured, for people.
    pub(crate) title: String,
    /// The same as a row's scenario; `None` where times are too short to stand out from noise.
    pub(crate) scenario: Option<&'static str>,
    /// Bytes of the input, for throughput; `None` where that says nothing.
    pub(crate) bytes: Option<u64>,
    /// The command that is judged, others beside it, and at the end what they are compared with.
    pub(crate) contestants: Vec<Contestant>,
    /// What the first command should reach.
    pub(crate) goals: Vec<Goal>,
}

/// A command.
pub(crate) struct Contestant {
    /// Its name in the table.
    pub(crate) name: String,
    /// Program and arguments.
    pub(crate) line: Vec<OsString>,
    /// What has to be done before each run.
    pub(crate) prepare: Option<Box<dyn Fn() -> io::Result<()>>>,
}

impl Contestant {
    fn new<const N: usize>(program: &Path, arguments: [&dyn AsRef<OsStr>; N]) -> Self {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let arguments = arguments.iter().map(|argument| argument.as_ref().to_owned());
        Self { name, line: std::iter::once(program.into()).chain(arguments).collect(), prepare: None }
    }
}

/// Every case, the most important first.
pub(crate) fn all(binaries: &Binaries, inputs: &Inputs) -> Vec<Case> {
    let mut cases = vec![extraction("A log of 100 MB", "Extract_Log", binaries, &inputs.log)];
    cases.extend(
        inputs.large_log.as_ref().map(|log| extraction("A log of 2 GB", "Extract_Large_Log", binaries, log)),
    );
    cases.extend([deltas(binaries, inputs), doc(binaries, inputs), small(binaries, inputs)]);
    cases
}

/// `grep` has to look at every byte, too, and does nothing else.
fn extraction(title: &str, scenario: &'static str, binaries: &Binaries, log: &Path) -> Case {
    let extract = Contestant::new(&binaries.extract, [&"--input", &log]);
    let grep = binaries.grep.iter().map(|grep| Contestant::new(grep, [&"-c", &"Comparison_", &log]));
    Case {
        title: format!("{title} with few rows: extracting them, and looking for a word"),
        scenario: Some(scenario),
        bytes: fs::metadata(log).ok().map(|metadata| metadata.len()),
        contestants: std::iter::once(extract).chain(grep).collect(),
        goals: vec![Goal::Ratio(3.0), Goal::Megabytes(64.0)],
    }
}

fn deltas(binaries: &Binaries, inputs: &Inputs) -> Case {
    let (report, json) = (inputs.folder.join("deltas.md"), inputs.folder.join("deltas.json"));
    let files: [&dyn AsRef<OsStr>; 4] = [&"--input", &inputs.current, &"--baseline-csv", &inputs.baseline];
    let [a, b, c, d] = files;
    let to_markdown = Contestant::new(&binaries.deltas, [a, b, c, d, &"--output", &report]);
    let with_json = Contestant::new(&binaries.deltas, [a, b, c, d, &"--output", &report, &"--json", &json]);
    Case {
        title: format!("{ROWS} rows: comparing them with as many of a baseline"),
        scenario: Some("Compare_Rows"),
        bytes: None,
        contestants: vec![
            to_markdown,
            Contestant { name: format!("{} --json", with_json.name), ..with_json },
        ],
        goals: vec![Goal::Milliseconds(500.0)],
    }
}

/// The page is blank before each run; a settled one would not be written.
fn doc(binaries: &Binaries, inputs: &Inputs) -> Case {
    let page = inputs.folder.join("page.md");
    let write = Contestant::new(&binaries.doc, [&"--input", &inputs.current, &"--doc", &page]);
    let (blank, fresh) = (inputs.blank_page.clone(), page.clone());
    let prepare: Box<dyn Fn() -> io::Result<()>> = Box::new(move || fs::copy(&blank, &fresh).map(drop));
    Case {
        title: format!("{ROWS} rows: writing a page of them"),
        scenario: Some("Write_Page"),
        bytes: None,
        contestants: vec![Contestant { prepare: Some(prepare), ..write }],
        goals: vec![Goal::Milliseconds(500.0)],
    }
}

/// Beside what starting a process costs on this machine.
fn small(binaries: &Binaries, inputs: &Inputs) -> Case {
    let log = &inputs.small_log;
    let deltas =
        Contestant::new(&binaries.deltas, [&"--input", log, &"--baseline-csv", &inputs.small_baseline]);
    let extract = Contestant::new(&binaries.extract, [&"--input", log]);
    let nothing = Contestant::new(&binaries.deltas, [&"--version"]);
    let nothing = Contestant { name: format!("{} --version", nothing.name), ..nothing };
    let grep = binaries.grep.iter().map(|grep| Contestant::new(grep, [&"-c", &"Comparison_", log]));
    Case {
        title: "A small log: comparing it with a baseline, and starting a process at all".to_owned(),
        scenario: None,
        bytes: None,
        contestants: [deltas, extract, nothing].into_iter().chain(grep).collect(),
        goals: vec![Goal::Milliseconds(5.0)],
    }
}
