//! The verdicts that fail.

use std::str::FromStr;

use perf_config::{Config, FailOn};
use perf_verdict::FailingVerdicts;

/// The verdicts that fail; if it is empty, nothing fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOnList(pub Vec<FailOn>);

impl FailOnList {
    /// The config's verdicts, otherwise `regressed` and `missing`.
    pub(crate) fn of(config: &Config) -> Self {
        let written = config.deltas.fail_on.clone();
        Self(written.unwrap_or_else(|| vec![FailOn::Regressed, FailOn::Missing]))
    }

    /// The worse verdicts that fail.
    pub(crate) fn fails(&self) -> FailingVerdicts {
        FailingVerdicts::of(&self.0)
    }
}

impl FromStr for FailOnList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        FailOn::parse_list(text).map(Self)
    }
}
