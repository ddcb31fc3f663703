//! Imports that most readers need.

pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::{HashMap, HashSet};

pub(crate) use indexmap::IndexMap;
pub(crate) use quick_xml::events::BytesStart;
pub(crate) use serde::Deserialize;

pub(crate) use crate::format::{Format, KeySets, Kind, Likeness, LineReader, Samples};
pub(crate) use crate::formats::common::blocks::{Block, Blocks};
pub(crate) use crate::formats::common::headers::{has_all, has_line};
pub(crate) use crate::formats::common::names::{
    address, joined, machine_class, minor_version, place, with_details,
};
pub(crate) use crate::formats::common::tables::Tables;
pub(crate) use crate::formats::common::valgrind::Events;
pub(crate) use crate::formats::common::{bars, cargo, command, csv_records};
pub(crate) use crate::formats::custom;
pub(crate) use crate::input::Input;
pub(crate) use crate::json::{self, Json, Number, Piece, Shape};
pub(crate) use crate::rows::{Cells, Metrics, Process, Provenance, Rows};
pub(crate) use crate::text_rows::each_line;
pub(crate) use crate::units::{
    binary_bytes, clock, grouped, nanoseconds, percentage_of, quantity, shifted, time_symbol,
    to_nanoseconds,
};
pub(crate) use crate::xml::{self, Markup, attribute};
pub(crate) use perf_model::finding::FindingKind;
pub(crate) use perf_model::metric::{Declared, Direction, Meaning, Unit};
pub(crate) use perf_model::row::{AGGREGATE, Outcome, Value};
