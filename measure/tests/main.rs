//! Measurements of real and scripted commands.

mod bench_tools;
mod instruments;
mod pairs;
mod priority;
mod processes;
mod same_path;
mod tools;
