//! ScalaMeter.

use super::account;

#[test]
fn parameters_memory_and_old_versions() {
    insta::assert_snapshot!(account("scalameter", "scalameter/console.txt"));
}
