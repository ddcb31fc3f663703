//! package-benchmark.

use super::account;

#[test]
fn units_and_percentiles() {
    insta::assert_snapshot!(account("swift-benchmark", "swift-benchmark/table.txt"));
}
