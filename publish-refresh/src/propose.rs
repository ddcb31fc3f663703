//! The fallback for a protected branch: the same commit on a separate branch, with one pull request.
//!
//! A *rival* is one of our earlier pull requests for the same files and branch.

use perf_cli::term;
use perf_github::{ApiError, CommitId, NewPull, Pull, Side};

use crate::branch;
use crate::content::{FileChange, new_commit};
use crate::origin::MeasurementOrigin;
use crate::outcome::{OutrankingPlace, Proposal, RefreshOutcome};
use crate::plan::PublishedRefresh;
use crate::publish::{PublishJob, random_u64};

/// The first paragraph of the pull request.
const WHY: &str = "These numbers come as a pull request because the branch accepts no commits from the workflow \
                   that measured them.";

impl PublishJob<'_> {
    /// Proposes changes to `tip` in the oldest rival, or in a new pull request without rivals, and closes the other rivals.
    pub(crate) fn propose(
        &self,
        tip: &CommitId,
        changes: &[FileChange],
    ) -> Result<RefreshOutcome, ApiError> {
        let rivals = self.rivals()?;
        for rival in &rivals {
            if let Some(higher) = self.outranking(rival)? {
                let place = OutrankingPlace::PullRequest(rival.number);
                return Ok(RefreshOutcome::Outranked {
                    origin: higher.origin,
                    age: higher.age,
                    place,
                });
            }
        }
        let measured = self.wanted.origin.measured.short();
        let name = format!("{}{measured}-{:016x}", self.prefix(), random_u64());
        or_find_written(self.client.create_branch(&name, tip), || {
            Ok(self.client.branch(&name)?.map(drop))
        })?;
        let filled = self.commit_and_open(
            &name,
            tip,
            changes,
            rivals.iter().min_by_key(|rival| rival.number),
        );
        let (commit, pull) = filled.inspect_err(|_| self.remove(&name))?;
        let auto_merge = self.enable_auto_merge(&pull);
        let others = rivals.iter().filter(|rival| rival.number != pull.number);
        let closed = others
            .filter(|rival| self.close(rival))
            .map(|rival| rival.number)
            .collect();
        let is_update = rivals.iter().any(|rival| rival.number == pull.number);
        Ok(RefreshOutcome::Proposed(Proposal {
            url: pull.url,
            commit,
            auto_merge,
            closed,
            is_update,
        }))
    }

    /// Closes rivals that are superseded by the branch, because merging them later would restore old numbers.
    pub(crate) fn close_superseded(&self) -> Result<(), ApiError> {
        // Every rival has a branch with this prefix. Without such branches, this single request is enough.
        if !self.client.has_branches(&self.prefix())? {
            return Ok(());
        }
        for rival in self.rivals()? {
            if self.outranking(&rival)?.is_none() {
                self.close(&rival);
            }
        }
        Ok(())
    }

    /// Creates the commit, and moves the pull request `open` to it or opens a new one.
    fn commit_and_open(
        &self,
        name: &str,
        tip: &CommitId,
        changes: &[FileChange],
        open: Option<&Pull>,
    ) -> Result<(CommitId, Pull), ApiError> {
        let head = |branch: &str| self.client.branch(branch);
        let commit = self
            .client
            .create_commit(&new_commit(&self.message, name, tip, changes));
        let commit = or_find_written(commit, || Ok(head(name)?.filter(|head| head != tip)))?;
        let title = self.message.headline.clone();
        let body = format!("{WHY}\n\n{}", self.message.body);
        if let Some(Pull {
            number,
            head: Side { branch, .. },
            ..
        }) = open
        {
            let moved = self.client.move_branch(branch, &commit);
            let moved = or_find_written(moved, || {
                Ok(head(branch)?.filter(|head| *head == commit).map(drop))
            });
            match moved.and_then(|()| self.client.update_pull(*number, &title, &body)) {
                Ok(pull) => {
                    self.remove(name);
                    return Ok((commit, pull));
                }
                // The pull request's branch may have its own rules. Open a new pull request then.
                Err(error) if !error.is_passing() => term::warn(&error.to_string()),
                Err(error) => return Err(error),
            }
        }
        let new = NewPull {
            title,
            body,
            head: name.to_owned(),
            base: self.branch.to_owned(),
        };
        let pull = or_find_written(self.client.create_pull(&new), || {
            let pulls = self.client.open_pulls(self.branch)?;
            Ok(pulls.into_iter().find(|pull| pull.head.branch == name))
        });
        Ok((commit, pull?))
    }

    /// Enables auto-merge. If that is not possible, returns the reason, which is not an error.
    fn enable_auto_merge(&self, pull: &Pull) -> Result<(), String> {
        if pull.merges_itself {
            return Ok(());
        }
        let method = self
            .client
            .auto_merge_method()
            .map_err(|error| error.why())?;
        let method = method.ok_or_else(|| "the repository does not allow auto-merge".to_owned())?;
        self.client
            .enable_auto_merge(&pull.node_id, method)
            .map_err(|error| error.why())
    }

    fn rivals(&self) -> Result<Vec<Pull>, ApiError> {
        let me = self.client.viewer()?;
        let prefix = self.prefix();
        let ours = |pull: &Pull| {
            pull.author.as_ref() == Some(&me)
                && !pull.is_from_fork()
                && pull.head.branch.starts_with(&prefix)
        };
        Ok(self
            .client
            .open_pulls(self.branch)?
            .into_iter()
            .filter(ours)
            .collect())
    }

    /// The refresh in a rival, if it outranks ours.
    fn outranking(&self, rival: &Pull) -> Result<Option<PublishedRefresh>, ApiError> {
        let Some(origin) = MeasurementOrigin::from_message(&rival.body) else {
            return Ok(None);
        };
        let age = branch::age(self.client, &self.wanted.origin.measured, &origin.measured)?;
        let refresh = PublishedRefresh {
            commit: rival.head.sha.clone(),
            origin,
            age,
        };
        Ok(Some(refresh).filter(|refresh| refresh.outranks(&self.wanted.origin)))
    }

    /// Closes a rival. Returns false and warns if that fails, because an open one does no harm.
    fn close(&self, rival: &Pull) -> bool {
        match self.client.close_pull(rival.number) {
            Ok(_) => {
                self.remove(&rival.head.branch);
                true
            }
            Err(error) => {
                term::warn(&error.to_string());
                false
            }
        }
    }

    fn remove(&self, name: &str) {
        if let Err(error) = self.client.delete_branch(name) {
            term::warn(&error.to_string());
        }
    }

    /// The prefix of our branch names, which depends on the target branch and the published files.
    fn prefix(&self) -> String {
        let paths = self.wanted.relevance.published().iter();
        let bytes = paths.flat_map(|path| path.as_str().bytes().chain([0]));
        // An FNV-1a hash of the file names.
        let mark = bytes.fold(0x811c_9dc5, |hash: u32, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        format!("perf-refresh/{}-{mark:08x}-", self.branch)
    }
}

/// The result of a write. If its response was lost, looks whether it succeeded instead of repeating it.
fn or_find_written<T>(
    written: Result<T, ApiError>,
    look: impl FnOnce() -> Result<Option<T>, ApiError>,
) -> Result<T, ApiError> {
    match written {
        Err(error) if error.maybe_done() => look()?.ok_or(error),
        written => written,
    }
}
