//! A row's values, in the space of a single value.

use super::Value;

/// One value per name. A single value, the most common case, needs no allocation. Equal values always have the same
/// representation.
///
/// Several values are stored as the bits of floats, half the size of a [`Value`]. The variants for up to eight values
/// make it unnecessary to store a length, which saves memory with a million rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Values {
    #[default]
    None,
    One(Value),
    Two(Box<[u64; 2]>),
    Three(Box<[u64; 3]>),
    Four(Box<[u64; 4]>),
    Five(Box<[u64; 5]>),
    Six(Box<[u64; 6]>),
    Seven(Box<[u64; 7]>),
    Eight(Box<[u64; 8]>),
    More(Box<All<u64>>),
    /// Several values, not all exact as floats.
    Wide(Box<All<Value>>),
}

/// Any number of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct All<T>(Box<[T]>);

impl Values {
    pub(super) fn iter(&self) -> impl Iterator<Item = Value> {
        let wide = match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Wide(all) => &all.0,
            _ => &[],
        };
        self.floats()
            .iter()
            .map(|bits| value(*bits))
            .chain(wide.iter().copied())
    }

    fn floats(&self) -> &[u64] {
        match self {
            Self::None | Self::One(_) | Self::Wide(_) => &[],
            Self::Two(all) => &**all,
            Self::Three(all) => &**all,
            Self::Four(all) => &**all,
            Self::Five(all) => &**all,
            Self::Six(all) => &**all,
            Self::Seven(all) => &**all,
            Self::Eight(all) => &**all,
            Self::More(all) => &all.0,
        }
    }

    fn floats_mut(&mut self) -> &mut [u64] {
        match self {
            Self::None | Self::One(_) | Self::Wide(_) => &mut [],
            Self::Two(all) => &mut **all,
            Self::Three(all) => &mut **all,
            Self::Four(all) => &mut **all,
            Self::Five(all) => &mut **all,
            Self::Six(all) => &mut **all,
            Self::Seven(all) => &mut **all,
            Self::Eight(all) => &mut **all,
            Self::More(all) => &mut all.0,
        }
    }

    /// Replaces the value at `place` with `make(value)`.
    pub(super) fn change(&mut self, place: usize, make: impl FnOnce(Value) -> Value) {
        if let Self::One(only) = self {
            *only = make(*only);
            return;
        }
        let Some(changed) = self.iter().nth(place).map(make) else {
            return;
        };
        if let (Some(float), Some(bits)) = (self.floats_mut().get_mut(place), bits(changed)) {
            *float = bits;
            return;
        }
        let mut all: Vec<Value> = self.iter().collect();
        all[place] = changed;
        *self = Self::from(&all[..]);
    }

    fn of_floats(floats: Box<[u64]>) -> Self {
        Err(floats)
            .or_else(|all| all.try_into().map(Self::Two))
            .or_else(|all| all.try_into().map(Self::Three))
            .or_else(|all| all.try_into().map(Self::Four))
            .or_else(|all| all.try_into().map(Self::Five))
            .or_else(|all| all.try_into().map(Self::Six))
            .or_else(|all| all.try_into().map(Self::Seven))
            .or_else(|all| all.try_into().map(Self::Eight))
            .unwrap_or_else(|all: Box<[u64]>| Self::More(Box::new(All(all))))
    }
}

impl From<&[Value]> for Values {
    fn from(values: &[Value]) -> Self {
        match values {
            [] => Self::None,
            [only] => Self::One(*only),
            values if values.iter().all(|value| bits(*value).is_some()) => Self::of_floats(
                values
                    .iter()
                    .map(|value| value.as_f64().to_bits())
                    .collect(),
            ),
            values => Self::Wide(Box::new(All(values.into()))),
        }
    }
}

/// The bits of the float equal to the value, if there is one.
fn bits(exact: Value) -> Option<u64> {
    let bits = exact.as_f64().to_bits();
    (value(bits) == exact).then_some(bits)
}

/// The value with these float bits; whole numbers become `Int`, as in [`Value::new`].
fn value(bits: u64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    let float = f64::from_bits(bits);
    #[expect(clippy::cast_possible_truncation, reason = "checked")]
    let whole = float as i64;
    let is_whole = float.abs() <= EXACT && Value::Int(whole).as_f64().to_bits() == bits;
    if is_whole {
        Value::Int(whole)
    } else {
        Value::Real(float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_values_take_no_more_space_in_a_row_than_one() {
        assert_eq!(size_of::<Values>(), size_of::<Value>());
    }

    #[test]
    fn values_read_back_as_stored() {
        let (large, exact) = (i64::MAX - 1, 1 << 53);
        let wide = [Value::Int(large), Value::Real(0.5)];
        let floats = [0, -1, exact, -exact].map(Value::Int);
        let reals = [0.1, -2.5, 1e300, 5e-324].map(Value::Real);
        let negative_zero = [Value::Real(-0.0), Value::Int(0)];
        let many: Vec<Value> = (0..20)
            .map(|number| Value::Real(f64::from(number) + 0.5))
            .collect();
        let other = [
            &wide[..],
            &[Value::Int(exact + 1); 2],
            &floats,
            &reals,
            &negative_zero,
        ];
        for values in other
            .into_iter()
            .chain((0..many.len()).map(|count| &many[..count]))
        {
            let mut held = Values::from(values);
            let back: Vec<Value> = held.iter().collect();
            assert_eq!(format!("{back:?}"), format!("{values:?}"));
            assert_eq!(held, Values::from(&back[..]));
            for place in 0..values.len() {
                // A float cannot hold all digits of `large`.
                for changed in [Value::Real(0.25), Value::Int(large), values[place]] {
                    held.change(place, |_| changed);
                    assert_eq!(held.iter().nth(place), Some(changed));
                }
                assert_eq!(held, Values::from(values));
            }
        }
    }
}
