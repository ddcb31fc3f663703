//! The parts of a command that runs a benchmark tool.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::kinds::{ArgPosition, ToolKind};

/// A benchmark command whose tool is known, split into parts.
#[derive(Clone, Debug)]
pub struct BenchTool {
    pub(crate) tool: ToolKind,
    pub(crate) place: ArgPosition,
    /// The words that start the tool, such as `nice go test`.
    pub(crate) begin: Vec<OsString>,
    /// Words that are added directly after `begin`.
    pub(crate) front: Vec<OsString>,
    /// The command's own arguments.
    pub(crate) arguments: Vec<OsString>,
    /// Words that are added to the arguments: before any `--`, or after it if the place is [`ArgPosition::AfterDashes`].
    pub(crate) end: Vec<OsString>,
    /// Arguments of a Go test binary, starting with `-args`.
    pub(crate) rest: Vec<OsString>,
    /// The words of the package.json script that the command starts.
    pub(crate) script: Vec<OsString>,
    /// The options in the project's config.
    pub(crate) configured: Vec<OsString>,
    /// The bench targets to which `cargo bench` is restricted, because only they accept the added options.
    pub(crate) targets: Vec<String>,
}

impl BenchTool {
    /// The tool that the command starts.
    pub fn tool(&self) -> ToolKind {
        self.tool
    }

    /// Splits a command whose first `begin` words start the tool.
    pub(crate) fn split(tool: ToolKind, words: &[OsString], begin: usize) -> Self {
        let (begin, after) = words.split_at(begin.min(words.len()));
        let is_end =
            |word: &OsString| tool == ToolKind::Go && (word == "-args" || word == "--args");
        let end = after.iter().position(is_end).unwrap_or(after.len());
        let (arguments, rest) = after.split_at(end);
        let (front, end, script, configured, targets) = Default::default();
        Self {
            tool,
            place: tool.profile().place,
            begin: begin.to_vec(),
            front,
            arguments: arguments.to_vec(),
            end,
            rest: rest.to_vec(),
            script,
            configured,
            targets,
        }
    }

    /// Adds words at the position at which the tool expects its options.
    pub(crate) fn extend(&mut self, words: Vec<OsString>) {
        match self.place {
            ArgPosition::Front => self.front.extend(words),
            ArgPosition::End | ArgPosition::AfterDashes => self.end.extend(words),
        }
    }

    /// Returns the command with all added words.
    pub(crate) fn command(&self) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        let dashes = arguments.iter().position(|word| word == "--");
        let mut at = dashes.unwrap_or(arguments.len());
        if self.place == ArgPosition::AfterDashes {
            if dashes.is_none() && !self.end.is_empty() {
                arguments.push("--".into());
            }
            at = arguments.len();
        }
        arguments.splice(at..at, self.end.iter().cloned());
        [&self.begin[..], &self.front, &arguments, &self.rest].concat()
    }
}

/// Whether Vitest's arguments contain its `bench` subcommand, which may follow options.
pub(crate) fn runs_benchmarks(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| word == "bench")
}

/// Whether the file is readable and contains one of these texts.
pub(crate) fn mentions(path: &Path, texts: &[&str]) -> bool {
    fs::read_to_string(path).is_ok_and(|content| texts.iter().any(|text| content.contains(text)))
}
