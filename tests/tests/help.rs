//! `--help`, `--version`, `--completions` and colours.

use end_to_end::Project;
use end_to_end::binaries::NAMES;

/// The options in a help text, and whether each has a description below it.
fn options(help: &str) -> Vec<(&str, bool)> {
    let lines: Vec<&str> = help
        .lines()
        .take_while(|line| !line.starts_with("Examples:"))
        .collect();
    let pairs = lines.windows(2).filter(|pair| is_option(pair[0]));
    pairs
        .map(|pair| (long_name(pair[0]), indent(pair[1]) > indent(pair[0])))
        .collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_option(line: &str) -> bool {
    line.trim_start().starts_with('-') && indent(line) <= 6
}

fn long_name(line: &str) -> &str {
    line.split([' ', '.', '='])
        .find(|word| word.starts_with("--"))
        .unwrap_or(line)
}

#[test]
fn help_describes_every_option_within_100_columns() {
    let project = Project::empty();
    for (name, own) in NAMES.iter().zip([
        &[
            "--output",
            "--append",
            "--replace",
            "--keep",
            "--aggregate",
            "--measured-at",
        ][..],
        &[
            "--doc",
            "--region",
            "--check",
            "--preview",
            "--tolerance",
            "--packages",
        ],
        &[
            "--baseline-csv",
            "--baseline-git",
            "--history",
            "--confirm",
            "--paired",
            "--fail-on",
            "--json",
        ],
    ]) {
        let outcome = project.run(&format!("{name} --help"));
        assert_eq!((outcome.code, &*outcome.stderr), (Some(0), ""), "{outcome}");
        assert!(
            outcome
                .out()
                .lines()
                .all(|line| line.chars().count() <= 100),
            "{outcome}"
        );
        let options = options(outcome.out());
        for known in own.iter().copied().chain([
            "--input",
            "--config",
            "--print-config",
            "--quiet",
            "--version",
        ]) {
            assert!(
                options.iter().any(|(option, _)| *option == known),
                "{known}: {options:?}"
            );
        }
        assert!(
            options.iter().all(|(_, described)| *described),
            "{options:?}"
        );
        for heading in ["Input:", "General:"] {
            assert!(
                outcome.out().lines().any(|line| line == heading),
                "{heading} {outcome}"
            );
        }
    }
}

#[test]
fn short_help_fits_a_screen_of_80_columns() {
    for name in NAMES {
        let outcome = Project::empty()
            .tool(&format!("{name} -h"))
            .env("COLUMNS", "80")
            .run();
        let lines: Vec<&str> = outcome.out().lines().collect();
        assert!(
            lines.len() <= 50 && lines.iter().all(|line| line.chars().count() <= 80),
            "{outcome}"
        );
        let options = lines
            .iter()
            .take_while(|line| !line.starts_with("Examples:"));
        assert!(
            (5..=15).contains(&options.filter(|line| is_option(line)).count()),
            "{outcome}"
        );
        for frequent in [
            "-i, --input",
            "-c, --config",
            "-h, --help",
            "Examples:",
            "Exit codes",
        ] {
            assert!(outcome.out().contains(frequent), "{frequent} {outcome}");
        }
    }
}

#[test]
fn version_matches_the_workspace() {
    for name in NAMES {
        let outcome = Project::empty().run(&format!("{name} --version"));
        assert_eq!(
            outcome.out(),
            format!("{name} {}\n", env!("CARGO_PKG_VERSION"))
        );
    }
}

#[test]
fn completions_exist_for_every_shell() {
    let project = Project::empty();
    for name in NAMES {
        for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
            let outcome = project.run(&format!("{name} --completions {shell}"));
            assert_eq!(
                (outcome.code, &*outcome.stderr, outcome.files.len()),
                (Some(0), "", 0),
                "{outcome}"
            );
            assert!(
                outcome.out().contains(name) && outcome.out().contains("print-config"),
                "{name} {shell}"
            );
        }
    }
    project
        .run("render-perf-doc --completions tcsh")
        .assert_refused("", &["tcsh", "zsh"]);
}

#[test]
fn messages_are_coloured_only_on_request() {
    let project = Project::empty();
    let line = "extract-perf-baseline --input none.log";
    let plain = project.run(line);
    assert!(!plain.stderr.contains('\u{1b}'), "{plain}");
    let coloured = project.run(&format!("{line} --color always"));
    assert!(
        coloured
            .stderr
            .starts_with("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: "),
        "{coloured}"
    );
    for variable in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
        let never = project
            .tool(&format!("{line} --color never"))
            .env(variable, "1")
            .run();
        assert_eq!(never.stderr, plain.stderr);
    }
}
