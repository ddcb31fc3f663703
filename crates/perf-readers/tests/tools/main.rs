//! Fixtures for every benchmark tool: complete, truncated, garbled, and read in small steps.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[path = "../common/mod.rs"]
mod common;

mod apache_bench;
mod apart;
mod asv;
mod autocannon;
mod autocannon_text;
mod benchee;
mod benchmark_ips;
mod benchmarkdotnet;
mod benchmarkdotnet_table;
mod benchmarkjs;
mod bmf;
mod catch2;
mod criterion;
mod custom;
mod divan;
mod fio;
mod gatling;
mod gnu_time;
mod go;
mod google_benchmark;
mod gungraun;
mod hdrhistogram;
mod hey;
mod history;
mod hyperfine;
mod iai;
mod jmh;
mod jmh_table;
mod julia;
mod junit;
mod k6;
mod late;
mod libtest;
mod locust;
mod mitata;
mod nanobench;
mod oha;
mod outputs;
mod pasted;
mod pgbench;
mod pyperf;
mod pytest_benchmark;
mod redis_benchmark;
mod rustls;
mod tinybench;
mod twice;
mod unended;
mod unity;
mod valgrind;
mod vegeta;
mod vitest;
mod wrk;

use std::io::{self, Read};
use std::path::Path;

use perf_config::Config;
use perf_model::row::{Conditions, Key, Row};
use perf_readers::baseline;
use perf_readers::{Collector, ParseReport};

/// The bytes of `tests/fixtures/tools/<path>`.
fn fixture(path: &str) -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/tools")
        .join(path);
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns at most this many bytes at a time, so that input is split at any position.
struct Crumbs<'a>(&'a [u8], usize);

impl Read for Crumbs<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

fn read_in_steps(bytes: &[u8], step: usize) -> ParseReport {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("file", &mut Crumbs(bytes, step)).unwrap();
    collector.finish()
}

fn read(bytes: &[u8]) -> ParseReport {
    read_in_steps(bytes, usize::MAX)
}

/// Describes a fixture's rows and findings. Also checks that it can be truncated, garbled and read in small steps.
fn account(format: &str, path: &str) -> String {
    let bytes = fixture(path);
    let whole = read(&bytes);
    assert_eq!(
        whole.inputs[0].format, format,
        "the format that was recognised"
    );
    assert_eq!(read_in_steps(&bytes, 7).rows, whole.rows, "in crumbs");
    survives_the_baseline(&whole);
    survives_cuts(&bytes, &whole);
    survives_garbling(&bytes);
    common::account(&whole)
}

/// Checks that a baseline of the rows reads back as the same rows.
fn survives_the_baseline(report: &ParseReport) {
    let config = Config::default();
    let written = baseline::write(&report.rows, &[], &config).unwrap();
    let reread = read(written.as_bytes());
    assert_eq!(reread.skipped().count(), 0, "{written}");
    let sorted = |rows: &[Row]| {
        let row = |row: &Row| {
            let mut metrics: Vec<String> = row
                .metrics
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            metrics.sort();
            (
                row.scenario.to_string(),
                row.platform.to_string(),
                row.run_index,
                row.launch,
                row.outcome,
                metrics,
            )
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&reread.rows), sorted(&report.rows), "{written}");
}

/// Checks that a truncated file gives only rows of the whole file, except for the last one.
fn survives_cuts(bytes: &[u8], whole: &ParseReport) {
    let step = (bytes.len() / 80).max(1);
    for end in (0..bytes.len()).step_by(step) {
        let cut = read(&bytes[..end]);
        // Some tools print the machine only after the results.
        let is_same = |row: &Row, other: &Row| {
            let machine_class = other.machine_class.clone();
            let conditions = Conditions {
                machine_class,
                ..Conditions::clone(&row.key.conditions)
            };
            let key = Key {
                scenario: row.scenario.clone(),
                conditions: conditions.into(),
            };
            let row_of_key = || Row {
                key: key.into(),
                ..row.clone()
            };
            row == other || (row.machine_class.is_none() && row_of_key() == *other)
        };
        let is_strange = |row: &&Row| !whole.rows.iter().any(|other| is_same(row, other));
        let strange = cut.rows.iter().filter(is_strange).count();
        let last = cut.rows.last().map_or(0, |last| {
            cut.rows
                .iter()
                .filter(|row| row.scenario == last.scenario)
                .count()
        });
        assert!(strange <= last, "cut at {end}: {:?}", cut.rows);
    }
}

/// Checks that changed, doubled or removed bytes do no harm.
fn survives_garbling(bytes: &[u8]) {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % (below.max(1) as u64)).unwrap_or_default()
    };
    for _ in 0..120 {
        let mut garbled = bytes.to_vec();
        for _ in 0..=random(4) {
            let at = random(garbled.len());
            if garbled.is_empty() {
                break;
            }
            match random(4) {
                0 => garbled[at] = b"\0\xff\"{}[],:\n-9e<>"[random(15)],
                1 => drop(garbled.drain(at..(at + random(40)).min(garbled.len()))),
                2 => garbled.truncate(at.max(1)),
                _ => {
                    let part = garbled[at..(at + random(80)).min(garbled.len())].to_vec();
                    garbled.splice(at..at, part);
                }
            }
        }
        survives_the_baseline(&read(&garbled));
    }
}
