//! Summaries of one line, as load tests print them: `read min/mean/max = 1.2/3.4/5.6 us, p50=3.1 p99=5.0`.

use crate::formats::common::names::of_file;
use crate::formats::common::prelude::*;
use crate::formats::hdrhistogram::unit;

pub(crate) const FORMAT: Format = Format::named("latency-summary")
    .about("one-line summaries `NAME min/mean/max = 1/2/3 us p50=2 p99=3`; the unit may be missing")
    .looks_like(|head| {
        MARKS
            .iter()
            .any(|mark| has_line(head, mark, |line| Summary::parse(line).is_some()))
            .into()
    })
    .lines::<Lines>();

const MARKS: [&str; 2] = ["min/mean/max", "min/avg/max"];

fn position(line: &[u8]) -> Option<usize> {
    MARKS
        .iter()
        .find_map(|mark| memchr::memmem::find(line, mark.as_bytes()))
}

#[derive(Default)]
struct Lines;

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if position(line).is_none() {
            return false;
        }
        let text = text(line);
        let Some(summary) = Summary::parse(&text) else {
            return false;
        };
        summary.row(number, sink);
        true
    }
}

struct Summary<'l> {
    name: &'l str,
    ends: [Value; 3],
    percentiles: Vec<(&'l str, Value)>,
    unit: Option<&'static str>,
}

impl<'l> Summary<'l> {
    /// The summary in a line that has a percentile: others sum up something else.
    fn parse(line: &'l str) -> Option<Self> {
        let at = position(line.as_bytes())?;
        let behind = line[at..].split_once(['=', ':'])?.1;
        let words = behind.split(|c: char| c.is_whitespace() || ",/;()[]".contains(c));
        let mut words = words.filter(|word| !word.is_empty());
        let mut unit = None;
        let mut ends = [Value::Int(0); 3];
        for end in &mut ends {
            let (number, of) = number(words.next()?)?;
            (*end, unit) = (number, unit.or(of));
        }
        let mut percentiles = Vec::new();
        while let Some(word) = words.next() {
            let pair = word
                .split_once(['=', ':'])
                .filter(|(name, _)| name.starts_with(['p', 'P']));
            let Some((name, value)) = pair else {
                unit = unit.or(unit::suffix(word));
                continue;
            };
            let value = if value.is_empty() {
                words.next()?
            } else {
                value
            };
            let (value, of) = number(value)?;
            percentiles.push((&name[1..], value));
            unit = unit.or(of);
        }
        percentiles.retain(|(percentile, _)| percentile.parse::<f64>().is_ok());
        let name = name(&line[..at]);
        (!percentiles.is_empty()).then_some(Self {
            name,
            ends,
            percentiles,
            unit: unit.or(unit::named(&line[..at])),
        })
    }

    fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let unit = self.unit.unwrap_or_else(|| unit::configured(sink));
        let outcome = unit::outcome(sink.input());
        let name = if self.name.is_empty() {
            of_file(sink.input(), "latency")
        } else {
            self.name
        }
        .to_owned();
        let [least, mean, most] = self.ends;
        let mut metrics = Metrics::default();
        let summary = [("", mean), (".min", least), (".max", most)];
        metrics.add_parts(
            &format!("latency{unit}"),
            summary.map(|(part, value)| (part, Some(value))),
        );
        let percentiles = self.percentiles.iter();
        metrics.extend(
            percentiles
                .map(|(percentile, value)| (format!("latencyP{percentile}{unit}"), Some(*value))),
        );
        sink.measured(
            line,
            &Cells {
                outcome,
                ..Cells::of(&name)
            },
            &metrics,
        );
    }
}

/// A number, and the unit directly behind it.
fn number(word: &str) -> Option<(Value, Option<&'static str>)> {
    let end = word
        .find(|c: char| c.is_alphabetic() && c != 'e')
        .unwrap_or(word.len());
    Some((Value::parse(&word[..end])?, unit::suffix(&word[end..])))
}

/// Returns the name before a summary, without the prefix of a log.
fn name(before: &str) -> &str {
    let plain = before.trim_end_matches(|c: char| c.is_whitespace() || ":=-,|(".contains(c));
    let start = [": ", "] ", "\t"]
        .iter()
        .filter_map(|end| Some(plain.rfind(end)? + end.len()))
        .max();
    let name = plain[start.unwrap_or_default()..].trim();
    let level = LEVELS
        .iter()
        .find_map(|level| name.strip_prefix(level)?.strip_prefix(' '));
    level.unwrap_or(name).trim()
}

/// The log levels that may stand before a name.
const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_without_a_percentile_is_none() {
        for line in [
            "rtt min/avg/max/mdev = 1/2/3/4 ms",
            "n min/mean/max = 1 / 2",
            "min/mean/max",
            "min/mean/max = a/b/c p50=1",
        ] {
            assert!(Summary::parse(line).is_none(), "{line}");
        }
    }
}
