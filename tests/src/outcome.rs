//! Everything that a user would notice of a run.

use std::fmt;
use std::path::Path;
use std::process::Output;

/// What a run left behind.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` when it was killed.
    pub code: Option<i32>,
    /// Standard output as it came.
    pub stdout: Vec<u8>,
    /// Standard error, with the project's folder as `[project]`.
    pub stderr: String,
    /// Files that were touched: `+` created, `~` rewritten, `=` written again as they were, `-` gone.
    pub files: Vec<String>,
}

impl Outcome {
    pub(crate) fn new(folder: &Path, output: &Output, files: Vec<String>) -> Self {
        Self {
            code: output.status.code(),
            stdout: output.stdout.clone(),
            stderr: redacted(&String::from_utf8_lossy(&output.stderr), folder),
            files,
        }
    }

    /// Standard output as text.
    pub fn out(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output in UTF-8")
    }
}

/// Without what differs from one run, and from one system, to another.
fn redacted(text: &str, folder: &Path) -> String {
    let text = text.replace(&*folder.to_string_lossy(), "[project]");
    let text: String = text.split_inclusive('\n').map(without_formats).collect();
    if cfg!(windows) { text.replace(".exe", "").replace('\\', "/") } else { text }
}

/// A message without the names of all formats, of which there will be more.
fn without_formats(line: &str) -> String {
    match line.split_once("; looked for ") {
        Some((message, formats)) if formats.contains(", csv, ") => {
            format!("{message}; looked for [formats]\n")
        }
        _ => line.to_owned(),
    }
}

/// Text with the names of characters that cannot be seen, or that act on whoever reads them: a snapshot shows
/// an escape sequence and does not obey it.
pub fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        let invisible =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
        c != '\n' && (c.is_control() || invisible || c == '\u{feff}')
    };
    text.chars().map(|c| if is_hidden(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit {code}")?,
            None => writeln!(f, "killed")?,
        }
        let stdout = String::from_utf8_lossy(&self.stdout);
        for (name, text) in [("stdout", &*stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                let end = if text.ends_with('\n') { "" } else { "␄\n" };
                write!(f, "--- {name}\n{}{end}", visible(text))?;
            }
        }
        if !self.files.is_empty() {
            writeln!(f, "--- files\n{}", self.files.join("\n"))?;
        }
        Ok(())
    }
}
