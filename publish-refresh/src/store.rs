//! A branch of its own for the numbers, which has the published files and nothing else.
//!
//! It shares no history with the code, so what it has is compared by the measured commits that its messages name.

use perf_cli::Failure;
use perf_github::{CommitId, Trouble, TroubleKind};

use crate::branch;
use crate::content::FileChange;
use crate::outcome::RefreshOutcome;
use crate::plan::{Decision, decide_in_store};
use crate::publish::{Attempt, PublishJob};

impl PublishJob<'_> {
    /// The tip of the store, `None` unless it exists, and what to do.
    pub(crate) fn in_store(&self, store: &str) -> Result<(Option<CommitId>, Decision), Failure> {
        let measured = &self.wanted.origin.measured;
        let code = branch::stands(self.client, measured, &self.tip()?);
        let code = code.map_err(|trouble| self.unmeasured(trouble))?;
        let tip = match self.first.get() {
            Some(first) => self.client.branch_since(first, store)?,
            None => self.client.branch(store)?,
        };
        let latest = match &tip {
            Some(tip) => branch::latest(self.client, &self.wanted, self.anchor(tip), tip)?,
            None => None,
        };
        Ok((tip, decide_in_store(&self.wanted, &code, latest.as_ref())))
    }

    /// Creates the branch with its first commit.
    pub(crate) fn begin(&self, store: &str, changes: &[FileChange]) -> anyhow::Result<Attempt> {
        let files: Vec<(String, String)> = changes.iter().map(text).collect::<Result<_, _>>()?;
        let begun = self.client.create_root(&self.message.to_string(), &files);
        let begun = begun.and_then(|root| self.client.create_branch(store, &root).map(|()| root));
        match begun {
            Ok(commit) => Ok(Attempt::Over(RefreshOutcome::Committed { commit })),
            Err(trouble) if trouble.maybe_done() => Ok(Attempt::Lost),
            // Somebody else has made it meanwhile.
            Err(trouble)
                if trouble.kind == TroubleKind::Validation && self.client.branch(store)?.is_some() =>
            {
                Ok(Attempt::Moved)
            }
            Err(trouble) => Ok(Attempt::Over(self.not_stored(trouble)?)),
        }
    }

    /// The outcome of a refused commit. Nobody reviews numbers alone, so a protected store gets no pull request.
    pub(crate) fn not_stored(&self, refusal: Trouble) -> Result<RefreshOutcome, Failure> {
        match refusal.kind {
            TroubleKind::Protected => Ok(Self::unpublished(&[refusal], false)),
            TroubleKind::Permission => Ok(Self::unpublished(&[refusal], self.read_only)),
            _ => Err(refusal.into()),
        }
    }
}

fn text(change: &FileChange) -> Result<(String, String), Failure> {
    let text = String::from_utf8(change.after.clone());
    let text =
        text.map_err(|_| Failure::new(format!("cannot publish `{}`: it is not UTF-8", change.path)))?;
    Ok((change.path.to_string(), text))
}
