//! What a comparison comes to.

pub mod blind;
pub mod comparison;
pub mod judgement;
pub mod tally;
