//! fio.

use super::account;

#[test]
fn directions_of_jobs() {
    insta::assert_snapshot!(account("fio", "fio/jobs.json"));
}
