//! Compares commits with a base, and stores the results in a file from which a later command resumes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use measure::pairs::{
    self, Focus, KeptBase, KnownChange, PairsReport, PairsRequest, Session, comparison,
    differences, margin, outcome,
};
use perf_cli::{ResultExt, failure, term};
use perf_config::Config;
use perf_model::diagnostic::counted;
use perf_model::metric::Direction;
use perf_model::row::Row;
use perf_report::reasons;
use perf_verdict::Comparison;
use perf_verdict::rules::pairs::Outcome;
use perf_verdict::statistics::signed_rank::{Typical, typical};
use serde::{Deserialize, Serialize};

use crate::series::{Resumption, short, with_commits};

/// The default time limit for one comparison while `--time-limit` limits the whole search.
const ENOUGH: Duration = Duration::from_mins(4);
/// The number of inconclusive comparisons after which the ends of the range are treated as equal.
const TRIES: usize = 2;
/// The number of measurements without a difference after which the ends of the range are treated as equal.
const SUBJECT_TRIES: usize = 4;
/// The ends are treated as equal before [`SUBJECT_TRIES`] if a change of this size, 5%, would have been detected.
const RELEVANT: f64 = 0.05;
/// The maximum number of comparisons of the ends to determine the size of their change.
const SIZE_TRIES: usize = 6;

/// The benchmark metric that changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    pub benchmark: String,
    pub metric: String,
    /// 1 if more is worse, −1 if less is worse, 0 if unknown.
    pub worse: i8,
    /// The smallest relevant change, as the logarithm of a ratio.
    pub margin: f64,
}

/// All comparisons of one commit with one base.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Compared {
    /// The logarithm of the ratio of commit to base, for each pair.
    pub differences: Vec<f64>,
    pub tries: usize,
    /// The reason, if the commit cannot be measured.
    pub failure: Option<String>,
}

impl Subject {
    /// The benchmark and the metric, for messages.
    pub fn name(&self) -> String {
        term::printable(&format!("{} {}", self.benchmark, self.metric))
    }
}

impl Compared {
    /// The typical difference as the logarithm of a ratio, with 95% one-sided bounds.
    pub fn typical(&self) -> Option<Typical> {
        typical(&self.differences, 0.95)
    }
}

/// The stored state of a search.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    subject: Option<Subject>,
    seconds: f64,
    by_commits: BTreeMap<String, Compared>,
}

/// The reason for a search without a result.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoResult {
    #[error("the time is up")]
    Time,
    #[error("interrupted")]
    Interrupted,
    /// The ends do not differ.
    #[error("{0}")]
    Alike(String),
}

/// Compares commits, and stores the results.
pub struct Comparisons<'c> {
    pub config: &'c Config,
    request: PairsRequest,
    session: Session,
    kept: KeptBase,
    resumption: Resumption,
    deadline: Option<Instant>,
    known: Known,
}

impl<'c> Comparisons<'c> {
    pub fn new(
        config: &'c Config,
        request: PairsRequest,
        resumption: Resumption,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Self> {
        let session = Session::start()?;
        let comparisons = Self {
            config,
            request,
            session,
            kept: KeptBase::default(),
            known: resumption.load().unwrap_or_default(),
            resumption,
            deadline,
        };
        let count = comparisons.count();
        if count > 0 {
            let count = counted(count as u64, "comparison");
            term::note(&format!("continuing after {count}"));
        }
        Ok(comparisons)
    }

    /// The number of comparisons, including those that earlier commands made and stored.
    pub fn count(&self) -> usize {
        self.known
            .by_commits
            .values()
            .map(|known| known.tries)
            .sum()
    }

    /// The total seconds of these comparisons, including builds.
    pub fn seconds(&self) -> f64 {
        self.known.seconds
    }

    /// Commits that could not be measured, each with the reason.
    pub fn failures(&self) -> Vec<(&str, &str)> {
        let mut failures = Vec::new();
        for (key, compared) in &self.known.by_commits {
            if let (Some((_, commit)), Some(why)) = (key.split_once(' '), &compared.failure) {
                failures.push((commit, why.as_str()));
            }
        }
        failures
    }

    /// Removes the stored state, once the search is finished.
    pub fn finish(&self) {
        self.resumption.finish();
    }

    /// Compares the ends of the range, and finds the metric that got worse most. If none got worse, finds the one that
    /// improved most.
    ///
    /// # Errors
    /// Fails if the ends cannot be measured or do not differ.
    pub fn subject(&mut self, good: &str, bad: &str, wanted: &Focus) -> anyhow::Result<Subject> {
        if let Some(subject) = &self.known.subject {
            return Ok(subject.clone());
        }
        let mut sides: [Vec<Row>; 2] = [Vec::new(), Vec::new()];
        let mut pairs = 0;
        let mut tries = 0;
        // On a noisy machine, a measurement may end before it can detect a relevant change, so repeat it.
        let mut differing = loop {
            let report = self.measure(good, bad, wanted.clone())?;
            for (all, rows) in sides.iter_mut().zip([report.base, report.current]) {
                for mut row in rows {
                    row.run_index += i64::try_from(pairs)?;
                    all.push(row);
                }
            }
            pairs += report.pairs;
            tries += 1;
            let found = comparison(&sides[0], &sides[1], self.config, true, &[]);
            let differing = differing(&found, wanted)?;
            if !differing.is_empty() {
                break differing;
            }
            let is_excluded = found.metrics().all(|metric| {
                let is_timed = metric.judgement.is_gated() && !metric.metric.meaning.exact;
                let detectable = metric.judgement.power.detectable;
                !is_timed || detectable.is_some_and(|share| share <= RELEVANT)
            });
            if tries == SUBJECT_TRIES || is_excluded {
                let detectable = reasons::detectable_by_clock(&found);
                let detectable = detectable.as_deref().unwrap_or("unknown size");
                return Err(NoResult::Alike(format!(
                    "no difference between {} and {}: {pairs} pairs would have shown changes of {detectable}",
                    short(good),
                    short(bad),
                ))
                .into());
            }
        };
        let count = differing.len();
        let (subject, differences) = differing.swap_remove(0);
        if count > 1 {
            let name = term::printable(&subject.benchmark);
            term::note(&format!(
                "{count} metrics differ; searching for the commit that changed {name}"
            ));
        }
        let compared = Compared {
            differences,
            tries: 1,
            failure: None,
        };
        self.known.by_commits.insert(key(good, bad), compared);
        self.known.subject = Some(subject.clone());
        self.resumption.save(&self.known)?;
        Ok(subject)
    }

    /// Returns the stored results for a base and a commit. `None` if they contain fewer than `tries` comparisons and no
    /// failure.
    pub fn results(&self, base: &str, commit: &str, tries: usize) -> Option<&Compared> {
        let compared = self.known.by_commits.get(&key(base, commit))?;
        (compared.tries >= tries || compared.failure.is_some()).then_some(compared)
    }

    /// Returns the stored results for two commits. If these contain fewer than `tries` comparisons, compares the commits
    /// once more.
    ///
    /// # Errors
    /// Fails in the same cases as [`compare`](Self::compare).
    pub fn compared(
        &mut self,
        subject: &Subject,
        ends: [&str; 2],
        tries: usize,
        change: KnownChange,
    ) -> anyhow::Result<Compared> {
        match self.results(ends[0], ends[1], tries) {
            Some(known) => Ok(known.clone()),
            None => self.compare(subject, ends, Some(change)),
        }
    }

    /// Compares a commit with a base once more. The measurement ends when it is decided whether the commit contains
    /// `change`. If `change` is `None`, it ends when it is decided whether the commits differ.
    ///
    /// # Errors
    /// Fails if the time is up, after Ctrl-C, or if the results cannot be stored.
    fn compare(
        &mut self,
        subject: &Subject,
        [base, commit]: [&str; 2],
        change: Option<KnownChange>,
    ) -> anyhow::Result<Compared> {
        let focus = Focus {
            benchmark: Some(subject.benchmark.clone()),
            is_key: true,
            metric: Some(subject.metric.clone()),
            change,
        };
        let measured = self.measure(base, commit, focus);
        let mut compared = self
            .known
            .by_commits
            .remove(&key(base, commit))
            .unwrap_or_default();
        match measured {
            Ok(report) => {
                let found = comparison(&report.base, &report.current, self.config, true, &[]);
                let mut metrics = found
                    .metrics()
                    .filter(|metric| *metric.metric.name == *subject.metric);
                compared.tries += 1;
                match metrics.next() {
                    Some(metric) => compared.differences.extend(differences(metric)),
                    None => {
                        compared.failure = Some(format!("it does not measure {}", subject.metric));
                    }
                }
            }
            Err(error) if error.is::<NoResult>() => return Err(error),
            Err(error) if compared.differences.is_empty() => {
                compared.failure = Some(failure::message(&error));
            }
            // Keep the pairs from earlier comparisons.
            Err(error) => {
                compared.tries += 1;
                term::warn(&failure::message(&error));
            }
        }
        self.known
            .by_commits
            .insert(key(base, commit), compared.clone());
        self.resumption.save(&self.known)?;
        Ok(compared)
    }

    /// Returns the size of the change between two ends, or `None` if they do not differ or cannot be compared. Repeats
    /// the comparison until the size is precise, because a few pairs often overestimate the change. The search uses the
    /// size to decide whether a commit is closer to the good or to the bad end.
    ///
    /// # Errors
    /// Fails in the same cases as [`compare`](Self::compare).
    pub fn size(&mut self, subject: &Subject, ends: [&str; 2]) -> anyhow::Result<Option<f64>> {
        loop {
            if let Some(known) = self.results(ends[0], ends[1], 1) {
                let found = outcome(&known.differences, subject.margin);
                let is_change = matches!(found, Outcome::Slower | Outcome::Faster);
                let is_enough = known.tries >= SIZE_TRIES || is_precise(known);
                if is_change && is_enough && known.failure.is_none() {
                    return Ok(known.typical().map(|change| change.estimate));
                }
                let is_undecided = found.is_open() && known.tries < TRIES;
                if known.failure.is_some() || !(is_change || is_undecided) {
                    return Ok(None);
                }
            }
            self.compare(subject, ends, None)?;
        }
    }

    fn measure(&mut self, base: &str, commit: &str, focus: Focus) -> anyhow::Result<PairsReport> {
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(NoResult::Time.into());
        }
        let time_limit = left.map(|left| left.min(self.request.budget.unwrap_or(ENOUGH)));
        let request = PairsRequest {
            focus: Some(focus),
            time_limit,
            is_silent: true,
            ..with_commits(&self.request, base, commit)
        };
        let start = Instant::now();
        let measured =
            term::quietly(|| pairs::measure(&request, &self.session, Some(&mut self.kept), None));
        self.known.seconds += start.elapsed().as_secs_f64();
        if self.session.is_interrupted() {
            return Err(NoResult::Interrupted.into());
        }
        if measured.is_err() && self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(NoResult::Time.into());
        }
        let report = measured?;
        match &report.shared_output {
            Some(file) => Err(anyhow!("both commits ran the same `{file}`")).hint("set the build command with `--build`, or with `build` in `[run]` of perf-gate.toml"),
            None => Ok(report),
        }
    }
}

/// Lists the metrics that differ, each with its differences. Metrics that became worse come first, and larger changes
/// come before smaller ones.
fn differing(found: &Comparison, wanted: &Focus) -> anyhow::Result<Vec<(Subject, Vec<f64>)>> {
    let mut all = Vec::new();
    let mut names = BTreeSet::new();
    let metric_name = wanted.metric.as_deref();
    for scenario in found.scopes.iter().flat_map(|scope| &scope.scenarios) {
        for metric in &scenario.metrics {
            let name = &*metric.metric.name;
            names.insert(name);
            let is_wanted = match metric_name {
                Some(wanted) => wanted == name,
                None => metric.judgement.is_gated(),
            };
            let differences = differences(metric);
            let margin = margin(metric);
            if !is_wanted || !is_change(&differences, margin) {
                continue;
            }
            let subject = Subject {
                benchmark: scenario.scenario.to_string(),
                metric: name.to_owned(),
                worse: match metric.metric.meaning.direction {
                    Direction::Lower => 1,
                    Direction::Higher => -1,
                    Direction::Unknown => 0,
                },
                margin,
            };
            let size = typical(&differences, 0.95).map_or(0.0, |typical| typical.estimate);
            let is_worse = f64::from(subject.worse) * size > 0.0;
            all.push((is_worse, size.abs(), (subject, differences)));
        }
    }
    if let Some(name) = metric_name.filter(|name| !names.contains(name)) {
        let names: Vec<String> = names.into_iter().map(term::printable).collect();
        return Err(anyhow!("unknown metric `{}`", term::printable(name)))
            .hint(format!("metrics: {}", names.join(", ")));
    }
    all.sort_by(|one, other| other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)));
    Ok(all.into_iter().map(|(_, _, found)| found).collect())
}

fn key(base: &str, commit: &str) -> String {
    format!("{base} {commit}")
}

fn is_change(differences: &[f64], margin: f64) -> bool {
    matches!(
        outcome(differences, margin),
        Outcome::Slower | Outcome::Faster
    )
}

/// True if the width of the confidence interval is at most 30% of the change, or if all pairs show the same difference.
fn is_precise(compared: &Compared) -> bool {
    let Some(change) = compared.typical() else {
        return false;
    };
    let width = change.high.zip(change.low).map(|(high, low)| high - low);
    width.is_some_and(|width| width <= 0.3 * change.estimate.abs())
        || compared
            .differences
            .iter()
            .all(|difference| difference.total_cmp(&change.estimate).is_eq())
}

/// Formats a change with its interval, such as `+10.2% [+9.6%, +10.8%]`.
pub fn percent(change: Typical) -> String {
    let percent = |distance: f64| format!("{:+.1}%", 100.0 * distance.exp_m1());
    let interval = change.low.zip(change.high);
    let interval = interval.map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", percent(low), percent(high))
    });
    format!("{}{interval}", percent(change.estimate)).replace('-', "−")
}
