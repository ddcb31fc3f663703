//! The measurement loop. It runs pairs. After each interim analysis, it ends, or continues with only the undecided
//! benchmarks.

use std::time::Instant;

use anyhow::bail;
use perf_cli::{failure, term};
use perf_model::diagnostic::counted;
use perf_model::finding::FindingKind;
use perf_model::methodology::{HARNESS_OF_CURRENT, ONE_BUILD, RANDOM_ORDER};
use perf_model::row::{Name, Row};
use perf_report::reasons;
use perf_verdict::rules::pairs::{LOOKS, Outcome};
use perf_verdict::{Comparison, MetricComparison, Reason, Verdict};

use super::budget::{Budget, FEWEST};
use super::focus::{Focus, comparison, find_benchmark, is_decided};
use super::launches::Launches;
use super::request::{Choose, PairsRequest};
use super::tool::{Part, ToolOptions, without_row};
use crate::bench_tools::{Language, ToolKind};
use crate::guardian::Stopped;
use crate::process::{CommandSpec, FailedRun, find_program};
use crate::rows;
use crate::sampling::Sampling;
use crate::schedule::Side;

/// The number of process runs of the head if there is no base.
const ALONE: usize = 5;

/// A running measurement.
pub struct Measurement<'m> {
    pub request: &'m PairsRequest,
    /// The benchmark tool's options, if the tool is known.
    pub tool: Option<ToolOptions>,
    /// The commands that run one after the other: one for the whole suite, or one for each part.
    pub parts: Vec<Part>,
    pub launches: Launches<'m>,
    pub sampling: Sampling<'m>,
    pub start: Instant,
    pub pairs: usize,
    /// Whether a pair was measured with the current parts. Until then, the tool's filter is not known to work.
    is_tried: bool,
    /// The number of failed process runs, for base and head.
    failed_runs: [usize; 2],
    /// The reason why the base is not measured, if there is one.
    pub missing_base: Option<String>,
    /// The focused benchmark's row name, once it is known.
    focused: Option<Name>,
    /// The benchmarks to run on base and head; `None` for all.
    pub chosen: Option<[Vec<String>; 2]>,
}

impl<'m> Measurement<'m> {
    /// Runs each side once to warm up, and lets `choose` choose the benchmarks.
    pub fn prepare(
        request: &'m PairsRequest,
        launches: Launches<'m>,
        sampling: Sampling<'m>,
        missing_base: Option<String>,
        choose: Option<&mut Choose<'_>>,
    ) -> anyhow::Result<Self> {
        let mut measurement = Self {
            request,
            tool: None,
            parts: Vec::new(),
            launches,
            sampling,
            start: Instant::now(),
            pairs: 0,
            is_tried: false,
            failed_runs: [0, 0],
            missing_base,
            focused: None,
            chosen: None,
        };
        measurement.parts = vec![measurement.plain_part()];
        measurement.tool = measurement.tool_options(None)?;
        measurement.warm_up(choose)?;
        let tool = measurement.tool.as_ref().map(ToolOptions::tool);
        measurement.sampling.methodology =
            methodology(&measurement.sampling, tool, measurement.launches.repeats);
        Ok(measurement)
    }

    /// Returns the original commands of base and head.
    pub fn plain_lines(&self) -> [CommandSpec; 2] {
        self.sampling
            .sides
            .both
            .each_ref()
            .map(|side| side.command.clone())
    }

    /// Returns a part that runs the whole suite with the original commands.
    pub fn plain_part(&self) -> Part {
        let [base, current] = self.plain_lines();
        Part {
            lines: [self.missing_base.is_none().then_some(base), Some(current)],
            benchmarks: self.chosen.clone(),
        }
    }

    /// Returns the options for the benchmark tool. The tool is recognised by the commands or, if `format` is set, by this
    /// output format.
    pub fn tool_options(&self, format: Option<&str>) -> anyhow::Result<Option<ToolOptions>> {
        let guardian = self.launches.launcher.guardian;
        let has_base = self.missing_base.is_none();
        ToolOptions::of(self.request, guardian, self.plain_lines(), has_base, format)
    }

    /// Measures pairs until every metric has a verdict, the time is up, or the measurement is interrupted.
    pub fn measure(&mut self) -> anyhow::Result<()> {
        let most = match (&self.missing_base, &self.sampling.shared_output) {
            (Some(_), _) => ALONE,
            // One pair is enough for the report, and more would not change the verdict.
            (None, Some(_)) => 1,
            (None, None) => LOOKS[LOOKS.len() - 1].pairs,
        };
        let mut budget = Budget::new(self.request.budget(), self.request.time_limit.is_some());
        // The caller may have set another budget, and the head alone needs no base.
        let is_fixed = self.missing_base.is_some() || self.request.budget.is_some();
        while self.pairs < most {
            let elapsed = self.start.elapsed();
            if elapsed >= budget.total && (!budget.may_exceed(elapsed, self.pairs) || self.is_red())
            {
                break;
            }
            if let Err(error) = self.measure_pair() {
                match error.downcast()? {
                    Stopped::Deadline => {}
                    Stopped::Interrupted => {
                        let count = counted(self.pairs as u64, "pair");
                        term::warn(&format!("interrupted after {count}"));
                    }
                }
                break;
            }
            let now = self.start.elapsed();
            if self.pairs == 1
                && !is_fixed
                && let Some(warning) = budget.extend(now, now.saturating_sub(elapsed))
            {
                term::warn(&warning);
            }
            let left = budget.total.saturating_sub(now);
            let count = counted(self.pairs as u64, "pair");
            let (seconds, left) = (now.as_secs(), left.as_secs());
            term::progress(&format!("{count}, {seconds} s; at most {left} s more"));
            if self.pairs == FEWEST
                && let Some(clocks) = reasons::detectable_by_clock(&self.compared())
            {
                term::note(&format!(
                    "at the current load, {FEWEST} pairs detect slowdowns of {clocks}"
                ));
            }
            if !LOOKS.iter().any(|look| look.pairs == self.pairs) {
                continue;
            }
            // This is an interim analysis. Stopping between two analyses would waste the pairs since the last one.
            if self.is_concluded() {
                break;
            }
            self.narrow();
            if budget.is_enough(self.start.elapsed(), self.is_red()) {
                break;
            }
            if !term::shows_progress() && !term::is_quiet() {
                let comparison = self.compared();
                let open = comparison.metrics().filter(|metric| is_open(metric));
                let open = counted(open.count() as u64, "undecided gated metric");
                term::note(&format!("{count}, {open}"));
            }
        }
        term::end_line();
        Ok(())
    }

    fn measure_pair(&mut self) -> anyhow::Result<()> {
        let number = i64::try_from(self.pairs).unwrap_or(i64::MAX);
        self.launches.hash_seed = self.pairs;
        let order = self.launches.schedule.order();
        let mut new_rows: [Vec<Row>; 2] = Default::default();
        for part in self.parts.clone() {
            if !self.run_part(&part, order, number, &mut new_rows)? {
                // The commands changed, so this pair is measured again.
                return Ok(());
            }
        }
        let [base, current] = new_rows;
        self.sampling.add_rows(Side::Base, base);
        self.sampling.add_rows(Side::Current, current);
        self.is_tried = true;
        self.apply_focus()?;
        self.pairs += 1;
        Ok(())
    }

    /// Runs a part of the suite on both sides. Returns false if the commands changed and the pair must be measured again.
    fn run_part(
        &mut self,
        part: &Part,
        order: [Side; 2],
        number: i64,
        new_rows: &mut [Vec<Row>; 2],
    ) -> anyhow::Result<bool> {
        let overhead = self.launches.overhead()?;
        let tool = self.tool.as_ref();
        let is_trial = !self.is_tried && tool.is_some_and(ToolOptions::can_widen);
        for side in order {
            let Some(line) = &part.lines[side as usize] else {
                continue;
            };
            let rows = self.launches.launch(line).and_then(|launch| {
                let mut rows = self
                    .sampling
                    .read(side, (&launch, line), overhead, number)?;
                let names = part.benchmarks.as_ref().map(|sides| &sides[side as usize]);
                // A Go package may contain no benchmarks.
                let may_be_empty = self.parts.len() > 1 && names.is_none_or(Vec::is_empty);
                if rows.is_empty() && !may_be_empty {
                    let line = line.shown();
                    bail!("`{line}` printed no benchmark results in pair {number}");
                }
                part.retain(side, &mut rows);
                if is_trial && let Some(name) = names.and_then(|names| without_row(names, &rows)) {
                    bail!("{} printed no result", term::in_backticks(name));
                }
                Ok(rows)
            });
            let rows = match rows {
                Ok(rows) => rows,
                Err(error) if error.is::<Stopped>() => return Err(error),
                Err(error) if is_trial => {
                    self.widen(&failure::message(&error));
                    return Ok(false);
                }
                Err(error) => {
                    let failed = self.sampling.failed_rows(side, number);
                    if !self.may_fail(side, &error) {
                        self.sampling.rows[side as usize].extend(failed);
                        return Err(error);
                    }
                    failed
                }
            };
            new_rows[side as usize].extend(rows);
        }
        Ok(true)
    }

    /// Whether to continue after this error. Continues only if the process run failed, if this side produced results
    /// before, and if at most a third of its process runs failed (or of those until the first interim analysis). Counts
    /// the failed run.
    fn may_fail(&mut self, side: Side, error: &anyhow::Error) -> bool {
        let is_failed_run = error.chain().any(<dyn std::error::Error>::is::<FailedRun>);
        if !is_failed_run || self.sampling.rows[side as usize].is_empty() {
            return false;
        }
        let failed = &mut self.failed_runs[side as usize];
        *failed += 1;
        if *failed * 3 > (self.pairs + 1).max(LOOKS[0].pairs) {
            return false;
        }
        term::warn(&format!(
            "failed process run excluded: {}",
            failure::message(error)
        ));
        failure::hints(error).into_iter().for_each(term::hint);
        true
    }

    /// After the first pair, finds the benchmark in focus and selects it. Removes all other benchmarks' rows.
    fn apply_focus(&mut self) -> anyhow::Result<()> {
        let Some(Focus {
            benchmark: Some(wanted),
            ..
        }) = &self.request.focus
        else {
            return Ok(());
        };
        if self.focused.is_none() {
            let names = rows::names(&self.sampling.rows[1]);
            let name = find_benchmark(wanted, &names, self.sampling.config)?;
            self.select(&[name.to_string()], names.len());
            self.focused = Some(name);
        }
        for rows in &mut self.sampling.rows {
            rows.retain(|row| Some(&row.scenario) == self.focused.as_ref());
        }
        Ok(())
    }

    /// Selects all chosen benchmarks, with the tool's current options.
    pub fn select_chosen(&mut self) {
        if let Some(tool) = &mut self.tool {
            self.parts = tool.chosen_parts().unwrap_or_else(|| tool.without_filter());
        }
    }

    /// Restricts the next pairs to undecided benchmarks, if the tool can select them.
    fn narrow(&mut self) {
        let comparison = self.compared();
        let open = benchmarks_with(&comparison, is_open);
        let all = comparison
            .scopes
            .iter()
            .map(|scope| scope.scenarios.len())
            .sum();
        if self.select(&open, all) {
            term::note(&format!(
                "now running {} of {all} benchmarks: those still undecided",
                open.len()
            ));
        }
    }

    /// Restricts the next pairs to these benchmarks. Returns false if only these ran before, or if the tool cannot select
    /// them.
    fn select(&mut self, benchmarks: &[String], all: usize) -> bool {
        let tool = self.tool.as_mut();
        let Some(parts) = tool.and_then(|tool| tool.only(benchmarks, all)) else {
            return false;
        };
        self.parts = parts;
        self.is_tried = false;
        true
    }

    /// Runs all benchmarks from now on, because the tool's filter or fixed iterations did not work as expected.
    pub fn widen(&mut self, why: &str) {
        term::warn(&format!(
            "all benchmarks run from now on, without a filter: {why}"
        ));
        if let Some(tool) = &mut self.tool {
            self.parts = tool.without_filter();
        }
    }

    /// Whether a benchmark already fails the gate. Returns false if the measurement has a focus.
    pub fn is_red(&self) -> bool {
        if self.request.focus.is_some() {
            return false;
        }
        let comparison = self.compared();
        comparison.thresholds.fails.regressed
            && comparison.metrics().any(|metric| {
                let judgement = &metric.judgement;
                judgement.verdict == Verdict::Regressed
                    && judgement.waived.is_none()
                    && !is_open(metric)
            })
    }

    pub fn is_concluded(&self) -> bool {
        let comparison = self.compared();
        if let Some(focus) = &self.request.focus {
            return is_decided(focus, &comparison);
        }
        // If the gate fails anyway, possible improvements are not worth waiting for.
        if self.is_red() {
            return !comparison.metrics().any(may_be_slower);
        }
        !comparison.metrics().any(is_open)
    }

    /// Compares the pairs so far.
    pub fn compared(&self) -> Comparison {
        let [base, current] = &self.sampling.rows;
        // The other findings concern the measurement rather than its verdicts.
        let mut findings = self.sampling.findings[1].clone();
        findings.retain(|finding| finding.kind == FindingKind::Layout);
        comparison(
            base,
            current,
            self.sampling.config,
            self.request.focus.is_some(),
            &findings,
        )
    }
}

/// Returns the names of the benchmarks with such a metric.
pub fn benchmarks_with(
    comparison: &Comparison,
    is_such: impl Fn(&MetricComparison) -> bool,
) -> Vec<String> {
    let mut names = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        if scenario.metrics.iter().any(&is_such) {
            names.push(scenario.scenario.to_string());
        }
    }
    names
}

/// Whether the metric is gated, and more pairs could still find it slower.
fn may_be_slower(metric: &MetricComparison) -> bool {
    let is_not_slower = matches!(&metric.judgement.reason, Reason::Pairs(finding) if finding.outcome == Outcome::NotSlower);
    is_open(metric) && !is_not_slower
}

/// Whether the metric is gated, and more pairs could still decide it.
fn is_open(metric: &MetricComparison) -> bool {
    match &metric.judgement.reason {
        Reason::Pairs(finding) if metric.judgement.is_gated() => finding.is_open(),
        _ => false,
    }
}

/// Describes how the rows are measured, for their methodology.
pub fn methodology(sampling: &Sampling<'_>, tool: Option<ToolKind>, repeats: u32) -> Name {
    let sides = sampling.sides;
    let mut words = vec![RANDOM_ORDER.to_owned()];
    let line = &sides.side(Side::Current).command;
    let of_tool = tool.and_then(Language::of_tool);
    let language = of_tool.unwrap_or_else(|| Language::of_command(&line.words, &line.folder));
    // If both sides run the same program, such as an interpreter, its code layout is the same.
    let [base, current] = sides
        .both
        .each_ref()
        .map(|side| find_program(&side.command.words[0], &side.command.folder));
    let is_built = sampling.request.build.is_some() || of_tool.is_some() || base != current;
    // A build fixes the code layout, which alone can make code faster or slower.
    if matches!(language, Language::Native | Language::Cargo | Language::Go) && is_built {
        words.push(ONE_BUILD.to_owned());
    }
    if sampling.is_process {
        words.push("net of a no-op".to_owned());
    }
    if repeats > 1 {
        words.push(format!("{repeats} runs a launch"));
    }
    if sides.has_head_benchmark {
        words.push(HARNESS_OF_CURRENT.to_owned());
    }
    if sides.is_at_two_paths() {
        words.push("at two paths".to_owned());
    }
    words.join(", ").into()
}
