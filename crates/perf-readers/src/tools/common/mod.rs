//! What the readers of several tools share.

pub(crate) mod cargo;
pub(crate) mod command;
pub(crate) mod names;
pub(crate) mod units;
pub(crate) mod valgrind;
