//! What the first step reads and decides: inputs, the event, commits, the base and its settings.

pub mod base;
pub mod baseline;
pub mod git;
pub mod inputs;
pub mod job;
pub mod place;
pub mod pull;
pub mod settings;
pub mod stored;
