//! The document's region: provenance, a table for each scope, a matrix for each compared metric.

use indexmap::IndexMap;
use perf_rows::catalogue::{Catalogue, Column, Comparison, Family, Matrix, Metric};
use perf_rows::metric::Direction;
use perf_rows::row::{Name, Value};
use perf_rows::suite::{Measurement, ScopeRows, Suite};
use serde::Serialize;

use crate::cell::{Formats, NOT_APPLICABLE, UNMEASURED};
use crate::markdown::{code, inline};
use crate::table::Table;

/// Where the numbers come from, as people are told.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// What was measured, such as "Unity 6000.1"; may be empty.
    pub measured: String,
    /// The hardware, or a text that says why it is not known.
    pub runner: String,
}

/// What the page's template is filled with. Every text is Markdown already.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The name in the markers.
    pub region: String,
    /// `#`, as many as headings have.
    pub hashes: String,
    /// What was measured; empty when nobody said.
    pub measured: String,
    /// The measured commits, as code.
    pub commits: Vec<String>,
    /// The hardware.
    pub runner: String,
    /// One for each scope with rows of the project's own.
    pub tables: Vec<Section>,
    /// One for each compared metric that was measured.
    pub matrices: Vec<Section>,
}

/// A heading and its table.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// The heading, without its hashes.
    pub heading: String,
    /// The platform that the rows name; empty when they name none.
    pub platform: String,
    /// The table.
    pub table: String,
}

/// The page of a suite.
pub fn page(suite: &Suite<'_>, catalogue: &Catalogue, region: &str, provenance: &Provenance) -> Page {
    let scopes = suite.scopes.iter().filter_map(|scope| scope_section(scope, catalogue));
    let comparison = catalogue.comparison.as_ref();
    let matrices = comparison.into_iter().flat_map(|comparison| {
        comparison.matrices.iter().filter_map(|matrix| matrix_section(matrix, comparison, suite, catalogue))
    });
    Page {
        region: region.to_owned(),
        hashes: "#".repeat(usize::from(catalogue.page.heading_level)),
        measured: inline(&provenance.measured),
        commits: commits(suite),
        runner: inline(&provenance.runner),
        tables: scopes.collect(),
        matrices: matrices.collect(),
    }
}

fn commits(suite: &Suite<'_>) -> Vec<String> {
    let mut commits: Vec<&str> = Vec::new();
    for measurement in suite.measurements() {
        if !measurement.commit().is_empty() && !commits.contains(&measurement.commit()) {
            commits.push(measurement.commit());
        }
    }
    commits.into_iter().map(code).collect()
}

/// Fills `{scope}`, `{backend}` and `{where}` into a heading.
fn heading(text: &str, scope: &ScopeRows<'_>, catalogue: &Catalogue) -> String {
    let name = if scope.name.is_empty() { "Results" } else { scope.name };
    let backend = catalogue.backend_of(scope.platform).unwrap_or_default();
    let place = if backend.is_empty() { name.to_owned() } else { format!("{name} ({backend})") };
    let filled = text.replace("{where}", &place).replace("{scope}", name).replace("{backend}", backend);
    inline(&filled)
}

fn section(heading_text: &str, scope: &ScopeRows<'_>, catalogue: &Catalogue, table: &Table) -> Section {
    // Without a catalogue the heading is the platform: no need to say it twice.
    let platform = if scope.name == &**scope.platform { String::new() } else { inline(scope.platform) };
    Section { heading: heading(heading_text, scope, catalogue), platform, table: table.to_markdown() }
}

/// A column's metric in one line of the table, and its value.
type Place = Option<(Metric, Option<Value>)>;

fn scope_section(scope: &ScopeRows<'_>, catalogue: &Catalogue) -> Option<Section> {
    let own = |measurement: &&Measurement<'_>| measurement.family == Family::Own;
    let lines: Vec<&Measurement<'_>> = scope.measurements.iter().filter(own).collect();
    if lines.is_empty() {
        return None;
    }
    let mut columns = match &catalogue.page.columns {
        Some(listed) => listed_columns(listed, &lines, catalogue),
        None => derived_columns(&lines, catalogue),
    };
    let measured = |places: &[Place]| places.iter().flatten().any(|(_, value)| value.is_some());
    columns.retain(|(column, places)| column.always || measured(places));
    let values = columns.iter().flat_map(|(_, places)| places.iter().flatten().map(|(metric, value)| (metric, *value)));
    let formats = Formats::new(values);
    let cell = |place: &Place| place.as_ref().map_or_else(|| UNMEASURED.to_owned(), |(metric, value)| formats.cell(metric, *value));
    let mut header = vec![inline(&catalogue.page.scenario_label)];
    header.extend(columns.iter().map(|(column, _)| inline(&column.label)));
    let rows = lines.iter().enumerate().map(|(at, line)| {
        let label = inline(catalogue.label(line.scenario));
        std::iter::once(label).chain(columns.iter().map(|(_, places)| cell(&places[at]))).collect()
    });
    let table = Table { header, align: Vec::new(), rows: rows.collect() };
    Some(section(&catalogue.page.heading, scope, catalogue, &table))
}

/// A column and its places, line by line.
type Filled = (Column, Vec<Place>);

fn listed_columns(columns: &[Column], lines: &[&Measurement<'_>], catalogue: &Catalogue) -> Vec<Filled> {
    let filled = columns.iter().map(|column| {
        (column.clone(), lines.iter().map(|line| place(column, line, catalogue)).collect())
    });
    filled.collect()
}

fn place(column: &Column, line: &Measurement<'_>, catalogue: &Catalogue) -> Place {
    let metric = match &column.metric {
        Some(name) => catalogue.metric(name),
        None => line.primary(catalogue)?,
    };
    let value = line.value(&metric);
    Some((metric, value))
}

/// Without listed columns: one for each metric that is a result of some line, listed metrics first.
fn derived_columns(lines: &[&Measurement<'_>], catalogue: &Catalogue) -> Vec<Filled> {
    let listed = catalogue.listed_metrics().map(|metric| (Name::clone(&metric.name), Vec::new()));
    let mut columns: IndexMap<Name, Vec<Place>> = listed.collect();
    for (at, line) in lines.iter().enumerate() {
        for metric in line.results(catalogue) {
            let places = columns.entry(Name::clone(&metric.name)).or_default();
            let value = line.value(&metric);
            places.resize(at, None);
            places.push(Some((metric, value)));
        }
    }
    let filled = columns.into_iter().map(|(name, mut places)| {
        places.resize(lines.len(), None);
        (Column { label: catalogue.metric(&name).label, metric: Some(name), always: false }, places)
    });
    filled.collect()
}

fn matrix_section(matrix: &Matrix, comparison: &Comparison, suite: &Suite<'_>, catalogue: &Catalogue) -> Option<Section> {
    let metric = catalogue.metric(&matrix.metric);
    let measured = |measurement: &Measurement<'_>| measurement.family != Family::Own && measurement.value(&metric).is_some();
    let scope = suite.scopes.iter().find(|scope| scope.measurements.iter().any(measured))?;
    let grid = Grid::new(scope, comparison, &metric);
    Some(section(&matrix.heading, scope, catalogue, &grid.table(comparison, &metric, matrix.bold_winner)))
}

/// Technologies that have rows × work: `None` where nothing was measured at all.
struct Grid<'r> {
    technologies: Vec<&'r str>,
    work: Vec<&'r str>,
    cells: Vec<Vec<Option<Option<Value>>>>,
}

impl<'r> Grid<'r> {
    fn new(scope: &'r ScopeRows<'_>, comparison: &'r Comparison, metric: &Metric) -> Self {
        let has_rows = |key: &&Name| {
            let of_key = |family| matches!(family, Family::Comparison { technology, .. } if *technology == ***key);
            scope.measurements.iter().any(|measurement| of_key(measurement.family))
        };
        let mut technologies: Vec<&str> = comparison.technologies.keys().filter(has_rows).map(|key| &**key).collect();
        let mut work: Vec<&str> = comparison.scenarios.keys().map(|key| &**key).collect();
        let mut found = Vec::new();
        for measurement in &scope.measurements {
            if let Family::Comparison { technology, work: done } = measurement.family {
                found.push((place_of(&mut technologies, technology), place_of(&mut work, done), measurement.value(metric)));
            }
        }
        let mut cells = vec![vec![None; work.len()]; technologies.len()];
        for (line, column, value) in found {
            cells[line][column] = Some(value);
        }
        Self { technologies, work, cells }
    }

    fn table(&self, comparison: &Comparison, metric: &Metric, bold_winner: bool) -> Table {
        let values = self.cells.iter().flatten().flatten().map(|value| (metric, *value));
        let formats = Formats::new(values);
        let winners: Vec<Option<String>> = (0..self.work.len())
            .map(|column| bold_winner.then(|| self.winner(column, metric.meaning.direction)).flatten())
            .map(|winner| winner.map(|value| formats.show(metric, value)))
            .collect();
        let cell = |(column, value): (usize, &Option<Option<Value>>)| match value {
            None => NOT_APPLICABLE.to_owned(),
            Some(value) => {
                let text = formats.cell(metric, *value);
                if value.is_some() && winners[column].as_ref() == Some(&text) { format!("**{text}**") } else { text }
            }
        };
        let label = |labels: &IndexMap<Name, String>, key: &str| inline(labels.get(key).map_or(key, String::as_str));
        let mut header = vec![inline(&comparison.label)];
        header.extend(self.work.iter().map(|key| label(&comparison.scenarios, key)));
        let rows = self.technologies.iter().zip(&self.cells).map(|(key, cells)| {
            std::iter::once(label(&comparison.technologies, key)).chain(cells.iter().enumerate().map(cell)).collect()
        });
        Table { header, align: Vec::new(), rows: rows.collect() }
    }

    /// The best value of a column.
    fn winner(&self, column: usize, direction: Direction) -> Option<Value> {
        let values = self.cells.iter().filter_map(|line| line[column].flatten());
        let by_size = |a: &Value, b: &Value| a.as_f64().total_cmp(&b.as_f64());
        match direction {
            Direction::Higher => values.max_by(by_size),
            Direction::Lower => values.min_by(by_size),
            Direction::Unknown => None,
        }
    }
}

/// The place of a key, which is added at the end when it is not listed.
fn place_of<'k>(keys: &mut Vec<&'k str>, key: &'k str) -> usize {
    keys.iter().position(|known| *known == key).unwrap_or_else(|| {
        keys.push(key);
        keys.len() - 1
    })
}
