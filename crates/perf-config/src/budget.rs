//! Amounts that gates name: budgets, which hold whatever the baseline is, and minimum absolute changes.

use super::amount::{Amount, Budget};
use super::build::{Built, ConfigBuilder};
use super::file::GateEntry;
use crate::spanned::Spanned;

const AMOUNTS: &str = "write `\"16 ms\"`, `\"64 KiB\"`, or a number in the unit of the metric";

impl ConfigBuilder<'_> {
    pub(super) fn budget(&self, entry: &GateEntry) -> Built<Option<Budget>> {
        let end = |key, written: &Option<_>| {
            written
                .as_ref()
                .map(|written| self.end_of_budget(key, written, entry))
                .transpose()
        };
        let budget = Budget {
            max: end("max", &entry.max)?,
            min: end("min", &entry.min)?,
        };
        if let (Some(written), Some(min)) = (&entry.min, budget.min)
            && min.amount == 0.0
        {
            return self.refuse(
                written.span(),
                "`min` must be above 0: no value is below it",
                "leave it out",
            );
        }
        Ok((budget.max.is_some() || budget.min.is_some()).then_some(budget))
    }

    fn end_of_budget(
        &self,
        key: &str,
        written: &Spanned<toml::Value>,
        entry: &GateEntry,
    ) -> Built<Amount> {
        let amount = match written.get_ref() {
            toml::Value::String(text) => Amount::parse(text),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a limit, compared with measured numbers"
            )]
            toml::Value::Integer(whole) => Ok(Amount {
                amount: *whole as f64,
                unit: None,
            }),
            toml::Value::Float(number) if number.is_finite() => Ok(Amount {
                amount: *number,
                unit: None,
            }),
            other => Err(format!("`{other}` is not a number")),
        };
        let bad = |why| {
            self.error(written.span(), format!("bad `{key}`: {why}"))
                .hint(AMOUNTS)
        };
        let amount = amount.map_err(bad)?;
        if amount.amount < 0.0 {
            return Err(bad(format!("`{amount}` is below 0")));
        }
        if amount.unit.is_some() && entry.relative_to.is_some() {
            let message = format!("with `relative-to`, `{key}` is a ratio without a unit");
            let hint = format!("`{key} = 2` is twice the value of the reference");
            return self.refuse(written.span(), message, hint);
        }
        Ok(amount)
    }

    pub(super) fn floor(&self, written: &Spanned<String>) -> Built<Amount> {
        let floor = Amount::parse(written.get_ref()).and_then(|floor| {
            if floor.amount > 0.0 {
                Ok(floor)
            } else {
                Err(format!("`{floor}` is not above 0"))
            }
        });
        floor.map_err(|why| {
            let error = self.error(
                written.span(),
                format!("bad floor `{}`: {why}", written.get_ref()),
            );
            error.hint("write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone")
        })
    }
}
