//! A small JSON value that a reader inspects as a whole, such as an entry of a document or a summary.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::json::number::Number;
use crate::rows::Metrics;
use crate::units::shifted;
use perf_model::row::Value;

/// A JSON value. Nested values are found by their keys, which are separated by `/`: `latency/mean`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Json<'a> {
    Number(Value),
    Text(Cow<'a, str>),
    Flag(bool),
    List(Vec<Self>),
    Object(Vec<(Cow<'a, str>, Self)>),
    /// `null`, or an invalid number.
    #[default]
    Null,
}

impl<'a> Json<'a> {
    /// Returns the value at a path; [`Json::Null`] if it is missing.
    pub(crate) fn at(&self, path: &str) -> &Self {
        path.split('/')
            .filter(|key| !key.is_empty())
            .fold(self, |json, key| match json {
                Self::Object(entries) => entries
                    .iter()
                    .find(|(name, _)| name == key)
                    .map_or(&Self::Null, |(_, at)| at),
                _ => &Self::Null,
            })
    }

    /// Whether there is a value other than `null` at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        *self.at(path) != Self::Null
    }

    /// Returns the number at a path. The number may be in quotes.
    pub(crate) fn number(&self, path: &str) -> Option<Value> {
        self.at(path).as_number()
    }

    pub(crate) fn whole(&self, path: &str) -> Option<i64> {
        match self.number(path)? {
            Value::Int(whole) => Some(whole),
            Value::Real(_) => None,
        }
    }

    /// Returns the sum of the whole numbers in this object whose keys match.
    pub(crate) fn sum(&self, is_counted: impl Fn(&str) -> bool) -> i64 {
        let counted = self.entries().iter().filter(|(key, _)| is_counted(key));
        counted
            .filter_map(|(_, count)| count.whole(""))
            .fold(0, i64::saturating_add)
    }

    /// Returns the number at a path with its decimal point moved by this many places.
    pub(crate) fn shifted(&self, path: &str, places: i32) -> Option<Value> {
        match self.number(path)? {
            number if places == 0 => Some(number),
            number => shifted(&number.to_string(), places),
        }
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.at(path) {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text at a path, or an empty string if it is missing.
    pub(crate) fn text_or_empty(&self, path: &str) -> &str {
        self.text(path).unwrap_or_default()
    }

    /// True if the value at a path is `true`.
    pub(crate) fn flag(&self, path: &str) -> bool {
        *self.at(path) == Self::Flag(true)
    }

    pub(crate) fn list(&self, path: &str) -> &[Self] {
        match self.at(path) {
            Self::List(values) => values,
            _ => &[],
        }
    }

    /// Returns the numbers in the list at a path. Other values become `None`.
    pub(crate) fn samples(&self, path: &str) -> Vec<Option<Value>> {
        self.list(path).iter().map(Self::as_number).collect()
    }

    /// Returns this value as a number, which may be in quotes.
    pub(crate) fn as_number(&self) -> Option<Value> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => Value::parse(text.trim()),
            _ => None,
        }
    }

    /// Returns the keys and values of this object, in the order of the document.
    pub(crate) fn entries(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the keys of this object whose values are numbers, with these numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&str, Value)> {
        self.entries()
            .iter()
            .filter_map(|(name, value)| match value {
                Self::Number(value) => Some((&**name, *value)),
                _ => None,
            })
    }

    /// Returns the same value with owned strings.
    pub(crate) fn into_owned(self) -> Json<'static> {
        match self {
            Self::Number(value) => Json::Number(value),
            Self::Text(text) => Json::Text(text.into_owned().into()),
            Self::Flag(flag) => Json::Flag(flag),
            Self::List(values) => Json::List(values.into_iter().map(Json::into_owned).collect()),
            Self::Object(entries) => {
                let owned = |(key, value): (Cow<'_, str>, Self)| {
                    (key.into_owned().into(), value.into_owned())
                };
                Json::Object(entries.into_iter().map(owned).collect())
            }
            Self::Null => Json::Null,
        }
    }

    /// Returns the metrics in `table`, which pairs each metric's name with the path to its number.
    pub(crate) fn metrics(&self, table: &[(&'static str, &str)]) -> Metrics {
        table
            .iter()
            .map(|(metric, path)| (*metric, self.number(path)))
            .collect()
    }
}

/// Writes strings without quotes. Lists and objects are abbreviated.
impl fmt::Display for Json<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(formatter, "{value}"),
            Self::Text(text) => formatter.write_str(text),
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Null => formatter.write_str("null"),
            Self::List(_) => formatter.write_str("[…]"),
            Self::Object(_) => formatter.write_str("{…}"),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Json::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(Value::Int(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        let number = Number::deserialize(number.into_deserializer())?;
        Ok(number.0.map_or(Json::Null, Json::Number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::new(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut object = Vec::new();
        while let Some(Json::Text(name)) = entries.next_key()? {
            object.push((name, entries.next_value()?));
        }
        Ok(Json::Object(object))
    }
}

/// The keys that an object must contain.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The noun for such an object in messages.
    what: &'static str,
    required: &'static [&'static str],
}

impl Shape {
    /// Describes objects that contain these keys, and possibly others.
    pub(crate) const fn of(what: &'static str, required: &'static [&'static str]) -> Self {
        Self { what, required }
    }

    /// Returns the value if it is such an object, and an error otherwise.
    pub(super) fn check(self, json: Json<'_>) -> serde_json::Result<Json<'_>> {
        let Json::Object(entries) = &json else {
            return Err(Error::custom(format!("expected {}", self.what)));
        };
        for key in self.required {
            if !entries.iter().any(|(name, _)| name == key) {
                return Err(Error::missing_field(key));
            }
        }
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_path() {
        let text = r#"{"a":1,"b\n":"x","c":true,"d":[1,{"a":2}],"e":{"a":3},"f":null,"g":"12.5"," 2":0.5}"#;
        let json: Json<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(json.number("a"), Some(Value::Int(1)));
        assert_eq!(json.text("b\n"), Some("x"));
        assert!(json.flag("c") && !json.flag("a"));
        assert_eq!(
            [
                json.number("d"),
                json.number("e"),
                json.number("f"),
                json.number("z")
            ],
            [None; 4]
        );
        assert_eq!(json.number("e/a"), Some(Value::Int(3)));
        assert_eq!(json.samples("d"), [Some(Value::Int(1)), None]);
        assert_eq!(json.list("d")[1].number("a"), Some(Value::Int(2)));
        assert_eq!(json.number("g"), Some(Value::Real(12.5)));
        assert_eq!(
            json.numbers().map(|(name, _)| name).collect::<Vec<_>>(),
            ["a", " 2"]
        );
        let metrics = json.metrics(&[("x", "e/a"), ("y", "e/")]);
        assert_eq!(
            metrics.iter().collect::<Vec<_>>(),
            [("x", Some(Value::Int(3)))]
        );
    }

    #[test]
    fn required_keys_are_checked() {
        let parse = |text: &'static str| {
            let shape = Shape::of("a test", &["name"]);
            let json = serde_json::from_str(text).unwrap();
            shape.check(json).map_err(|error| error.to_string())
        };
        assert!(parse(r#"{"name":null}"#).is_ok());
        assert_eq!(parse(r#"{"nam":1}"#).unwrap_err(), "missing field `name`");
        assert_eq!(parse("[1]").unwrap_err(), "expected a test");
    }
}
