//! Checks the shards that matrix jobs measured: each must report once, and all must have divided the same suite.

use std::collections::BTreeMap;

use perf_report::markdown::escape::code;

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
    pub(crate) fn of(jobs: &[JobStamp]) -> Self {
        let mut suites: BTreeMap<Vec<String>, Vec<&ShardStamp>> = BTreeMap::new();
        for job in jobs {
            if let Some(shard) = &job.shard {
                let number = shard.number.to_string();
                let numbers = [format!("{number}/{}", shard.of), number];
                let mut values = job.name.values.clone();
                if let Some(at) = values.iter().rposition(|value| numbers.contains(value)) {
                    values.remove(at);
                }
                suites.entry(values).or_default().push(shard);
            }
        }
        let mut found = Self::default();
        for (values, shards) in &suites {
            let place = match suites.len() {
                1 => String::new(),
                _ => format!(" ({})", code(&values.join(", "))),
            };
            found.add(shards, &place);
        }
        found
    }

    fn add(&mut self, shards: &[&ShardStamp], place: &str) {
        let mut of = 0;
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for shard in shards {
            if (shard.of, &shard.division) != (shards[0].of, &shards[0].division) {
                let fault = format!("the shards{place} divided different suites");
                self.faults.push(fault);
                return;
            }
            of = shard.of;
            *counts.entry(shard.number).or_default() += 1;
        }
        let missing = (1..=of).filter(|number| !counts.contains_key(number));
        for number in missing.take(Self::NAMED) {
            self.missing.push(format!("shard {number} of {of}{place}"));
        }
        for (number, count) in counts {
            if count > 1 {
                let fault = format!("shard {number} of {of}{place} reported twice");
                self.faults.push(fault);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobName;

    /// A job with a shard such as `1/3.aaaaaa`.
    fn job(values: &[&str], shard: &str) -> JobStamp {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        let (numbers, division) = shard.split_once('.').unwrap();
        let (number, of) = numbers.split_once('/').unwrap();
        let shard = ShardStamp {
            number: number.parse().unwrap(),
            of: of.parse().unwrap(),
            division: division.to_owned(),
        };
        JobStamp {
            of: 3,
            ended: false,
            shard: Some(shard),
            name: JobName {
                workflow: "ci".to_owned(),
                job: "perf".to_owned(),
                values,
            },
        }
    }

    fn shards(jobs: &[JobStamp]) -> (Vec<String>, Vec<String>) {
        let shards = Shards::of(jobs);
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
            ["shard 2 of 2 (`linux`)", "shard 1 of 2 (`macos`)"]
        );
    }

    #[test]
    fn repeated_or_differently_divided_shards_are_errors() {
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
