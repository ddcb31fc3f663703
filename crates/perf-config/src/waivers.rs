//! Waivers: known regressions, excused until a date.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate};

use super::Glob;
use super::build::{Built, ConfigBuilder, optional, plain_text};
use super::file::WaiverEntry;
use crate::file::Spanned;

/// A known regression, excused until a date.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// The scenario's key, which may contain wildcards.
    pub scenario: Glob,
    /// The metric, which may contain wildcards. `None` excuses all metrics, and a missing scenario.
    pub metric: Option<Glob>,
    /// Why the regression is excused.
    pub reason: String,
    /// The person who excuses the regression.
    pub by: String,
    /// The last day on which the waiver applies.
    pub until: Date,
    /// The largest cost increase that is excused, as a fraction of the baseline. `None` excuses any increase.
    pub up_to: Option<f64>,
}

impl Waiver {
    /// Whether the waiver covers a scenario.
    pub fn covers(&self, scenario: &str) -> bool {
        self.scenario.matches(scenario)
    }

    /// Whether the waiver excuses this metric in a covered scenario. `None` stands for the whole scenario being missing.
    pub fn excuses(&self, metric: Option<&str>) -> bool {
        match (&self.metric, metric) {
            (None, _) => true,
            (Some(glob), Some(metric)) => glob.matches(metric),
            (Some(_), None) => false,
        }
    }

    /// Whether the waiver excuses this cost increase. If the increase is unknown (`None`), only a waiver without a maximum
    /// excuses it.
    pub fn is_for(&self, growth: Option<f64>) -> bool {
        match (self.up_to, growth) {
            (None, _) => true,
            (Some(most), Some(growth)) => growth <= most,
            (Some(_), None) => false,
        }
    }

    /// Whether the waiver's last day has passed.
    pub fn is_over(&self, today: Date) -> bool {
        today > self.until
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn waiver(&self, entry: &WaiverEntry) -> Built<Waiver> {
        self.name(&entry.scenario, "scenario")?;
        let metric = optional(&entry.metric, |written| self.metrics_like(written))?;
        Ok(Waiver {
            scenario: self.benchmark_pattern(&entry.scenario),
            metric: metric.map(|name| Glob::new(&name)),
            reason: self.filled_text(&entry.reason, "reason")?,
            by: self.filled_text(&entry.by, "person who answers for it")?,
            until: self.day(&entry.until)?,
            up_to: optional(&entry.up_to, |most| self.up_to(most))?,
        })
    }

    fn up_to(&self, most: &Spanned<f64>) -> Built<f64> {
        let is_fit = **most > 0.0;
        self.fraction(
            most,
            is_fit,
            "`up-to` must be a share above 0, such as 0.5 for 50% more",
        )
    }

    fn filled_text(&self, text: &Spanned<String>, what: &str) -> Built<String> {
        match text.trim() {
            "" => Err(self.error(text, format!("a waiver needs a {what}"))),
            said => Ok(said.to_owned()),
        }
    }

    /// Parses a TOML date, or a date in a string.
    fn day(&self, written: &Spanned<toml::Value>) -> Built<Date> {
        plain_text(written).parse().map_err(|no: String| {
            self.error(written, no)
                .hint("a waiver ends on a day such as 2026-12-31")
        })
    }
}

/// A calendar date in the years 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// Returns the UTC date of a time in seconds since 1970. Times after the year 9999 are clamped.
    pub fn at(seconds: u64) -> Self {
        const LAST: i64 = 253_402_300_799;
        let seconds = i64::try_from(seconds).map_or(LAST, |seconds| seconds.min(LAST));
        Self(
            DateTime::from_timestamp(seconds, 0)
                .unwrap_or_default()
                .date_naive(),
        )
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Date {
    type Err = String;

    /// Parses a date such as `2026-12-31`.
    fn from_str(text: &str) -> Result<Self, String> {
        // Only the exact form is valid, without signs, spaces or missing zeros.
        let date = text.parse::<NaiveDate>().ok().map(Self);
        date.filter(|date| text.len() == 10 && date.to_string() == text)
            .ok_or_else(|| format!("`{text}` is not a calendar date"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calendar_dates_are_accepted() {
        for day in [
            "2026-12-31",
            "2024-02-29",
            "2000-02-29",
            "0000-01-01",
            "9999-12-31",
        ] {
            assert_eq!(day.parse::<Date>().unwrap().to_string(), day);
        }
        for text in [
            "",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-00-01",
            "2026-13-01",
            "2026-01-00",
            "2026-1-01",
            "26-01-01",
            "+026-01-01",
            "2026/01/01",
            "2026-01-01 ",
            "12026-01-01",
            "2026-01-0é",
        ] {
            assert_eq!(
                text.parse::<Date>().unwrap_err(),
                format!("`{text}` is not a calendar date")
            );
        }
    }

    #[test]
    fn dates_are_ordered() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert!(day("2026-09-30") < day("2026-10-01") && day("2026-12-31") < day("2027-01-01"));
    }

    #[test]
    fn seconds_are_converted_to_utc_dates() {
        // Expected values from `date -u -d @SECONDS +%F`.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
            (1_798_761_600, "2027-01-01"),
            (253_402_300_799, "9999-12-31"),
            (253_402_300_800, "9999-12-31"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Date::at(seconds).to_string(), day, "{seconds}");
        }
    }
}
