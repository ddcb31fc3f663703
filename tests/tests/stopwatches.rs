//! Benchmark programs that measure themselves, in each installed language.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use end_to_end::Project;

/// A protocol that every machine finishes quickly.
const QUICK: [(&str, &str); 8] = [
    ("WARM_UP", "10"),
    ("WINDOW", "0.01"),
    ("ROUNDS", "20"),
    ("SAMPLE_MS", "0.2"),
    ("TRIALS", "3"),
    ("RATE", "2000"),
    ("LENGTH", "0.02"),
    ("REPETITIONS", "2"),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// A project with a built benchmark program; `None` if its language is not installed.
#[expect(
    clippy::print_stderr,
    reason = "a skipped test says so where somebody looks"
)]
fn built(sources: &[&str], builds: &[&[&str]], needs: &[&str]) -> Option<Project> {
    let answer = Command::new(needs[0])
        .args(&needs[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !answer.is_ok_and(|status| status.success()) {
        eprintln!("skipped: `{}` is not installed", needs[0]);
        return None;
    }
    let project = Project::empty();
    for source in sources {
        project.write(
            source,
            std::fs::read(folder("examples/harness/stopwatch").join(source)).unwrap(),
        );
    }
    for build in builds {
        let mut command = Command::new(build[0]);
        let built = command
            .args(&build[1..])
            .current_dir(project.path(""))
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
    }
    Some(project)
}

/// Runs a benchmark program with the quick protocol and more settings. Returns whether it succeeded, and its stderr.
fn run(project: &Project, command: &[&str], settings: &[(&str, &str)]) -> (bool, String) {
    let mut harness = Command::new(command[0]);
    harness
        .args(&command[1..])
        .current_dir(project.path(""))
        .env("STOPWATCH_BASE", "base.rows");
    harness.envs(
        QUICK
            .iter()
            .chain(settings)
            .map(|(name, value)| (format!("STOPWATCH_{name}"), value)),
    );
    let output = harness.output().unwrap();
    project.write("current.rows", &output.stdout);
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Asserts that the benchmark program prints rows for everything it measured, that a slower version is detected, and
/// that a rate that no machine can sustain is rejected.
fn assert_measures(project: Option<Project>, command: &[&str], metrics: &[&str]) {
    let Some(project) = project else { return };
    let (is_good, said) = run(&project, command, &[]);
    assert!(is_good, "{said}");
    for part in [
        "net of an empty block of ",
        " times a sample",
        "Rep 1/3 (warmup): min",
        "each within ",
    ] {
        assert!(said.contains(part), "`{part}` is not in {said}");
    }
    let rows = project.run("extract-perf-baseline --input current.rows");
    let header = rows.out().lines().next().unwrap_or_default().to_owned();
    for metric in metrics.iter().chain(&[
        "opsPerSecond",
        "timeNs",
        "latencyMs",
        "latencyP99.9Ms",
        "requests",
    ]) {
        assert!(
            header.split(',').any(|column| column == *metric),
            "`{metric}` is not in {header}\n{rows}"
        );
    }
    for (scenario, samples) in [
        ("multiply", 20),
        ("sum", 20),
        ("poll one", 2),
        ("poll all", 2),
    ] {
        let found = rows
            .scenarios()
            .iter()
            .filter(|name| **name == scenario)
            .count();
        assert_eq!(found, samples, "{scenario}: {rows}");
    }
    for way in ["cold", "warm code"] {
        assert!(
            rows.scenarios()
                .iter()
                .any(|name| name.ends_with(&format!("({way})"))),
            "{rows}"
        );
        assert!(rows.out().contains("on fresh state"), "{rows}");
    }
    let compared =
        project.run("render-perf-deltas --paired --input current.rows --baseline-csv base.rows");
    // On a busy machine, a few pairs may leave the slower version undecided.
    let results = compared.out();
    assert!(
        results.contains("compared=1") && results.contains("improved=0"),
        "{compared}"
    );
    assert!(
        results.contains("regressed=true") || results.contains("inconclusive=1"),
        "{compared}"
    );
    let (is_good, said) = run(&project, command, &[("RATE", "900000000")]);
    assert!(
        !is_good && said.contains("900000000 messages/s cannot be held; "),
        "{said}"
    );
}

#[test]
fn rust_is_measured_within_the_process() {
    let library = folder("crates/perf-stopwatch/src/lib.rs");
    let rustc = ["rustc", "--edition", "2024", "-O"];
    let crate_of = [
        "--crate-name",
        "perf_stopwatch",
        "--crate-type",
        "rlib",
        library.to_str().unwrap(),
    ];
    let bench = [
        "--extern",
        "perf_stopwatch=libperf_stopwatch.rlib",
        "bench.rs",
    ];
    let builds = [
        [&rustc[..], &crate_of[..]].concat(),
        [&rustc[..], &bench[..]].concat(),
    ];
    let project = built(
        &["bench.rs"],
        &builds.each_ref().map(Vec::as_slice),
        &["rustc", "--version"],
    );
    assert_measures(project, &["./bench"], &["allocations", "allocatedBytes"]);
}

#[test]
fn c_is_measured_within_the_process() {
    let wrapped = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc";
    let build = [
        "cc",
        "-O2",
        "-Wall",
        "-Werror",
        "-DSTOPWATCH_COUNTS",
        "-o",
        "bench",
        "bench.c",
        wrapped,
        "-lpthread",
    ];
    let project = built(&["stopwatch.h", "bench.c"], &[&build], &["cc", "--version"]);
    assert_measures(project, &["./bench"], &["allocations", "allocatedBytes"]);
}

#[test]
fn go_is_measured_within_the_process() {
    let build = ["go", "build", "-o", "bench", "stopwatch.go", "bench.go"];
    let project = built(&["stopwatch.go", "bench.go"], &[&build], &["go", "version"]);
    assert_measures(
        project,
        &["./bench"],
        &["allocations", "allocatedBytes", "gcTimeNs"],
    );
}

/// Uses Mono's compiler, which Linux distributions provide.
#[test]
fn c_sharp_is_measured_within_the_process() {
    let build = [
        "mcs",
        "-optimize",
        "-out:bench.exe",
        "Stopwatch.cs",
        "bench.cs",
    ];
    let project = built(
        &["Stopwatch.cs", "bench.cs"],
        &[&build],
        &["mcs", "--version"],
    );
    assert_measures(project, &["mono", "bench.exe"], &["allocatedBytes"]);
}

#[test]
fn python_is_measured_within_the_process() {
    let project = built(
        &["stopwatch.py", "bench.py"],
        &[],
        &["python3", "--version"],
    );
    assert_measures(project, &["python3", "bench.py"], &["gcTimeNs"]);
}

#[test]
fn javascript_is_measured_within_the_process() {
    let project = built(&["stopwatch.js", "bench.js"], &[], &["node", "--version"]);
    assert_measures(project, &["node", "bench.js"], &["gcTimeNs"]);
}
