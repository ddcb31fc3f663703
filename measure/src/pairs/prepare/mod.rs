//! Base and head of pairs: checking out, building, and describing them.

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
