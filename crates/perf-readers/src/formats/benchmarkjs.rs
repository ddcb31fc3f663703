//! Lines that benchmark.js prints, such as `name x 1,431,759 ops/sec ±0.74% (93 runs sampled)`. bench-node prints the
//! same without a margin.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("benchmarkjs")
    .about("benchmark.js, as `String(event.target)` prints, and bench-node: operations per second with their margin")
    .contains(&[MARK, TAIL])
    .lines::<Lines>();

static RATE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

const MARK: &str = " ops/sec ";
const TAIL: &str = " sampled)";

#[derive(Default)]
struct Lines {
    tables: Tables,
    /// Whether the previous line is a result. If it is not, the next result begins a suite.
    open: bool,
    /// The last line that is not a result. It may be the next suite's name.
    above: String,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if RATE.find(line.as_bytes()).is_none() || !has_all(line, &[TAIL]) {
            if line.trim().is_empty() {
                return false;
            }
            self.open = false;
            self.above.clear();
            if !line.starts_with("Fastest ") {
                self.above.push_str(line.trim());
                return false;
            }
            return true;
        }
        let Some((name, rate, margin)) = parts(line) else {
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
            // Scripts print the suite's name with a colon, or indent the suite's results.
            let has_name = self.above.contains(':') || line.starts_with([' ', '\t']);
            if has_name && !self.above.is_empty() {
                let name = self.above.trim_end_matches(':');
                sink.sections.add_of_tool(number, name);
            }
            self.tables.begin(number);
            self.open = true;
        }
        self.tables.add(number, name, Outcome::Measured, metrics);
        true
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}

/// Returns the name, the rate and the margin in percent. The margin may be missing, and its sign may be garbled by the
/// console's encoding.
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
    // Some scripts pad names with dots, so that all have the same length.
    let name = name.trim();
    let without = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    Some((
        if without.is_empty() { name } else { without },
        rate.trim(),
        margin,
    ))
}
