//! Mixtures, as in `6 of 24 launches are 10× slower than the others (0 of 24 in the baseline), which the median hides`.

use perf_config::HistoryPolicy;
use perf_verdict::rules::mixture::Mixture;

use super::Say;
use crate::words::{Subject, change};

impl Say for Mixture {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let (base_far, base) = self.base;
        let base = format!("{base_far} of {base} in the baseline");
        let median = change::vs_baseline(compared);
        format!("{} ({base}), which the median hides: {median}", far_launches(self, compared))
    }

    fn bound(&self, compared: &Subject<'_>) -> String {
        far_launches(self, compared)
    }

    fn too_noisy(&self, _: &Subject<'_>) -> Option<String> {
        None
    }

    fn remedy(&self, _: &Subject<'_>, _: &HistoryPolicy) -> Option<String> {
        Some("find out what these launches have in common".to_owned())
    }
}

/// `6 of 24 launches are 10× slower than the others`.
pub(crate) fn far_launches(found: &Mixture, compared: &Subject<'_>) -> String {
    let (far, all) = found.current;
    let what = if found.is_iterations { "iterations" } else { "launches" };
    let effect = compared.effect(found.distance);
    if effect.contains('×') {
        format!("{far} of {all} {what} are {effect} than the others")
    } else {
        format!("{far} of {all} {what} differ by {effect} from the others")
    }
}
