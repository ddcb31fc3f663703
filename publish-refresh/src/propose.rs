//! The fallback for a protected branch: the same commit on a separate branch, with one pull request.
//!
//! A *rival* is one of our earlier pull requests for the same files and branch.

use perf_cli::term;
use perf_github::{ApiError, CommitId, NewCommit, NewPull, Pull};

use crate::branch;
use crate::origin::{MeasurementOrigin, PublishedRefresh};
use crate::outcome::RefreshOutcome;
use crate::publish::{PublishJob, random_u64};

/// The first paragraph of the pull request.
const WHY: &str = "These numbers come as a pull request because the branch accepts no commits from the workflow \
                   that measured them.";

impl PublishJob<'_> {
    /// Proposes a commit in the oldest rival, or in a new pull request if there are none, and closes the other rivals.
    pub(crate) fn propose(&self, new: &mut NewCommit) -> Result<RefreshOutcome, ApiError> {
        let mut rivals = self.rivals()?;
        for rival in &rivals {
            if let Some(refresh) = self.outranking(rival)? {
                let pull = Some(rival.number);
                return Ok(RefreshOutcome::Outranked { refresh, pull });
            }
        }
        let measured = self.wanted.origin.measured.short();
        let name = format!("{}{measured}-{:016x}", self.prefix(), random_u64());
        or_find_written(self.client.create_branch(&name, &new.expected_head), || {
            Ok(self.client.branch(&name)?.map(drop))
        })?;
        new.branch.clone_from(&name);
        rivals.sort_by_key(|rival| rival.number);
        let filled = self.commit_and_open(new, rivals.first());
        let (commit, pull) = filled.inspect_err(|_| self.remove(&name))?;
        // Without auto-merge, somebody has to merge it. That is not an error.
        let mut auto_merge = Ok(());
        if !pull.merges_itself {
            let enabled = self.client.enable_auto_merge(&pull.node_id);
            auto_merge = enabled.map_err(|error| error.why());
        }
        for rival in &rivals {
            if rival.number != pull.number {
                self.close(rival);
            }
        }
        Ok(RefreshOutcome::Proposed {
            url: pull.url,
            commit,
            auto_merge,
        })
    }

    /// Closes rivals that are superseded by the branch, because merging them later would restore old numbers.
    pub(crate) fn close_superseded(&self) -> Result<(), ApiError> {
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
        new: &NewCommit,
        open: Option<&Pull>,
    ) -> Result<(CommitId, Pull), ApiError> {
        let name = &new.branch;
        let commit = or_find_written(self.client.create_commit(new), || {
            let head = self.client.branch(name)?;
            Ok(head.filter(|head| *head != new.expected_head))
        })?;
        let body = format!("{WHY}\n\n{}", new.body);
        if let Some(open) = open
            && self.has_only_refreshes(open)?
        {
            match self.move_pull(open, &commit, &new.headline, &body) {
                Ok(pull) => {
                    self.remove(name);
                    return Ok((commit, pull));
                }
                // The pull request's branch may have its own rules. If so, open a new pull request.
                Err(error) if !error.is_passing() => term::warn(&error.to_string()),
                Err(error) => return Err(error),
            }
        }
        let wanted = NewPull {
            title: new.headline.clone(),
            body,
            head: name.clone(),
            base: self.scene.branch.clone(),
        };
        let pull = or_find_written(self.client.create_pull(&wanted), || {
            let mut pulls = self.client.open_pulls(&self.scene.branch)?.into_iter();
            Ok(pulls.find(|pull| pull.head.branch == *name))
        })?;
        Ok((commit, pull))
    }

    fn move_pull(
        &self,
        open: &Pull,
        commit: &CommitId,
        title: &str,
        body: &str,
    ) -> Result<Pull, ApiError> {
        let branch = &open.head.branch;
        or_find_written(self.client.move_branch(branch, commit), || {
            let head = self.client.branch(branch)?;
            Ok(head.filter(|head| head == commit).map(drop))
        })?;
        self.client.update_pull(open.number, title, body)
    }

    fn rivals(&self) -> Result<Vec<Pull>, ApiError> {
        let me = self.client.viewer()?;
        let prefix = self.prefix();
        let mut pulls = self.client.open_pulls(&self.scene.branch)?;
        pulls.retain(|pull| {
            pull.author.as_ref() == Some(&me)
                && !pull.is_from_fork()
                && pull.head.branch.starts_with(&prefix)
        });
        Ok(pulls)
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

    /// Whether a rival's branch contains no commits by others, such as a reviewer's. Moving or removing it would lose them.
    fn has_only_refreshes(&self, rival: &Pull) -> Result<bool, ApiError> {
        let head = self.client.branch(&rival.head.branch)?;
        // The pull request's recorded base may be older than commits that were merged into its branch.
        let base = self.client.branch(&self.scene.branch)?;
        let (Some(head), Some(base)) = (head, base) else {
            return Ok(true);
        };
        branch::has_only_refreshes(self.client, &base, &head)
    }

    /// Closes a rival. An error is only a warning, because the numbers are already published or proposed.
    fn close(&self, rival: &Pull) {
        let (number, name) = (rival.number, &rival.head.branch);
        let closed = self
            .client
            .close_pull(number)
            .and_then(|_| self.has_only_refreshes(rival));
        match closed {
            Ok(true) => self.remove(name),
            Ok(false) => term::warn(&format!(
                "pull request #{number} was closed, but its branch `{}` was kept because it contains other commits",
                term::printable(name)
            )),
            Err(error) => term::warn(&error.to_string()),
        }
    }

    fn remove(&self, name: &str) {
        if let Err(error) = self.client.delete_branch(name) {
            term::warn(&error.to_string());
        }
    }

    /// The prefix of our branch names, which depends on the target branch and the published files.
    fn prefix(&self) -> String {
        // An FNV-1a hash of the file names.
        let mut mark: u32 = 0x811c_9dc5;
        for path in self.wanted.relevance.published() {
            for byte in path.as_str().bytes().chain([0]) {
                mark = (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        format!("perf-refresh/{}-{mark:08x}-", self.scene.branch)
    }
}

/// The result of a write. If the response was lost, checks whether the write succeeded instead of repeating it.
fn or_find_written<T>(
    written: Result<T, ApiError>,
    look: impl FnOnce() -> Result<Option<T>, ApiError>,
) -> Result<T, ApiError> {
    match written {
        Err(error) if error.maybe_done => look()?.ok_or(error),
        written => written,
    }
}
