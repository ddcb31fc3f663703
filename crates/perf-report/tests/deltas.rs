//! A comparison's report as reviewers and programs read it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_config::Config;
use perf_model::suite::{Filter, Suite};
use perf_readers::{Collector, ParseReport};
use perf_report::json::{self, Counts};
use perf_report::markdown::cut::Limit;
use perf_report::report::{Remarks, Report, ReportDetails};
use perf_verdict::{Comparison, Sides, Thresholds, Verdict, compare};

const POLICY: Thresholds = Thresholds::new(0.02, 0.33);

fn read(config: &Config, csv: &str) -> ParseReport {
    let mut collector = Collector::new(config);
    collector.read("csv", &mut csv.as_bytes()).unwrap();
    collector.finish()
}

fn compared(config: &Config, baseline: &str, current: &str) -> Comparison {
    let (baseline, current) = (read(config, baseline), read(config, current));
    let suite = |parsed| Suite::new(parsed, config, &Filter::default());
    compare(
        &Sides::new(&suite(&current.rows), &suite(&baseline.rows)),
        config,
        POLICY,
    )
}

fn json(comparison: &Comparison, config: &Config, notes: Vec<String>) -> String {
    written(json::Report::new(
        comparison,
        config,
        notes,
        &Remarks::default(),
    ))
}

fn written(report: json::Report) -> String {
    let mut text = Vec::new();
    report.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn markdown(config: &str, baseline: &str, current: &str) -> String {
    let config = Config::parse(config).unwrap();
    let comparison = compared(&config, baseline, current);
    text_of(&Report::new(
        &comparison,
        &config,
        &ReportDetails::default(),
    ))
}

/// The whole report.
fn text_of(report: &Report) -> String {
    report.markdown(Limit::Chars(usize::MAX)).unwrap()
}

#[test]
fn without_a_config_each_metric_that_matters_has_a_row() {
    let baseline = "scenario,decodeNs,peakBytes,allocs,score\nsmall,100,2048,0,1\nbig,1250.5,1048576,7,2\ngone,1,1,1,1\n";
    let current = "scenario,decodeNs,peakBytes,allocs,score\nsmall,101,2048,1,1\nbig,2501,524288,0,3\nfresh,1,1,1,1\n";
    insta::assert_snapshot!(markdown("", baseline, current), @"
    ### ⚠️ perf-gate: 2 of 2 benchmarks regressed · 1 missing · 1 metric changed in an unknown direction (up to 1.5×; set `better` in `[metrics]`) · 1 new

    | Change | Benchmark | Base | Head | Metric |
    | --- | --- | --: | --: | --- |
    | ❌ +100% slower | **`big`** | 1.25 µs | 2.50 µs | decodeNs |
    | ❌ +1 | **`small`** | 0 | 1 | allocs |
    | ⚠️ missing | **`gone`** | 1 ns | *missing* | decodeNs |
    | 🚀 −50% better | `big` | 1,024 KiB | 512 KiB | Peak |
    | 🚀 −7 | `big` | 7 | 0 | allocs |

    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).

    New (no baseline): `fresh`.

    <details><summary>How each of the 2 verdicts was decided, and next steps</summary>

    - **`big`**, decodeNs: regressed: 1.25 → 2.50 µs (+100% slower than the baseline); limit +33%. Rule: fixed limit.
    - **`small`**, allocs: regressed: 0 → 1; any increase fails. Rule: exact count.

    Investigate locally:

    ```sh
    perf-gate why big --base BASE -- COMMAND
    perf-gate bisect BASE.. big -- COMMAND
    ```

    </details>

    <details><summary>1 metric not gated</summary>

    | Change | Benchmark | Base | Head | Metric |
    | --: | --- | --: | --: | --- |
    | +1% | `small` | 100 ns | 101 ns | decodeNs |
    | +50% | `big` | 2 | 3 | score (not gated) |

    Not listed: 2 metrics, equal to the baseline or derived from another metric.

    </details>

    <sub>limit: 33% worse than the baseline · minimum detectable slowdown: 33%</sub>
    ");
}

#[test]
fn plus_means_better_only_if_configured() {
    let config = "primary = 'ops'\n[metrics.ops]\nbetter = 'higher'\nformat = { divide = 1000, decimals = 2, suffix = ' k/s' }\n\
        [metrics.ms]\nformat = { decimals = 3, suffix = ' ms' }\n\
        [metrics.allocs]\nnoun = 'allocs'\nformat = { thousands = true }\n\
        [metrics.allocatedBytes]\nformat = { thousands = true, suffix = ' B' }\n\
        [deltas]\nalso = ['allocs', 'allocatedBytes']\n\
        [[scenarios]]\nkey = 'cold'\nlabel = 'Cold | start'\nprimary = 'ms'\n";
    let baseline = "scenario,ops,ms,allocs,allocatedBytes\ncold,0,2,5000,0\nhot,1125,5000,-1,2048\nzero,0,1,0,0\n";
    let current = "scenario,ops,ms,allocs,allocatedBytes\ncold,0,3,3766,1024\nhot,1130,5000,3,1024\nzero,9,1,0,0\n";
    insta::assert_snapshot!(markdown(config, baseline, current), @r"
    ### ⚠️ perf-gate: 1 of 3 benchmarks regressed · 1 inconclusive · 1 not comparable

    | Change | Benchmark | Base | Head | Metric |
    | --- | --- | --: | --: | --- |
    | ❌ +50% slower | **Cold \| start** | 2.000 ms | 3.000 ms | ms |
    | ❌ +1,024 B | **Cold \| start** | 0 B | 1,024 B | Allocated |
    | ⚠️ inconclusive | **`hot`** |  | 3 | allocs |
    | 🚀 −1,024 B | `hot` | 2,048 B | 1,024 B | Allocated |
    | 🚀 −1,234 | Cold \| start | 5,000 | 3,766 | allocs |

    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).

    1 metric not compared (the baseline is zero): `zero`.

    <details><summary>How each of the 3 verdicts was decided, and next steps</summary>

    - **Cold \| start**, ms: regressed: 2.000 → 3.000 ms (+50% slower than the baseline); limit +33%. Rule: fixed limit.
    - **Cold \| start**, Allocated: regressed: 0 → 1,024 B; any increase fails. Rule: exact count.
    - **`hot`**, allocs: inconclusive: missing from the baseline, or zero there; other benchmarks have this metric.

    Investigate locally:

    ```sh
    perf-gate why cold --base BASE -- COMMAND
    perf-gate bisect BASE.. cold -- COMMAND
    ```

    </details>

    <details><summary>1 within limits</summary>

    | Change | Benchmark | Base | Head |
    | --: | --- | --: | --: |
    | +0.4% | `hot` | 1.13 k/s | 1.13 k/s |

    Not listed: 4 metrics, equal to the baseline or derived from another metric.

    </details>

    <sub>limit: 33% worse than the baseline · minimum detectable slowdown: 33%</sub>
    ");
    let flipped = markdown(
        &config.replace("[deltas]", "[deltas]\nplus = 'better'"),
        baseline,
        current,
    );
    for text in [
        "2.000 → 3.000 ms (−50% slower than the baseline); limit −33%.",
        "| ❌ −50% slower | **Cold",
        "| 🚀 −1,024 B | `hot`",
        "· + is better</sub>",
    ] {
        assert!(
            flipped.replace('\u{a0}', " ").contains(text),
            "{text}: {flipped}"
        );
    }
}

#[test]
fn headline_says_what_fails() {
    let headline = |baseline: &str, current: &str| {
        let config = Config::default();
        let comparison = compared(&config, baseline, current);
        let text = text_of(&Report::new(
            &comparison,
            &config,
            &ReportDetails::default(),
        ));
        text.lines().next().unwrap_or_default().to_owned()
    };
    let rows = |values: &[(&str, u32)]| {
        values.iter().fold(
            "scenario,opsPerSecond\n".to_owned(),
            |csv, (name, value)| csv + &format!("{name},{value}\n"),
        )
    };
    let baseline = rows(&[("a", 100), ("b", 100), ("c", 100)]);
    insta::assert_snapshot!(headline(&baseline, &rows(&[("a", 100), ("b", 99), ("c", 300)])), @"### ✅ perf-gate: 3 benchmarks within limits · 1 faster");
    insta::assert_snapshot!(headline(&baseline, &rows(&[("a", 60), ("b", 99), ("d", 1)])), @"### ⚠️ perf-gate: 1 of 2 benchmarks regressed · 1 missing · 1 new");
    insta::assert_snapshot!(headline(&baseline, &rows(&[("a", 60), ("b", 50), ("c", 100)])), @"### ⚠️ perf-gate: 2 of 3 benchmarks regressed");
    insta::assert_snapshot!(headline(&baseline, &rows(&[("x", 60)])), @"### ⚠️ perf-gate: nothing was compared: 3 benchmarks only in the baseline, 1 benchmark only in this run");
}

#[test]
fn uncompared_metrics_have_a_reason() {
    let baseline = "scenario,decodeNs,allocs\na,1,-1\nb,1,2\n";
    let current = "scenario,decodeNs,allocs\na,-5,1\nb,-1,-1\n";
    insta::assert_snapshot!(markdown("", baseline, current), @"
    ### ⚠️ perf-gate: 3 gated metrics no longer measured · 1 inconclusive · 1 not comparable

    | Change | Benchmark | Base | Head | Metric |
    | --- | --- | --: | --: | --- |
    | ⚠️ unmeasured | `b` | 1 ns | *not measured* | decodeNs |
    | ⚠️ unmeasured | `b` | 2 | *not measured* | allocs |
    | ⚠️ inconclusive | **`a`** |  | 1 | allocs |

    1 metric not compared (a negative number is not a measurement): `a`.

    <details><summary>How it was decided, and next steps</summary>

    - **`a`**, allocs: inconclusive: missing from the baseline, or zero there; other benchmarks have this metric.

    To decide, measure one benchmark alone and for longer, or count its instructions, which do not depend on the load:

    ```sh
    perf-gate run --base BASE --filter benchmark=a --time-limit 10m -- COMMAND
    perf-gate why a --base BASE -- COMMAND
    ```

    </details>

    <sub>minimum detectable slowdown: 33%</sub>
    ");
}

#[test]
fn input_is_escaped() {
    let csv = "scenario,platform,xNs\n\"<img src=x> | `y` @octocat\nz\",\"*A*\",1\n";
    let text = markdown("", csv, csv);
    assert!(
        text.contains("| &lt;img src=x> \\| \\`y\\` @\u{200b}octocat z |"),
        "{text}"
    );
}

#[test]
fn missing_baseline_is_reported() {
    let report = text_of(&Report::nothing_compared("there is no baseline yet."));
    assert_eq!(
        report,
        "### ⚠️ perf-gate: nothing was compared: there is no baseline yet\n"
    );
}

#[test]
fn first_run_shows_its_numbers() {
    let config = Config::default();
    let read = read(
        &config,
        "scenario,platform,decodeNs,decodeNs.stddev,allocs\na,A,100.5,2,7\nb|c,A,1500000,3,0\n",
    );
    let suite = Suite::new(&read.rows, &config, &Filter::default());
    let of = |create| {
        let report = Report::nothing_compared("no base.csv");
        text_of(&report.with_measured(&suite, &config, create))
    };
    insta::assert_snapshot!(of("perf-gate run --save"), @r"
    ### ⚠️ perf-gate: nothing was compared: no base.csv

    | Benchmark | Metric | Head |
    | --- | --- | --: |
    | `a` | decodeNs | 100.50 ns |
    | `a` | allocs | 7 |
    | b\|c | decodeNs | 1.50 ms |
    | b\|c | allocs | 0 |

    > To compare the next run: `perf-gate run --save`
    ");
    assert!(!of("").contains("To compare"));
}

#[test]
fn json_has_every_number_and_reason() {
    let config = Config::default();
    let baseline = "scenario,platform,decodeNs,allocs\na,A,100.5,7\ngone,A,1,1\n";
    let current = "scenario,platform,decodeNs,allocs\na,A,200.5,-1\nfresh,A,1,1\n";
    let comparison = compared(&config, baseline, current);
    insta::assert_snapshot!(json(&comparison, &config, vec!["1 line is skipped.".to_owned()]), @r#"
    {"version":1,"skipped":null,"changed":true,"regressed":true,"counts":{"compared":1,"regressed":1,"inconclusive":0,"improved":0,"not-comparable":0,"unmeasured":1,"missing":1,"new":1,"waived":0,"warned":0},"tolerance":0.02,"regressionLimit":0.33,"baselineCommits":[],"currentCommits":[],"repeats":{"needed":1,"given":0},"tested":1,"blind":[],"waivers":[],"scopes":[
    {"scope":"A","scenarios":[
    {"scenario":"a","label":"a","verdict":"regressed","metrics":[{"metric":"decodeNs","better":"lower","unit":"ns","baseline":100.5,"current":200.5,"change":0.9950248756218906,"verdict":"regressed","rule":"limit","decidedBy":"limit","limit":0.33,"loss":0.9950248756218906,"reason":"101 → 201 ns (+100% slower than the baseline); limit +33%","suspect":false,"warned":false,"detectable":0.33,"tooTight":false},{"metric":"allocs","better":"lower","unit":"count","baseline":7,"current":null,"change":null,"verdict":"unmeasured","rule":"exact","decidedBy":"exact","limit":null,"loss":null,"reason":"in the baseline, but not in this run","suspect":false,"warned":false,"noise":0.0,"detectable":0.142857142857,"tooTight":false}]}],"missing":["gone"],"new":["fresh"]}],"notes":["1 line is skipped."]}
    "#);
}

#[test]
fn json_has_no_reason_within_limits() {
    let config = Config::default();
    let rows = |times: [f64; 4]| {
        let rows = times
            .iter()
            .enumerate()
            .map(|(at, time)| format!("b{at},{time}\n"));
        format!("scenario,timeNs\n{}", rows.collect::<String>())
    };
    let comparison = compared(
        &config,
        &rows([100.0; 4]),
        &rows([100.0, 120.0, 200.0, 40.0]),
    );
    let report = json::Report::parse(&json(&comparison, &config, vec![])).unwrap();
    let metrics = report
        .scopes
        .iter()
        .flat_map(|scope| &scope.scenarios)
        .flat_map(|one| &one.metrics);
    let reasons: Vec<_> = metrics
        .map(|metric| (metric.verdict, metric.reason.is_some()))
        .collect();
    let expected = [
        (Verdict::Unchanged, false),
        (Verdict::Moved, false),
        (Verdict::Regressed, true),
        (Verdict::Improved, true),
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn json_has_the_reason_of_a_skipped_comparison() {
    let report = json::Report::skipped(POLICY, "no baseline".to_owned(), &Remarks::default());
    let report = json::Report::parse(&written(report)).unwrap();
    assert_eq!(report.skipped.as_deref(), Some("no baseline"));
    assert_eq!(
        (report.tolerance, report.regression_limit, report.counts),
        (0.02, 0.33, Counts::default())
    );
}

#[test]
fn json_is_read_as_it_is_written() {
    // Zero, one, two and many benchmarks in zero, one and two scopes.
    let rows = |count: usize, ns: u32| {
        let rows =
            (0..count).map(|at| format!("b{at},p{},{}\n", at % 2, ns + u32::from(at % 3 == 0)));
        format!("scenario,platform,decodeNs\n{}", rows.collect::<String>())
    };
    let config = Config::default();
    for count in [0, 1, 2, 3, 9_000] {
        let comparison = compared(&config, &rows(count, 100), &rows(count, 150));
        let notes = vec!["\"scopes\": [\n  \"scenarios\":[]".to_owned()];
        let text = json(&comparison, &config, notes.clone());
        let read = json::Report::parse(&text).unwrap();
        assert_eq!(read.notes, notes);
        let named = read
            .scopes
            .iter()
            .flat_map(|scope| &scope.scenarios)
            .map(|one| &*one.scenario);
        let compared = comparison
            .scopes
            .iter()
            .flat_map(|scope| &scope.scenarios)
            .map(|one| &*one.scenario);
        assert!(named.eq(compared), "{count}");
        assert_eq!(
            text.lines().count(),
            1 + comparison.scopes.len() + count,
            "a line for each"
        );
        assert_eq!(written(read), text, "{count}");
    }
    let error = |text: &str| json::Report::parse(text).unwrap_err().to_string();
    insta::assert_snapshot!(error(r#"{"version": 2}"#), @"its version is 2, not 1");
    insta::assert_snapshot!(error("[]"), @"invalid length 0, expected struct Versioned with 1 element at line 1 column 2");
}

/// Benchmarks with these times.
fn times(of: impl Fn(u32) -> f64) -> String {
    let row = |number: u32| format!("case{number},{}\n", of(number));
    (0..13)
        .map(row)
        .fold("scenario,decodeNs\n".to_owned(), |csv, row| csv + &row)
}

#[test]
fn a_slowdown_of_all_benchmarks_is_probably_the_machine() {
    let usual = |number: u32| 1000.0 + f64::from(number);
    let said = |share: fn(u32) -> f64| {
        markdown(
            "",
            &times(usual),
            &times(|number| usual(number) * share(number)),
        )
    };
    let all = said(|number| 1.25 + 0.005 * f64::from(number));
    assert!(
        all.contains("All 13 benchmarks are 25–31% slower at once: probably the machine."),
        "{all}"
    );
    let but_one = said(|number| if number == 5 { 1.0 } else { 1.3 });
    assert!(!but_one.contains("at once"), "{but_one}");
    let by_code = said(|_| 2.0);
    assert!(!by_code.contains("at once"), "{by_code}");
}

#[test]
fn derived_metrics_have_no_row() {
    let output = |time: u32| {
        let line = |name: &str, time: u32| {
            format!(
                "Benchmark{name}-8  1000  {time} ns/op  {:.2} MB/s\n",
                1e5 / f64::from(time)
            )
        };
        format!(
            "pkg: example.org/quill\n{}{}PASS\n",
            line("Parse", time),
            line("Write", 100)
        )
    };
    let shown = markdown("", &output(100), &output(200));
    assert!(
        shown.contains(
            "Not listed: 2 metrics, equal to the baseline or derived from another metric."
        ),
        "{shown}"
    );
    assert!(!shown.contains("MB/s"), "{shown}");
}

#[test]
fn a_regression_links_to_its_chart_on_the_site() {
    let config = "[deltas]\nsite = \"https://octo.github.io/quill/\"\n";
    let csv =
        |time: f64| format!("scenario,platform,commit,decodeNs\nread 5 (%),linux,d07f3a2,{time}\n");
    let shown = markdown(config, &csv(100.0), &csv(200.5));
    let link = "https://octo.github.io/quill/index.html#benchmark=read%205%20%28%25%29&metric=decodeNs&scope=linux&value=200.5&commit=d07f3a2";
    assert_eq!(
        shown.matches(&format!("[Chart]({link})")).count(),
        1,
        "{shown}"
    );
    assert!(
        shown.contains("[history](https://octo.github.io/quill/index.html)"),
        "{shown}"
    );
    for address in ["http://octo.github.io", "https://", "https://x.y/a)b"] {
        assert!(
            Config::parse(&format!("[deltas]\nsite = \"{address}\"\n")).is_err(),
            "{address}"
        );
    }
}
