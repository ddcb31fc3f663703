//! Groups a benchmark's rows by run.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use perf_model::row::Row;

/// A run of a benchmark, by the fields that its rows share: the key, and without a commit the date.
#[derive(Clone, Copy)]
struct BenchmarkRun<'r>(&'r Row);

impl BenchmarkRun<'_> {
    fn date(self) -> Option<i64> {
        self.0.measured_at.filter(|_| self.0.commit.is_empty())
    }
}

impl PartialEq for BenchmarkRun<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Samples share their key, and then its texts are not compared.
        self.0.key == other.0.key && self.date() == other.date()
    }
}

impl Hash for BenchmarkRun<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
        self.date().hash(state);
    }
}

/// The places of rows by run, in order of first appearance.
pub(crate) struct RunPlaces {
    /// Stretches of consecutive rows of one run, grouped by run. Most inputs have one stretch per run.
    stretches: Vec<Range<usize>>,
    /// The end of each run in `stretches`; empty if each stretch is a run.
    ends: Vec<usize>,
}

impl RunPlaces {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for at in 0..rows.len() {
            match stretches.last_mut() {
                Some(last) if BenchmarkRun(&rows[last.start]) == BenchmarkRun(&rows[at]) => {
                    last.end = at + 1;
                }
                _ => stretches.push(at..at + 1),
            }
        }
        Self::together(rows, stretches)
    }

    /// Brings the stretches of each run together.
    fn together(rows: &[Row], stretches: Vec<Range<usize>>) -> Self {
        let run = |stretch: usize| BenchmarkRun(&rows[stretches[stretch].start]);
        let state = RandomState::default();
        // The first stretch of each run, and its number.
        let mut firsts: HashTable<(u32, u32)> = HashTable::with_capacity(stretches.len());
        let mut numbers: Vec<u32> = Vec::with_capacity(stretches.len());
        for at in 0..stretches.len() {
            let (place, number) = (to_u32(at), to_u32(firsts.len()));
            let is_same = |(first, _): &(u32, u32)| run(*first as usize) == run(at);
            let rehash = |(first, _): &(u32, u32)| state.hash_one(run(*first as usize));
            numbers.push(
                match firsts.entry(state.hash_one(run(at)), is_same, rehash) {
                    Entry::Occupied(known) => known.get().1,
                    Entry::Vacant(slot) => slot.insert((place, number)).get().1,
                },
            );
        }
        let count = firsts.len();
        if count == stretches.len() {
            return Self {
                stretches,
                ends: Vec::new(),
            };
        }
        let mut ends = vec![0; count];
        for number in &numbers {
            ends[*number as usize] += 1;
        }
        ends.iter_mut().fold(0, |before, size| {
            *size += before;
            *size
        });
        let mut numbered: Vec<(u32, Range<usize>)> = numbers.into_iter().zip(stretches).collect();
        // Stable, so the rows of a run keep their order.
        numbered.sort_by_key(|(number, _)| *number);
        Self {
            stretches: numbered.into_iter().map(|(_, stretch)| stretch).collect(),
            ends,
        }
    }

    /// Visits the places of each run that has more than `most` rows.
    pub(crate) fn each_of_more_than(&self, most: usize, mut visit: impl FnMut(&[usize])) {
        let mut places = Vec::new();
        let mut begin = 0;
        let count = if self.ends.is_empty() {
            self.stretches.len()
        } else {
            self.ends.len()
        };
        for run in 0..count {
            let end = self.ends.get(run).copied().unwrap_or(run + 1);
            let stretches = &self.stretches[begin..end];
            begin = end;
            if stretches.iter().map(ExactSizeIterator::len).sum::<usize>() > most {
                places.clear();
                for stretch in stretches {
                    places.extend(stretch.clone());
                }
                visit(&places);
            }
        }
    }

    pub(crate) fn each(&self, visit: impl FnMut(&[usize])) {
        self.each_of_more_than(0, visit);
    }
}

/// No more rows are read than fit.
fn to_u32(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
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

    fn visited(rows: &[Row], most: usize) -> Vec<Vec<usize>> {
        let mut visited = Vec::new();
        RunPlaces::of(rows).each_of_more_than(most, |places| visited.push(places.to_vec()));
        visited
    }

    #[test]
    fn rows_of_a_run_are_together() {
        let rows = read(
            "scenario,commit,measuredAt,runIndex,x\nA,,2031-03-04,0,1\nB,,2031-03-04,0,1\nA,,2031-03-04,1,2\n\
             A,,2031-03-05,0,3\nA,c,2031-03-04,0,4\nA,c,2031-03-05,1,5\n",
        );
        assert_eq!(visited(&rows, 0), [&[0, 2][..], &[1], &[3], &[4, 5]]);
        assert_eq!(visited(&rows, 1), [[0, 2], [4, 5]]);
    }

    #[test]
    fn rows_of_other_inputs_are_of_one_run_though_they_share_no_key() {
        let text = "scenario,runIndex,x\nA,0,1\nB,0,1\n";
        let rows = [read(text), read(text)].concat();
        assert_eq!(visited(&rows, 0), [[0, 2], [1, 3]]);
    }
}
