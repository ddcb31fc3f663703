//! What the binaries say of themselves.

use end_to_end::Project;
use end_to_end::binaries::NAMES;
use insta::assert_snapshot;

#[test]
fn help_is_complete() {
    let project = Project::empty();
    for name in NAMES {
        let outcome = project.run(&format!("{name} --help"));
        assert_eq!((outcome.code, &*outcome.stderr), (Some(0), ""), "{outcome}");
        let text = outcome.out().replace(".exe", "");
        // Some lines are nothing but indentation.
        let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_snapshot!(format!("help-{name}"), text);
        assert_eq!(project.run(&format!("{name} -h")).code, Some(0));
    }
}

#[test]
fn the_version_is_that_of_the_workspace() {
    for name in NAMES {
        let outcome = Project::empty().run(&format!("{name} --version"));
        assert_eq!(outcome.out(), format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    let project = Project::empty();
    for name in NAMES {
        for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
            let outcome = project.run(&format!("{name} --completions {shell}"));
            assert_eq!((outcome.code, &*outcome.stderr, outcome.files.len()), (Some(0), "", 0), "{outcome}");
            assert!(outcome.out().contains(name) && outcome.out().contains("print-config"), "{name} {shell}");
        }
    }
    assert_snapshot!(project.run("render-perf-doc --completions tcsh"), @"
    exit 2
    --- stderr
    error: invalid value 'tcsh' for '--completions <SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn messages_are_coloured_when_asked_for_and_only_then() {
    let project = Project::empty();
    let plain = project.run("extract-perf-baseline --input none.log");
    assert!(!plain.stderr.contains('\u{1b}'), "{plain}");
    let coloured = project.run("extract-perf-baseline --input none.log --color always");
    assert_snapshot!(coloured, @r"
    exit 2
    --- stderr
    \u{1b}[1m\u{1b}[31merror\u{1b}[0m: `none.log` does not exist
    ");
    for variable in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
        let never =
            project.tool("extract-perf-baseline --input none.log --color never").env(variable, "1").run();
        assert_eq!(never.stderr, plain.stderr);
    }
}
