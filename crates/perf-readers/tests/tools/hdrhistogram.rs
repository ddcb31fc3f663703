//! HdrHistogram.

use super::{account, common, fixture, read};

#[test]
fn percentiles_are_those_of_the_first_line_at_or_above() {
    insta::assert_snapshot!(account("hdrhistogram", "hdrhistogram/two.hgrm"));
}

#[test]
fn a_footer_may_be_missing_and_columns_may_have_commas() {
    insta::assert_snapshot!(account("hdrhistogram", "hdrhistogram/no-footer.hgrm"));
}

#[test]
fn the_intervals_of_a_log_are_one_measurement() {
    insta::assert_snapshot!(account("hdrhistogram-log", "hdrhistogram/plain.hlog"));
}

#[test]
fn tags_are_measurements_of_their_own() {
    insta::assert_snapshot!(common::account(&read(&fixture("hdrhistogram/tagged.hlog"))));
}

#[test]
fn histograms_among_other_lines_stay_apart() {
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
    file:8 skipped: the histogram is cut off: its last percentiles are missing
    file:11 skipped: the histogram is cut off: its last percentiles are missing
    file: 4 of 12 lines (hdrhistogram)
    ");
}

#[test]
fn other_encodings_are_told_once_and_broken_intervals_each() {
    let log = |line: &str| format!("#[Histogram log format version 1.1]\n{line}{line}");
    let lines = [
        "0.1,1.0,2.8,HISTiQAAAAA=\n",
        "0.1,1.0,2.8,HISTIgAAAAA=\n",
        "0.1,1.0,2.8,HISTFAAAAAA=\n0.1,1.0,2.8,HISTF\nTag=a,0.1,1.0,2.8,HISTFAAAAAB42gMAAAAAAQ==\n",
        "0.1,1.0,2.8,HISTORY\n0.1,1.0,HISTFAAAAAA=\n",
    ];
    let accounts: Vec<String> =
        lines.iter().map(|line| common::account(&read(log(line).as_bytes()))).collect();
    insta::assert_snapshot!(accounts.join("\n\n"), @"
    file:2 skipped: the histograms are in the encoding V0, which is not read: only V2 is
    file: 0 of 3 lines (hdrhistogram-log)

    file:2 skipped: the histograms are in the encoding V1, which is not read: only V2 is
    file: 0 of 3 lines (hdrhistogram-log)

    file:2 skipped: the histogram is cut off, or broken
    file:3 skipped: the histogram is cut off, or broken
    file:4 skipped: the histogram is cut off, or broken
    file:5 skipped: the histogram is cut off, or broken
    file:6 skipped: the histogram is cut off, or broken
    file:7 skipped: the histogram is cut off, or broken
    file: 0 of 7 lines (hdrhistogram-log)

    file:2 skipped: the histogram is cut off, or broken
    file:4 skipped: the histogram is cut off, or broken
    file: 0 of 5 lines (hdrhistogram-log)
    ");
}
