//! The jobs of a matrix, whose reports are parts of one comment.
//!
//! A *part* begins with a hidden line that names its job and run. Every job writes the parts of all jobs that it knows, each
//! as its own job reported it, and a headline for all of them.

use std::cmp::Reverse;

use perf_model::date;

use crate::marker::{CommentKey, CommentMarker, PartMarker};
use crate::shards::Shards;
use crate::text::{self, LIMIT, Own, RunReport, normal};

/// The parts of a comment; none where its report is of no job.
pub(crate) fn parts(own: &Own) -> Vec<RunReport> {
    if own.job.is_some() {
        return vec![own.reports().0];
    }
    let mut parts: Vec<RunReport> = Vec::new();
    for line in own.text.lines().skip(1) {
        if let Some(PartMarker { stamp, job }) = PartMarker::parse(line) {
            parts.push(RunReport { stamp, job: Some(job), text: String::new() });
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    for part in &mut parts {
        part.text = unframed(&part.text);
    }
    parts
}

fn unframed(text: &str) -> String {
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let rest = normal(rest);
    if title.starts_with(FOLD) { normal(rest.strip_suffix(UNFOLD).unwrap_or(&rest)) } else { rest }
}

const FOLD: &str = "<details><summary>";
const UNFOLD: &str = "</details>";

/// The text of a check run that has the report of a job.
pub(crate) fn checked(key: &CommentKey, report: &RunReport) -> String {
    text::comment(key, report, &[], false)
}

/// The report of a job that the text of a check run has, if it is one for this comment.
pub(crate) fn of_check(key: &CommentKey, text: &str) -> Option<RunReport> {
    let text = normal(text);
    let (first, rest) = text.split_once('\n')?;
    let CommentMarker { stamp, job, .. } = CommentMarker::parse(first).filter(|marker| marker.key == *key)?;
    Some(RunReport { stamp, job: Some(job?), text: normal(rest) })
}

/// The newest part of each job, by name; of parts that are equally new the first.
pub(crate) fn newest(mut parts: Vec<RunReport>) -> Vec<RunReport> {
    let name = |part: &RunReport| part.job.as_ref().map(|job| job.name.clone());
    let at = |part: &RunReport| part.job.as_ref().map(|job| job.at);
    parts.sort_by_key(|part| (name(part), Reverse((part.stamp.run, at(part)))));
    parts.dedup_by_key(|part| name(part));
    parts
}

/// All parts as one report.
pub(crate) fn joined(parts: Vec<RunReport>) -> RunReport {
    let overview = Overview::of(parts);
    let room = LIMIT.saturating_sub(2_000) / overview.parts.len().max(1);
    let mut text = overview.headline();
    for part in &overview.parts {
        text += &overview.framed(part, room.saturating_sub(400));
    }
    let stamp = overview.parts.iter().map(|part| &part.stamp).max_by_key(|stamp| stamp.run).cloned();
    let stamp = stamp.unwrap_or_else(|| overview.parts[0].stamp.clone());
    RunReport { stamp, job: None, text: normal(&text) }
}

/// The grade of a report, by its headline; the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    Failed,
    Doubtful,
    Passed,
}

fn grade(part: &RunReport) -> Grade {
    let headline = part.text.lines().find_map(|line| line.strip_prefix("### ")).unwrap_or(&part.text);
    if headline.starts_with('✅') {
        return Grade::Passed;
    }
    if headline.starts_with('⚠') { Grade::Doubtful } else { Grade::Failed }
}

/// The parts, the worst first, and what is not there yet.
struct Overview {
    parts: Vec<RunReport>,
    /// Names of jobs that reported in an earlier run only.
    waiting: Vec<String>,
    /// The number of jobs that never reported.
    unknown: usize,
    shards: Shards,
}

/// The faults of the shards in a comment of several jobs.
pub(crate) fn faults(own: &Own) -> Vec<String> {
    Overview::of(parts(own)).shards.faults
}

impl Overview {
    fn of(mut parts: Vec<RunReport>) -> Self {
        let group = |part: &RunReport| part.job.as_ref().map(|job| job.name.group().to_owned());
        let mut groups: Vec<_> = parts.iter().map(group).collect();
        groups.sort();
        groups.dedup();
        let (mut waiting, mut unknown, mut shards) = (Vec::new(), 0, Shards::default());
        for wanted in groups {
            let run = |part: &RunReport| part.stamp.run.map(|run| run.id);
            let members = || parts.iter().filter(|part| group(part) == wanted);
            let newest = members().map(run).max().flatten();
            let current = members().filter(|part| run(part) == newest);
            let found = Shards::of(current.clone().filter_map(|part| part.job.as_ref()));
            shards.missing.extend(found.missing);
            shards.faults.extend(found.faults);
            let of = current.clone().filter_map(|part| part.job.as_ref()).map(|job| job.of).max();
            let absent = (of.unwrap_or_default() as usize).saturating_sub(current.count());
            let old: Vec<_> =
                members().filter(|part| run(part) != newest).filter_map(|part| part.job.clone()).collect();
            if of > Some(0) && absent == 0 {
                // The matrix has no such job any more.
                parts.retain(|part| group(part) != wanted || run(part) == newest);
                continue;
            }
            unknown += absent.saturating_sub(old.len());
            waiting.extend(old.iter().map(|job| job.name.shown().to_owned()));
        }
        parts.sort_by_key(|part| (grade(part), part.job.as_ref().map(|job| job.name.clone())));
        Self { parts, waiting, unknown, shards }
    }

    fn names(&self, wanted: Grade) -> Vec<String> {
        let current =
            self.parts.iter().filter(|part| grade(part) == wanted).filter_map(|part| part.job.as_ref());
        current.map(|job| job.name.shown()).filter(|name| !self.is_waiting(name)).map(code).collect()
    }

    fn is_waiting(&self, name: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting == name)
    }

    fn headline(&self) -> String {
        let [failed, doubtful, passed] =
            [Grade::Failed, Grade::Doubtful, Grade::Passed].map(|grade| self.names(grade));
        let missing = (self.waiting.len() + self.unknown).max(self.shards.missing.len());
        let all = failed.len() + doubtful.len() + passed.len() + missing;
        let mut said = self.shards.faults.clone();
        if !failed.is_empty() {
            said.push(format!("{} of {all} jobs failed: {}", failed.len(), failed.join(", ")));
        }
        if !doubtful.is_empty() {
            said.push(format!("{} to look at: {}", doubtful.len(), doubtful.join(", ")));
        }
        if failed.is_empty() && doubtful.is_empty() {
            said.push(format!("{} of {all} jobs passed", passed.len()));
        }
        if missing > 0 {
            let named = match &self.shards.missing[..] {
                [] => self.waiting.iter().map(|name| code(name)).collect(),
                shards => shards.to_vec(),
            };
            let named = if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) };
            said.push(format!("still to report: {missing}{named}"));
        }
        let icon = match () {
            () if !failed.is_empty() || !self.shards.faults.is_empty() => "❌",
            () if missing > 0 => "⏳",
            () if !doubtful.is_empty() => "⚠️",
            () => "✅",
        };
        format!("### {icon} {}\n", said.join(" · "))
    }

    fn framed(&self, part: &RunReport, room: usize) -> String {
        let Some(job) = part.job.clone() else { return String::new() };
        let attempt = part.stamp.run.filter(|run| run.attempt > 1);
        let attempt = attempt.map_or_else(String::new, |run| format!(", attempt {}", run.attempt));
        let old = if self.is_waiting(job.name.shown()) { ", of an earlier run" } else { "" };
        let title = format!("<code>{}</code>{attempt}{old}, {}", job.name.shown(), minute(job.at));
        let marker = PartMarker { stamp: part.stamp.clone(), job };
        let text = shortened(&part.text, room);
        if grade(part) == Grade::Passed {
            return format!("\n{marker}\n{FOLD}{title}</summary>\n\n{text}\n\n{UNFOLD}\n");
        }
        format!("\n{marker}\n#### {title}\n\n{text}\n")
    }
}

fn code(name: &str) -> String {
    format!("<code>{name}</code>")
}

/// `2031-03-04 09:14 UTC`.
fn minute(seconds: u64) -> String {
    let text = date::text(seconds.try_into().unwrap_or_default());
    text.get(..16).map_or(text.clone(), |minute| format!("{} UTC", minute.replace('T', " ")))
}

/// A report, or the lines above its tables where there is no room for it: cut elsewhere, it would swallow the next part.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let is_block = |line: &str| ["|", "<details", "```", "    "].iter().any(|start| line.starts_with(start));
    let intro: Vec<&str> = text.lines().take_while(|line| !is_block(line)).collect();
    let intro: String = normal(&intro.join("\n")).chars().take(room).collect();
    let footer = text.lines().rev().find(|line| line.starts_with("<sub>")).unwrap_or_default();
    let footer = if footer.chars().count() < 1_000 { footer } else { "" };
    format!("{intro}\n\n> There is no room for the rest, which is in the job summary.\n\n{footer}")
}
