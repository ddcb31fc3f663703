//! Any text with rows in it: build logs, test output, the console of a game engine.

use std::io;

use super::Format;
use super::lines;
use super::sink::Sink;
use super::source::Source;
use super::text_rows::{TextRows, skip_overlong};

pub(super) const FORMAT: Format = Format {
    name: "log",
    about: "lines `scenario,platform,commit,runIndex,…` and `{scenario:\"…\",…}` in a log",
    looks_like: |_| true,
    read,
};

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut rows = TextRows::new(sink);
    let seen = lines::scan(source, |number, line| rows.line(number, line, sink))?;
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    Ok(())
}
