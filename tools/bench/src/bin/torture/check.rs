//! Checks that apply to every command with any input.

use std::process::Output;

/// The failed check of a command's result, if any.
pub(crate) fn ending(program: &str, output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let Some(code) = output.status.code() else {
        return Some(format!(
            "ended with {}: {}",
            output.status,
            last_line(&said)
        ));
    };
    if !(0..=3).contains(&code) {
        return Some(format!("ended with {code}: {}", last_line(&said)));
    }
    let errors = said
        .lines()
        .filter(|line| line.starts_with("error:"))
        .count();
    // `validate-comparison-packages` reports unreadable files as findings.
    if code == 2 && errors != 1 && program != "validate-comparison-packages" {
        return Some(format!("ended with 2 and {errors} messages"));
    }
    let is_annotating = ["upsert-pr-comment", "publish-perf-refresh"].contains(&program);
    [&output.stdout, &output.stderr]
        .into_iter()
        .find_map(|text| command_in(text, is_annotating))
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

/// Finds a line that a workflow runner would execute, except for expected annotations. Lines in quoted data may start
/// with `::`.
fn command_in(text: &[u8], is_annotating: bool) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let mut is_quoted = false;
    for line in text.lines() {
        let is_annotation = ["notice", "warning", "error"]
            .iter()
            .any(|level| line.starts_with(&format!("::{level} ")));
        if !is_quoted && line.trim_start().starts_with("::") && !(is_annotating && is_annotation) {
            return Some(format!("prints a workflow command: {line}"));
        }
        is_quoted ^= line.matches('"').count() % 2 == 1;
    }
    None
}

/// Checks that comparing rows with themselves reports no difference, unless rows were left out: if a benchmark has
/// several commits, a run uses the first, and a baseline the newest.
pub(crate) fn finds_nothing(output: &Output) -> Option<String> {
    let notes = String::from_utf8_lossy(&output.stderr);
    if ["left out", "not compared"]
        .into_iter()
        .any(|note| notes.contains(note))
    {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = [
        "changed=false",
        "regressed=false",
        "improved=0",
        "missing=0",
        "new=0",
    ];
    let missing = expected
        .into_iter()
        .find(|wanted| !said.lines().any(|line| line == *wanted));
    missing.map(|wanted| format!("a comparison with itself does not print `{wanted}`"))
}
