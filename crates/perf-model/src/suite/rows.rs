//! A measurement's rows.

use std::ops::Deref;

use crate::row::Row;

/// A measurement's rows. A single row, the most common case, needs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Rows<'r>(Few<'r>);

#[derive(Clone, Debug)]
enum Few<'r> {
    One([&'r Row; 1]),
    /// No rows, or several.
    Many(Vec<&'r Row>),
}

impl<'r> Rows<'r> {
    /// Adds a row.
    pub fn push(&mut self, row: &'r Row) {
        match &mut self.0 {
            Few::One([first]) => self.0 = Few::Many(vec![*first, row]),
            Few::Many(rows) if rows.is_empty() => self.0 = Few::One([row]),
            Few::Many(rows) => rows.push(row),
        }
    }
}

impl<'r> Deref for Rows<'r> {
    type Target = [&'r Row];

    fn deref(&self) -> &[&'r Row] {
        match &self.0 {
            Few::One(row) => row,
            Few::Many(rows) => rows,
        }
    }
}

impl Default for Few<'_> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl PartialEq for Rows<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'r> From<&'r Row> for Rows<'r> {
    fn from(row: &'r Row) -> Self {
        Self(Few::One([row]))
    }
}

impl<'r> FromIterator<&'r Row> for Rows<'r> {
    fn from_iter<I: IntoIterator<Item = &'r Row>>(rows: I) -> Self {
        let mut all = Self::default();
        rows.into_iter().for_each(|row| all.push(row));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Key, Metrics, Outcome};

    #[test]
    fn rows_keep_the_order_in_which_they_were_added() {
        let row = |run_index| Row {
            key: Key::default().into(),
            run_index,
            outcome: Outcome::Measured,
            launch: None,
            measured_at: None,
            metrics: Metrics::default(),
        };
        let all: Vec<Row> = (0..4).map(row).collect();
        for count in 0..all.len() {
            let rows: Rows<'_> = all[..count].iter().collect();
            assert_eq!(
                rows.iter().map(|row| row.run_index).collect::<Vec<_>>(),
                (0..).take(count).collect::<Vec<_>>()
            );
        }
        assert_eq!(Rows::from(&all[0]), all[..1].iter().collect());
    }
}
