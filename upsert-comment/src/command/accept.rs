//! Accepts a regression in the newest commit's report.
//!
//! An acceptance is a reply by us whose first line identifies the report: commit, run and attempt. It expires with the
//! next push or report, because these have another commit or run. Once all regressions in a report are accepted, its
//! status or check run passes.

use std::collections::BTreeSet;

use perf_github::{Account, ApiError, Check, Client, Comment, Pull, State};
use perf_model::diagnostic::named;
use perf_report::markdown::escape::{code, inline};

use crate::marker::{CommentKey, Stamp};
use crate::regressed;
use crate::text::RunReport;

/// The maximum number of names in a reply.
const NAMED: usize = 10;

/// A command that accepts a regression.
pub(super) struct Acceptance<'a> {
    pub(super) client: &'a Client,
    pub(super) key: &'a CommentKey,
    /// Our own account, which has posted the report.
    pub(super) viewer: Account,
    pub(super) pull: &'a Pull,
    /// The user who gave the command.
    pub(super) login: &'a str,
    /// The URL of this workflow run.
    pub(super) run: Option<String>,
    pub(super) reason: &'a str,
}

impl Acceptance<'_> {
    /// Accepts a benchmark, and returns the reply, or the reason why that is not possible.
    pub(super) fn accept(&self, benchmark: &str) -> Result<Result<String, String>, ApiError> {
        let mut ours = self.client.comments(self.pull.number)?;
        ours.retain(|comment| comment.is_by(&self.viewer));
        let (stamp, names, name) = match self.find(&ours, benchmark) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let mut open = names.clone();
        for comment in &ours {
            let line = comment.body.lines().next().unwrap_or_default();
            if let Some(accepted) = regressed::accepted(line, &stamp) {
                open.remove(&accepted);
            }
        }
        open.remove(&name);
        let rest = if open.is_empty() {
            self.pass(&stamp, &names)?;
            format!("The status {} passes.", code(&self.key.to_string()))
        } else {
            format!("Still to accept: {}.", quoted_names(&open))
        };
        let marker = regressed::acceptance(&stamp, &name);
        let (name, commit) = (code(&name), code(stamp.head.short()));
        let (login, reason) = (self.login, inline(self.reason));
        Ok(Ok(format!(
            "{marker}\n{name} is accepted for {commit} by @{login}: {reason}\n\n{rest} The acceptance expires with the next push or report."
        )))
    }

    /// The newest commit's report, its regressions, and the only regression whose name equals or contains `text`. An
    /// error if there is no such report or not exactly one such regression, or if the report fails for other reasons.
    fn find(
        &self,
        ours: &[Comment],
        text: &str,
    ) -> Result<(Stamp, BTreeSet<String>, String), String> {
        let head = &self.pull.head.sha;
        let mut newest_first = ours.iter().rev();
        let newest = newest_first.find_map(|comment| RunReport::parse(&comment.body, self.key));
        let Some(report) = newest.filter(|report| report.stamp.head == *head) else {
            let (commit, key) = (code(head.short()), code(&self.key.to_string()));
            return Err(format!(
                "The newest commit {commit} has no report {key} yet."
            ));
        };
        let names = report.text.lines().next().and_then(regressed::names);
        let names = names.ok_or(
            "The report fails for other reasons than regressions, or it combines several jobs.",
        )?;
        let mut found: Vec<&String> = names.iter().filter(|name| name.contains(text)).collect();
        if names.contains(text) {
            found.retain(|name| *name == text);
        }
        let [name] = found[..] else {
            return Err(format!(
                "{} does not match exactly one regressed benchmark: {}.",
                code(text),
                quoted_names(&names)
            ));
        };
        let name = name.clone();
        Ok((report.stamp, names, name))
    }

    /// Makes the commit's status or check run pass: a check run if the token may create one, as for reports.
    fn pass(&self, stamp: &Stamp, names: &BTreeSet<String>) -> Result<(), ApiError> {
        let title = format!("accepted by @{}: {}", self.login, self.reason);
        let check = Check {
            state: Some(State::Success),
            name: self.key.to_string(),
            title,
            text: quoted_names(names),
            details: self.run.clone(),
        };
        if !self.client.create_check(&stamp.head, &check)? {
            self.client.create_status(&stamp.head, &check)?;
        }
        Ok(())
    }
}

fn quoted_names(names: &BTreeSet<String>) -> String {
    named(
        &names.iter().map(|name| code(name)).collect::<Vec<_>>(),
        NAMED,
    )
}
