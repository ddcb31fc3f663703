//! Unity Performance Testing.

use perf_model::metric::Direction;

use super::{account, common, read};

#[test]
fn groups_have_units_and_failures_are_kept() {
    insta::assert_snapshot!(account("unity", "unity/v2.xml"));
}

#[test]
fn direction_is_declared_when_the_name_has_none() {
    let declared = read(&super::fixture("unity/v2.xml")).declared;
    let better = |metric| {
        declared
            .get(metric)
            .map(|declared| declared.meaning.direction)
    };
    assert_eq!(better("Fps"), Some(Direction::Higher));
    assert_eq!(better("Time leftNs"), Some(Direction::Higher));
    assert_eq!(better("Batches"), Some(Direction::Lower));
    assert_eq!(better("timeNs"), None);
}

#[test]
fn version_1_is_read() {
    insta::assert_snapshot!(account("unity", "unity/v1.xml"));
}

#[test]
fn player_log_has_results() {
    insta::assert_snapshot!(account("unity-log", "unity/player.log"));
}

#[test]
fn results_and_rows_far_behind_the_head_are_read() {
    let talk = "<test-case><output>nothing</output></test-case>\n".repeat(4000);
    let report = format!(
        "<test-run>\n{talk}<test-case><properties><property name=\"Category\" value=\"Performance\"/></properties>\
         <output>##performancetestresult2:{{\"Name\":\"A\",\"SampleGroups\":[{{\"Name\":\"Time\",\"Unit\":3,\
         \"Samples\":[0.5]}}]}}\nLoad,LinuxPlayer,abc1234,-1,1000,0,5000</output></test-case>\n\
         <test-case fullname=\"B\" result=\"Failed\"><properties><property name=\"Category\" value=\"Performance\"/>\
         </properties></test-case></test-run>"
    );
    insta::assert_snapshot!(common::account(&read(report.as_bytes())), @"
    file:4003 Load | LinuxPlayer | abc1234 | -1 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:4002 A |  |  | 0 | timeNs=500000000
    file: 2 of 4004 lines (xml)
    ");
}

#[test]
fn output_may_follow_a_result_on_its_line() {
    let result = |name: &str| {
        format!(
            r#"##performancetestresult:{{"TestName":"{name}","SampleGroups":[{{"Definition":{{"Name":"Time","SampleUnit":2}},"Samples":[1.5]}}]}}"#
        )
    };
    let text = format!(
        "{}FPS None Median:59.9\n{}{}\n{}",
        result("A"),
        result("B"),
        result("C"),
        &result("D")[..90]
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 A |  |  | 0 | timeNs=1500000
    file:2 B |  |  | 0 | timeNs=1500000
    file:2 C |  |  | 0 | timeNs=1500000
    file:3 skipped: unexpected result: EOF while parsing a string at line 1 column 66
    file: 3 of 3 lines (unity-log)
    ");
}
