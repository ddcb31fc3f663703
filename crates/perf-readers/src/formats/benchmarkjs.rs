//! benchmark.js: `name x 1,431,759 ops/sec ±0.74% (93 runs sampled)`, and bench-node, which prints no margin.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::formats::common::prelude::*;
use crate::formats::common::tables::is_set_off;

pub(crate) const FORMAT: Format = Format::named("benchmarkjs")
    .about("benchmark.js, as `String(event.target)` prints, and bench-node: operations per second with their margin")
    .contains(&[MARK, TAIL])
    .lines::<Lines>();

static RATE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

const MARK: &str = " ops/sec ";
const TAIL: &str = " sampled)";

/// A suite begins behind a line that is no result. The line is its title where it is set off or says what is tested
/// behind a colon, names a script, or where the results are indented below it.
#[derive(Default)]
struct Lines {
    tables: Tables,
    open: bool,
    /// The last line that is no result and not blank, since the last suite.
    above: String,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if RATE.find(line).is_none() || !has_all(line, &[TAIL]) {
            let text = text(line);
            if text.trim().is_empty() {
                return false;
            }
            self.open = false;
            let is_summary = text.starts_with("Fastest ");
            if !is_summary && !text.starts_with('`') {
                self.tables.title(&text);
                text.as_ref().clone_into(&mut self.above);
            }
            return is_summary;
        }
        let text = text(line);
        let Some((name, rate, margin)) = parts(&text) else {
            sink.skip(number, line, || "not `name x N ops/sec ±N%`".to_owned());
            return true;
        };
        let Some(rate) = grouped(rate) else {
            sink.skip(number, line, || format!("invalid number `{rate}`"));
            return true;
        };
        let mut metrics = Metrics::default();
        let share = margin.parse::<f64>().ok().map(|percent| percent / 100.0);
        metrics.add_with_share("opsPerSecond", Some(rate), share);
        if !self.open {
            let above = std::mem::take(&mut self.above);
            let has_title = is_set_off(&above) || above.contains(": ") || is_script(above.trim());
            if !has_title && !text.starts_with([' ', '\t']) {
                self.tables.no_title();
            }
            self.tables.begin(number);
            self.open = true;
        }
        self.tables.add(number, name, Outcome::Measured, metrics);
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(true, sink);
    }
}

/// True for the name of a script, which many print before its results.
fn is_script(line: &str) -> bool {
    let is_name = !line.contains(char::is_whitespace);
    is_name
        && [".js", ".mjs", ".cjs", ".ts"]
            .iter()
            .any(|end| line.ends_with(end))
}

/// The name, the rate and its margin in percent, empty where there is none, whose sign is no UTF-8 where a console has another encoding.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (before, behind) = line.rsplit_once(" ops/sec ")?;
    let (name, rate) = before
        .rsplit_once(" x ")
        .or_else(|| before.rsplit_once(" × "))?;
    let behind = behind.trim_start();
    let signed = ["±", "+-", "\u{fffd}"]
        .iter()
        .find_map(|sign| behind.strip_prefix(sign));
    let margin = if behind.starts_with('(') {
        ""
    } else {
        signed?.split_once('%')?.0
    };
    // Some scripts fill names up with dots, as many as the longest name asks for.
    let name = name.trim();
    let without = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    Some((
        if without.is_empty() { name } else { without },
        rate.trim(),
        margin,
    ))
}
