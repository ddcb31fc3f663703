//! Everything that a user would notice about a run.

use std::fmt;
use std::path::Path;
use std::process::Output;

/// The keys of the result lines.
const RESULTS: [&str; 13] = [
    "changed",
    "regressed",
    "improved",
    "inconclusive",
    "missing",
    "new",
    "not-comparable",
    "compared",
    "unmeasured",
    "waived",
    "blind",
    "confirm",
    "failed",
];

/// The visible effects of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` if the process was killed.
    pub code: Option<i32>,
    /// Standard output, unchanged.
    pub stdout: Vec<u8>,
    /// Standard error, with the project's folder as `[project]`.
    pub stderr: String,
    /// The touched files: `+` created, `~` rewritten, `=` written with the same content, `-` deleted.
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

    /// Exit code and result lines, without those that are zero or empty, such as `exit 1: changed=true regressed=true
    /// compared=1 failed=regressed`. If the report is on standard output, the lines are on standard error.
    pub fn results(&self) -> String {
        let is_result = |line: &&str| {
            line.split_once('=')
                .is_some_and(|(key, _)| RESULTS.contains(&key))
        };
        let lines = self
            .out()
            .lines()
            .chain(self.stderr.lines())
            .filter(is_result);
        let set: Vec<&str> = lines
            .filter(|line| !line.ends_with("=0") && !line.ends_with('='))
            .collect();
        format!("exit {}: {}", self.code.unwrap_or(-1), set.join(" "))
    }

    /// The first cell in each row of a CSV on standard output.
    pub fn scenarios(&self) -> Vec<&str> {
        self.out()
            .lines()
            .skip(1)
            .filter_map(|row| row.split(',').next())
            .collect()
    }

    /// The position of each warning, such as `run.log:3`; empty for a warning without a line.
    pub fn warnings(&self) -> Vec<&str> {
        self.messages("warning").map(place).collect()
    }

    /// Whether standard error contains all of these words.
    pub fn mentions(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.stderr.contains(word))
    }

    /// Asserts that the run failed with one error at this position (empty: without a line), that the error or its
    /// hint contains these words, and that nothing was written.
    #[track_caller]
    pub fn assert_refused(&self, at: &str, words: &[&str]) {
        assert_eq!((self.code, self.out()), (Some(2), ""), "{self}");
        assert_eq!(self.files, [""; 0], "{self}");
        let errors: Vec<&str> = self.messages("error").collect();
        assert_eq!(errors.len(), 1, "{self}");
        assert_eq!(place(errors[0]), at, "{self}");
        let from = self.stderr.find("error: ").expect("an error");
        for word in words {
            assert!(
                self.stderr[from..].contains(word),
                "`{word}` is not in: {self}"
            );
        }
    }

    fn messages(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.stderr
            .lines()
            .filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(": "))
    }
}

/// The `FILE:LINE` or `FILE:LINE:COLUMN` at the start of a message.
fn place(message: &str) -> &str {
    let place = message.split_once(": ").map_or("", |(place, _)| place);
    let line = place.rsplit(':').next().unwrap_or_default();
    if place.contains(':') && line.parse::<u32>().is_ok() {
        place
    } else {
        ""
    }
}

/// Replaces everything that differs between runs or between systems.
fn redacted(text: &str, folder: &Path) -> String {
    let text = text.replace(&*folder.to_string_lossy(), "[project]");
    if cfg!(windows) {
        text.replace(".exe", "").replace('\\', "/")
    } else {
        text
    }
}

/// Replaces invisible and control characters with their names, so a terminal that shows a snapshot does not execute
/// escape sequences.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        let invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
        c != '\n' && (c.is_control() || invisible || c == '\u{feff}')
    };
    text.chars()
        .map(|c| {
            if is_hidden(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_a_file_with_a_line() {
        let places = [
            "a.log:3: oops",
            "a.toml:3:12: oops",
            "a.md: 3 things: oops",
            "2 things",
            "a:b: c",
        ];
        assert_eq!(places.map(place), ["a.log:3", "a.toml:3:12", "", "", ""]);
    }
}
