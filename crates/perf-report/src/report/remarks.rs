//! Remarks from the program that requests a report, and the report without a baseline.

use std::sync::Arc;

use perf_config::Config;
use perf_model::diagnostic::named;
use perf_model::suite::{Family, Suite};

use super::Report;
use super::provenance::MeasuredCommits;
use super::sections::{MOST_NAMED, Section, SectionKind};
use crate::cell::Formats;
use crate::markdown::escape::{code, inline};
use crate::markdown::table::{Align, Table};
use crate::names::{BenchmarkName, SharedEnds, shortened};
use crate::plain::safe;

/// The maximum width of a line with a function.
const WIDTH: usize = 200;

/// Remarks from the program that requests a report.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Notes above the headline, as Markdown.
    pub notes: Vec<String>,
    /// The profiled benchmarks, the worst regression first.
    pub profiled: Vec<ProfiledBenchmark>,
    /// The measured commits, which may differ from those in the rows.
    pub measured: Option<MeasuredCommits>,
    /// Where the omitted rows are, as Markdown; the JSON report by default.
    pub rest: Option<Arc<str>>,
}

/// The functions that caused the regression of a benchmark.
#[derive(Clone, Debug)]
pub struct ProfiledBenchmark {
    /// Its key.
    pub benchmark: String,
    /// A function and its change per line, as plain text; empty if it was not profiled, or without a result.
    pub functions: Vec<String>,
}

impl Report {
    /// The report without a baseline.
    pub fn nothing_compared(why: &str) -> Self {
        let why = why.strip_suffix('.').unwrap_or(why);
        Self {
            icon: "⚠️",
            headline: format!("nothing was compared: {why}"),
            ..Self::default()
        }
    }

    /// Adds the results of a run without a baseline, and the command that writes a baseline from it if it has results.
    #[must_use]
    pub fn with_measured(mut self, suite: &Suite<'_>, config: &Config, create: &str) -> Self {
        let has_scopes = suite.scopes.len() > 1;
        let mut measured = Vec::new();
        for scope in &suite.scopes {
            for line in &scope.measurements {
                if line.family == Family::Own && !line.is_blank() {
                    let scope = has_scopes.then(|| scope.name.to_owned());
                    let label = config.label(line.scenario);
                    measured.push((BenchmarkName::new(line.scenario, label, scope), line));
                }
            }
        }
        let keys: Vec<&str> = measured.iter().filter_map(|(name, _)| name.key()).collect();
        let is_long = SharedEnds::none(&keys).is_long;
        let mut rows = Vec::new();
        for (name, line) in &measured {
            for metric in line.results(config) {
                let value = line.value(&metric, config);
                let value = Formats::default().cell_or(&metric, value, line.outcome());
                rows.push(vec![
                    name.markdown(false, is_long),
                    inline(&metric.label),
                    value,
                ]);
            }
        }
        self.measured = Table {
            header: ["Benchmark", "Metric", "Head"].map(str::to_owned).into(),
            align: vec![Align::None, Align::None, Align::Right],
            rows,
        };
        if !create.is_empty() {
            let create = format!("To compare the next run: `{create}`");
            let note = vec![create.into()];
            self.sections
                .push(Section::new(SectionKind::Notes, "", note));
        }
        self
    }

    /// Adds remarks.
    #[must_use]
    pub fn with_remarks(mut self, remarks: &Remarks) -> Self {
        self.remarks.clone_from(&remarks.notes);
        self.rest.clone_from(&remarks.rest);
        self.functions = functions(remarks);
        let Some(measured) = &remarks.measured else {
            return self;
        };
        if self.provenance.is_empty() {
            self.provenance.push(measured.footer());
        } else if !measured.are_in(&self.commits) {
            // The rows contain other commits.
            self.provenance.insert(0, measured.commits());
        }
        self
    }
}

/// Indented code below a title, which no function name can end, then the benchmarks without a result.
fn functions(remarks: &Remarks) -> String {
    let mut block = String::new();
    let mut others = Vec::new();
    for profiled in &remarks.profiled {
        if profiled.functions.is_empty() {
            others.push(code(&profiled.benchmark));
            continue;
        }
        let mut lines = vec![format!("{}:", profiled.benchmark)];
        lines.extend(
            profiled
                .functions
                .iter()
                .map(|function| format!("  {function}")),
        );
        for line in lines {
            block.extend(["    ", &shortened(&safe(&line), WIDTH), "\n"]);
        }
    }
    if block.is_empty() {
        return block;
    }
    let mut text = format!("**Functions that caused the regressions**:\n\n{block}");
    if !others.is_empty() {
        let others = named(&others, MOST_NAMED);
        text.extend([
            "\nFor the others, run `perf-gate why NAME` in a clone: ",
            &others,
            ".",
        ]);
    }
    text
}
