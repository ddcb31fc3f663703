//! The rules, one file each: pure functions of numbers, of which [`mod@crate::judge`] picks the strongest that the
//! data allow.

pub mod guard;
pub mod history;
pub mod pairs;
pub mod ratchet;
pub mod samples;
pub mod single;
pub mod steps;
pub mod tails;
pub mod trend;
