//! npm, Yarn and pnpm: `package.json`, their settings and their lock files.

mod lock;
mod settings;

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Manifest};

use self::settings::Settings;
use super::{Choice, Consumed, Declared, section_place};
use crate::checker::{Checker, Reported};
use crate::node::{Entry, Node};
use crate::source::{Place, Source};
use crate::version;

const SECTIONS: &[&str] = &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const MANIFEST: &str = "package.json";

/// Reads a package; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let root = checker.json(&source)?;
    let sections: Vec<&Entry> = SECTIONS.iter().filter_map(|name| root.entry(name)).collect();
    let settings = Settings::read(checker, &source, &root)?;
    let manifest = checker.manifest;
    let own = |entry: &Entry| {
        let shared = entry.node.text().and_then(|text| settings.catalog(manifest, &entry.key, text));
        shared.unwrap_or_else(|| declared(manifest, &source, &entry.key, &entry.node))
    };
    let declared = sections.iter().flat_map(|section| section.node.entries()).map(own).collect();
    let section = section_place(&source, sections.first().copied());
    let locks = if consumer.lock { lock::read(checker, path, &root)? } else { Vec::new() };
    let Settings { redirects, registries, .. } = settings;
    Ok(Some(Consumed { declared, redirects, registries, section, insertion: None, locks }))
}

/// A requirement of `package.json`, or one that replaces it.
fn declared(manifest: &Manifest, source: &Rc<Source>, key: &str, node: &Node) -> Declared {
    let found = node.text().unwrap_or_else(|| source.slice(&node.span)).to_owned();
    let (id, start) = alias(&found).unwrap_or((key, 0));
    if id != key && super::is_pinned(manifest, Kind::Npm, key) {
        let (place, choice) = (Place::new(source, node.span.clone()), Choice::Elsewhere("another package"));
        return Declared { id: key.to_owned(), found, choice, place, prefix: "", fix: None };
    }
    let choice = choice(found.get(start..).unwrap_or_default());
    let fix = node.inside(source).filter(|_| matches!(choice, Choice::Exact(_) | Choice::Range));
    // Escapes would shift the span of the version.
    let fix =
        fix.filter(|inside| source.slice(inside) == found).map(|inside| inside.start + start..inside.end);
    let place = Place::new(source, node.span.clone());
    let (id, found) = (id.to_owned(), found.get(start..).unwrap_or_default().to_owned());
    Declared { id, found, choice, place, prefix: "", fix }
}

/// `npm:mitt@3.0.1` is `mitt` under another name: its id, and the offset of its version. In Yarn, `npm:3.0.1` is a
/// version of the package itself.
fn alias(requirement: &str) -> Option<(&str, usize)> {
    let target = requirement.strip_prefix("npm:")?;
    let end = name_end(target);
    let is_version =
        end == target.len() && target.starts_with(|c: char| c.is_ascii_digit() || "^~=<>*v".contains(c));
    (!is_version).then(|| (&target[..end], "npm:".len() + (end + 1).min(target.len())))
}

/// Where the name ends in `name@version`; the first character may be the `@` of a scope.
fn name_end(text: &str) -> usize {
    text.char_indices().skip(1).find(|&(_, c)| c == '@').map_or(text.len(), |(at, _)| at)
}

fn choice(requirement: &str) -> Choice {
    let text = requirement.trim();
    let text = text.strip_prefix("npm:").unwrap_or(text);
    let exact = text.trim_start_matches(['=', 'v']).trim();
    if version::is_exact(Kind::Npm, exact) {
        Choice::Exact(exact.to_owned())
    } else if ["file:", "link:", "workspace:", "portal:"].iter().any(|scheme| text.starts_with(scheme)) {
        Choice::Local
    } else if text.contains(['/', ':']) {
        Choice::Elsewhere("a repository or a URL")
    } else {
        Choice::Range
    }
}
