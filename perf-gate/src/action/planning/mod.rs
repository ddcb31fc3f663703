//! Parts of the step `plan`: inputs, event, commits, base and settings.

pub mod base;
pub mod git;
pub mod inputs;
pub mod job;
pub mod place;
pub mod settings;
pub mod stored;
