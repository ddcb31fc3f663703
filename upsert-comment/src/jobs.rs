//! Combines the reports of matrix jobs in one comment.
//!
//! Each job writes a headline and the [`Part`]s of all jobs that it knows, unchanged.

use std::cmp::Reverse;

use perf_report::markdown::escape::{code, html};

use crate::job::{JobName, JobStamp};
use crate::shards::Shards;
use crate::text::{LIMIT, RunReport, normalize};

const FOLD: &str = "<details><summary>";
const UNFOLD: &str = "</details>";

/// The note at the end of a shortened part.
const NO_ROOM: &str = "\n\n> The rest does not fit; see the job summary.";

/// One job's report. In a comment, it begins with a marker that identifies the job and the run.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) job: JobStamp,
    pub(crate) report: RunReport,
}

/// Splits a report into parts. Empty for a report without a job.
pub(crate) fn split_parts(report: &RunReport) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    if let Some(job) = report.job.clone() {
        let report = report.clone();
        return vec![Part { job, report }];
    }
    for line in report.text.lines() {
        if let Some(report) = RunReport::parse_marker(line)
            && let Some(job) = report.job.clone()
        {
            parts.push(Part { job, report });
        } else if let Some(part) = parts.last_mut() {
            part.report.text.push_str(line);
            part.report.text.push('\n');
        }
    }
    for Part { report, .. } in &mut parts {
        let (title, text) = report.text.split_once('\n').unwrap_or((&report.text, ""));
        let mut text = normalize(text);
        if title.starts_with(FOLD)
            && let Some(folded) = text.strip_suffix(UNFOLD)
        {
            text = normalize(folded);
        }
        report.text = text;
    }
    parts
}

/// The grade of a report, from its headline. Sorted worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    Failed,
    Doubtful,
    Passed,
}

impl Part {
    fn grade(&self) -> Grade {
        let mut lines = self.report.text.lines();
        let headline = lines.find_map(|line| line.strip_prefix("### "));
        let headline = headline.unwrap_or(&self.report.text);
        if headline.starts_with('✅') {
            Grade::Passed
        } else if headline.starts_with('⚠') {
            Grade::Doubtful
        } else {
            Grade::Failed
        }
    }
}

/// The newest part of each job, worst first, and the missing jobs.
#[derive(Default)]
pub(crate) struct Overview {
    pub(crate) parts: Vec<Part>,
    /// The ends of matrices, so that later reports list their lost jobs.
    ends: Vec<Part>,
    /// The jobs that have only reported in an earlier run.
    old: Vec<JobName>,
    /// The number of jobs that have not reported yet, and the names of missing shards or jobs.
    missing: usize,
    named: Vec<String>,
    /// Sentences about jobs that ended without a report, one per matrix, and the number of these jobs.
    pub(crate) lost: Vec<String>,
    without: usize,
    /// Inconsistencies among shards, as sentences.
    pub(crate) faults: Vec<String>,
}

impl Overview {
    /// If a job has several equally new parts, the first is used.
    pub(crate) fn of(mut parts: Vec<Part>) -> Self {
        parts.sort_by_key(|Part { job, report }| {
            (job.ended, job.name.clone(), Reverse(report.stamp.run))
        });
        parts.dedup_by_key(|part| (part.job.ended, part.job.name.clone()));
        let ends = parts.split_off(parts.partition_point(|part| !part.job.ended));
        let known = if parts.is_empty() { &ends } else { &parts };
        let mut matrices: Vec<JobName> = known.iter().map(|part| part.job.name.matrix()).collect();
        matrices.dedup();
        let mut all = Self {
            parts,
            ends,
            ..Self::default()
        };
        for matrix in matrices {
            all.add(&matrix);
        }
        all.parts.sort_by_key(Part::grade);
        all
    }

    /// Adds the missing jobs in a matrix. The parts of its earlier runs stay until all of its jobs have reported again.
    fn add(&mut self, matrix: &JobName) {
        let mut members = self.parts.clone();
        members.retain(|part| part.job.name.matrix() == *matrix);
        let end = self.ends.iter().find(|end| end.job.name == *matrix);
        let end = end.and_then(|end| end.report.stamp.run);
        // If the jobs of a later run have ended without reports, all reports are of an earlier run.
        let runs = members.iter().map(|part| part.report.stamp.run);
        let newest = runs.chain([end]).max().flatten();
        let has_ended = end.is_some() && end == newest;
        let (mut jobs, mut old) = (Vec::new(), Vec::new());
        for part in members {
            if part.report.stamp.run.map(|run| run.id) == newest.map(|run| run.id) {
                jobs.push(part.job);
            } else {
                old.push(part.job.name);
            }
        }
        let of = jobs.iter().map(|job| job.of).max().unwrap_or_default() as usize;
        let absent = of.saturating_sub(jobs.len());
        let shards = Shards::of(&jobs);
        self.faults.extend(shards.faults);
        if of > 0 && absent == 0 {
            // The remaining old parts belong to jobs that were removed from the matrix.
            self.parts.retain(|part| !old.contains(&part.job.name));
            old.clear();
        }
        let mut names = shards.missing;
        let count = absent.max(old.len()).max(names.len());
        if names.is_empty() {
            names.extend(old.iter().map(|name| code(&name.to_string())));
        }
        self.old.extend(old);
        if !has_ended {
            self.missing += count;
            self.named.extend(names);
        } else if jobs.is_empty() {
            self.without += count.max(1);
            let matrix = code(&matrix.to_string());
            self.lost.push(format!("no job of {matrix} has reported"));
        } else if count > 0 {
            self.without += count;
            self.lost.push(unreported(&names, count, of));
        }
    }

    /// Joins all parts into one report. Its other fields come from `wanted`.
    pub(crate) fn join(&self, wanted: &RunReport) -> RunReport {
        let mut joined = RunReport {
            job: None,
            text: self.headline(),
            ..wanted.clone()
        };
        for end in &self.ends {
            joined.text = format!("{}\n{}\n", joined.text, end.report.marker());
        }
        let used = wanted.marker().chars().count() + joined.text.chars().count() + 1;
        let room = LIMIT.saturating_sub(used) / self.parts.len().max(1);
        for part in &self.parts {
            joined.text += &self.section(part, room);
        }
        joined.text = normalize(&joined.text);
        // The end of a run may be later than all reports.
        for part in &self.parts {
            joined.stamp.run = joined.stamp.run.max(part.report.stamp.run);
        }
        joined
    }

    /// The displayed names of the current parts with a grade.
    fn names(&self, wanted: Grade) -> Vec<String> {
        let mut names = Vec::new();
        for part in &self.parts {
            if part.grade() == wanted && !self.old.contains(&part.job.name) {
                names.push(code(&part.job.name.to_string()));
            }
        }
        names
    }

    fn headline(&self) -> String {
        let [failed, doubtful, passed] =
            [Grade::Failed, Grade::Doubtful, Grade::Passed].map(|grade| self.names(grade));
        let all = failed.len() + doubtful.len() + passed.len() + self.missing + self.without;
        let mut said = [&self.faults[..], &self.lost[..]].concat();
        let mut icon = "✅";
        if !doubtful.is_empty() {
            icon = "⚠️";
        }
        if self.missing > 0 {
            icon = "⏳";
        }
        if !failed.is_empty() || !said.is_empty() {
            icon = "❌";
        }
        if !failed.is_empty() {
            let names = failed.join(", ");
            said.push(format!("{} of {all} jobs failed: {names}", failed.len()));
        }
        if !doubtful.is_empty() {
            let names = doubtful.join(", ");
            said.push(format!("{} to look at: {names}", doubtful.len()));
        }
        if failed.is_empty() && doubtful.is_empty() && !self.parts.is_empty() {
            said.push(format!("{} of {all} jobs passed", passed.len()));
        }
        if self.missing > 0 {
            let mut missing = format!("still to report: {}", self.missing);
            if !self.named.is_empty() {
                missing = format!("{missing}: {}", self.named.join(", "));
            }
            said.push(missing);
        }
        let mut text = format!("### {icon} {}\n", said.join(" · "));
        if !self.lost.is_empty() {
            text += "\nA job that ended without a report compared nothing: its runner was lost, or a step before the report \
                     failed. Re-run the failed jobs.\n";
        }
        text
    }

    /// A part with its marker and title in `room` characters, folded if it passed.
    fn section(&self, part: &Part, room: usize) -> String {
        let name = part.job.name.to_string();
        let mut more = String::new();
        if let Some(run) = part.report.stamp.run
            && run.attempt > 1
        {
            more = format!(", attempt {}", run.attempt);
        }
        if self.old.contains(&part.job.name) {
            more += ", from an earlier run";
        }
        let (title, end) = if part.grade() == Grade::Passed {
            let title = format!("{FOLD}<code>{}</code>{more}</summary>", html(&name));
            (title, format!("\n{UNFOLD}\n"))
        } else {
            (format!("#### {}{more}", code(&name)), String::new())
        };
        let start = format!("\n{}\n{title}\n\n", part.report.marker());
        let used = start.chars().count() + end.len() + 1;
        let text = shortened(&part.report.text, room.saturating_sub(used));
        format!("{start}{text}\n{end}")
    }
}

/// A sentence about jobs that have not reported, with their names if known.
fn unreported(names: &[String], count: usize, of: usize) -> String {
    let has = if count == 1 { "has" } else { "have" };
    if names.is_empty() {
        return format!("{count} of {of} jobs {has} not reported");
    }
    let more = match count.saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more} {has} not reported", names.join(", "))
}

/// Shortens a report to `room` characters, and ends it before a block: a cut inside would leave it open and hide the
/// next part.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(NO_ROOM.len());
    let mut kept = String::new();
    for line in text.lines() {
        let size = line.chars().count() + 1;
        let mut blocks = ["<details", "```", "    "].iter();
        if size > left || blocks.any(|start| line.starts_with(start)) {
            break;
        }
        left -= size;
        kept.push_str(line);
        kept.push('\n');
    }
    normalize(&kept) + NO_ROOM
}

#[cfg(test)]
mod tests;
