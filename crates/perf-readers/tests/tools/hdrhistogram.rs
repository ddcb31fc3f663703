//! HdrHistogram.

use super::{account, common, read};

#[test]
fn percentile_is_first_line_at_or_above() {
    insta::assert_snapshot!(account("hdrhistogram", "hdrhistogram/two.hgrm"));
}

#[test]
fn footer_is_optional_and_columns_may_be_csv() {
    insta::assert_snapshot!(account("hdrhistogram", "hdrhistogram/no-footer.hgrm"));
}

#[test]
fn histograms_among_other_lines_are_separate() {
    let head = "Value Percentile TotalCount 1/(1-Percentile)\n";
    let text = format!(
        "Load,Host x64,abc1234,-1,1000,0,5000\nsetup:\ndone\n{head}1 0.5 5 2.0\n2 1.0 10 inf\n3 0.5 5 2.0\n\
         {head}1.5 0.5 5 2.0\nLoad,Host x64,abc1234,0,1000,0,5000\n{head}\n"
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 Load | Host x64 | abc1234 | -1 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:10 Load | Host x64 | abc1234 | 0 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:4 file |  |  | -1 | latency.max=2 latencyP50=1 latencyP75=2 latencyP90=2 latencyP95=2 latencyP99=2 latencyP99.9=2 latencyP99.99=2 latencyP99.999=2
    file:8 file #2 |  |  | -1 | latencyP50=1.5
    file:8 skipped: histogram is cut off: last percentiles missing
    file:11 skipped: histogram is cut off: last percentiles missing
    file: 4 of 12 lines (hdrhistogram)
    ");
}

#[test]
fn line_above_names_the_unit() {
    let head = "       Value     Percentile TotalCount 1/(1-Percentile)\n";
    let text = format!(
        "Histogram of RTT latencies in microseconds.\n{head}1.5 0.5 5 2.0\n2.5 1.0 10 inf\n#[Mean    =        1.900, StdDeviation   =        0.500]\n\
         \n*** WARNING: Target message rate not achieved: expected to send 15 messages in total but managed to send only 10 messages!\n"
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 file |  |  | -1 |  | failed
    file: 1 of 7 lines (hdrhistogram)
    ");
}

#[test]
fn config_gives_the_unit_that_is_not_printed() {
    let text = "Value Percentile TotalCount 1/(1-Percentile)\n1.5 0.5 5 2.0\n2.5 1.0 10 inf\n";
    let report = common::read_with(
        "rows.unit = 'ns'",
        &[
            ("a/ping.hgrm.FAIL", text.as_bytes()),
            ("a/pong.hgrm", text.as_bytes()),
        ],
    );
    insta::assert_snapshot!(common::account(&report), @"
    a/ping.hgrm.FAIL:1 ping |  |  | -1 |  | failed
    a/pong.hgrm:1 pong |  |  | -1 | latencyNs.max=2.5 latencyP50Ns=1.5 latencyP75Ns=2.5 latencyP90Ns=2.5 latencyP95Ns=2.5 latencyP99Ns=2.5 latencyP99.9Ns=2.5 latencyP99.99Ns=2.5 latencyP99.999Ns=2.5
    a/ping.hgrm.FAIL: 1 of 3 lines (hdrhistogram)
    a/pong.hgrm: 1 of 3 lines (hdrhistogram)
    ");
}

#[test]
fn missing_unit_is_said() {
    let text = "Value Percentile TotalCount 1/(1-Percentile)\n1.5 0.5 5 2.0\n2.5 1.0 10 inf\n";
    let notes = |config: &str| {
        let report = common::read_with(config, &[("a.hgrm", text.as_bytes())]);
        report
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(notes(""), ["1 latency distribution without a unit"]);
    assert!(notes("rows.unit = 'us'").is_empty());
    assert!(notes("metrics.latency.unit = 'us'").is_empty());
}

#[test]
fn several_lines_of_all_values_are_one_histogram() {
    let text = "Value Percentile TotalCount\n0.031 0.000000 1\n63.455 1.000000 3476999\n63.487 1.000000 3477000\n\
                #[Mean = 2.497, StdDeviation = 1.464]\n#[Max = 63.456, Total count = 3477000]\n";
    let row = &read(text.as_bytes()).rows[0];
    let metric = |name: &str| row.metrics.get(name).map(|value| value.to_string());
    assert_eq!(
        ["latency", "latency.stddev", "latency.max"].map(metric),
        ["2.497", "1.464", "63.456"].map(|value| Some(value.to_owned()))
    );
}
