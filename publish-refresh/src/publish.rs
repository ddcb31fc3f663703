//! Reads the branch, decides, and commits. Retries a limited number of times while others push.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use perf_cli::actions::TOKENS;
use perf_cli::{Failure, failure, program, term};
use perf_config::Fallback;
use perf_github::{ApiError, ApiErrorKind, Client, NewCommit};

use crate::branch;
use crate::checkout::Checkout;
use crate::content::{self, PublishedFile, RepoPath};
use crate::origin::compose_message;
use crate::outcome::RefreshOutcome;
use crate::plan::{Decision, WantedRefresh, decide};
use crate::report::Scene;
use crate::request::RefreshRequest;

/// The maximum number of attempts to commit.
const ATTEMPTS: u32 = 20;

/// The maximum pause before the second attempt in milliseconds, added again for each later attempt.
const PAUSE: u64 = 400;

/// The inputs for publishing.
pub(crate) struct PublishJob<'a> {
    pub(crate) client: &'a Client,
    pub(crate) checkout: &'a Checkout,
    pub(crate) scene: &'a Scene,
    pub(crate) request: &'a RefreshRequest,
    pub(crate) wanted: WantedRefresh,
    /// Whether a read-only token is expected. Then a rejected write is not an error.
    pub(crate) read_only: bool,
}

/// The addition to an error if it is unknown whether the commit was made.
const UNCERTAIN: &str = "the commit may have been made: its response was lost";

impl PublishJob<'_> {
    /// Publishes the `rendered` files. If that fails, restores the files in the checkout.
    pub(crate) fn run(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let result = self.attempts(rendered);
        match &result {
            Ok(RefreshOutcome::Committed { .. } | RefreshOutcome::Unchanged) => {
                // If the token can't see pull requests, it has not opened any.
                if self.request.fallback == Fallback::PullRequest
                    && let Err(error) = self.close_superseded()
                    && !matches!(
                        error.kind,
                        ApiErrorKind::Permission | ApiErrorKind::NotFound
                    )
                {
                    term::warn(&error.to_string());
                }
            }
            Ok(RefreshOutcome::Proposed { .. }) => {}
            _ => {
                if let Err(error) = self.write_all(rendered) {
                    term::warn(&failure::message(&error));
                }
            }
        }
        result
    }

    fn attempts(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let mut lost = false;
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                let pause = PAUSE / 4 + random_u64() % (PAUSE * u64::from(attempt));
                self.client.clock().sleep(Duration::from_millis(pause));
            }
            let was_lost = lost;
            let mut result = self.attempt(rendered, &mut lost);
            if was_lost {
                result = result.context(UNCERTAIN);
            }
            if let Some(outcome) = result? {
                return Ok(outcome);
            }
        }
        let branch = term::printable(&self.scene.branch);
        let why = format!("{ATTEMPTS} attempts to commit to `{branch}` failed");
        let hint = "re-run the job";
        if lost {
            return Err(anyhow::Error::from(Failure::new(why).hint(hint)).context(UNCERTAIN));
        }
        Ok(RefreshOutcome::Unpublished {
            why: format!("{why}: other pushes came first"),
            hints: vec![hint.to_owned()],
            expected: false,
        })
    }

    /// Attempts to commit once. `None` if another commit was pushed meanwhile, or if the response was `lost`.
    fn attempt(
        &self,
        rendered: &[PublishedFile],
        lost: &mut bool,
    ) -> anyhow::Result<Option<RefreshOutcome>> {
        let tip = self.client.branch(&self.scene.branch)?.ok_or_else(|| {
            let branch = term::printable(&self.scene.branch);
            Failure::new(format!("the repository has no branch `{branch}`"))
                .hint("set the branch with `--branch`; a token without access can't see branches")
        })?;
        let situation = branch::situation(self.client, &self.wanted, &tip)
            .map_err(|error| self.unmeasured(error))?;
        let decision = decide(&self.wanted, &situation);
        if let Decision::Leave(outcome) = decision {
            return Ok(Some(outcome));
        }
        let on_branch = branch::versions(self.client, &self.wanted, &situation, &tip)?;
        let mut changes = content::changes(rendered, &on_branch);
        // The files were rendered on top of outdated versions.
        if let Decision::RenderAgain(changed) = decision
            && !changes.is_empty()
        {
            changes = content::changes(&self.render_on(&on_branch, &changed)?, &on_branch);
        }
        if changes.is_empty() {
            return Ok(Some(RefreshOutcome::Unchanged));
        }
        let (headline, body) = compose_message(&self.request.message, &self.wanted.origin);
        let mut new = NewCommit {
            branch: self.scene.branch.clone(),
            expected_head: tip,
            headline,
            body,
            additions: changes,
        };
        match self.client.create_commit(&new) {
            Ok(commit) => Ok(Some(RefreshOutcome::Committed { commit })),
            Err(error) if error.maybe_done => {
                *lost = true;
                Ok(None)
            }
            Err(error) if error.kind == ApiErrorKind::Conflict => Ok(None),
            Err(error) => Ok(Some(self.refused(&mut new, error)?)),
        }
    }

    /// The error for a measured commit that cannot be compared.
    fn unmeasured(&self, error: ApiError) -> Failure {
        if error.kind != ApiErrorKind::NotFound {
            return error.into();
        }
        let measured = &self.wanted.origin.measured;
        Failure::new(format!(
            "GitHub does not know the measured commit {measured}"
        ))
        .hint("push it first, or set another one with `--measured`")
    }

    /// Renders the files on top of the branch's versions. `changed` is named in the error if there is no command.
    fn render_on(
        &self,
        on_branch: &[PublishedFile],
        changed: &RepoPath,
    ) -> anyhow::Result<Vec<PublishedFile>> {
        if self.request.command.is_empty() {
            let message =
                format!("`{changed}` has changed on the branch since the code was measured");
            return Err(Failure::new(message)
                .hint("pass the command that renders the files after `--`")
                .into());
        }
        self.write_all(on_branch)?;
        run_command(&self.request.command, self.checkout.here())?;
        Ok(self.checkout.read(self.wanted.relevance.published())?)
    }

    fn write_all(&self, versions: &[PublishedFile]) -> anyhow::Result<()> {
        for version in versions {
            self.checkout.write(version)?;
        }
        Ok(())
    }

    /// Handles a rejected commit: opens a pull request, if that is wanted.
    fn refused(&self, new: &mut NewCommit, refusal: ApiError) -> Result<RefreshOutcome, Failure> {
        match refusal.kind {
            ApiErrorKind::Protected if self.request.fallback == Fallback::PullRequest => {}
            // Without the fallback, a protected branch is not an error.
            ApiErrorKind::Protected => return Ok(unpublished(&[refusal], true)),
            ApiErrorKind::Permission => return Ok(unpublished(&[refusal], self.read_only)),
            _ => return Err(refusal.into()),
        }
        let proposed = self.propose(new);
        match proposed {
            // The repository does not allow the pull request, which is not an error.
            Err(second)
                if matches!(
                    second.kind,
                    ApiErrorKind::Permission
                        | ApiErrorKind::Setting
                        | ApiErrorKind::Protected
                        | ApiErrorKind::Validation
                ) =>
            {
                Ok(unpublished(&[refusal, second], self.read_only))
            }
            proposed => Ok(proposed?),
        }
    }
}

fn unpublished(errors: &[ApiError], expected: bool) -> RefreshOutcome {
    let whys: Vec<String> = errors.iter().map(ToString::to_string).collect();
    RefreshOutcome::Unpublished {
        why: whys.join(", and "),
        hints: errors
            .iter()
            .map(|error| error.kind.hint().to_owned())
            .collect(),
        expected,
    }
}

/// Runs a command in `folder`, without a shell and without the token. Its output goes to stderr.
fn run_command(line: &[OsString], folder: &Path) -> Result<(), Failure> {
    let Some((name, arguments)) = line.split_first() else {
        return Ok(());
    };
    let mut command = program::command(name);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(io::stderr());
    for secret in TOKENS {
        command.env_remove(secret);
    }
    let name = term::printable(&name.to_string_lossy());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{name}` failed: {status}"))),
        Err(error) => Err(Failure::new(format!("cannot start `{name}`"))
            .because(error)
            .hint(
                "the command after `--` is run without a shell; to use one, write `bash -c '…'`",
            )),
    }
}

/// A random number. The standard library's random seeds for hash tables are sufficient here.
pub(crate) fn random_u64() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;

    fn run(line: &[&str]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let line: Vec<OsString> = line.iter().map(Into::into).collect();
        run_command(&line, folder.path())
            .map(|()| fs::read_to_string(folder.path().join("out")).unwrap_or_default())
            .map_err(|error| failure::message(&error.into()))
    }

    #[test]
    fn command_runs_in_folder_without_shell() {
        assert_eq!(run(&["cp", "/dev/null", "out"]).unwrap(), "");
        let script = ["sh", "-c", "printf %s \"$1\" >out", "sh", "$(id) *"];
        assert_eq!(run(&script).unwrap(), "$(id) *");
    }

    #[test]
    fn errors_contain_command_and_reason() {
        let failed = run(&["sh", "-c", "exit 7"]).unwrap_err();
        assert_eq!(failed, "`sh` failed: exit status: 7");
        let missing = run(&["no-such-program", "x"]).unwrap_err();
        assert!(
            missing.starts_with("cannot start `no-such-program`: "),
            "{missing}"
        );
    }
}
