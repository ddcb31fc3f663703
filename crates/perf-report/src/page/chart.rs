//! The bar chart of a scope's table, as two files beside the page: for light and for dark pages.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use perf_config::{Config, PageChart};
use perf_model::metric::{Direction, Metric};
use perf_model::row::{Name, Value};
use perf_model::suite::{Definitions, Family, Measurement, ScopeRows};

use crate::svg::{Bar, Bars, Theme, escaped, shown};
use crate::units::Units;

/// The maximum number of bars in a chart.
const MOST: usize = 50;
/// The longest part of a file's name.
const LONGEST: usize = 40;

/// A chart that stands beside the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartFile {
    /// The name of the file.
    pub name: String,
    /// The SVG.
    pub content: String,
}

/// The charts of a page.
pub(super) struct Charts {
    prefix: String,
    names: HashSet<String>,
    pub(super) files: Vec<ChartFile>,
}

impl Charts {
    /// None yet; their names begin with those of the page and the region.
    pub(super) fn new(page: &str, region: &str) -> Self {
        let named = [page, region]
            .into_iter()
            .map(slug)
            .filter(|part| !part.is_empty());
        Self {
            prefix: named.collect::<Vec<_>>().join("-"),
            names: HashSet::new(),
            files: Vec::new(),
        }
    }

    /// Adds the chart of a scope; returns how the page shows it.
    pub(super) fn add(&mut self, scope: &str, bars: &Bars) -> String {
        let scope = slug(scope);
        let base = format!(
            "{}-{}",
            self.prefix,
            if scope.is_empty() { "results" } else { &scope }
        );
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| !self.names.contains(name));
        let name = name.unwrap_or(base);
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| {
            let file = format!("{name}-{}.svg", theme.name());
            self.files.push(ChartFile {
                name: file.clone(),
                content: bars.to_svg(theme),
            });
            file
        });
        self.names.insert(name);
        format!(
            "<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\n  \
             <img alt=\"{}\" src=\"{light}\">\n</picture>",
            escaped(&bars.title())
        )
    }
}

/// Letters, digits and dashes, so that the name means the same in a URL, in Markdown and on every disk.
fn slug(text: &str) -> String {
    let lower = text.chars().map(|c| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let words = lower.collect::<String>();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(LONGEST);
    slug.trim_end_matches('-').to_owned()
}

/// The chart of a scope; `None` where nothing measured the metric.
pub(super) fn bars(chart: &PageChart, scope: &ScopeRows<'_>, config: &Config) -> Option<Bars> {
    let own = |line: &&Measurement<'_>| line.family == Family::Own && !line.is_blank();
    let lines: Vec<&Measurement<'_>> = scope.measurements.iter().filter(own).collect();
    let metric = match chart {
        PageChart::Metric(name) => config.metric(name),
        PageChart::Primary => most_frequent(&lines, config)?,
    };
    let is_shown = |line: &Measurement<'_>| {
        let is_primary = || {
            line.primary(config)
                .is_some_and(|primary| primary.name == metric.name)
        };
        *chart != PageChart::Primary || is_primary()
    };
    let numbers: Vec<(&Measurement<'_>, Value)> = lines
        .into_iter()
        .filter(|line| is_shown(line))
        .filter_map(|line| line.value(&metric, config).map(|value| (line, value)))
        .collect();
    let values: Vec<Value> = numbers.iter().map(|(_, value)| *value).collect();
    let units = Units::of(&metric, &values);
    let bar = |(line, value): &(&Measurement<'_>, Value)| Bar {
        label: shown(config.label(line.scenario)),
        number: value.as_f64(),
        text: units.text(value.as_f64()),
    };
    let bars: Vec<Bar> = numbers.iter().take(MOST).map(bar).collect();
    (!bars.is_empty()).then(|| Bars {
        title: title(&metric, bars.len(), numbers.len()),
        bars,
    })
}

/// The title of a chart: the metric, which way is better, and the number of bars if some are left out.
fn title(metric: &Metric, shown: usize, all: usize) -> String {
    let better = match metric.meaning.direction {
        Direction::Lower => " (lower is better)",
        Direction::Higher => " (higher is better)",
        Direction::Unknown => "",
    };
    let part = if shown < all {
        format!(", the first {shown} of {all}")
    } else {
        String::new()
    };
    format!("{}{better}{part}", metric.label)
}

/// The metric that stands for most lines, of several the first.
fn most_frequent(lines: &[&Measurement<'_>], config: &Config) -> Option<Arc<Metric>> {
    let mut counts: IndexMap<Name, (usize, Arc<Metric>)> = IndexMap::new();
    for metric in lines.iter().filter_map(|line| line.primary(config)) {
        counts
            .entry(Name::clone(&metric.name))
            .or_insert_with(|| (0, Arc::clone(&metric)))
            .0 += 1;
    }
    let most = counts.values().map(|(count, _)| *count).max()?;
    counts
        .into_values()
        .find(|(count, _)| *count == most)
        .map(|(_, metric)| metric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_differ() {
        let mut charts = Charts::new("My page.v2", "PERF_1");
        let bars = Bars {
            title: "a\"b".to_owned(),
            bars: vec![],
        };
        let shown = ["Linux x64", "Linux (x64)", "../../é"].map(|scope| charts.add(scope, &bars));
        assert!(
            shown[0]
                .contains("<img alt=\"a&quot;b\" src=\"my-page-v2-perf-1-linux-x64-light.svg\">"),
            "{shown:?}"
        );
        let names: Vec<&str> = charts.files.iter().map(|file| file.name.as_str()).collect();
        insta::assert_debug_snapshot!(names, @r#"
        [
            "my-page-v2-perf-1-linux-x64-light.svg",
            "my-page-v2-perf-1-linux-x64-dark.svg",
            "my-page-v2-perf-1-linux-x64-2-light.svg",
            "my-page-v2-perf-1-linux-x64-2-dark.svg",
            "my-page-v2-perf-1-results-light.svg",
            "my-page-v2-perf-1-results-dark.svg",
        ]
        "#);
    }
}
