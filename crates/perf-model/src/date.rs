//! Dates in input and output: RFC 3339, a day, or seconds or milliseconds since 1970. Internally, seconds since 1970
//! in UTC.

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat};

/// A bare number this large or larger is in milliseconds: in seconds it would be the year 5138.
const MILLISECONDS: i64 = 100_000_000_000;

/// The years 0000 to 9999, in seconds: all that RFC 3339 can express.
const RFC_3339_YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

const DAY: i64 = 86_400;

/// Parses a date to seconds since 1970: `2031-03-04T09:14:10.5+01:00`, `2031-03-04`, `1930382050` or `1930382050500`.
/// A day becomes its first second in UTC, and a time without a zone is in UTC. Fractions of a second are dropped.
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
        days(day)? * DAY
            + if time.is_empty() {
                0
            } else {
                time_of_day(time)?
            }
    };
    RFC_3339_YEARS.contains(&seconds).then_some(seconds)
}

/// Formats a date as RFC 3339 in UTC. Dates outside the years 0000 to 9999 are clamped.
pub fn text(seconds: i64) -> String {
    let seconds = seconds.clamp(*RFC_3339_YEARS.start(), *RFC_3339_YEARS.end());
    DateTime::from_timestamp(seconds, 0)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Parses digits (no sign) as a number of at most `most`.
fn number(digits: &str, most: i64) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .parse()
        .ok()
        .filter(|number| plain && *number <= most)
}

/// Parses `2031-03-04` as days since 1970.
fn days(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let mut part =
        |length: usize, most| number(parts.next().filter(|part| part.len() == length)?, most);
    let (year, month, day) = (part(4, 9999)?, part(2, 12)?, part(2, 31)?);
    let date = NaiveDate::from_ymd_opt(
        year.try_into().ok()?,
        month.try_into().ok()?,
        day.try_into().ok()?,
    );
    date.map(|date| date.and_time(NaiveTime::MIN).and_utc().timestamp() / DAY)
}

/// Parses `T09:14:10.5+01:00` as seconds since the start of the day in UTC.
fn time_of_day(text: &str) -> Option<i64> {
    let text = text.strip_prefix(['T', 't', ' '])?.trim_start();
    let zone = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (clock, zone) = text.split_at_checked(zone)?;
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?, 23)?, number(parts.next()?, 59)?);
    let (second, fraction) = parts.next().map_or(("0", "0"), |part| {
        part.split_once('.').unwrap_or((part, "0"))
    });
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // A leap second is read as the second after it.
    let second = number(second, 60).filter(|_| is_fraction)?;
    Some(hour * 3600 + minute * 60 + second - offset(zone.trim())?)
}

/// Parses a time zone as its offset from UTC in seconds.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z" | "UTC") {
        return Some(0);
    }
    let ahead = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?;
    let (hours, minutes) = digits
        .split_once(':')
        .or_else(|| digits.split_at_checked(2))?;
    Some(ahead * (number(hours, 23)? * 3600 + number(minutes, 59)? * 60))
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
