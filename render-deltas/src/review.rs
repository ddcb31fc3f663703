//! Changed files of the hot path (`[review]`), and their owners.

use std::path::Path;

use perf_cli::load::{benchmark_files, git};
use perf_cli::{file, term};
use perf_config::{Config, PathPattern};
use perf_model::diagnostic::{Diagnostic, named};
use perf_readers::ParseReport;

use crate::benchmark_files::{Changed, changed_since};

/// The locations of CODEOWNERS, in the order in which GitHub searches them.
const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The maximum number of files in a note.
const NAMED: usize = 10;

/// The note that lists the files in `[review] paths` that differ from the baseline's commit, with their owners; or the
/// warning that this is unknown.
pub(crate) fn note(config: &Config, baseline: &ParseReport) -> Option<Diagnostic> {
    let changed = match changed_since(baseline, config.review())? {
        Changed::Files(_, changed) => changed,
        Changed::Unknown(why) => return Some(undetermined(&why)),
    };
    let owners = benchmark_files::root()
        .map(|root| Owners::of(&root))
        .unwrap_or_default();
    let files: Vec<String> = changed
        .iter()
        .map(|path| owners.with_owners(path))
        .collect();
    let message = format!(
        "review these numbers, because the hot path changed: {}",
        named(&files, NAMED)
    );
    Some(Diagnostic::note(message))
}

/// The warning that a change of the hot path cannot be determined.
fn undetermined(why: &str) -> Diagnostic {
    let message = format!("cannot tell whether the hot path (`[review]`) changed: {why}");
    let hint = if git::is_shallow() {
        "the clone is shallow: let `actions/checkout` fetch all commits with `fetch-depth: 0`, or run \
         `git fetch --unshallow`"
    } else {
        "fetch the commit with `git fetch`, or store it in the baseline with `perf-gate baseline --commit`"
    };
    Diagnostic::warning(message).hint(hint)
}

/// The CODEOWNERS patterns with their owners; the last match is used.
#[derive(Debug, Default)]
struct Owners(Vec<(PathPattern, String)>);

impl Owners {
    fn of(root: &Path) -> Self {
        let text = PLACES
            .iter()
            .find_map(|place| file::read_text(&root.join(place)).ok());
        Self::parse(&text.unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let entry = |line: &str| {
            let mut words = line.split('#').next()?.split_whitespace();
            let pattern = pattern(words.next()?)?;
            Some((pattern, words.collect::<Vec<_>>().join(" ")))
        };
        Self(text.lines().filter_map(entry).collect())
    }

    fn with_owners(&self, path: &str) -> String {
        let owners = self
            .0
            .iter()
            .rev()
            .find(|(pattern, _)| pattern.matches(path))
            .map(|(_, owners)| owners);
        let path = term::printable(path);
        match owners.filter(|owners| !owners.is_empty()) {
            Some(owners) => format!("`{path}` (owned by `{}`)", term::printable(owners)),
            None => format!("`{path}`"),
        }
    }
}

/// A CODEOWNERS pattern; without a folder it matches in every folder.
fn pattern(written: &str) -> Option<PathPattern> {
    let anchored = written.trim_end_matches('/').contains('/');
    let from_root = written.strip_prefix('/').unwrap_or(written);
    PathPattern::new(&if anchored {
        from_root.to_owned()
    } else {
        format!("**/{from_root}")
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_pattern_names_the_owners() {
        let owners = Owners::parse(
            "* @all\n*.rs @rust @core # Rust\n/src/bus/ @bus\ndocs/ @docs\n/src/free.rs\n",
        );
        for (path, named) in [
            ("README.md", "`README.md` (owned by `@all`)"),
            ("src/a/b.rs", "`src/a/b.rs` (owned by `@rust @core`)"),
            ("src/bus/a.rs", "`src/bus/a.rs` (owned by `@bus`)"),
            ("a/docs/b.md", "`a/docs/b.md` (owned by `@docs`)"),
            ("src/free.rs", "`src/free.rs`"),
        ] {
            assert_eq!(owners.with_owners(path), named);
        }
    }
}
