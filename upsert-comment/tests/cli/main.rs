//! Tests of the binary in a workflow. One executable with several modules, which links faster.

mod common;
mod crowds;
mod delivering;
mod jobs;
mod posting;
mod races;
mod refusals;
