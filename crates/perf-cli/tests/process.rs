//! The output and exit code of a program that uses this crate.
//!
//! This crate has no program, so the test is one: started with [`AS_SAMPLE`] in its environment, it counts the bytes of
//! a file; otherwise it starts itself that way and checks the output.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};
use std::{env, fs};

use anyhow::ensure;
use clap::Parser;
use perf_cli::{Common, Exit, ResultExt, input, term};
use tempfile::TempDir;

const AS_SAMPLE: &str = "PERF_CLI_AS_SAMPLE";

/// Counts the bytes of the text in a file
#[derive(Parser)]
#[command(name = "sample", bin_name = "sample", version)]
struct Sample {
    /// The file to count; `-` is stdin
    #[arg(long, required = true, value_name = "FILE")]
    input: PathBuf,
    /// The most bytes there may be
    #[arg(long, value_name = "BYTES")]
    limit: Option<u64>,
    #[command(flatten)]
    common: Common,
}

impl Sample {
    fn run(&self) -> anyhow::Result<Exit> {
        let mut input = input::open(&self.input)?;
        let counted = io::copy(&mut input, &mut io::sink());
        let bytes = counted.map_err(|error| input::cannot_read(&input.name, error))?;
        term::note(&format!("read `{}`", input.name));
        if bytes == 0 {
            term::warn(&format!("`{}` is empty", input.name));
        }
        term::stdout(&format!("bytes={bytes}\n"))?;
        self.limit()
            .hint("leave `--limit` out to allow any number")?;
        Ok(if self.limit.is_some_and(|limit| bytes > limit) {
            Exit::Regressed
        } else {
            Exit::Ok
        })
    }

    fn limit(&self) -> anyhow::Result<()> {
        ensure!(self.limit != Some(0), "limit `0` forbids everything");
        Ok(())
    }
}

type Check = (&'static str, fn() -> anyhow::Result<()>);

const CHECKS: &[Check] = &[
    (
        "data_goes_to_stdout_and_talk_to_stderr",
        data_goes_to_stdout_and_talk_to_stderr,
    ),
    (
        "quiet_silences_notes_and_nothing_else",
        quiet_silences_notes_and_nothing_else,
    ),
    (
        "exit_code_distinguishes_regression_from_error",
        exit_code_distinguishes_regression_from_error,
    ),
    (
        "colours_need_a_terminal_or_an_option",
        colours_need_a_terminal_or_an_option,
    ),
    (
        "completions_and_help_exit_with_zero",
        completions_and_help_exit_with_zero,
    ),
    (
        "a_reader_that_has_gone_is_a_success",
        a_reader_that_has_gone_is_a_success,
    ),
    #[cfg(target_os = "linux")]
    ("a_full_disk_is_a_failure", a_full_disk_is_a_failure),
    (
        "progress_is_for_terminals_only",
        progress_is_for_terminals_only,
    ),
];

fn main() -> ExitCode {
    if env::var_os(AS_SAMPLE).is_some() {
        return perf_cli::main(Sample::run);
    }
    perf_cli::run(|| check(&env::args().skip(1).collect::<Vec<_>>()))
}

/// The part of the usual test harness that tools need: filters by name, `--exact` and `--list`.
fn check(arguments: &[String]) -> anyhow::Result<Exit> {
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let filters: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let fits = |name: &str, filter: &str| {
        if given("--exact") {
            name == filter
        } else {
            name.contains(filter)
        }
    };
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| fits(name, filter));
    for (name, check) in CHECKS
        .iter()
        .filter(|(name, _)| wanted(name) && !given("--ignored"))
    {
        if given("--list") {
            term::stdout(&format!("{name}: test\n"))?;
        } else {
            check()?;
            term::stdout(&format!("test {name} ... ok\n"))?;
        }
    }
    Ok(Exit::Ok)
}

fn sample(arguments: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CI",
        "GITHUB_ACTIONS",
    ] {
        command.env_remove(name);
    }
    command.env(AS_SAMPLE, "1").args(arguments);
    Ok(command)
}

/// Exit code, stdout and stderr as one text.
fn output_text(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    format!(
        "exit {code}\n--- stdout\n{}--- stderr\n{}",
        text(&output.stdout),
        text(&output.stderr)
    )
}

fn fed(arguments: &[&str], stdin: &[u8]) -> io::Result<String> {
    let mut command = sample(arguments)?;
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(stdin)?;
    }
    child.wait_with_output().map(|output| output_text(&output))
}

fn data_goes_to_stdout_and_talk_to_stderr() -> anyhow::Result<()> {
    insta::assert_snapshot!(fed(&["--input", "-"], b"\xef\xbb\xbfabc")?, @"
    exit 0
    --- stdout
    bytes=3
    --- stderr
    note: read `<stdin>`
    ");
    insta::assert_snapshot!(fed(&["--input", "-"], b"")?, @"
    exit 0
    --- stdout
    bytes=0
    --- stderr
    note: read `<stdin>`
    warning: `<stdin>` is empty
    ");
    Ok(())
}

fn quiet_silences_notes_and_nothing_else() -> anyhow::Result<()> {
    insta::assert_snapshot!(fed(&["--input", "-", "-q"], b"")?, @"
    exit 0
    --- stdout
    bytes=0
    --- stderr
    warning: `<stdin>` is empty
    ");
    insta::assert_snapshot!(fed(&["--input", "-", "-q", "--limit", "0"], b"x")?, @"
    exit 2
    --- stdout
    bytes=1
    --- stderr
    error: limit `0` forbids everything
    hint: leave `--limit` out to allow any number
    ");
    Ok(())
}

fn exit_code_distinguishes_regression_from_error() -> anyhow::Result<()> {
    insta::assert_snapshot!(fed(&["--input", "-", "--limit", "2"], b"abc")?, @"
    exit 1
    --- stdout
    bytes=3
    --- stderr
    note: read `<stdin>`
    ");
    insta::assert_snapshot!(fed(&["--input", "no\n::error::such"], b"")?, @r"
    exit 2
    --- stdout
    --- stderr
    error: `no\n::error::such` does not exist
    ");
    insta::assert_snapshot!(fed(&["--limit", "2"], b"")?, @"
    exit 2
    --- stdout
    --- stderr
    error: the following required arguments were not provided:
      --input <FILE>

    Usage: sample --input <FILE> --limit <BYTES>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(fed(&["--input", "-"], b"\x1f\x8bbroken")?, @"
    exit 2
    --- stdout
    --- stderr
    error: cannot read `<stdin>`: unexpected end of file
    ");
    Ok(())
}

fn colours_need_a_terminal_or_an_option() -> anyhow::Result<()> {
    let plain = fed(&["--input", "-", "--color", "auto"], b"")?;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let coloured = fed(&["--input", "-", "--color", "always"], b"")?;
    assert!(
        coloured.contains("\u{1b}[33mwarning\u{1b}[0m: "),
        "{coloured:?}"
    );
    Ok(())
}

fn completions_and_help_exit_with_zero() -> anyhow::Result<()> {
    let script = fed(&["--completions", "bash"], b"")?;
    assert!(
        script.starts_with("exit 0\n--- stdout\n_sample() {") && script.ends_with("--- stderr\n"),
        "{script}"
    );
    assert!(fed(&["--help"], b"")?.starts_with("exit 0\n--- stdout\nCounts the bytes"));
    Ok(())
}

fn a_reader_that_has_gone_is_a_success() -> anyhow::Result<()> {
    for arguments in [
        &["--input", "-"][..],
        &["--completions", "zsh"],
        &["--help"],
    ] {
        let mut command = sample(arguments)?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        drop(child.stdout.take());
        drop(child.stdin.take());
        let output_text = output_text(&child.wait_with_output()?);
        assert!(
            output_text.starts_with("exit 0\n") && !output_text.contains("error"),
            "{arguments:?}: {output_text}"
        );
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() -> anyhow::Result<()> {
    let full = fs::File::options().write(true).open("/dev/full")?;
    let output = sample(&["--input", "/dev/null"])?.stdout(full).output()?;
    insta::assert_snapshot!(output_text(&output), @"
    exit 2
    --- stdout
    --- stderr
    note: read `/dev/null`
    warning: `/dev/null` is empty
    error: cannot write to standard output: No space left on device (os error 28)
    ");
    Ok(())
}

fn progress_is_for_terminals_only() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let path = folder.path().join("run.log");
    fs::File::create(&path)?.set_len(260 * 1024 * 1024)?;
    let output = sample(&["--input", "run.log"])?
        .current_dir(folder.path())
        .output()?;
    insta::assert_snapshot!(output_text(&output), @"
    exit 0
    --- stdout
    bytes=272629760
    --- stderr
    note: read `run.log`
    ");
    Ok(())
}
