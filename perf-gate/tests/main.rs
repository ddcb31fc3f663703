//! The subcommands of `perf-gate`, in small repositories.

mod bisect;
mod cli;
mod doctor;
mod history;
mod other_machine;
mod run;
mod why;
