//! How fast each kind of input is read, in bytes per second, and how long the most hostile lines take.

use std::fmt::Write as _;
use std::io;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use perf_config::Config;
use perf_readers::baseline;
use perf_readers::{Collector, ParseReport};

fn main() {
    divan::main();
}

/// Bytes of each log.
const LOG: usize = 8 << 20;

/// Rows of each table.
const ROWS: usize = 10_000;

/// The maximum length of a line with a row.
const LONGEST: usize = 1 << 20;

fn read(text: &str, config: &Config) -> io::Result<ParseReport> {
    let mut collector = Collector::new(config);
    collector.read("bench", &mut text.as_bytes())?;
    Ok(collector.finish())
}

fn bench(bencher: Bencher<'_, '_>, text: &str) {
    let config = Config::default();
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| read(black_box(text), &config));
}

fn repeated(line: &str, bytes: usize) -> String {
    line.repeat(bytes / line.len())
}

fn rows(line: impl Fn(usize) -> String) -> String {
    (0..ROWS).map(line).collect()
}

fn delimited_row(row: usize) -> String {
    let throughput = 1_000_000 + row * 37 % 20_000;
    format!(
        "[bench] Queue_Push_{row:05},Linux x64 server,5f0c2d9e81b7,0,{throughput}.125,{},5000.250,0\n",
        row % 5
    )
}

/// Log lines without rows: plain text, text with some commas, and lists of numbers.
#[divan::bench(args = ["plain", "some commas", "numbers"])]
fn noise(bencher: Bencher<'_, '_>, kind: &str) {
    let line = match kind {
        "plain" => {
            "[12:14:09.120] Import: assets/audio/ambience/item_00412.ogg -> cache/9f3c21aa (12.3 ms)\n"
        }
        "some commas" => {
            "  at Engine.Mixer.Run (System.Object sender, System.Int32 depth) [0x00042] in /build/engine/Mixer.cs:118\n"
        }
        _ => "heap,1024,77,3519,12,44\n",
    };
    bench(bencher, &repeated(line, LOG));
}

/// Every line is a row.
#[divan::bench]
fn delimited(bencher: Bencher<'_, '_>) {
    bench(bencher, &rows(delimited_row));
}

/// Every line is a row in braces.
#[divan::bench]
fn structured(bencher: Bencher<'_, '_>) {
    let line = |row: usize| {
        format!(
            "[bench] {{scenario:\"Queue_Push_{row:05}\",platform:\"Linux x64 server\",commit:\"5f0c2d9e81b7\",\
             runIndex:0,emitsPerSec:{}.125,gcAllocations:{},wallClockMs:5000.25}}\n",
            1_000_000 + row * 37 % 20_000,
            row % 5
        )
    };
    bench(bencher, &rows(line));
}

/// A baseline.
#[divan::bench]
fn csv(bencher: Bencher<'_, '_>) {
    bench(bencher, &table());
}

/// A test report whose tests print a row each.
#[divan::bench]
fn xml(bencher: Bencher<'_, '_>) {
    let case = |row| {
        format!(
            "<test-case><output><![CDATA[{}]]></output></test-case>\n",
            delimited_row(row)
        )
    };
    bench(
        bencher,
        &format!(
            "<?xml version=\"1.0\"?>\n<test-run>\n{}</test-run>\n",
            rows(case)
        ),
    );
}

/// Writing a baseline.
#[divan::bench]
fn write_baseline(bencher: Bencher<'_, '_>) {
    let text = table();
    let config = Config::default();
    let rows = read(&text, &config).unwrap_or_default().rows;
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| baseline::write(black_box(&rows), &[], &config));
}

fn table() -> String {
    let mut text =
        "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs\n".to_owned();
    for row in 0..ROWS {
        let throughput = 1_000_000 + row * 37 % 20_000;
        let end = if row.is_multiple_of(5) { "" } else { "5000.25" };
        let _ = writeln!(
            text,
            "Queue_Push_{row:05},Linux x64 server,5f0c2d9e81b7,-1,{throughput}.125,{},{end}",
            row % 5
        );
    }
    text
}

/// The start of a line, the text that is repeated up to the maximum length, and the end: inputs for which a naive
/// reader needs quadratic time.
const HOSTILE: [(&str, &str, &str); 22] = [
    ("", ",", ""),
    ("", "1,", ""),
    ("a,b,c0ffee1,", "1,", ""),
    ("", "\"", ",1,2,3"),
    ("", "\"\",", ""),
    ("", ",\"", ""),
    ("", "a\"b,", "\""),
    ("scenario ", "{a", ""),
    ("scenario ", "{\"", ":"),
    ("scenario ", "{'", ""),
    ("scenario ", "{ ", ","),
    ("", "{\"scenario\":", ","),
    ("", "{scenario:\"a\",", ""),
    ("{scenario:\"a\",", "a:1,", "}"),
    ("{scenario:\"", "\\\"", ","),
    ("{scenario:\"a\",b:", "1", "}"),
    ("a,b,c0ffee1,0,1,2,", "9", ""),
    ("", "<![CDATA[", ",1,2,3,4"),
    ("", "]]", ",1,2,3,4>"),
    ("", "<>", ",b,c0ffee1,0,1,2,3>"),
    ("", "\u{1b}[", ","),
    ("scenario,platform,commit,runIndex,", "é,", ""),
];

/// A one-megabyte line.
#[divan::bench(args = 0..HOSTILE.len(), sample_count = 3)]
fn hostile_line(bencher: Bencher<'_, '_>, shape: usize) {
    let (start, middle, end) = HOSTILE[shape];
    let text = format!(
        "talk\n{start}{}{end}\n",
        repeated(middle, LONGEST - start.len() - end.len() - 1)
    );
    bench(bencher, &text);
}
