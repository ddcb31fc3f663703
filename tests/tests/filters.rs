//! Which rows are used, and which machine the page describes.

use end_to_end::encode::utf8_with_mark;
use end_to_end::markdown::tables;
use end_to_end::{Outcome, Project};

fn page(project: &Project, options: &str) -> Outcome {
    project.run(&format!(
        "render-perf-doc -q --input player.log --preview {options}"
    ))
}

/// The line on the page that describes the machine, after the line about commits.
fn machine(outcome: &Outcome) -> &str {
    outcome.out().split("\n\n").nth(2).unwrap()
}

#[test]
fn page_describes_the_machine_of_the_specs() {
    let project = Project::fixture("wayfinder");
    let specs = page(&project, "--machine-specs machine-specs.json");
    for part in [
        "AMD Ryzen 9 7950X 16-Core Processor",
        "NVIDIA GeForce RTX 3060",
        "Ubuntu 24.04.1 LTS",
    ] {
        assert!(machine(&specs).contains(part), "{}", machine(&specs));
    }
    let specs = utf8_with_mark(r#"{"cpu": "Apple | M4 @max <b>", "physicalCores": 10, "os": ""}"#);
    project.write("little.json", specs);
    let little = page(&project, "--machine-specs little.json");
    assert!(
        machine(&little).contains("Apple \\| M4 @\u{200b}max &lt;b>"),
        "{}",
        machine(&little)
    );
}

#[test]
fn unreadable_machine_specs_are_only_a_warning() {
    let project = Project::fixture("wayfinder")
        .with("list.json", "[]")
        .with("broken.json", "{\n  \"cpu\": ,\n}")
        .with("binary.json", [0xff, 0xfe, 0x00, 0xd8]);
    let without = page(&project, "");
    assert_eq!(without.warnings(), [""; 0]);
    for specs in [
        "missing.json",
        "list.json",
        "broken.json",
        "binary.json",
        ".",
    ] {
        let outcome = page(&project, &format!("--machine-specs {specs}"));
        assert_eq!(
            (outcome.code, outcome.out()),
            (Some(0), without.out()),
            "{specs}"
        );
        assert!(
            outcome.warnings().len() == 1 && outcome.mentions(&[specs]),
            "{outcome}"
        );
    }
}

#[test]
fn unity_version_selects_the_rows_of_that_version() {
    let project = Project::fixture("wayfinder");
    let other = page(&project, "--unity-version 2022.3");
    let shown = tables(other.out());
    assert_eq!(
        (shown.len(), &*shown[0].heading),
        (1, "Pathfinding - Player (Mono)")
    );
    assert_eq!(
        shown[0].rows[1..],
        [["Grid, open field", "1.00 M queries/s", "0", "0"]]
    );
    // A filter matches anywhere in the platform; a version follows the engine's name.
    assert_eq!(
        tables(page(&project, "--filter platform=*2022.3.9f1*").out()),
        shown
    );
}

#[test]
fn filter_without_matching_rows_is_rejected_and_lists_the_platforms() {
    let project = Project::fixture("wayfinder");
    let page = project
        .run("render-perf-doc -q --input player.log editor.xml --doc performance.md --unity-version 7000");
    page.assert_refused(
        "",
        &["Device", "Editor", "Unity 2022.3.9f1 Player Mono x64"],
    );
    let line = "render-perf-deltas -q --input player.log --baseline-csv baseline.csv";
    for filter in [
        "--unity-version 7000 --output -",
        "--scope Console --exit-code",
    ] {
        let outcome = project.run(&format!("{line} {filter}"));
        outcome.assert_refused(
            "",
            &["Device", "Player", "Unity 2022.3.9f1 Player Mono x64"],
        );
    }
}

#[test]
fn filter_on_rows_without_a_platform_is_explained() {
    let project = Project::empty();
    std::fs::write(project.path("now.csv"), "scenario,timeNs\nparse,100\n").unwrap();
    let outcome = project.run(
        "render-perf-deltas -q --input now.csv --baseline-csv now.csv --scope linux --exit-code",
    );
    outcome.assert_refused("", &["the rows have no platform"]);
}

#[test]
fn filter_without_matching_baseline_rows_compares_nothing() {
    let line = "render-perf-deltas -q --input player.log --baseline-csv baseline.csv --unity-version 2022.3 --exit-code";
    let outcome = Project::fixture("wayfinder").run(line);
    assert_eq!(
        outcome.results(),
        "exit 1: changed=false regressed=false new=1 failed=nothing-compared"
    );
    assert_eq!(outcome.warnings(), [""]);
    assert!(
        outcome.mentions(&["Unity 6000.2.1f1 Player IL2CPP x64"]),
        "{outcome}"
    );
}
