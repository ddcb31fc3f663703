//! The machine and the libraries that a run was measured with.

use end_to_end::Project;
use end_to_end::markdown::tables;

/// Two scenarios, each with a time and a count.
const ROWS: &str = "Parse,linux,0123abcd,-1,100,3\nPrint,linux,0123abcd,-1,100,3\n";

/// Baseline and run from two machine types: the time of `Parse` is nine times longer, and the count of `Print` is
/// higher.
fn measured(before: &str, now: &str) -> Project {
    let specs = |class: &str| format!("{{\"cpu\": \"any\", \"machineClass\": \"{class}\"}}");
    let project = Project::empty()
        .with(
            "perf-gate.toml",
            "[rows]\nlayouts = [['decodeNs', 'gcAllocations']]\n",
        )
        .with("before.log", ROWS)
        .with(
            "run.log",
            "Parse,linux,4567cdef,-1,900,3\nPrint,linux,4567cdef,-1,100,4\n",
        )
        .with("old.json", specs(before))
        .with("new.json", specs(now));
    project
        .run("extract-perf-baseline --input before.log --machine-specs old.json --output base.csv");
    project.run("extract-perf-baseline --input run.log --machine-specs new.json --output run.csv");
    project
}

#[test]
fn machine_type_is_a_column_in_the_baseline() {
    let project = measured("small-4c", "large-16c");
    let baseline = "\
scenario,platform,commit,runIndex,decodeNs,gcAllocations,machineClass
Parse,linux,0123abcd,-1,100,3,small-4c
Print,linux,0123abcd,-1,100,3,small-4c
";
    assert_eq!(project.text("base.csv"), baseline);
    assert_eq!(
        project.run("extract-perf-baseline --input base.csv").out(),
        baseline
    );
    let missing = project.run("extract-perf-baseline --input run.log --machine-specs none.json");
    assert!(
        !missing.out().contains("machineClass") && missing.mentions(&["none.json"]),
        "{missing}"
    );
    assert_eq!((missing.code, missing.warnings().len()), (Some(0), 1));
}

#[test]
fn counts_but_not_times_are_compared_across_machine_types() {
    let project = measured("small-4c", "large-16c");
    for input in ["run.csv", "run.log --machine-specs new.json"] {
        let line = format!(
            "render-perf-deltas --input {input} --baseline-csv base.csv --output deltas.md"
        );
        let (outcome, report) = project.compare(&line);
        assert_eq!(
            outcome.results(),
            "exit 0: changed=true regressed=true not-comparable=2 compared=2 failed=regressed"
        );
        assert_eq!(
            report.differences(),
            [
                "Parse decodeNs not-comparable",
                "Print decodeNs not-comparable",
                "Print gcAllocations regressed"
            ]
        );
        let deltas = project.text("deltas.md");
        assert!(
            deltas.contains("small-4c") && deltas.contains("large-16c"),
            "{deltas}"
        );
    }
    let same = ["Parse decodeNs regressed", "Print gcAllocations regressed"];
    let line =
        "render-perf-deltas --input run.log --machine-specs old.json --baseline-csv base.csv";
    assert_eq!(project.compare(line).1.differences(), same);
    let line = "render-perf-deltas --input run.csv --baseline-csv base.csv";
    assert_eq!(
        measured("small-4c", "small-4c")
            .compare(line)
            .1
            .differences(),
        same
    );
}

#[test]
fn each_matrix_job_has_its_own_hardware_line() {
    let specs =
        |cpu: &str, class: &str| format!("{{\"cpu\": \"{cpu}\", \"machineClass\": \"{class}\"}}");
    let project = Project::empty()
        .with(
            "play/bench.log",
            "{scenario:\"Parse\",platform:\"PlayMode\",timeNs:100}\n",
        )
        .with("play/machine-specs.json", specs("Ryzen 5", "ryzen-8c"))
        .with(
            "player/bench.log",
            "{scenario:\"Parse\",platform:\"Standalone\",timeNs:60}\n",
        )
        .with("player/machine-specs.json", specs("EPYC 9", "epyc-2c"))
        .with("reporter.json", specs("Other", "other-1c"));
    let line = "render-perf-doc --input play/bench.log player/bench.log --machine-specs reporter.json --preview";
    let page = project.run(line);
    let runner = page
        .out()
        .lines()
        .find(|line| line.starts_with("Runner: "))
        .unwrap_or_default();
    assert!(runner.starts_with("Runner: PlayMode: Ryzen 5; "), "{page}");
    assert!(
        runner.contains("; Standalone: EPYC 9") && !runner.contains("Other"),
        "{page}"
    );
    let baseline = project.run("extract-perf-baseline --input play/bench.log player/bench.log");
    assert!(
        baseline.out().contains("ryzen-8c") && baseline.out().contains("epyc-2c"),
        "{baseline}"
    );
}

#[test]
fn different_machine_type_alone_does_not_fail() {
    let rows =
        |class: &str| format!("{{scenario:\"Parse\",machineClass:\"{class}\",decodeNs:100}}\n");
    let project = Project::empty()
        .with("times.log", rows("small-4c"))
        .with("slow.log", rows("large-16c"));
    let line = "render-perf-deltas --input slow.log --baseline-csv times.csv --exit-code";
    project.run("extract-perf-baseline --input times.log --output times.csv");
    let outcome = project.run(line);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=false regressed=false not-comparable=1"
    );
    assert_eq!(outcome.warnings(), [""]);
    // A run in which no scenario matches does fail.
    project.write("slow.log", "{scenario:\"Other\",decodeNs:100}\n");
    assert_eq!(project.run(line).code, Some(1));
}

#[test]
fn matrix_shows_package_versions() {
    let manifest = r#"{
  "packages": { "com.packrat": "2.4.1" },
  "ecosystems": { "nuget": { "JsonLite": "7.0.0" } },
  "labels": { "com.packrat": "Packrat", "JsonLite": "JSON lite" }
}"#;
    let project = Project::fixture("ferrite").with("packages.json", manifest);
    let line = "render-perf-doc -q --input bench.log --preview --packages";
    let page = project.run(&format!("{line} packages.json"));
    let matrix = tables(page.out())
        .into_iter()
        .find(|table| table.heading.starts_with("Serializers"))
        .unwrap();
    let names: Vec<&str> = matrix.rows[1..].iter().map(|row| &*row[0]).collect();
    assert_eq!(
        names,
        ["Ferrite", "Packrat 2.4.1", "JSON lite 7.0.0", "Oxide"]
    );
    project.write("packages.json", "{\n  \"packages\": 5\n}");
    project
        .run(&format!("{line} packages.json"))
        .assert_refused("packages.json:2:15", &[]);
    project
        .run(&format!("{line} none.json"))
        .assert_refused("", &["none.json"]);
}

/// The description of a Linux runner.
const RUNNER: &str = r#"{"cpu": "AMD EPYC 7763", "os": "Ubuntu 24.04.3 LTS", "machineClass": "amd-epyc-7763-4c-x86_64-linux-16g"}"#;

#[test]
fn hardware_is_shown_only_for_rows_of_its_system() {
    const WINDOWS: &str = "Standalone IL2CPP x64 Release (WindowsPlayer; Unity 6000.0)";
    for (platforms, is_of_row) in [
        (["", ""], [true, true]),
        (["x64", "LinuxPlayer"], [true, true]),
        (["ubuntu-24.04", WINDOWS], [true, false]),
        (["macos-15", "windows-2025"], [false, false]),
        ([WINDOWS, WINDOWS], [false, false]),
    ] {
        let row = |at: usize| format!("Bench{at},{},0123abcd,-1,100\n", platforms[at]);
        let project = Project::empty()
            .with(
                "run.log",
                format!(
                    "scenario,platform,commit,runIndex,decodeNs\n{}{}",
                    row(0),
                    row(1)
                ),
            )
            .with("specs.json", RUNNER);
        let options = "--input run.log --machine-specs specs.json";
        let baseline = project.run(&format!(
            "extract-perf-baseline {options} --output base.csv"
        ));
        let has_class = |at: usize| {
            let text = project.text("base.csv");
            let line = text
                .lines()
                .find(|line| line.starts_with(&format!("Bench{at},")))
                .unwrap();
            line.ends_with(",amd-epyc-7763-4c-x86_64-linux-16g")
        };
        assert_eq!([has_class(0), has_class(1)], is_of_row, "{platforms:?}");
        let is_told = baseline.mentions(&["from other systems, such as"]);
        assert_eq!(
            is_told,
            is_of_row != [true, true],
            "{platforms:?}: {baseline}"
        );
        let page = project.run(&format!("render-perf-doc {options} --preview"));
        let runner = page
            .out()
            .lines()
            .find(|line| line.starts_with("Runner: "))
            .unwrap_or_default();
        match is_of_row {
            [true, true] => assert!(
                runner.contains("EPYC") && !runner.contains("not recorded"),
                "{runner}"
            ),
            [false, false] => assert_eq!(runner, "", "{platforms:?}"),
            _ => assert!(
                runner.contains("EPYC") && runner.contains("rows of other machines"),
                "{runner}"
            ),
        }
        let report = project.run(&format!(
            "render-perf-deltas {options} --baseline-csv base.csv --output deltas.md"
        ));
        assert_eq!(report.code, Some(0), "{report}");
        assert_eq!(
            project.text("deltas.md").contains("EPYC"),
            is_of_row == [true, true],
            "{platforms:?}"
        );
    }
}

#[test]
fn rows_from_several_machines_keep_their_own_hardware() {
    let rows = |class: &str| {
        format!("scenario,platform,decodeNs\nParse{class},,100\nPlay{class},WindowsPlayer,100\n")
    };
    let specs = |class: &str| format!("{{\"cpu\": \"any\", \"machineClass\": \"{class}\"}}");
    let mut project = Project::empty().with("specs.json", RUNNER);
    for (folder, class) in [("linux", "a-x86_64-linux"), ("windows", "b-x86_64-windows")] {
        project = project.with(&format!("jobs/{folder}/run.csv"), rows(class));
        project = project.with(&format!("jobs/{folder}/machine-specs.json"), specs(class));
    }
    let options = "--input jobs/linux/run.csv jobs/windows/run.csv --machine-specs specs.json";
    project.run(&format!(
        "extract-perf-baseline {options} --output base.csv"
    ));
    let baseline = project.text("base.csv");
    let class = |name: &str| {
        let line = baseline
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap();
        line.rsplit(',').next().unwrap().to_owned()
    };
    assert_eq!(class("Parsea-"), "a-x86_64-linux");
    // The description in this folder is for another system.
    assert_eq!(class("Playa-"), "", "{baseline}");
    assert_eq!([class("Parseb-"), class("Playb-")], ["b-x86_64-windows"; 2]);
    // The rows use the description in their own folder, not the reporting machine's.
    let page = project.run(&format!("render-perf-doc {options} --preview"));
    assert!(
        page.out().contains("Runner: x86_64-linux: any; ") && !page.out().contains("EPYC"),
        "{page}"
    );
}
