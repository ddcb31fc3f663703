//! Inputs: the effect of each, and the errors for invalid ones.

use std::path::Path;

use end_to_end::action::ActionReport;
use end_to_end::action::definition::Definition;
use end_to_end::encode::crlf;
use fake_github::Fake;
use fake_github::world::World;
use insta::assert_snapshot;

use super::scene::{
    BASELINE, SAME, SLOWER, configure, measured, measured_with, pull_request, pull_request_to,
    repository_with, scheduled,
};

#[track_caller]
fn errors(report: &ActionReport) -> String {
    assert!(!report.passed(), "{}", report.log);
    report.annotations("error").join("\n")
}

/// The counts in the outputs.
fn tally(report: &ActionReport) -> String {
    let names = [
        "changed",
        "regressed",
        "compared",
        "improved",
        "missing",
        "new",
    ];
    names
        .map(|name| format!("{name}={}", report.output(name)))
        .join(" ")
}

#[test]
fn every_input_and_output_is_documented() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let definition = Definition::read(repository);
    let page = std::fs::read_to_string(repository.join("docs/reference/action.md")).unwrap();
    for (name, input) in &definition.inputs {
        assert!(
            input.description.contains("Example: `") || name == "token",
            "`{name}` has no example"
        );
        assert!(
            page.contains(&format!("| `{name}` ")),
            "docs/reference/action.md does not say what `{name}` is"
        );
    }
    for name in definition.outputs.keys() {
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/reference/action.md does not say what `{name}` is"
        );
    }
}

#[test]
fn config_sets_how_rows_are_read_and_which_are_compared() {
    let near = format!("{SAME}Decode_Cut,linux,2222222,-1,fast\n");
    let lenient = scheduled(&measured(&near)).run();
    assert!(lenient.passed(), "{}", lenient.log);
    for (config, log, expected) in [
        (
            "[rows]\nstrict = true\n",
            &*near,
            "1 malformed row with `rows.strict`",
        ),
        (
            "[run]\nformat = \"hyperfine\"\n",
            SAME,
            "looked for hyperfine",
        ),
        (
            "[deltas]\nscope = \"windows\"\n",
            SLOWER,
            "matches the filters",
        ),
    ] {
        let report = scheduled(&measured_with(config, log)).run();
        assert!(
            errors(&report).contains("nothing was compared: the benchmark or the comparison"),
            "{}",
            report.log
        );
        assert!(report.summary.contains(expected), "{}", report.summary);
    }
}

#[test]
fn config_sets_annotations_and_machine_specs() {
    let workspace = measured_with("[comment]\nannotate = \"warning\"\n", SLOWER);
    let report = scheduled(&workspace).input("fail-on", "none").run();
    assert_eq!(
        (
            report.annotations("warning").len(),
            report.annotations("error").len()
        ),
        (1, 0),
        "{}",
        report.log
    );
    // A benchmark with the token as its name.
    let fake = Fake::start(World::default()).unwrap();
    let redacted = scheduled(&workspace).api(fake.url(), "Decode_Small").run();
    assert!(
        redacted.log.contains("title=*** regressed::"),
        "{}",
        redacted.log
    );
    // Without `machine-specs = false`, the report shows the hardware.
    let plain = scheduled(&workspace).run();
    workspace.write("perf-gate.toml", "");
    let described = scheduled(&workspace).run();
    let provenance = |report: &ActionReport| report.summary.lines().nth(2).unwrap().to_owned();
    assert!(
        provenance(&described).len() > provenance(&plain).len(),
        "{}",
        described.summary
    );
}

#[test]
fn report_is_written_without_a_pull_request() {
    let workspace = measured(SAME);
    let report = scheduled(&workspace).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        tally(&report),
        "changed=false regressed=false compared=2 improved=0 missing=0 new=0"
    );
    assert_eq!(report.report(), report.summary);
    assert_eq!(report.commands, [], "{}", report.log);
    assert_snapshot!(report.summary.replace(&workspace.tip()[..7], "HEAD"), @"
    ### ✅ perf-gate: 2 benchmarks within limits

    `HEAD` · `1111111`…`2222222`

    <details><summary>2 within limits</summary>

    | Change | Benchmark | Base | Head |
    | --: | --- | --: | --: |
    | +0.1% | `Decode_Small` | 1.00 K/s | 1.00 K/s |
    | ~ | `Decode_Big` | 10/s | 10/s |

    </details>

    <sub>limit: 33% worse than the baseline · minimum detectable slowdown: 33%</sub>
    ");
}

#[test]
fn report_is_written_before_the_job_fails() {
    let workspace = measured(SLOWER);
    let report = scheduled(&workspace).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        report
            .summary
            .starts_with("### ❌ perf-gate: 1 of 2 benchmarks regressed"),
        "{}",
        report.summary
    );
    assert_snapshot!(errors(&report), @"
    decodesPerSecond: 1,000 → 500/s (−50% slower than the baseline); limit −33%
    1 of 2 benchmarks regressed
    hint: the report is in the job summary
    ");
    configure(&workspace, "[comment]\nannotate = \"none\"\n");
    let report = scheduled(&workspace).input("fail-on", "none").run();
    assert!(
        report.passed() && report.commands.is_empty(),
        "{}",
        report.log
    );
    assert_eq!(report.output("regressed"), "true");
}

#[test]
fn every_invalid_input_is_reported_before_anything_runs() {
    let workspace = measured(SAME);
    let wrong = [
        ("fail-on", "regressions"),
        ("fail-on", "regressed,"),
        ("fail-on", "none, new"),
        ("name", "two words"),
        ("name", ""),
        ("baseline", "../baseline.csv"),
        ("baseline", "pairs"),
        ("build", "make"),
        ("run", "./bench | tee log"),
        ("run", "echo 'open"),
        ("comment", "sometimes"),
        ("pull-request", "5; echo"),
        ("working-directory", "no/such/folder"),
        ("binaries", "no/such/folder"),
        ("results", "no-such-*.log"),
        ("results", "results/**/bench.log"),
        ("results", "\n \n"),
    ];
    let said: Vec<String> = wrong
        .map(|(name, value)| {
            let report = scheduled(&workspace).input(name, value).run();
            // Files are looked for after the benchmark ran.
            let prepared = name == "results" && !value.trim().is_empty();
            assert_eq!(
                report
                    .summary
                    .contains("nothing was compared: the benchmark"),
                prepared,
                "{name}: {value}"
            );
            errors(&report)
        })
        .into();
    let intro = "\nnothing was compared: the benchmark or the comparison failed\n\
        hint: the report is in the job summary";
    assert_snapshot!(said.join("\n").replace(intro, ""), @"
    invalid `fail-on`: no verdict is called `regressions`
    hint: did you mean `regressed`?
    invalid `fail-on`: no verdict is called ``
    hint: known names: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
    invalid `fail-on`: no verdict is called `none`
    hint: known names: `regressed`, `missing`, `inconclusive`, `not-comparable`, `unmeasured`, `new`, `moved`, `improved`
    invalid `name`: `two words`
    hint: up to 64 letters, digits, dots, dashes and underscores
    invalid `name`: ``
    hint: up to 64 letters, digits, dots, dashes and underscores
    invalid `baseline`: `../baseline.csv`
    hint: `pairs`, the path of a CSV below `working-directory`, or an absolute path
    `baseline: pairs` has no effect without `run`
    hint: without `run`, the action only compares `results`; for shards, see docs/how-to/large-suites.md
    `build` has no effect without `run`
    hint: without `run`, the action only compares `results`; for shards, see docs/how-to/large-suites.md
    invalid `run`: `./bench | tee log`
    hint: it is run without a shell; to use one, write `bash -c '…'`
    invalid `run`: `echo 'open`
    hint: a quote is not closed
    invalid `comment`: `sometimes`
    hint: it can be one of: always, changed, regressed, never
    invalid `pull-request`: `5; echo`
    hint: it must be a pull request number
    the folder `no/such/folder` does not exist
    hint: check the input `working-directory`
    the folder `no/such/folder` does not contain `perf-gate`
    hint: the input `binaries` is `auto`, `build` or a folder with the program
    no file matches `no-such-*.log`
    hint: did the benchmark run and write there? see `results`
    no file matches `results/**/bench.log`
    hint: did the benchmark run and write there? see `results`
    neither `run` nor `results` is set
    hint: set `run` to the benchmark command, or `results` to its output files if the workflow runs it
    hint: a new `[run]` in the config takes effect once it is merged into the base branch
    ");
}

#[test]
fn nothing_compared_and_missing_scenarios_are_not_green() {
    let workspace = measured(SAME.replace("Decode_", "Encode_"));
    assert_snapshot!(errors(&scheduled(&workspace).run()), @"
    nothing was compared: 2 benchmarks only in the baseline, 2 benchmarks only in this run
    hint: the report is in the job summary
    ");
    let workspace = measured(SAME.replace("Decode_Small", "Encode_Small"));
    assert!(
        scheduled(&workspace)
            .input("fail-on", "regressed")
            .run()
            .passed()
    );
    let missing = scheduled(&workspace).run();
    assert_eq!(
        (missing.output("failed"), missing.output("missing")),
        ("missing", "1")
    );
    assert_snapshot!(errors(&missing), @"
    1 benchmark missing · 1 new
    hint: the report is in the job summary
    ");
    let only_missing = errors(&scheduled(&workspace).input("fail-on", "missing").run());
    assert!(
        only_missing.starts_with("1 benchmark missing"),
        "{only_missing}"
    );
    // The config sets it, and the workflow overrides it.
    configure(&workspace, "[deltas]\nfail-on = []\n");
    assert!(scheduled(&workspace).run().passed());
    assert_eq!(
        errors(&scheduled(&workspace).input("fail-on", "missing").run()),
        only_missing
    );
}

#[test]
fn run_that_compared_nothing_is_green_only_with_a_warning() {
    let workspace = measured(SAME);
    std::fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    let report = scheduled(&workspace).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(report.annotations("warning").len(), 1, "{}", report.log);
    // The same applies to a run on another machine type.
    let tagged = |log: &str, class: &str| {
        log.replace("runIndex,", "runIndex,machineClass,")
            .replace(",-1,", &format!(",-1,{class},"))
    };
    let workspace = measured(tagged(SAME, "linux-x86_64-aaaaaaaa"));
    workspace.write(
        "perf-baseline.csv",
        tagged(BASELINE, "linux-x86_64-bbbbbbbb"),
    );
    let report = scheduled(&workspace).run();
    assert!(report.passed(), "{}", report.log);
    let [warning] = report.annotations("warning")[..] else {
        panic!("{}", report.log)
    };
    assert!(warning.contains("nothing was compared"), "{warning}");
}

#[test]
fn gated_metrics_that_disappeared_are_missing() {
    let workspace = measured(SAME);
    let wider = BASELINE.replace("PerSecond\n", "PerSecond,encodesPerSecond\n");
    workspace.write(
        "perf-baseline.csv",
        wider
            .replace(",1000\n", ",1000,7\n")
            .replace(",10\n", ",10,8\n"),
    );
    let report = scheduled(&workspace).input("fail-on", "regressed").run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (report.output("unmeasured"), report.output("missing")),
        ("2", "0"),
        "{}",
        report.log
    );
    let said = errors(
        &scheduled(&workspace)
            .input("fail-on", "new, unmeasured")
            .run(),
    );
    assert!(
        said.starts_with("2 gated metrics no longer measured"),
        "{said}"
    );
    let said = errors(&scheduled(&workspace).run());
    assert!(
        said.starts_with("2 gated metrics no longer measured"),
        "{said}"
    );
}

#[test]
fn programs_are_found_from_the_workspace_for_any_suite_folder() {
    let workspace = measured(SAME);
    for name in ["perf-baseline.csv", "perf-gate.toml", "bench.log"] {
        workspace.write(&format!("suite/{name}"), workspace.text(name));
    }
    let programs = end_to_end::binaries::path("perf-gate");
    std::os::unix::fs::symlink(programs.parent().unwrap(), workspace.checkout().join("bin"))
        .unwrap();
    let report = scheduled(&workspace)
        .input("working-directory", "./suite/")
        .input("binaries", "bin")
        .run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(report.output("compared"), "2");
}

#[test]
fn unreadable_input_is_reported_and_always_fails() {
    let workspace = measured("no rows at all\n");
    let report = scheduled(&workspace).input("fail-on", "none").run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        report
            .summary
            .starts_with("### ❌ perf-gate: nothing was compared: the benchmark"),
        "{}",
        report.summary
    );
    assert!(
        report
            .summary
            .contains("\n    error: no rows in `bench.log`"),
        "{}",
        report.summary
    );
    let workspace = measured(SAME);
    workspace.write("perf-baseline.csv", BASELINE.replace("1000", "?"));
    let report = scheduled(&workspace).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    let said = "    error: perf-baseline.csv:2: invalid number `?` (column `decodesPerSecond`)\n    \
        hint: restore the baseline from git, ";
    assert!(report.summary.contains(said), "{}", report.summary);
}

#[test]
fn several_files_and_patterns_are_read_with_any_line_ends() {
    let workspace = measured(crlf(
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode_Big,linux,2222222,-1,10\n",
    ));
    let row =
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode_Small,linux,2222222,-1,1000\n";
    workspace.write("out/a b.log", crlf(row));
    workspace.write("out/-c.log", "nothing\n");
    workspace.write("perf-baseline.csv", crlf(BASELINE));
    let report = scheduled(&workspace)
        .input("results", "  bench.log\r\n\r\nout/*.log \r\n")
        .run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        tally(&report),
        "changed=false regressed=false compared=2 improved=0 missing=0 new=0"
    );
}

#[test]
fn suite_in_its_own_folder_uses_its_own_files() {
    let workspace = measured(SAME);
    for name in ["perf-baseline.csv", "perf-gate.toml", "bench.log"] {
        let text = workspace.text(name);
        workspace.write(&format!("packages/a b/{name}"), text);
    }
    std::fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    let report = scheduled(&workspace)
        .input("working-directory", "packages/a b")
        .run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(report.output("compared"), "2");
}

#[test]
fn limits_come_from_the_config() {
    let workspace = measured_with("[deltas]\nlimit = 0.6\ntolerance = 0.7\n", SLOWER);
    let report = scheduled(&workspace).run();
    assert_eq!(
        tally(&report),
        "changed=false regressed=false compared=2 improved=0 missing=0 new=0"
    );
}

#[test]
fn invalid_config_is_reported_before_anything_runs() {
    for (config, expected) in [
        (
            "[run]\ntime-limit = \"banana\"\n",
            "`time-limit` is `banana`",
        ),
        ("[run]\nformat = \"nosuch\"\n", "invalid `run.format`"),
        (
            "[run]\nbuild = \"make && make install\"\n",
            "it is run without a shell",
        ),
        (
            "[deltas]\ntolerance = \"abc\"\n",
            "perf-gate.toml:7:13: invalid type",
        ),
        ("[deltas]\ntolerance = -1\n", "`tolerance`"),
        ("[comment]\nannotate = \"sometimes\"\n", "sometimes"),
        ("[refresh]\nevents = \"push\"\n", "expected a list"),
        ("[history]\nlast = 0\n", "`last` must be from 5 to 1000"),
        ("baseline = \"../base.csv\"\n", "invalid `baseline`"),
        ("nosuch = 1\n", "nosuch"),
    ] {
        let pull = pull_request_to(repository_with(config), SAME, |_| ());
        let run = "sh -c 'touch ran && cat bench.log'";
        let report = pull.run().input("results", "").input("run", run).run();
        let said = errors(&report);
        assert!(
            said.contains(expected) || report.summary.contains(expected),
            "{config}: {}",
            report.log
        );
        assert!(!said.contains("_temp"), "{said}");
        assert!(
            !pull.workspace.checkout().join("ran").exists(),
            "{config}: {}",
            report.log
        );
    }
    // An invalid command in the config is not the same as a missing one.
    for (broken, expected) in [
        (
            "[run]\ncommand = \"touch ran\"\n[deltas]\ntolerance = \"abc\"\n",
            "perf-gate.toml:9:13: invalid type",
        ),
        (
            "[run]\ncommand = \"touch ran | tee log\"\n",
            "it is run without a shell",
        ),
    ] {
        let pull = pull_request_to(repository_with(broken), SAME, |_| ());
        let report = pull.run().input("results", "").run();
        assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
        assert!(errors(&report).contains(expected), "{}", report.log);
    }
}

#[test]
fn merge_queue_entry_is_compared_with_its_merge_target() {
    let pull = pull_request(SLOWER, |workspace| {
        workspace.write("perf-baseline.csv", SLOWER);
    });
    let event =
        serde_json::json!({ "merge_group": { "base_sha": pull.base, "head_sha": pull.merge } });
    let run = end_to_end::action::ActionRun::new(&pull.workspace, "merge_group", event)
        .input("results", "bench.log");
    let report = run.env("GITHUB_SHA", &pull.merge).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        report.summary.contains("changes `perf-baseline.csv`"),
        "{}",
        report.summary
    );
}
