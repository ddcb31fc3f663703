//! The report as people get it: the commits that it is of, where its other rows are, and what stands in its place when
//! nothing was compared.
use perf_model::commit::CommitId;

use super::plan::Trouble;

/// The number of lines of a tool's message that are shown; a comment could not hold them all.
const SHOWN: usize = 200;

const BROKEN: &str =
    "**Nothing was compared:** the rows, the baseline or the configuration cannot be read.\n\n";

/// The report of a run that came to nothing, with notes above it. Nothing within indented code can end it.
pub(super) fn broken(trouble: &Trouble, notes: &[String]) -> String {
    let hints = trouble.hints.iter().map(|hint| format!("hint: {hint}"));
    let said: Vec<String> = [format!("error: {}", trouble.message)].into_iter().chain(hints).collect();
    let said = said.join("\n");
    let notes: Vec<String> = notes.iter().map(|note| format!("> {note}\n")).collect();
    let notes = notes.join(">\n") + if notes.is_empty() { "" } else { "\n" };
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    let shown: String = lines.iter().take(SHOWN).flat_map(|line| ["    ", line, "\n"]).collect();
    match lines.len().saturating_sub(SHOWN) {
        0 => format!("{notes}{BROKEN}{shown}"),
        more => format!("{notes}{BROKEN}{shown}\nThe log has {more} more lines.\n"),
    }
}

/// The note that the base has nothing to compare with.
pub(super) fn lacking(base: Option<&CommitId>, why: &str) -> String {
    let base = base.map_or_else(String::new, |base| format!(" `{}`", base.short()));
    let why = why.replace('`', "'");
    format!("**The base commit{base} was not measured, so all benchmarks are new:** `{why}`")
}

/// The tables of the page between the headline of a report and its last line, which says what was measured where.
pub(super) fn with_result(report: &str, tables: &str) -> String {
    let headline = report.lines().find(|line| line.starts_with("### ")).unwrap_or_default();
    let footer = report.lines().rev().find(|line| line.starts_with("<sub>")).unwrap_or_default();
    format!("{headline}\n\n{tables}\n\n{footer}\n")
}

/// The report with the measured commit and its base in the last line: rows name the trial merge, or what they like. A last
/// line that there is names the run.
pub(super) fn with_sides(
    report: &str,
    head: &CommitId,
    base: Option<&CommitId>,
    (repository, run): (Option<&str>, Option<&str>),
) -> String {
    let linked = |commit: &CommitId| match repository {
        Some(url) => format!("[`{}`]({url}/commit/{commit})", commit.short()),
        None => format!("`{}`", commit.short()),
    };
    let against = base.map_or_else(String::new, |base| format!(" against {}", linked(base)));
    let sides = format!("{}{against}", linked(head));
    let Some(at) = report.rfind("\n<sub>") else {
        let run = run.map_or_else(String::new, |url| format!(" · [run]({url})"));
        return format!("{}\n\n<sub>{sides}{run}</sub>\n", report.trim_end());
    };
    let (start, footer) = report.split_at(at + "\n<sub>".len());
    let named = [Some(head), base].into_iter().flatten().all(|commit| footer.contains(commit.short()));
    if named { report.to_owned() } else { format!("{start}{sides} · {footer}") }
}

/// The report with where its other rows are: its files are gone with the job.
pub(super) fn with_place(report: &str, place: &str) -> String {
    report.replace("(see the JSON report)", &format!("({place})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_said_is_indented_and_bounded() {
        let trouble = |message: &str| Trouble { message: message.to_owned(), hints: vec!["h".to_owned()] };
        let said: Vec<String> = (1..=900).map(|line| format!("{line}\r\n")).collect();
        let report = broken(&trouble(&said.join("\n")), &[]);
        assert!(report.ends_with("    200\n\nThe log has 701 more lines.\n"), "{report}");
        let notes = ["one".to_owned(), "two".to_owned()];
        let report = broken(&trouble("x\n```\n"), &notes);
        assert!(report.starts_with("> one\n>\n> two\n\n**Nothing"), "{report}");
        assert!(report.ends_with("\n\n    error: x\n    ```\n    hint: h\n"));
    }

    #[test]
    fn the_last_line_names_head_and_base() {
        let [head, base]: [CommitId; 2] = ["a", "b"].map(|digit| digit.repeat(40).parse().unwrap());
        let url = "https://github.com/octo/quill";
        let run = "https://github.com/octo/quill/actions/runs/7/attempts/2";
        let with = |report: &str| with_sides(report, &head, Some(&base), (Some(url), Some(run)));
        let sides = format!("[`aaaaaaa`]({url}/commit/{head}) against [`bbbbbbb`]({url}/commit/{base})");
        assert_eq!(
            with("### x\n\n<sub>`ccccccc` · linux</sub>\n"),
            format!("### x\n\n<sub>{sides} · `ccccccc` · linux</sub>\n")
        );
        assert_eq!(with("broken\n"), format!("broken\n\n<sub>{sides} · [run]({run})</sub>\n"));
        let named = "x\n<sub>`aaaaaaa` vs. baseline `bbbbbbb`</sub>\n";
        assert_eq!(with(named), named);
        assert_eq!(with_sides("x", &head, None, (None, None)), "x\n\n<sub>`aaaaaaa`</sub>\n");
    }
}
