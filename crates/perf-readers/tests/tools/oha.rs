//! oha.

use super::{account, read};

#[test]
fn a_number_of_requests() {
    insta::assert_snapshot!(account("oha", "oha/requests.json"));
}

#[test]
fn a_time() {
    insta::assert_snapshot!(account("oha", "oha/deadline.json"));
}

#[test]
fn nobody_answers() {
    insta::assert_snapshot!(account("oha", "oha/refused.json"));
}

#[test]
fn a_request_that_the_end_interrupts_did_not_fail() {
    let errors = |path: &str| {
        let readout = read(&super::fixture(path));
        ["errors", "httpErrors"]
            .map(|metric| readout.rows[0].metrics.get(metric).map(|value| value.to_string()))
    };
    assert_eq!(errors("oha/deadline.json")[0].as_deref(), Some("0"));
    assert_eq!(errors("oha/requests.json").map(Option::unwrap_or_default), ["0", "20"]);
    assert_eq!(errors("oha/refused.json")[0].as_deref(), Some("5"));
}

#[test]
fn a_schema_is_no_result() {
    let readout = read(
        br#"{"$schema": "x", "properties": {"summary": {"requestsPerSec": 1}, "latencyPercentiles": {}}}"#,
    );
    insta::assert_debug_snapshot!(readout.inputs[0].nearest, @r#"
    Some(
        (
            "oha",
            "is a schema, not what a test measured",
        ),
    )
    "#);
}
