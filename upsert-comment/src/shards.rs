//! Checks the shards that matrix jobs measured: each must report once, and all must have divided the same suite.

use std::collections::{BTreeMap, BTreeSet};

use crate::job::{JobStamp, ShardStamp};

/// The shards that have not reported yet, and inconsistencies among those that have, as sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shards {
    pub(crate) missing: Vec<String>,
    pub(crate) faults: Vec<String>,
}

impl Shards {
    /// The maximum number of listed shards.
    const NAMED: usize = 8;

    /// Checks the jobs' shards. Jobs that differ in another matrix value run the suite separately.
    pub(crate) fn of<'j>(jobs: impl Iterator<Item = &'j JobStamp>) -> Self {
        let mut sets: BTreeMap<String, Vec<(&JobStamp, &ShardStamp)>> = BTreeMap::new();
        for job in jobs {
            if let Some(shard) = &job.shard {
                let number = [
                    shard.number.to_string(),
                    format!("{}/{}", shard.number, shard.of),
                ];
                sets.entry(job.name.values_without(&number))
                    .or_default()
                    .push((job, shard));
            }
        }
        let mut all = Self::default();
        for (values, jobs) in &sets {
            let place = if sets.len() > 1 {
                format!(" ({values})")
            } else {
                String::new()
            };
            all.add(jobs, &place);
        }
        all
    }

    fn add(&mut self, jobs: &[(&JobStamp, &ShardStamp)], place: &str) {
        let divisions: BTreeSet<_> = jobs
            .iter()
            .map(|(_, shard)| (shard.of, &shard.division))
            .collect();
        if divisions.len() > 1 {
            self.faults
                .push(format!("the shards{place} divided different suites"));
            return;
        }
        let of = jobs.first().map_or(0, |(_, shard)| shard.of);
        let mut missing = Vec::new();
        for number in 1..=of {
            match jobs
                .iter()
                .filter(|(_, shard)| shard.number == number)
                .count()
            {
                0 => missing.push(format!("shard {number} of {of}{place}")),
                1 => {}
                _ => self
                    .faults
                    .push(format!("shard {number} of {of}{place} reported twice")),
            }
        }
        self.missing.extend(missing.into_iter().take(Self::NAMED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobName;

    fn job(values: &[&str], shard: &str) -> JobStamp {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        let shard = Some(shard.parse().unwrap());
        JobStamp {
            of: 3,
            shard,
            name: JobName::new("ci", "perf", &values),
        }
    }

    fn shards(jobs: &[JobStamp]) -> (Vec<String>, Vec<String>) {
        let shards = Shards::of(jobs.iter());
        (shards.missing, shards.faults)
    }

    #[test]
    fn shard_is_missing_until_it_reports() {
        let (missing, faults) = shards(&[job(&["1"], "1/3.aaaaaa"), job(&["3"], "3/3.aaaaaa")]);
        assert_eq!(
            (missing, faults.len()),
            (vec!["shard 2 of 3".to_owned()], 0)
        );
        let systems = [
            job(&["linux", "1/2"], "1/2.aaaaaa"),
            job(&["macos", "2/2"], "2/2.bbbbbb"),
        ];
        assert_eq!(
            shards(&systems).0,
            ["shard 2 of 2 (linux)", "shard 1 of 2 (macos)"]
        );
    }

    #[test]
    fn repeated_and_differently_divided_shards_are_faults() {
        let twice = [job(&["a"], "1/2.aaaaaa"), job(&["b"], "1/2.aaaaaa")];
        assert_eq!(
            shards(&twice).1,
            [""; 0],
            "other matrix values are another run of the suite"
        );
        let twice = [job(&["1"], "1/2.aaaaaa"), job(&["1/2"], "1/2.aaaaaa")];
        assert_eq!(shards(&twice).1, ["shard 1 of 2 reported twice"]);
        let other = [job(&["1"], "1/2.aaaaaa"), job(&["2"], "2/2.bbbbbb")];
        assert_eq!(shards(&other).1, ["the shards divided different suites"]);
    }
}
