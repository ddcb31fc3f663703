//! The rows of each run of a benchmark.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use perf_model::row::{Key, Row};

/// What the rows of one run of a benchmark have in common: without a commit, the date says which run.
type Run<'r> = (&'r Key, Option<i64>);

fn run(row: &Row) -> Run<'_> {
    (&row.key, row.measured_at.filter(|_| row.commit.is_empty()))
}

/// The places of rows by run, in order of first appearance.
pub(crate) struct Runs {
    places: Vec<usize>,
    /// Where each run ends in `places`.
    ends: Vec<usize>,
}

impl Runs {
    /// The runs of the rows at these places, which are in order.
    pub(crate) fn of(rows: &[Row], places: Vec<usize>) -> Self {
        let mut numbers: HashMap<Run<'_>, usize, RandomState> =
            HashMap::with_capacity_and_hasher(places.len(), RandomState::default());
        let mut ends: Vec<usize> = Vec::new();
        let mut last: Option<(Run<'_>, usize)> = None;
        let mut numbered = Vec::with_capacity(places.len());
        for at in places {
            let run = run(&rows[at]);
            let number = match last {
                Some((last, number)) if last == run => number,
                _ => *numbers.entry(run).or_insert(ends.len()),
            };
            last = Some((run, number));
            if number == ends.len() {
                ends.push(0);
            }
            ends[number] += 1;
            numbered.push((number, at));
        }
        ends.iter_mut().fold(0, |before, size| {
            *size += before;
            *size
        });
        // Stable, so that rows of a run keep their order.
        numbered.sort_by_key(|(number, _)| *number);
        Self { places: numbered.into_iter().map(|(_, at)| at).collect(), ends }
    }

    /// The runs that may have more than `most` rows for which `counts` holds.
    pub(crate) fn of_more_than(most: usize, rows: &[Row], counts: impl Fn(&Row) -> bool) -> Self {
        let sizes = Sizes::of(rows, counts);
        let places = (0..rows.len()).filter(|at| sizes.bound(&rows[*at]) > most);
        Self::of(rows, places.collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| &self.places[begin..*end])
    }
}

/// An upper bound of how many rows each run has: runs whose scenarios have one hash are counted as one. Most files have
/// few rows of each run, which this shows without a table of all runs.
struct Sizes {
    state: RandomState,
    /// A power of two.
    counts: Vec<u32>,
}

impl Sizes {
    fn of(rows: &[Row], counts: impl Fn(&Row) -> bool) -> Self {
        let mut sizes =
            Self { state: RandomState::default(), counts: vec![0; rows.len().next_power_of_two()] };
        for row in rows.iter().filter(|row| counts(row)) {
            let place = sizes.place(row);
            sizes.counts[place] = sizes.counts[place].saturating_add(1);
        }
        sizes
    }

    fn place(&self, row: &Row) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "any bits of a hash will do")]
        let hash = self.state.hash_one(&*row.scenario) as usize;
        hash & (self.counts.len() - 1)
    }

    fn bound(&self, row: &Row) -> usize {
        self.counts[self.place(row)] as usize
    }
}

#[cfg(test)]
mod tests {
    use perf_config::Config;
    use perf_readers::Collector;

    use super::*;

    fn read(text: &str) -> Vec<Row> {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut text.as_bytes()).unwrap();
        collector.finish().rows
    }

    #[test]
    fn rows_of_a_run_are_together() {
        let rows = read(
            "scenario,commit,measuredAt,runIndex,x\nA,,2031-03-04,0,1\nB,,2031-03-04,0,1\nA,,2031-03-04,1,2\n\
             A,,2031-03-05,0,3\nA,c,2031-03-04,0,4\nA,c,2031-03-05,1,5\n",
        );
        let all = Runs::of(&rows, (0..rows.len()).collect());
        assert_eq!(all.iter().collect::<Vec<_>>(), [&[0, 2][..], &[1], &[3], &[4, 5]]);
    }

    #[test]
    fn small_runs_are_left_out_early() {
        let rows = read("scenario,runIndex,x\nA,-1,2\nA,0,1\nA,1,2\nA,2,3\nB,0,1\n");
        let large = |most| Runs::of_more_than(most, &rows, |row| row.run_index >= 0);
        assert_eq!(large(2).iter().next(), Some(&[0, 1, 2, 3][..]));
        // B may count as A, which makes four.
        assert!(large(4).iter().next().is_none());
    }
}
