//! Any text with rows in it: build logs, test output, the console of a game engine.

use std::io;

use super::lines;
use super::sink::Sink;
use super::source::Source;
use super::text_rows::{TextRows, skip_overlong, without_escapes};
use super::{Format, Kind, Likeness, LineReader};

pub(super) const FORMAT: Format = Format {
    name: "log",
    about: "lines `scenario,platform,commit,runIndex,…` and `{scenario:\"…\",…}` in a log",
    looks_like: |_| Likeness::Yes,
    kind: Kind::Document(read),
};

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut rows = TextRows::new(sink);
    let seen = lines::scan(source, |number, line| rows.line(number, line, sink))?;
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(())
}

/// Reads the lines of tools and, among them, rows of our own.
pub(super) fn read_with(
    tools: impl Iterator<Item = Box<dyn LineReader>>,
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut tools: Vec<_> = tools.collect();
    let mut rows = TextRows::new(sink);
    let seen = lines::each(source, |number, line| {
        let plain = without_escapes(line);
        let plain = plain.strip_suffix(b"\r").unwrap_or(&plain);
        if !tools.iter_mut().any(|tool| tool.line(number, plain, sink)) {
            rows.any_line(number, plain, sink);
        }
    })?;
    for mut tool in tools {
        tool.end(sink);
    }
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(())
}
