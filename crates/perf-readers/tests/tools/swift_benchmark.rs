//! package-benchmark.

use super::{account, common, read};

#[test]
fn units_and_percentiles() {
    insta::assert_snapshot!(account("swift-benchmark", "swift-benchmark/table.txt"));
}

#[test]
fn tables_of_one_metric_each() {
    let table = |metric: &str, rows: &str| {
        format!(
            "{metric}\n╒══════════════════════╤════╤═════╤═════╤═════╤═════╤═════╤══════╤═════════╕\n\
             │ Test                 │ p0 │ p25 │ p50 │ p75 │ p90 │ p99 │ p100 │ Samples │\n\
             ╞══════════════════════╪════╪═════╪═════╪═════╪═════╪═════╪══════╪═════════╡\n{rows}\
             ╘══════════════════════╧════╧═════╧═════╧═════╧═════╧═════╧══════╧═════════╛\n\n"
        )
    };
    let rule = "├──────────────────────┼────┼─────┼─────┼─────┼─────┼─────┼──────┼─────────┤\n";
    let times = "│ Codecs:parse(a:) (μs) * │  8 │   9 │  10 │  11 │  12 │  20 │   51 │    1000 │\n"
        .to_owned()
        + rule
        + "│ Codecs:write (ms) *  │  1 │   2 │   3 │   4 │   5 │   6 │    7 │     100 │\n";
    let rates = "│ Codecs:parse(a:) (K) │ 12 │  11 │  10 │   9 │   8 │   7 │    6 │    1000 │\n";
    let text = table("Time (wall clock)", &times) + &table("Throughput (# / s)", rates);
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
