//! autocannon's tables.

use super::account;

#[test]
fn errors_and_no_response() {
    insta::assert_snapshot!(account("autocannon-text", "autocannon/table.txt"));
}
