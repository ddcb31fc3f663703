//! hyperfine.

use super::{account, common, read};

#[test]
fn every_run_is_a_sample_and_parameters_are_in_the_name() {
    insta::assert_snapshot!(account("hyperfine", "hyperfine/two-commands.json"));
}

#[test]
fn secrets_in_commands_are_hidden() {
    let text = r#"{"results": [{"command": "sync --token abc /home/ann/x", "mean": 1.5,
"parameters": {"api_key": "abc", "size": 5}}]}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 sync --token *** ~/x (api_key=***, size=5) |  |  | -1 | timeS=1.5
    file: 1 of 2 lines (hyperfine)
    ");
}

#[test]
fn markdown_table() {
    let text = "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n\
                |:---|---:|---:|---:|---:|\n\
                | `scan --token abc a` | 102.3 ± 0.4 | 101.7 | 103.2 | 1.00 |\n\
                | `scan b \\| wc` | 1204.5 ± 10.1 | 1190.2 | 1222.8 | 11.77 ± 0.11 |\n\n\
                | Command | Mean [s] | Min [s] | Max [s] | Relative |\n\
                |:---|---:|---:|---:|---:|\n\
                | `once` | 8.586 | 8.586 | 8.586 | 1.00 |\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn csv() {
    let text = "command,mean,stddev,median,user,system,min,max,parameter_size\n\
                scan {size},0.1023,0.0004,0.1021,0.09,0.01,0.1017,0.1032,5\n\
                once,8.5,,8.5,8,0.5,8.5,8.5,7\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn both_exports_are_the_same_results() {
    let json = r#"{"results": [{"command": "a", "mean": 0.1, "times": [0.1, 0.1]}]}"#;
    let text = format!(
        "{json}\n| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n| `a` | 100.0 ± 0.4 | 99.7 | 103.2 | 1.00 |\n"
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a |  |  | 0 | timeS=0.1
    file:1 a |  |  | 1 | timeS=0.1
    file: 2 of 4 lines (hyperfine)
    ");
}
