//! The performance page: provenance, a table for each scope, a matrix for each compared metric.

mod chart;

use perf_model::suite::Definitions;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_config::{Config, PageColumn};
use perf_model::metric::Metric;
use perf_model::packages::Manifest;
use perf_model::row::{Name, Outcome, Value};
use perf_model::suite::Family;
use perf_model::suite::{Measurement, ScopeRows, Suite};
use serde::Serialize;

use crate::cell::{Formats, UNMEASURED};
use crate::markdown::escape::{code, inline};
use crate::markdown::table::{Align, Table};
use crate::matrix;

pub use self::chart::ChartFile;
use self::chart::Charts;

/// The origin of the numbers on a page: subject, hardware, versions of compared libraries.
#[derive(Debug, Default)]
pub struct PageProvenance {
    /// The subject of the measurement, such as "Unity 6000.1"; may be empty.
    pub measured: String,
    /// The hardware, or why it is unknown.
    pub runner: String,
    /// The versions of compared libraries, shown beside their names.
    pub packages: Option<Manifest>,
    /// The beginning of the names of chart files.
    pub charts: String,
}

/// The page as a model, with which its template is filled. Every text is Markdown already.
#[derive(Clone, Debug, Serialize)]
pub struct PageModel {
    /// The name in the markers.
    pub region: String,
    /// The `#`s of a heading.
    pub hashes: String,
    /// The subject of the measurement; may be empty.
    pub measured: String,
    /// The measured commits, as code; the first few, then how many more.
    pub commits: Vec<String>,
    /// The hardware.
    pub runner: String,
    /// One for each scope with benchmarks of the project's own.
    pub tables: Vec<Section>,
    /// One for each compared metric that was measured.
    pub matrices: Vec<Section>,
    /// Further notes for readers, such as what is left out.
    pub notes: Vec<String>,
    /// The files of the charts, which stand beside the page.
    #[serde(skip)]
    pub files: Vec<ChartFile>,
}

/// A heading and its table.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// The heading, without its hashes.
    pub heading: String,
    /// The platform of the rows; may be empty.
    pub platform: String,
    /// The chart of the table; empty without one.
    pub chart: String,
    /// The table.
    pub table: String,
}

/// The page of a suite.
pub fn page(
    suite: &Suite<'_>,
    config: &Config,
    region: &str,
    provenance: &PageProvenance,
) -> PageModel {
    let mut tables: Vec<Section> = Vec::new();
    let mut charts = Charts::new(&provenance.charts, region);
    for scope in &suite.scopes {
        let Some(mut section) = scope_section(scope, config) else {
            continue;
        };
        let chart = config
            .page
            .chart
            .as_ref()
            .and_then(|chart| chart::bars(chart, scope, config));
        section.chart = chart
            .map(|bars| charts.add(scope.name, &bars))
            .unwrap_or_default();
        tables.push(section);
    }
    let (mut matrices, mut notes) = (Vec::new(), Vec::new());
    let comparison = config.comparison.as_ref();
    for (comparison, matrix) in comparison.iter().flat_map(|comparison| {
        comparison
            .matrices
            .iter()
            .map(move |matrix| (comparison, matrix))
    }) {
        let Some(filled) = matrix::fill(
            matrix,
            comparison,
            suite,
            config,
            provenance.packages.as_ref(),
        ) else {
            continue;
        };
        let section = section(
            &matrix.heading,
            (filled.scope, filled.platform),
            config,
            filled.table,
        );
        if filled.left_out > 0 {
            notes.push(format!(
                "{}: {} rows of unlisted technologies or scenarios are left out.",
                section.heading, filled.left_out
            ));
        }
        matrices.push(section);
    }
    let skipped = suite
        .measurements()
        .filter(|measurement| measurement.is_blank())
        .count();
    if skipped > 0 {
        notes.push(format!(
            "Skipped by the benchmark and not shown: {skipped}."
        ));
    }
    PageModel {
        region: region.to_owned(),
        hashes: "#".repeat(usize::from(config.page.heading_level)),
        measured: inline(&provenance.measured),
        commits: commits(suite),
        runner: inline(&provenance.runner),
        tables,
        matrices,
        notes,
        files: charts.files,
    }
}

fn commits(suite: &Suite<'_>) -> Vec<String> {
    const NAMED: usize = 5;
    let commits: IndexSet<&str> = suite
        .measurements()
        .map(Measurement::commit)
        .filter(|commit| !commit.is_empty())
        .collect();
    let more = commits.len().saturating_sub(NAMED);
    let named = commits.into_iter().take(NAMED).map(code);
    named
        .chain((more > 0).then(|| format!("{more} more")))
        .collect()
}

/// A table below a heading, with `{scope}`, `{backend}` and `{where}` filled in.
fn section(
    heading: &str,
    (scope, platform): ShownScope<'_>,
    config: &Config,
    mut table: Table,
) -> Section {
    if config.page.align_right {
        table.align = vec![Align::Right; table.header.len()];
        table.align[..1].fill(Align::None);
    }
    let name = if scope.name.is_empty() {
        "Results"
    } else {
        scope.name
    };
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
    // Without a config the heading is the platform already.
    let platform = if scope.name == platform {
        String::new()
    } else {
        inline(platform)
    };
    Section {
        heading: inline(&heading),
        platform,
        chart: String::new(),
        table: table.to_markdown(),
    }
}

/// A scope, and the platform of the rows that a section shows.
type ShownScope<'p> = (&'p ScopeRows<'p>, &'p str);

/// A column's metric in one line of the table, and its value.
type Cell = Option<(Arc<Metric>, Option<Value>)>;

fn scope_section(scope: &ScopeRows<'_>, config: &Config) -> Option<Section> {
    let own = |measurement: &&Measurement<'_>| {
        measurement.family == Family::Own && !measurement.is_blank()
    };
    let lines: Vec<&Measurement<'_>> = scope.measurements.iter().filter(own).collect();
    if lines.is_empty() {
        return None;
    }
    let mut columns = match &config.page.columns {
        Some(listed) => {
            let places = |column| {
                lines
                    .iter()
                    .map(|line| place(column, line, config))
                    .collect()
            };
            listed
                .iter()
                .map(|column| (column.clone(), places(column)))
                .collect()
        }
        None => derived_columns(&lines, config),
    };
    let measured = |places: &[Cell]| places.iter().flatten().any(|(_, value)| value.is_some());
    columns.retain(|(column, places)| column.always || measured(places));
    let values = columns.iter().flat_map(|(_, places)| {
        places
            .iter()
            .flatten()
            .map(|(metric, value)| (&**metric, *value))
    });
    let formats = Formats::new(values);
    let cell = |place: &Cell, line: &Measurement<'_>| match place {
        Some((metric, value)) => formats.cell_or(metric, *value, line.outcome()),
        None if line.outcome() == Outcome::Measured => UNMEASURED.to_owned(),
        None => line.outcome().word().to_owned(),
    };
    let mut header = vec![inline(&config.page.scenario_label)];
    header.extend(columns.iter().map(|(column, _)| inline(&column.label)));
    let rows = lines.iter().enumerate().map(|(at, line)| {
        let label = inline(config.label(line.scenario));
        std::iter::once(label)
            .chain(columns.iter().map(|(_, places)| cell(&places[at], line)))
            .collect()
    });
    let table = Table {
        header,
        align: Vec::new(),
        rows: rows.collect(),
    };
    let platform = lines[0].rows.first().map_or("", |row| &row.platform);
    Some(section(
        &config.page.heading,
        (scope, platform),
        config,
        table,
    ))
}

/// A column and its places, line by line.
type Filled = (PageColumn, Vec<Cell>);

fn place(column: &PageColumn, line: &Measurement<'_>, config: &Config) -> Cell {
    let metric = match &column.metric {
        Some(name) => config.metric(name),
        None => line.primary(config)?,
    };
    let value = line.value(&metric, config);
    Some((metric, value))
}

/// Without listed columns: one for each metric that is a result of some line, listed metrics first.
fn derived_columns(lines: &[&Measurement<'_>], config: &Config) -> Vec<Filled> {
    let listed = config
        .listed_metrics()
        .map(|metric| (Name::clone(&metric.name), Vec::new()));
    let mut columns: IndexMap<Name, Vec<Cell>> = listed.collect();
    for (at, line) in lines.iter().enumerate() {
        for metric in line.results(config) {
            let places = columns.entry(Name::clone(&metric.name)).or_default();
            let value = line.value(&metric, config);
            places.resize(at, None);
            places.push(Some((metric, value)));
        }
    }
    let filled = columns.into_iter().map(|(name, mut places)| {
        places.resize(lines.len(), None);
        (
            PageColumn {
                label: config.metric(&name).label.clone(),
                metric: Some(name),
                always: false,
            },
            places,
        )
    });
    filled.collect()
}
