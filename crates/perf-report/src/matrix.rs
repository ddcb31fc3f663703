//! The comparison matrix: technologies × work for one metric, in the first scope that measured it.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use perf_config::{Config, LibraryComparison, Matrix};
use perf_model::metric::{Direction, Metric};
use perf_model::packages::Manifest;
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows, Suite};

use crate::cell::{Formats, NOT_APPLICABLE};
use crate::markdown::escape::inline;
use crate::markdown::table::Table;

/// The maximum number of unlisted technologies and of unlisted work, because the input may contain any number.
const UNLISTED: usize = 50;

/// A matrix, and the number of rows left out.
pub(crate) struct Filled<'s, 'r> {
    pub(crate) scope: &'s ScopeRows<'r>,
    /// The platform of its first row.
    pub(crate) platform: &'r str,
    pub(crate) table: Table,
    pub(crate) left_out: usize,
}

/// Fills a matrix from the first scope that measured its metric.
pub(crate) fn fill<'s, 'r>(
    matrix: &Matrix,
    comparison: &LibraryComparison,
    suite: &'s Suite<'r>,
    config: &Config,
    packages: Option<&Manifest>,
) -> Option<Filled<'s, 'r>> {
    let metric = config.metric(&matrix.metric);
    let measured = |measurement: &Measurement<'_>| {
        measurement.family != Family::Own && measurement.value(&metric, config).is_some()
    };
    let first = |scope: &'s ScopeRows<'r>| {
        Some((scope, scope.measurements.iter().find(|one| measured(one))?))
    };
    let (scope, first) = suite.scopes.iter().find_map(first)?;
    let compared = scope
        .measurements
        .iter()
        .filter_map(|one| match one.family {
            Family::Comparison { technology, work } => {
                Some((technology, work, one.value(&metric, config)))
            }
            Family::Own => None,
        });
    let compared: Vec<(&str, &str, Option<Value>)> = compared.collect();
    let grid = Grid::new(&compared, comparison, &metric);
    let platform = first.rows.first().map_or("", |row| &row.platform);
    let left_out = compared.len() - grid.shown;
    let best = |work| {
        if matrix.bold_winner {
            grid.best(work, &metric)
        } else {
            None
        }
    };
    let best: Vec<Option<String>> = (0..grid.work.keys.len()).map(best).collect();
    Some(Filled {
        scope,
        platform,
        table: grid.table(&best, comparison, packages),
        left_out,
    })
}

/// A matrix: a line for each technology with rows, a column for all listed work.
struct Grid<'r> {
    technologies: Keys<'r>,
    work: Keys<'r>,
    /// Each value and its text; missing if the technology does not support the work.
    cells: HashMap<(usize, usize), (Option<Value>, String)>,
    /// The number of rows in the matrix.
    shown: usize,
}

impl<'r> Grid<'r> {
    fn new(
        compared: &[(&'r str, &'r str, Option<Value>)],
        comparison: &'r LibraryComparison,
        metric: &Metric,
    ) -> Self {
        let formats = Formats::new(compared.iter().map(|(_, _, value)| (metric, *value)));
        let mut grid = Self {
            technologies: Keys::new(&comparison.technologies),
            work: Keys::new(&comparison.scenarios),
            cells: HashMap::new(),
            shown: 0,
        };
        for (technology, work, value) in compared {
            let place = (grid.technologies.place(technology), grid.work.place(work));
            if let (Some(technology), Some(work)) = place {
                grid.cells
                    .insert((technology, work), (*value, formats.cell(metric, *value)));
                grid.shown += 1;
            }
        }
        grid
    }

    /// A column's best positive value as text. All cells with this text are marked best.
    fn best(&self, work: usize, metric: &Metric) -> Option<String> {
        let cells = self
            .column(work)
            .filter_map(|(value, text)| Some(((*value)?.as_f64(), text)));
        // Zero allocations are the best value, but not marked.
        let cells = cells.filter(|(value, _)| *value > 0.0 || metric.meaning.exact);
        let best = match metric.meaning.direction {
            Direction::Higher => cells.max_by(|a, b| a.0.total_cmp(&b.0)),
            Direction::Lower => cells.min_by(|a, b| a.0.total_cmp(&b.0)),
            Direction::Unknown => None,
        };
        best.filter(|(value, _)| *value > 0.0)
            .map(|(_, text)| text.clone())
    }

    fn column(&self, work: usize) -> impl Iterator<Item = &(Option<Value>, String)> {
        (0..self.technologies.keys.len())
            .filter_map(move |technology| self.cells.get(&(technology, work)))
    }

    fn table(
        &self,
        best: &[Option<String>],
        comparison: &LibraryComparison,
        packages: Option<&Manifest>,
    ) -> Table {
        let mut header = vec![inline(&comparison.label)];
        header.extend(
            self.work
                .keys
                .iter()
                .map(|key| inline(label(&comparison.scenarios, key))),
        );
        let technology = |key: &str| {
            let label = label(&comparison.technologies, key);
            let pinned = |manifest: &Manifest| {
                manifest
                    .pinned_version(key)
                    .or_else(|| manifest.pinned_version(label))
                    .map(str::to_owned)
            };
            packages.and_then(pinned).map_or_else(
                || inline(label),
                |version| inline(&format!("{label} {version}")),
            )
        };
        let text = |technology, work| match self.cells.get(&(technology, work)) {
            None => NOT_APPLICABLE.to_owned(),
            Some((Some(_), text)) if best[work].as_ref() == Some(text) => format!("**{text}**"),
            Some((_, text)) => text.clone(),
        };
        let measured: HashSet<usize> = self
            .cells
            .keys()
            .map(|(technology, _)| *technology)
            .collect();
        let lines = self
            .technologies
            .keys
            .iter()
            .enumerate()
            .filter(|(at, _)| measured.contains(at));
        let row = |(at, key): (usize, &&str)| {
            std::iter::once(technology(key))
                .chain((0..best.len()).map(|work| text(at, work)))
                .collect()
        };
        Table {
            header,
            align: Vec::new(),
            rows: lines.map(row).collect(),
        }
    }
}

fn label<'l>(labels: &'l IndexMap<Name, String>, key: &'l str) -> &'l str {
    labels.get(key).map_or(key, String::as_str)
}

/// The keys of lines or columns: the listed ones, then a limited number of others.
struct Keys<'r> {
    keys: IndexSet<&'r str>,
    most: usize,
}

impl<'r> Keys<'r> {
    fn new(listed: &'r IndexMap<Name, String>) -> Self {
        Self {
            keys: listed.keys().map(AsRef::as_ref).collect(),
            most: listed.len() + UNLISTED,
        }
    }

    fn place(&mut self, key: &'r str) -> Option<usize> {
        let has_room = self.keys.len() < self.most;
        self.keys
            .get_index_of(key)
            .or_else(|| has_room.then(|| self.keys.insert_full(key).0))
    }
}
