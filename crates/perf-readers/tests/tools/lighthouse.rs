//! Lighthouse.

use super::account;

#[test]
fn audits_and_scores() {
    insta::assert_snapshot!(account("lighthouse", "lighthouse/report.json"));
}

#[test]
fn runs_of_a_manifest() {
    insta::assert_snapshot!(account("lighthouse", "lighthouse/manifest.json"));
}
