//! The workflow job of a report.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

/// A job's name: the workflow's name, a slash, and the job's name with its matrix values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobName(String);

impl JobName {
    const LONGEST: usize = 120;

    /// Builds the name `WORKFLOW/JOB (VALUE, VALUE)`. Replaces characters that could end a hidden line or have a meaning in
    /// Markdown, and adds a hash then, so that different names stay different.
    pub fn new(workflow: &str, job: &str, values: &[String]) -> Self {
        let plain = |text: &str, extra: &str| -> String {
            let is_plain = |c: char| c.is_alphanumeric() || extra.contains(c);
            text.chars()
                .map(|c| if is_plain(c) { c } else { '-' })
                .take(Self::LONGEST / 3)
                .collect()
        };
        let values = values.join(", ");
        let given = |values: &str| {
            if values.is_empty() {
                String::new()
            } else {
                format!(" ({values})")
            }
        };
        let mut name = plain(workflow, " ._-")
            + "/"
            + &plain(job, " ._-")
            + &given(&plain(&values, " ._-,+/:="));
        while name.contains("--") {
            name = name.replace("--", "-");
        }
        let whole = format!("{workflow}/{job}{}", given(&values));
        if name.trim() == whole {
            return Self(whole);
        }
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        Self(format!(
            "{} {:06x}",
            name.trim(),
            hasher.finish() & 0xff_ffff
        ))
    }

    /// The common name for all jobs in a matrix, without their values.
    pub fn of_matrix(workflow: &str, job: &str) -> Self {
        // With a value, the hash in an unusual name is after the parenthesis, so `group_of` removes it.
        Self::new(workflow, job, &["1".to_owned()]).group_of()
    }

    /// The common name for all jobs in its matrix.
    pub(crate) fn group_of(&self) -> Self {
        Self(self.group().to_owned())
    }

    /// The displayed name, without the workflow.
    pub(crate) fn shown(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// Its matrix values, without the last one that is in `these`.
    pub(crate) fn values_without(&self, these: &[String]) -> String {
        let values = self.0[self.group().len()..].trim_matches([' ', '(', ')']);
        let mut values: Vec<&str> = values.split(", ").collect();
        if let Some(at) = values
            .iter()
            .rposition(|value| these.iter().any(|this| this == value))
        {
            values.remove(at);
        }
        values.join(", ")
    }

    /// The job without its matrix values.
    pub(crate) fn group(&self) -> &str {
        let from = self.0.find('/').unwrap_or_default();
        let values = self.0[from..].find('(');
        values.map_or(&*self.0, |at| self.0[..from + at].trim_end())
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_alphanumeric() || " ._-,+/:=()".contains(c);
        let fits = (1..=2 * Self::LONGEST).contains(&text.chars().count());
        if fits && text.trim() == text && text.chars().all(is_plain) && !text.contains("--") {
            return Ok(Self(text.to_owned()));
        }
        Err("1 to 240 letters, digits, spaces and ` ._-,+/:=()`, without `--`".to_owned())
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A job in a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobStamp {
    /// The number of jobs in its matrix, or 0 if unknown.
    pub(crate) of: u32,
    /// The measured part of the suite.
    pub(crate) shard: Option<ShardStamp>,
    pub(crate) name: JobName,
}

impl JobStamp {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (of, name) = text.strip_prefix("of=")?.split_once(" job=")?;
        let (of, shard) = match of.split_once(" shard=") {
            Some((of, shard)) => (of, Some(shard.parse().ok()?)),
            None => (of, None),
        };
        let stamp = Self {
            of: of.parse().ok()?,
            shard,
            name: name.parse().ok()?,
        };
        (stamp.to_string() == text).then_some(stamp)
    }
}

impl fmt::Display for JobStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shard = self
            .shard
            .as_ref()
            .map_or_else(String::new, |shard| format!(" shard={shard}"));
        write!(f, "of={}{shard} job={}", self.of, self.name)
    }
}

/// A job's shard and the fingerprint of the division, such as `2/8.3f2a91`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardStamp {
    /// The number, from 1.
    pub number: u32,
    /// The number of shards.
    pub of: u32,
    /// The fingerprint of the suite's division, hexadecimal.
    pub division: String,
}

impl FromStr for ShardStamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = || {
            let (numbers, division) = text.split_once('.')?;
            let (number, of) = numbers.split_once('/')?;
            let is_plain =
                division.len() == 6 && division.bytes().all(|byte| byte.is_ascii_hexdigit());
            let division = is_plain.then(|| division.to_owned())?;
            let stamp = Self {
                number: number.parse().ok()?,
                of: of.parse().ok()?,
                division,
            };
            ((1..=stamp.of).contains(&stamp.number) && stamp.to_string() == text).then_some(stamp)
        };
        parsed().ok_or_else(|| "a shard such as `2/8.3f2a91`".to_owned())
    }
}

impl fmt::Display for ShardStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}.{}", self.number, self.of, self.division)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_shard_stamps_are_rejected() {
        for wrong in [
            "1/2",
            "0/2.aaaaaa",
            "3/2.aaaaaa",
            "1/2.aaaaa",
            "01/2.aaaaaa",
            "1/2.aaaaa-",
        ] {
            assert!(wrong.parse::<ShardStamp>().is_err(), "{wrong}");
        }
    }
}
