//! Accepts a regression in the newest commit's report.
//!
//! An acceptance is a reply by us whose first line identifies the report: commit, run and attempt. It expires with the next push
//! or report, because these have another commit or run. Once all regressions in a report are accepted, its status or check run
//! passes.

use std::collections::BTreeSet;

use perf_github::{ApiError, ApiErrorKind, Check, Comment, State, Status};
use perf_model::diagnostic::named;
use perf_report::markdown::escape::{code, inline};

use super::{Answer, Asked};
use crate::marker::Stamp;
use crate::regressed;
use crate::text::Own;

/// The most names in a reply.
const NAMED: usize = 10;

impl Asked<'_> {
    pub(super) fn accept(&self, benchmark: &str, reason: &str) -> Result<Answer, ApiError> {
        let comments = self.client.comments(&self.place)?;
        let refused = |why: String| {
            Ok(Answer {
                is_done: false,
                reply: Some(why),
            })
        };
        let (stamp, names) = match self.regressed(&comments) {
            Ok(found) => found,
            Err(why) => return refused(why),
        };
        let name = match only_match(&names, benchmark) {
            Ok(name) => name,
            Err(why) => return refused(why),
        };
        let mut open = names.clone();
        let first_lines = comments
            .iter()
            .filter(|comment| comment.is_by(&self.viewer));
        let first_lines = first_lines.filter_map(|comment| comment.body.lines().next());
        for accepted in first_lines.filter_map(|line| regressed::accepted(line, &stamp)) {
            open.remove(&accepted);
        }
        open.remove(&name);
        if open.is_empty() {
            self.pass(&stamp, &names, reason)?;
        }
        let marker = regressed::acceptance(&stamp, &name);
        let rest = match open.len() {
            0 => format!("The status {} passes.", code(&self.key.to_string())),
            _ => format!("Still to accept: {}.", quoted_names(&open)),
        };
        let (name, commit, login, reason) = (
            code(&name),
            code(stamp.head.short()),
            &self.login,
            inline(reason),
        );
        let reply = format!(
            "{marker}\n{name} is accepted for {commit} by @{login}: {reason}\n\n{rest} The acceptance expires with the next push or report."
        );
        Ok(Answer {
            is_done: true,
            reply: Some(reply),
        })
    }

    /// The newest commit's report and its regressions. An error if it fails for other reasons.
    fn regressed(&self, comments: &[Comment]) -> Result<(Stamp, BTreeSet<String>), String> {
        let ours = comments
            .iter()
            .filter(|comment| comment.is_by(&self.viewer));
        let newest = ours
            .filter_map(|comment| Own::of(comment, self.key))
            .next_back();
        let head = &self.pull.head.sha;
        let newest = newest.map(|own| own.report);
        let Some(report) = newest.filter(|report| report.stamp.head == *head) else {
            return Err(format!(
                "The newest commit {} has no report {} yet.",
                code(head.short()),
                code(&self.key.to_string())
            ));
        };
        let names = report.text.lines().next().and_then(regressed::names);
        let names = names.ok_or(
            "The report fails for other reasons than regressions, or it combines several jobs.",
        )?;
        Ok((report.stamp, names))
    }

    /// Makes the commit's status or check run pass: a check run if the token may create one, as for reports.
    fn pass(&self, stamp: &Stamp, names: &BTreeSet<String>, reason: &str) -> Result<(), ApiError> {
        let title = format!("accepted by @{}: {reason}", self.login);
        let check = Check {
            state: Some(State::Success),
            name: self.key.to_string(),
            title: title.clone(),
            text: quoted_names(names),
            details: self.run.clone(),
        };
        match self.client.create_check(&stamp.head, &check) {
            Err(error)
                if matches!(
                    error.kind,
                    ApiErrorKind::Permission | ApiErrorKind::NotFound
                ) => {}
            made => return made,
        }
        let status = Status {
            state: State::Success,
            context: self.key.to_string(),
            description: title,
            target: self.run.clone(),
        };
        self.client.create_status(&stamp.head, &status)
    }
}

/// Finds the name that equals a text, or the only name that contains it.
fn only_match(names: &BTreeSet<String>, text: &str) -> Result<String, String> {
    if names.contains(text) {
        return Ok(text.to_owned());
    }
    let found: Vec<&String> = names.iter().filter(|name| name.contains(text)).collect();
    match found[..] {
        [name] => Ok(name.clone()),
        _ => Err(format!(
            "{} does not match exactly one regressed benchmark: {}.",
            code(text),
            quoted_names(names)
        )),
    }
}

fn quoted_names(names: &BTreeSet<String>) -> String {
    named(
        &names.iter().map(|name| code(name)).collect::<Vec<_>>(),
        NAMED,
    )
}
