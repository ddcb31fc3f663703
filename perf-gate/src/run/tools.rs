//! What `run` and `init` do with rows besides comparing them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use extract_perf_baseline::BaselineRequest;
use perf_cli::load::InputArgs;
use perf_cli::{Failure, term};
use perf_config::{Config, Refresh};
use render_perf_doc::PageRequest;

use super::Benchmark;

/// `--name=value`, whatever the value looks like.
fn option(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut option = OsString::from(name);
    option.push("=");
    option.push(value);
    option
}

/// Another process of this program.
fn subcommand(name: &str, options: Vec<OsString>) -> anyhow::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(name).args(options).stdin(Stdio::null());
    Ok(command)
}

/// Describes the machine. Without a description, rows have no machine class, which a warning explains.
pub(super) fn describe_machine(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("machine-specs.json");
    let options = vec!["--quiet".into(), option("--output-json", &path)];
    let mut command = subcommand("specs", options).ok()?;
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success()).then_some(path)
}

/// Measures pairs; its progress and its errors are on standard error.
pub(super) fn measure_pairs(
    benchmark: &Benchmark,
    reference: &str,
    build: Option<&str>,
    config: Option<&Path>,
    [base, current]: [&Path; 2],
) -> anyhow::Result<()> {
    let mut options = vec![
        "pairs".into(),
        option("--base-ref", reference),
        option("--output-base", base),
        option("--output-current", current),
    ];
    options.extend(build.map(|build| option("--build", build)));
    options.extend(benchmark.format.map(|format| option("--format", format.name)));
    options.extend(config.map(|config| option("--config", config)));
    options.extend(benchmark.output.iter().map(|path| option("--output-of", path)));
    options.push("--".into());
    options.extend(benchmark.words.iter().cloned());
    let status = subcommand("measure", options)?.stdout(Stdio::null()).status()?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new("the two sides were not measured").hint("the lines above say why").into())
}

/// Writes the rows as the baseline, and the page.
pub(super) fn save(
    source: InputArgs,
    benchmark: &Benchmark,
    config: &Config,
    specs: Option<PathBuf>,
) -> anyhow::Result<()> {
    write_baseline(source.clone(), &benchmark.baseline)?;
    term::note(&format!("`{}` is the new baseline", term::shown(&benchmark.baseline)));
    let Some(page) = &config.files().page else { return Ok(()) };
    let request = PageRequest { doc: Some(page.clone()), machine_specs: specs, ..PageRequest::of(source) };
    let shown = term::shown(page);
    if matches!(render_perf_doc::update_page(&request)?, render_perf_doc::PageReport::Rewritten) {
        term::note(&format!("`{shown}` is rewritten"));
    }
    Ok(())
}

/// Writes the rows as the baseline.
pub(super) fn write_baseline(source: InputArgs, path: &Path) -> anyhow::Result<()> {
    let request = BaselineRequest {
        output: Some(path.to_owned()),
        replace: true,
        // Its versions are the history, which needs the numbers of every run.
        refresh: Some(Refresh::All),
        ..BaselineRequest::of(source)
    };
    term::quietly(|| extract_perf_baseline::baseline(&request)).map(drop)
}
