//! The imports of most readers of tools.

pub(crate) use crate::format::{Format, Kind, Likeness, LineReader, Samples};
pub(crate) use crate::formats::common::bars;
pub(crate) use crate::formats::common::blocks::{Block, Blocks};
pub(crate) use crate::formats::common::headers::{has_all, has_line};
pub(crate) use crate::formats::common::names::{
    address, joined, machine_class, place, with_details,
};
pub(crate) use crate::formats::common::tables::Tables;
pub(crate) use crate::input::Input;
pub(crate) use crate::json::{self, Json, Number, Piece, Shape};
pub(crate) use crate::rows::{Cells, Metrics, Process, Provenance, Rows};
pub(crate) use crate::units::{
    binary_bytes, grouped, nanoseconds, percentage_of, quantity, shifted, time_symbol,
    to_nanoseconds,
};
pub(crate) use perf_model::metric::{Direction, Meaning, Unit};
pub(crate) use perf_model::row::{Outcome, Value};
