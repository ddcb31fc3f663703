//! Whole comments, as reviewers read them.

use perf_model::commit::CommitId;
use perf_report::json;
use perf_report::report::{
    MeasuredCommits, ProfiledBenchmark, Remarks, Report, ReportDetails, Reproduction,
};

use crate::trust::common::{Case, SCENARIOS, changed, markdown, run};

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
    ### ✅ perf-gate: 3 benchmarks within limits

    `c0000024`…`c0000025`

    <details><summary>3 within limits</summary>

    | Change | Benchmark | Median of 25 | Head |
    | --: | --- | --: | --: |
    | −1.1% | `encode/small` | 95.1 ns | 94.0 ns |
    | −0.4% | `decode/large` | 12.4 µs | 12.3 µs |
    | +0.2% | `decode/small` | 120 ns | 120 ns |

    Not listed: 3 metrics, equal to the baseline or derived from another metric.

    </details>

    <sub>limit: between 6.7% and 7.1% worse than earlier values · minimum detectable slowdown: 30.2%</sub>
    ");
}

#[test]
fn a_regression_comes_first_and_can_be_unfolded() {
    let slower = changed(
        &SCENARIOS[..4],
        &[
            ("encode/large", 1.34, 0),
            ("decode/small", 0.7, 0),
            ("encode/small", 1.0, 1),
        ],
    );
    let case = Case {
        current: run(25, &slower, 0.02),
        confirmation_runs: vec![run(26, &slower, 0.02)],
        ..case(4)
    };
    insta::assert_snapshot!(case.markdown(), @r##"
    ### ❌ perf-gate: 2 of 4 benchmarks regressed · 1 faster

    `c0000024`…`c0000025`

    | Change | Benchmark | Base or median | Head |
    | --- | --- | --: | --: |
    | ❌ +32% slower | **`encode/large`** | 9.83 µs | 12.9 µs |
    | ❌ +1 | **`encode/small`**, allocs | 0 | 1 |
    | 🚀 −30% faster | `decode/small` | 120 ns | 84.0 ns |

    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).

    <details><summary>History of encode/large, decodeNs</summary>

    ```mermaid
    %%{init: {"themeVariables": {"xyChart": {"plotColorPalette": "#2f81f7, #e5534b"}}}}%%
    xychart-beta
      title "encode/large, decodeNs (red: limit 10.48 µs)"
      x-axis "baselines, then this run" 1 --> 26
      y-axis "µs" 9.291 --> 13.27
      line [9.854, 9.924, 9.995, 9.673, 9.743, 9.814, 9.884, 9.955, 9.632, 9.703, 9.773, 9.844, 9.914, 9.985, 9.663, 9.733, 9.803, 9.874, 9.944, 9.622, 9.693, 9.763, 9.834, 9.904, 9.974, 12.93]
      line [10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48, 10.48]
    ```

    </details>

    <details><summary>How each of the 2 verdicts was decided, and next steps</summary>

    - **`encode/large`**, decodeNs: regressed: 9.83 → 12.9 µs (+32% slower than the median of 25); normal up to 9.98, limit 10.5; confirmed in 1 of 1 confirmation runs. Rule: history; run-to-run variation ±1.4%; minimum detectable slowdown 9%.
    - **`encode/small`**, allocs: regressed: 0 → 1; any increase fails. Rule: exact count.

    To reproduce from the output of this run:

    ```sh
    perf-gate compare --input bench.csv --baseline baseline.csv --history-git 30 --explain encode/large
    ```

    Investigate locally:

    ```sh
    perf-gate why encode/large --base c0000024 -- COMMAND
    perf-gate bisect c0000024.. encode/large -- COMMAND
    ```

    </details>

    <details><summary>1 within limits</summary>

    | Change | Benchmark | Median of 25 | Head |
    | --: | --- | --: | --: |
    | −1.1% | `encode/small` | 95.1 ns | 94.0 ns |
    | −0.4% | `decode/large` | 12.4 µs | 12.3 µs |

    Not listed: 3 metrics, equal to the baseline or derived from another metric.

    </details>

    <sub>limit: between 6.6% and 7.1% worse than earlier values · minimum detectable slowdown: 9.8%</sub>
    "##);
}

#[test]
fn an_unconfirmed_suspect_asks_for_a_rerun() {
    let slower = changed(&SCENARIOS[..2], &[("decode/small", 1.22, 0)]);
    let case = Case {
        current: run(25, &slower, 0.02),
        ..case(2)
    };
    let text = case.markdown();
    assert!(
        text.starts_with("### ⚠️ perf-gate: 1 of 2 benchmarks inconclusive\n"),
        "{text}"
    );
    assert_eq!(
        text.matches("+22% slower").count(),
        2,
        "the row and the decision: {text}"
    );
    assert!(
        text.contains("\n\nUnconfirmed slowdowns: rerun and pass the output with `--confirm`.\n\n"),
        "{text}"
    );
    let (comparison, config) = case.compared();
    let details = ReportDetails {
        reproduction: Some(Reproduction {
            benchmark: Some("-- cargo bench".to_owned()),
            ..Reproduction::default()
        }),
        ..ReportDetails::default()
    };
    let of_run = markdown(&Report::new(&comparison, &config, &details));
    assert!(
        of_run.contains(
            "\n\nUnconfirmed slowdowns: rerun the benchmark when the machine is idle.\n\n"
        ),
        "{of_run}"
    );
    assert!(text.contains("To decide: measure 16 to 60 pairs"), "{text}");
    let deciding = "\n\nTo decide, measure one benchmark alone and for longer, or count its instructions, which do \
                    not depend on the load:\n\n```sh\nperf-gate run --base c0000024 --filter benchmark=decode/small";
    assert!(text.contains(deciding), "{text}");
}

#[test]
fn an_environment_shift_is_reported_once() {
    let rows: Vec<_> = SCENARIOS
        .iter()
        .map(|(name, ns, allocs)| (*name, ns * 1.19, *allocs))
        .collect();
    let all = SCENARIOS.len();
    let text = Case {
        current: run(25, &rows, 0.02),
        ..case(all)
    }
    .markdown();
    insta::assert_snapshot!(text.lines().next().unwrap(), @"### ⚠️ perf-gate: 12 of 12 benchmarks inconclusive (environment shift: 15–20% slower at once)");
    assert_eq!(text.matches("\nEnvironment shift: ").count(), 1, "{text}");
    assert!(
        text.contains(&format!(
            "<summary>{all} inconclusive due to the environment shift"
        )),
        "{text}"
    );
}

#[test]
fn all_waivers_are_listed() {
    let config = "
        waivers = [
            { scenario = 'decode/*', metric = 'decodeNs', reason = 'new checks | see `docs`', by = '@ada', until = 2026-12-31 },
            { scenario = 'encode/*', reason = 'old', by = 'bob', until = 2020-01-31 },
            { scenario = 'nothing', reason = 'typo', by = 'eve', until = 2026-12-31 },
        ]";
    let slower = changed(
        &SCENARIOS[..4],
        &[("decode/small", 1.5, 0), ("encode/small", 1.0, 3)],
    );
    let case = Case {
        config: config.to_owned(),
        current: run(25, &slower, 0.02),
        confirmation_runs: vec![run(26, &slower, 0.02)],
        today: Some("2026-11-21"),
        ..case(4)
    };
    insta::assert_snapshot!(outline(&case).replace('\u{200b}', "<break>"), @r"
    ### ❌ perf-gate: 1 of 4 benchmarks regressed · 1 waived
    `c0000024`…`c0000025`
    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).
    Expired or unused waivers:
    - encode/\*: expired on 2020-01-31, would have excused 1 verdict (old; bob)
    - nothing: unused, until 2026-12-31 (typo; eve)
    <details><summary>How it was decided, and next steps</summary>
    - **`encode/small`**, allocs: regressed: 0 → 3; any increase fails. Rule: exact count.
    To reproduce from the output of this run:
    ```sh
    perf-gate compare --input bench.csv --baseline baseline.csv --history-git 30 --explain encode/small
    ```
    Investigate locally:
    ```sh
    perf-gate why encode/small --base c0000024 -- COMMAND
    perf-gate bisect c0000024.. encode/small -- COMMAND
    ```
    </details>
    <details><summary>1 benchmark cannot fail: they would pass even at ten times the cost</summary>
    - **`decode/large`**, decodeNs: waived without an upper limit (`up-to`)
    </details>
    <details><summary>1 waived</summary>
    - **`decode/small`**, decodeNs: 120 → 180 ns (+50% slower than the median of 25); normal up to 122, limit 128; confirmed in 1 of 1 confirmation runs; waived: new checks \| see `docs` (@<break>ada, until 2026-12-31)
    </details>
    <details><summary>2 within limits</summary>
    Not listed: 3 metrics, equal to the baseline or derived from another metric.
    </details>
    ");
}

#[test]
fn a_too_tight_limit_has_a_remedy() {
    let config = "gates = [{ metric = 'decodeNs', rule = 'limit', limit = 0.01 }]";
    let case = Case {
        config: config.to_owned(),
        ..case(1)
    };
    let text = outline(&case);
    assert!(text.contains("<summary>1 metric too noisy for the limit</summary>\n- **`decode/small`**, decodeNs: limit +1%, but the minimum detectable slowdown of stored values is "), "{text}");
    let deciding = "```sh\nperf-gate run --base c0000024 --filter benchmark=decode/small --time-limit 10m -- COMMAND\nperf-gate why decode/small --base c0000024 -- COMMAND\n```";
    assert!(text.contains(deciding), "{text}");
}

#[test]
fn one_number_a_side_has_no_evidence_columns() {
    let case = Case {
        history: Vec::new(),
        ..case(1)
    };
    let text = case.markdown();
    assert!(
        text.contains("\n| Change | Benchmark | Base | Head |\n"),
        "{text}"
    );
}

#[test]
fn a_failed_self_test_is_reported_first() {
    let config = "gates = [{ metric = 'decodeNs', rule = 'limit', limit = '2000%' }]";
    let case = Case {
        config: config.to_owned(),
        history: Vec::new(),
        ..case(1)
    };
    let text = outline(&case);
    assert!(
        text.starts_with("### ⚠️ perf-gate: 1 benchmark cannot fail\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\n- **`decode/small`**, decodeNs: an injected regression was judged moved\n"
        ),
        "{text}"
    );
}

#[test]
fn scopes_have_headings() {
    let csv = |linux: f64, mac: f64| {
        format!(
            "scenario,platform,decodeNs\n\"a `b`\",Linux,{linux}\n\"a `b`\",m@c,{mac}\nfine,m@c,1\n"
        )
    };
    let case = Case {
        baseline: csv(100.0, 100.0),
        current: csv(180.0, 250.0),
        ..Case::default()
    };
    let text = case.markdown();
    for line in [
        "- **a \\`b\\`** (m@c), decodeNs: regressed: 100 → 250 ns (+150% slower than the baseline); limit +33%.",
        "| ❌ +80% slower | **a \\`b\\`** (Linux) | 100 ns | 180 ns |",
        "| ~ | `fine` (m@c) | 1 ns | 1 ns |",
    ] {
        assert!(
            text.replace('\u{200b}', "")
                .replace('\u{a0}', " ")
                .contains(line),
            "{line}: {text}"
        );
    }
    assert!(text.contains(" --explain 'm@c/a `b`'\n"), "{text}");
}

/// The comment without its tables and last line.
fn outline(case: &Case) -> String {
    let text = case.markdown();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('|') && !line.starts_with("<sub>") && !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn profiled(benchmark: &str, functions: &[&str]) -> ProfiledBenchmark {
    let functions = functions
        .iter()
        .map(|function| (*function).to_owned())
        .collect();
    ProfiledBenchmark {
        benchmark: benchmark.to_owned(),
        functions,
    }
}

#[test]
fn remarks_frame_the_report() {
    let csv = |time: u32| format!("scenario,decodeNs\nparse,{time}\nwrite,9\n");
    let case = Case {
        baseline: csv(100),
        current: csv(250),
        ..Case::default()
    };
    let (comparison, config) = case.compared();
    let remarks = Remarks {
        notes: vec!["**One.**".to_owned(), "Two.".to_owned()],
        profiled: vec![
            profiled("parse", &["scan +1.5 ms: 2× more calls", "a\n# b"]),
            profiled("write", &[]),
        ],
        ..Remarks::default()
    };
    let model = Report::new(&comparison, &config, &ReportDetails::default()).with_remarks(&remarks);
    insta::assert_snapshot!(markdown(&model), @"
    > **One.**
    >
    > Two.

    ### ⚠️ perf-gate: 1 of 2 benchmarks regressed

    | Change | Benchmark | Base | Head |
    | --- | --- | --: | --: |
    | ❌ +150% slower | **`parse`** | 100 ns | 250 ns |

    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).

    <details><summary>How it was decided, and next steps</summary>

    - **`parse`**, decodeNs: regressed: 100 → 250 ns (+150% slower than the baseline); limit +33%. Rule: fixed limit.

    Investigate locally:

    ```sh
    perf-gate why parse --base BASE -- COMMAND
    perf-gate bisect BASE.. parse -- COMMAND
    ```

    </details>

    <details><summary>1 within limits</summary>

    | Change | Benchmark | Base | Head |
    | --: | --- | --: | --: |
    | ~ | `write` | 9 ns | 9 ns |

    </details>

    **Functions that caused the regressions**:

        parse:
          scan +1.5 ms: 2× more calls
          a�# b

    For the others, run `perf-gate why NAME` in a clone: `write`.

    <sub>limit: 33% worse than the baseline · minimum detectable slowdown: 33%</sub>
    ");
    let report = json::Report::new(&comparison, &config, Vec::new(), &remarks);
    let [scope]: [json::ScopeReport; 1] = report.scopes.try_into().unwrap();
    let functions = scope
        .scenarios
        .iter()
        .map(|scenario| scenario.functions.len());
    assert_eq!(functions.collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn names_of_one_table_are_written_alike() {
    let rows = |name: &str| {
        let csv = |time: u32| format!("scenario,decodeNs\nparse,{time}\n{name},{time}\n");
        let case = Case {
            baseline: csv(100),
            current: csv(250),
            ..Case::default()
        };
        let text = case.markdown();
        let rows = text
            .lines()
            .filter(|line| line.starts_with("| ❌"))
            .map(|row| row.contains('`'));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(rows("write"), [true; 2]);
    assert_eq!(
        rows("a_benchmark_with_a_name_of_many_letters"),
        [false; 2],
        "text may break, code may not"
    );
}

#[test]
fn comment_can_accept_if_a_workflow_handles_commands() {
    let case = Case {
        baseline: "scenario,decodeNs\na b,100\n".to_owned(),
        current: "scenario,decodeNs\na b,250\n".to_owned(),
        ..Case::default()
    };
    let (comparison, config) = case.compared();
    let said = |answers_comments: bool| {
        let details = ReportDetails {
            reproduction: Some(Reproduction {
                answers_comments,
                ..Reproduction::default()
            }),
            ..ReportDetails::default()
        };
        markdown(&Report::new(&comparison, &config, &details))
            .contains(", or accept this commit alone with `/perf accept a b --reason TEXT`.\n")
    };
    assert_eq!([true, false].map(said), [true, false]);
}

#[test]
fn notes_stand_above_a_skipped_comparison() {
    let remarks = Remarks {
        notes: vec!["**One.**".to_owned()],
        ..Remarks::default()
    };
    let report = markdown(&Report::nothing_compared("no rows").with_remarks(&remarks));
    insta::assert_snapshot!(report, @"
    > **One.**

    ### ⚠️ perf-gate: nothing was compared: no rows
    ");
}

#[test]
fn measured_commits_are_shown_unless_rows_name_them() {
    let [head, base]: [CommitId; 2] = ["a", "b"].map(|digit| digit.repeat(40).parse().unwrap());
    let url = "https://github.com/octo/quill";
    let measured = MeasuredCommits {
        head: head.clone(),
        base: Some(base.clone()),
        repository: Some(url.to_owned()),
        run: Some(format!("{url}/actions/runs/7/attempts/2")),
    };
    let remarks = Remarks {
        measured: Some(measured.clone()),
        ..Remarks::default()
    };
    let sides = format!("[`bbbbbbb`]({url}/commit/{base})…[`aaaaaaa`]({url}/commit/{head})");
    let report = |commits: [&str; 2]| {
        let [baseline, current] =
            commits.map(|commit| format!("scenario,commit,decodeNs\nparse,{commit},9\n"));
        let (comparison, config) = Case {
            baseline,
            current,
            ..Case::default()
        }
        .compared();
        let model =
            Report::new(&comparison, &config, &ReportDetails::default()).with_remarks(&remarks);
        markdown(&model).lines().nth(2).unwrap().to_owned()
    };
    assert_eq!(report(["c", "d"]), format!("{sides} · `c`…`d`"));
    assert_eq!(report(["bbbbbbb", "aaaaaaa"]), "`bbbbbbb`…`aaaaaaa`");
    let skipped = markdown(&Report::nothing_compared("no rows").with_remarks(&remarks));
    assert_eq!(
        skipped.lines().last().unwrap(),
        format!("{sides} · [run]({url}/actions/runs/7/attempts/2)")
    );
    let alone = MeasuredCommits {
        base: None,
        repository: None,
        run: None,
        ..measured
    };
    assert_eq!(alone.footer(), "`aaaaaaa`");
}

#[test]
fn a_working_tree_and_its_commit_are_one_version() {
    let hash = "a".repeat(40);
    let row = |name: &str, commit: &str| format!("{name},{commit},9\n");
    let rows = |now: &str| {
        format!(
            "scenario,commit,decodeNs\n{}{}",
            row("parse", &hash),
            row("sort", now)
        )
    };
    let case = Case {
        baseline: rows(&hash),
        current: rows("working tree of aaaaaaaaaa"),
        ..Case::default()
    };
    let text = case.markdown();
    let last = text.lines().nth(2).unwrap();
    assert!(
        last.starts_with("`aaaaaaa`…`working tree of aaaaaaaaaa`"),
        "{last}"
    );
}

#[test]
fn omitted_rows_are_at_the_remarked_place() {
    let csv = |time: &str| {
        let rows = (0..1_100).map(|row| format!("parse-{row},{time}\n"));
        format!("scenario,decodeNs\n{}", rows.collect::<String>())
    };
    let (comparison, config) = Case {
        baseline: csv("9"),
        current: csv("9.3"),
        ..Case::default()
    }
    .compared();
    let report = |rest: Option<&str>| {
        let remarks = Remarks {
            rest: rest.map(Into::into),
            ..Remarks::default()
        };
        markdown(
            &Report::new(&comparison, &config, &ReportDetails::default()).with_remarks(&remarks),
        )
    };
    assert!(report(None).ends_with("Left out: 100 entries (see the JSON report).\n"));
    assert!(report(Some("see [x](y)")).ends_with("Left out: 100 entries (see [x](y)).\n"));
}
