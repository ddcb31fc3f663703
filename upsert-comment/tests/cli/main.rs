//! The binary as a workflow runs it. One executable with a module for each subject: it links once.

mod common;
mod crowds;
mod delivering;
mod jobs;
mod posting;
mod races;
mod refusals;
