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
    tools: impl Iterator<Item = (&'static str, Box<dyn LineReader>)>,
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let own = sink.document_of(FORMAT.name, false);
    let mut tools: Vec<_> = tools.map(|(name, reader)| (sink.document_of(name, true), reader)).collect();
    let mut rows = TextRows::new(sink);
    let seen = lines::each(source, |number, line| {
        let plain = without_escapes(line);
        let plain = plain.strip_suffix(b"\r").unwrap_or(&plain);
        let mut is_taken = |(lines, tool): &mut (u32, Box<dyn LineReader>)| {
            sink.turn_to(*lines);
            tool.line(number, plain, sink)
        };
        if !tools.iter_mut().any(&mut is_taken) {
            sink.turn_to(own);
            rows.any_line(number, plain, sink);
        }
    })?;
    for (lines, mut tool) in tools {
        sink.turn_to(lines);
        tool.end(sink);
    }
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(())
}
