//! What every binary does first: find the config, read the rows, and say what was wrong with them.
//!
//! This is where the edge (`perf-cli`, which knows no rows) and the model (`perf-rows`, which knows no files)
//! meet, so that no binary has to introduce them.

mod account;
pub mod config;
mod folder;
pub mod git;
pub mod harness;
pub mod history;

use perf_model::suite::Definitions;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use perf_cli::file::read_text;
use perf_cli::input::{cannot_read, open};
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use perf_model::machine::{MachineSpecs, UNKNOWN};
use perf_model::row::{Key, Name, Row};
use perf_model::suite::Filter;
use perf_readers::{Collector, FORMATS, Format, ParseReport};

use self::account::counted;
pub use self::account::{summary, tell, tell_left_out};
pub use self::config::CONFIG;
use self::folder::Folders;
pub use self::harness::{methodology, stamp_methodology};

/// The options of every binary that reads rows.
#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    /// What the benchmark printed: logs, CSV, XML reports, also as `.gz` or UTF-16; `-` is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present_any = ["print_config", "list_formats"])]
    pub input: Vec<PathBuf>,

    /// What the inputs are, for when that cannot be told by looking at them [see --list-formats]
    #[arg(long, value_name = "NAME", value_parser = format_name)]
    pub format: Option<&'static Format>,

    /// Fail when something in an input is nearly a row and cannot be read
    #[arg(long)]
    pub strict: bool,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml, when there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the config that is in force, as TOML, and exit
    #[arg(long)]
    pub print_config: bool,

    /// Print the formats that are read, with what each carries, and exit
    #[arg(long)]
    pub list_formats: bool,
}

/// The options that choose among the rows.
#[derive(Args, Clone, Debug)]
pub struct FilterArgs {
    /// Only rows whose platform contains `Unity <VERSION>`
    #[arg(long, value_name = "VERSION", conflicts_with = "platform_substring")]
    pub unity_version: Option<String>,

    /// Only rows whose platform contains this text
    #[arg(long, value_name = "TEXT")]
    pub platform_substring: Option<String>,
}

impl FilterArgs {
    /// The text that a platform must contain.
    pub fn substring(&self) -> Option<String> {
        let unity = self.unity_version.as_ref().map(|version| format!("Unity {version}"));
        unity.or_else(|| self.platform_substring.clone())
    }

    /// The filter, for one scope or for all.
    pub fn filter(&self, scope: Option<&str>) -> Filter {
        Filter { platform_substring: self.substring(), scope: scope.map(str::to_owned) }
    }
}

impl InputArgs {
    /// The named file, else the one that is found, else an empty config.
    fn config(&self) -> anyhow::Result<Config> {
        config::load(self.config.as_deref())
    }

    /// The config in force, or `None` when it, or the formats, were to be printed, which is then done.
    ///
    /// # Errors
    /// A file that cannot be read, a mistake in it with its line and column, or a standard output that cannot
    /// take it.
    pub fn in_force(&self) -> anyhow::Result<Option<Config>> {
        if self.list_formats {
            term::stdout(&formats())?;
            return Ok(None);
        }
        let config = self.config()?;
        let printed = self.print_config(&config)?;
        Ok((!printed).then_some(config))
    }

    fn print_config(&self, config: &Config) -> anyhow::Result<bool> {
        if self.print_config {
            term::stdout(&config.effective()?)?;
        }
        Ok(self.print_config)
    }

    /// Reads all inputs and tells what was wrong in them. What they say of metrics is known to the config
    /// from then on.
    ///
    /// # Errors
    /// An input that cannot be read, no row in any, or with `--strict` something that is nearly a row.
    pub fn rows(&self, config: &Config) -> anyhow::Result<ParseReport> {
        if self.input.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Failure::new("standard input can be read only once").into());
        }
        self.rows_of(&self.input, config)
    }

    /// As [`InputArgs::rows`], of other files that hold the same kind of rows.
    ///
    /// # Errors
    /// As there.
    pub fn rows_of(&self, files: &[PathBuf], config: &Config) -> anyhow::Result<ParseReport> {
        let readout = read(files, self.format, config)?;
        tell(&readout);
        require_rows(&readout)?;
        if self.strict && readout.skipped_count > 0 {
            let message = format!("{} could not be read", counted(readout.skipped_count, "thing"));
            return Err(Failure::new(message)
                .hint("without `--strict` they are told and passed over")
                .into());
        }
        config.learn(&readout.declared);
        Ok(readout)
    }
}

/// The formats, one a line.
fn formats() -> String {
    let width = FORMATS.iter().map(|format| format.name.len()).max().unwrap_or_default();
    let line = |format: &Format| format!("{:width$}  {}", format.name, format.about);
    FORMATS.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Reads the name of a format, for `--format`.
///
/// # Errors
/// A text for the user when there is none of that name, with the nearest ones.
fn format_name(name: &str) -> Result<&'static Format, String> {
    let none = || format!("there is no such format; {}", perf_readers::suggest_format(name));
    perf_readers::format(name).ok_or_else(none)
}

/// Reads files, and folders as some tools leave them, into one readout: by the format that is named, else by the
/// one that each is recognised as.
///
/// # Errors
/// A file that cannot be read, or a folder without results.
pub fn read<P: AsRef<Path>>(
    files: &[P],
    format: Option<&Format>,
    config: &Config,
) -> anyhow::Result<ParseReport> {
    let mut collector = Collector::new(config);
    let mut folders = Folders::default();
    for file in files {
        if folders.read(file.as_ref(), format, &mut collector)? {
            continue;
        }
        let mut input = open(file.as_ref())?;
        let name = input.name.clone();
        let read = match format {
            Some(format) => collector.read_as(format, &name, &mut input),
            None => collector.read(&name, &mut input),
        };
        read.map_err(|error| cannot_read(&name, error))?;
    }
    Ok(collector.finish())
}

/// Reads a file in which every line must be a row, as the baseline is. A file with a header and no rows is
/// one; an empty file is not.
///
/// # Errors
/// A file that cannot be read, or the first lines that are no rows.
pub fn read_strictly(file: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    let readout = read(&[file], None, config)?;
    account::require_only_rows(&readout)?;
    Ok(readout)
}

/// That no output is written over an input, or over another output.
///
/// # Errors
/// The first two paths that are one file.
pub fn keep_apart(outputs: &[Option<&Path>], inputs: &[Option<&Path>]) -> anyhow::Result<()> {
    let outputs: Vec<&Path> =
        outputs.iter().flatten().copied().filter(|path| path.as_os_str() != "-").collect();
    for (at, output) in outputs.iter().enumerate() {
        let others = outputs[..at].iter().chain(inputs.iter().flatten());
        if let Some(other) = others.into_iter().find(|other| is_same_file(output, other)) {
            let message = format!("`{}` would be written over `{}`", term::shown(output), term::shown(other));
            return Err(Failure::new(message).hint("give the output another name").into());
        }
    }
    Ok(())
}

/// That no file is among several runs twice, where each is to say something of its own.
///
/// # Errors
/// The first file that is.
pub fn tell_apart(run: &[PathBuf], further: &[PathBuf]) -> anyhow::Result<()> {
    for (at, again) in further.iter().enumerate() {
        let others = run.iter().chain(&further[..at]);
        if others.into_iter().any(|other| again.as_os_str() != "-" && is_same_file(again, other)) {
            let message = format!("`{}` is given twice", term::shown(again));
            return Err(Failure::new(message).hint("a run cannot confirm itself: measure again").into());
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, which need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}

/// Reads a description of the machine, as `collect-machine-specs` writes it.
///
/// # Errors
/// A file that cannot be read, or is no such description.
pub fn machine_specs(path: &Path) -> anyhow::Result<MachineSpecs> {
    let text = read_text(path)?;
    MachineSpecs::from_json(&text).with_context(|| term::shown(path))
}

/// Puts the class of the machine into the rows that have none. A machine that nobody could describe costs a
/// warning, and nothing else.
pub fn stamp(rows: &mut [Row], machine: &Path) {
    let class = machine_specs(machine).map(|specs| specs.machine_class.filter(|class| class != UNKNOWN));
    let why = match class {
        Ok(Some(class)) => {
            stamp_with(rows, &Name::from(class), |key| &mut key.machine_class);
            return;
        }
        Ok(None) => format!("`{}` tells no machine class", term::shown(machine)),
        Err(error) => perf_cli::failure::message(&error),
    };
    term::warn(&format!("{why}: the rows carry none"));
}

/// Puts a text of their key into the rows that have none there. Rows go on to share their keys, each of which is made
/// once, in whatever order they come.
fn stamp_with(rows: &mut [Row], text: &Name, place: impl Fn(&mut Key) -> &mut Option<Name>) {
    // By the addresses of keys, and with the keys, so that no other is at the address of one.
    let mut known: HashMap<*const Key, [Arc<Key>; 2]> = HashMap::new();
    for row in rows {
        let [_, stamped] = known.entry(Arc::as_ptr(&row.key)).or_insert_with(|| {
            let mut stamped = Key::clone(&row.key);
            place(&mut stamped).get_or_insert_with(|| Name::clone(text));
            [Arc::clone(&row.key), Arc::new(stamped)]
        });
        row.key = Arc::clone(stamped);
    }
}

fn require_rows(readout: &ParseReport) -> anyhow::Result<()> {
    let result = readout.require_rows();
    let hint = result.as_ref().err().map(|error| term::printable(&error.hint));
    match hint {
        Some(hint) => result.hint(hint),
        None => Ok(()),
    }
}

/// Reads a fraction from 0 up, for options such as `--tolerance`.
///
/// # Errors
/// A text for the user when it is none.
pub fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("a fraction from 0 up, such as 0.02 for 2 %".to_owned()),
    }
}

/// Reads a fraction from 0 up and below 1, for options such as `--regression-threshold`: throughput cannot drop
/// by more than the whole of it, so at 1 nothing would ever fail.
///
/// ```
/// assert_eq!(perf_load::threshold("0.33"), Ok(0.33));
/// assert!(perf_load::threshold("33").is_err());
/// ```
///
/// # Errors
/// A text for the user when it is none.
pub fn threshold(text: &str) -> Result<f64, String> {
    match fraction(text) {
        Ok(number) if number < 1.0 => Ok(number),
        _ => Err("a fraction from 0 up, below 1, such as 0.33 for 33 %".to_owned()),
    }
}

/// Accepts the path of a file, not `-`, for options whose standard output is taken.
pub fn named_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" { Err("standard output is taken; name a file") } else { Ok(path) }
    })
}

/// A hint that names where rows ran, for when a filter leaves none: their scopes, or without any their
/// platforms.
pub fn places(rows: &[Row], config: &Config) -> String {
    const NAMED: usize = 8;
    let platforms: BTreeSet<&str> = rows.iter().map(|row| &*row.platform).collect();
    let scopes: BTreeSet<&str> =
        platforms.iter().filter_map(|platform| Some(config.scope_of(platform)?.1)).collect();
    let named = |what: &str, names: &BTreeSet<&str>| {
        let shown = names.iter().take(NAMED).map(|name| format!("`{}`", term::printable(name)));
        let more = if names.len() > NAMED { ", …" } else { "" };
        format!("the rows are of the {what} {}{more}", shown.collect::<Vec<_>>().join(", "))
    };
    if config.scopes.is_empty() || scopes.is_empty() {
        return named("platforms", &platforms);
    }
    format!("{}; {}", named("scopes", &scopes), named("platforms", &platforms))
}
