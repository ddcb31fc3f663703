//! What `[comment]` of the config adds: mentions, the tables of the page, comments on commits.

use std::path::{Path, PathBuf};

use perf_cli::{file, load};
use perf_config::Config;

use super::base::Base;
use super::options::{given, given_path, reading};
use super::outcome::{Outcome, Verdict};
use super::plan::Plan;
use super::tool::Tool;
use super::{log, report};

/// What the config asks for. On a pull request it is that of the base, like everything else that it says.
#[derive(Debug, Default)]
pub(super) struct Extras(Config);

impl Extras {
    /// A config that cannot be read was reported by the comparison.
    pub(super) fn of(plan: &Plan, base: &Base) -> Self {
        let named = match &base.config[..] {
            [_, path] => Some(path.as_str()),
            _ => Some(plan.inputs.config.as_str()).filter(|config| !config.is_empty()),
        };
        Self(load::config(named.map(Path::new)).unwrap_or_default())
    }

    pub(super) fn is_on_commit(&self) -> bool {
        self.0.comment().commit
    }

    /// The last line of a comment on a regression; empty where nobody is mentioned.
    pub(super) fn mention(&self) -> String {
        let names: Vec<&str> = self.0.comment().mention.iter().map(|name| name.get_ref().as_str()).collect();
        if names.is_empty() { String::new() } else { format!("\ncc {}\n", names.join(" ")) }
    }

    /// The tables of the page with the numbers of this run, below the result of the gate.
    pub(super) fn page(&self, plan: &Plan, outcome: &Outcome) -> anyhow::Result<Option<PathBuf>> {
        if !self.0.comment().page || outcome.verdict == Verdict::Broken {
            return Ok(None);
        }
        let inputs = &plan.inputs;
        let options = [
            given_path("--config", &inputs.config),
            given_path("--packages", &inputs.packages),
            given("--region", &inputs.region),
            given("--platform-substring", &inputs.platform_substring),
        ];
        let tool = Tool::new("page")?.args(["--quiet", "--preview"]);
        let output =
            tool.args(options.into_iter().flatten()).args(reading(inputs, &plan.folder)?).output()?;
        log::guarded(&String::from_utf8_lossy(&output.stderr))?;
        if !output.status.success() {
            return Ok(None);
        }
        let tables = String::from_utf8_lossy(&output.stdout);
        let text = report::with_result(&file::read_text(&outcome.comment)?, tables.trim());
        let path = plan.folder.join("page.md");
        file::write_if_changed(&path, text.as_bytes())?;
        Ok(Some(path))
    }
}
