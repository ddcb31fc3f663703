//! The client against the fake of GitHub, and against its published contract.

mod client;
mod common;
mod contract;
mod environment;
mod errors;
mod proxy;
