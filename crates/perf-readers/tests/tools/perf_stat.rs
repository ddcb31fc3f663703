//! perf stat.

use super::{account, common, read};

#[test]
fn files_of_real_runs() {
    insta::assert_snapshot!("fields", account("perf-stat", "perf-stat/repeated.csv"));
    insta::assert_snapshot!("objects", account("perf-stat", "perf-stat/objects.json"));
}

#[test]
fn fields_of_repeated_runs_have_a_deviation() {
    let text = "# started on Sun Mar  4 09:14:10 2031\n\n12.50,msec,task-clock:u,1.50%,12500000,100.00,0.981,CPUs utilized\n\
                3,,page-faults:u,0.00%,12500000,100.00,240.000,/sec\n<not supported>,,cycles:u,0.00%,0,100.00,,\n\
                1735,,instructions:u,0.01%,12500000,100.00,,\n17,,instructions:k,0.01%,12500000,100.00,,\n\
                12750000,ns,duration_time,0.50%,12750000,100.00,,\n\
                # started on Sun Mar  4 09:14:12 2031\n\n12.75;msec;task-clock;12500000;100.00;0.981;CPUs utilized\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 file |  |  | 0 | taskClockMs=12.5 taskClockMs.stddev=0.1875 pageFaults=3 pageFaults.stddev=0 instructions=1735 instructions.stddev=0.1735 instructionsK=17 instructionsK.stddev=0.0017 timeNs=12750000 timeNs.stddev=63750
    file:11 file |  |  | 1 | taskClockMs=12.75
    1 further samples
    file: 2 of 11 lines (perf-stat)
    ");
}

#[test]
fn intervals_are_refused() {
    let text = "     1.000123456,12.50,msec,task-clock,12500000,100.00,,\n     2.000123456,12.50,msec,task-clock,12500000,100.00,,\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 skipped: counts of intervals are not read: run perf without `-I`
    file: 0 of 2 lines (perf-stat)
    ");
}

#[test]
fn objects_of_one_run() {
    let text = r#"{"counter-value" : "12.500000", "unit" : "msec", "event" : "task-clock:u", "variance" : 2.0, "event-runtime" : 12500000, "pcnt-running" : 100.00, "metric-value" : "0.981", "metric-unit" : "CPUs utilized"}
{"counter-value" : "<not counted>", "unit" : "", "event" : "cycles:u", "event-runtime" : 0, "pcnt-running" : 0.00}
{"counter-value" : "3.000000", "unit" : "", "event" : "context-switches:u", "event-runtime" : 12500000, "pcnt-running" : 100.00}
"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 file |  |  | -1 | taskClockMs=12.5 taskClockMs.stddev=0.25 contextSwitches=3
    file: 1 of 3 lines (perf-stat)
    ");
}

#[test]
fn other_tables_are_none() {
    for text in ["1,x,cycles\n", "cycles,5,a,b\n", "{\"event\":\"cycles\"}\n", "5,,cycles to go,9\n"] {
        assert_eq!(read(text.as_bytes()).inputs[0].format, "log", "{text}");
    }
}
