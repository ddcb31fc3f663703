//! The comparison matrix: technologies × work for one metric, in the first scope that measured it.

use indexmap::IndexMap;
use perf_config::{Comparison, Config, Matrix};
use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::packages::Manifest;
use perf_model::row::{Name, Value};
use perf_model::suite::Definitions;
use perf_model::suite::Family;
use perf_model::suite::{Measurement, ScopeRows, Suite};

use crate::cell::{Formats, NOT_APPLICABLE};
use perf_markdown::escape::inline;
use perf_markdown::table::Table;

/// How many keys of one kind are shown beyond those in the config: a matrix grows with both, and the input can name any
/// number.
const UNLISTED: usize = 50;

/// A matrix, and how many rows it leaves out.
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
    comparison: &Comparison,
    suite: &'s Suite<'r>,
    config: &Config,
    packages: Option<&Manifest>,
) -> Option<Filled<'s, 'r>> {
    let metric = config.metric(&matrix.metric);
    let measured = |measurement: &Measurement<'_>| {
        measurement.family != Family::Own && measurement.value(&metric, config).is_some()
    };
    let first =
        |scope: &'s ScopeRows<'r>| Some((scope, scope.measurements.iter().find(|one| measured(one))?));
    let (scope, first) = suite.scopes.iter().find_map(first)?;
    let mut grid = Grid::new(scope, comparison, &metric, config);
    if matrix.bold_winner {
        grid.mark_winners(&metric);
    }
    let platform = first.rows.first().map_or("", |row| &row.platform);
    Some(Filled { scope, platform, table: grid.table(comparison, packages), left_out: grid.left_out })
}

/// A cell of the matrix.
#[derive(Clone)]
enum Cell {
    /// The technology does not support this.
    NotApplicable,
    /// The value, and its text.
    Row(Option<Value>, String),
}

struct Grid<'r> {
    technologies: Vec<&'r str>,
    work: Vec<&'r str>,
    /// Line by line.
    cells: Vec<Vec<Cell>>,
    left_out: usize,
}

impl<'r> Grid<'r> {
    /// Lines for technologies that have rows, columns for all listed work.
    fn new(scope: &'r ScopeRows<'_>, comparison: &'r Comparison, metric: &Metric, config: &Config) -> Self {
        let compared = scope.measurements.iter().filter_map(|measurement| match measurement.family {
            Family::Comparison { technology, work } => {
                Some((technology, work, measurement.value(metric, config)))
            }
            Family::Own => None,
        });
        let compared: Vec<(&str, &str, Option<Value>)> = compared.collect();
        let mut technologies = Keys::new(&comparison.technologies);
        let mut work = Keys::new(&comparison.scenarios);
        let places: Vec<Option<(usize, usize)>> = compared
            .iter()
            .map(|(technology, done, _)| technologies.place(technology).zip(work.place(done)))
            .collect();
        let formats = Formats::new(compared.iter().map(|(_, _, value)| (metric, *value)));
        let mut cells = vec![vec![Cell::NotApplicable; work.keys.len()]; technologies.keys.len()];
        for (place, (_, _, value)) in places.iter().zip(&compared) {
            if let Some((line, column)) = place {
                cells[*line][*column] = Cell::Row(*value, formats.cell(metric, *value));
            }
        }
        let left_out = places.iter().filter(|place| place.is_none()).count();
        let mut grid = Self { technologies: technologies.keys, work: work.keys, cells, left_out };
        grid.drop_empty_lines();
        grid
    }

    fn drop_empty_lines(&mut self) {
        let has_rows = |line: &Vec<Cell>| line.iter().any(|cell| matches!(cell, Cell::Row(..)));
        let mut keep = self.cells.iter().map(has_rows).collect::<Vec<_>>().into_iter();
        self.technologies.retain(|_| keep.next().unwrap_or(false));
        self.cells.retain(has_rows);
    }

    /// The best cells of each column become bold: all with the text of the best value.
    fn mark_winners(&mut self, metric: &Metric) {
        for column in 0..self.work.len() {
            let Some(best) = self.best(column, metric) else { continue };
            for line in &mut self.cells {
                match &mut line[column] {
                    Cell::Row(Some(_), text) if *text == best => *text = format!("**{best}**"),
                    _ => {}
                }
            }
        }
    }

    /// The text of the best value, which must be above zero: nothing takes no time, and nobody wins by doing nothing.
    fn best(&self, column: usize, metric: &Metric) -> Option<String> {
        let cells = self.cells.iter().filter_map(|line| match &line[column] {
            Cell::Row(Some(value), text) => Some((value.as_f64(), text)),
            _ => None,
        });
        // Zero allocations are better than some, and no winner either.
        let cells = cells.filter(|(value, _)| *value > 0.0 || metric.meaning.exact);
        let best = match metric.meaning.direction {
            Direction::Higher => cells.max_by(|a, b| a.0.total_cmp(&b.0)),
            Direction::Lower => cells.min_by(|a, b| a.0.total_cmp(&b.0)),
            Direction::Unknown => None,
        };
        best.filter(|(value, _)| *value > 0.0).map(|(_, text)| text.clone())
    }

    fn table(&self, comparison: &Comparison, packages: Option<&Manifest>) -> Table {
        let mut header = vec![inline(&comparison.label)];
        header.extend(self.work.iter().map(|key| inline(label(&comparison.scenarios, key))));
        let technology = |key: &str| {
            let label = label(&comparison.technologies, key);
            let pinned = |manifest: &Manifest| {
                manifest.pinned_version(key).or_else(|| manifest.pinned_version(label)).map(str::to_owned)
            };
            match packages.and_then(pinned) {
                Some(version) => inline(&format!("{label} {version}")),
                None => inline(label),
            }
        };
        let text = |cell: &Cell| match cell {
            Cell::NotApplicable => NOT_APPLICABLE.to_owned(),
            Cell::Row(_, text) => text.clone(),
        };
        let rows = self
            .technologies
            .iter()
            .zip(&self.cells)
            .map(|(key, cells)| std::iter::once(technology(key)).chain(cells.iter().map(text)).collect());
        Table { header, align: Vec::new(), rows: rows.collect() }
    }
}

fn label<'l>(labels: &'l IndexMap<Name, String>, key: &'l str) -> &'l str {
    labels.get(key).map_or(key, String::as_str)
}

/// The keys of lines or columns: the listed ones, then a bounded number of others.
struct Keys<'r> {
    keys: Vec<&'r str>,
    most: usize,
}

impl<'r> Keys<'r> {
    fn new(listed: &'r IndexMap<Name, String>) -> Self {
        Self { keys: listed.keys().map(AsRef::as_ref).collect(), most: listed.len() + UNLISTED }
    }

    fn place(&mut self, key: &'r str) -> Option<usize> {
        let known = self.keys.iter().position(|known| *known == key);
        if known.is_none() && self.keys.len() < self.most {
            self.keys.push(key);
            return Some(self.keys.len() - 1);
        }
        known
    }
}
