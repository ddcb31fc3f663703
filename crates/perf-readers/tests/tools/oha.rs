//! oha.

use super::{account, read};

#[test]
fn fixed_number_of_requests() {
    insta::assert_snapshot!(account("oha", "oha/requests.json"));
}

#[test]
fn fixed_duration() {
    insta::assert_snapshot!(account("oha", "oha/deadline.json"));
}

#[test]
fn no_response() {
    insta::assert_snapshot!(account("oha", "oha/refused.json"));
}

#[test]
fn requests_aborted_by_the_deadline_did_not_fail() {
    let errors = |path: &str| {
        let report = read(&super::fixture(path));
        ["errors", "httpErrors"].map(|metric| {
            report.rows[0]
                .metrics
                .get(metric)
                .map(|value| value.to_string())
        })
    };
    assert_eq!(errors("oha/deadline.json")[0].as_deref(), Some("0"));
    assert_eq!(
        errors("oha/requests.json").map(Option::unwrap_or_default),
        ["0", "20"]
    );
    assert_eq!(errors("oha/refused.json")[0], None, "the run failed");
}
