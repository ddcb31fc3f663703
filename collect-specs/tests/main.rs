//! The program's output, and what it keeps private.

mod cli;
mod privacy;
