//! Reads a run, its confirmation runs, the baseline that it is compared with, and the history.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use indexmap::IndexSet;
use perf_cli::git::Git;
use perf_cli::load::history::{self, Snapshot};
use perf_cli::load::{self, RowFilters, benchmark_files, git};
use perf_cli::{ResultExt, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::metric::Unit;
use perf_model::parallel;
use perf_model::row::{Identity, Name, Row, Value};
use perf_model::suite::{Definitions, RunUnits};
use perf_readers::ParseReport;

use crate::cli::CompareRequest;

/// All rows that a comparison reads, and notes about them.
#[derive(Default)]
pub(crate) struct ComparisonData {
    pub current: ParseReport,
    /// The baseline; empty if it does not exist.
    pub baseline: ParseReport,
    /// Why the baseline does not exist; `None` if it does.
    pub no_baseline: Option<NoBaseline>,
    /// Earlier baselines, oldest first.
    pub history: Vec<Snapshot>,
    /// The confirmation runs: first those on the same machine, then those on other machines.
    pub reruns: [Vec<ParseReport>; 2],
    /// The notes and warnings that reading caused.
    pub found: Vec<Diagnostic>,
}

/// Why the baseline does not exist, and the command that writes it.
#[derive(Clone, Debug)]
pub(crate) struct NoBaseline {
    /// The reason, such as "base.csv does not exist yet".
    pub why: String,
    /// The command that writes a baseline from this run.
    pub create: String,
    /// Whether the base of pairs was measured, but has no results.
    pub is_blank_base: bool,
}

impl NoBaseline {
    /// Returns a warning about the missing baseline, with a hint.
    pub(crate) fn warning(&self) -> Diagnostic {
        if self.is_blank_base {
            return Diagnostic::warning("the base has no results: all benchmarks are new");
        }
        let warning = Diagnostic::warning(format!("no baseline to compare with: {}", self.why));
        warning.hint(format!("create it with `{}`", self.create))
    }

    /// Returns a sentence about the missing baseline.
    pub(crate) fn sentence(&self) -> String {
        format!("No baseline to compare with: {}.", self.why)
    }
}

impl ComparisonData {
    /// Adds the findings of the program that measured the run: first those about the base, then those about the run.
    pub(crate) fn add_findings(&mut self, [base, current]: &[Vec<Finding>; 2], config: &Config) {
        add_unknown(&mut self.current.findings, current);
        history::name_findings_as_now(&mut self.current, config);
        if self.no_baseline.is_none() {
            add_unknown(&mut self.baseline.findings, base);
            history::name_findings_as_now(&mut self.baseline, config);
        }
    }

    /// Removes benchmarks that other shards compare.
    pub(crate) fn leave_out(&mut self, names: &BTreeSet<Name>) {
        for parsed in self.reports_mut() {
            parsed.rows.retain(|row| !names.contains(&row.scenario));
            parsed.findings.retain(|finding| {
                let benchmark = finding.benchmark.as_ref();
                benchmark.is_none_or(|name| !names.contains(name))
            });
        }
    }

    /// Keeps only rows that match the filters.
    ///
    /// # Errors
    /// Fails if none of the run's rows matches.
    pub(crate) fn filter(&mut self, filters: &RowFilters, config: &Config) -> anyhow::Result<()> {
        filters.select(&mut self.current, config)?;
        for parsed in self.reports_mut() {
            filters.apply(parsed, config);
        }
        for snapshot in &mut self.history {
            snapshot.rows.retain(|row| filters.matches(row, config));
        }
        Ok(())
    }

    /// Converts all other inputs' values to the units in this run, because a tool may choose different units in each
    /// run.
    pub(crate) fn adopt_units(&mut self, config: &Config) {
        let scope_of = |platform: &str| config.scope_of(platform).map(|(_, name)| name.into());
        let units = RunUnits::new(&self.current.rows, scope_of);
        self.found.extend(units.adopt(&mut self.baseline.rows));
        for snapshot in &mut self.history {
            units.adopt(&mut snapshot.rows);
        }
        for rerun in self.reruns.iter_mut().flatten() {
            units.adopt(&mut rerun.rows);
        }
    }

    fn reports_mut(&mut self) -> impl Iterator<Item = &mut ParseReport> {
        let sides = [&mut self.current, &mut self.baseline];
        sides.into_iter().chain(self.reruns.iter_mut().flatten())
    }

    /// Returns all inputs that may declare metrics.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &ParseReport> + Clone {
        let sides = [&self.current, &self.baseline];
        sides.into_iter().chain(self.reruns.iter().flatten())
    }
}

/// Reads the runs and the baselines in parallel.
pub(crate) fn read(request: &CompareRequest, config: &Config) -> anyhow::Result<ComparisonData> {
    let (runs, baselines) = parallel::both(
        || read_runs(request, config),
        || read_baselines(request, config),
    );
    let (runs, baselines) = (runs?, baselines?);
    Ok(ComparisonData {
        current: runs.current,
        reruns: runs.reruns,
        found: [runs.found, baselines.found].concat(),
        ..baselines
    })
}

/// Adds findings, except failures of benchmarks that are already known to have failed.
fn add_unknown(findings: &mut Vec<Finding>, others: &[Finding]) {
    let mut failed: HashSet<Name> = HashSet::new();
    for finding in &*findings {
        if finding.kind == FindingKind::Failed {
            failed.extend(finding.benchmark.clone());
        }
    }
    for other in others {
        if other.kind == FindingKind::Failed
            && let Some(benchmark) = &other.benchmark
            && !failed.insert(Name::clone(benchmark))
        {
            continue;
        }
        findings.push(other.clone());
    }
}

/// Keeps the rows for which `is_kept` is true, and the findings about these rows or the whole input.
fn keep_rows(parsed: &mut ParseReport, is_kept: impl Fn(&Row) -> bool) {
    parsed.rows.retain(is_kept);
    let mut kept = HashSet::new();
    for row in &parsed.rows {
        kept.insert([&row.scenario, &row.platform, &row.commit]);
    }
    parsed
        .findings
        .retain(|finding| match (&finding.benchmark, &finding.rows) {
            (Some(benchmark), Some(rows)) => {
                kept.contains(&[benchmark, &rows.platform, &rows.commit])
            }
            _ => true,
        });
}

/// Reads the run and its confirmation runs.
fn read_runs(request: &CompareRequest, config: &Config) -> anyhow::Result<ComparisonData> {
    let mut current = request.source.rows(config)?;
    history::name_run_as_now(&mut current, config);
    // A comparison needs no line numbers. Only conflicts do, and these store their own.
    current.origins = Vec::new();
    let mut found = Vec::new();
    let mut reruns = [Vec::new(), Vec::new()];
    let files = [&request.confirm, &request.confirm_elsewhere];
    for (reruns, files) in reruns.iter_mut().zip(files) {
        for file in files {
            let shown = term::shown(file);
            let mut rerun = request.source.rows_of(std::slice::from_ref(file), config)?;
            history::name_run_as_now(&mut rerun, config);
            let mut rows = current.rows.iter();
            if rerun.rows == current.rows && rows.any(|row| is_timed(row, &current, config)) {
                let message = format!(
                    "`{shown}` is left out: its numbers are identical to the run that it should confirm"
                );
                let warning = Diagnostic::warning(message);
                found.push(warning.hint("run the benchmark again: a copy confirms nothing"));
                continue;
            }
            keep_confirming_rows(&current, &mut rerun, &shown, &mut found)?;
            reruns.push(rerun);
        }
    }
    // These runs were measured for this comparison, so equal numbers do not mean that one is a copy.
    for (number, rerun) in request.confirmation_runs.iter().enumerate() {
        let mut rerun = rerun.clone();
        history::name_run_as_now(&mut rerun, config);
        let shown = format!("run {}", number + 2);
        keep_confirming_rows(&current, &mut rerun, &shown, &mut found)?;
        reruns[0].push(rerun);
    }
    for reruns in &mut reruns {
        reruns.retain(|rerun| !rerun.rows.is_empty());
    }

    let (methodology, notes) = benchmark_files::methodology(config, &benchmark_files::root()?)?;
    found.extend(notes);
    if let Some(path) = &request.machine_specs {
        for run in iter::once(&mut current).chain(&mut reruns[0]) {
            found.extend(load::stamp_machine(&mut run.rows, path));
        }
    }
    for run in iter::once(&mut current).chain(reruns.iter_mut().flatten()) {
        load::stamp_methodology(&mut run.rows, methodology.as_ref());
    }
    found.dedup();
    Ok(ComparisonData {
        current,
        reruns,
        found,
        ..ComparisonData::default()
    })
}

/// Drops a confirmation run's rows that are doubtful, or that belong to another commit than the run.
///
/// # Errors
/// Fails if all rows in the confirmation run belong to another commit.
fn keep_confirming_rows(
    current: &ParseReport,
    rerun: &mut ParseReport,
    shown: &str,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<()> {
    let commits: HashSet<&Name> = current.rows.iter().map(|row| &row.commit).collect();
    if let Some(now) = first_commit(&current.rows) {
        let again = first_commit(&rerun.rows).cloned();
        let all = rerun.rows.len();
        rerun.rows.retain(|row| commits.contains(&row.commit));
        if let (true, Some(again)) = (rerun.rows.is_empty(), again) {
            let (now, again) = (term::printable(now), term::printable(&again));
            return Err(anyhow!(
                "`{shown}` measured commit `{again}`, but the run measured `{now}`"
            ))
            .hint("measure the same commit again");
        }
        let left_out = all - rerun.rows.len();
        if left_out > 0 {
            let rows = counted(left_out as u64, "row");
            let message =
                format!("`{shown}`: {rows} left out: measured at another commit than the run");
            let hint = "set it in these rows with `perf-gate baseline --commit`";
            found.push(Diagnostic::warning(message).hint(hint));
        }
    }
    // A doubtful result can neither confirm nor refute.
    let mut doubtful: HashMap<&Name, Vec<&Finding>> = HashMap::new();
    for finding in &rerun.findings {
        if let Some(name) = &finding.benchmark
            && finding.kind.effect() != FindingEffect::Listed
        {
            doubtful.entry(name).or_default().push(finding);
        }
    }
    rerun.rows.retain(|row| {
        let mut about = doubtful.get(&row.scenario).into_iter().flatten();
        !about.any(|finding| finding.is_about(&row.key))
    });
    Ok(())
}

fn first_commit(rows: &[Row]) -> Option<&Name> {
    let mut commits = rows.iter().map(|row| &row.commit);
    commits.find(|commit| !commit.is_empty())
}

/// Whether some value in a row would have different digits in another run.
fn is_timed(row: &Row, report: &ParseReport, config: &Config) -> bool {
    row.metrics.iter().any(|(name, value)| {
        let unit = match report.declared.get(name) {
            Some(declared) => declared.meaning.unit,
            None => config.metric(name).meaning.unit,
        };
        varies_between_runs(unit, matches!(value, Value::Int(_)))
    })
}

/// Whether a value would have different digits in another run. Deterministic programs repeat bytes, counts and other whole
/// numbers exactly.
pub(crate) fn varies_between_runs(unit: Unit, is_whole: bool) -> bool {
    match unit {
        Unit::Bytes | Unit::Count => false,
        Unit::None => !is_whole,
        _ => true,
    }
}

/// Reads the baseline and its history.
fn read_baselines(request: &CompareRequest, config: &Config) -> anyhow::Result<ComparisonData> {
    let (mut baseline, no_baseline) = read_baseline(request, config)?;
    let mut found = Vec::from_iter(keep_newest(&mut baseline));
    let mut history = Vec::new();
    if let Some(most) = request.history_git {
        let versions = match (&request.baseline_git, &request.baseline_csv) {
            (Some(place), _) => Git::here().versions(place, most),
            (None, Some(path)) if path.as_os_str() != "-" => git::versions(path, most),
            _ => Err(anyhow!("a history cannot come from standard input"))
                .hint("pass the baseline as a file, or its commit with `--baseline-git`"),
        };
        match versions {
            Ok(mut versions) => {
                history = history::rows_of_versions(&mut versions, config);
                if no_baseline.is_none() {
                    found.extend(versions.diagnostics());
                }
            }
            Err(error) if no_baseline.is_none() => return Err(error),
            // Without a baseline, missing versions are not an error.
            Err(_) => {}
        }
    }
    for file in &request.history {
        history.extend(history::snapshots(file, config)?);
    }
    // Sort the oldest first. Undated snapshots come before all others.
    history.sort_by_key(|snapshot| snapshot.date);
    Ok(ComparisonData {
        baseline,
        no_baseline,
        history,
        found,
        ..ComparisonData::default()
    })
}

/// Reads the baseline, or finds out why it does not exist yet. Fails if a baseline is required, or if its path is a mistake.
fn read_baseline(
    request: &CompareRequest,
    config: &Config,
) -> anyhow::Result<(ParseReport, Option<NoBaseline>)> {
    let path = request.baseline_csv.as_deref().unwrap_or(Path::new("-"));
    let mut shown = term::shown(path);
    let mut mistake = None;
    let mut parsed = None;
    if let Some(rows) = &request.baseline_rows {
        "the base".clone_into(&mut shown);
        parsed = Some(rows.clone());
    } else if let Some(place) = &request.baseline_git {
        shown = term::printable(&place.to_string());
        match Git::here().blob(place)? {
            Some(blob) => parsed = Some(history::rows_of_blob(&blob, config)?),
            None => mistake = git::mistake_at(place),
        }
        // Omit a full hash from the message, because it is too long.
        if parsed.is_none() && place.reference().len() >= 40 {
            shown = term::printable(place.path());
        }
    } else if path.as_os_str() != "-"
        && let Err(error) = path.symlink_metadata()
        && error.kind() == ErrorKind::NotFound
    {
        let others: Vec<&Path> = request.files().map(PathBuf::as_path).collect();
        mistake = git::mistake(path, &others);
    } else {
        parsed = Some(load::read_strictly(path, config)?);
    }
    let create = request.create_command();
    if let Some(mistake) = mistake {
        return Err(mistake.hint(format!("`{create}` creates it")).into());
    }
    let mut none = NoBaseline {
        why: format!("{shown} does not exist yet"),
        create,
        is_blank_base: false,
    };
    if let Some(mut parsed) = parsed {
        parsed.origins = Vec::new();
        history::name_run_as_now(&mut parsed, config);
        if let Some(commit) = &request.baseline_commit {
            keep_commit(&mut parsed, commit, &shown)?;
        }
        if !parsed.rows.is_empty() || !parsed.unlisted.is_empty() {
            return Ok((parsed, None));
        }
        none.why = format!("{shown} has no rows yet");
        none.is_blank_base = config.deltas.paired;
    }
    if request.require_baseline {
        return Err(anyhow!("no baseline to compare with: {}", none.why))
            .hint(format!("create it with `{}`", none.create));
    }
    Ok((ParseReport::default(), Some(none)))
}

/// Keeps one commit's rows in a baseline with several commits, such as a rolling file.
fn keep_commit(parsed: &mut ParseReport, commit: &str, shown: &str) -> anyhow::Result<()> {
    const NAMED: usize = 5;
    let commits = parsed.rows.iter().map(|row| Name::clone(&row.commit));
    let commits: IndexSet<Name> = commits.filter(|commit| !commit.is_empty()).collect();
    // The file may contain abbreviated commits.
    let mut matching: Vec<&Name> = commits
        .iter()
        .filter(|known| known.starts_with(commit) || commit.starts_with(&***known))
        .collect();
    if let Some(exact) = commits.get(commit) {
        matching = vec![exact];
    }
    if let [one] = matching[..] {
        keep_rows(parsed, |row| row.commit == *one);
        return Ok(());
    }
    let commit = term::printable(commit);
    if matching.len() > 1 {
        return Err(anyhow!("`{commit}` matches several commits of `{shown}`"))
            .hint("add more digits");
    }
    let last = commits.iter().rev().take(NAMED);
    let last: Vec<String> = last.map(|known| term::in_backticks(known)).collect();
    let hint = if last.is_empty() {
        "it contains no commit".to_owned()
    } else {
        format!("its last commits: {}", last.join(", "))
    };
    Err(anyhow!("`{shown}` contains no row of commit `{commit}`")).hint(hint)
}

/// Keeps the rows of each measurement's newest commit in a baseline with several commits, such as a rolling file. The newest
/// commit is the one with the latest date or, without dates, the last one in the file. Each benchmark's newest rows come
/// first.
fn keep_newest(parsed: &mut ParseReport) -> Option<Diagnostic> {
    let rows = &parsed.rows;
    let commits: HashSet<&Name> = rows.iter().map(|row| &row.commit).collect();
    if commits.len() < 2 {
        return None;
    }
    // Each measurement's newest row: date, index in the file, and commit.
    let mut newest: HashMap<Identity, (Option<i64>, usize, Name)> = HashMap::new();
    let mut benchmarks: IndexSet<[Name; 2]> = IndexSet::new();
    for (at, row) in rows.iter().enumerate() {
        benchmarks.insert([&row.scenario, &row.platform].map(Name::clone));
        let found = (row.measured_at, at, Name::clone(&row.commit));
        let known = newest.entry(row.identity()).or_default();
        *known = found.max(std::mem::take(known));
    }
    let all = rows.len();
    keep_rows(parsed, |row| {
        let newest = newest.get(&row.identity());
        newest.is_some_and(|(.., commit)| *commit == row.commit)
    });
    parsed.rows.sort_by_cached_key(|row| {
        let benchmark = [&row.scenario, &row.platform].map(Name::clone);
        let newest = newest.get(&row.identity()).cloned();
        (benchmarks.get_index_of(&benchmark), Reverse(newest))
    });
    let older = (all - parsed.rows.len()) as u64;
    let message = format!(
        "{} left out: the baseline contains newer rows",
        counted(older, "row")
    );
    (older > 0).then(|| Diagnostic::info(message).at("baseline"))
}
