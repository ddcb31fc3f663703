//! The small programs as subcommands: one version and one way to completions are enough.

use clap::Command;
use clap_complete::Shell;

/// The name of the program that has them all.
pub(crate) const PROGRAM: &str = "perf-gate";

/// The refusal of `--completions` of a subcommand, with the command that prints the script for all of them.
fn elsewhere(shell: &str) -> Result<Shell, String> {
    Err(format!("`{PROGRAM} completions {shell}` prints the script"))
}

/// The subcommands without what only a program of its own needs.
pub(crate) fn joined(command: Command) -> Command {
    command.mut_subcommands(|tool| {
        let tool = tool.mut_args(|argument| {
            let is_elsewhere = argument.get_id() == "completions";
            if is_elsewhere {
                argument.hide(true).value_parser(elsewhere)
            } else {
                argument
            }
        });
        joined(tool.disable_version_flag(true))
    })
}
