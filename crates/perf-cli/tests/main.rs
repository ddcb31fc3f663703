//! Reading, writing and interrupting, as programs do it.

mod common;
mod folder;
mod interrupted;
mod reading;
mod writing;
