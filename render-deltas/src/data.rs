//! Reads the run, the baseline that it is compared with, its history, and confirmation runs.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;
use perf_cli::load::history::{self, Snapshot};
use perf_cli::load::{self, RowFilters, benchmark_files, git};
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::metric::Unit;
use perf_model::parallel;
use perf_model::row::{Name, Row, Value};
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
#[derive(Clone, Debug)]
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
        let warning = Diagnostic::warning(format!("no baseline to compare with: {}", self.why));
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
        let rows = &self.current.rows;
        if !rows.iter().any(|row| filters.matches(row, config)) {
            let none = format!("none of the {} rows matches the filters", rows.len());
            return Err(Failure::new(none).hint(load::places(rows, config)).into());
        }
        for parsed in self.reports_mut() {
            filters.apply(parsed, config);
        }
        for snapshot in &mut self.history {
            snapshot.rows.retain(|row| filters.matches(row, config));
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
    let mut failed: HashSet<Name> = HashSet::new();
    for finding in &*findings {
        if finding.kind == FindingKind::Failed {
            failed.extend(finding.benchmark.clone());
        }
    }
    for other in others {
        let is_new = match &other.benchmark {
            Some(benchmark) if other.kind == FindingKind::Failed => {
                failed.insert(Name::clone(benchmark))
            }
            _ => true,
        };
        if is_new {
            findings.push(other.clone());
        }
    }
}

/// Keeps these rows, and the findings about them or about the whole input.
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

/// The current run, its confirmation runs on the same machine and on other machines, and diagnostics.
type ReadRuns = (ParseReport, [Vec<ParseReport>; 2], Vec<Diagnostic>);

fn read_runs(request: &CompareRequest, config: &Config) -> anyhow::Result<ReadRuns> {
    let mut current = request.source.rows(config)?;
    history::name_run_as_now(&mut current, config);
    // A comparison needs no line numbers, except for conflicts, which store their own.
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
    // These were run for this comparison, so equal numbers do not mean a copy.
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
    let (methodology, mut notes) = benchmark_files::methodology(config, &benchmark_files::root()?)?;
    if let Some(path) = &request.machine_specs {
        notes.extend(load::stamp_machine(&mut current.rows, path));
        for rerun in &mut reruns[0] {
            notes.extend(load::stamp_machine(&mut rerun.rows, path));
        }
    }
    load::stamp_methodology(&mut current.rows, methodology.as_ref());
    for rerun in reruns.iter_mut().flatten() {
        load::stamp_methodology(&mut rerun.rows, methodology.as_ref());
    }
    notes.extend(found);
    notes.dedup();
    Ok((current, reruns, notes))
}

/// Drops a confirmation run's doubtful rows and those of other commits.
///
/// # Errors
/// The whole run measured another commit.
fn keep_confirming_rows(
    current: &ParseReport,
    rerun: &mut ParseReport,
    shown: &str,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<()> {
    let is_known = |row: &&Row| !row.commit.is_empty();
    if let Some(now) = current.rows.iter().find(is_known) {
        let measured: HashSet<&Name> = current.rows.iter().map(|row| &row.commit).collect();
        let rows = std::mem::take(&mut rerun.rows).into_iter();
        let (kept, strange): (Vec<Row>, Vec<Row>) =
            rows.partition(|row| measured.contains(&row.commit));
        if kept.is_empty()
            && let Some(again) = strange.iter().find(is_known)
        {
            let (now, again) = (term::printable(&now.commit), term::printable(&again.commit));
            let message =
                format!("`{shown}` measured commit `{again}`, but the run measured `{now}`");
            let failure = Failure::new(message).hint("measure the same commit again");
            return Err(failure.into());
        }
        if !strange.is_empty() {
            let rows = counted(strange.len() as u64, "row");
            let message =
                format!("`{shown}`: {rows} left out: measured at another commit than the run");
            let hint = "set it in these rows with `perf-gate baseline --commit`";
            found.push(Diagnostic::warning(message).hint(hint));
        }
        rerun.rows = kept;
    }
    // A doubtful result neither confirms nor refutes.
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

/// Whether another run would give a row different digits.
fn is_timed(row: &Row, report: &ParseReport, config: &Config) -> bool {
    row.metrics.iter().any(|(name, value)| {
        let unit = match report.declared.get(name) {
            Some(declared) => declared.meaning.unit,
            None => config.metric(name).meaning.unit,
        };
        varies_between_runs(unit, matches!(value, Value::Int(_)))
    })
}

/// Whether another run would measure other digits. Deterministic programs repeat bytes, counts and other whole numbers.
pub(crate) fn varies_between_runs(unit: Unit, is_whole: bool) -> bool {
    match unit {
        Unit::Bytes | Unit::Count => false,
        Unit::None => !is_whole,
        _ => true,
    }
}

/// The baseline or the reason for its absence, the history, and diagnostics.
type ReadBaselines = (
    Result<ParseReport, NoBaseline>,
    Vec<Snapshot>,
    Vec<Diagnostic>,
);

fn read_baselines(request: &CompareRequest, config: &Config) -> anyhow::Result<ReadBaselines> {
    let mut found = Vec::new();
    let mut baseline = read_baseline(request, config)?;
    if let Ok(parsed) = &mut baseline {
        found.extend(keep_newest(parsed));
    }
    // Without a baseline, missing versions are not an error.
    let mut snapshots = Vec::new();
    if let Some(most) = request.history_git {
        let versions = match (&request.baseline_git, &request.baseline_csv) {
            (Some(place), _) => git::versions_at(place, most),
            (None, Some(path)) if path.as_os_str() != "-" => git::versions(path, None, most),
            _ => {
                let failure = Failure::new("a history cannot come from standard input");
                let hint = "pass the baseline as a file, or its commit with `--baseline-git`";
                Err(failure.hint(hint).into())
            }
        };
        match versions {
            Ok(mut versions) => {
                snapshots = history::rows_of_versions(&mut versions, config);
                if baseline.is_ok() {
                    found.extend(versions.diagnostics());
                }
            }
            Err(error) if baseline.is_ok() => return Err(error),
            Err(_) => {}
        }
    }
    for file in &request.history {
        snapshots.extend(history::snapshots(file, config)?);
    }
    // The oldest first; undated snapshots come before all others.
    snapshots.sort_by_key(|snapshot| snapshot.date);
    Ok((baseline, snapshots, found))
}

/// Reads the baseline, or finds out why there is none yet.
fn read_baseline(
    request: &CompareRequest,
    config: &Config,
) -> anyhow::Result<Result<ParseReport, NoBaseline>> {
    let path = request.baseline_csv.as_deref().unwrap_or(Path::new("-"));
    let mut shown = term::shown(path);
    let mut parsed = if let Some(rows) = &request.baseline_rows {
        "the base".clone_into(&mut shown);
        rows.clone()
    } else if let Some(place) = &request.baseline_git {
        shown = term::printable(&place.to_string());
        let Some(blob) = git::blob(place)? else {
            // Omit a full hash from the message.
            if place.reference().len() >= 40 {
                shown = term::printable(place.path());
            }
            let why = format!("{shown} does not exist yet");
            return absent(request, git::mistake_at(place), why);
        };
        history::rows_of_blob(&blob, config)?
    } else if is_missing(path) {
        let others = request.source.input.iter();
        let others = others
            .chain(request.confirmation_runs())
            .chain(&request.history);
        let others: Vec<&Path> = others.map(PathBuf::as_path).collect();
        let why = format!("{shown} does not exist yet");
        return absent(request, git::mistake(path, &others), why);
    } else {
        load::read_strictly(path, config)?
    };
    parsed.origins = Vec::new();
    history::name_run_as_now(&mut parsed, config);
    if let Some(commit) = &request.baseline_commit {
        keep_commit(&mut parsed, commit, &shown)?;
    }
    if parsed.rows.is_empty() && parsed.unlisted.is_empty() {
        let absent = absent(request, None, format!("{shown} has no rows yet"))?;
        return Ok(absent.map_err(|none| NoBaseline {
            is_blank_base: config.deltas.paired,
            ..none
        }));
    }
    Ok(Ok(parsed))
}

fn is_missing(path: &Path) -> bool {
    let metadata = path.symlink_metadata();
    path.as_os_str() != "-" && metadata.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// A baseline that does not exist yet. A probable typo or a required baseline is an error.
fn absent(
    request: &CompareRequest,
    mistake: Option<Failure>,
    why: String,
) -> anyhow::Result<Result<ParseReport, NoBaseline>> {
    let create = reproduce::create(request);
    if let Some(mistake) = mistake {
        return Err(mistake.hint(format!("`{create}` creates it")).into());
    }
    if request.require_baseline {
        let failure = Failure::new(format!("no baseline to compare with: {why}"));
        return Err(failure.hint(format!("create it with `{create}`")).into());
    }
    Ok(Err(NoBaseline {
        why,
        create,
        is_blank_base: false,
    }))
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
        let failure = Failure::new(format!("`{commit}` matches several commits of `{shown}`"));
        return Err(failure.hint("add more digits").into());
    }
    let mut last = Vec::new();
    for known in commits.iter().rev().take(NAMED) {
        last.push(format!("`{}`", term::printable(known)));
    }
    let failure = Failure::new(format!("`{shown}` contains no row of commit `{commit}`"));
    let hint = if last.is_empty() {
        "it contains no commit".to_owned()
    } else {
        format!("its last commits: {}", last.join(", "))
    };
    Err(failure.hint(hint).into())
}

/// Keeps each measurement's newest commit in a baseline with several commits, such as a rolling file: by date, or
/// without dates the last one. The newest rows come first.
fn keep_newest(parsed: &mut ParseReport) -> Option<Diagnostic> {
    let rows = &parsed.rows;
    let first = rows.first()?;
    if rows.iter().all(|row| row.commit == first.commit) {
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
