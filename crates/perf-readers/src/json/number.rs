//! JSON numbers. Integers that fit into 64 bits are read exactly.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use perf_model::row::Value;

/// A JSON number. Some tools write a number in quotes, or `null` for a number that was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number(pub(crate) Option<Value>);

impl Number {
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

/// Replaces infinities with `null`, and NaN with the given text. JSON contains neither, but some tools print them.
pub(super) fn with_nan_as<'t>(text: &'t str, nan: &str) -> Cow<'t, str> {
    const NONE: [&str; 5] = ["-Infinity", "Infinity", "-NaN", "NaN", "-nan"];
    if !NONE.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut rest, mut in_string) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(['"', '\\', 'I', 'N', '-']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(word) = NONE
            .iter()
            .find(|word| !in_string && rest.starts_with(**word))
        {
            plain.push_str(if word.ends_with("Infinity") {
                "null"
            } else {
                nan
            });
            rest = &rest[word.len()..];
            continue;
        }
        let mut length = 1;
        if let Some(escaped) = rest.strip_prefix('\\') {
            length += escaped.chars().next().map_or(0, char::len_utf8);
        }
        in_string ^= rest.starts_with('"');
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    plain.push_str(rest);
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
            r#"{"a":NaN,"NaN \" NaN":-Infinity,"":[Infinity,1]}"#,
            "null",
        );
        assert_eq!(plain, r#"{"a":null,"NaN \" NaN":null,"":[null,1]}"#);
    }
}
