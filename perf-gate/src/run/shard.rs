//! Shards: divides a large suite among the jobs of a matrix.
//!
//! Each job computes the division of the whole suite itself. So the division must only depend on the recorded times and
//! on the benchmark names, which a quick run prints. The action compares a fingerprint of the division, so a job that
//! divides the suite differently is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::str::FromStr;

use anyhow::anyhow;
use measure::pairs::{self, PairsReport, PairsRequest, Session};
use perf_cli::{ResultExt, term};
use perf_config::{Config, Glob, Measured};
use perf_model::diagnostic::named;
use perf_model::metric::Unit;
use perf_model::row::{Name, Row};
use perf_model::suite::Definitions;
use serde::{Deserialize, Serialize};

use super::benchmark::Benchmark;
use super::{last, read_rows};

/// The maximum number of shards, because a matrix is limited to 256 jobs.
const MOST: u32 = 256;

/// The maximum number of names in a hint.
const NAMED: usize = 10;

/// The minimum time of a benchmark in seconds, which is the duration of the shortest sample.
const SAMPLE: f64 = 0.002;

/// A shard such as `2/8`: its number, from 1, and the number of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    pub number: u32,
    pub of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, of) = text.split_once('/').unwrap_or_default();
        if let (Ok(number), Ok(of)) = (number.parse(), of.parse()) {
            let shard = Self { number, of };
            // Rejects forms such as `+1/8`.
            let is_plain = shard.to_string() == text;
            if is_plain && of <= MOST && (1..=of).contains(&number) {
                return Ok(shard);
            }
        }
        Err(format!(
            "expected a shard such as `2/8`, with at most {MOST} shards"
        ))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The part of a suite to measure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub shard: Option<Shard>,
    /// A pattern that benchmark names must match.
    pub only: Option<String>,
}

/// The benchmarks in a part, and all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    part: Part,
    /// The part's benchmarks to run.
    pub own: BTreeSet<Name>,
    /// The benchmarks that are not in the part.
    pub others: BTreeSet<Name>,
    /// A fingerprint of the division. It is the same in all shards of a suite.
    pub division: String,
}

impl Share {
    /// Divides benchmarks by their recorded seconds. The longest benchmark is assigned first, and each goes to the shard
    /// with the least time so far. Benchmarks without a recorded time get the median.
    fn divide(part: &Part, recorded: &BTreeMap<Name, f64>, found: &BTreeSet<Name>) -> Self {
        let mut times: Vec<f64> = recorded.values().copied().collect();
        times.sort_by(f64::total_cmp);
        let typical = times.get(times.len() / 2).copied().unwrap_or(SAMPLE);
        let mut share = Self {
            part: part.clone(),
            own: BTreeSet::new(),
            others: BTreeSet::new(),
            division: String::new(),
        };
        let all: BTreeSet<&Name> = recorded.keys().chain(found).collect();
        let mut names: Vec<(&Name, f64)> = Vec::new();
        for name in all {
            if part.matches(name) {
                let seconds = recorded.get(name).copied().unwrap_or(typical);
                names.push((name, seconds.max(SAMPLE)));
            } else {
                share.others.insert(Name::clone(name));
            }
        }
        // The sort is stable, so benchmarks with equal times are ordered by name.
        names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let Shard { number, of } = part.shard.unwrap_or(Shard { number: 1, of: 1 });
        let mut loads: Vec<(f64, usize)> = (0..of as usize).map(|place| (0.0, place)).collect();
        let mut hasher = DefaultHasher::new();
        // Hash the assignments to all shards, because every shard must compute the same fingerprint.
        for (name, time) in names {
            let least = loads
                .iter_mut()
                .min_by(|one, other| one.0.total_cmp(&other.0));
            let Some((load, place)) = least else { break };
            *load += time;
            (&**name, *place).hash(&mut hasher);
            if *place + 1 != number as usize {
                share.others.insert(Name::clone(name));
            } else if found.contains(name) {
                share.own.insert(Name::clone(name));
            }
        }
        share.division = format!("{:06x}", hasher.finish() & 0xff_ffff);
        share
    }

    /// Describes the part in one line.
    pub fn sentence(&self) -> String {
        let count = format!(
            "{} of {} benchmarks",
            self.own.len(),
            self.own.len() + self.others.len()
        );
        match self.part.shard {
            Some(Shard { number, of }) => format!("shard {number} of {of}: {count}"),
            None => count,
        }
    }
}

impl Part {
    /// True if this is the whole suite.
    pub fn is_whole(&self) -> bool {
        self.shard.is_none() && self.only.is_none()
    }

    /// The options of `perf-gate run` that select this part.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let mut options = Vec::new();
        if let Some(shard) = self.shard {
            options.push(("--shard", shard.to_string()));
        }
        if let Some(only) = &self.only {
            options.push(("--filter", format!("benchmark={only}")));
        }
        options
    }

    /// Whether a benchmark's name matches the pattern.
    fn matches(&self, name: &str) -> bool {
        match &self.only {
            Some(only) => Glob::new(only).matches(name),
            None => true,
        }
    }

    /// Divides a suite by the times in its baseline, if there is one. Returns this part, and a benchmark that runs only
    /// this part. A quick run finds the checkout's benchmarks.
    ///
    /// # Errors
    /// Fails if the command cannot select benchmarks, if the benchmark fails, or if the part contains no benchmarks.
    pub fn select(
        &self,
        benchmark: &Benchmark,
        folder: &Path,
        config: &Config,
    ) -> anyhow::Result<(Share, Benchmark)> {
        if config.run().measure == Measured::Process {
            return pairs::cannot_select("the command itself is timed, as one benchmark");
        }
        let harness = match benchmark.harness() {
            Ok(harness) => harness,
            Err(why) => return pairs::cannot_select(&why.to_string()),
        };
        let found = find_names(benchmark, folder, config)?;
        let share = self.share(&recorded_times(benchmark, config)?, &found)?;
        let launched = match benchmark.samples(config) {
            Some(samples) => harness.samples(samples, folder),
            None => harness.as_is(),
        };
        let own: Vec<&Name> = share.own.iter().collect();
        if launched.only(&own).is_none() {
            return pairs::cannot_select(&format!("{} has no filter", harness.tool().name()));
        }
        let mut selected = benchmark.clone();
        selected.chosen.clone_from(&share.own);
        Ok((share, selected))
    }

    /// Measures pairs of this part, or of the whole suite. A part contains benchmarks of base and head, so benchmarks
    /// that the head removed are reported as missing.
    ///
    /// # Errors
    /// Fails like [`Self::select`], or if the pairs cannot be measured.
    pub fn measure(
        &self,
        request: &PairsRequest,
        benchmark: &Benchmark,
        session: &Session,
        config: &Config,
    ) -> anyhow::Result<(PairsReport, Option<Share>)> {
        if self.is_whole() {
            return Ok((pairs::measure(request, session, None, None)?, None));
        }
        if config.run().measure == Measured::Process {
            return pairs::cannot_select("the command itself is timed, as one benchmark");
        }
        term::step("finding the benchmarks of base and head");
        let times = recorded_times(benchmark, config)?;
        let mut share = None;
        let report = pairs::measure(
            request,
            session,
            None,
            Some(&mut |found| Ok(share.insert(self.share(&times, found)?).own.clone())),
        )?;
        Ok((report, share))
    }

    /// Returns this part of the benchmarks.
    ///
    /// # Errors
    /// Fails if it contains none.
    fn share(
        &self,
        recorded: &BTreeMap<Name, f64>,
        found: &BTreeSet<Name>,
    ) -> anyhow::Result<Share> {
        let share = Share::divide(self, recorded, found);
        if share.own.is_empty() {
            let only = self.only.as_deref().map(term::in_backticks);
            let only = only.map_or(String::new(), |only| format!(" that matches {only}"));
            let number = self.shard;
            let number = number.map_or(String::new(), |shard| format!(" for shard {shard}"));
            let names: Vec<String> = found.iter().map(|name| term::printable(name)).collect();
            return Err(anyhow!("found no benchmark{only}{number}"))
                .hint(format!("the benchmarks are: {}", named(&names, NAMED)));
        }
        Ok(share)
    }
}

/// Runs the benchmark with as few samples as possible to find all benchmark names.
fn find_names(
    benchmark: &Benchmark,
    folder: &Path,
    config: &Config,
) -> anyhow::Result<BTreeSet<Name>> {
    term::note("finding the benchmarks");
    if !benchmark.is_as_is
        && let Ok(found) = benchmark.run_with(Some(1), (folder, 0), None, config)
    {
        return Ok(last::names_of(&found));
    }
    Ok(last::names_of(&benchmark.run(folder, 0, None, config)?))
}

/// The seconds per operation in the baseline, by benchmark. If a benchmark has several rows, the longest time is used.
fn recorded_times(benchmark: &Benchmark, config: &Config) -> anyhow::Result<BTreeMap<Name, f64>> {
    let mut times = BTreeMap::new();
    if !benchmark.baseline.is_file() {
        return Ok(times);
    }
    for row in &read_rows(&benchmark.baseline, config)?.rows {
        let longest = times.entry(row.scenario.clone()).or_insert(0.0_f64);
        *longest = longest.max(seconds(row, config).unwrap_or_default());
    }
    Ok(times)
}

/// The seconds per operation, from the row's first metric that is a time or a rate.
pub fn seconds(row: &Row, config: &Config) -> Option<f64> {
    for (name, value) in row.metrics.iter() {
        let (metric, value) = (config.metric(name), value.as_f64());
        if metric.spread_of.is_some() || value <= 0.0 {
            continue;
        }
        let unit = metric.meaning.unit;
        if let Some(scale) = unit.seconds() {
            return Some(value * scale);
        }
        if unit == Unit::PerSecond {
            return Some(1.0 / value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(names: &[&str]) -> BTreeSet<Name> {
        names.iter().map(|name| Name::from(*name)).collect()
    }

    fn part(number: u32, of: u32) -> Part {
        Part {
            shard: Some(Shard { number, of }),
            only: None,
        }
    }

    #[test]
    fn unmatched_names_are_in_no_shard() {
        let found = names(&["parse/a", "parse/b", "print"]);
        let of = |only: &str| Part {
            shard: None,
            only: Some(only.to_owned()),
        };
        let share = Share::divide(&of("parse/*"), &BTreeMap::new(), &found);
        assert_eq!(share.own, names(&["parse/a", "parse/b"]));
        assert_eq!(share.others, names(&["print"]));
        assert!(
            Share::divide(&of("*$(x)*"), &BTreeMap::new(), &found)
                .own
                .is_empty()
        );
    }

    #[test]
    fn shard_number_is_between_one_and_count() {
        assert_eq!("2/8".parse(), Ok(Shard { number: 2, of: 8 }));
        for wrong in [
            "", "2", "0/8", "9/8", "1/0", "1/257", "+1/8", "01/8", "1/8 ", "a/b",
        ] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn longest_benchmarks_are_divided_first() {
        let recorded = [("long", 9.0), ("half", 4.0), ("other", 4.5)];
        let recorded: BTreeMap<Name, f64> = recorded.map(|(name, time)| (name.into(), time)).into();
        let found = names(&["long", "half", "other", "new"]);
        let own = |number| Share::divide(&part(number, 2), &recorded, &found).own;
        assert_eq!(own(1), names(&["half", "long"]));
        assert_eq!(own(2), names(&["new", "other"]));
    }

    proptest! {
        #[test]
        fn every_benchmark_is_in_exactly_one_shard(
            recorded in prop::collection::btree_map("[a-e]{1,2}", 1e-9..100.0_f64, 0..20),
            found in prop::collection::btree_set("[a-e]{1,2}", 0..20),
            of in 1..9_u32,
        ) {
            let recorded: BTreeMap<Name, f64> =
                recorded.into_iter().map(|(name, time)| (Name::from(name.as_str()), time)).collect();
            let found: BTreeSet<Name> = found.iter().map(|name| Name::from(name.as_str())).collect();
            let all: Vec<Share> =
                (1..=of).map(|number| Share::divide(&part(number, of), &recorded, &found)).collect();
            let mut own: Vec<&str> = all.iter().flat_map(|share| &share.own).map(|name| &**name).collect();
            own.sort_unstable();
            prop_assert_eq!(own, found.iter().map(|name| &**name).collect::<Vec<_>>());
            for share in &all {
                prop_assert_eq!(&share.division, &all[0].division);
                prop_assert!(share.own.is_disjoint(&share.others));
            }
        }
    }
}
