//! pgbench.

use super::account;

#[test]
fn scripts_and_repeated_runs() {
    insta::assert_snapshot!(account("pgbench", "pgbench/runs.txt"));
}
