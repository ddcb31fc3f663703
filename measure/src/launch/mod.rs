//! One process run: order, priority, time limit, cost, and cleanup of all its child processes.

pub mod guardian;
pub mod priority;
pub mod process;
pub mod schedule;
pub mod talking;
