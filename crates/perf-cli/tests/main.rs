//! Tests of reading, writing and interrupted writes.

mod common;
mod folder;
mod interrupted;
mod reading;
mod writing;
