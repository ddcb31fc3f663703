//! The two sides of pairs: commits checked out, built, and described.

mod benchmark_files;
mod builds;
pub mod checkout;
pub mod compiled;
mod incremental;
mod newness;
pub mod obstacles;
pub mod outputs;
pub mod program;
mod setup;
pub mod sides;
mod sources;
mod worktree;
