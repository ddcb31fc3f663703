//! A report as a comment on a commit: one for each key, as on a pull request.

use perf_github::{Actions, Client, ClientSettings, Comment, CommitId};

use crate::marker::{CommentKey, CommentMarker, Stamp};
use crate::post::CommentOutcome;
use crate::settle::{CommentAction, PostedComment, Settled};
use crate::text;

/// Posts the report on the commit, or replaces what an earlier run of the commit has posted.
///
/// # Errors
/// Whatever keeps it from being posted.
pub(crate) fn post(
    key: &CommentKey,
    commit: &CommitId,
    actions: &Actions,
    markdown: &str,
) -> anyhow::Result<CommentOutcome> {
    let client =
        Client::new(&actions.api, actions.repo(None)?, actions.token()?, ClientSettings::from_env()?)?;
    let stamp = Stamp { head: commit.clone(), run: actions.run };
    let report = text::postable(markdown, key, &stamp, actions.run_url().as_deref());
    let body = text::comment(key, &report, &[], false);
    let me = client.viewer()?;
    let comments = client.commit_comments(commit)?;
    let own = comments.iter().find(|comment| comment.author.as_ref() == Some(&me) && has_key(comment, key));
    let (action, posted) = match own {
        Some(own) => (CommentAction::Updated, client.update_commit_comment(own.id, &body)?),
        None => (CommentAction::Created, client.create_commit_comment(commit, &body)?),
    };
    let comment = Some(PostedComment { id: posted.id, url: posted.url });
    Ok(CommentOutcome::Settled(Settled { action, comment, outdated_by: None }))
}

fn has_key(comment: &Comment, key: &CommentKey) -> bool {
    let first = text::normal(&comment.body).lines().next().and_then(CommentMarker::parse);
    first.is_some_and(|marker| marker.key == *key)
}
