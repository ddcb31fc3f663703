//! GNU time.

use super::account;

#[test]
fn failed_and_repeated_commands() {
    insta::assert_snapshot!(account("gnu-time", "gnu-time/report.txt"));
}
