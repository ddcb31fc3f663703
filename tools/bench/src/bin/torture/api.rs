//! A fake GitHub API, for programs that read from it even in a dry run.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use fake_github::{Fake, Pull, World};

/// The head of the pull request in event payloads.
const HEAD: &str = "1111111111111111111111111111111111111111";

/// A server with one pull request, and a repository with a page and a baseline.
pub(crate) struct TortureApi {
    fake: Fake,
    /// The newest commit of the default branch.
    pub(crate) head: String,
}

impl TortureApi {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let fake = Fake::start(World::with_pull(Pull::new(5).at(HEAD)))?;
        let files = [
            ("page.md", "page\n"),
            ("base.csv", "csv\n"),
            ("src/lib.rs", "code\n"),
        ];
        let head = fake.git().push("main", &files, "Measure me")?;
        Ok(Self { fake, head })
    }

    pub(crate) fn url(&self) -> &str {
        self.fake.url()
    }

    /// Clones the repository into a directory for cases.
    pub(crate) fn clone_into(&self, folder: &Path) -> anyhow::Result<()> {
        let mut command = Command::new("git");
        command
            .args(["clone", "--quiet"])
            .arg(self.fake.git().path())
            .arg(folder.join("checkout"));
        ensure!(
            command.status().context("cannot run git")?.success(),
            "the repository cannot be cloned"
        );
        Ok(())
    }
}
