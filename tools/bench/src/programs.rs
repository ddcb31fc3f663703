//! The commands to run on an input: our programs, built in the release profile, and other tools.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use perf_cli::term;
use serde_json::Value;

/// A command to run on an input.
pub(crate) struct Contestant {
    /// The name in the table.
    pub(crate) name: String,
    /// Program and arguments.
    pub(crate) line: Vec<OsString>,
    /// Preparation before each run.
    pub(crate) prepare: Option<Box<dyn Fn() -> io::Result<()>>>,
}

impl Contestant {
    fn new(program: &Path, arguments: &[&dyn AsRef<OsStr>]) -> Self {
        let name = program
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let arguments = arguments
            .iter()
            .map(|argument| argument.as_ref().to_owned());
        Self {
            name,
            line: std::iter::once(program.into()).chain(arguments).collect(),
            prepare: None,
        }
    }
}

/// The directory of the built programs.
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Builds the programs with cargo in the release profile.
    pub(crate) fn build() -> anyhow::Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = Command::new(cargo);
        cargo.args([
            "build",
            "--release",
            "--message-format=json-render-diagnostics",
            "--manifest-path",
        ]);
        cargo
            .arg(manifest)
            .args(["--bin", "extract-perf-baseline", "--bin", "render-perf-doc"]);
        let output = cargo
            .args(["--bin", "render-perf-deltas"])
            .stderr(Stdio::inherit())
            .output();
        let output = output.context("cannot run cargo")?;
        ensure!(
            output.status.success(),
            "the release binaries cannot be built"
        );
        if tool("grep", "--version", &[]).is_none() {
            term::warn("`grep` is not installed, so nothing is compared with it");
        }
        // Cargo prints the paths of the executables.
        let messages = String::from_utf8_lossy(&output.stdout);
        let messages = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut artifacts =
            messages.filter(|message| message["target"]["name"] == "render-perf-deltas");
        let built =
            artifacts.find_map(|artifact| Some(PathBuf::from(artifact["executable"].as_str()?)));
        let folder = built
            .as_deref()
            .and_then(Path::parent)
            .context("cargo built no `render-perf-deltas`")?;
        Ok(Self(folder.to_owned()))
    }

    /// A command that runs one of our programs.
    pub(crate) fn command(&self, name: &str, arguments: &[&dyn AsRef<OsStr>]) -> Contestant {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        Contestant::new(&self.0.join(file), arguments)
    }
}

/// A command that runs another tool. `None` if the tool cannot be started with the `harmless` option.
pub(crate) fn tool(
    name: &str,
    harmless: &str,
    arguments: &[&dyn AsRef<OsStr>],
) -> Option<Contestant> {
    let runs = Command::new(name)
        .arg(harmless)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    runs.is_ok()
        .then(|| Contestant::new(Path::new(name), arguments))
}
