//! A separate branch for the numbers, which only contains the published files.
//!
//! It has no common history with the code, so its numbers are compared by the measured commits in their messages.

use perf_cli::Failure;
use perf_github::{ApiError, ApiErrorKind, CommitId};

use crate::branch;
use crate::content::FileChange;
use crate::outcome::RefreshOutcome;
use crate::plan::{Situation, Tip};
use crate::publish::{Attempt, PublishJob};

impl PublishJob<'_> {
    /// The store's tip, if it exists, and its state. `code` is the tip of the measured branch, whose newer commits don't outdate a
    /// store's numbers.
    pub(crate) fn store_situation(
        &self,
        store: &str,
        code: &CommitId,
    ) -> Result<(Option<CommitId>, Situation), Failure> {
        let position = branch::position(self.client, &self.wanted.origin.measured, code);
        let code = match position.map_err(|error| self.unmeasured(error))? {
            Tip::Ahead { .. } => Tip::Measured,
            position => position,
        };
        let tip = match self.first.get() {
            Some(first) => self.client.branch_since(first, store)?,
            None => self.client.branch(store)?,
        };
        let latest = match &tip {
            Some(tip) => branch::latest_refresh(self.client, &self.wanted, self.anchor(tip), tip)?,
            None => None,
        };
        Ok((tip, Situation { tip: code, latest }))
    }

    /// Creates the branch with its first commit.
    pub(crate) fn create_store(
        &self,
        store: &str,
        changes: &[FileChange],
    ) -> anyhow::Result<Attempt> {
        let text = |change: &FileChange| match String::from_utf8(change.after.clone()) {
            Ok(text) => Ok((change.path.to_string(), text)),
            Err(_) => Err(Failure::new(format!(
                "cannot publish `{}`: it is not UTF-8",
                change.path
            ))),
        };
        let files: Vec<(String, String)> = changes.iter().map(text).collect::<Result<_, _>>()?;
        let begun = self.client.create_root(&self.message.to_string(), &files);
        let begun = begun.and_then(|root| self.client.create_branch(store, &root).map(|()| root));
        match begun {
            Ok(commit) => Ok(Attempt::Over(RefreshOutcome::Committed { commit })),
            Err(error) if error.maybe_done() => Ok(Attempt::Lost),
            // Another run has created the branch meanwhile.
            Err(error)
                if error.kind == ApiErrorKind::Validation
                    && self.client.branch(store)?.is_some() =>
            {
                Ok(Attempt::Moved)
            }
            Err(error) => Ok(Attempt::Over(self.not_stored(error)?)),
        }
    }

    /// The outcome of a rejected commit. A protected store gets no pull request, because numbers alone need no review.
    pub(crate) fn not_stored(&self, refusal: ApiError) -> Result<RefreshOutcome, Failure> {
        match refusal.kind {
            ApiErrorKind::Protected => Ok(Self::unpublished(&[refusal], false)),
            ApiErrorKind::Permission => Ok(Self::unpublished(&[refusal], self.read_only)),
            _ => Err(refusal.into()),
        }
    }
}
