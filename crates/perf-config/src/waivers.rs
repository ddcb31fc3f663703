//! Waivers: regressions that are known, and excused until a day.

use super::build::{Built, ConfigBuilder};
use super::file::WaiverEntry;
use super::{Date, Glob};
use crate::spanned::Spanned;

/// A regression that is known and excused for a while.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// The scenario's key, with wildcards.
    pub scenario: Glob,
    /// The metric's name, with wildcards; `None` is all of them, and that the scenario is missing.
    pub metric: Option<Glob>,
    /// The reason.
    pub reason: String,
    /// The person who answers for it.
    pub by: String,
    /// The last day.
    pub until: Date,
    /// The largest growth of the cost that it excuses, as a share; `None` excuses any.
    pub up_to: Option<f64>,
}

impl Waiver {
    /// True if it is for a scenario.
    pub fn covers(&self, scenario: &str) -> bool {
        self.scenario.matches(scenario)
    }

    /// True if it excuses this metric of a scenario that it covers; for `None`, that the scenario is missing.
    pub fn excuses(&self, metric: Option<&str>) -> bool {
        match (&self.metric, metric) {
            (None, _) => true,
            (Some(glob), Some(metric)) => glob.matches(metric),
            (Some(_), None) => false,
        }
    }

    /// True if it excuses a growth of the cost; where nothing says how large it is, any.
    pub fn is_for(&self, growth: Option<f64>) -> bool {
        self.up_to
            .zip(growth)
            .is_none_or(|(most, growth)| growth <= most)
    }

    /// True if its last day has passed.
    pub fn is_over(&self, today: Date) -> bool {
        today > self.until
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn waiver(&self, entry: &WaiverEntry) -> Built<Waiver> {
        let metric = entry
            .metric
            .as_ref()
            .map(|written| self.metrics_like(written))
            .transpose()?;
        Ok(Waiver {
            scenario: Glob::new(self.name(&entry.scenario, "scenario")?),
            metric: metric.map(|(_, glob)| glob),
            reason: self.filled_text(&entry.reason, "reason")?,
            by: self.filled_text(&entry.by, "person who answers for it")?,
            until: self.day(&entry.until)?,
            up_to: entry
                .up_to
                .as_ref()
                .map(|most| self.up_to(most))
                .transpose()?,
        })
    }

    fn up_to(&self, most: &Spanned<f64>) -> Built<f64> {
        let is_fit = *most.get_ref() > 0.0;
        self.fraction(
            most,
            is_fit,
            "`up-to` must be a share above 0, such as 0.5 for 50% more",
        )
    }

    fn filled_text(&self, text: &Spanned<String>, what: &str) -> Built<String> {
        match text.get_ref().trim() {
            "" => Err(self.error(text.span(), format!("a waiver needs a {what}"))),
            said => Ok(said.to_owned()),
        }
    }

    /// A day, as a date of TOML or as text.
    fn day(&self, written: &Spanned<toml::Value>) -> Built<Date> {
        let text = match written.get_ref() {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        text.parse().map_err(|no: String| {
            self.error(written.span(), no)
                .hint("a waiver ends on a day such as 2026-12-31")
        })
    }
}
