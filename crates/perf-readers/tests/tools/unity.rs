//! Unity Performance Testing.

use perf_model::metric::Direction;

use super::{account, common, read};

#[test]
fn groups_have_their_units_and_what_failed_says_so() {
    insta::assert_snapshot!(account("unity", "unity/v2.xml"));
}

#[test]
fn a_direction_that_no_name_tells_is_declared() {
    let declared = read(&super::fixture("unity/v2.xml")).declared;
    let better = |metric| declared.get(metric).map(|declared| declared.meaning.direction);
    assert_eq!(better("Fps"), Some(Direction::Higher));
    assert_eq!(better("Time leftNs"), Some(Direction::Higher));
    assert_eq!(better("Batches"), Some(Direction::Lower));
    assert_eq!(better("timeNs"), None);
}

#[test]
fn the_first_version_says_the_same_elsewhere() {
    insta::assert_snapshot!(account("unity", "unity/v1.xml"));
}

#[test]
fn the_log_of_a_player_has_results_too() {
    insta::assert_snapshot!(account("unity-log", "unity/player.log"));
}

#[test]
fn results_far_behind_the_head_are_read_and_so_are_rows() {
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
