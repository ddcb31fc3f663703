//! The comparison matrix: technologies × work for one metric, in the first scope that measured this metric.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use perf_config::{Config, LibraryComparison, Matrix};
use perf_model::metric::{Direction, Metric};
use perf_model::packages::Manifest;
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows, Suite};

use crate::cell::{Formats, NOT_APPLICABLE};
use crate::markdown::escape::inline;
use crate::markdown::table::Table;

/// The maximum number of unlisted technologies, and of unlisted work, that a matrix shows. The input may contain any
/// number.
const UNLISTED: usize = 50;

pub(crate) struct Filled<'s, 'r> {
    pub(crate) scope: &'s ScopeRows<'r>,
    /// The platform of the first row that measured the metric.
    pub(crate) platform: &'r str,
    pub(crate) table: Table,
    pub(crate) left_out: usize,
}

/// Each cell's value and text, by technology and work. A technology that does not support the work has no entry.
type Cells<'r> = HashMap<(&'r str, &'r str), (Option<Value>, String)>;

/// Fills a matrix from the first scope that measured the metric: one line per technology with rows, and one column per
/// work, listed or not. Returns `None` if no scope measured the metric.
pub(crate) fn fill<'s, 'r>(
    matrix: &Matrix,
    comparison: &LibraryComparison,
    suite: &'s Suite<'r>,
    config: &Config,
    packages: Option<&Manifest>,
) -> Option<Filled<'s, 'r>> {
    let metric = config.metric(&matrix.metric);
    let measured = |measurement: &&Measurement<'_>| {
        measurement.family != Family::Own && measurement.value(&metric, config).is_some()
    };
    let mut scopes = suite.scopes.iter();
    let (scope, first) =
        scopes.find_map(|scope| Some((scope, scope.measurements.iter().find(measured)?)))?;
    let mut compared = Vec::new();
    for one in &scope.measurements {
        if let Family::Comparison { technology, work } = one.family {
            compared.push((technology, work, one.value(&metric, config)));
        }
    }
    let formats = Formats::new(compared.iter().map(|(_, _, value)| (&*metric, *value)));
    // Start with the listed keys, so that they come first.
    let mut technologies = keys(&comparison.technologies);
    let mut work = keys(&comparison.scenarios);
    let (most_technologies, most_work) = (technologies.len() + UNLISTED, work.len() + UNLISTED);
    let mut cells = Cells::new();
    let mut left_out = 0;
    for (technology, one_work, value) in compared {
        if has_place(&mut technologies, technology, most_technologies)
            && has_place(&mut work, one_work, most_work)
        {
            let text = formats.cell(&metric, value);
            cells.insert((technology, one_work), (value, text));
        } else {
            left_out += 1;
        }
    }
    technologies.retain(|technology| cells.keys().any(|(measured, _)| measured == technology));
    let mut header = vec![inline(&comparison.label)];
    let mut rows = Vec::new();
    for technology in &technologies {
        let label = label(&comparison.technologies, technology);
        let version = packages.and_then(|manifest| {
            let version = manifest.pinned_version(technology);
            version.or_else(|| manifest.pinned_version(label))
        });
        rows.push(vec![match version {
            Some(version) => inline(&format!("{label} {version}")),
            None => inline(label),
        }]);
    }
    for one_work in &work {
        header.push(inline(label(&comparison.scenarios, one_work)));
        let mut best = None;
        if matrix.bold_winner {
            best = best_of(&technologies, one_work, &cells, &metric);
        }
        for (row, technology) in rows.iter_mut().zip(&technologies) {
            row.push(match cells.get(&(*technology, *one_work)) {
                None => NOT_APPLICABLE.to_owned(),
                Some((Some(_), text)) if best == Some(text) => format!("**{text}**"),
                Some((_, text)) => text.clone(),
            });
        }
    }
    Some(Filled {
        scope,
        platform: first.rows.first().map_or("", |row| &row.platform),
        table: Table {
            header,
            align: Vec::new(),
            rows,
        },
        left_out,
    })
}

/// Returns a column's best positive value as text. All cells with this text are marked as best.
fn best_of<'c, 'r>(
    technologies: &IndexSet<&'r str>,
    work: &'r str,
    cells: &'c Cells<'r>,
    metric: &Metric,
) -> Option<&'c String> {
    let mut best: Option<(f64, &String)> = None;
    for technology in technologies {
        let Some((Some(value), text)) = cells.get(&(*technology, work)) else {
            continue;
        };
        let value = value.as_f64();
        // For an exact metric, zero is the best value, but it is not marked.
        if value <= 0.0 && !metric.meaning.exact {
            continue;
        }
        let is_better = match (metric.meaning.direction, best) {
            (Direction::Unknown, _) => return None,
            (_, None) => true,
            (Direction::Higher, Some((best, _))) => value >= best,
            (Direction::Lower, Some((best, _))) => value < best,
        };
        if is_better {
            best = Some((value, text));
        }
    }
    best.filter(|(value, _)| *value > 0.0).map(|(_, text)| text)
}

fn label<'l>(labels: &'l IndexMap<Name, String>, key: &'l str) -> &'l str {
    labels.get(key).map_or(key, String::as_str)
}

fn keys(labels: &IndexMap<Name, String>) -> IndexSet<&str> {
    labels.keys().map(AsRef::as_ref).collect()
}

/// Adds a key if there is room for it. Returns whether the set then contains the key.
fn has_place<'r>(keys: &mut IndexSet<&'r str>, key: &'r str, most: usize) -> bool {
    if keys.len() < most {
        keys.insert(key);
    }
    keys.contains(key)
}
