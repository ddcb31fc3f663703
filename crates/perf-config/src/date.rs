//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate};

/// A day of the years 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

impl Date {
    /// A day; `None` where the calendar has none.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
        date.filter(|_| year <= 9999).map(Self)
    }

    /// The day, in UTC, of a number of seconds since 1970. After the year 9999 it is its last one.
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

    /// Reads `2026-12-31`.
    fn from_str(text: &str) -> Result<Self, String> {
        // What is read is written the same: no signs, spaces or missing zeros.
        let date = text.parse::<NaiveDate>().ok().map(Self);
        date.filter(|date| text.len() == 10 && date.to_string() == text)
            .ok_or_else(|| format!("`{text}` is no day of the calendar"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
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
                format!("`{text}` is no day of the calendar")
            );
        }
    }

    #[test]
    fn days_follow_each_other() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert!(day("2026-09-30") < day("2026-10-01") && day("2026-12-31") < day("2027-01-01"));
    }

    #[test]
    fn seconds_tell_the_day() {
        // As `date -u -d @SECONDS +%F` says.
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
