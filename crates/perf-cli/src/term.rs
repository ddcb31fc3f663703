//! Writes output for people, and makes untrusted text safe to print.
//!
//! Messages (`error:`, `warning:`, `note:`, `hint:`, progress) go to stderr, data goes to stdout.

use std::borrow::Cow;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use perf_model::diagnostic::{Diagnostic, Severity};

/// The maximum length of [`printable`] text in characters.
pub const MAX_WIDTH: usize = 200;

/// Whether notes and progress are off.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether a step of [`quietly`] is running, which turns off notes.
static HUSHED: AtomicBool = AtomicBool::new(false);

/// Whether a step of [`silently`] is running, which also turns off warnings.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Whether the last line that [`relay`] wrote is unfinished.
static UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal shows a progress line.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// The maximum length of a progress line. A longer line could wrap, and then could not be replaced.
const PROGRESS_WIDTH: usize = 79;

/// The escape sequence that moves to the start of the line and clears the line.
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Messages show files relative to these folders.
static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Sets the folders relative to which messages show files. If several folders contain a file, the first one is used. Only
/// the first call has an effect.
pub fn name_within(folders: Vec<PathBuf>) {
    let _ = FOLDERS.set(folders);
}

/// Turns notes and progress off or on. Warnings and errors are always printed.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether notes are off.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed) || HUSHED.load(Ordering::Relaxed)
}

/// Runs a step without its notes. Its progress is still shown.
pub fn quietly<T>(step: impl FnOnce() -> T) -> T {
    let hushed = HUSHED.swap(true, Ordering::Relaxed);
    let result = step();
    HUSHED.store(hushed, Ordering::Relaxed);
    result
}

/// Runs a step without its notes and warnings, because an earlier step already printed them.
pub fn silently<T>(step: impl FnOnce() -> T) -> T {
    let silent = SILENT.swap(true, Ordering::Relaxed);
    let result = quietly(step);
    SILENT.store(silent, Ordering::Relaxed);
    result
}

/// Whether a step of [`silently`] is running.
fn is_silent() -> bool {
    SILENT.load(Ordering::Relaxed)
}

/// Whether progress is shown, which requires a terminal.
pub fn shows_progress() -> bool {
    !QUIET.load(Ordering::Relaxed) && io::stderr().is_terminal()
}

/// Shows a progress line, which replaces the previous one. The next message clears the line.
pub fn progress(text: &str) {
    if !shows_progress() {
        return;
    }
    end_line();
    let mut stderr = io::stderr();
    let line = printable_within(text, PROGRESS_WIDTH);
    let _ = write!(stderr, "{CLEAR_LINE}{line}");
    let _ = stderr.flush();
    PROGRESS.store(true, Ordering::SeqCst);
}

/// Shows the current step: as progress on a terminal, otherwise as a note.
pub fn step(text: &str) {
    if shows_progress() {
        progress(text);
    } else {
        note(text);
    }
}

/// Prints an error, even if quiet.
pub fn error(text: &str) {
    say("error", AnsiColor::Red, text);
}

/// Prints a warning. The run continues.
pub fn warn(text: &str) {
    if !is_silent() {
        say("warning", AnsiColor::Yellow, text);
    }
}

/// Prints a note, unless quiet.
pub fn note(text: &str) {
    if !is_quiet() {
        say("note", AnsiColor::Green, text);
    }
}

/// Prints each diagnostic's examples, and its message if the examples don't show every occurrence.
pub fn diagnostics<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
    for diagnostic in diagnostics {
        let mut print: fn(&str) = note;
        let mut is_hidden = is_quiet();
        if diagnostic.severity == Severity::Warning {
            print = warn;
            is_hidden = is_silent();
        }
        if is_hidden {
            continue;
        }
        for example in &diagnostic.examples {
            print(&one_line(example));
        }
        if diagnostic.examples.len() as u64 != diagnostic.count {
            print(&one_line(&diagnostic.to_string()));
        }
        if let Some(text) = &diagnostic.hint {
            hint(&one_line(text));
        }
    }
}

/// Prints advice about the previous message.
pub fn hint(text: &str) {
    say("hint", AnsiColor::Cyan, text);
}

fn say(prefix: &str, color: AnsiColor, text: &str) {
    let style: Style = color.on_default().bold();
    end_line();
    // Ignore errors, because a closed stderr must not fail the run.
    let _ = writeln!(
        anstream::stderr(),
        "{style}{prefix}{style:#}: {}",
        lines(text)
    );
}

/// Writes data to stdout and flushes it. A closed pipe, as with `head`, is not an error, so the run's result still
/// determines the exit code.
pub fn stdout(data: &str) -> anyhow::Result<()> {
    let stdout = io::stdout().lock();
    // Only a terminal needs safe text. Files and pipes get the exact bytes.
    let data = if stdout.is_terminal() {
        Cow::Owned(visible(data))
    } else {
        Cow::Borrowed(data)
    };
    write_all(stdout, &data)
}

fn write_all(mut stdout: impl Write, data: &str) -> anyhow::Result<()> {
    end_line();
    match stdout
        .write_all(data.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Like [`stdout`], but for external text. If GitHub's runner would execute a part of the text, prints a warning. That
/// is not an error, because standard output might not be the workflow's log.
pub fn data(data: &str) -> anyhow::Result<()> {
    stdout(data)?;
    let is_in_workflow = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    // Windows has no such path, so there the warning also appears if standard output is a file.
    let is_file = fs::metadata("/dev/stdout").is_ok_and(|stdout| stdout.is_file());
    if is_in_workflow && !is_file && has_commands(data) {
        warn("standard output contains text that GitHub Actions runs as a workflow command");
        hint("write it to a file, with `--output` or `>`");
    }
    Ok(())
}

/// Whether GitHub's runner would execute one of the lines.
fn has_commands(text: &str) -> bool {
    text.contains("##[")
        || text
            .split(['\n', '\r'])
            .any(|line| line.trim_start().starts_with("::"))
}

/// Makes external text safe for a terminal. Line breaks and tabs stay, and every other invisible character becomes U+FFFD.
fn visible(text: &str) -> String {
    text.replace(|c| is_hidden(c) && !matches!(c, '\n' | '\t'), "\u{fffd}")
}

/// Like [`stdout`], but for text with colours, which are removed if stdout or the options don't allow them.
pub fn styled(data: &str) -> anyhow::Result<()> {
    write_all(anstream::stdout().lock(), data)
}

/// Makes lines safe and writes them to stderr, even if quiet. For data that does not belong on stdout.
pub fn stderr(data: &str) {
    end_line();
    let _ = writeln!(anstream::stderr(), "{}", lines(data));
}

/// Copies another program's messages to stderr as they arrive. This program's messages then begin on a new line.
pub fn relay(mut from: impl Read) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let text = &buffer[..read];
        let Some(last) = text.last() else { break };
        let _ = io::stderr().write_all(text);
        UNFINISHED.store(*last != b'\n', Ordering::SeqCst);
    }
    end_line();
    Ok(())
}

/// Ends a line that another program left unfinished, and clears the progress line.
pub fn end_line() {
    if PROGRESS.swap(false, Ordering::SeqCst) {
        let _ = io::stderr().write_all(CLEAR_LINE.as_bytes());
    }
    if UNFINISHED.swap(false, Ordering::SeqCst) {
        let _ = io::stderr().write_all(b"\n");
    }
}

/// Makes each line of a text safe for a terminal and for a workflow log.
pub fn printable_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let (text, end) = line
                .strip_suffix('\n')
                .map_or((line, ""), |text| (text, "\n"));
            one_line(text.trim_end_matches('\r')) + end
        })
        .collect()
}

/// Makes external text safe for a terminal and for a workflow log: one line of at most [`MAX_WIDTH`] characters.
pub fn printable(text: &str) -> String {
    printable_within(text, MAX_WIDTH)
}

/// Like [`printable`], but with at most `width` characters. Truncated text ends in `…`.
pub fn printable_within(text: &str, width: usize) -> String {
    // One character more than fits is enough to decide whether to truncate.
    let safe = one_line(
        &text
            .chars()
            .take(width.saturating_add(1))
            .collect::<String>(),
    );
    if safe.chars().count() <= width {
        return safe;
    }
    let start = safe.chars().take(width.saturating_sub(1));
    start.chain(Some('…')).collect()
}

/// Makes external text safe as [`printable`] does, and puts it in backticks.
pub fn in_backticks(text: &str) -> String {
    format!("`{}`", printable(text))
}

/// Formats a path for a message: safe, not truncated, and relative to the folders of [`name_within`].
pub fn shown(path: &Path) -> String {
    let inner = FOLDERS
        .get()
        .into_iter()
        .flatten()
        .find_map(|folder| path.strip_prefix(folder).ok());
    let path = inner
        .filter(|inner| !inner.as_os_str().is_empty())
        .unwrap_or(path);
    one_line(&path.display().to_string())
}

/// Makes every line safe and keeps line breaks, for multi-line messages.
fn lines(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(one_line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn one_line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            hidden if is_hidden(hidden) => safe.push(char::REPLACEMENT_CHARACTER),
            visible => safe.push(visible),
        }
    }
    disarm(&safe)
}

/// Whether a character moves the cursor, starts an escape sequence or changes the text direction.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Makes workflow commands ineffective: `::` at the start of a line, and `##[` anywhere.
fn disarm(line: &str) -> String {
    let line = line.replace("##[", "## [");
    let indent = line.len() - line.trim_start().len();
    match line[indent..].strip_prefix("::") {
        Some(rest) => format!("{}: :{rest}", &line[..indent]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_text_cannot_drive_a_terminal_or_a_log() {
        assert_eq!(printable("fine: 1.5 µs, 表"), "fine: 1.5 µs, 表");
        assert_eq!(printable("a\r\nb\tc"), "a\\r\\nb\\tc");
        assert_eq!(
            printable("\x1b[31mred\x1b]0;title\x07\u{9b}1m"),
            "�[31mred�]0;title��1m"
        );
        assert_eq!(printable("ab\u{202e}cd\u{2066}\u{2028}"), "ab�cd��");
        assert_eq!(
            printable("::set-output name=a::b"),
            ": :set-output name=a::b"
        );
        assert_eq!(printable("  ::error::x"), "  : :error::x");
        assert_eq!(
            printable("x\n::add-mask::y ##[group]z"),
            "x\\n::add-mask::y ## [group]z"
        );
    }

    #[test]
    fn data_at_a_terminal_moves_no_cursor() {
        assert_eq!(
            visible("a\tb\r\n\x1b[2J\u{9b}1m\u{202e}é\n"),
            "a\tb�\n�[2J�1m�é\n"
        );
    }

    #[test]
    fn workflow_commands_in_data_are_detected() {
        for text in [
            "a\n::set-output name=x::y",
            "\"a\r::error::x\"",
            "  ::error::x",
            "a,1\nb ##[group]c,1\n",
        ] {
            assert!(has_commands(text), "{text}");
        }
        assert!(!has_commands(
            "scenario,x\nqueue::push,1\n\"::push\",1\n## [a],2\n"
        ));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(printable_within("🐎🐎🐎", 3), "🐎🐎🐎");
        assert_eq!(printable_within("🐎🐎🐎🐎", 3), "🐎🐎…");
        assert_eq!(printable_within("ab\n", 3), "ab…");
        assert_eq!(printable(&"x".repeat(1_000_000)).chars().count(), MAX_WIDTH);
    }

    #[test]
    fn a_message_keeps_its_lines_and_each_is_harmless() {
        assert_eq!(
            lines("first\n::error::second\r\n  ##[third]\x1b[2J\n"),
            "first\n: :error::second\n  ## [third]�[2J"
        );
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_stable_line(text in any::<String>(), width in 1..300_usize) {
            let safe = printable_within(&text, width);
            prop_assert!(safe.chars().count() <= width);
            prop_assert!(!safe.chars().any(is_hidden));
            prop_assert!(!safe.trim_start().starts_with("::") && !safe.contains("##["));
            prop_assert_eq!(printable_within(&safe, width), safe);
        }

        #[test]
        fn commands_are_broken_up_wherever_they_hide(text in "[ \t\n:#\\[a\u{1b}]{0,12}") {
            for line in lines(&text).lines() {
                prop_assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line:?}");
            }
        }
    }
}
