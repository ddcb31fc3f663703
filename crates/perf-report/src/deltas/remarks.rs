//! Remarks of the program that asks for a report, beside the comparison.

use std::iter;
use std::time::Duration;

use super::model::DeltasModel;
use crate::plain::{safe, shortened};

/// The most columns of a line with a function.
const WIDTH: usize = 200;

/// Remarks of the program that asks for a report.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Notes above the headline, as Markdown.
    pub notes: Vec<String>,
    /// The benchmarks that were profiled, the worst regression first.
    pub profiled: Vec<ProfiledBenchmark>,
    /// The time limit of profiling.
    pub time_limit: Duration,
}

/// The functions behind the regression of a benchmark.
#[derive(Clone, Debug)]
pub struct ProfiledBenchmark {
    /// Its key.
    pub benchmark: String,
    /// A function and what changed in it, a line each, as plain text.
    pub functions: Vec<String>,
}

impl DeltasModel {
    /// The same with remarks.
    #[must_use]
    pub fn with_remarks(self, remarks: &Remarks) -> Self {
        Self { remarks: remarks.notes.clone(), functions: functions(remarks), ..self }
    }
}

/// Indented code under a title: nothing within it can end it, as each line is one.
fn functions(remarks: &Remarks) -> String {
    let profiled = remarks.profiled.iter().filter(|profiled| !profiled.functions.is_empty());
    let lines = profiled.flat_map(|profiled| {
        let functions = profiled.functions.iter().map(|function| format!("  {function}"));
        iter::once(format!("{}:", profiled.benchmark)).chain(functions)
    });
    let code: Vec<String> = lines.map(|line| format!("    {}\n", shortened(&safe(&line), WIDTH))).collect();
    if code.is_empty() {
        return String::new();
    }
    let limit = remarks.time_limit.as_secs_f64();
    format!("**Functions behind the regressions**, profiled within {limit} s:\n\n{}", code.concat())
}
