//! Catch2's benchmarks, in what it prints for people and in its XML. Both name a benchmark by its test case, the
//! sections around it, and its own name.

mod table;
mod wrapped;
mod xml;

pub(crate) use self::table::FORMAT;
pub(crate) use self::xml::FORMAT as XML;
