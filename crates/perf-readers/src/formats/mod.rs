//! The registry: one module per benchmark tool, and the list of all formats. A new tool needs a module, a test file,
//! and a line in each of the two lists below.
//!
//! A reader keeps the tool's unit and adds it to the metric's name (`timeNs`, `allocatedBytes`), because a baseline
//! stores only names. If benchmarks choose their units, all are converted to the finest one. Everything that a name
//! cannot express is declared.

mod asv;
mod benchee;
mod benchmark_ips;
mod benchmarkdotnet;
mod benchmarkdotnet_table;
mod benchmarkjs;
mod bmf;
mod callgrind;
mod catch2;
pub(crate) mod common;
mod criterion;
mod criterion_text;
pub(crate) mod custom;
mod divan;
mod fio;
mod gatling;
mod go;
mod google_benchmark;
mod gungraun;
mod hdrhistogram;
mod hey;
mod history;
mod hyperfine;
mod jmh;
mod jmh_table;
mod julia;
mod junit;
mod k6;
mod libtest;
mod locust;
mod mitata;
mod mitata_json;
mod nanobench;
mod phpbench;
mod pyperf;
mod pytest_benchmark;
mod rustls;
pub(crate) mod spec;
mod test_report;
mod tinybench;
mod unity;
mod vitest;
mod wrk;

use std::sync::LazyLock;

use crate::format::Format;
use crate::{csv_table, log};

pub(crate) use self::common::names::{best_name, camel_case};
pub(crate) use self::common::text_table;
pub(crate) use self::history::FORMATS as HISTORIES;
pub(crate) use self::test_report::FORMAT as TEST_REPORT;

/// All formats, most specific first. The first document format that recognises an input reads it. The last format
/// accepts any text.
pub static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let all = coded()
        .into_iter()
        .chain(spec::shipped(include_str!("specs.toml")));
    let (documents, lines): (Vec<_>, Vec<_>) = all.partition(Format::is_document);
    documents
        .into_iter()
        .chain(lines)
        .chain([log::FORMAT])
        .collect()
});

/// The formats that are implemented in Rust. `specs.toml` describes the others.
fn coded() -> Vec<Format> {
    vec![
        junit::FORMAT,
        junit::TRX,
        unity::FORMAT,
        catch2::FORMAT,
        phpbench::FORMAT,
        test_report::FORMAT,
        csv_table::FORMAT,
        rustls::FORMAT,
        criterion::FORMAT,
        hyperfine::FORMAT,
        google_benchmark::FORMAT,
        pytest_benchmark::FORMAT,
        jmh::FORMAT,
        benchmarkdotnet::FORMAT,
        vitest::FORMAT,
        tinybench::FORMAT,
        julia::FORMAT,
        k6::FORMAT,
        locust::FORMAT,
        benchmarkdotnet_table::CSV,
        asv::FORMAT,
        pyperf::FORMAT,
        gatling::FORMAT,
        fio::FORMAT,
        mitata_json::FORMAT,
        bmf::FORMAT,
        callgrind::FORMAT,
        custom::FORMAT,
        custom::SMALLER,
        custom::BIGGER,
        benchmarkjs::FORMAT,
        criterion_text::FORMAT,
        libtest::FORMAT,
        divan::FORMAT,
        gungraun::FORMAT,
        go::FORMAT,
        unity::LOG,
        wrk::WRK,
        wrk::WRK2,
        hdrhistogram::FORMAT,
        benchmarkdotnet_table::TEXT,
        jmh_table::FORMAT,
        nanobench::FORMAT,
        mitata::FORMAT,
        benchee::FORMAT,
        benchmark_ips::FORMAT,
        hey::FORMAT,
    ]
}

/// Returns the format with this name.
#[must_use]
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Returns a placeholder for a format in a config. A [`Collector`](crate::Collector) with that config uses the
/// placeholder's name to find the format.
#[must_use]
pub fn format_of_config(name: &str) -> &'static Format {
    Box::leak(Box::new(Format::named(String::leak(name.to_owned()))))
}

/// Suggests a similar format name. Empty if there is none.
#[must_use]
pub fn suggest_format(name: &str) -> String {
    perf_model::suggest::suggest(name, FORMATS.iter().map(|format| format.name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_formats_are_unique() {
        let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FORMATS.len());
    }
}
