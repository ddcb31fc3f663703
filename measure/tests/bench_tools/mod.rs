//! Benchmark tools, recognised by their commands.

mod command_lines;
mod filters;
