//! Help: `-h` fits on a screen, `--help` lists every option, and the shared options come last.

use clap::{Arg, ArgAction, Command};

/// The heading of the shared options.
pub const GENERAL: &str = "General";

/// The number of examples in the short help.
const EXAMPLES: usize = 2;

/// If the text after the options has at most this many lines, the short help shows all of it.
const SHORT: usize = 8;

/// Adapts the help of a command and of its subcommands.
pub fn arranged(command: Command) -> Command {
    with_flags(with_summary(command)).mut_subcommands(arranged)
}

/// Adds `--help` and `--version` as the last options.
fn with_flags(command: Command) -> Command {
    if command
        .get_arguments()
        .any(|argument| argument.get_id() == "help")
    {
        return command;
    }
    let is_versioned = command.get_version().is_some() && !command.is_disable_version_flag_set();
    let flag = |name: &'static str, short, action, help: &'static str| {
        Arg::new(name)
            .short(short)
            .long(name)
            .action(action)
            .help(help)
            .help_heading(GENERAL)
    };
    let help = "Print all options; -h prints the most used";
    let command = command
        .disable_help_flag(true)
        .arg(flag("help", 'h', ArgAction::Help, help));
    if !is_versioned {
        return command;
    }
    command.disable_version_flag(true).arg(flag(
        "version",
        'V',
        ArgAction::Version,
        "Print the version",
    ))
}

/// Adds a shorter text after the options to the short help: two of the examples, and the exit codes.
fn with_summary(command: Command) -> Command {
    let Some(after) = command.get_after_help() else {
        return command;
    };
    // The text contains no colours. `to_string` without `ansi` would search for them, which takes most of a short run's
    // time.
    let after = after.ansi().to_string();
    if after.lines().count() <= SHORT || command.get_after_long_help().is_some() {
        return command;
    }
    command.after_help(summary(&after)).after_long_help(after)
}

fn summary(after: &str) -> String {
    let mut parts = Vec::new();
    for paragraph in after.split("\n\n") {
        if paragraph.starts_with("Exit codes") {
            parts.push(paragraph.to_owned());
        } else if paragraph.starts_with("Examples:") {
            let mut lines = Vec::new();
            let mut commands = 0;
            for line in paragraph.lines() {
                if commands > EXAMPLES {
                    break;
                }
                lines.push(line);
                commands += usize::from(!line.ends_with('\\'));
            }
            parts.push(lines.join("\n"));
        }
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AFTER: &str = "Some text.\n\nExamples:\n  one \\\n    more\n  two\n  three\n\nOther text,\nof several lines.\n\nExit codes: 0 done";

    fn command() -> Command {
        let sub = Command::new("sub")
            .about("Does less")
            .arg(Arg::new("rare").long("rare").hide_short_help(true));
        Command::new("tool")
            .version("1.2.3")
            .subcommand(sub)
            .after_help(AFTER)
            .arg(Arg::new("input").long("input").help("The input file"))
    }

    fn help(line: &[&str]) -> String {
        arranged(command())
            .try_get_matches_from(line)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn short_help_has_two_examples_and_the_exit_codes() {
        insta::assert_snapshot!(summary(AFTER), @r"
        Examples:
          one \
            more
          two

        Exit codes: 0 done
        ");
        assert!(!help(&["tool", "-h"]).contains("three"));
        assert!(help(&["tool", "--help"]).contains("three"));
    }

    #[test]
    fn help_and_version_come_last() {
        let short = help(&["tool", "-h"]);
        let at = |text: &str| short.find(text).unwrap();
        assert!(
            at("--input") < at("General:") && at("General:") < at("--help"),
            "{short}"
        );
        assert_eq!(help(&["tool", "-V"]), "tool 1.2.3\n");
    }

    #[test]
    fn subcommands_are_arranged_once() {
        assert!(!help(&["tool", "sub", "-h"]).contains("--rare"));
        assert!(help(&["tool", "sub", "--help"]).contains("--rare"));
        arranged(arranged(command())).debug_assert();
    }
}
