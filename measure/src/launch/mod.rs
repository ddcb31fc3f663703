//! One process run: its order, priority, time limit and cost, and the cleanup of all its child processes.

pub mod guardian;
pub mod priority;
pub mod process;
pub mod schedule;
pub mod talking;
