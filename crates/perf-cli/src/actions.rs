//! Output of a workflow step for GitHub: job summary, outputs, and annotations.
//!
//! - The *job summary* is Markdown that GitHub shows on the run's page. Each step appends to its own file; if that file
//!   exceeds [`SUMMARY_LIMIT`], GitHub drops all of it without failing the step.
//! - An *output* is a name and a value that later steps read. Outputs are also appended to a file.
//! - An *annotation* is a line on standard output that the runner executes. [`crate::term`] disarms text that looks
//!   like an annotation; only [`annotate`] writes annotations.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::term::{self, printable_within};
use crate::{Failure, paths};

/// The maximum size of a GitHub job summary file in bytes.
pub const SUMMARY_LIMIT: usize = 1024 * 1024;

/// The maximum number of annotations per level that GitHub shows for a step.
pub const MOST_ANNOTATIONS: usize = 10;

/// The maximum length of an annotation in characters.
const ANNOTATION_WIDTH: usize = 1000;

/// The environment variables that contain a token. Programs that read or run untrusted content must not get them.
pub const TOKENS: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// The separator between texts in a job summary.
const BETWEEN: &str = "\n\n";

/// The number of bytes that [`append_summary`] can still add to the file.
///
/// # Errors
/// Fails if the file exists, but its size cannot be read.
pub fn summary_room(path: &Path) -> Result<usize, Failure> {
    Ok(SUMMARY_LIMIT
        .saturating_sub(size(path)?)
        .saturating_sub(2 * BETWEEN.len()))
}

/// Appends Markdown to a job summary.
///
/// # Errors
/// Fails if the text is longer than [`summary_room`] allows, or if the file cannot be written.
pub fn append_summary(path: &Path, markdown: &str) -> Result<(), Failure> {
    let room = summary_room(path)?;
    if markdown.len() > room {
        let size = markdown.len();
        let message = format!(
            "cannot add {size} bytes to the job summary `{}`: there is room for {room}",
            term::shown(path)
        );
        return Err(Failure::new(message));
    }
    let before = if size(path)? == 0 { "" } else { BETWEEN };
    append(path, &format!("{before}{}\n", markdown.trim_end()))
}

/// Appends a step output. The value may contain anything.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_output(path: &Path, key: &str, value: &str) -> Result<(), Failure> {
    let end = delimiter()?;
    append(path, &format!("{key}<<{end}\n{value}\n{end}\n"))
}

/// The URL of the workflow's repository, from the variables that GitHub sets. `None` if they are missing or invalid.
pub fn repository(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let server = variable("GITHUB_SERVER_URL")?;
    let name = variable("GITHUB_REPOSITORY").filter(|name| name.contains('/'))?;
    Some(format!("{server}/{name}")).filter(|address| is_address(address))
}

/// Whether a URL begins with `https://` and contains no character that could end a link.
pub fn is_address(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte);
    text.strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_plain))
}

/// The severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// For information.
    Notice,
    /// Something to look at.
    Warning,
    /// A failure.
    Error,
}

impl Level {
    fn command(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Adds an annotation to the run's page.
pub fn annotate(level: Level, title: &str, text: &str) -> anyhow::Result<()> {
    term::stdout(&annotation(level, title, text))
}

/// Formats an annotation as a single line, whatever the texts contain. Long texts are truncated.
pub fn annotation(level: Level, title: &str, text: &str) -> String {
    let (title, text) = (
        printable_within(title, term::MAX_WIDTH),
        printable_within(text, ANNOTATION_WIDTH),
    );
    format!(
        "::{} title={}::{}\n",
        level.command(),
        escape_property(&title),
        escape(&text)
    )
}

/// Escapes the text after a command's second `::`. The text then stays on one line.
pub fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a command property. Properties are separated by commas.
pub fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}

fn size(path: &Path) -> Result<usize, Failure> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(usize::try_from(metadata.len()).unwrap_or(usize::MAX)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(paths::cannot("read", path, error)),
    }
}

/// Appends text in one write, so the text of other processes cannot get in between.
fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| paths::cannot("write", path, error))
}

/// An unguessable line: 128 random bits.
pub fn delimiter() -> Result<String, Failure> {
    let (Ok(first), Ok(second)) = (getrandom::u64(), getrandom::u64()) else {
        return Err(Failure::new("the system provides no random numbers"));
    };
    Ok(format!("perf-gate-{first:016x}{second:016x}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn annotation_is_always_one_command() {
        let line = annotation(Level::Warning, "a:b,c\nd", "100 % more\r\n::error::x, y: z");
        insta::assert_snapshot!(line, @r"::warning title=a%3Ab%2Cc\nd::100 %25 more\r\n::error::x, y: z");
        insta::assert_snapshot!(annotation(Level::Error, "", "::stop-commands::x"), @"::error title=::: :stop-commands::x");
        let long = annotation(Level::Notice, &"t".repeat(9999), &"x".repeat(9999));
        assert_eq!(
            long.chars().count(),
            "::notice title=::\n".len() + 200 + 1000
        );
    }

    #[test]
    fn no_delimiter_is_used_twice() {
        assert_ne!(delimiter().unwrap(), delimiter().unwrap());
        assert_eq!(delimiter().unwrap().len(), "perf-gate-".len() + 32);
    }

    #[test]
    fn a_summary_that_would_be_dropped_is_refused() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("summary.md");
        let room = summary_room(&path).unwrap();
        let error = append_summary(&path, &"x".repeat(room + 1))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("there is room for 1048572") && !path.exists(),
            "{error}"
        );
        append_summary(&path, "first\n\n").unwrap();
        append_summary(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\n\n\nsecond\n");
        append_summary(&path, &"x".repeat(summary_room(&path).unwrap())).unwrap();
        assert!(size(&path).unwrap() <= SUMMARY_LIMIT);
        assert_eq!(summary_room(&path).unwrap(), 0);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = TempDir::new().unwrap();
        let error = append_summary(folder.path(), "x").unwrap_err().to_string();
        assert!(error.contains(&term::shown(folder.path())), "{error}");
        let error = write_output(&folder.path().join("none/outputs"), "a", "b")
            .unwrap_err()
            .to_string();
        assert!(error.contains("outputs"), "{error}");
    }

    /// Parses an output file as GitHub does.
    fn parsed(text: &str) -> Vec<(String, String)> {
        let mut lines = text.split('\n');
        let mut outputs = Vec::new();
        while let Some((key, end)) = lines.next().and_then(|line| line.split_once("<<")) {
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
            outputs.push((key.to_owned(), value.join("\n")));
        }
        outputs
    }

    proptest! {
        #[test]
        fn whatever_is_written_comes_out(values in proptest::collection::vec("(?s).{0,40}", 1..4)) {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("outputs");
            for (at, value) in values.iter().enumerate() {
                write_output(&path, &format!("key-{at}"), value).unwrap();
            }
            let read = parsed(&fs::read_to_string(&path).unwrap());
            let expected: Vec<(String, String)> =
                values.into_iter().enumerate().map(|(at, value)| (format!("key-{at}"), value)).collect();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn an_annotation_never_is_two_lines(title in any::<String>(), text in any::<String>()) {
            let line = annotation(Level::Warning, &title, &text);
            prop_assert_eq!(line.matches(['\n', '\r']).count(), 1);
            let rest = line.strip_prefix("::warning title=").unwrap();
            let (title, _) = rest.split_once("::").unwrap();
            prop_assert!(!title.contains([':', ',']));
        }
    }
}
