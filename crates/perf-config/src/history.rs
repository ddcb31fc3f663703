//! How earlier baselines are used: how many of them, and the verdict on an unconfirmed regression.

use super::Suspects;
use super::build::{Built, ConfigBuilder};
use super::file::HistorySection;
use crate::file::Spanned;

/// The minimum for `last` and `least`: with fewer values, no normal range can be computed.
const FEWEST: usize = 5;

/// The maximum for `last` and `least`: more baselines than a project keeps for one machine type.
const LARGEST: usize = 1000;

/// How earlier baselines are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryPolicy {
    /// The maximum number of earlier baselines; the latest are used.
    pub last: usize,
    /// The number of earlier values that a normal range requires.
    pub least: usize,
    /// The verdict on a suspected regression that was not confirmed.
    pub suspects: Suspects,
    /// Whether suspects are rerun, so that a slowdown can only fail after a confirmation run. If there are no earlier
    /// baselines, the baseline's runs of one commit are used instead. The config does not set this; the program that reruns
    /// suspects does.
    pub is_rerun: bool,
    /// Whether the config contains `[history]`. If so, the action uses a history.
    pub is_written: bool,
}

impl HistoryPolicy {
    /// Returns the policy for a program that reruns suspects. Unless the config contains `[history]`, it only requires
    /// enough runs to estimate the noise.
    #[must_use]
    pub fn of_reruns(self) -> Self {
        let least = if self.is_written { self.least } else { FEWEST };
        Self {
            is_rerun: true,
            least,
            ..self
        }
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn history(&self, written: Option<&HistorySection>) -> Built<HistoryPolicy> {
        let section = written.cloned().unwrap_or_default();
        let last = self.count(&section.last, "last")?;
        let fewest = self.count(&section.least, "least")?;
        if fewest > last {
            // Point at whichever of the two is in the file.
            let mut span = section.least.span();
            if span.is_empty() {
                span = section.last.span();
            }
            let message = format!("`least` is {fewest}, but only the last {last} are used");
            let hint = "raise `last`, or lower `least`";
            return self.refuse(span, message, hint);
        }
        Ok(HistoryPolicy {
            last,
            least: fewest,
            suspects: section.suspects,
            is_rerun: false,
            is_written: written.is_some(),
        })
    }

    fn count(&self, number: &Spanned<u32>, key: &str) -> Built<usize> {
        match usize::try_from(**number) {
            Ok(count) if (FEWEST..=LARGEST).contains(&count) => Ok(count),
            _ => {
                let message = format!("`{key}` must be from {FEWEST} to {LARGEST}, not `{number}`");
                Err(self.error(number, message))
            }
        }
    }
}
