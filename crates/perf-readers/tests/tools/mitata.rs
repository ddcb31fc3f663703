//! mitata and Deno.

use super::{account, common, read};

#[test]
fn heap_and_groups() {
    insta::assert_snapshot!(account("mitata", "mitata/table.txt"));
}

#[test]
fn deno() {
    insta::assert_snapshot!(account("mitata", "mitata/deno.txt"));
}

#[test]
fn deno_json() {
    insta::assert_snapshot!(account("deno", "mitata/deno.json"));
}

#[test]
fn json_of_mitata() {
    insta::assert_snapshot!(account("mitata-json", "mitata/bench.json"));
}

#[test]
fn groups_behind_a_summary() {
    let text = "benchmark     time/iter (avg)        iter/s      (min … max)           p75      p99     p995\n\
                ------------- ----------------------------- --------------------- --------------------------\n\n\
                group Trim\n\
                tree                637.3 µs         1,569 (577.0 µs …   1.1 ms) 680.8 µs 939.8 µs   1.0 ms\n\n\
                summary\n  tree\n     1.63x slower than text\n\n\
                group Delete\n\
                tree                 20.9 ms          47.9 ( 20.3 ms …  22.0 ms)  21.2 ms  22.0 ms  22.0 ms\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn apostrophes_group_thousands() {
    let text = "benchmark   time (avg)             (min … max)       p75       p99      p999\n\
                ---------------------------------------------- -----------------------------\n\
                • Pages\n\
                html     98'860 ns/iter    (76'287 ns … 448 µs) 97'481 ns    238 µs  1'410 µs\n\
                jsx      98:860 ns/iter    (76'287 ns … 448 µs) 97'481 ns    238 µs    410 µs\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn header_without_its_first_word() {
    let text = "         time (avg)             (min … max)       p75       p99      p999\n\
                ------------------------------------------- -----------------------------\n\
                parse   7'850 ns/iter   (7'753 ns … 8'122 ns)  7'877 ns  8'079 ns  8'122 ns\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn benchmark_may_be_called_summary() {
    let text = "benchmark   time (avg)             (min … max)       p75       p99      p999\n\
                ---------------------------------------------- -----------------------------\n\
                summary page  98'860 ns/iter    (76'287 ns … 448 µs) 97'481 ns    238 µs  1'410 µs\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 summary page |  |  | -1 | timeNs=98860 timeNs.min=76287 timeNs.max=448000 timeP75Ns=97481 timeP99Ns=238000 timeP99.9Ns=1410000
    file: 1 of 3 lines (mitata)
    ");
}

#[test]
fn table_without_percentiles() {
    let text = "benchmark      time (avg)             (min … max)\n------\n\
                destr        4.84 ns/iter      (3.78 ns … 326 ns)\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 destr |  |  | -1 | timeNs=4.84 timeNs.min=3.78 timeNs.max=326
    file: 1 of 3 lines (mitata)
    ");
}
