//! The default base commit of `run` and `why`.

use anyhow::anyhow;
use perf_cli::git::Git;
use perf_cli::load::git;
use perf_cli::{ResultExt, term};

/// Usual default branches, the most reliable one first.
const DEFAULT_BRANCHES: [&str; 5] = [
    "origin/HEAD",
    "origin/main",
    "origin/master",
    "main",
    "master",
];

/// A base commit, and the sentence that tells the user what is compared with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    pub reference: String,
    pub sentence: String,
}

impl Base {
    /// Creates the base that the user chose. Prints a note if its history contains commits that HEAD does not contain.
    pub fn named(reference: &str) -> Self {
        let shown = term::printable(reference);
        let base = Self::of("this checkout", reference, &shown);
        let merge_base = Git::here().ask(&["merge-base", "--", reference, "HEAD"]);
        let is_ancestor = ["merge-base", "--is-ancestor", "--", reference, "HEAD"];
        if let Some(merge_base) = merge_base
            && Git::here().ask(&is_ancestor).is_none()
        {
            term::note(&format!(
                "`{shown}` has commits of its own; leave them out with `--base {merge_base:.7}`"
            ));
        }
        // If the commit is unknown, the measurement will fail.
        base.unwrap_or_else(|| Self {
            reference: reference.to_owned(),
            sentence: String::new(),
        })
    }

    /// Creates a base that the sentence calls `name`. Returns `None` if the commit is unknown.
    fn of(head: &str, reference: &str, name: &str) -> Option<Self> {
        let (hash, is_changed) = look_up(reference)?;
        let mut base = hash;
        if base != name {
            base = format!("{name} ({base})");
        }
        let sentence = if is_changed {
            format!("comparing {head} with {base}")
        } else {
            unchanged(&base)
        };
        Some(Self {
            reference: reference.to_owned(),
            sentence,
        })
    }
}

/// Chooses the base of this checkout. If measured files changed, the base is HEAD. If HEAD is ahead of the default branch,
/// the base is their merge base. Otherwise, it is the commit before HEAD, or HEAD itself if that is the first commit.
/// Returns `None` outside git and before the first commit.
///
/// # Errors
/// Fails if a shallow clone does not contain the base.
pub fn default_base() -> anyhow::Result<Option<Base>> {
    let (Some(head), Some((short, is_changed))) = (git::head(), look_up("HEAD")) else {
        return Ok(None);
    };
    if is_changed {
        return Ok(Some(Base {
            reference: head,
            sentence: format!("comparing uncommitted changes with HEAD ({short})"),
        }));
    }
    let shown = format!("HEAD ({short})");
    for branch in DEFAULT_BRANCHES {
        let Some(merge_base) = Git::here().ask(&["merge-base", "HEAD", branch]) else {
            continue;
        };
        let merge_base = merge_base.trim();
        if merge_base == head {
            break;
        }
        let name = format!("its merge base with {branch}");
        return Ok(Base::of(&shown, merge_base, &name));
    }
    if let Some(base) = Base::of(&shown, "HEAD~1", "HEAD~1") {
        return Ok(Some(base));
    }
    if git::is_shallow() {
        return Err(anyhow!("this shallow clone contains only HEAD, so there is nothing to compare with")).hint("fetch more commits, with `fetch-depth: 0` of `actions/checkout` or `git fetch --unshallow`, or pass `--base`");
    }
    Ok(Some(Base {
        reference: head,
        sentence: unchanged(&format!("{shown}, the first commit")),
    }))
}

fn unchanged(base: &str) -> String {
    format!("nothing changed since {base}: this is an A/A check of unchanged code")
}

/// Returns a commit's abbreviated hash, and whether measured files differ from it. `None` if git does not know the commit.
fn look_up(reference: &str) -> Option<(String, bool)> {
    let hash = Git::here().ask(&[
        "rev-parse",
        "--quiet",
        "--verify",
        "--short=7",
        "--end-of-options",
        &format!("{reference}^{{commit}}"),
    ])?;
    let hash = hash.trim().to_owned();
    let changed = git::changed_since(&hash);
    let is_changed = changed.is_none_or(|files| files.iter().any(|file| is_measured(file)));
    Some((hash, is_changed))
}

/// False for the workflows, the config and the baseline, which don't affect measurements.
fn is_measured(file: &str) -> bool {
    const OWN: [&str; 3] = [".github/", "perf-gate.toml", "perf-baseline.csv"];
    !OWN.iter().any(|own| file.starts_with(own))
}
