//! The program and what it keeps to itself.

mod cli;
mod privacy;
