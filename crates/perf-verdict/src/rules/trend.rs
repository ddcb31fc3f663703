//! Changes of a metric's level on the main branch: advice that never fails a change.

use crate::statistics::breaks::{Break, breaks};

/// The largest p-value of a change of level.
const P: f64 = 0.001;
/// The fewest values of a level.
pub const SHORTEST: usize = 4;
/// The smallest change that is shown, as a distance of costs: 2%.
const SMALLEST: f64 = 0.019_802_627_296_179_7; // ln 1.02

/// The changes of level among these costs, oldest first.
pub fn changes(costs: &[f64]) -> Vec<Break> {
    let mut found = breaks(costs, P, SHORTEST);
    found.retain(|change| (change.after - change.before).abs() > SMALLEST);
    found
}

/// The last change of level among these costs, oldest first.
pub fn last_change(costs: &[f64]) -> Option<Break> {
    changes(costs).pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_level_is_found() {
        let noise = |run: u32| f64::from((run * 7) % 5) * 0.002;
        let costs: Vec<f64> = (0..30)
            .map(|run| noise(run) + if run < 18 { 0.0 } else { 0.1 })
            .collect();
        let change = last_change(&costs).unwrap();
        assert!(
            (17..=19).contains(&change.at) && change.after > change.before,
            "{change:?}"
        );
        assert!(last_change(&(0..30).map(noise).collect::<Vec<_>>()).is_none());
    }
}
