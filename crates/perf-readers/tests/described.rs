//! Formats that a config describes.

use crate::common::{account, read, read_with};
use perf_config::Config;

fn told(config: &str, text: &str) -> String {
    account(&read_with(config, &[("log", text.as_bytes())]))
}

#[test]
fn parts_with_known_names_need_no_metrics() {
    let config = r"
        [[formats]]
        name = 'ours'
        lines = ['^(?<name>\w+): (?<metric>\w+) = (?<value>[\d.,]+) ?(?<unit>\S*)(?: (?<direction>higher|lower) is better)?$']
    ";
    insta::assert_snapshot!(told(config, "note\nsort: wall = 1,234.5 ms\nsort: heap = 2 KiB\nfind: score = 7 points higher is better\n"), @"
    log:2 sort |  |  | -1 | wallNs=1234500000 heapBytes=2048
    log:4 find |  |  | -1 | score=7
    log: 3 of 4 lines (ours)
    ");
}

#[test]
fn lines_above_results_and_several_lines_of_one() {
    let config = r"
        [[formats]]
        name = 'ours'
        above = ['^suite (?<suite>\w+), times in (?<unit>\w+)$']
        lines = ['^# (?<name>\w+)$', '^mean: (?<mean>\S+) ± (?<margin>\S+)$', '^done (?<status>\w+)$']
        benchmark = ['{suite}/{name}', '{name}']
        failed = [{ status = '!ok' }]
        metrics.timeNs = { value = 'mean', in = '{unit}', margin = 'margin' }
    ";
    let text = "suite maps, times in us\n# get\nmean: 1.5 ± 0.25\ndone ok\n# put\nmean: 2 ± 1\ndone badly\n# cut\nmean: 3 ± 1\n";
    insta::assert_snapshot!(told(config, text), @"
    log:2 maps/get |  |  | -1 | timeNs=1500 timeNs.lower=1250 timeNs.upper=1750
    log:5 maps/put |  |  | -1 |  | failed
    log:8 skipped: result of `maps/cut` is cut off
    log: 2 of 9 lines (ours)
    ");
}

#[test]
fn json_with_names_as_keys_samples_and_lists() {
    let config = "
        [[formats]]
        name = 'ours'
        json = 'suites/*/*'
        benchmark = ['{1}/{2}']
        samples = 'iterations'
        [formats.metrics]
        timeMs = { samples = 'runs' }
        'latencyP*Ms' = { value = 'quantiles/[at]/us', in = 'us', at-least = 50 }
        hits = { value = 'hits', better = 'higher' }
    ";
    let text = "{\"suites\": {\"maps\": {\"get\": {\"runs\": [1.5, 2.5], \"hits\": 3, \"quantiles\": [{\"at\": 10, \"us\": 1}, {\"at\": 99.9, \"us\": 2500}]}}}}";
    insta::assert_snapshot!(told(config, text), @"
    log:1 maps/get |  |  | 0 of launch 1 | timeMs=1.5
    log:1 maps/get |  |  | 1 of launch 1 | timeMs=2.5
    log:1 maps/get |  |  | -1 | latencyP99.9Ms=2.5 hits=3
    log: 3 of 1 lines (ours)
    ");
}

#[test]
fn format_of_the_config_comes_first() {
    let config = "
        [[formats]]
        name = 'ours'
        columns = ['scenario', 'took']
        benchmark = ['{scenario} of ours']
        metrics.timeS = 'took'
    ";
    insta::assert_snapshot!(told(config, "scenario;took\nget;12 ms\nput;0.5 s\n"), @"
    log:2 get of ours |  |  | -1 | timeS=0.012
    log:3 put of ours |  |  | -1 | timeS=0.5
    log: 2 of 3 lines (ours)
    ");
}

#[test]
fn number_at_the_end_of_the_input_may_be_cut_off() {
    let config = "[[formats]]\nname = 'ours'\nlines = ['^(?<name>\\w+) (?<value>\\d+)']\nmetrics.x = 'value'";
    assert_eq!(read_with(config, &[("log", b"a 12\nb 13")]).rows.len(), 1);
    assert_eq!(read_with(config, &[("log", b"a 12\nb 13 ")]).rows.len(), 2);
}

#[test]
fn mistake_in_a_format_is_an_error() {
    let error =
        Config::parse("primary = 'x'\n\n[[formats]]\nname = 'ours'\nlines = ['(a']\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "3:1: `(a` is not a regular expression: unclosed group"
    );
}

#[test]
fn percentiles_with_decimals() {
    let ycsb = "[READ], Operations, 50000\n[READ], AverageLatency(us), 67.5\n[READ], 99thPercentileLatency(us), 253\n[READ], 99.9PercentileLatency(us), 660\n";
    insta::assert_snapshot!(account(&read(ycsb)), @"
    log:1 READ |  |  | -1 | latencyUs=67.5 latencyP99Us=253 latencyP99.9Us=660
    log: 1 of 4 lines (ycsb-operations)
    ");
}

#[test]
fn each_alternative_is_a_whole_result() {
    let config = r"
        [[formats]]
        name = 'ours'
        alternatives = ['^(?<name>.+): (?<ms>[\d.]+) ms$', '^(?<name>.+): (?<rate>[\d.]+)/s$']
        metrics = { timeMs = 'ms', opsPerSecond = 'rate' }
    ";
    let text = "- parse: 12.5 ms\n* **print**: 40/s\n- format: 8/s\n";
    insta::assert_snapshot!(told(config, text), @"
    log:1 parse |  |  | -1 | timeMs=12.5
    log:2 print |  |  | -1 | opsPerSecond=40
    log:3 format |  |  | -1 | opsPerSecond=8
    log: 3 of 3 lines (ours)
    ");
}

#[test]
fn headings_keep_equal_names_apart() {
    let config = r"
        [[formats]]
        name = 'ours'
        lines = ['^(?<name>\w+): (?<ms>[\d.]+) ms$']
        metrics.timeMs = 'ms'
    ";
    let text = "# One\nparse: 12.5 ms\nprint: 4 ms\n\n# Two\nparse: 25 ms\n";
    insta::assert_snapshot!(told(config, text), @"
    log:2 One: parse |  |  | -1 | timeMs=12.5
    log:3 print |  |  | -1 | timeMs=4
    log:6 Two: parse |  |  | -1 | timeMs=25
    log: 3 of 6 lines (ours)
    ");
}

#[test]
fn count_of_benchmarks_at_the_end_is_checked() {
    let config = r"
        [[formats]]
        name = 'ours'
        lines = ['^(?<name>\w+): (?<ms>[\d.]+) ms$']
        metrics.timeMs = 'ms'
    ";
    let text = "parse: 12.5 ms\nprint: 4 ms\n";
    insta::assert_snapshot!(told(config, &format!("{text}Ran 3 benchmarks in 2 s\n")), @"
    log:1 parse |  |  | -1 | timeMs=12.5
    log:2 print |  |  | -1 | timeMs=4
    log:3 skipped: 3 benchmarks announced, 2 read
    log: 2 of 3 lines (ours)
    ");
    insta::assert_snapshot!(told(config, &format!("{text}2 benchmarks\n")), @"
    log:1 parse |  |  | -1 | timeMs=12.5
    log:2 print |  |  | -1 | timeMs=4
    log: 2 of 3 lines (ours)
    ");
}

#[test]
fn format_of_the_config_is_read_by_its_name() {
    let config = Config::parse("[[formats]]\nname = 'ours'\ncontains = ['never']\nlines = ['^(?<name>\\w+): (?<ms>\\d+) ms$']\nmetrics.timeMs = 'ms'\n").unwrap();
    let read = |name: &str| {
        let mut collector = perf_readers::Collector::new(&config);
        collector.read_as(
            perf_readers::format_of_config(name),
            "log",
            &mut &b"parse: 12 ms\n"[..],
        )?;
        Ok::<_, std::io::Error>(account(&collector.finish()))
    };
    insta::assert_snapshot!(read("ours").unwrap(), @"
    log:1 parse |  |  | -1 | timeMs=12
    log: 1 of 1 lines (ours)
    ");
    insta::assert_snapshot!(read("other").unwrap_err(), @"no such format in `[[formats]]` of the config");
}

#[test]
fn tables_of_unknown_tools_are_not_read() {
    let text =
        "# Results\n\n| Library | Time (µs) |\n| --- | ---: |\n| fast | 12.5 |\n| slow | 1,250 |\n";
    assert!(read(text).rows.is_empty());
    let hint = read(text).require_rows().unwrap_err().hint;
    assert!(hint.contains("perf-gate formats try"), "{hint}");
}

#[test]
fn columns_of_a_config_are_found_in_a_text() {
    let config = "
        [[formats]]
        name = 'ours'
        columns = ['Case', 'Took']
        benchmark = ['{Case}']
        metrics.timeMs = 'Took'
    ";
    let text = "# Ours\n\n## A\n\n| Case | Note | Took |\n|---|---|---|\n| get | warm | 2 ms |\n\n## B\n\n\
                | Case | Took |\n|---|---|\n| get | 0.5 s |\n| put | 7 ms |\n";
    insta::assert_snapshot!(told(config, text), @"
    log:7 A: get |  |  | -1 | timeMs=2
    log:13 B: get |  |  | -1 | timeMs=500
    log:14 put |  |  | -1 | timeMs=7
    log: 3 of 14 lines (ours)
    ");
}
