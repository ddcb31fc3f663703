//! What is compared and said: requests, reports, outcomes and the commands that reproduce them.

pub mod outcome;
pub mod range;
pub mod report;
mod reproduce;
pub mod request;
pub mod source;
pub mod verdict;
pub mod why;
