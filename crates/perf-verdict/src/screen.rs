//! The first of two looks at a suite: what each metric's data can say, and what only all of them together tell.

use perf_config::HistoryPolicy;

use crate::evidence::Evidence;
use crate::oriented::launch_cost;
use crate::rules::guard::{Guard, distance};
use crate::rules::history::Band;
use crate::rules::pairs;
use crate::rules::samples;
use perf_stats::order::{median, sorted};

/// A suite of more metrics than this takes two repeats to confirm a suspect.
const LARGE_SUITE: usize = 50;

/// What the data of one metric can say.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// What is normal, where there is a history.
    pub band: Option<Band>,
    /// How far the current cost is from the median of the history, in scales of its noise.
    pub distance: Option<f64>,
    /// The comparison of launches, where both sides have some.
    pub samples: Option<samples::Finding>,
    /// What pairs say, where there are some.
    pub pairs: Option<pairs::Finding>,
}

impl Screen {
    /// Looks at one metric alone.
    pub fn of(evidence: &Evidence, policy: &HistoryPolicy) -> Self {
        let Some(more) = evidence.more.as_deref().filter(|_| evidence.is_timed()) else {
            return Self::default();
        };
        let band = Band::of(&evidence.costs(&more.history), policy.last, policy.least);
        let [base, current] =
            [&more.base_launches, &more.current_launches].map(|launches| evidence.launch_costs(launches));
        let several = base.len() > 1 && current.len() > 1;
        let side = |number| launch_cost(evidence.direction(), number);
        let both = |(base, current): &(f64, f64)| side(*base).zip(side(*current));
        let pairs: Vec<(f64, f64)> = more.pairs.iter().filter_map(both).collect();
        Self {
            distance: band.zip(evidence.current_cost()).map(|(band, cost)| distance(cost, &band)),
            band,
            samples: if several { samples::test(&base, &current) } else { None },
            pairs: pairs::look(&pairs),
        }
    }
}

/// What all metrics of a suite tell together.
#[derive(Clone, Debug, Default)]
pub struct SuiteStats {
    /// How many launches each side takes, so that one slower metric of the suite can be told from chance.
    pub launches: usize,
    /// How many further runs a suspect takes.
    pub repeats: usize,
}

impl SuiteStats {
    /// Looks at the metrics of a suite, and decides which comparisons of launches are no chance.
    pub fn of(suite: &mut [(&Evidence, &mut Screen)]) -> Self {
        let gated = |evidence: &Evidence| evidence.is_gated() && evidence.obstacle.is_none();
        let judged =
            suite.iter().filter(|(evidence, screen)| gated(evidence) && screen.band.is_some()).count();
        let tested =
            suite.iter().filter(|(evidence, screen)| gated(evidence) && screen.samples.is_some()).count();
        let findings = suite.iter_mut().filter(|(evidence, _)| gated(evidence));
        let mut findings: Vec<&mut samples::Finding> =
            findings.filter_map(|(_, screen)| screen.samples.as_mut()).collect();
        samples::reject(&mut findings);
        Self {
            launches: samples::needed(tested.max(1)),
            repeats: if judged.max(tested) > LARGE_SUITE { 2 } else { 1 },
        }
    }
}

/// The guard of one scope: how far the first metric of each of its scenarios that has a history is from it.
pub fn guard<'s>(screens: impl IntoIterator<Item = &'s [Screen]>) -> Guard {
    let first = |metrics: &[Screen]| metrics.iter().find_map(|screen| screen.distance);
    Guard::new(screens.into_iter().filter_map(first))
}

/// The guard of each further run, which may have been taken on a slower machine than the first.
pub fn guards_of_repeats<'s>(rows: impl IntoIterator<Item = (&'s [Evidence], &'s [Screen])>) -> Vec<Guard> {
    let mut distances: Vec<Vec<f64>> = Vec::new();
    for (metrics, screens) in rows {
        let first = metrics.iter().zip(screens).find_map(|(evidence, screen)| Some((evidence, screen.band?)));
        let Some((evidence, band)) = first else { continue };
        for (run, launches) in evidence.more.iter().flat_map(|more| &more.repeats).enumerate() {
            distances.resize_with(distances.len().max(run + 1), Vec::new);
            let middle = median(&sorted(&evidence.costs(launches)));
            distances[run].extend(middle.map(|cost| distance(cost, &band)));
        }
    }
    distances.into_iter().map(Guard::new).collect()
}
