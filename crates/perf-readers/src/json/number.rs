//! Numbers as JSON has them, without loss.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use perf_model::row::Value;

/// A number, or what some tools write instead: a number in quotes, or `null`, which was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number(pub(crate) Option<Value>);

impl Number {
    /// The number as a float.
    pub(crate) fn as_f64(self) -> Option<f64> {
        self.0.map(Value::as_f64)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Seen)
    }
}

struct Seen;

impl Visitor<'_> for Seen {
    type Value = Number;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number(Some(Value::Int(number))))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a count above 2^63 is kept as well as a float can"
    )]
    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        Ok(Number(i64::try_from(number).map_or_else(
            |_| Value::new(number as f64),
            |whole| Some(Value::Int(whole)),
        )))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
        Ok(Number(Value::new(number)))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Number, E> {
        match text.trim() {
            "" | "NaN" | "N/A" | "inf" | "-inf" | "Infinity" | "-Infinity" => Ok(Number(None)),
            text => Value::parse(text)
                .map(|value| Number(Some(value)))
                .ok_or_else(|| E::custom(format!("invalid number `{text}`"))),
        }
    }

    fn visit_unit<E>(self) -> Result<Number, E> {
        Ok(Number(None))
    }
}

/// True if a text has a number closer to 0 than any float, which would be read as 0.
fn has_underflow(text: &[u8]) -> bool {
    let is_exponent = |sign: &usize| text[..*sign].ends_with(b"e") || text[..*sign].ends_with(b"E");
    memchr::memchr_iter(b'-', text)
        .filter(is_exponent)
        .any(|sign| {
            let is_of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
            let start = text[..sign - 1]
                .iter()
                .rposition(|byte| !is_of_number(byte))
                .map_or(0, |before| before + 1);
            let digits = text[sign + 1..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let number = std::str::from_utf8(&text[start..=sign + digits]).unwrap_or_default();
            digits > 2
                && start < sign - 1
                && Value::parse(number).is_none()
                && !ends_in_string(&text[..start])
        })
}

/// True if a JSON text ends within a string: identifiers may have digits like those of a number.
fn ends_in_string(text: &[u8]) -> bool {
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    in_string
}

/// Parses a JSON text. As a number that is too large, one that is too close to 0 is an error.
///
/// # Errors
/// What is wrong with the text, or with a number.
pub(crate) fn from_slice<'t, T: Deserialize<'t>>(text: &'t [u8]) -> serde_json::Result<T> {
    in_range(text, serde_json::from_slice(text)?)
}

/// Returns the value parsed from a text, or an error if it has a number that would be read as 0.
pub(crate) fn in_range<T>(text: &[u8], value: T) -> serde_json::Result<T> {
    if has_underflow(text) {
        Err(serde::de::Error::custom("number out of range"))
    } else {
        Ok(value)
    }
}

/// A value in which infinities stand as `null`, and something for `NaN`: both are no JSON, but some tools print them.
pub(crate) fn with_nan_as<'t>(text: &'t [u8], nan: &str) -> Cow<'t, [u8]> {
    const NONE: [&[u8]; 5] = [b"-Infinity", b"Infinity", b"-NaN", b"NaN", b"-nan"];
    let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    let capital = memchr::memchr2(b'N', b'I', text).is_some();
    if !(capital && (has(b"NaN") || has(b"Infinity")) || has(b"-nan")) {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = text.get(at) {
        let none = NONE
            .iter()
            .find(|word| !in_string && text[at..].starts_with(word));
        match (byte, none) {
            (_, Some(word)) => {
                let is_infinity = word.ends_with(b"Infinity");
                plain.extend_from_slice(if is_infinity { b"null" } else { nan.as_bytes() });
                at += word.len();
                continue;
            }
            (b'\\', _) if in_string => {
                plain.push(*byte);
                at += 1;
            }
            (b'"', _) => in_string = !in_string,
            _ => {}
        }
        plain.extend(text.get(at));
        at += 1;
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_keeps_its_digits() {
        let read = |text: &str| serde_json::from_str::<Number>(text).unwrap().0;
        assert_eq!(
            read("9007199254740993"),
            Some(Value::Int(9_007_199_254_740_993))
        );
        assert_eq!(read("0.1"), Some(Value::Real(0.1)));
        assert_eq!(
            read("2.2250738585072014e-308"),
            Value::new(f64::MIN_POSITIVE)
        );
        assert_eq!(read("5000.0"), Some(Value::Int(5000)));
        assert_eq!(read("\"12.5\""), Some(Value::Real(12.5)));
        assert_eq!(read("null"), None);
        assert_eq!(read("\"NaN\""), None);
        assert!(serde_json::from_str::<Number>("\"fast\"").is_err());
        assert!(serde_json::from_str::<Number>("[1]").is_err());
    }

    #[test]
    fn nan_becomes_null_outside_strings() {
        let plain = with_nan_as(
            br#"{"a":NaN,"NaN \" NaN":-Infinity,"b":[Infinity,1]}"#,
            "null",
        );
        assert_eq!(plain, &br#"{"a":null,"NaN \" NaN":null,"b":[null,1]}"#[..]);
    }
}
