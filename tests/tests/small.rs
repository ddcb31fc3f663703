//! A baseline can keep only some of a run's samples without changing verdicts.

use end_to_end::Project;

const HEADER: &str = "scenario,platform,commit,runIndex,parseNs,launchIndex\n";

/// Samples of two benchmarks: a thousand iterations in one process run, and ten in each of six process runs.
fn run(commit: &str, factor: f64) -> String {
    let noise = |at: u32| f64::from(at.wrapping_mul(2_654_435_761) >> 16) / 65_536.0;
    let sample = |name: &str, at: u32, launch: u32| {
        let time = 1000.0 * factor * (1.0 + 0.02 * noise(at + launch * 7919));
        format!("{name},linux,{commit},{at},{time},{launch}\n")
    };
    let one: String = (0..1000).map(|at| sample("One", at, 1)).collect();
    let many: String = (0..60).map(|at| sample("Many", at, at / 10 + 1)).collect();
    [HEADER, &one, &many].concat()
}

const EXTRACT: &str = "extract-perf-baseline --input main.csv --output base.csv";
const KEEP_ALL: &str = "--samples 0 --digits all";

#[test]
fn small_baseline_gives_the_same_verdicts() {
    for factor in [1.0, 1.012, 1.2, 1.6, 0.7] {
        let project = Project::empty().with("main.csv", run("c0ffee01", 1.0));
        project.write("run.csv", run("c0ffee02", factor));
        let compare = "render-perf-deltas --input run.csv --baseline-csv base.csv";
        project.run(&format!("{EXTRACT} {KEEP_ALL}"));
        let whole = project.text("base.csv");
        let (all, before) = project.compare(compare);
        project.run(&format!("{EXTRACT} --replace --refresh all"));
        let small = project.text("base.csv");
        let (kept, after) = project.compare(compare);
        assert!(
            whole.lines().count() == 1061 && small.lines().count() < 70,
            "{}",
            small.lines().count()
        );
        assert!(
            small.len() * 15 < whole.len(),
            "{} of {}",
            small.len(),
            whole.len()
        );
        assert_eq!(kept.results(), all.results(), "{factor}");
        for name in ["One", "Many"] {
            let [before, after] = [&before, &after].map(|report| report.metric(name, "parseNs"));
            for key in ["verdict", "decidedBy"] {
                assert_eq!(before[key], after[key], "{factor} {name} {key}");
            }
            let change = |metric: &serde_json::Value| metric["change"].as_f64().unwrap_or_default();
            assert!(
                (change(before) - change(after)).abs() < 1e-4,
                "{factor} {name}"
            );
        }
    }
}

#[test]
fn extracting_a_baseline_again_changes_nothing() {
    let project = Project::empty().with("main.csv", run("c0ffee01", 1.0));
    project.run(EXTRACT);
    let again = project.run("extract-perf-baseline --input base.csv --output again.csv");
    assert_eq!(project.text("again.csv"), project.text("base.csv"));
    assert!(!again.mentions(&["--samples 0"]), "{again}");
}

#[test]
fn refresh_can_keep_unchanged_benchmarks() {
    let project = Project::empty().with("main.csv", run("c0ffee01", 1.0));
    assert!(project.run(EXTRACT).mentions(&["`--samples 0` keeps all"]));
    project.write("main.csv", run("c0ffee02", 1.004));
    let refresh = project.run(&format!("{EXTRACT} --replace --refresh moved"));
    assert_eq!(refresh.files, [""; 0], "{refresh}");
    assert!(
        refresh.mentions(&["2 benchmarks did not change", "--refresh all"]),
        "{refresh}"
    );
    let all = format!("{EXTRACT} --replace");
    assert_eq!(project.run(&all).files, ["~ base.csv"]);
    assert!(!project.text("base.csv").contains("c0ffee01"));
    // If one benchmark changes, only its rows do.
    let [one, many] = [run("c0ffee03", 1.0), run("c0ffee03", 1.5)];
    let lines = |text: &str, name: &str| -> String {
        text.lines()
            .filter(|line| line.starts_with(name))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    project.write(
        "main.csv",
        [HEADER, &lines(&one, "One"), &lines(&many, "Many")].concat(),
    );
    project.run(&format!("{EXTRACT} --replace --refresh moved"));
    let base = project.text("base.csv");
    let of = |name: &str, commit: &str| {
        base.lines()
            .filter(|line| line.starts_with(name))
            .all(|line| line.contains(commit))
    };
    assert!(of("One", "c0ffee02") && of("Many", "c0ffee03"), "{base}");
}

#[test]
fn samples_and_digits_can_be_configured() {
    let project = Project::empty().with("main.csv", run("c0ffee01", 1.0));
    project.write(
        "perf-gate.toml",
        "[baseline]\nsamples = 0\ndigits = 'all'\nrefresh = 'moved'\n",
    );
    project.run(EXTRACT);
    assert_eq!(project.text("base.csv").lines().count(), 1061);
    project.write("main.csv", run("c0ffee02", 1.004));
    assert_eq!(project.run(&format!("{EXTRACT} --replace")).files, [""; 0]);
    assert_eq!(
        project
            .run(&format!("{EXTRACT} --replace --refresh all"))
            .files,
        ["~ base.csv"]
    );
    assert_eq!(
        project
            .run(&format!("{EXTRACT} --replace --samples 10"))
            .files,
        ["~ base.csv"]
    );
    assert!(project.text("base.csv").lines().count() < 40);
}

#[test]
fn copy_of_a_thinned_baseline_is_noticed() {
    let rows = |factor: f64| -> String {
        let names = ["A", "B", "C"]
            .map(|name| run("c0ffee01", factor).replace("One,", &format!("{name},")));
        names
            .iter()
            .flat_map(|text| text.lines())
            .filter(|line| !line.starts_with("Many"))
            .fold(String::new(), |text, line| {
                if text.contains("scenario") && line.contains("scenario") {
                    text
                } else {
                    text + line + "\n"
                }
            })
    };
    let project = Project::empty()
        .with("main.csv", rows(1.0))
        .with("run.csv", rows(1.0003));
    project.run(EXTRACT);
    let stale = |input: &str| {
        let line = format!("render-perf-deltas --input {input} --baseline-csv base.csv");
        project
            .run(&line)
            .mentions(&["are identical to the baseline"])
    };
    assert!(stale("main.csv"));
    assert!(!stale("run.csv"));
}

#[test]
fn rolling_file_without_commits_is_a_warning() {
    let project = Project::empty().with("run.log", "scenario,parseNs\nParse,12.5\n");
    let line = "extract-perf-baseline --input run.log --output base.csv --append --keep 3";
    let outcome = project.run(line);
    assert!(
        outcome.warnings().len() == 1 && outcome.mentions(&["--keep", "--commit"]),
        "{outcome}"
    );
    for named in ["--commit v1", "--measured-at 2031-03-04"] {
        assert!(
            project
                .run(&format!("{line} {named}"))
                .warnings()
                .is_empty(),
            "{named}"
        );
    }
}

#[test]
fn platform_of_this_system_is_filled_in() {
    let project = Project::empty().with("run.log", "scenario,platform,parseNs\nA,,12.5\nB,own,1\n");
    let outcome = project.run("extract-perf-baseline --input run.log --platform auto");
    let own = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    assert!(
        outcome.out().contains(&format!("A,{own},")) && outcome.out().contains("B,own,"),
        "{outcome}"
    );
}
