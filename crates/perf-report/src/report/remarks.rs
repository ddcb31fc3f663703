//! Adds remarks from the program that requests a report, and the results of a run without a baseline.

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

/// The maximum width of a line in the list of functions.
const WIDTH: usize = 200;

/// Remarks from the program that requests a report.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Notes above the headline, as Markdown.
    pub notes: Vec<String>,
    /// The profiled benchmarks, starting with the worst regression.
    pub profiled: Vec<ProfiledBenchmark>,
    /// The commits that were measured, which may differ from the commits in the rows.
    pub measured: Option<MeasuredCommits>,
    /// The place where readers find the omitted rows, as Markdown. `None` refers to the JSON report.
    pub rest: Option<Arc<str>>,
}

/// The functions that caused a benchmark's regression.
#[derive(Clone, Debug)]
pub struct ProfiledBenchmark {
    /// The benchmark's key.
    pub benchmark: String,
    /// The functions with their changes, one per line of plain text. Empty if the benchmark was not profiled, or if
    /// profiling had no result.
    pub functions: Vec<String>,
}

impl Report {
    /// Creates the report without a baseline, for the reason `why`.
    pub fn nothing_compared(why: &str) -> Self {
        let why = why.strip_suffix('.').unwrap_or(why);
        Self {
            icon: "⚠️",
            headline: format!("nothing was compared: {why}"),
            ..Self::default()
        }
    }

    /// Adds the results of a run without a baseline. Also adds `create`, the command that writes a baseline from these
    /// results, unless it is empty.
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

    /// Adds remarks from the program that requests the report.
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

/// Formats the functions as indented code, which no function name can end. Benchmarks without a result are listed below.
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
