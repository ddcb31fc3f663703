//! Combines the reports of matrix jobs in one comment.
//!
//! A *part* is one job's report. It begins with a marker that identifies the job and the run. Each job writes a headline and
//! the parts of all jobs that it knows, unchanged.

use perf_report::markdown::escape::{code, html};

use crate::job::JobStamp;
use crate::marker::{ENDED, EndedMatrix, hidden_line, parse_hidden};
use crate::shards::Shards;
use crate::text::{LIMIT, RunReport, normalize};

const FOLD: &str = "<details><summary>";
const UNFOLD: &str = "</details>";

/// The note at the end of a shortened part.
const NO_ROOM: &str = "\n\n> The rest does not fit; see the job summary.\n\n";

/// Splits a report into parts. Empty for a report without a job.
pub(crate) fn split_parts(report: &RunReport) -> Vec<RunReport> {
    if report.job.is_some() {
        return vec![report.clone()];
    }
    let mut parts: Vec<RunReport> = Vec::new();
    for line in report.text.lines() {
        if let Some(part) = RunReport::parse_marker(line) {
            parts.push(part);
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    for part in &mut parts {
        let (title, text) = part.text.split_once('\n').unwrap_or((&part.text, ""));
        let mut text = normalize(text);
        if title.starts_with(FOLD)
            && let Some(folded) = text.strip_suffix(UNFOLD)
        {
            text = normalize(folded);
        }
        part.text = text;
    }
    parts
}

/// The newest part of each job, sorted by name. Of equally new parts, the first.
pub(crate) fn newest_parts(mut parts: Vec<RunReport>) -> Vec<RunReport> {
    parts.sort_by(|one, other| {
        let by_name = job_name(one).cmp(job_name(other));
        by_name.then(other.stamp.run.cmp(&one.stamp.run))
    });
    parts.dedup_by(|one, other| job_name(one) == job_name(other));
    parts
}

/// The matrices that have ended, according to the lines above a comment's first part.
pub(crate) fn ended_matrices(report: &RunReport) -> Vec<EndedMatrix> {
    let mut ended = Vec::new();
    for line in report.text.lines() {
        if RunReport::parse_marker(line).is_some() {
            break;
        }
        ended.extend(parse_hidden::<EndedMatrix>(line, ENDED));
    }
    ended
}

/// Joins all parts into one report. Its other fields come from `wanted`.
pub(crate) fn join_parts(
    parts: Vec<RunReport>,
    ended: &[EndedMatrix],
    wanted: &RunReport,
) -> RunReport {
    let overview = Overview::of(parts, ended);
    let mut text = overview.headline();
    let used = wanted.marker().chars().count() + text.chars().count() + 1;
    let room = LIMIT.saturating_sub(used) / overview.parts.len().max(1);
    let mut newest = None;
    for part in &overview.parts {
        text += &overview.section(part, room);
        newest = newest.max(Some(part.stamp.run));
    }
    let mut joined = RunReport {
        job: None,
        text: normalize(&text),
        ..wanted.clone()
    };
    if let Some(run) = newest {
        joined.stamp.run = run;
    }
    joined
}

/// The grade of a report, from its headline. Sorted worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    Failed,
    Doubtful,
    Passed,
}

fn grade(part: &RunReport) -> Grade {
    let headline = part
        .text
        .lines()
        .find_map(|line| line.strip_prefix("### "))
        .unwrap_or(&part.text);
    if headline.starts_with('✅') {
        return Grade::Passed;
    }
    if headline.starts_with('⚠') {
        Grade::Doubtful
    } else {
        Grade::Failed
    }
}

/// The parts, worst first, and the missing jobs.
#[derive(Default)]
pub(crate) struct Overview {
    parts: Vec<RunReport>,
    /// The names of the jobs that have only reported in an earlier run.
    old: Vec<String>,
    /// The number of jobs that have not reported yet, and the names of missing shards or jobs.
    missing: usize,
    named: Vec<String>,
    /// Sentences about jobs that ended without a report, one per matrix, and the number of these jobs.
    pub(crate) lost: Vec<String>,
    without: usize,
    ended: Vec<EndedMatrix>,
    /// Inconsistencies among shards, as sentences.
    pub(crate) faults: Vec<String>,
}

impl Overview {
    pub(crate) fn of(parts: Vec<RunReport>, ended: &[EndedMatrix]) -> Self {
        let mut groups: Vec<String> = parts.iter().map(|part| group(part).to_owned()).collect();
        if parts.is_empty() {
            groups.extend(ended.iter().map(|matrix| matrix.job.group().to_owned()));
        }
        groups.sort();
        groups.dedup();
        let mut all = Self {
            parts,
            ..Self::default()
        };
        for group in groups {
            all.add(&group, ended);
        }
        all.parts
            .sort_by_cached_key(|part| (grade(part), job_name(part).to_owned()));
        all
    }

    /// Adds the missing jobs in a matrix. The parts of its earlier runs stay until all of its jobs have reported again.
    fn add(&mut self, wanted: &str, ended: &[EndedMatrix]) {
        let members = self.parts.iter().filter(|part| group(part) == wanted);
        let newest = members.filter_map(|part| part.stamp.run).max();
        let (mut jobs, mut old) = (Vec::<&JobStamp>::new(), Vec::new());
        for part in self.parts.iter().filter(|part| group(part) == wanted) {
            if part.stamp.run.map(|run| run.id) == newest.map(|run| run.id) {
                jobs.extend(&part.job);
            } else {
                old.push(job_name(part).to_owned());
            }
        }
        let of = jobs.iter().map(|job| job.of).max().unwrap_or_default() as usize;
        let absent = of.saturating_sub(jobs.len());
        let shards = Shards::of(&jobs);
        self.faults.extend(shards.faults);
        if of > 0 && absent == 0 {
            // The remaining old parts belong to jobs that were removed from the matrix.
            self.parts
                .retain(|part| !old.iter().any(|name| name == job_name(part)));
            old.clear();
        }
        let mut names = shards.missing;
        let mut count = absent.max(old.len()).max(names.len());
        if names.is_empty() {
            names = old.iter().map(|name| code(shown(name))).collect();
        }
        self.old.extend(old);
        let end = ended
            .iter()
            .filter(|matrix| matrix.job.group() == wanted && Some(matrix.run) >= newest)
            .max_by_key(|matrix| matrix.run);
        let Some(end) = end else {
            self.missing += count;
            self.named.extend(names);
            return;
        };
        if newest.is_none() {
            count = count.max(1);
        }
        if count == 0 {
            return;
        }
        self.without += count;
        self.lost.push(match newest {
            None => format!("no job of {} has reported", code(shown(wanted))),
            Some(_) => unreported(&names, count, of),
        });
        self.ended.push(end.clone());
    }

    /// The displayed names of the current parts with a grade.
    fn names(&self, wanted: Grade) -> Vec<String> {
        let mut names = Vec::new();
        for part in &self.parts {
            let name = job_name(part);
            if grade(part) == wanted && !self.old.iter().any(|old| old == name) {
                names.push(code(shown(name)));
            }
        }
        names
    }

    fn headline(&self) -> String {
        let [failed, doubtful, passed] =
            [Grade::Failed, Grade::Doubtful, Grade::Passed].map(|grade| self.names(grade));
        let all = failed.len() + doubtful.len() + passed.len() + self.missing + self.without;
        let mut said = [&self.faults[..], &self.lost[..]].concat();
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
        let is_bad = !failed.is_empty() || !self.faults.is_empty() || !self.lost.is_empty();
        let icon = if is_bad {
            "❌"
        } else if self.missing > 0 {
            "⏳"
        } else if !doubtful.is_empty() {
            "⚠️"
        } else {
            "✅"
        };
        let mut text = format!("### {icon} {}\n", said.join(" · "));
        for matrix in &self.ended {
            text = format!("{text}\n{}\n", hidden_line(ENDED, matrix));
        }
        if !self.lost.is_empty() {
            text += "\nA job that ended without a report compared nothing: its runner was lost, or a step before the report \
                     failed. Re-run the failed jobs.\n";
        }
        text
    }

    /// A part with its marker and title in `room` characters, folded if it passed.
    fn section(&self, part: &RunReport, room: usize) -> String {
        let name = job_name(part);
        let mut more = String::new();
        if let Some(run) = part.stamp.run
            && run.attempt > 1
        {
            more = format!(", attempt {}", run.attempt);
        }
        if self.old.iter().any(|old| old == name) {
            more += ", from an earlier run";
        }
        let marker = part.marker();
        let (title, end) = if grade(part) == Grade::Passed {
            let name = html(shown(name));
            let title = format!("{FOLD}<code>{name}</code>{more}</summary>");
            (title, format!("\n{UNFOLD}\n"))
        } else {
            (format!("#### {}{more}", code(shown(name))), String::new())
        };
        let used = marker.chars().count() + title.chars().count() + end.len() + 5;
        let text = shortened(&part.text, room.saturating_sub(used));
        format!("\n{marker}\n{title}\n\n{text}\n{end}")
    }
}

fn job_name(part: &RunReport) -> &str {
    part.job.as_ref().map_or("", |job| job.name.as_str())
}

/// A part's job without its matrix values.
fn group(part: &RunReport) -> &str {
    part.job.as_ref().map_or("", |job| job.name.group())
}

/// A job's name without the workflow.
fn shown(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, name)| name)
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

/// Shortens a report to `room` characters: keeps the lines before its first table, as many rows as fit, and the footer. Cutting
/// inside another block would leave it open and hide the next part.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let footer = text.lines().rev().find(|line| line.starts_with("<sub>"));
    let footer = footer
        .filter(|footer| footer.chars().count() < 1_000)
        .unwrap_or_default();
    let mut left = room.saturating_sub(NO_ROOM.len() + footer.chars().count());
    let mut kept = String::new();
    let mut is_in_table = false;
    for line in text.lines() {
        let is_row = line.starts_with('|');
        let is_block = ["<details", "```", "    "]
            .iter()
            .any(|start| line.starts_with(start));
        let size = line.chars().count() + 1;
        if is_block || is_in_table && !is_row || size > left {
            break;
        }
        is_in_table = is_row;
        left -= size;
        kept.push_str(line);
        kept.push('\n');
    }
    format!("{}{NO_ROOM}{footer}", normalize(&kept))
}

#[cfg(test)]
mod tests;
