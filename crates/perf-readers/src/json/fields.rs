//! Objects with unknown keys, and numbers where other values may stand.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::json::number::Number;
use perf_model::row::Value;

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar<'a> {
    Number(Value),
    Text(Cow<'a, str>),
    Flag(bool),
    /// `null`, an object or an array.
    Other,
}

impl Scalar<'_> {
    /// The number, in quotes or not.
    pub(crate) fn number(&self) -> Option<Value> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => Value::parse(text.trim()),
            _ => None,
        }
    }
}

/// The keys and values of an object, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields<'a>(Vec<(Cow<'a, str>, Scalar<'a>)>);

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&Scalar<'a>> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Adds a key behind the others.
    pub(crate) fn push(&mut self, key: Cow<'a, str>, value: Scalar<'a>) {
        /// As most objects have: a list that grows is copied.
        const MANY: usize = 16;
        if self.0.is_empty() {
            self.0.reserve(MANY);
        }
        self.0.push((key, value));
    }

    pub(crate) fn number(&self, key: &str) -> Option<Value> {
        self.get(key)?.number()
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Scalar::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether `true` stands there.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key) == Some(&Scalar::Flag(true))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Scalar<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Those that are written as numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&str, Value)> {
        self.iter().filter_map(|(name, value)| match value {
            Scalar::Number(value) => Some((name, *value)),
            _ => None,
        })
    }
}

/// A number, or `None` for any other value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loose(pub(crate) Option<Value>);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Scalar::deserialize(deserializer).map(|scalar| Self(scalar.number()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeenScalar)
    }
}

struct SeenScalar;

impl<'de> Visitor<'de> for SeenScalar {
    type Value = Scalar<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(Value::Int(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        let number = Number::deserialize(number.into_deserializer())?;
        Ok(number.0.map_or(Scalar::Other, Scalar::Number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::new(number).map_or(Scalar::Other, Scalar::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeenFields)
    }
}

struct SeenFields;

impl<'de> Visitor<'de> for SeenFields {
    type Value = Fields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some((Scalar::Text(name), value)) = entries.next_entry()? {
            fields.push(name, value);
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_gives_its_scalars() {
        let text = r#"{"a":1,"b\n":"x","c":true,"d":[1,{"a":2}],"e":{"a":3},"f":null,"g":"12.5"," 2":0.5}"#;
        let fields: Fields<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(fields.number("a"), Some(Value::Int(1)));
        assert_eq!(fields.text("b\n"), Some("x"));
        assert!(fields.flag("c") && !fields.flag("a"));
        assert_eq!(
            [fields.number("d"), fields.number("e"), fields.number("f"), fields.number("z")],
            [None; 4]
        );
        assert_eq!(fields.number("g"), Some(Value::Real(12.5)));
        assert_eq!(fields.numbers().map(|(name, _)| name).collect::<Vec<_>>(), ["a", " 2"]);
        assert!(serde_json::from_str::<Fields<'_>>("[1]").is_err());
    }

    #[test]
    fn missing_number_is_none() {
        let numbers: Vec<Loose> = serde_json::from_str(r#"[1,"+INF","2.5",null,["a"],{}]"#).unwrap();
        let numbers: Vec<Option<Value>> = numbers.into_iter().map(|number| number.0).collect();
        assert_eq!(numbers, [Some(Value::Int(1)), None, Some(Value::Real(2.5)), None, None, None]);
    }
}
