//! The help of the small programs in the words of this one.

use clap::Command;
use clap::builder::StyledStr;

/// What this program is called.
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
    command.mut_subcommands(|tool| renamed(short_help(here(tool))).disable_version_flag(true))
}

/// The options that `-h` shows of each tool, and their short forms; `--help` shows all.
const FREQUENT: [(&str, Option<char>); 22] = [
    ("input", Some('i')),
    ("format", Some('f')),
    ("config", Some('c')),
    ("baseline_csv", Some('b')),
    ("baseline_git", Some('g')),
    ("output", Some('o')),
    ("json", Some('j')),
    ("explain", None),
    ("confirm", None),
    ("paired", None),
    ("exit_code", Some('e')),
    ("replace", None),
    ("append", None),
    ("aggregate", None),
    ("doc", Some('d')),
    ("check", None),
    ("preview", None),
    ("machine_specs", Some('m')),
    ("key", None),
    ("body_file", None),
    ("file", None),
    ("message", None),
];

/// Tools with more options than fit a screen: `-h` shows the frequent ones.
const LONG: [&str; 6] = ["compare", "explain", "baseline", "page", "comment", "refresh"];

/// The frequent options with their short forms; the others only in the long help.
fn short_help(tool: Command) -> Command {
    if !LONG.contains(&tool.get_name()) {
        return tool;
    }
    let after = tool.get_after_help().map(ToString::to_string).unwrap_or_default();
    let tool = tool.after_help(summary(&after)).after_long_help(after);
    tool.mut_args(|argument| {
        let frequent = FREQUENT.iter().find(|(name, _)| argument.get_id() == *name);
        match frequent {
            Some((_, Some(short))) if argument.get_short().is_none() && argument.get_long().is_some() => {
                argument.short(*short)
            }
            Some(_) => argument,
            None if argument.is_required_set() || argument.is_positional() => argument,
            None => argument.hide_short_help(true),
        }
    })
}

/// Two of the examples, and the exit codes.
fn summary(after: &str) -> String {
    let mut paragraphs = after.split("\n\n");
    let mut commands = 0;
    let examples = paragraphs.next().unwrap_or_default().lines().take_while(|line| {
        let shown = commands <= 2;
        commands += usize::from(!line.ends_with('\\'));
        shown
    });
    let examples = examples.collect::<Vec<_>>().join("\n");
    let codes = paragraphs.find(|paragraph| paragraph.starts_with("Exit codes"));
    [Some(examples.as_str()), codes].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
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
        let hidden = argument.is_hide_set() || argument.get_id() == "completions";
        argument.help(help).hide(hidden)
    })
}

fn said(text: &StyledStr) -> StyledStr {
    let rename = |text: String, (old, new): &(&str, &str)| text.replace(old, new);
    NAMES.iter().fold(text.to_string(), rename).into()
}
