//! Benchmark tools that are recognised by their commands.

mod command_lines;
mod filters;
