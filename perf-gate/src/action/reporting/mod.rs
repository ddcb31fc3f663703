//! Comparison requests, reports, outcomes, and commands to reproduce them.

pub mod outcome;
pub mod range;
pub mod report;
mod reproduce;
pub mod request;
pub mod source;
pub mod verdict;
pub mod why;
