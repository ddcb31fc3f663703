//! The binaries that are measured, built as they are released.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use perf_cli::term;
use serde_json::Value;

/// The paths of the built binaries, of `grep` and of other tools to compare with.
pub(crate) struct Binaries {
    /// `extract-perf-baseline`.
    pub(crate) extract: PathBuf,
    /// `render-perf-doc`.
    pub(crate) doc: PathBuf,
    /// `render-perf-deltas`.
    pub(crate) deltas: PathBuf,
    /// `grep`, where there is one.
    pub(crate) grep: Option<PathBuf>,
    /// `python3`, where there is one.
    pub(crate) python: Option<PathBuf>,
    /// `jq`, where it is installed.
    pub(crate) jq: Option<PathBuf>,
    /// `xmllint`, where it is installed.
    pub(crate) xmllint: Option<PathBuf>,
    /// `critcmp`, where it is installed.
    pub(crate) critcmp: Option<PathBuf>,
    /// `benchstat`, where it is installed.
    pub(crate) benchstat: Option<PathBuf>,
}

impl Binaries {
    /// Builds them with cargo, in the release profile.
    pub(crate) fn build() -> anyhow::Result<Self> {
        const NAMES: [&str; 3] = ["extract-perf-baseline", "render-perf-doc", "render-perf-deltas"];
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = Command::new(cargo);
        cargo.args(["build", "--release", "--message-format=json-render-diagnostics", "--manifest-path"]);
        cargo.arg(manifest).args(NAMES.iter().flat_map(|name| ["--bin", name]));
        let output = cargo.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        ensure!(output.status.success(), "the release binaries cannot be built");
        let messages = String::from_utf8_lossy(&output.stdout);
        let built =
            |name: &str| executable(&messages, name).with_context(|| format!("cargo built no `{name}`"));
        let [extract, doc, deltas] = NAMES.map(built);
        let [python, jq, xmllint, critcmp] =
            ["python3", "jq", "xmllint", "critcmp"].map(|name| installed(name, "--version"));
        // It has no option for its version.
        let benchstat = installed("benchstat", "-h");
        let (extract, doc, deltas) = (extract?, doc?, deltas?);
        Ok(Self { extract, doc, deltas, grep: grep(), python, jq, xmllint, critcmp, benchstat })
    }
}

/// The path at which cargo says that it has put a binary.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut artifacts = messages.filter(|message| message["target"]["name"] == name);
    artifacts.find_map(|artifact| Some(PathBuf::from(artifact["executable"].as_str()?)))
}

fn grep() -> Option<PathBuf> {
    let grep = installed("grep", "--version");
    if grep.is_none() {
        term::warn("there is no `grep` here, so nothing is compared with it");
    }
    grep
}

/// A program that can be started.
fn installed(name: &str, harmless: &str) -> Option<PathBuf> {
    let runs = Command::new(name).arg(harmless).stdout(Stdio::null()).stderr(Stdio::null()).status();
    runs.is_ok().then(|| name.into())
}
