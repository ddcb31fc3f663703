//! `--print-config`: what is in force, as a config that says the same.

use end_to_end::Project;
use insta::assert_snapshot;

const LOG: &str = "Parse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n";

#[test]
fn what_is_in_force_can_be_printed() {
    let project = Project::empty();
    for tool in ["extract-perf-baseline", "render-perf-doc", "render-perf-deltas"] {
        let outcome = project.run(&format!("{tool} --print-config"));
        assert_eq!((outcome.code, &*outcome.stderr), (Some(0), ""), "{outcome}");
        assert_eq!(outcome.out(), project.run("extract-perf-baseline --print-config").out());
    }
    assert_snapshot!(project.run("extract-perf-baseline --print-config"), @r#"
    exit 0
    --- stdout
    [rows]
    unlisted = "keep"

    [page]
    heading-level = 3
    heading = "{where}"
    scenario-label = "Scenario"

    [deltas]
    tolerance = 0.02
    plus = "better"

    [history]
    last = 30
    least = 10
    suspects = "inconclusive"

    # Known without being listed:
    #
    # [rows]
    # layouts = [["emitsPerSecond", "gcAllocations", "wallClockMs", "gcAllocatedBytes"], ["emitsPerSecond", "allocatedBytesDelta", "wallClockMs"]]
    #
    # [deltas]
    # threshold = 0.33
    #
    # [metrics.emitsPerSecond]
    # label = "Throughput"
    # unit = "per-second"
    # better = "higher"
    # exact = false
    # decimals = 3
    #
    # [metrics.gcAllocations]
    # label = "GC allocs"
    # unit = "count"
    # better = "lower"
    # exact = true
    #
    # [metrics.wallClockMs]
    # label = "Wall clock"
    # unit = "ms"
    # better = "lower"
    # exact = false
    # fallback-for = "emitsPerSecond"
    # decimals = 3
    #
    # [metrics.gcAllocatedBytes]
    # label = "GC bytes"
    # unit = "bytes"
    # better = "lower"
    # exact = true
    #
    # [metrics.allocatedBytesDelta]
    # label = "Allocated bytes"
    # unit = "bytes"
    # better = "lower"
    # exact = true
    "#);
    assert_snapshot!(
        "wayfinder-config",
        Project::fixture("wayfinder").run("render-perf-doc --print-config").out()
    );
}

/// Everything that the three commands make of a project's inputs.
fn outputs(project: &Project, inputs: &str, config: &str) -> Vec<String> {
    let lines = [
        format!("extract-perf-baseline --input {inputs} {config}"),
        format!("render-perf-doc --input {inputs} --preview {config}"),
        format!(
            "render-perf-deltas --input {inputs} --baseline-csv baseline.csv --output - --json report.json {config}"
        ),
    ];
    let mut outputs: Vec<String> = lines.iter().map(|line| project.run(line).out().to_owned()).collect();
    outputs.push(project.text("report.json"));
    outputs
}

/// The config that is printed says the same as the one that it was printed from.
#[track_caller]
fn says_the_same(project: &Project, inputs: &str) {
    let printed = project.run("render-perf-doc --print-config");
    project.write("printed.toml", &printed.stdout);
    let again = project.run("render-perf-doc --print-config --config printed.toml");
    assert_eq!(again.out(), printed.out(), "{again}");
    let pairs =
        outputs(project, inputs, "").into_iter().zip(outputs(project, inputs, "--config printed.toml"));
    for (own, printed) in pairs {
        // The report tells the command that it was made by.
        assert_eq!(printed.replace(" --config printed.toml", ""), own);
    }
}

#[test]
fn what_was_printed_is_a_config_that_says_the_same() {
    says_the_same(&Project::fixture("wayfinder"), "player.log editor.xml");
    says_the_same(&Project::fixture("ferrite"), "bench.log");
}

#[test]
fn what_was_printed_without_a_config_says_the_same() {
    let metrics = "scenario,platform,decodeNs,copies,gcAllocations,wallClockMs\nA,linux,120,1,2,10.0001\nB,mac,7,,0,3\n";
    let project =
        Project::empty().with("run.csv", metrics).with("baseline.csv", metrics.replace("120", "60"));
    says_the_same(&project, "run.csv");
    let project = Project::empty()
        .with("run.log", LOG)
        .with("baseline.csv", "scenario,platform,emitsPerSecond\nParse,linux x64,1000\n");
    says_the_same(&project, "run.log");
}

#[test]
fn what_was_printed_of_a_small_config_says_the_same() {
    let csv = "scenario,platform,decodeNs,copies\nA,linux,120,1\nB,mac,7,2\n";
    let project = Project::empty().with("run.csv", csv).with("baseline.csv", csv.replace("120", "60"));
    for config in [
        "primary = 'decodeNs'\n",
        "gates = []\n",
        "gates = [{ metric = 'decodeNs', rule = 'exact' }]\n",
        "[metrics.decodeNs]\ndecimals = 1\n",
        "[deltas]\nalso = ['copies']\n",
        "gates = [{ metric = 'decode*', rule = 'threshold', warn = 0.1, floor = '5 ns', relative-to = 'B' }]\n",
        "waivers = [{ scenario = 'A', reason = 'it is new', by = 'us', until = 2026-12-31 }]\nhistory.last = 20\n",
        "scopes = [{ name = 'linux', backend = 'gcc' }, { name = 'mac' }]\nscenarios = [{ key = 'B', label = 'Bee' }]\n",
    ] {
        project.write("perf-gate.toml", config);
        says_the_same(&project, "run.csv");
    }
}
