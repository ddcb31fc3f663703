//! `extract-perf-baseline`: benchmark rows to a normalised baseline CSV.

mod append;

use perf_model::suite::Definitions;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Parser;
use indexmap::IndexSet;
use perf_cli::load::{InputArgs, harness};
use perf_cli::{Common, Exit, Failure, ResultExt, Written, file, term};
use perf_config::Config;
use perf_model::aggregate::aggregate;
use perf_model::date;
use perf_model::diagnostic::Diagnostic;
use perf_model::row::{Name, Row};
use perf_readers::ParseReport;
use perf_readers::baseline;

/// Read the rows that a benchmark printed and write them as a normalised baseline CSV
#[derive(Parser)]
#[command(name = "extract-perf-baseline", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    source: InputArgs,

    /// The CSV to write; `-` is standard output [default: -]
    #[arg(long, value_name = "CSV")]
    output: Option<PathBuf>,

    /// Add the rows to those that the CSV has
    #[arg(long, requires = "output", conflicts_with = "replace")]
    append: bool,

    /// Keep only the rows of each measurement's last COMMITS commits, in the order in which they were appended
    #[arg(long, value_name = "COMMITS", requires = "append", conflicts_with = "replace")]
    keep: Option<NonZeroUsize>,

    /// Write the CSV even if there is one
    #[arg(long, requires = "output")]
    replace: bool,

    /// Only rows of this scope
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,

    /// One row for each measurement, with the median of its samples and their quartiles
    #[arg(long)]
    aggregate: bool,

    /// Machine description from `collect-machine-specs`: its class goes into every row
    #[arg(long, value_name = "JSON")]
    machine_specs: Option<PathBuf>,

    /// The commit of rows that name none [default: that of the CI run, or HEAD]
    #[arg(long, value_name = "COMMIT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    commit: Option<String>,

    /// When the rows were measured: an RFC 3339 date, or `now`
    #[arg(long, value_name = "DATE", value_parser = moment)]
    measured_at: Option<i64>,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  extract-perf-baseline --input build.log
  extract-perf-baseline --input build.log --output docs/perf-baseline.csv --replace
  zcat nightly.log.gz | extract-perf-baseline --input - --output history.csv --append --keep 100

Exit codes: 0 written, 2 error or no rows (the CSV is unchanged)";

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let Some(config) = cli.source.in_force()? else { return Ok(Exit::Ok) };
    let inputs: Vec<Option<&Path>> = cli.source.input.iter().map(|path| Some(path.as_path())).collect();
    perf_cli::load::check_no_overwrite(&[cli.output.as_deref()], &inputs)?;
    let readout = cli.source.rows(&config)?;
    let (config, mut found) = perf_cli::load::with_inputs(config, [&readout].into_iter());
    perf_cli::load::require(&readout.rows, &config)?;
    let named: Vec<Name> = readout.columns.iter().cloned().collect();
    let mut rows = of_scope(readout, &config, cli.scope.as_deref())?;
    if let Some(path) = &cli.machine_specs {
        found.extend(perf_cli::load::stamp_machine(&mut rows, path));
    }
    if let Some(commit) = cli.commit.clone().or_else(|| commit_of(&rows)) {
        perf_cli::load::stamp_commit(&mut rows, &commit);
    }
    let (methodology, missing) = harness::methodology(&config, &harness::root()?)?;
    term::tell(found.iter().chain(&missing));
    perf_cli::load::stamp_methodology(&mut rows, methodology.as_ref());
    if let Some(date) = cli.measured_at {
        for row in &mut rows {
            row.measured_at.get_or_insert(date);
        }
    }
    if cli.aggregate || config.files().aggregate {
        rows = aggregate(rows);
    }
    match &cli.output {
        Some(path) if path.as_os_str() != "-" => write(cli, path, rows, named, &config)?,
        _ => term::stdout(&baseline::write(&rows, &named, &config)?)?,
    }
    Ok(Exit::Ok)
}

/// The commit that was measured, where a row does not name it.
fn commit_of(rows: &[Row]) -> Option<String> {
    rows.iter().any(|row| row.commit.is_empty()).then(perf_cli::load::commit).flatten()
}

/// Reads a date, for `--measured-at`.
fn moment(text: &str) -> Result<i64, String> {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs().try_into().ok();
    let moment = if text == "now" { now() } else { date::parse(text) };
    moment.ok_or_else(|| "a date such as 2031-03-04T09:14:10Z or 2031-03-04, or `now`".to_owned())
}

fn of_scope(readout: ParseReport, config: &Config, scope: Option<&str>) -> anyhow::Result<Vec<Row>> {
    let Some(scope) = scope else { return Ok(readout.rows) };
    let scope_of = |row: &Row| config.scope_of(&row.platform).map(|(_, name)| name.to_owned());
    let mut others: Vec<String> = readout.rows.iter().filter_map(scope_of).collect();
    let mut rows = readout.rows;
    rows.retain(|row| scope_of(row).as_deref() == Some(scope));
    if rows.is_empty() {
        others.sort();
        others.dedup();
        let found = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
        return Err(Failure::new(format!("no row belongs to the scope `{scope}`")))
            .hint(format!("scopes found: {}", term::printable(&found)));
    }
    Ok(rows)
}

fn write(cli: &Cli, path: &Path, rows: Vec<Row>, named: Vec<Name>, config: &Config) -> anyhow::Result<()> {
    let read = rows.len();
    let (mut rows, named) =
        if cli.append { append::appended(path, &rows, named, config)? } else { (rows, named) };
    let dropped = cli.keep.map_or(0, |commits| append::keep_last(&mut rows, commits));
    let text = baseline::write(&rows, &named, config)?;
    if cli.replace {
        term::tell(&leaving(path, &rows, config));
    }
    let written = if cli.append || cli.replace {
        file::write_if_changed(path, text.as_bytes())?
    } else {
        create(path, &text)?;
        Written::Created
    };
    let what = if written == Written::Unchanged { "is up to date" } else { "is written" };
    term::note(&format!("`{}` {what}: {read} rows read, {} in it", term::shown(path), rows.len()));
    if let Some(commits) = cli.keep.filter(|_| dropped > 0) {
        term::note(&format!(
            "rows dropped as more than {commits} later commits have their measurement: {dropped}"
        ));
    }
    Ok(())
}

/// The scenarios that the file had and will not have: another suite wrote them, or the benchmark broke off before.
fn leaving(path: &Path, rows: &[Row], config: &Config) -> Option<Diagnostic> {
    // A file that cannot be read has nothing to lose.
    let before = perf_cli::load::read(&[path], None, config).ok()?;
    let kept: HashSet<&Name> = rows.iter().map(|row| &row.scenario).collect();
    let leaving: IndexSet<&Name> =
        before.rows.iter().map(|row| &row.scenario).filter(|scenario| !kept.contains(scenario)).collect();
    let first = leaving.first()?;
    let more = if leaving.len() > 1 { format!(" and {} more", leaving.len() - 1) } else { String::new() };
    let path = term::shown(path);
    Some(Diagnostic::warning(format!("`{path}` loses scenarios that were not measured: `{first}`{more}")))
}

fn create(path: &Path, text: &str) -> anyhow::Result<()> {
    let created = file::create_new(path, text.as_bytes());
    if path.exists() {
        return created.hint("`--replace` overwrites it, `--append` adds to it");
    }
    created
}
