//! Whole comments, as a reviewer reads them.

use crate::common::{Case, SCENARIOS, changed, run};

/// The first scenarios over two dozen commits.
fn case(count: usize) -> Case {
    let rows = &SCENARIOS[..count];
    Case {
        history: (0..24).map(|commit| run(commit, rows, 0.02)).collect(),
        baseline: run(24, rows, 0.02),
        current: run(25, rows, 0.02),
        ..Case::default()
    }
}

#[test]
fn a_clean_run_is_one_sentence() {
    insta::assert_snapshot!(case(3).markdown(), @"
    No regression in 3 benchmarks (a cost increase of +9.8% or more would typically be detected).

    <details><summary>6 unchanged</summary>

    | Benchmark    | Metric   | Baseline     | Current      | Delta  | Verdict   | History    | Noise | MDC    |
    | ------------ | -------- | ------------ | ------------ | ------ | --------- | ---------- | ----- | ------ |
    | decode/small | decodeNs | 119.07 ns    | 119.93 ns    | -0.72% | unchanged | ▇▁▂▄▅▇█▂▃▄ | ±1.5% | -9.8%  |
    | decode/small | allocs   | 2            | 2            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -50%   |
    | decode/large | decodeNs | 12,243.64 ns | 12,332.85 ns | -0.73% | unchanged | ▇█▂▃▅▆▇▁▂▄ | ±1.7% | -9.8%  |
    | decode/large | allocs   | 7            | 7            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -14.3% |
    | encode/small | decodeNs | 93.34 ns     | 94.03 ns     | -0.73% | unchanged | ▅▇█▂▃▅▆▇▁▂ | ±1.5% | -9.4%  |
    | encode/small | allocs   | 0            | 0            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   |        |

    </details>

    <sub>Measured: `c0000025`. Baseline: `c0000024`. + is better; up to 2% is unchanged. History: previous values and the current one; up is larger. Noise: run-to-run variation (1 σ). MDC: smallest change for the worse that would be detected.</sub>
    ");
}

#[test]
fn a_regression_comes_first_and_can_be_unfolded() {
    let slower = changed(
        &SCENARIOS[..4],
        &[("encode/large", 1.34, 0), ("decode/small", 0.7, 0), ("encode/small", 1.0, 1)],
    );
    let case = Case { current: run(25, &slower, 0.02), repeats: vec![run(26, &slower, 0.02)], ..case(4) };
    insta::assert_snapshot!(case.markdown(), @"
    **2 of 4 benchmarks regressed**, the worst is encode/large: decodeNs 9.83 → 12.93 µs (+31.5% vs. the median of 25); normal up to 9.98, limit 10.48; confirmed in 1 of 1 confirmation runs; 1 improved.

    | Benchmark    | Metric   | Baseline    | Current      | Delta   | Verdict       | History    | Noise | MDC   |
    | ------------ | -------- | ----------- | ------------ | ------- | ------------- | ---------- | ----- | ----- |
    | encode/small | allocs   | 0           | 1            | +1      | **regressed** | ▁▁▁▁▁▁▁▁▁█ | ±0%   |       |
    | encode/large | decodeNs | 9,974.16 ns | 12,934.06 ns | -29.68% | **regressed** | ▁▂▂▁▁▁▁▂▂█ | ±1.4% | -9%   |
    | decode/small | decodeNs | 119.07 ns   | 83.95 ns     | +29.49% | improved      | █▇▇████▇▇▁ | ±1.5% | -9.8% |

    <details><summary>5 unchanged</summary>

    | Benchmark    | Metric   | Baseline     | Current      | Delta  | Verdict   | History    | Noise | MDC    |
    | ------------ | -------- | ------------ | ------------ | ------ | --------- | ---------- | ----- | ------ |
    | decode/small | allocs   | 2            | 2            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -50%   |
    | decode/large | decodeNs | 12,243.64 ns | 12,332.85 ns | -0.73% | unchanged | ▇█▂▃▅▆▇▁▂▄ | ±1.7% | -9.8%  |
    | decode/large | allocs   | 7            | 7            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -14.3% |
    | encode/small | decodeNs | 93.34 ns     | 94.03 ns     | -0.73% | unchanged | ▅▇█▂▃▅▆▇▁▂ | ±1.5% | -9.4%  |
    | encode/large | allocs   | 3            | 3            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -33.3% |

    </details>

    <details><summary>Why encode/small regressed</summary>

    - allocs, regressed: 0 → 1; any increase fails.
    - Rule: exact count; baseline 0, current 1.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain encode/small
    ```

    </details>

    <details><summary>Why encode/large regressed</summary>

    - decodeNs, regressed: 9.83 → 12.93 µs (+31.5% vs. the median of 25); normal up to 9.98, limit 10.48; confirmed in 1 of 1 confirmation runs.
    - Rule: history; baseline 9.97 µs, current 12.93 µs; 25 earlier values: median 9.83, normal up to 9.98, limit 10.48 µs; run-to-run variation ±1.4%; smallest detectable change +9%.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain encode/large
    ```

    </details>

    <details><summary>Why decode/small improved</summary>

    - decodeNs, improved: 119.69 → 83.95 ns (-29.9% vs. the median of 25); an improvement beyond run-to-run variation (below 112.25).
    - Rule: history; baseline 119.07 ns, current 83.95 ns; 25 earlier values: median 119.69, normal up to 122.10, limit 128.21 ns; run-to-run variation ±1.5%; smallest detectable change +9.8%.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain decode/small
    ```

    </details>

    <sub>Measured: `c0000025`. Baseline: `c0000024`. + is better; up to 2% is unchanged. History: previous values and the current one; up is larger. Noise: run-to-run variation (1 σ). MDC: smallest change for the worse that would be detected.</sub>
    ");
}

#[test]
fn an_unconfirmed_suspect_asks_for_a_rerun() {
    let slower = changed(&SCENARIOS[..2], &[("decode/small", 1.22, 0)]);
    let case = Case { current: run(25, &slower, 0.02), ..case(2) };
    insta::assert_snapshot!(case.markdown(), @"
    **decode/small is inconclusive**: decodeNs 119.69 → 146.32 ns (+22.2% vs. the median of 25); normal up to 122.10, limit 128.21; unconfirmed: re-run and pass the output with --confirm.

    | Benchmark    | Metric   | Baseline  | Current   | Delta   | Verdict      | History    | Noise | MDC   |
    | ------------ | -------- | --------- | --------- | ------- | ------------ | ---------- | ----- | ----- |
    | decode/small | decodeNs | 119.07 ns | 146.32 ns | -22.88% | inconclusive | ▂▁▁▁▂▂▂▁▁█ | ±1.5% | -9.8% |

    <details><summary>3 unchanged</summary>

    | Benchmark    | Metric   | Baseline     | Current      | Delta  | Verdict   | History    | Noise | MDC    |
    | ------------ | -------- | ------------ | ------------ | ------ | --------- | ---------- | ----- | ------ |
    | decode/small | allocs   | 2            | 2            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -50%   |
    | decode/large | decodeNs | 12,243.64 ns | 12,332.85 ns | -0.73% | unchanged | ▇█▂▃▅▆▇▁▂▄ | ±1.7% | -9.8%  |
    | decode/large | allocs   | 7            | 7            | 0.00%  | unchanged | ▅▅▅▅▅▅▅▅▅▅ | ±0%   | -14.3% |

    </details>

    <details><summary>Why decode/small is inconclusive</summary>

    - decodeNs, inconclusive: 119.69 → 146.32 ns (+22.2% vs. the median of 25); normal up to 122.10, limit 128.21; unconfirmed: re-run and pass the output with --confirm.
    - Rule: history; baseline 119.07 ns, current 146.32 ns; 25 earlier values: median 119.69, normal up to 122.10, limit 128.21 ns; run-to-run variation ±1.5%; smallest detectable change +9.8%.
    - To know more about decodeNs: measure 20 to 60 interleaved pairs, which detect 5%.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain decode/small
    ```

    </details>

    <sub>Measured: `c0000025`. Baseline: `c0000024`. + is better; up to 2% is unchanged. History: previous values and the current one; up is larger. Noise: run-to-run variation (1 σ). MDC: smallest change for the worse that would be detected.</sub>
    ");
}

#[test]
fn an_environment_shift_is_reported_once() {
    let rows: Vec<_> = SCENARIOS.iter().map(|(name, ns, allocs)| (*name, ns * 1.19, *allocs)).collect();
    let all = SCENARIOS.len();
    let text = Case { current: run(25, &rows, 0.02), ..case(all) }.markdown();
    insta::assert_snapshot!(text.lines().next().unwrap(), @"**Inconclusive** due to an environment shift: 100% of 12 benchmarks are slower at once (median 10× their noise); 12 of 12 benchmarks cannot be judged.");
    assert_eq!(text.matches("environment shift").count(), 1, "{text}");
    assert_eq!(text.matches("| inconclusive |").count(), all, "{text}");
}

#[test]
fn all_waivers_are_listed() {
    let config = "
        waivers = [
            { scenario = 'decode/*', metric = 'decodeNs', reason = 'new checks | see `docs`', by = '@ada', until = 2026-12-31 },
            { scenario = 'encode/*', reason = 'old', by = 'bob', until = 2020-01-31 },
            { scenario = 'nothing', reason = 'typo', by = 'eve', until = 2026-12-31 },
        ]";
    let slower = changed(&SCENARIOS[..4], &[("decode/small", 1.5, 0), ("encode/small", 1.0, 3)]);
    let case = Case {
        config: config.to_owned(),
        current: run(25, &slower, 0.02),
        repeats: vec![run(26, &slower, 0.02)],
        today: Some("2026-11-21"),
        ..case(4)
    };
    insta::assert_snapshot!(outline(&case).replace('\u{200b}', "<break>"), @r"
    **encode/small regressed**: allocs 0 → 3; any increase fails; 1 waived.
    **Cannot fail**: these metrics would pass at ten times the cost.
    - decode/small, decodeNs: waived, whatever it costs
    - decode/large, decodeNs: waived, whatever it costs
    <details><summary>6 unchanged</summary>
    </details>
    Expired or unused waivers:
    - encode/\*: expired on 2020-01-31, would have excused 1 (old; bob)
    - nothing: unused, until 2026-12-31 (typo; eve)
    <details><summary>Why encode/small regressed</summary>
    - allocs, regressed: 0 → 3; any increase fails.
    - Rule: exact count; baseline 0, current 3.
    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain encode/small
    ```
    </details>
    <details><summary>Why decode/small regressed (waived)</summary>
    - decodeNs, regressed: 119.69 → 179.90 ns (+50.3% vs. the median of 25); normal up to 122.10, limit 128.21; confirmed in 1 of 1 confirmation runs; waived: new checks \| see \`docs\` (@<break>ada, until 2026-12-31).
    - Rule: history; baseline 119.07 ns, current 179.90 ns; 25 earlier values: median 119.69, normal up to 122.10, limit 128.21 ns; run-to-run variation ±1.5%; smallest detectable change +9.8%.
    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain decode/small
    ```
    </details>
    <details><summary>Waived</summary>
    - decode/small, decodeNs: 119.69 → 179.90 ns (+50.3% vs. the median of 25); normal up to 122.10, limit 128.21; confirmed in 1 of 1 confirmation runs; waived: new checks \| see \`docs\` (@<break>ada, until 2026-12-31)
    </details>
    ");
}

#[test]
fn a_too_tight_limit_has_a_remedy() {
    let config = "gates = [{ metric = 'decodeNs', rule = 'threshold', threshold = 0.01 }]";
    let case = Case { config: config.to_owned(), ..case(1) };
    insta::assert_snapshot!(outline(&case), @"
    No regression in 1 benchmark (a cost increase of +9.8% or more would typically be detected).
    <details><summary>2 unchanged</summary>
    </details>
    <details><summary>Too noisy for their limits</summary>
    - decode/small, decodeNs: the limit of +1% is below the run-to-run variation, with which the smallest detectable change is +9.8%: choose +9.8% or more, or measure 20 to 60 interleaved pairs
    </details>
    ");
}

#[test]
fn a_change_of_level_is_advice() {
    let rows =
        |commit: u32| changed(&SCENARIOS[..2], &[("decode/small", if commit < 14 { 1.0 } else { 1.3 }, 0)]);
    let case = Case {
        history: (0..24).map(|commit| run(commit, &rows(commit), 0.02)).collect(),
        baseline: run(24, &rows(24), 0.02),
        current: run(25, &rows(25), 0.02),
        ..Case::default()
    };
    insta::assert_snapshot!(outline(&case), @"
    No regression in 2 benchmarks (a cost increase of +78.9% or more would typically be detected).
    <details><summary>4 unchanged</summary>
    </details>
    <details><summary>Trend</summary>
    - decode/small, decodeNs: level rose by 30.6% 11 baselines ago (119.50 → 156.08 ns)
    </details>
    ");
}

#[test]
fn one_number_a_side_has_no_evidence_columns() {
    let case = Case { history: Vec::new(), ..case(1) };
    insta::assert_snapshot!(case.markdown(), @"
    No regression in 1 benchmark.

    <details><summary>2 unchanged</summary>

    | Benchmark    | Metric   | Baseline  | Current   | Delta  | Verdict   |
    | ------------ | -------- | --------- | --------- | ------ | --------- |
    | decode/small | decodeNs | 119.07 ns | 119.93 ns | -0.72% | unchanged |
    | decode/small | allocs   | 2         | 2         | 0.00%  | unchanged |

    </details>

    <sub>Measured: `c0000025`. Baseline: `c0000024`. + is better; up to 2% is unchanged.</sub>
    ");
}

#[test]
fn a_failed_self_test_is_reported_first() {
    let config = "gates = [{ metric = 'decodeNs', rule = 'threshold', threshold = 0.99 }]";
    let case = Case { config: config.to_owned(), history: Vec::new(), ..case(1) };
    insta::assert_snapshot!(outline(&case), @"
    No regression in 1 benchmark.
    **Cannot fail**: these metrics would pass at ten times the cost.
    - decode/small, decodeNs: an injected regression was judged moved
    <details><summary>2 unchanged</summary>
    </details>
    ");
}

#[test]
fn scopes_have_headings() {
    let csv = |linux: f64, mac: f64| {
        format!("scenario,platform,decodeNs\n\"a `b`\",Linux,{linux}\n\"a `b`\",m@c,{mac}\nfine,m@c,1\n")
    };
    let case = Case { baseline: csv(100.0, 100.0), current: csv(180.0, 250.0), ..Case::default() };
    insta::assert_snapshot!(case.markdown().replace('\u{200b}', "<break>"), @r"
    **2 of 3 benchmarks regressed**, the worst is a \`b\` (m@c): decodeNs 100 → 250 ns (+150% vs. the baseline); limit +49.3%.

    #### Linux

    | Benchmark | Metric   | Baseline | Current | Delta   | Verdict       |
    | --------- | -------- | -------- | ------- | ------- | ------------- |
    | a \`b\`   | decodeNs | 100 ns   | 180 ns  | -80.00% | **regressed** |

    #### m@c

    | Benchmark | Metric   | Baseline | Current | Delta    | Verdict       |
    | --------- | -------- | -------- | ------- | -------- | ------------- |
    | a \`b\`   | decodeNs | 100 ns   | 250 ns  | -150.00% | **regressed** |

    <details><summary>1 unchanged</summary>

    | Benchmark | Metric   | Baseline | Current | Delta | Verdict   |
    | --------- | -------- | -------- | ------- | ----- | --------- |
    | fine      | decodeNs | 1 ns     | 1 ns    | 0.00% | unchanged |

    </details>

    <details><summary>Why a `b` (Linux) regressed</summary>

    - decodeNs, regressed: 100 → 180 ns (+80% vs. the baseline); limit +49.3%.
    - Rule: fixed limit of +49.3%; baseline 100 ns, current 180 ns; smallest detectable change +49.3%.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain 'Linux/a `b`'
    ```

    </details>

    <details><summary>Why a `b` (m@c) regressed</summary>

    - decodeNs, regressed: 100 → 250 ns (+150% vs. the baseline); limit +49.3%.
    - Rule: fixed limit of +49.3%; baseline 100 ns, current 250 ns; smallest detectable change +49.3%.

    ```sh
    render-perf-deltas --input bench.csv --baseline-csv baseline.csv --history-git 30 --explain 'm@c/a `b`'
    ```

    </details>

    <sub>+ is better; up to 2% is unchanged.</sub>
    ");
}

/// The comment without its tables and its last line.
fn outline(case: &Case) -> String {
    let text = case.markdown();
    let lines =
        text.lines().filter(|line| !line.starts_with('|') && !line.starts_with("<sub>") && !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}
