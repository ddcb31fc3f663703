//! How earlier baselines are used.

use toml::Spanned;

use super::Suspects;
use super::build::{Builder, Built};
use super::file::HistorySection;

/// With fewer values than these nothing can be said of what is normal.
const LEAST: u32 = 5;

/// More than these nobody keeps, and the machine of the first is long gone.
const MOST: u32 = 1000;

/// How earlier baselines are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryPolicy {
    /// How many of them are looked at: the last ones.
    pub last: usize,
    /// With how many what is normal is known.
    pub least: usize,
    /// What becomes of a suspect that was not confirmed.
    pub suspects: Suspects,
    /// How much worse than the best sustained level fails, as a fraction; `None` lets it be.
    pub ratchet: Option<f64>,
}

impl Builder<'_> {
    pub(super) fn history(&self, section: &HistorySection) -> Built<HistoryPolicy> {
        let (last, least) = (*section.last.get_ref(), *section.least.get_ref());
        for (key, number) in [("last", &section.last), ("least", &section.least)] {
            let value = number.get_ref();
            if !(LEAST..=MOST).contains(value) {
                let message = format!("`{key}` must be from {LEAST} to {MOST}, not `{value}`");
                return Err(self.error(number.span(), message));
            }
        }
        if least > last {
            return Err(self.more_than_there_are(section));
        }
        Ok(HistoryPolicy {
            last: usize::try_from(last).unwrap_or(usize::MAX),
            least: usize::try_from(least).unwrap_or(usize::MAX),
            suspects: section.suspects,
            ratchet: section.ratchet.as_ref().map(|number| self.ratchet(number)).transpose()?,
        })
    }

    /// The mistake at whichever of the two is written.
    fn more_than_there_are(&self, section: &HistorySection) -> super::CatalogueError {
        let (last, least) = (&section.last, &section.least);
        let span = if least.span().is_empty() { last.span() } else { least.span() };
        let message =
            format!("`least` is {}, but only the last {} are looked at", least.get_ref(), last.get_ref());
        self.error(span, message).with_hint("`last` must be as large as `least`, or larger".to_owned())
    }

    fn ratchet(&self, number: &Spanned<f64>) -> Built<f64> {
        let is_fit = *number.get_ref() > 0.0 && *number.get_ref() < 1.0;
        self.fraction(number, is_fit, "`ratchet` must be a fraction above 0, below 1")
    }
}
