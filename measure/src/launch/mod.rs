//! One launch of one command: started at the right priority, limited, waited for, measured, and ended with all that it started.

pub mod guardian;
pub mod priority;
pub mod process;
pub mod schedule;
pub mod scheduled;
pub mod talking;
