//! Combining many samples into one row.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_config::Config;
use perf_model::aggregate::aggregate;
use perf_model::row::Row;
use perf_readers::{Collector, baseline};

fn read(text: &str) -> Vec<Row> {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("rows.csv", &mut text.as_bytes()).unwrap();
    collector.finish().rows
}

#[test]
fn samples_are_aggregated_and_failures_kept() {
    let rows = aggregate(read(
        "scenario,platform,runIndex,timeNs,userNs,outcome\n\
         A,x,0,5,,\nA,x,1,9,,\nA,x,2,7,,\nA,x,3,8,,\nA,x,-1,,4,\nB,x,,3,,\nA,y,0,1,,\nA,y,1,2,,\nC,x,0,,,failed\n",
    ));
    insta::assert_snapshot!(baseline::write(&rows, &[], &Config::default()).unwrap(), @"
    scenario,platform,commit,runIndex,timeNs,timeNs.lower,timeNs.upper,userNs,outcome
    A,x,,-1,7.5,7,8,4,measured
    B,x,,-1,3,-1,-1,-1,measured
    A,y,,-1,1.5,-1,-1,-1,measured
    C,x,,0,-1,-1,-1,-1,failed
    ");
    assert_eq!(aggregate(rows.clone()), rows, "again nothing changes");
}
