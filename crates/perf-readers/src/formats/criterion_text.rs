//! Criterion's report on the terminal:
//!
//! ```text
//! parse/short             time:   [153.72 ns 155.60 ns 157.89 ns]
//!                         thrpt:  [134.90 MiB/s 135.93 MiB/s 136.74 MiB/s]
//! ```
//!
//! A long name is on a separate line above the times. The numbers after `change:` are relative, and not measurements.
//! Benchmarks of several binaries may have the same name, so rows are emitted only at the end of the input.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("criterion-text")
    .about("criterion's report on the terminal: typical time and throughput with their intervals")
    .contains(&[" time:"])
    .looks_like(|head| {
        let is_time = |line: &str| split(line).is_some_and(|(_, inside)| words(inside) == 6);
        has_line(head, " time:", is_time).into()
    })
    .lines::<Report>();

/// Returns the text before ` time:` and the text after the opening bracket. Returns `None` for a change, whose numbers
/// begin with a sign.
fn split(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.split_once(" time:")?;
    // Pasted text may have lost some of the spaces.
    let inside = rest.trim_start_matches(' ').strip_prefix('[')?;
    let is_time = inside.starts_with(|c: char| c.is_ascii_digit() || c == ' ');
    is_time.then_some((before, inside))
}

/// Counts the words in brackets: six for three numbers with units, three for a custom measurement without units.
fn words(inside: &str) -> usize {
    let inside = inside.split(']').next().unwrap_or_default();
    inside.split_ascii_whitespace().count()
}

#[derive(Default)]
struct Report {
    /// The previous line. It contains the benchmark's name if the name is too long for the line with the times.
    before: String,
    binary: Option<String>,
    benchmarks: Vec<Benchmark>,
    is_open: bool,
}

/// A benchmark, with its line and the metrics read so far.
struct Benchmark {
    name: String,
    binary: Option<String>,
    line: u64,
    metrics: Metrics,
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let is_taken = match split(line) {
            Some((name, inside)) => self.time(number, name, inside, sink),
            None => self.throughput(line),
        };
        self.is_open &= is_taken;
        if !is_taken && let Some(binary) = cargo::binary(line) {
            self.binary = Some(binary.to_owned());
        }
        line.trim().clone_into(&mut self.before);
        is_taken
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        let mut binaries: HashMap<&str, &Option<String>> = HashMap::new();
        let mut repeated: HashSet<&str> = HashSet::new();
        for Benchmark { name, binary, .. } in &self.benchmarks {
            if *binaries.entry(name).or_insert(binary) != binary {
                repeated.insert(name);
            }
        }
        for benchmark in &self.benchmarks {
            let name = match &benchmark.binary {
                Some(binary) if repeated.contains(&*benchmark.name) => {
                    format!("{binary}::{}", benchmark.name)
                }
                _ => benchmark.name.clone(),
            };
            sink.measured(benchmark.line, &Cells::of(&name), &benchmark.metrics);
        }
    }
}

impl Report {
    /// Reads a line with a benchmark's times. Returns whether the line was one.
    fn time(&mut self, number: u64, name: &str, inside: &str, sink: &mut Rows<'_>) -> bool {
        self.is_open = false;
        if !inside.contains(']') {
            sink.skip(number, name, || "line is cut off".to_owned());
            return true;
        }
        if ![3, 6].contains(&words(inside)) {
            return false;
        }
        let Some(values) = three(inside, nanoseconds) else {
            sink.skip(number, name, || {
                "expected three durations with units".to_owned()
            });
            return true;
        };
        let name = if name.trim().is_empty() {
            self.before.clone()
        } else {
            name.trim().to_owned()
        };
        self.benchmarks.push(Benchmark {
            name,
            binary: self.binary.clone(),
            line: number,
            metrics: interval("timeNs", values),
        });
        self.is_open = true;
        true
    }

    /// Adds a throughput line to the benchmark above it. Returns whether the line was one.
    fn throughput(&mut self, line: &str) -> bool {
        let open = self.benchmarks.last_mut().filter(|_| self.is_open);
        let (Some((_, inside)), Some(open)) = (line.split_once(" thrpt:  ["), open) else {
            return false;
        };
        for (metric, base) in [
            ("bytesPerSecond", "B/s"),
            ("bitsPerSecond", "b/s"),
            ("itemsPerSecond", "elem/s"),
        ] {
            if let Some(rates) = three(inside, |number, unit| quantity(number, unit, base)) {
                open.metrics.extend(interval(metric, rates));
                return true;
            }
        }
        false
    }
}

/// Reads the lower end, the estimate and the upper end from `1 ns 2 ns 3 ns]`.
fn three(text: &str, read: impl Fn(&str, &str) -> Option<Value>) -> Option<[Value; 3]> {
    let (inside, _) = text.split_once(']')?;
    let words: Vec<&str> = inside.split_ascii_whitespace().collect();
    match words.as_slice() {
        [a, a_unit, b, b_unit, c, c_unit] => {
            Some([read(a, a_unit)?, read(b, b_unit)?, read(c, c_unit)?])
        }
        _ => None,
    }
}

fn interval(metric: &str, [lower, typical, upper]: [Value; 3]) -> Metrics {
    let mut metrics = Metrics::default();
    let parts = [("", typical), (".lower", lower), (".upper", upper)];
    metrics.add_parts(metric, parts.map(|(part, value)| (part, Some(value))));
    metrics
}
