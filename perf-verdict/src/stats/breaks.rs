//! Change points

/// A place where a series changes its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// The index of the first value of the new level.
    pub at: usize,
    /// The median of the level before.
    pub before: f64,
    /// The median of the level after.
    pub after: f64,
    /// How often chance alone makes the two levels differ so much.
    pub p: f64,
}

/// s
pub fn breaks(_values: &[f64], _p: f64, _shortest: usize) -> Vec<Break> {
    Vec::new()
}
