//! mitata and Deno.

use super::account;

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
