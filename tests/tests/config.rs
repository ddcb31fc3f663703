//! `--print-config`: the effective configuration in a config file with the same effect.

use end_to_end::Project;

#[test]
fn every_program_prints_the_same_config() {
    let project = Project::empty();
    let printed = project.run("extract-perf-baseline --print-config");
    for tool in [
        "extract-perf-baseline",
        "render-perf-doc",
        "render-perf-deltas",
    ] {
        let outcome = project.run(&format!("{tool} --print-config"));
        assert_eq!(
            (outcome.code, &*outcome.stderr, outcome.out()),
            (Some(0), "", printed.out()),
            "{outcome}"
        );
    }
    let mut config: toml::Table = printed.out().parse().unwrap();
    let defaults = "scopes = []\nbackends = []\nscenarios = []\nrequired = []\nwaivers = []\nformats = []\nmeasure = []\n\
        [run]\nas-is = false\nmeasure = 'median'\ncompare = 'pairs'\n[why]\nenabled = true\n\
        [files]\nconfirm = []\naggregate = false\n[refresh]\naffects = []\n\
        [comment]\nmention = []\npage = false\n\
        [rows]\nunlisted = 'keep'\nignore-columns = []\nstrict = false\nrenamed = {}\n\
        [baseline]\nsamples = 30\ndigits = 'noise'\nrefresh = 'all'\n[metrics]\n\
        [page]\nheading-level = 3\nheading = '{where}'\nscenario-label = 'Scenario'\n\
        [deltas]\ntolerance = 0.02\nplus = 'larger'\npaired = false\n\
        [harness]\npaths = []\ntoolchain = []\nfrom = 'each'\n[review]\npaths = []\n\
        [protocol]\nwarm-up = 10000\nwindow = 5.0\ncold = 32\n";
    let mut defaults: toml::Table = defaults.parse().unwrap();
    // Both contain a label; its wording is not tested.
    let label = |config: &mut toml::Table| {
        config["page"]
            .as_table_mut()
            .unwrap()
            .remove("scenario-label")
    };

    assert!(label(&mut config).is_some() && label(&mut defaults).is_some());
    assert_eq!(config, defaults);
}

/// The outputs of the three commands for a project's inputs.
fn outputs(project: &Project, inputs: &str, config: &str) -> Vec<String> {
    let lines = [
        format!("extract-perf-baseline --input {inputs} {config}"),
        format!("render-perf-doc --input {inputs} --preview {config}"),
        format!(
            "render-perf-deltas --input {inputs} --baseline-csv baseline.csv --output - --json report.json {config}"
        ),
    ];
    let mut outputs: Vec<String> = lines
        .iter()
        .map(|line| project.run(line).out().to_owned())
        .collect();
    outputs.push(project.text("report.json"));
    outputs
}

/// Asserts that the printed config and the original give the same outputs.
#[track_caller]
fn assert_same_effect(project: &Project, inputs: &str) {
    let printed = project.run("render-perf-doc --print-config");
    project.write("printed.toml", &printed.stdout);
    let again = project.run("render-perf-doc --print-config --config printed.toml");
    assert_eq!(again.out(), printed.out(), "{again}");
    let pairs = outputs(project, inputs, "").into_iter().zip(outputs(
        project,
        inputs,
        "--config printed.toml",
    ));
    for (own, printed) in pairs {
        // The report quotes its command line.
        assert_eq!(printed.replace(" --config printed.toml", ""), own);
    }
}

#[test]
fn printed_config_of_a_project_has_the_same_effect() {
    assert_same_effect(&Project::fixture("wayfinder"), "player.log editor.xml");
    assert_same_effect(&Project::fixture("ferrite"), "bench.log");
}

#[test]
fn printed_defaults_have_the_same_effect() {
    let metrics = "scenario,platform,decodeNs,copies,gcAllocations,wallClockMs\nA,linux,120,1,2,10.0001\nB,mac,7,,0,3\n";
    let project = Project::empty()
        .with("run.csv", metrics)
        .with("baseline.csv", metrics.replace("120", "60"));
    assert_same_effect(&project, "run.csv");
    let project = Project::empty()
        .with(
            "run.log",
            "Parse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n",
        )
        .with(
            "baseline.csv",
            "scenario,platform,emitsPerSecond\nParse,linux x64,1000\n",
        );
    assert_same_effect(&project, "run.log");
}

#[test]
fn printed_config_of_each_section_has_the_same_effect() {
    let csv = "scenario,platform,decodeNs,copies\nA,linux,120,1\nB,mac,7,2\n";
    let project = Project::empty()
        .with("run.csv", csv)
        .with("baseline.csv", csv.replace("120", "60"));
    for config in [
        "primary = 'decodeNs'\n",
        "gates = []\n",
        "gates = [{ metric = 'decodeNs', rule = 'exact' }]\n",
        "[metrics.decodeNs]\ndecimals = 1\n",
        "[deltas]\nalso = ['copies']\n",
        "gates = [{ metric = 'decode*', rule = 'limit', warn = 0.1, floor = '5 ns', relative-to = 'B' }]\n",
        "waivers = [{ scenario = 'A', reason = 'it is new', by = 'us', until = 2026-12-31 }]\nhistory.last = 20\n",
        "scopes = [{ name = 'linux', backend = 'gcc' }, { name = 'mac' }]\nscenarios = [{ key = 'B', label = 'Bee' }]\n",
    ] {
        project.write("perf-gate.toml", config);
        assert_same_effect(&project, "run.csv");
    }
}
