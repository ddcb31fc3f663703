//! Anyone who opens a pull request chooses file names, titles and the benchmark's output: none of these may be
//! executed, or act as a workflow command.

use end_to_end::action::definition::{Definition, Step};
use fake_github::account::WORKFLOW;
use serde_json::json;

use super::scene::{BASELINE, CONFIG, github_of, measured, pull_request, scheduled};

/// Names that a shell, a program or a runner could misinterpret.
const NAMES: [&str; 7] = [
    "$(touch owned).log",
    "`touch owned`; touch owned.log",
    "-o owned.log",
    "--output=owned.log",
    "a b'c\"d.log",
    "two\n::error::lines.log",
    "${{ github.token }}.log",
];

/// Rows whose names are workflow commands.
const PRINTED: &str = "::error::owned\n##[error]owned\n::set-output name=regressed::false\n::add-mask::e\n\
    scenario,platform,commit,runIndex,decodesPerSecond\n\
    ::error::owned,linux,2222222,-1,1\n\"$(touch owned)\",linux,2222222,-1,1\n\
    \"x\n::stop-commands::owned\n::error::owned\",linux,2222222,-1,1\n\
    Decode_Small,linux,2222222,-1,100\nDecode_Big,linux,2222222,-1,x::error::owned\n::error::,,,,\n";

#[test]
fn file_names_are_not_executed() {
    let workspace = measured("");
    for (at, name) in NAMES.iter().enumerate() {
        let head = "scenario,platform,commit,runIndex,decodesPerSecond\n";
        workspace.write(
            &format!("out/{name}"),
            format!("{head}Decode_{at},linux,2222222,-1,1\n"),
        );
    }
    workspace.write(
        "perf-baseline.csv",
        format!("{BASELINE}Decode_0,linux,1111111,-1,1\n"),
    );
    for input in ["out/*.log", "out/*"] {
        let report = scheduled(&workspace)
            .input("results", input)
            .input("fail-on", "regressed")
            .run();
        assert!(
            report.passed() && report.commands.is_empty(),
            "{}",
            report.log
        );
        assert_eq!(
            (report.output("compared"), report.output("new")),
            ("1", "6"),
            "{}",
            report.log
        );
    }
    // In their own folder, names that start with a dash look like options.
    workspace.write(
        "work/-o owned.log",
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode_0,linux,2222222,-1,1\n",
    );
    workspace.write("work/perf-gate.toml", CONFIG);
    workspace.write(
        "work/perf-baseline.csv",
        BASELINE.replace("Decode_Big", "Decode_0"),
    );
    for input in ["*.log", "-o owned.log"] {
        let report = scheduled(&workspace)
            .input("working-directory", "work")
            .input("results", input)
            .run();
        assert_eq!(report.output("compared"), "1", "{}", report.log);
    }
    assert!(
        !workspace.checkout().join("owned").exists()
            && !workspace.checkout().join("owned.log").exists()
    );
}

#[test]
fn inputs_are_not_executed() {
    let workspace = measured(PRINTED);
    for name in [
        "run",
        "build",
        "results",
        "name",
        "baseline",
        "fail-on",
        "comment",
        "pull-request",
        "config",
        "platform",
        "working-directory",
    ] {
        for value in [
            "--output=owned",
            "$(touch owned) `touch owned` '; touch owned; '\n::error::owned",
        ] {
            let report = scheduled(&workspace).input(name, value).run();
            let stranger = report
                .commands
                .iter()
                .find(|command| !command.properties.starts_with("title="));
            assert_eq!(stranger, None, "{name}: {value}");
            assert!(
                !workspace.checkout().join("owned").exists(),
                "{name}: {value}"
            );
        }
    }
}

#[test]
fn benchmark_output_is_not_a_workflow_command() {
    let pull = pull_request(PRINTED, |_| ());
    let fake = github_of(&pull);
    let mut event = pull.event();
    for name in ["title", "body"] {
        event["pull_request"][name] = json!("$(touch owned) `touch owned`\n::error::owned");
    }
    event["pull_request"]["head"]["ref"] = json!("a$(touch${IFS}owned)");
    let run = end_to_end::action::ActionRun::new(&pull.workspace, "pull_request", event)
        .input("results", "bench.log");
    let report = run
        .env("GITHUB_SHA", &pull.merge)
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(report.output("regressed"), "true", "{}", report.log);
    for command in &report.commands {
        assert_eq!(command.name, "error", "{command:?}");
        assert!(command.properties.starts_with("title="), "{command:?}");
    }
    assert!(!pull.workspace.checkout().join("owned").exists());
    assert_eq!(fake.comments(5).len(), 1);
}

#[test]
fn only_steps_that_read_no_untrusted_input_get_the_token() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap();
    let definition = Definition::read(repository);
    let has_token = |step: &&Step| step.env.values().any(|value| value.contains("token"));
    let steps: Vec<&str> = definition
        .runs
        .steps
        .iter()
        .filter(has_token)
        .map(|step| &*step.name)
        .collect();
    assert_eq!(steps, ["Plan", "Publish"]);
}
