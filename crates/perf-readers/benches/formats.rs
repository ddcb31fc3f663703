//! How fast each tool's output is read, in bytes and rows per second. Each fixture is repeated with different names:
//! once as results only, and once with a few results in a log of other text.

#![expect(clippy::panic, reason = "a benchmark without its fixture says nothing")]

use std::path::Path;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use perf_config::Config;
use perf_readers::{Collector, ParseReport};
use serde_json::{Deserializer, Value};

fn main() {
    divan::main();
}

/// Approximate bytes of each input.
const SIZE: usize = 4 << 20;

const NOISE: &str =
    "   Compiling shelf-macros v0.14.2 (/build/shelf/macros) with 12 features in 3.20s\n";

/// A fixture, and the texts after which each copy gets its number, so that all names differ.
struct Output {
    format: &'static str,
    fixture: &'static str,
    numbered: &'static [&'static str],
    /// The part to repeat, for documents such as XML.
    part: Option<[&'static str; 2]>,
}

const fn output(
    format: &'static str,
    fixture: &'static str,
    numbered: &'static [&'static str],
) -> Output {
    Output {
        format,
        fixture,
        numbered,
        part: None,
    }
}

/// Outputs that are documents.
const DOCUMENTS: &[Output] = &[
    Output {
        part: Some(["<testcase", "</testcase>"]),
        ..output("junit", "junit/surefire.xml", &["example.PathsTest"])
    },
    Output {
        part: Some(["<test-case", "</test-case>"]),
        ..output("unity", "unity/v2.xml", &["PathTests"])
    },
    Output {
        part: Some(["<TestCase", "</TestCase>"]),
        ..output("catch2", "catch2/v3.xml", &["TestCase name=\""])
    },
    output("criterion", "criterion/joined.json", &["\"group_id\":\""]),
    output(
        "hyperfine",
        "hyperfine/two-commands.json",
        &["\"command\": \""],
    ),
    output(
        "google-benchmark",
        "google-benchmark/aggregates-only.json",
        &["\"name\": \"", "\"run_name\": \""],
    ),
    output(
        "pytest-benchmark",
        "pytest-benchmark/samples.json",
        &["\"fullname\": \""],
    ),
    output("jmh", "jmh/modes.json", &["\"benchmark\": \""]),
    output(
        "benchmarkdotnet",
        "benchmarkdotnet/brief.json",
        &["\"FullName\": \""],
    ),
    output("vitest", "vitest/statistics.json", &["text.bench"]),
    output("tinybench", "tinybench/results.json", &["\"name\": \""]),
    output("julia", "julia/trials.json", &["\"fib", "\"sum"]),
    output("k6", "k6/machine-readable.json", &["\"name\": \""]),
    output("oha", "oha/requests.json", &[]),
    output("autocannon", "autocannon/root.json", &[":4020/"]),
    Output {
        part: Some(["<subject", "</subject>"]),
        ..output("phpbench", "phpbench/output.xml", &["<subject name=\""])
    },
    output("locust", "locust/stats.csv", &["GET,"]),
    output(
        "benchmarkdotnet-csv",
        "benchmarkdotnet/report.csv",
        &["Sort"],
    ),
    output(
        "redis-benchmark-csv",
        "redis-benchmark/results.csv",
        &["SET", "LPUSH", "LRANGE_100"],
    ),
    output("callgrind", "valgrind/callgrind.out", &["seq "]),
    output("asv", "asv/results.json", &["shelf."]),
    output("pyperf", "pyperf/both.json", &["sort list", "sum list"]),
    output("gatling", "gatling/stats.json", &["Home", "Cart"]),
    output("vegeta-json", "vegeta/report.json", &[]),
    output("ghz", "hey/ghz.json", &["lookup"]),
    output("fio", "fio/jobs.json", &["\"jobname\" : \""]),
    output("deno", "mitata/deno.json", &["\"name\": \""]),
    output("size-limit", "size-limit/output.json", &["\"name\": \""]),
    output("bmf", "bmf/measures.json", &["\"tests::", "\"build"]),
    output("custom", "custom/benches.json", &["\"name\": \""]),
    output(
        "hdrhistogram",
        "hdrhistogram/two.hgrm",
        &["Reads ", "Writes "],
    ),
    output("benchmarkjs", "benchmarkjs/three.txt", &["parse"]),
    output("wrk2", "wrk2/plain.txt", &[":4020/"]),
];

/// Outputs that consist of lines, which may be mixed with others.
const LINES: &[Output] = &[
    output(
        "criterion-text",
        "criterion/report.txt",
        &["letters/", "sort "],
    ),
    output(
        "libtest",
        "libtest/outcomes.txt",
        &["test letters", "test sort", "test broken"],
    ),
    output("divan", "divan/table.txt", &["with_divan"]),
    output("gungraun", "gungraun/report.txt", &["books::"]),
    output("iai", "iai/report.txt", &["letters_", "sort_"]),
    output("go", "go/verbose.txt", &["Benchmark"]),
    output("unity-log", "unity/player.log", &["Load", "PlayTests"]),
    output("wrk", "wrk/three.txt", &[":4020/"]),
    output(
        "benchmarkdotnet-text",
        "benchmarkdotnet/console.log",
        &["Shelf.Hashing"],
    ),
    output("jmh-text", "jmh/table.txt", &["Codec", "Mixed"]),
    output("nanobench", "nanobench/tables.md", &["`"]),
    output("mitata", "mitata/deno.txt", &["sort ", "sums"]),
    output("benchee", "benchee/times.txt", &["map "]),
    output(
        "benchmark-ips",
        "benchmark-ips/report.txt",
        &["map", "constant", "sleep"],
    ),
    output(
        "autocannon-text",
        "autocannon/table.txt",
        &[":4020/", ":4021/"],
    ),
    output("vegeta", "vegeta/report.txt", &[]),
    output("hey", "hey/two.txt", &["## home", "## search"]),
    output("ab", "ab/three.txt", &["Document Path:          /"]),
    output("pgbench", "pgbench/runs.txt", &["<builtin: "]),
    output(
        "redis-benchmark",
        "redis-benchmark/reports.txt",
        &["====== "],
    ),
    output("gnu-time", "gnu-time/two.txt", &["sort "]),
];

fn read(text: &str, config: &Config) -> ParseReport {
    let mut collector = Collector::new(config);
    let read = collector.read("bench", &mut text.as_bytes());
    read.map(|()| collector.finish()).unwrap_or_default()
}

fn bench(bencher: Bencher<'_, '_>, text: &str) {
    let config = Config::default();
    let rows = read(text, &config).rows.len();
    let bencher = bencher
        .counter(BytesCount::of_str(text))
        .counter(ItemsCount::new(rows));
    bencher.bench(|| read(black_box(text), &config));
}

impl Output {
    /// Repeats the output, with text in between.
    fn copies(&self, between: &str) -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/fixtures/tools")
            .join(self.fixture);
        let whole = std::fs::read_to_string(&file)
            .unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        let (before, part, behind) = self.part(&whole);
        let mut text = before.to_owned();
        for copy in 0.. {
            if text.len() >= SIZE {
                break;
            }
            let number = |part: String, name: &&str| part.replace(*name, &format!("{name}{copy}_"));
            text.push_str(&self.numbered.iter().fold(part.to_owned(), number));
            text.push_str(between);
        }
        text + behind
    }

    /// The repeated part, and the text before and after it.
    fn part<'t>(&self, whole: &'t str) -> (&'t str, &'t str, &'t str) {
        let Some([start, end]) = self.part else {
            return ("", whole, "");
        };
        let start = whole.find(start).unwrap_or_default();
        let end = whole.rfind(end).map_or(whole.len(), |at| at + end.len());
        (&whole[..start], &whole[start..end], &whole[end..])
    }
}

fn of<'o>(outputs: &'o [Output], format: &str) -> Option<&'o Output> {
    outputs.iter().find(|output| output.format == format)
}

fn formats(outputs: &[Output]) -> Vec<&'static str> {
    outputs.iter().map(|output| output.format).collect()
}

/// The formats whose documents are JSON.
fn json_formats() -> Vec<&'static str> {
    let is_json = |output: &&Output| {
        let name = Path::new(output.fixture);
        name.extension()
            .is_some_and(|extension| extension == "json")
    };
    DOCUMENTS
        .iter()
        .filter(is_json)
        .map(|output| output.format)
        .collect()
}

/// One tool's documents, concatenated.
#[divan::bench(args = formats(DOCUMENTS), sample_count = 30)]
fn document(bencher: Bencher<'_, '_>, format: &str) {
    let text = of(DOCUMENTS, format).map(|output| output.copies("\n"));
    bench(bencher, &text.unwrap_or_default());
}

/// The target for `document`: parses the same JSON into a [`Value`] and does nothing else.
#[divan::bench(args = json_formats(), sample_count = 30)]
fn json_value(bencher: Bencher<'_, '_>, format: &str) {
    let text = of(DOCUMENTS, format).map(|output| output.copies("\n"));
    let text = text.unwrap_or_default();
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| {
        let values = Deserializer::from_str(black_box(&text)).into_iter::<Value>();
        values.flatten().count()
    });
}

/// Only one tool's lines.
#[divan::bench(args = formats(LINES), sample_count = 30)]
fn lines(bencher: Bencher<'_, '_>, format: &str) {
    let text = of(LINES, format).map(|output| output.copies("\n"));
    bench(bencher, &text.unwrap_or_default());
}

/// The same in a log with a hundred kilobytes of other text per copy.
#[divan::bench(args = formats(LINES), sample_count = 30)]
fn in_a_log(bencher: Bencher<'_, '_>, format: &str) {
    let text = of(LINES, format).map(|output| output.copies(&NOISE.repeat(100_000 / NOISE.len())));
    bench(bencher, &text.unwrap_or_default());
}
