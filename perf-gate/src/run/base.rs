//! The default base commit of `run` and `why`.

use perf_cli::Failure;
use perf_cli::git::Git;
use perf_cli::load::git;

/// Usual default branches, the most reliable one first.
const DEFAULT_BRANCHES: [&str; 5] = [
    "origin/HEAD",
    "origin/main",
    "origin/master",
    "main",
    "master",
];

/// A base commit, and the sentence about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) reference: String,
    pub(crate) sentence: String,
}

impl Base {
    /// A base that the user chose. The sentence is empty for an unknown commit, which fails later.
    pub(crate) fn named(reference: &str) -> Self {
        let mut sentence = String::new();
        if let Some(hash) = short_hash(reference) {
            let mut what = perf_cli::term::printable(reference);
            if hash != what {
                what = format!("{what} ({hash})");
            }
            sentence = if changed_since(reference) == Some(false) {
                unchanged(&what)
            } else {
                format!("comparing this checkout with {what}")
            };
        }
        Self {
            reference: reference.to_owned(),
            sentence,
        }
    }
}

/// The base of this checkout: HEAD if files changed, the merge base with the default branch if HEAD is ahead of it, otherwise
/// the commit before HEAD. `None` outside git and before the first commit.
///
/// # Errors
/// If a shallow clone does not contain the base.
pub(crate) fn default_base() -> anyhow::Result<Option<Base>> {
    let Some(head) = git::head() else {
        return Ok(None);
    };
    let short = git::short(&head).get(..7).unwrap_or(&head).to_owned();
    if changed_since("HEAD") == Some(true) {
        return Ok(Some(Base {
            reference: head,
            sentence: format!("comparing uncommitted changes with HEAD ({short})"),
        }));
    }
    for branch in DEFAULT_BRANCHES {
        let Some(merge_base) = Git::here().ask(&["merge-base", "HEAD", branch]) else {
            continue;
        };
        let merge_base = merge_base.trim().to_owned();
        if merge_base == head {
            break;
        }
        let what = match short_hash(&merge_base) {
            Some(hash) => format!("its merge base with {branch} ({hash})"),
            None => format!("its merge base with {branch}"),
        };
        return Ok(Some(base_of_head(merge_base, &short, &what)));
    }
    if let Some(hash) = short_hash("HEAD~1") {
        return Ok(Some(base_of_head(
            "HEAD~1".to_owned(),
            &short,
            &format!("HEAD~1 ({hash})"),
        )));
    }
    if git::is_shallow() {
        return Err(Failure::new("this shallow clone contains only HEAD, so there is nothing to compare with")
            .hint("fetch more commits, with `fetch-depth: 0` of `actions/checkout` or `git fetch --unshallow`, or pass `--base`")
            .into());
    }
    Ok(Some(Base {
        reference: head,
        sentence: unchanged(&format!("HEAD ({short}), the first commit")),
    }))
}

/// A base for `HEAD`. Its sentence depends on whether measured files differ.
fn base_of_head(reference: String, head: &str, what: &str) -> Base {
    let sentence = if changed_since(&reference) == Some(false) {
        unchanged(what)
    } else {
        format!("comparing HEAD ({head}) with {what}")
    };
    Base {
        reference,
        sentence,
    }
}

fn unchanged(what: &str) -> String {
    format!("nothing changed since {what}: this is an A/A check of unchanged code")
}

/// Whether measured files differ from a commit. `None` if git does not know the commit.
fn changed_since(reference: &str) -> Option<bool> {
    let commit = Git::here().ask(&[
        "rev-parse",
        "--quiet",
        "--verify",
        "--end-of-options",
        &format!("{reference}^{{commit}}"),
    ])?;
    let files = git::changed_since(commit.trim())?;
    Some(files.iter().any(|file| is_measured(file)))
}

/// False for the files that `init` writes, which don't affect measurements.
fn is_measured(file: &str) -> bool {
    const OWN: [&str; 3] = [".github/", "perf-gate.toml", "perf-baseline.csv"];
    !OWN.iter().any(|own| file.starts_with(own))
}

/// The first seven digits of a commit's hash, as git shows them.
fn short_hash(reference: &str) -> Option<String> {
    let commit = format!("{reference}^{{commit}}");
    let hash = Git::here().ask(&[
        "rev-parse",
        "--quiet",
        "--verify",
        "--short=7",
        "--end-of-options",
        &commit,
    ])?;
    Some(hash.trim().to_owned())
}
