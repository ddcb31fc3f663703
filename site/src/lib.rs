//! `perf-gate site`: the history of benchmarks as a static site.
//!
//! A *series* is one metric of one benchmark in one scope on one machine type; a *run* is a measured commit. The site
//! is a page with all series, which loads their values in *chunks* as they are needed, and for readers without scripts
//! a page of tables with charts for each chunk. It needs no server, loads nothing from elsewhere, and treats every name
//! as hostile.

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
mod tables;

pub use cli::Cli;
pub use run::run;
