//! The program's output, and its privacy.

mod cli;
mod privacy;
