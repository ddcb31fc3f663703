//! Dates in input and output: RFC 3339, a bare date, or seconds or milliseconds since 1970. Internally, a date is the
//! number of seconds since 1970 in UTC.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat};

/// A bare number this large or larger is in milliseconds. In seconds, it would be in the year 5138 or later.
const MILLISECONDS: i64 = 100_000_000_000;

/// The years 0000 to 9999 in seconds. RFC 3339 cannot express other years.
const RFC_3339_YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Parses a date to seconds since 1970: `2031-03-04T09:14:10.5+01:00`, `2031-03-04`, `1930382050` or `1930382050500`. A
/// bare date means midnight UTC, and a time without a zone is in UTC. Fractions of a second are dropped.
///
/// ```
/// # use perf_model::date;
/// assert_eq!(date::parse("1970-01-02T01:00:00+01:00"), Some(86_400));
/// assert_eq!(date::parse("yesterday"), None);
/// ```
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let seconds = if text.len() >= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        if number < MILLISECONDS {
            number
        } else {
            number / 1000
        }
    } else {
        let (day, time) = text.split_at_checked(10)?;
        // Chrono also accepts signs and missing zeros, so compare with its own form of the date.
        let date: NaiveDate = day.parse().ok()?;
        if date.to_string() != day {
            return None;
        }
        if time.is_empty() {
            date.and_time(NaiveTime::MIN).and_utc().timestamp()
        } else {
            time_of_day(day, time.strip_prefix(['T', 't', ' '])?)?
        }
    };
    RFC_3339_YEARS.contains(&seconds).then_some(seconds)
}

/// Parses `09:14:10.5+01:00` on this day as seconds since 1970.
fn time_of_day(day: &str, time: &str) -> Option<i64> {
    let zone = ["UTC", "Z", "z"];
    let utc = zone.iter().find_map(|zone| time.strip_suffix(zone));
    let moment = format!("{day} {}", utc.unwrap_or(time).trim());
    for format in ["%F %H:%M:%S%.f", "%F %H:%M"] {
        if let Ok(date) = NaiveDateTime::parse_from_str(&moment, format) {
            return Some(date.and_utc().timestamp());
        }
        if utc.is_none()
            && let Ok(date) = DateTime::parse_from_str(&moment, &format!("{format} %#z"))
        {
            return Some(date.timestamp());
        }
    }
    None
}

/// Formats a date as RFC 3339 in UTC. Dates outside the years 0000 to 9999 are clamped.
pub fn text(seconds: i64) -> String {
    let seconds = seconds.clamp(*RFC_3339_YEARS.start(), *RFC_3339_YEARS.end());
    DateTime::from_timestamp(seconds, 0)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_supported_format_is_parsed() {
        let moment = Some(1_930_295_650);
        for text in [
            "2031-03-03T09:14:10Z",
            "2031-03-03T09:14:10",
            "2031-03-03 09:14:10.999 UTC",
            "2031-03-03t10:14:10.5+01:00",
            "2031-03-03T04:44:10-0430",
            "2031-03-03 09:14:10 +0000",
            "1930295650",
            "1930295650123",
        ] {
            assert_eq!(parse(text), moment, "{text}");
        }
        assert_eq!(
            parse("2024-02-29").map(text).as_deref(),
            Some("2024-02-29T00:00:00Z")
        );
        assert_eq!(parse("2031-03-03T09:14Z"), Some(1_930_295_640));
    }

    #[test]
    fn invalid_dates_are_rejected() {
        for text in [
            "",
            "yesterday",
            "12",
            "2031",
            "1.5",
            "-1",
            "2031-13-01",
            "2023-02-29",
            "2031-3-4",
            "2031-03-04T",
            "2031-03-04T24:00:00Z",
            "2031-03-04T09:14:10.Z",
            "2031-03-04T09:14:10+25:00",
            "+031-03-04",
            "2031-03-0é",
            "99999999999999999999",
            "0000-01-01T00:00:00+01:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_date_reads_back_as_itself(seconds in RFC_3339_YEARS) {
            prop_assert_eq!(parse(&text(seconds)), Some(seconds));
        }

        #[test]
        fn no_text_panics(written in any::<String>()) {
            parse(&written);
        }
    }
}
