//! The small programs as subcommands: one version and one way to completions are enough.

use clap::Command;

/// The name of the program that has them all.
pub(crate) const PROGRAM: &str = "perf-gate";

/// The subcommands without what only a program of its own needs.
pub(crate) fn joined(command: Command) -> Command {
    command.mut_subcommands(|tool| {
        let tool = tool.mut_args(|argument| {
            let is_hidden = argument.is_hide_set() || argument.get_id() == "completions";
            argument.hide(is_hidden)
        });
        joined(tool.disable_version_flag(true))
    })
}
