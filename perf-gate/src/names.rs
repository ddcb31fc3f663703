//! The help of the small programs in the words of this one.

use clap::Command;
use clap::builder::StyledStr;

/// The name of this program.
pub(crate) const PROGRAM: &str = "perf-gate";

/// The small programs, and what they are here.
const NAMES: [(&str, &str); 9] = [
    ("extract-perf-baseline", "perf-gate baseline"),
    ("render-perf-deltas", "perf-gate compare"),
    ("render-perf-doc", "perf-gate page"),
    ("collect-machine-specs", "perf-gate specs"),
    ("validate-comparison-packages", "perf-gate packages"),
    ("calibrate-perf-gate", "perf-gate calibrate"),
    ("measure-perf", "perf-gate measure"),
    ("upsert-pr-comment", "perf-gate comment"),
    ("publish-perf-refresh", "perf-gate refresh"),
];

/// The subcommands with the names of this program in their help. One version and one way to completions are enough.
pub(crate) fn renamed(command: Command) -> Command {
    command.mut_subcommands(|tool| renamed(here(tool)).disable_version_flag(true))
}

fn here(mut tool: Command) -> Command {
    if let Some(about) = tool.get_about().map(said) {
        tool = tool.about(about);
    }
    if let Some(after) = tool.get_after_help().map(said) {
        tool = tool.after_help(after);
    }
    tool.mut_args(|argument| {
        let help = argument.get_help().map(said).unwrap_or_default();
        let long = argument.get_long_help().map(said);
        let hidden = argument.is_hide_set() || argument.get_id() == "completions";
        let argument = argument.help(help).hide(hidden);
        match long {
            Some(long) => argument.long_help(long),
            None => argument,
        }
    })
}

fn said(text: &StyledStr) -> StyledStr {
    let rename = |text: String, (old, new): &(&str, &str)| text.replace(old, new);
    NAMES.iter().fold(text.to_string(), rename).into()
}
