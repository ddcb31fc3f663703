//! Realistic inputs: mixed, repeated, cut off, too large, and with findings.

mod aggregate;
mod common;
mod described;
mod findings;
mod golden;
mod headers;
mod launches;
mod limits;
mod lines;
mod mixed_inputs;
mod perturbed;
mod read;
mod repeats;
mod runners;
