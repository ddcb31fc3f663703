//! The bytes of an input: its head, its lines, their fields.

pub(crate) mod anchors;
pub(crate) mod blocks;
pub(crate) mod escapes;
pub(crate) mod fields;
mod html;
pub(crate) mod lines;
mod mangled;
pub(crate) mod prefixes;
mod rewritten;
pub(crate) mod source;
pub(crate) mod text;
