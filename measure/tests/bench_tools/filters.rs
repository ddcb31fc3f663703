//! Filters select all benchmarks, even with hostile names, and nothing else.

use std::ffi::OsString;
use std::path::Path;

use measure::bench_tools::{BenchTool, SAMPLES};
use proptest::prelude::*;
use regex_lite::Regex;

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

/// The pattern in the word that the filter added, after this prefix.
fn pattern(harness: &BenchTool, names: &[String], before: &str) -> Option<String> {
    let only = harness.as_is().only(names)?;
    let command = only.command();
    let added = command
        .iter()
        .filter_map(|word| word.to_str()?.strip_prefix(before))
        .next_back();
    added.map(str::to_owned)
}

/// Whether Go would measure the benchmark: each level of the pattern matches that level of the name.
fn go_measures(pattern: &str, name: &str) -> bool {
    let levels: Vec<&str> = pattern.split("$/").collect();
    let last = levels.len() - 1;
    let parts: Vec<&str> = name.split('/').collect();
    let matches = levels.iter().enumerate().all(|(at, level)| {
        let level = if at == last {
            (*level).to_owned()
        } else {
            format!("{level}$")
        };
        parts
            .get(at)
            .is_some_and(|part| Regex::new(&level).is_ok_and(|level| level.is_match(part)))
    });
    matches && levels.len() <= parts.len()
}

fn name() -> impl Strategy<Value = String> {
    "[ -~\n\té]{1,12}"
}

proptest! {
    #[test]
fn google_benchmark_matches_exactly_the_requested(names in prop::collection::vec(name(), 1..5), other in name()) {
        let harness = BenchTool::of_format("google-benchmark", &words("./b")).unwrap();
        let regex = Regex::new(&pattern(&harness, &names, "--benchmark_filter=").unwrap()).unwrap();
        prop_assert!(names.iter().all(|name| regex.is_match(name)));
        prop_assert_eq!(regex.is_match(&other), names.contains(&other));
    }

    #[test]
fn go_measures_all_requested(
        parts in prop::collection::vec(prop::collection::vec("[!-.0-~é]{1,6}", 0..3), 1..4),
        package in "([a-z.]{1,5}/){0,2}[a-zB.]{0,5}",
        suffix in "(-[1-9][0-9]?)?",
    ) {
        let harness = BenchTool::of(&words("go test -bench ."), Path::new("")).unwrap();
        let written: Vec<String> = parts.iter().map(|parts| {
            parts.iter().fold("BenchmarkA".to_owned(), |name, part| format!("{name}/{part}"))
        }).collect();
        // As in rows: with the package, and in some cases the number of processors.
        let names: Vec<String> = written.iter().map(|name| match package.as_str() {
            "" => format!("{name}{suffix}"),
            package => format!("{package}.{name}{suffix}"),
        }).collect();
        let pattern = pattern(&harness, &names, "-bench=").unwrap();
        for name in &written {
            prop_assert!(go_measures(&pattern, name), "{} does not match {:?}", pattern, name);
        }
    }

    #[test]
fn vitest_matches_all_requested(
        paths in prop::collection::vec(prop::collection::vec(name(), 1..4), 1..4),
    ) {
        let harness = BenchTool::of(&words("vitest bench"), Path::new("")).unwrap();
        let names: Vec<String> = paths.iter().map(|path| format!("a.bench.ts > {}", path.join(" > "))).collect();
        let regex = Regex::new(&pattern(&harness, &names, "--testNamePattern=").unwrap()).unwrap();
        prop_assert!(paths.iter().all(|path| regex.is_match(&path.join(" "))));
    }

    #[test]
fn jmh_matches_all_requested(names in prop::collection::vec("[a-z.$_]{1,9}", 1..5)) {
        let harness = BenchTool::of(&words("java -jar jmh.jar .*"), Path::new("")).unwrap();
        let rows: Vec<String> = names.iter().map(|name| format!("{name} (n=1)")).collect();
        let regex = Regex::new(&pattern(&harness, &rows, "^").map(|rest| format!("^{rest}")).unwrap()).unwrap();
        prop_assert!(names.iter().all(|name| regex.is_match(name)));
    }

    #[test]
    fn a_filter_adds_at_most_two_words(is_go: bool, names in prop::collection::vec("\\PC{0,9}", 0..4)) {
        let command = words(if is_go { "go test -bench=." } else { "./b" });
        let format = if is_go { "go" } else { "google-benchmark" };
        let harness = BenchTool::of_format(format, &command).unwrap();
        if let Some(only) = harness.as_is().only(&names) {
            prop_assert!(!names.is_empty());
            prop_assert!(only.command().len() <= command.len() + 2);
        }
    }

    #[test]
    fn no_command_line_panics(
        line in prop::collection::vec("(go|test|-bench|cargo|bench|--|npm|run|env|-c|pytest|java|-jar|jmh.jar|nice|-m|python|pyperf|timeit|node|vitest|dotnet|--filter|a=b|\\PC{0,4})", 0..9),
        names in prop::collection::vec("\\PC{0,5}", 0..3),
    ) {
        let command: Vec<OsString> = line.into_iter().map(OsString::from).collect();
        if let Ok(harness) = BenchTool::of(&command, Path::new("/nowhere")) {
            prop_assert_eq!(&harness.as_is().command(), &command);
            let short = harness.samples(SAMPLES, Path::new("/r"));
            prop_assert!(short.only(&names).is_none_or(|only| !only.command().is_empty()));
            prop_assert!(short.command().len() >= command.len(), "nothing of the command is lost");
        }
    }
}
