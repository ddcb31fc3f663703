//! A benchmark tool and its part of the command line.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::bench_tools::kinds::{ArgPosition, ToolKind};

/// The tool that a command line starts.
pub(crate) struct Start {
    pub tool: ToolKind,
    /// The number of words that start it.
    pub words: usize,
    pub place: ArgPosition,
    pub script: Vec<OsString>,
    /// Options in the project's config.
    pub configured: Vec<OsString>,
    pub targets: Vec<String>,
    /// Whether options for times only accept whole seconds.
    pub in_seconds: bool,
}

impl Start {
    pub(crate) fn of(tool: ToolKind, words: usize) -> Self {
        let place = tool.profile().place;
        Self {
            tool,
            words,
            place,
            script: Vec::new(),
            configured: Vec::new(),
            targets: Vec::new(),
            in_seconds: false,
        }
    }
}

/// Whether Vitest's arguments contain its subcommand `bench`, which options may precede.
pub(crate) fn runs_benchmarks(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| word == "bench")
}

/// Whether the file contains one of these texts.
pub(crate) fn mentions(path: &Path, texts: &[&str]) -> bool {
    fs::read_to_string(path).is_ok_and(|content| texts.iter().any(|text| content.contains(text)))
}
