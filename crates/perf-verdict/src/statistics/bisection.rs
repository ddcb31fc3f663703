//! Noisy binary search: finds the commit that made a change, even if some comparisons are wrong.
//!
//! Each step compares a commit with the state before the searched commits. The result is evidence for or against the
//! change, as log odds. The posterior probability of each commit follows from the product of all evidence (Ben-Or and
//! Hassidim 2008, doi:10.1109/FOCS.2008.58; Waeber, Frazier and Henderson 2013, doi:10.1137/120861898). The next commit
//! to compare is the most informative one: the median of the posterior, unless it has already been compared. The search
//! ends when one commit's posterior is at least 1 minus the allowed error.
//!
//! The evidence comes from the p-values of exact tests, so no noise distribution is assumed. It is bounded: if all
//! evidence against the other commits were at the bound, their posteriors would sum to half of the error. P-values are
//! corrected for repeated analyses of a commit's comparisons (Bonferroni).

use super::order::sorted;
use super::signed_rank::{binomial_tail, rank_sum_tail, signed_ranks, typical};
use super::{real, usable};

/// The typical difference is evidence for the change if it exceeds half of the change by this share of the change, and
/// evidence against it if it is below half by as much. The margin allows for effects of code layout.
const MARGIN: f64 = 0.1;
/// A commit contains a part of the change if the confidence interval of its typical difference is narrower than this
/// share of the change, and at least that far from both 0 and the whole change.
const PART: f64 = 0.25;
/// The number of pairs at the first analysis that can conclude anything, and that analysis's share of the error. All
/// other analyses share the rest equally.
const FIRST_LOOK: usize = 16;
const FIRST_SHARE: f64 = 0.4;
/// The number of all other analyses. Each comparison of a commit has ten planned analyses, and one at its time limit.
const OTHER_LOOKS: usize = 11 * MOST - 1;
/// The maximum number of comparisons per commit. After that, the search relies on comparisons of other commits.
const MOST: usize = 3;
/// The value of comparing a commit once more, relative to comparing its neighbour for the first time.
const AGAIN: f64 = 0.9;

/// Returns the evidence for a change, as log odds between −`strongest` and `strongest`. Differences that are clearly
/// about half of the change contain a part of it, and are treated as changed.
pub fn evidence(differences: &[f64], change: f64, strongest: f64) -> f64 {
    if !(usable(differences) && change.is_finite()) || change == 0.0 {
        return 0.0;
    }
    // Convert differences to shares of the change: about 0 without the change, and 1 with it.
    let shares: Vec<f64> = differences
        .iter()
        .map(|difference| difference / change)
        .collect();
    let ordered = sorted(&shares);
    if ordered.len() > 1 && ordered.first() == ordered.last() {
        // The values are counts that do not vary.
        return if ordered[0] >= 0.5 {
            strongest
        } else {
            -strongest
        };
    }
    let without: Vec<f64> = shares.iter().map(|share| -share).collect();
    let factor = bonferroni_factor(shares.len());
    let (has, lacks) = (
        p_above(&shares, 0.5 + MARGIN),
        p_above(&without, MARGIN - 0.5),
    );
    let odds = |p: f64| {
        let p = (p * factor).min(0.5);
        ((1.0 - p) / p).ln().clamp(0.0, strongest)
    };
    let found = odds(has) - odds(lacks);
    let confidence = 1.0 - (-strongest).exp() / factor;
    let interval = typical(&shares, confidence).and_then(|typical| typical.low.zip(typical.high));
    let is_part =
        interval.is_some_and(|(low, high)| high - low < PART && low > PART && high < 1.0 - PART);
    if is_part { strongest } else { found }
}

/// Returns the Bonferroni factor for an analysis after this number of pairs. The inverses of all factors sum to at most
/// 1.
fn bonferroni_factor(pairs: usize) -> f64 {
    if pairs == FIRST_LOOK {
        1.0 / FIRST_SHARE
    } else {
        real(OTHER_LOOKS) / (1.0 - FIRST_SHARE)
    }
}

/// Returns the p-value for "above `center`": twice the smaller p-value of the sign test and the signed-rank test
/// (Bonferroni).
fn p_above(differences: &[f64], center: f64) -> f64 {
    let n = differences.len();
    let found = signed_ranks(differences, center);
    let signs = binomial_tail(n, found.above, 0.5);
    let ranks = rank_sum_tail(n, found.ranks);
    (2.0 * signs.min(ranks)).min(0.5)
}

/// A search among consecutive commits. One of them made the change, and all later commits contain it.
#[derive(Clone, Debug)]
pub struct Search {
    evidence: Vec<f64>,
    tries: Vec<usize>,
    error: f64,
}

/// What to do next in a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Compare the commit with this index.
    Compare(usize),
    /// End the search: one of these commits made the change.
    Found {
        /// The index of the first of these commits.
        first: usize,
        /// The index of the last of these commits.
        last: usize,
        /// The probability that one of these commits made the change.
        probability: f64,
    },
}

impl Search {
    /// Starts a search. `error` is the allowed probability of a wrong result. The last commit must be known to contain
    /// the change.
    pub fn new(commits: usize, error: f64) -> Self {
        Self {
            evidence: vec![0.0; commits],
            tries: vec![0; commits],
            error,
        }
    }

    /// Returns the bound on the evidence for a single commit, as log odds.
    pub fn strongest(&self) -> f64 {
        (2.0 * real(self.evidence.len().max(2)) / self.error).ln()
    }

    /// Stores the evidence from all comparisons of a commit so far, and their number.
    pub fn learn(&mut self, commit: usize, evidence: f64, tries: usize) {
        let strongest = self.strongest();
        if commit < self.tries.len() {
            self.evidence[commit] = evidence.clamp(-strongest, strongest);
            self.tries[commit] = tries;
        }
    }

    /// Returns how often a commit has been compared.
    pub fn tries(&self, commit: usize) -> usize {
        self.tries.get(commit).copied().unwrap_or_default()
    }

    /// Returns the result so far: the shortest range of commits that contains the change with the required probability.
    pub fn so_far(&self) -> Step {
        self.shortest(&self.posterior())
    }

    /// Marks a commit that cannot be compared, for example because it does not build.
    pub fn skip(&mut self, commit: usize) {
        self.learn(commit, 0.0, MOST);
    }

    /// Returns each commit's posterior probability of having made the change.
    pub fn posterior(&self) -> Vec<f64> {
        // The last commit is known to contain the change, so evidence about it is not used.
        let last = self.evidence.len().saturating_sub(1);
        let mut logs = vec![0.0; last + 1];
        for commit in (0..last).rev() {
            logs[commit] = logs[commit + 1] + self.evidence[commit];
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let whole: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / whole).collect()
    }

    /// Returns the next commit to compare, or the result.
    pub fn step(&self) -> Step {
        let posterior = self.posterior();
        let (first, last, probability) = self.likeliest(&posterior);
        if probability >= 1.0 - self.error {
            return Step::Found {
                first,
                last,
                probability,
            };
        }
        let mut before = 0.0;
        let mut best: Option<(f64, usize)> = None;
        let last = self.evidence.len().saturating_sub(1);
        for (commit, share) in posterior.iter().enumerate().take(last) {
            before += share;
            let worth =
                entropy(before) * AGAIN.powi(i32::try_from(self.tries[commit]).unwrap_or(i32::MAX));
            let is_open =
                self.tries[commit] < MOST && self.evidence[commit].abs() < self.strongest();
            if is_open && worth > best.map_or(0.0, |(worth, _)| worth) {
                best = Some((worth, commit));
            }
        }
        match best {
            Some((_, commit)) => Step::Compare(commit),
            None => self.shortest(&posterior),
        }
    }

    /// Returns the most probable commit, together with adjacent commits that no comparison can distinguish from it, and
    /// the probability.
    fn likeliest(&self, posterior: &[f64]) -> (usize, usize, f64) {
        let mut first = 0;
        let mut best = (0, 0, 0.0);
        for last in 0..posterior.len() {
            let is_apart = self.tries[last] < MOST || self.evidence[last] != 0.0;
            if last + 1 < posterior.len() && !is_apart {
                continue;
            }
            let probability = posterior[first..=last].iter().sum();
            if probability > best.2 {
                best = (first, last, probability);
            }
            first = last + 1;
        }
        best
    }

    /// Returns the shortest range of adjacent commits that contains the change with the required probability.
    fn shortest(&self, posterior: &[f64]) -> Step {
        let count = posterior.len();
        for length in 1..count {
            let masses = posterior
                .windows(length)
                .map(|part| part.iter().sum::<f64>())
                .enumerate();
            if let Some((first, probability)) =
                masses.max_by(|one, other| one.1.total_cmp(&other.1))
                && probability >= 1.0 - self.error
            {
                return Step::Found {
                    first,
                    last: first + length - 1,
                    probability,
                };
            }
        }
        Step::Found {
            first: 0,
            last: count.saturating_sub(1),
            probability: posterior.iter().sum(),
        }
    }
}

/// Returns the entropy of an event with this probability.
fn entropy(probability: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(probability) + part(1.0 - probability)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::ops::Range;

    use super::*;
    use crate::statistics::random::SplitMix;

    /// The numbers of pairs after which a comparison can end.
    const LOOKS: [usize; 6] = [8, 16, 20, 30, 60, 140];

    /// Normal noise, with one in twenty values five times as far away.
    struct Noise(SplitMix);

    impl Noise {
        fn uniform(&mut self) -> f64 {
            f64::from(u32::try_from(self.0.bits() >> 32).unwrap()) / f64::from(u32::MAX)
        }

        fn next(&mut self) -> f64 {
            let sum: f64 = (0..12).map(|_| self.uniform()).sum();
            (sum - 6.0) * if self.uniform() < 0.05 { 5.0 } else { 1.0 }
        }
    }

    /// Searches 64 commits for a change of 10% with this noise: the result, and the number of comparisons.
    fn search(at: usize, noise: f64, seed: u64, skipped: &[usize]) -> (Step, usize) {
        let (mut random, mut comparisons) = (Noise(SplitMix::new(seed)), 0);
        let mut search = Search::new(64, 0.01);
        for commit in skipped {
            search.skip(*commit);
        }
        let mut known = vec![Vec::new(); 64];
        loop {
            let commit = match search.step() {
                Step::Compare(commit) => commit,
                found @ Step::Found { .. } => return (found, comparisons),
            };
            comparisons += 1;
            let differences = &mut known[commit];
            let (before, effect) = (differences.len(), if commit >= at { 0.1 } else { 0.0 });
            let mut found = 0.0;
            for pair in 1..=LOOKS[LOOKS.len() - 1] {
                differences.push(effect + noise * random.next());
                if LOOKS.contains(&pair) {
                    found = evidence(differences, 0.1, search.strongest());
                    if found.abs() >= search.strongest() {
                        break;
                    }
                }
            }
            let tries = search.tries[commit] + 1;
            assert!(before < differences.len() && tries <= MOST);
            search.learn(commit, found, tries);
        }
    }

    /// The percentage of `runs` whose result contains the commit, the percentage with a single commit, and the maximum
    /// number of comparisons.
    fn tried(noise: f64, runs: Range<u64>) -> (u64, u64, usize) {
        let (mut right, mut single, mut most) = (0, 0, 0);
        let count = runs.end - runs.start;
        for run in runs {
            let at = usize::try_from(run % 64).unwrap();
            let (found, comparisons) = search(at, noise, run * 7919, &[]);
            let Step::Found { first, last, .. } = found else {
                unreachable!()
            };
            right += u64::from((first..=last).contains(&at));
            single += u64::from(first == last);
            most = most.max(comparisons);
        }
        (right * 100 / count, single * 100 / count, most)
    }

    #[test]
    fn a_clear_step_among_64_commits_takes_at_most_seven_comparisons() {
        for noise in [0.0, 0.01, 0.03] {
            let (right, single, most) = tried(noise, 0..320);
            assert!(
                right >= 99 && single == 100 && most <= 7,
                "{noise}: {right}% {single}% {most}"
            );
        }
    }

    #[test]
    fn looks_share_one_error() {
        // The differences are around 0.06, the largest typical difference at which evidence for the change is wrong.
        let (enough, runs) = (Search::new(2, 0.2).strongest(), 4_000);
        let mut random = Noise(SplitMix::new(7));
        let wrong = (0..runs).filter(|_| {
            let mut differences = Vec::new();
            LOOKS.iter().any(|pairs| {
                differences.resize_with(*pairs, || 0.06 + 0.1 * random.next());
                evidence(&differences, 0.1, enough) >= enough
            })
        });
        let share = real(wrong.count()) / f64::from(runs);
        assert!(share <= (-enough).exp(), "{share}");
    }

    #[test]
    fn noise_costs_comparisons_rather_than_results() {
        let (right, single, most) = tried(0.1, 0..64);
        assert!(right >= 99, "{right}% {single}% {most}");
    }

    #[test]
    #[ignore = "simulates thousands of bisections: `.ci/run slow`"]
    fn noise_of_20_percent_costs_comparisons_if_an_early_commit_changed() {
        let (right, single, most) = tried(0.2, 0..32);
        assert!(right >= 99, "{right}% {single}% {most}");
    }

    #[test]
    #[ignore = "simulates thousands of bisections: `.ci/run slow`"]
    fn noise_of_20_percent_costs_comparisons_if_a_late_commit_changed() {
        let (right, single, most) = tried(0.2, 32..64);
        assert!(right >= 99, "{right}% {single}% {most}");
    }

    proptest! {
        #[test]
        fn posterior_is_a_distribution(evidence in prop::collection::vec(-30f64..30.0, 1..40)) {
            let mut search = Search::new(evidence.len(), 0.01);
            evidence.iter().enumerate().for_each(|(commit, evidence)| search.learn(commit, *evidence, 1));
            let posterior = search.posterior();
            prop_assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(posterior.iter().all(|share| (0.0..=1.0).contains(share)));
            if let Step::Found { first, last, .. } = search.step() {
                prop_assert!(first <= last && last < evidence.len());
            }
        }

        #[test]
        fn commits_that_cannot_be_compared_are_in_the_result(at in 0usize..64, from in 0usize..60, seed: u64) {
            let skipped: Vec<usize> = (from..from + 3).collect();
            let (found, _) = search(at, 0.01, seed, &skipped);
            let expected = if (from..=from + 3).contains(&at) { (from, from + 3) } else { (at, at) };
            prop_assert!(matches!(found, Step::Found { first, last, .. } if (first, last) == expected), "{found:?}");
        }
    }

    #[test]
    fn a_part_of_the_change_is_a_change() {
        let mut random = Noise(SplitMix::new(1));
        let half: Vec<f64> = (0..60).map(|_| 0.05 + 0.001 * random.next()).collect();
        let is = |differences: &[f64], change: f64, expected: f64| {
            (evidence(differences, change, 9.0) - expected).abs() < 1e-12
        };
        assert!(is(&half, 0.1, 9.0));
        assert!(evidence(&half[..8], 0.1, 9.0) > -1.0);
        // Nothing is known yet, or can be known.
        assert!(is(&[], 0.1, 0.0) && is(&[0.1], 0.0, 0.0));
        assert!(is(&[0.0; 8], -0.5, -9.0), "counts");
        assert_eq!(
            Search::new(1, 0.01).step(),
            Step::Found {
                first: 0,
                last: 0,
                probability: 1.0
            }
        );
    }
}
