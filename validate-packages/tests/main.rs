//! The program on projects with right and wrong versions.

mod cli;
mod drift;
mod fix;
mod rules;
mod schema;
mod support;
mod unity;
mod unity_changes;
mod values;
