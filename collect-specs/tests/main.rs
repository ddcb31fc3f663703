//! The program's output, and the values that it must not reveal.

mod cli;
mod privacy;
