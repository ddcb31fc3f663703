//! Combines the reports of matrix jobs in one comment.
//!
//! A *part* is one job's report. It begins with a hidden line that identifies the job and the run. Each job writes a headline
//! and the parts of all jobs that it knows, unchanged.

use std::cmp::Reverse;

use crate::job::{JobName, JobStamp};
use crate::marker::{CommentKey, CommentMarker, EndMarker, PartMarker, Stamp};
use crate::shards::Shards;
use crate::text::{LIMIT, Own, RunReport, normalize};

/// Splits a comment into parts. Empty for a report without a job.
pub(crate) fn split_parts(own: &Own) -> Vec<RunReport> {
    if own.job.is_some() {
        return vec![own.report()];
    }
    let mut parts: Vec<RunReport> = Vec::new();
    for line in own.text.lines().skip(1) {
        if let Some(PartMarker { stamp, job }) = PartMarker::parse(line) {
            parts.push(RunReport {
                stamp,
                job: Some(job),
                text: String::new(),
            });
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    for part in &mut parts {
        let (title, rest) = part.text.split_once('\n').unwrap_or((&part.text, ""));
        let rest = normalize(rest);
        let folded = rest
            .strip_suffix(UNFOLD)
            .filter(|_| title.starts_with(FOLD))
            .map(normalize);
        part.text = folded.unwrap_or(rest);
    }
    parts
}

const FOLD: &str = "<details><summary>";
const UNFOLD: &str = "</details>";

/// Reads a job's report from a check run's text, if it belongs to this comment.
pub(crate) fn parse_check(key: &CommentKey, text: &str) -> Option<RunReport> {
    let text = normalize(text);
    let CommentMarker { stamp, job, .. } = CommentMarker::of(&text, key)?;
    Some(RunReport {
        stamp,
        job: Some(job?),
        text: normalize(text.split_once('\n')?.1),
    })
}

/// The newest part of each job, sorted by name. Of equally new parts, the first.
pub(crate) fn newest_parts(mut parts: Vec<RunReport>) -> Vec<RunReport> {
    let name = |part: &RunReport| part.job.as_ref().map(|job| job.name.clone());
    parts.sort_by_key(|part| (name(part), Reverse(part.stamp.run)));
    parts.dedup_by_key(|part| name(part));
    parts
}

/// The markers for ended matrices in a comment.
pub(crate) fn end_markers(own: &Own) -> Vec<EndMarker> {
    let above = own
        .text
        .lines()
        .skip(1)
        .take_while(|line| PartMarker::parse(line).is_none());
    above.filter_map(EndMarker::parse).collect()
}

/// Joins all parts to one report. `stamp` is used without parts.
pub(crate) fn join_parts(parts: Vec<RunReport>, ends: &[EndMarker], stamp: &Stamp) -> RunReport {
    let overview = Overview::of(parts, ends);
    let room = LIMIT.saturating_sub(2_000) / overview.parts.len().max(1);
    let mut text = overview.headline();
    for part in &overview.parts {
        text += &overview.framed(part, room.saturating_sub(400));
    }
    let newest = overview
        .parts
        .iter()
        .map(|part| &part.stamp)
        .max_by_key(|stamp| stamp.run);
    RunReport {
        stamp: newest.unwrap_or(stamp).clone(),
        job: None,
        text: normalize(&text),
    }
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
    /// The jobs that have only reported in an earlier run.
    old: Vec<JobName>,
    /// The number of jobs that have not reported yet, and the names of missing shards or jobs.
    pub(crate) missing: usize,
    named: Vec<String>,
    /// Sentences about jobs that ended without a report, one per matrix, and the number of these jobs.
    pub(crate) lost: Vec<String>,
    without: usize,
    ends: Vec<EndMarker>,
    /// Inconsistencies among shards, as sentences.
    pub(crate) faults: Vec<String>,
}

impl Overview {
    pub(crate) fn of(parts: Vec<RunReport>, ends: &[EndMarker]) -> Self {
        let mut groups: Vec<String> = parts.iter().filter_map(group).collect();
        groups.extend(
            ends.iter()
                .filter(|_| parts.is_empty())
                .map(|end| end.job.to_string()),
        );
        groups.sort();
        groups.dedup();
        let mut all = Self {
            parts,
            ..Self::default()
        };
        for group in groups {
            all.add(&group, ends);
        }
        all.parts
            .sort_by_key(|part| (grade(part), part.job.as_ref().map(|job| job.name.clone())));
        all
    }

    /// Adds the missing jobs in a matrix. The parts of its earlier runs stay until all of its jobs have reported again.
    fn add(&mut self, wanted: &str, ends: &[EndMarker]) {
        let is_member = |part: &RunReport| group(part).as_deref() == Some(wanted);
        let members = self.parts.iter().filter(|part| is_member(part));
        let newest = members.filter_map(|part| part.stamp.run).max();
        let newest_id = newest.map(|run| run.id);
        let (mut jobs, mut old) = (Vec::<&JobStamp>::new(), Vec::new());
        for part in self.parts.iter().filter(|part| is_member(part)) {
            let Some(job) = &part.job else { continue };
            if part.stamp.run.map(|run| run.id) == newest_id {
                jobs.push(job);
            } else {
                old.push(job.name.clone());
            }
        }
        let of = jobs.iter().map(|job| job.of).max().unwrap_or_default() as usize;
        let absent = of.saturating_sub(jobs.len());
        let shards = Shards::of(jobs.into_iter());
        self.faults.extend(shards.faults);
        if of > 0 && absent == 0 {
            // The remaining old parts belong to jobs that were removed from the matrix.
            let is_old = |job: &JobStamp| old.contains(&job.name);
            self.parts
                .retain(|part| !part.job.as_ref().is_some_and(is_old));
            old.clear();
        }
        let end = ends
            .iter()
            .filter(|end| end.job.to_string() == wanted && Some(end.run) >= newest)
            .max_by_key(|end| end.run);
        let is_silent = newest.is_none() && end.is_some();
        let count = absent
            .max(old.len())
            .max(shards.missing.len())
            .max(usize::from(is_silent));
        let mut names = shards.missing;
        if names.is_empty() {
            names = old.iter().map(|name| code(name.shown())).collect();
        }
        self.old.extend(old);
        let Some(end) = end.filter(|_| count > 0) else {
            self.missing += count;
            self.named.extend(names);
            return;
        };
        self.without += count;
        self.lost.push(match newest {
            None => format!("no job of {} has reported", code(end.job.shown())),
            Some(_) => unreported(&names, count, of),
        });
        self.ends.push(end.clone());
    }

    fn names(&self, wanted: Grade) -> Vec<String> {
        let current = self
            .parts
            .iter()
            .filter(|part| grade(part) == wanted)
            .filter_map(|part| part.job.as_ref())
            .filter(|job| !self.old.contains(&job.name));
        current.map(|job| code(job.name.shown())).collect()
    }

    fn headline(&self) -> String {
        let [failed, doubtful, passed] =
            [Grade::Failed, Grade::Doubtful, Grade::Passed].map(|grade| self.names(grade));
        let all = failed.len() + doubtful.len() + passed.len() + self.missing + self.without;
        let mut said = [&self.faults[..], &self.lost[..]].concat();
        if !failed.is_empty() {
            said.push(format!(
                "{} of {all} jobs failed: {}",
                failed.len(),
                failed.join(", ")
            ));
        }
        if !doubtful.is_empty() {
            said.push(format!(
                "{} to look at: {}",
                doubtful.len(),
                doubtful.join(", ")
            ));
        }
        if failed.is_empty() && doubtful.is_empty() && !self.parts.is_empty() {
            said.push(format!("{} of {all} jobs passed", passed.len()));
        }
        if self.missing > 0 {
            let named = if self.named.is_empty() {
                String::new()
            } else {
                format!(": {}", self.named.join(", "))
            };
            said.push(format!("still to report: {}{named}", self.missing));
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
        let ends: Vec<String> = self.ends.iter().map(|end| format!("\n{end}\n")).collect();
        let mut text = format!("### {icon} {}\n{}", said.join(" · "), ends.concat());
        if !self.lost.is_empty() {
            text += "\nA job that ended without a report compared nothing: its runner was lost, or a step before the report \
                     failed. Re-run the failed jobs.\n";
        }
        text
    }

    /// A part with its marker and title, folded if it passed.
    fn framed(&self, part: &RunReport, room: usize) -> String {
        let Some(job) = part.job.clone() else {
            return String::new();
        };
        let attempt = part.stamp.run.filter(|run| run.attempt > 1);
        let attempt = attempt.map_or_else(String::new, |run| format!(", attempt {}", run.attempt));
        let old = if self.old.contains(&job.name) {
            ", from an earlier run"
        } else {
            ""
        };
        let title = format!("{}{attempt}{old}", code(job.name.shown()));
        let marker = PartMarker {
            stamp: part.stamp.clone(),
            job,
        };
        let text = shortened(&part.text, room);
        if grade(part) == Grade::Passed {
            return format!("\n{marker}\n{FOLD}{title}</summary>\n\n{text}\n\n{UNFOLD}\n");
        }
        format!("\n{marker}\n#### {title}\n\n{text}\n")
    }
}

/// A part's job without its matrix values.
fn group(part: &RunReport) -> Option<String> {
    part.job.as_ref().map(|job| job.name.group().to_owned())
}

/// A sentence about jobs that have not reported, with their names if known.
fn unreported(names: &[String], count: usize, of: usize) -> String {
    let has = if count == 1 { "has" } else { "have" };
    let more = match count.saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if names.is_empty() {
        return format!("{count} of {of} jobs {has} not reported");
    }
    format!("{}{more} {has} not reported", names.join(", "))
}

fn code(name: &str) -> String {
    format!("<code>{name}</code>")
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

/// The note at the end of a shortened report.
const NO_ROOM: &str = "\n\n> The rest does not fit; see the job summary.\n\n";
