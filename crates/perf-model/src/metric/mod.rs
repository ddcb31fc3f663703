//! Metrics: the meaning of a column, its format, and when its gate fails.

mod declarations;
mod definition;
mod derived;
mod direction;
mod formula;
mod meaning;
mod quantile;
mod quantity;
mod statistic;
mod unit;
mod well_known;

pub use self::declarations::Declarations;
pub use self::definition::{Declared, GateRule, Metric, NumberFormat};
pub use self::derived::derived_from;
pub use self::formula::Formula;
pub use self::meaning::{Direction, Meaning};
pub use self::quantile::quantile_of;
pub(crate) use self::quantity::Quantity;
pub(crate) use self::statistic::{Statistic, StatisticName};
pub(crate) use self::unit::rescaled;
pub use self::unit::{UNITS, Unit, UnitFamily, UnitLine};
pub use self::well_known::{
    ABBREVIATIONS, LAYOUTS, declared, default_gate, is_known, is_noise, metric, spread_of,
};
