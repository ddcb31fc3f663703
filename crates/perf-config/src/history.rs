//! The use of earlier baselines: how many, and what becomes of an unconfirmed regression.

use super::Suspects;
use super::build::{Built, ConfigBuilder};
use super::file::HistorySection;
use crate::file::Spanned;

/// With fewer values, the normal range is unknown.
const LEAST: usize = 5;

/// More than these nobody keeps, and the machine of the first is long gone.
const MOST: usize = 1000;

/// The use of earlier baselines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryPolicy {
    /// The maximum number of earlier baselines that are used: the last ones.
    pub last: usize,
    /// The number of earlier values from which a normal range is known.
    pub least: usize,
    /// The verdict on a suspected regression that was not confirmed.
    pub suspects: Suspects,
    /// Whether no slowdown fails before a confirmation run; a baseline's runs of one commit are then used as earlier
    /// values if there are no others. Not a setting: the program that reruns suspects sets it.
    pub is_rerun: bool,
    /// Whether the config contains the section: the action then uses a history.
    pub is_written: bool,
}

impl HistoryPolicy {
    /// The same for a program that looks twice: as many runs as can say anything of the noise are enough, unless the config
    /// says otherwise.
    #[must_use]
    pub fn of_reruns(self) -> Self {
        let least = if self.is_written { self.least } else { LEAST };
        Self {
            is_rerun: true,
            least,
            ..self
        }
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn history(&self, written: Option<&HistorySection>) -> Built<HistoryPolicy> {
        let default = HistorySection::default();
        let section = written.unwrap_or(&default);
        let last = self.count(&section.last, "last")?;
        let policy = HistoryPolicy {
            last,
            least: self.count(&section.least, "least")?,
            suspects: section.suspects,
            is_rerun: false,
            is_written: written.is_some(),
        };
        if policy.least > last {
            // At whichever of the two is written.
            let span = Some(section.least.span()).filter(|span| !span.is_empty());
            let message = format!(
                "`least` is {}, but only the last {last} are looked at",
                policy.least
            );
            let hint = "`last` must be as large as `least`, or larger";
            return self.refuse(span.unwrap_or(section.last.span()), message, hint);
        }
        Ok(policy)
    }

    fn count(&self, number: &Spanned<u32>, key: &str) -> Built<usize> {
        match usize::try_from(*number.get_ref()) {
            Ok(count) if (LEAST..=MOST).contains(&count) => Ok(count),
            _ => {
                let message = format!(
                    "`{key}` must be from {LEAST} to {MOST}, not `{}`",
                    number.get_ref()
                );
                Err(self.error(number.span(), message))
            }
        }
    }
}
