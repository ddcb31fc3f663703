//! `perf-gate site`: the benchmark history as a static site.
//!
//! A *series* is a benchmark's metric in one scope on one machine type; a *run* is a measured commit. One page lists all
//! series and loads their values in *chunks* when they are needed. The site needs no server, loads nothing from other sites,
//! and treats every name as untrusted.

mod assets;
mod changes;
mod cli;
mod collect;
mod data;
mod folder;
mod judge;
mod load;
mod overview;
mod page;
mod run;
mod runs;
mod series;
mod summary;

pub use cli::Cli;
pub use run::run;
