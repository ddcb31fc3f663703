//! Rust's own harness, and what imitates it:
//! `test parse::short ... bench:       3,161 ns/iter (+/- 975) = 250 MB/s`.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::formats::common::cargo;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("libtest")
    .about("cargo bench with Rust's own harness: time and throughput with margins; ignored and failed benchmarks")
    .contains(&[MARK])
    .looks_like(|head| has_line(head, MARK, |line| line.contains("/iter (+/- ")).into())
    .lines::<Lines>();

const MARK: &str = "bench:";

static BENCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));
static DOTS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" ... "));

#[derive(Default)]
struct Lines {
    /// The binary that Cargo runs: several may have benchmarks of one name.
    binary: Option<String>,
    /// True if the tests of this run, so far, had a benchmark among them.
    has_measured: bool,
    run: Option<Run>,
    /// The line and the name of a test whose result has not been printed yet, because other output came first.
    open: Option<(u64, String)>,
    /// Ignored ones, with their lines. Where nothing is measured they are no benchmarks but ordinary tests, which
    /// `cargo bench` lists as ignored.
    ignored: Vec<(u64, String)>,
}

/// The tests of one binary, if it announced their number.
struct Run {
    line: u64,
    tests: u64,
    seen: u64,
    /// The number of measured benchmarks.
    measured: u64,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"test result: ") {
            // Missing tests were filtered out, not cut off; of measured ones none may be missing.
            let run = self.run.take();
            self.end(sink);
            if let (Some(run), Some(measured)) = (run, measured_count(&text(line))) {
                sink.expect_results(number, "benchmarks", measured, run.measured);
            }
            return false;
        }
        let Some(test) = line.strip_prefix(b"test ") else {
            if let Some(result) = line.strip_prefix(MARK.as_bytes())
                && let Some((_, name)) = self.open.take()
            {
                self.measured(number, &name, &text(result), line, sink);
                return true;
            }
            if line == b"ok" {
                self.open = None;
            } else if let Some(tests) = tests(line) {
                self.end(sink);
                self.run = Some(Run {
                    line: number,
                    tests,
                    seen: 0,
                    measured: 0,
                });
            } else if let Some(binary) = cargo::binary(line) {
                self.end(sink);
                self.binary = Some(binary.to_owned());
            }
            return false;
        };
        let Some(dots) = DOTS.find(test) else {
            return false;
        };
        self.report_open(sink);
        if let Some(run) = &mut self.run {
            run.seen += 1;
        }
        let (name, behind) = (&test[..dots], &test[dots + " ... ".len()..]);
        if let Some(at) = BENCH.find(behind) {
            let result = text(&behind[at + MARK.len()..]);
            self.measured(number, &text(name), &result, line, sink);
            return true;
        }
        let plain = text(test);
        let Some((name, outcome)) = outcome(&plain) else {
            if behind != b"ok" {
                self.open = Some((number, text(name).into_owned()));
            }
            return false;
        };
        match outcome {
            Outcome::Skipped => self.ignored.push((number, self.named(name).into_owned())),
            _ => sink.measured(
                number,
                &Cells {
                    outcome,
                    ..Cells::of(&self.named(name))
                },
                [],
            ),
        }
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.report_open(sink);
        if let Some(run) = self.run.take().filter(|run| run.seen < run.tests) {
            sink.expect_results(run.line, "tests", run.tests, run.seen);
        }
        let has_measured = std::mem::take(&mut self.has_measured);
        for (number, name) in self.ignored.drain(..).filter(|_| has_measured) {
            sink.without_metrics(number, &Cells::of(&name), Outcome::Skipped);
        }
    }
}

/// Reads the number of benchmarks in `test result: ok. 0 passed; 0 failed; 0 ignored; 2 measured; 0 filtered out`.
fn measured_count(line: &str) -> Option<u64> {
    let parts = line.split(';').map(str::trim);
    let mut counts = parts.filter_map(|part| part.strip_suffix(" measured"));
    counts.next()?.parse().ok()
}

/// Reads the number of tests that follow: `running 3 tests`.
fn tests(line: &[u8]) -> Option<u64> {
    let count = line.strip_prefix(b"running ")?;
    let count = count
        .strip_suffix(b" tests")
        .or_else(|| count.strip_suffix(b" test"))?;
    std::str::from_utf8(count).ok()?.parse().ok()
}

impl Lines {
    fn named<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let name = name.trim();
        self.binary
            .as_ref()
            .map_or(name.into(), |binary| format!("{binary}::{name}").into())
    }

    /// Reports a test without a result. Without benchmarks, it may be an ordinary test.
    fn report_open(&mut self, sink: &mut RowCollector<'_>) {
        if let Some((line, name)) = self.open.take().filter(|_| self.has_measured) {
            sink.skip(line, name.as_bytes(), || {
                format!("missing result of `{name}`")
            });
        }
    }

    /// The result of a benchmark.
    fn measured(
        &mut self,
        number: u64,
        name: &str,
        result: &str,
        line: &[u8],
        sink: &mut RowCollector<'_>,
    ) {
        self.has_measured = true;
        if let Some(run) = &mut self.run {
            run.measured += 1;
        }
        let Some(Measured {
            metric,
            cost,
            margin,
            throughput,
        }) = Measured::parse(result)
        else {
            sink.skip(number, line, || "not `N ns/iter (+/- N)`".to_owned());
            return;
        };
        let (lower, upper) = (format!("{metric}.lower"), format!("{metric}.upper"));
        if metric != TIME && Meaning::of_name(metric).direction == Direction::Unknown {
            sink.means(metric, Unit::None, Direction::Lower);
        }
        let metrics = [
            (metric, Some(cost)),
            (&*lower, sum(cost, margin, -1.0)),
            (&*upper, sum(cost, margin, 1.0)),
        ];
        let throughput = throughput.map(|(metric, value)| (metric, Some(value)));
        sink.measured(
            number,
            &Cells::of(&self.named(name)),
            metrics.into_iter().chain(throughput),
        );
    }
}

/// The metric of a harness that measures time, as most do.
const TIME: &str = "timeNs";

/// The cost of one iteration of a benchmark.
struct Measured<'t> {
    metric: &'t str,
    cost: Value,
    margin: Value,
    throughput: Option<(&'t str, Value)>,
}

impl<'t> Measured<'t> {
    /// Reads `3,161 ns/iter (+/- 975) = 250 MB/s`, in which the last part may be missing. A harness of another unit
    /// has it in the place of the time: `1,234 cycles/iter`.
    fn parse(text: &'t str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (number, unit) = (words.next()?, words.next()?.strip_suffix("/iter")?);
        let (sign, margin) = (words.next()?, words.next()?.strip_suffix(')')?);
        let throughput = match (words.next(), words.next(), words.next()) {
            (Some("="), Some(number), Some(unit)) => Some(throughput(number, unit)?),
            (None, None, None) => None,
            _ => return None,
        };
        let is_time = nanoseconds("1", unit).is_some();
        let is_word = !unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
        let value = |number| {
            if is_time {
                nanoseconds(number, unit)
            } else {
                quantity(number, unit, unit)
            }
        };
        let (cost, margin) = (value(number)?, value(margin)?);
        let metric = if is_time { TIME } else { unit };
        (sign == "(+/-" && (is_time || is_word)).then_some(Self {
            metric,
            cost,
            margin,
            throughput,
        })
    }
}

/// Returns the throughput per second, without a prefix: bytes, or what the unit says, as in `3 MS/s`.
fn throughput<'t>(number: &str, unit: &'t str) -> Option<(&'t str, Value)> {
    let base = unit
        .strip_prefix(['K', 'M', 'G', 'T'])
        .filter(|base| !base.starts_with('/'))
        .unwrap_or(unit);
    let metric = if base == "B/s" {
        "bytesPerSecond"
    } else {
        base
    };
    base.ends_with("/s")
        .then_some((metric, quantity(number, unit, base)?))
}

/// One end of what lies around `time`; the digits are those of what was printed, and no time is below zero.
fn sum(time: Value, margin: Value, sign: f64) -> Option<Value> {
    let end = (time.as_f64() + sign * margin.as_f64()).max(0.0);
    rounded(end).or_else(|| Value::parse(&format!("{end:.6}")))
}

/// A number that is not negative with six digits behind its point, if arithmetic is exact.
fn rounded(number: f64) -> Option<Value> {
    const LARGEST: f64 = 1e9; // its millionths are whole numbers that a float has
    if number.fract() == 0.0 {
        return Value::new(number);
    }
    let millionths = number * 1e6;
    let whole = millionths.round();
    let is_sure = number < LARGEST && (millionths - whole).abs() < 0.49;
    is_sure.then(|| Value::new(whole / 1e6)).flatten()
}

/// Returns the name and the outcome of a test that measured nothing; `None` for a line that does not say so.
fn outcome(text: &str) -> Option<(&str, Outcome)> {
    let (name, result) = text.split_once(" ... ")?;
    match result.split(',').next()?.trim() {
        "ignored" => Some((name, Outcome::Skipped)),
        "FAILED" => Some((name, Outcome::Failed)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_that_would_be_printed(number in 0.0..2e9_f64, small in 0_u32..9_999_999) {
            for number in [number, number / 1e6, f64::from(small) / 8e6, f64::from(small) / 1e6] {
                let printed = Value::parse(&format!("{number:.6}"));
                prop_assert_eq!(rounded(number).or(printed), printed);
            }
        }
    }
}
