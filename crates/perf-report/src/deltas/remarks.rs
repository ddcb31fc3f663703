//! Remarks of the program that asks for a report, beside the comparison.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use crate::markdown::escape::code as code_span;
use perf_model::commit::CommitId;
use serde::{Deserialize, Serialize};

use super::lists::first_of;
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
    /// The measured commits, where rows may name others.
    pub measured: Option<MeasuredCommits>,
    /// The place of the rows that the report leaves out, as Markdown; the JSON report if nothing is named.
    pub rest: Option<Arc<str>>,
}

/// The measured commit, and the one that it is compared with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredCommits {
    /// The measured commit.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub head: CommitId,
    /// Its base.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub base: Option<CommitId>,
    /// The address of the repository.
    #[serde(skip)]
    pub repository: Option<String>,
    /// The address of the run.
    #[serde(skip)]
    pub run: Option<String>,
}

impl MeasuredCommits {
    /// The commits, linked where the repository is known.
    fn commits(&self) -> String {
        let linked = |commit: &CommitId| match &self.repository {
            Some(url) => format!("[`{}`]({url}/commit/{commit})", commit.short()),
            None => format!("`{}`", commit.short()),
        };
        let against = self
            .base
            .as_ref()
            .map_or_else(String::new, |base| format!(" against {}", linked(base)));
        linked(&self.head) + &against
    }

    /// The last line of a report without one.
    pub fn footer(&self) -> String {
        let run = self
            .run
            .as_ref()
            .map_or_else(String::new, |url| format!(" · [run]({url})"));
        self.commits() + &run
    }

    /// The footer with the measured commits in front, unless it names them already.
    fn with_commits(&self, footer: &str, shown: &[String]) -> String {
        let is_shown =
            |commit: &CommitId| shown.iter().any(|name| name.starts_with(commit.short()));
        if is_shown(&self.head) && self.base.as_ref().is_none_or(is_shown) {
            return footer.to_owned();
        }
        format!("{} · {footer}", self.commits())
    }
}

/// The functions behind the regression of a benchmark.
#[derive(Clone, Debug)]
pub struct ProfiledBenchmark {
    /// Its key.
    pub benchmark: String,
    /// A function and what changed in it, a line each, as plain text; none where it was not profiled, or without an answer.
    pub functions: Vec<String>,
}

impl DeltasModel {
    /// The same with remarks.
    #[must_use]
    pub fn with_remarks(mut self, remarks: &Remarks) -> Self {
        for count in self.counts() {
            count.rest.clone_from(&remarks.rest);
        }
        let footer = match &remarks.measured {
            None => self.footer,
            Some(measured) if self.footer.is_empty() => measured.footer(),
            Some(measured) => measured.with_commits(&self.footer, &self.commits),
        };
        Self {
            remarks: remarks.notes.clone(),
            functions: functions(remarks),
            footer,
            ..self
        }
    }
}

/// Indented code under a title: nothing within it can end it, as each line is one. The benchmarks without an answer follow.
fn functions(remarks: &Remarks) -> String {
    let (explained, others): (Vec<_>, Vec<_>) = remarks
        .profiled
        .iter()
        .partition(|profiled| !profiled.functions.is_empty());
    let lines = explained.into_iter().flat_map(|profiled| {
        let functions = profiled
            .functions
            .iter()
            .map(|function| format!("  {function}"));
        iter::once(format!("{}:", profiled.benchmark)).chain(functions)
    });
    let code: Vec<String> = lines
        .map(|line| format!("    {}\n", shortened(&safe(&line), WIDTH)))
        .collect();
    if code.is_empty() {
        return String::new();
    }
    let limit = remarks.time_limit.as_secs_f64();
    let title = format!("**Functions behind the regressions**, profiled within {limit} s:");
    let others: Vec<String> = others
        .into_iter()
        .map(|other| code_span(&other.benchmark))
        .collect();
    let others = match first_of(&others) {
        none if none.is_empty() => none,
        others => format!("\nOthers, in a clone, by `perf-gate why NAME`: {others}."),
    };
    format!("{title}\n\n{}{others}", code.concat())
}
