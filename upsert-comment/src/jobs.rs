//! The jobs of a matrix, whose reports are parts of one comment.
//!
//! A *part* begins with a hidden line that names its job and run. Every job writes the parts of all jobs that it knows, each
//! as its own job reported it, and a headline for all of them.

use std::cmp::Reverse;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use perf_model::date;

use crate::marker::{CommentKey, CommentMarker, Stamp};
use crate::plan::{CommentState, UpsertMode, WantedComment};
use crate::text::{self, LIMIT, Own, RunReport, normal};

/// The name of a job: that of its workflow, a slash, and that of the job with the values of its matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobName(String);

impl JobName {
    const LONGEST: usize = 120;

    /// The name `WORKFLOW/JOB (VALUE, VALUE)` without what would end a hidden line or mean something in Markdown. Different
    /// names stay different.
    pub fn new(workflow: &str, job: &str, values: &[String]) -> Self {
        let plain = |text: &str, extra: &str| -> String {
            let is_plain = |c: char| c.is_alphanumeric() || extra.contains(c);
            text.chars().map(|c| if is_plain(c) { c } else { '-' }).take(Self::LONGEST / 3).collect()
        };
        let values = values.join(", ");
        let given = |values: &str| if values.is_empty() { String::new() } else { format!(" ({values})") };
        let mut name = plain(workflow, " ._-") + "/" + &plain(job, " ._-") + &given(&plain(&values, " ._-,+/:="));
        while name.contains("--") {
            name = name.replace("--", "-");
        }
        let whole = format!("{workflow}/{job}{}", given(&values));
        if name.trim() == whole {
            return Self(whole);
        }
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        Self(format!("{} {:06x}", name.trim(), hasher.finish() & 0xff_ffff))
    }

    /// The name for people, without the workflow.
    fn shown(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// The job without the values of its matrix.
    fn group(&self) -> &str {
        let from = self.0.find('/').unwrap_or_default();
        let values = self.0[from..].find('(');
        values.map_or(&*self.0, |at| self.0[..from + at].trim_end())
    }
}

impl FromStr for JobName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_alphanumeric() || " ._-,+/:=()".contains(c);
        let fits = (1..=2 * Self::LONGEST).contains(&text.chars().count());
        if fits && text.trim() == text && text.chars().all(is_plain) && !text.contains("--") {
            return Ok(Self(text.to_owned()));
        }
        Err("1 to 240 letters, digits, spaces and ` ._-,+/:=()`, without `--`".to_owned())
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A job, and when it reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobStamp {
    /// The number of jobs of its matrix; 0 where it is not known.
    pub(crate) of: u32,
    /// In seconds since 1970.
    pub(crate) at: u64,
    pub(crate) name: JobName,
}

impl JobStamp {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (of, rest) = text.strip_prefix("of=")?.split_once(" at=")?;
        let (at, name) = rest.split_once(" job=")?;
        let stamp = Self { of: of.parse().ok()?, at: at.parse().ok()?, name: name.parse().ok()? };
        (stamp.to_string() == text).then_some(stamp)
    }
}

impl fmt::Display for JobStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of={} at={} job={}", self.of, self.at, self.name)
    }
}

/// The line that begins a part.
pub(crate) struct PartMarker {
    stamp: Stamp,
    job: JobStamp,
}

impl PartMarker {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let text = line.strip_prefix("<!-- perf-gate-part ")?.strip_suffix(" -->")?;
        let (stamp, job) = text.split_at(text.find(" of=")?);
        Some(Self { stamp: Stamp::parse(stamp)?, job: JobStamp::parse(&job[1..])? })
    }
}

impl fmt::Display for PartMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- perf-gate-part {} {} -->", self.stamp, self.job)
    }
}

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

/// What is wanted, with the parts of the other jobs that a comment or an earlier text of it shows.
pub(crate) fn with_others(state: &CommentState, wanted: &WantedComment) -> WantedComment {
    let Some(ours) = wanted.report.job.clone() else { return wanted.clone() };
    let head = &wanted.report.stamp.head;
    let known = state.own.iter().filter(|own| !own.hidden).chain(&state.earlier);
    let parts = known.flat_map(parts).chain(state.checked.iter().cloned());
    let mut parts: Vec<RunReport> = parts.filter(|part| part.stamp.head == *head).collect();
    let is_ours = |part: &RunReport| part.job.as_ref().is_some_and(|job| job.name == ours.name);
    let others = parts.iter().filter(|part| !is_ours(part)).count();
    let is_late = |part: &RunReport| is_ours(part) && part.stamp.run > wanted.report.stamp.run;
    let is_alone =
        others == 0 && (ours.of < 2 || matches!(wanted.mode, UpsertMode::Delete | UpsertMode::Append));
    if is_alone || parts.iter().any(is_late) {
        return wanted.clone();
    }
    // A part that says the same keeps its time, so that nothing is written.
    parts.retain(|part| {
        !is_ours(part) || part.stamp == wanted.report.stamp && part.text == wanted.report.text
    });
    parts.push(wanted.report.clone());
    let mode = match wanted.mode {
        UpsertMode::Delete | UpsertMode::Append => UpsertMode::Update,
        mode => mode,
    };
    WantedComment { report: joined(newest(parts)), mode, ..wanted.clone() }
}

/// The newest part of each job, by name; of parts that are equally new the first.
fn newest(mut parts: Vec<RunReport>) -> Vec<RunReport> {
    let name = |part: &RunReport| part.job.as_ref().map(|job| job.name.clone());
    let at = |part: &RunReport| part.job.as_ref().map(|job| job.at);
    parts.sort_by_key(|part| (name(part), Reverse((part.stamp.run, at(part)))));
    parts.dedup_by_key(|part| name(part));
    parts
}

/// All parts as one report.
fn joined(parts: Vec<RunReport>) -> RunReport {
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
}

impl Overview {
    fn of(mut parts: Vec<RunReport>) -> Self {
        let group = |part: &RunReport| part.job.as_ref().map(|job| job.name.group().to_owned());
        let mut groups: Vec<_> = parts.iter().map(group).collect();
        groups.sort();
        groups.dedup();
        let (mut waiting, mut unknown) = (Vec::new(), 0);
        for wanted in groups {
            let run = |part: &RunReport| part.stamp.run.map(|run| run.id);
            let members = || parts.iter().filter(|part| group(part) == wanted);
            let newest = members().map(run).max().flatten();
            let current = members().filter(|part| run(part) == newest);
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
        Self { parts, waiting, unknown }
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
        let missing = self.waiting.len() + self.unknown;
        let all = failed.len() + doubtful.len() + passed.len() + missing;
        let mut said = Vec::new();
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
            let named: Vec<String> = self.waiting.iter().map(|name| code(name)).collect();
            let named = if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) };
            said.push(format!("still to report: {missing}{named}"));
        }
        let icon = match () {
            () if !failed.is_empty() => "❌",
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

#[cfg(test)]
mod tests;
