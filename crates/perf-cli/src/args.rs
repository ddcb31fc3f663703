//! Options shared by all programs, and parsing that allows `--completions` on its own.

use anstream::ColorChoice;
use std::ffi::OsString;
use std::iter::successors;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Parser, ValueEnum};
use clap_complete::Shell;
use perf_config::is_url;

use crate::{help, term};

/// Options of every program, to be flattened into the program's own arguments.
///
/// [`parse`] applies these options, so programs don't read the fields.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Colour messages: only if supported, always, or never
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, help_heading = help::GENERAL, hide_short_help = true)]
    pub color: Color,

    /// Show no notes and no progress
    ///
    /// Warnings and errors are always shown
    #[arg(short, long, help_heading = help::GENERAL)]
    pub quiet: bool,

    /// Print the completion script for a shell and exit
    #[arg(long, value_enum, value_name = "SHELL", exclusive = true, help_heading = help::GENERAL, hide_short_help = true)]
    pub completions: Option<Shell>,
}

/// When messages are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set.
    Auto,
    /// Even if stderr is a file or a pipe.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// The result of parsing a command line.
#[derive(Debug)]
pub enum Parsed<T> {
    /// The arguments of a normal run.
    Args(T),
    /// A text to print instead of running, such as a completion script.
    Print(String),
}

/// Parses a command line, program name first, and applies `--color` and `--quiet`.
///
/// # Errors
/// Fails if the usage is wrong. Clap also returns `--help` and `--version` as errors, with exit code 0.
pub fn parse<T: Parser>(
    line: impl IntoIterator<Item = OsString>,
) -> Result<Parsed<T>, clap::Error> {
    let line: Vec<OsString> = line.into_iter().collect();
    let mut command = help::arranged(T::command());
    let offered = command
        .get_arguments()
        .any(|argument| argument.get_id() == "completions");
    if let Some(alone) = Alone::try_parse_from(&line).ok().filter(|_| offered) {
        return Ok(Parsed::Print(completions(&mut command, alone.completions)));
    }
    let matches = command
        .try_get_matches_from_mut(line)
        .map_err(behind_dashes)?;
    let subcommands = successors(Some(&matches), |matches| {
        matches.subcommand().map(|(_, inner)| inner)
    });
    for matches in subcommands {
        refuse_urls(matches)?;
        common(matches, "quiet")
            .into_iter()
            .for_each(term::set_quiet);
        common::<Color>(matches, "color")
            .into_iter()
            .map(ColorChoice::from)
            .for_each(ColorChoice::write_global);
    }
    T::from_arg_matches(&matches)
        .map(Parsed::Args)
        .map_err(|error| error.format(&mut command))
}

/// Adds a hint to the error for an unexpected word. If the usage allows a command, the hint says that it must follow `--`.
fn behind_dashes(mut error: clap::Error) -> clap::Error {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if !word.starts_with('-') => term::printable(word),
        _ => return error,
    };
    let takes_command = error
        .get(ContextKind::Usage)
        .is_some_and(|usage| usage.to_string().contains("-- <COMMAND>"));
    if error.kind() == ErrorKind::UnknownArgument && takes_command {
        let tip = format!("pass the command after `--`: `-- {word} …`");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// A command line with nothing but `--completions SHELL`. It is tried first, because the program's own parser would reject
/// it if required arguments are missing.
#[derive(Parser)]
struct Alone {
    #[arg(long)]
    completions: Shell,
}

/// Rejects URLs as paths. A URL that is passed as a baseline would otherwise look like a file that does not exist yet.
fn refuse_urls(matches: &ArgMatches) -> Result<(), clap::Error> {
    let all = matches
        .ids()
        .filter_map(|id| matches.try_get_many::<PathBuf>(id.as_str()).ok().flatten());
    match all
        .flatten()
        .map(|path| path.to_string_lossy())
        .find(|path| is_url(path))
    {
        Some(url) => {
            let url = term::printable(&url);
            let message = format!(
                "`{url}` is a URL, not a file\nhint: download it first, and pass the file\n"
            );
            Err(clap::Error::raw(ErrorKind::ValueValidation, message))
        }
        None => Ok(()),
    }
}

/// A value from [`Common`], or `None` if the program does not use `Common`.
fn common<V: Copy + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Option<V> {
    matches.try_get_one::<V>(id).ok().flatten().copied()
}

/// Generates a shell's completion script for a command line.
pub fn completions(command: &mut clap::Command, shell: Shell) -> String {
    let name = command.get_name().to_owned();
    // Write into memory, because the generator panics on I/O errors.
    let mut script = Vec::new();
    clap_complete::generate(shell, command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weighs parcels.
    #[derive(Debug, Parser)]
    #[command(name = "weigh", version, arg_required_else_help = true)]
    #[group(id = "unit", required = true, multiple = false, args = ["kilograms", "pounds"])]
    struct Weigh {
        /// The parcel to weigh
        parcel: PathBuf,
        /// Where prices are
        #[arg(long, required = true)]
        input: Vec<PathBuf>,
        /// How far the scale may be off
        #[arg(long, default_value_t = 0.02)]
        tolerance: f64,
        /// In kilograms
        #[arg(long)]
        kilograms: bool,
        /// In pounds
        #[arg(long)]
        pounds: bool,
        #[command(flatten)]
        common: Common,
    }

    fn weigh(line: &[&str]) -> Result<Parsed<Weigh>, clap::Error> {
        parse(["weigh"].iter().chain(line).map(OsString::from))
    }

    #[test]
    fn completions_work_without_required_arguments() {
        for shell in Shell::value_variants() {
            let parsed = weigh(&["--completions", &shell.to_string()]).unwrap();
            let Parsed::Print(script) = parsed else {
                panic!("{parsed:?}")
            };
            assert!(
                script.contains("weigh") && script.contains("tolerance"),
                "{script}"
            );
        }
    }

    #[test]
    fn required_arguments_are_checked_without_completions() {
        let usage = weigh(&["--kilograms"]).unwrap_err();
        assert_eq!(
            (usage.kind(), usage.exit_code()),
            (ErrorKind::MissingRequiredArgument, 2)
        );
        let usage = weigh(&["--completions", "bash", "--kilograms"]).unwrap_err();
        assert_eq!(
            (usage.kind(), usage.exit_code()),
            (ErrorKind::ArgumentConflict, 2)
        );
        assert_eq!(
            weigh(&["--completions", "tcsh"]).unwrap_err().exit_code(),
            2
        );
        assert_eq!(weigh(&["--completions"]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn the_binarys_own_arguments_arrive() {
        let line = [
            "box", "--input", "a", "--input", "b", "--pounds", "--color", "never",
        ];
        let Parsed::Args(cli) = weigh(&line).unwrap() else {
            panic!("no arguments")
        };
        assert_eq!(cli.input, ["a", "b"].map(PathBuf::from));
        assert_eq!(
            (cli.parcel, cli.pounds, cli.kilograms),
            (PathBuf::from("box"), true, false)
        );
        assert_eq!((cli.tolerance, cli.common.color), (0.02, Color::Never));
    }

    #[test]
    fn url_is_not_a_file() {
        for line in [
            ["box", "--input", "https://example.org/x.csv", "--pounds"],
            ["file:///box", "--input", "a", "--pounds"],
            ["box", "--input", "S3+https://bucket/x", "--pounds"],
        ] {
            let error = weigh(&line).unwrap_err();
            assert_eq!(
                (error.kind(), error.exit_code()),
                (ErrorKind::ValueValidation, 2),
                "{line:?}"
            );
            assert!(
                error
                    .to_string()
                    .contains("is a URL, not a file\nhint: download it"),
                "{error}"
            );
        }
        for file in ["https:/x", "a/b://c", "C://x", "://x", "http"] {
            assert!(
                weigh(&["box", "--input", file, "--pounds"]).is_ok(),
                "{file}"
            );
        }
    }

    #[test]
    fn help_and_version_are_successes_and_speak_of_the_binary() {
        let help = weigh(&["--help"]).unwrap_err();
        assert_eq!(help.exit_code(), 0);
        // Only the beginning: the rest depends on the terminal width.
        let help = help.to_string();
        assert!(
            help.starts_with("Weighs parcels\n\nUsage: weigh [OPTIONS] "),
            "{help}"
        );
        assert!(
            ["--completions <SHELL>", "--color <WHEN>", "-q, --quiet"]
                .map(|name| help.contains(name))
                == [true; 3]
        );
        assert_eq!(weigh(&["--version"]).unwrap_err().exit_code(), 0);
    }

    #[test]
    fn parsing_works_without_common_options() {
        #[derive(Debug, Parser)]
        struct Bare {
            name: String,
        }
        let Ok(Parsed::Args(bare)) = parse::<Bare>(["bare", "x"].map(OsString::from)) else {
            panic!("refused")
        };
        assert_eq!(bare.name, "x");
    }
}
