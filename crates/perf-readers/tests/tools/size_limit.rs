//! size-limit.

use super::account;

#[test]
fn sizes_and_limits() {
    insta::assert_snapshot!(account("size-limit", "size-limit/sizes.json"));
}
