//! Checks out, builds and describes base and head.

mod benchmark_files;
mod builds;
pub mod checkout;
pub mod compiled;
mod incremental;
mod newness;
pub mod obstacles;
pub mod outputs;
pub mod sides;
mod worktree;
