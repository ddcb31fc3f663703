//! Rows as lines, which may appear between other output.

use std::fmt::{self, Display, Write as _};

/// A result as a JSON line, such as `{"scenario":"parse","runIndex":0,"timeNs":12.5}`.
#[derive(Clone, Debug)]
pub struct Row(String);

impl Row {
    /// Creates a row without values.
    pub fn new(scenario: &str, methodology: &str) -> Self {
        Self(format!(
            "{{\"scenario\":{},\"methodology\":{}",
            JsonText(scenario),
            JsonText(methodology)
        ))
    }

    /// Sets the sample's number.
    pub fn run(self, index: impl Display) -> Self {
        self.number("runIndex", index)
    }

    /// Marks the sample as one of several from the same process, which are not independent.
    pub fn same_launch(self) -> Self {
        self.number("launchIndex", 1)
    }

    /// Adds a value. Infinite values and NaN are left out.
    pub fn value(self, metric: &str, value: f64) -> Self {
        if value.is_finite() {
            self.number(metric, value)
        } else {
            self
        }
    }

    /// Adds a value, if there is one.
    pub fn optional(self, metric: &str, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.value(metric, value),
            None => self,
        }
    }

    fn number(mut self, name: &str, value: impl Display) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, ",\"{name}\":{value}");
        self
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}}}", self.0)
    }
}

/// Displays text as a JSON string.
struct JsonText<'t>(&'t str);

impl Display for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let row = Row::new("a \"b\"\n", "m")
            .run(0)
            .value("timeNs", 1.5)
            .value("x", f64::NAN);
        assert_eq!(
            row.to_string(),
            r#"{"scenario":"a \"b\"\u000a","methodology":"m","runIndex":0,"timeNs":1.5}"#
        );
    }
}
