//! Files that numbers depend on besides the code that is measured: after a change to them, numbers are not comparable.

use super::PathPattern;
use super::build::{Builder, Built};
use super::file::{HarnessFrom, HarnessSection};
use crate::spanned::Spanned;

/// The files that decide the numbers besides the code that is measured.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// Patterns of the files of the benchmark itself.
    pub paths: Vec<PathPattern>,
    /// Patterns of the files that select the toolchain.
    pub toolchain: Vec<PathPattern>,
    /// True if both sides of pairs run the files of the current one.
    pub is_of_current: bool,
}

impl Builder<'_> {
    pub(super) fn harness(&self, section: &HarnessSection) -> Built<Harness> {
        let paths = section.paths.iter().map(|source| self.path(source));
        let toolchain = section.toolchain.iter().map(|source| self.path(source));
        Ok(Harness {
            paths: paths.collect::<Built<_>>()?,
            toolchain: toolchain.collect::<Built<_>>()?,
            is_of_current: section.from == HarnessFrom::Current,
        })
    }

    fn path(&self, source: &Spanned<String>) -> Built<PathPattern> {
        PathPattern::new(source.get_ref()).map_err(|why| {
            let message = format!("bad path `{}`: {why}", source.get_ref());
            let hint = "paths begin at the root of the repository and are written with `/`: `benches/**`";
            self.error(source.span(), message).with_hint(hint.to_owned())
        })
    }
}
