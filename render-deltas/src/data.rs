//! Reads the run, the baseline that it is compared with, its history, and confirmation runs.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;
use perf_cli::load::git::{self, FileHistory};
use perf_cli::load::history::{self, Snapshot};
use perf_cli::load::{self, RowFilters, benchmark_files};
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::metric::Unit;
use perf_model::parallel;
use perf_model::row::{Key, Name, Row, Value};
use perf_model::suite::{Definitions, RunUnits};
use perf_readers::ParseReport;

use crate::cli::CompareRequest;
use crate::reproduce;

/// All rows that a comparison reads, and notes about them.
pub(crate) struct ComparisonData {
    pub current: ParseReport,
    /// The baseline, or the reason for its absence.
    pub baseline: Result<ParseReport, NoBaseline>,
    /// Earlier baselines, oldest first.
    pub history: Vec<Snapshot>,
    /// Confirmation runs.
    pub confirmation_runs: Vec<ParseReport>,
    /// Confirmation runs on other machines.
    pub elsewhere: Vec<ParseReport>,
    /// The notes and warnings from reading.
    pub found: Vec<Diagnostic>,
}

/// Why there is no baseline, and the command that writes one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no baseline to compare with: {why}")]
pub(crate) struct NoBaseline {
    /// The reason, such as `base.csv` does not exist yet.
    pub why: String,
    /// The command.
    pub create: String,
    /// Whether the measured base contains no benchmark.
    pub is_blank_base: bool,
}

impl NoBaseline {
    /// The missing baseline as a warning with a hint.
    pub(crate) fn warning(&self) -> Diagnostic {
        if self.is_blank_base {
            return Diagnostic::warning("the base has no results: all benchmarks are new");
        }
        let warning = Diagnostic::warning(self.to_string());
        warning.hint(format!("create it with `{}`", self.create))
    }

    /// The missing baseline as a sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("No baseline to compare with: {}.", self.why)
    }
}

impl ComparisonData {
    /// Adds the measuring program's findings, the base first.
    pub(crate) fn add_findings(&mut self, [base, current]: &[Vec<Finding>; 2], config: &Config) {
        add_unknown(&mut self.current.findings, current);
        history::name_findings_as_now(&mut self.current, config);
        if let Ok(baseline) = &mut self.baseline {
            add_unknown(&mut baseline.findings, base);
            history::name_findings_as_now(baseline, config);
        }
    }

    /// Removes benchmarks that other shards compare.
    pub(crate) fn leave_out(&mut self, names: &BTreeSet<Name>) {
        if names.is_empty() {
            return;
        }
        for parsed in self.reports_mut() {
            parsed.rows.retain(|row| !names.contains(&row.scenario));
            parsed.findings.retain(|finding| {
                let benchmark = finding.benchmark.as_ref();
                benchmark.is_none_or(|name| !names.contains(name))
            });
        }
    }

    /// Keeps the rows that match the filters.
    ///
    /// # Errors
    /// None of the run's rows matches.
    pub(crate) fn filter(&mut self, filters: &RowFilters, config: &Config) -> anyhow::Result<()> {
        let before = self.current.rows.clone();
        for parsed in self.reports_mut() {
            filters.apply(parsed, config);
        }
        for snapshot in &mut self.history {
            snapshot.rows.retain(|row| filters.matches(row, config));
        }
        if self.current.rows.is_empty() {
            let none = format!("none of the {} rows matches the filters", before.len());
            return Err(Failure::new(none)
                .hint(load::places(&before, config))
                .into());
        }
        Ok(())
    }

    /// Converts all other values to the units of the run, because the tool may have chosen other units there.
    pub(crate) fn adopt_units(&mut self, config: &Config) {
        let scope_of = |platform: &str| config.scope_of(platform).map(|(_, name)| name.into());
        let units = RunUnits::new(&self.current.rows, scope_of);
        if let Ok(baseline) = &mut self.baseline {
            self.found.extend(units.adopt(&mut baseline.rows));
        }
        for snapshot in &mut self.history {
            units.adopt(&mut snapshot.rows);
        }
        for repeat in self.confirmation_runs.iter_mut().chain(&mut self.elsewhere) {
            units.adopt(&mut repeat.rows);
        }
    }

    fn reports_mut(&mut self) -> impl Iterator<Item = &mut ParseReport> {
        std::iter::once(&mut self.current)
            .chain(&mut self.confirmation_runs)
            .chain(&mut self.elsewhere)
            .chain(&mut self.baseline)
    }

    /// All rows, including the history.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let earlier = self.history.iter().flat_map(|snapshot| &*snapshot.rows);
        self.reports()
            .flat_map(|report| &report.rows)
            .chain(earlier)
    }

    /// All inputs that may declare metrics.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &ParseReport> + Clone {
        [&self.current]
            .into_iter()
            .chain(&self.confirmation_runs)
            .chain(&self.elsewhere)
            .chain(&self.baseline)
    }
}

/// Reads both sides in parallel.
pub(crate) fn read(request: &CompareRequest, config: &Config) -> anyhow::Result<ComparisonData> {
    let (run, before) = parallel::both(
        || read_runs(request, config),
        || read_baselines(request, config),
    );
    let (current, [confirmation_runs, elsewhere], mut found) = run?;
    let (baseline, history, about_history) = before?;
    found.extend(about_history);
    Ok(ComparisonData {
        current,
        baseline,
        history,
        confirmation_runs,
        elsewhere,
        found,
    })
}

/// Adds findings, except failures that are already known.
fn add_unknown(findings: &mut Vec<Finding>, others: &[Finding]) {
    let failed = |finding: &Finding| {
        let benchmark = finding.benchmark.clone();
        benchmark.filter(|_| finding.kind == FindingKind::Failed)
    };
    let mut known: HashSet<Name> = findings.iter().filter_map(failed).collect();
    for other in others {
        if failed(other).is_none_or(|benchmark| known.insert(benchmark)) {
            findings.push(other.clone());
        }
    }
}

/// Keeps these rows, and the findings about them or about the whole input.
fn keep_rows(parsed: &mut ParseReport, is_kept: impl Fn(&Row) -> bool) {
    parsed.rows.retain(is_kept);
    let place = |key: &Key| [&key.scenario, &key.platform, &key.commit].map(Name::clone);
    let kept: HashSet<[Name; 3]> = parsed.rows.iter().map(|row| place(&row.key)).collect();
    parsed.findings.retain(|finding| {
        let rows = finding.benchmark.as_ref().zip(finding.rows.as_ref());
        rows.is_none_or(|(benchmark, rows)| {
            kept.contains(&[benchmark, &rows.platform, &rows.commit].map(Name::clone))
        })
    });
}

/// The current run, its confirmation runs on the same machine and on other machines, and diagnostics.
type ReadRuns = (ParseReport, [Vec<ParseReport>; 2], Vec<Diagnostic>);

fn read_runs(request: &CompareRequest, config: &Config) -> anyhow::Result<ReadRuns> {
    let mut current = request.source.rows(config)?;
    history::name_run_as_now(&mut current, config);
    // A comparison needs no line numbers, except for conflicts, which store their own.
    current.origins = Vec::new();
    let mut found = Vec::new();
    let mut all = [Vec::new(), Vec::new()];
    for (runs, files) in all
        .iter_mut()
        .zip([&request.confirm, &request.confirm_elsewhere])
    {
        for file in files {
            let shown = term::shown(file);
            let mut run = request.source.rows_of(std::slice::from_ref(file), config)?;
            history::name_run_as_now(&mut run, config);
            if is_copy(&current, &run, config) {
                let message = format!(
                    "`{shown}` is left out: its numbers are identical to the run that it should confirm"
                );
                let warning = Diagnostic::warning(message);
                found.push(warning.hint("run the benchmark again: a copy confirms nothing"));
            } else {
                runs.extend(confirmation(&current, run, &shown, &mut found)?);
            }
        }
    }
    // These were run for this comparison, so equal numbers do not mean a copy.
    for (number, run) in request.confirmation_runs.iter().enumerate() {
        let mut run = run.clone();
        history::name_run_as_now(&mut run, config);
        let shown = format!("run {}", number + 2);
        all[0].extend(confirmation(&current, run, &shown, &mut found)?);
    }
    let (methodology, mut notes) = benchmark_files::methodology(config, &benchmark_files::root()?)?;
    if let Some(path) = &request.machine_specs {
        notes.extend(load::stamp_machine(&mut current.rows, path));
        for run in &mut all[0] {
            notes.extend(load::stamp_machine(&mut run.rows, path));
        }
    }
    load::stamp_methodology(&mut current.rows, methodology.as_ref());
    for run in all.iter_mut().flatten() {
        load::stamp_methodology(&mut run.rows, methodology.as_ref());
    }
    notes.extend(found);
    notes.dedup();
    Ok((current, all, notes))
}

/// Whether a confirmation run is a copy of the run that it should confirm.
fn is_copy(current: &ParseReport, repeat: &ParseReport, config: &Config) -> bool {
    let mut rows = current.rows.iter();
    repeat.rows == current.rows && rows.any(|row| is_timed(row, current, config))
}

/// A confirmation run without irrelevant rows; `None` if no rows remain.
fn confirmation(
    current: &ParseReport,
    mut repeat: ParseReport,
    shown: &str,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<Option<ParseReport>> {
    refuse_stranger(current, &repeat, shown)?;
    let mut doubtful: HashMap<&Name, Vec<&Finding>> = HashMap::new();
    for finding in &repeat.findings {
        if let Some(name) = &finding.benchmark
            && finding.kind.effect() != FindingEffect::Listed
        {
            doubtful.entry(name).or_default().push(finding);
        }
    }
    // A doubtful result neither confirms nor refutes.
    repeat.rows.retain(|row| {
        let mut about = doubtful.get(&row.scenario).into_iter().flatten();
        !about.any(|finding| finding.is_about(&row.key))
    });
    let measured: IndexSet<&Name> = current.rows.iter().map(|row| &row.commit).collect();
    let all = repeat.rows.len();
    if !measured.contains(&Name::from("")) {
        repeat.rows.retain(|row| measured.contains(&row.commit));
    }
    let strange = (all - repeat.rows.len()) as u64;
    if strange > 0 {
        let rows = counted(strange, "row");
        let message =
            format!("`{shown}`: {rows} left out: measured at another commit than the run");
        found.push(
            Diagnostic::warning(message)
                .hint("set it in these rows with `perf-gate baseline --commit`"),
        );
    }
    Ok(Some(repeat).filter(|repeat| !repeat.rows.is_empty()))
}

/// Whether another run would give a row different digits. Deterministic programs repeat bytes, counts and other whole
/// numbers, so an equal confirmation run need not be a copy.
fn is_timed(row: &Row, report: &ParseReport, config: &Config) -> bool {
    row.metrics.iter().any(|(name, value)| {
        let unit = match report.declared.get(name) {
            Some(declared) => declared.meaning.unit,
            None => config.metric(name).meaning.unit,
        };
        match unit {
            Unit::Bytes | Unit::Count => false,
            Unit::None => matches!(value, Value::Real(_)),
            _ => true,
        }
    })
}

/// Fails if a confirmation run measured another commit.
fn refuse_stranger(current: &ParseReport, repeat: &ParseReport, shown: &str) -> anyhow::Result<()> {
    let [now, again] = [current, repeat].map(|parsed| {
        let mut commits = parsed.rows.iter().map(|row| &row.commit);
        commits.find(|commit| !commit.is_empty())
    });
    let (Some(now), Some(again)) = (now, again) else {
        return Ok(());
    };
    if now == again {
        return Ok(());
    }
    let (now, again) = (term::printable(now), term::printable(again));
    let message = format!("`{shown}` measured commit `{again}`, but the run measured `{now}`");
    Err(Failure::new(message)
        .hint("measure the same commit again")
        .into())
}

/// The baseline or the reason for its absence, the history, and diagnostics.
type ReadBaselines = (
    Result<ParseReport, NoBaseline>,
    Vec<Snapshot>,
    Vec<Diagnostic>,
);

fn read_baselines(request: &CompareRequest, config: &Config) -> anyhow::Result<ReadBaselines> {
    let mut found = Vec::new();
    let baseline = match baseline(request, config, &mut found) {
        Ok(rows) => Ok(rows),
        Err(error) => Err(error.downcast::<NoBaseline>()?),
    };
    let history = read_history(request, config, baseline.is_ok(), &mut found)?;
    Ok((baseline, history, found))
}

/// Reads the baseline.
///
/// # Errors
/// [`NoBaseline`] if it does not exist yet.
fn baseline(
    request: &CompareRequest,
    config: &Config,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<ParseReport> {
    if let Some(rows) = &request.baseline_rows {
        return existing_baseline(request, config, rows.clone(), "the base", found);
    }
    if let Some(place) = &request.baseline_git {
        let shown = term::printable(&place.to_string());
        let Some(blob) = git::blob(place)? else {
            // Omit a full hash from the message.
            let mut missing = shown;
            if place.reference().len() >= 40 {
                missing = term::printable(place.path());
            }
            let why = format!("{missing} does not exist yet");
            return Err(absent(request, git::mistake_at(place), why, false));
        };
        let parsed = history::rows_of_blob(&blob, config)?;
        return existing_baseline(request, config, parsed, &shown, found);
    }
    let path = request.baseline_csv.as_deref().unwrap_or(Path::new("-"));
    let shown = term::shown(path);
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    if path.as_os_str() != "-" && path.symlink_metadata().as_ref().is_err_and(gone) {
        let others = request.source.input.iter();
        let others = others
            .chain(request.confirmation_runs())
            .chain(&request.history);
        let others: Vec<&Path> = others.map(PathBuf::as_path).collect();
        let why = format!("{shown} does not exist yet");
        return Err(absent(request, git::mistake(path, &others), why, false));
    }
    let parsed = load::read_strictly(path, config)?;
    existing_baseline(request, config, parsed, &shown, found)
}

fn existing_baseline(
    request: &CompareRequest,
    config: &Config,
    mut parsed: ParseReport,
    shown: &str,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<ParseReport> {
    parsed.origins = Vec::new();
    history::name_run_as_now(&mut parsed, config);
    if let Some(commit) = &request.baseline_commit {
        keep_commit(&mut parsed, commit, shown)?;
    }
    found.extend(keep_newest(&mut parsed));
    if parsed.rows.is_empty() && parsed.unlisted.is_empty() {
        let why = format!("{shown} has no rows yet");
        return Err(absent(request, None, why, request.paired));
    }
    Ok(parsed)
}

/// The error for a baseline that does not exist yet. A probable typo or a required baseline is a failure.
fn absent(
    request: &CompareRequest,
    mistake: Option<Failure>,
    why: String,
    is_blank_base: bool,
) -> anyhow::Error {
    let create = reproduce::create(request);
    if let Some(mistake) = mistake {
        return mistake.hint(format!("`{create}` creates it")).into();
    }
    let none = NoBaseline {
        why,
        create,
        is_blank_base,
    };
    if request.require_baseline && !is_blank_base {
        let hint = format!("create it with `{}`", none.create);
        return Failure::new(none.to_string()).hint(hint).into();
    }
    none.into()
}

/// Keeps one commit in a baseline with several, such as a rolling file.
fn keep_commit(parsed: &mut ParseReport, commit: &str, shown: &str) -> anyhow::Result<()> {
    const NAMED: usize = 5;
    let mut commits: IndexSet<Name> = IndexSet::new();
    for row in &parsed.rows {
        if !row.commit.is_empty() {
            commits.insert(Name::clone(&row.commit));
        }
    }
    // The file may contain abbreviated commits.
    let mut meant: Vec<&Name> = commits
        .iter()
        .filter(|known| known.starts_with(commit) || commit.starts_with(&***known))
        .collect();
    if let Some(exact) = commits.get(commit) {
        meant = vec![exact];
    }
    if let [one] = meant[..] {
        keep_rows(parsed, |row| row.commit == *one);
        return Ok(());
    }
    if commits.is_empty() {
        return Err(Failure::new(format!("`{shown}` contains no commit")).into());
    }
    let commit = term::printable(commit);
    if meant.len() > 1 {
        let failure = Failure::new(format!("`{commit}` matches several commits of `{shown}`"));
        return Err(failure.hint("add more digits").into());
    }
    let failure = Failure::new(format!("`{shown}` contains no row of commit `{commit}`"));
    let mut last = Vec::new();
    for known in commits.iter().rev().take(NAMED) {
        last.push(format!("`{}`", term::printable(known)));
    }
    let hint = format!("its last commits: {}", last.join(", "));
    Err(failure.hint(hint).into())
}

/// Keeps each measurement's newest commit in a baseline with several commits, such as a rolling file: by date, or
/// without dates the last one. The newest rows come first.
fn keep_newest(parsed: &mut ParseReport) -> Option<Diagnostic> {
    let rows = &parsed.rows;
    let is_one = rows
        .first()
        .is_none_or(|first| rows.iter().all(|row| row.commit == first.commit));
    if is_one {
        return None;
    }
    let place = |row: &Row| [&row.scenario, &row.platform].map(Name::clone);
    // Date, index in the file, and commit.
    let mut newest: HashMap<_, (Option<i64>, usize, Name)> = HashMap::new();
    let mut first_places: HashMap<[Name; 2], usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        first_places.entry(place(row)).or_insert(at);
        let found = (row.measured_at, at, Name::clone(&row.commit));
        let known = newest
            .entry(row.identity())
            .or_insert_with(|| found.clone());
        if row.measured_at >= known.0 {
            *known = found;
        }
    }
    let all = parsed.rows.len();
    keep_rows(parsed, |row| {
        newest
            .get(&row.identity())
            .is_some_and(|(.., commit)| *commit == row.commit)
    });
    parsed.rows.sort_by_cached_key(|row| {
        let newness = newest
            .get(&row.identity())
            .map(|(date, at, _)| (*date, *at));
        (first_places.get(&place(row)).copied(), Reverse(newness))
    });
    let older = (all - parsed.rows.len()) as u64;
    let message = format!(
        "{} left out: the baseline contains newer rows",
        counted(older, "row")
    );
    (older > 0).then(|| Diagnostic::info(message).at("baseline"))
}

/// Earlier baselines, oldest first. Without a baseline, missing versions are not an error.
fn read_history(
    request: &CompareRequest,
    config: &Config,
    has_baseline: bool,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Snapshot>> {
    let mut snapshots = Vec::new();
    if let Some(most) = request.history_git {
        match versions(request, most) {
            Ok(mut versions) => {
                snapshots = history::rows_of_versions(&mut versions, config);
                if has_baseline {
                    found.extend(versions.diagnostics());
                }
            }
            Err(error) if has_baseline => return Err(error),
            Err(_) => {}
        }
    }
    for file in &request.history {
        snapshots.extend(history::snapshots(file, config)?);
    }
    // Undated snapshots come before all others.
    snapshots.sort_by_key(|snapshot| snapshot.date);
    Ok(snapshots)
}

fn versions(request: &CompareRequest, most: usize) -> anyhow::Result<FileHistory> {
    match (&request.baseline_git, &request.baseline_csv) {
        (Some(place), _) => git::versions_at(place, most),
        (None, Some(path)) if path.as_os_str() != "-" => git::versions(path, None, most),
        _ => {
            let failure = Failure::new("a history cannot come from standard input");
            Err(failure
                .hint("pass the baseline as a file, or its commit with `--baseline-git`")
                .into())
        }
    }
}
