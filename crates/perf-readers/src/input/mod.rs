//! The bytes of an input: its head, its lines, their fields.

pub(crate) mod anchors;
pub(crate) mod blocks;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod log_timestamps;
mod mangled;
pub(crate) mod source;
pub(crate) mod text;
