//! GNU time.

use super::{account, common, read};

#[test]
fn resources_of_commands() {
    insta::assert_snapshot!(account("gnu-time", "gnu-time/two.txt"));
}

#[test]
fn command_may_fail_or_be_cut_off() {
    let text = "Command terminated by signal 9\n\tCommand being timed: \"./a --password=x\"\n\tUser time (seconds): 0.42\n\
                \tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n\tExit status: 0\n\
                \tCommand being timed: \"./b\"\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 2:01.53\n\tExit status: 1\n\
                \tCommand being timed: \"./c\"\n\tUser time (seconds): 0.4";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 ./a --password=*** |  |  | -1 |  | failed
    file:6 ./b |  |  | -1 |  | failed
    file:9 skipped: result of `./c` is cut off
    file: 2 of 10 lines (gnu-time)
    ");
}
