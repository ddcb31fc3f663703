//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

/// A day of the years 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no day of the calendar")]
pub struct NoDate(String);

impl Date {
    /// A day; `None` where the calendar has none.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let fits = year <= 9999 && (1..=12).contains(&month) && (1..=days(year, month)).contains(&day);
        fits.then_some(Self { year, month, day })
    }

    /// The day, in UTC, of a number of seconds since 1970. After the year 9999 it is its last one.
    pub fn at(seconds: u64) -> Self {
        let mut left = seconds / 86_400;
        let mut date = Self { year: 1970, month: 1, day: 1 };
        while left >= date.days_of_month() {
            if (date.year, date.month) == (9999, 12) {
                return Self { day: 31, ..date };
            }
            left -= date.days_of_month();
            let (years, month) = (u16::from(date.month) / 12, date.month % 12 + 1);
            date = Self { year: date.year + years, month, day: 1 };
        }
        Self { day: u8::try_from(left + 1).unwrap_or(1), ..date }
    }

    fn days_of_month(self) -> u64 {
        u64::from(days(self.year, self.month))
    }
}

fn days(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = NoDate;

    /// Reads `2026-12-31`.
    fn from_str(text: &str) -> Result<Self, NoDate> {
        let date = || {
            let is_digit = |at: &usize| text.as_bytes()[*at].is_ascii_digit();
            let is_shaped = text.len() == 10 && [0, 1, 2, 3, 5, 6, 8, 9].iter().all(is_digit);
            let mut parts = is_shaped.then(|| text.split('-'))?;
            let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
            Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
        };
        date().ok_or_else(|| NoDate(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in ["2026-12-31", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"] {
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
                text.parse::<Date>().unwrap_err().to_string(),
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
