//! The performance page: provenance, a table for each scope, and the matrices of the comparison.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_config::{ColumnEntry, Config, PRIMARY};
use perf_model::diagnostic::named;
use perf_model::metric::Metric;
use perf_model::packages::Manifest;
use perf_model::row::{Name, Outcome, Value};
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows, Suite};
use serde::Serialize;

use crate::cell::{Formats, UNMEASURED};
use crate::markdown::escape::{code, inline};
use crate::markdown::table::{Align, Table};
use crate::matrix;
use crate::template::{self, TemplateError};

/// The origin of the numbers on a page.
#[derive(Debug, Default)]
pub struct PageProvenance {
    /// The measured platform, such as "Unity 6000.1"; may be empty.
    pub measured: String,
    /// The hardware; empty if it was not recorded.
    pub runner: String,
    /// The versions of compared libraries, shown after their names.
    pub packages: Option<Manifest>,
}

/// The variables of the page template. All texts are Markdown.
#[derive(Serialize)]
struct Page {
    region: String,
    /// The `#` characters before a heading.
    hashes: String,
    /// The measured platform and the commits; may be empty.
    measured: String,
    runner: String,
    sections: Vec<Section>,
    /// Notes, such as the number of rows left out.
    notes: Vec<String>,
}

/// A heading and its table.
#[derive(Serialize)]
struct Section {
    /// The heading without `#` characters.
    heading: String,
    /// The platform of the rows; empty if the heading already shows it.
    platform: String,
    table: String,
}

/// Formats a suite as the Markdown of the page.
///
/// # Errors
/// Fails if the template does not fit the page.
pub fn page(
    suite: &Suite<'_>,
    config: &Config,
    region: &str,
    provenance: &PageProvenance,
) -> Result<String, TemplateError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut notes = Vec::new();
    for scope in &suite.scopes {
        sections.extend(scope_section(scope, config));
    }
    if let Some(comparison) = &config.comparison {
        let packages = provenance.packages.as_ref();
        for matrix in &comparison.matrices {
            let Some(filled) = matrix::fill(matrix, comparison, suite, config, packages) else {
                continue;
            };
            let shown = (filled.scope.name, filled.platform);
            let section = section(&matrix.heading, shown, config, filled.table);
            if filled.left_out > 0 {
                notes.push(format!(
                    "{}: {} rows of unlisted technologies or scenarios are left out.",
                    section.heading, filled.left_out
                ));
            }
            // The heading already shows the scope.
            sections.push(Section {
                platform: String::new(),
                ..section
            });
        }
    }
    let measurements = suite.measurements();
    let skipped = measurements
        .filter(|measurement| measurement.is_blank())
        .count();
    if skipped > 0 {
        notes.push(format!(
            "Skipped by the benchmark and not shown: {skipped}."
        ));
    }
    let mut measured = Vec::new();
    if !provenance.measured.is_empty() {
        measured.push(inline(&provenance.measured));
    }
    measured.extend(commits(suite));
    let page = Page {
        region: region.to_owned(),
        hashes: "#".repeat(usize::from(*config.page.heading_level)),
        measured: measured.join(", "),
        runner: inline(&provenance.runner),
        sections,
        notes,
    };
    template::fill(template::PAGE, &page)
}

/// Formats the measured commits: the first few, and the number of others.
fn commits(suite: &Suite<'_>) -> Option<String> {
    const SHOWN: usize = 5;
    let mut commits = IndexSet::new();
    for measurement in suite.measurements() {
        if !measurement.commit().is_empty() {
            commits.insert(code(measurement.commit()));
        }
    }
    let commits: Vec<String> = commits.into_iter().collect();
    (!commits.is_empty()).then(|| format!("commit {}", named(&commits, SHOWN)))
}

/// Creates a section from a table. `{scope}`, `{backend}` and `{where}` in the heading are filled in.
fn section(
    heading: &str,
    (scope, platform): (&str, &str),
    config: &Config,
    mut table: Table,
) -> Section {
    if config.page.aligns_right() {
        table.align = vec![Align::Right; table.header.len()];
        table.align[..1].fill(Align::None);
    }
    let name = if scope.is_empty() { "Results" } else { scope };
    let backend = config.backend_of(platform).unwrap_or_default();
    let place = if backend.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({backend})")
    };
    let heading = heading
        .replace("{where}", &place)
        .replace("{scope}", name)
        .replace("{backend}", backend);
    // Without configured scopes, the heading already shows the platform.
    let platform = if scope == platform { "" } else { platform };
    Section {
        heading: inline(&heading),
        platform: inline(platform),
        table: table.to_markdown(),
    }
}

/// The metric and its value in one cell; `None` if the line does not contain the metric.
type Cell = Option<(Arc<Metric>, Option<Value>)>;

/// Creates the section of a scope. Returns `None` if it contains none of the project's own benchmarks.
fn scope_section(scope: &ScopeRows<'_>, config: &Config) -> Option<Section> {
    let own = |line: &&Measurement<'_>| line.family == Family::Own && !line.is_blank();
    let lines: Vec<&Measurement<'_>> = scope.measurements.iter().filter(own).collect();
    let first = lines.first()?;
    let mut columns = match &config.page.columns {
        Some(listed) => listed
            .iter()
            .map(|column| listed_column(column, &lines, config))
            .collect(),
        None => derived_columns(&lines, config),
    };
    columns.retain(|(column, cells)| {
        column.always || cells.iter().flatten().any(|(_, value)| value.is_some())
    });
    // Use one unit per metric, because this makes a column easy to compare.
    let cells = columns.iter().flat_map(|(_, cells)| cells.iter().flatten());
    let formats = Formats::new(cells.map(|(metric, value)| (&**metric, *value)));
    let mut header = vec![inline(&config.page.scenario_label)];
    header.extend(columns.iter().map(|(column, _)| inline(&column.label)));
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut row = vec![inline(config.label(line.scenario))];
        for (_, cells) in &columns {
            row.push(match &cells[at] {
                Some((metric, value)) => formats.cell_or(metric, *value, line.outcome()),
                None if line.outcome() == Outcome::Measured => UNMEASURED.to_owned(),
                None => line.outcome().word().to_owned(),
            });
        }
        rows.push(row);
    }
    let table = Table {
        header,
        align: Vec::new(),
        rows,
    };
    let platform = first.rows.first().map_or("", |row| &row.platform);
    Some(section(
        &config.page.heading,
        (scope.name, platform),
        config,
        table,
    ))
}

/// Returns a column from the config with a cell for each line.
fn listed_column(
    column: &ColumnEntry,
    lines: &[&Measurement<'_>],
    config: &Config,
) -> (ColumnEntry, Vec<Cell>) {
    let mut cells = Vec::new();
    for line in lines {
        let metric = match column.metric.as_str() {
            PRIMARY => line.primary(config),
            name => Some(config.metric(config.metric_name(name))),
        };
        cells.push(metric.map(|metric| {
            let value = line.value(&metric, config);
            (metric, value)
        }));
    }
    (column.clone(), cells)
}

/// Returns the columns for a config that lists none: one for each metric that is a result on some line, listed metrics
/// first.
fn derived_columns(lines: &[&Measurement<'_>], config: &Config) -> Vec<(ColumnEntry, Vec<Cell>)> {
    let mut columns: IndexMap<Name, Vec<Cell>> = IndexMap::new();
    for metric in config.listed_metrics() {
        columns.insert(Name::clone(&metric.name), vec![None; lines.len()]);
    }
    for (at, line) in lines.iter().enumerate() {
        for metric in line.results(config) {
            let cells = columns.entry(Name::clone(&metric.name));
            let cells = cells.or_insert_with(|| vec![None; lines.len()]);
            let value = line.value(&metric, config);
            cells[at] = Some((metric, value));
        }
    }
    let mut derived = Vec::new();
    for (name, cells) in columns {
        let column = ColumnEntry {
            label: config.metric(&name).label.clone(),
            metric: name.to_string().into(),
            always: false,
        };
        derived.push((column, cells));
    }
    derived
}
