//! Go modules: `go.mod`, `go.sum`, and the `replace` directives of a workspace's `go.work`.

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use super::{Consumed, DeclaredChoice, DeclaredDependency, Lock, Locked, ReadConsumer};
use crate::checker::{Checker, Reported};
use crate::source::{SourceFile, SourceSpan};
use crate::tree;

pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(source) = checker.open(path)? else {
        return Ok(None);
    };
    let mut files = Consumed::at(SourceSpan::start(&source));
    let own = directives(&source);
    for directive in own.iter().filter(|directive| directive.verb == "require") {
        // Go chooses the versions of indirect dependencies, except of pinned ones.
        let is_direct = |declared: &DeclaredDependency| {
            !directive.is_indirect || super::is_pinned(checker.manifest, Kind::Go, &declared.id)
        };
        files
            .declared
            .extend(declare(&directive.arguments).filter(is_direct));
    }
    files.redirects = replacements(&own, &files.declared);
    let folder = tree::folder(path);
    if let Some(work) = checker.open_nearest(folder, &["go.work"])? {
        files
            .redirects
            .extend(replacements(&directives(&work), &files.declared));
    }
    if consumer.lock {
        files
            .locks
            .push(lock(checker, tree::join(folder, "go.sum"))?);
    }
    Ok(Some(files))
}

/// A directive, on a line of its own or in a block.
struct Directive {
    verb: String,
    arguments: Vec<SourceSpan>,
    is_indirect: bool,
}

fn directives(source: &Rc<SourceFile>) -> Vec<Directive> {
    let mut directives = Vec::new();
    let mut block = None;
    for (offset, line) in source.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words = words(source, offset, code);
        let is_indirect = comment.trim_start().starts_with("indirect");
        let verb = words.first().map(|word| word.text().to_owned());
        match (verb, words.last().map(SourceSpan::text), &block) {
            (None, ..) => {}
            (Some(verb), ..) if verb == ")" => block = None,
            (Some(verb), Some("("), _) => block = Some(verb),
            (Some(_), _, Some(verb)) => {
                directives.push(Directive {
                    verb: verb.clone(),
                    arguments: words,
                    is_indirect,
                });
            }
            (Some(verb), _, None) => {
                words.remove(0);
                directives.push(Directive {
                    verb,
                    arguments: words,
                    is_indirect,
                });
            }
        }
    }
    directives
}

/// The words of a line that begins at an offset.
fn words(source: &Rc<SourceFile>, offset: usize, line: &str) -> Vec<SourceSpan> {
    let start = |word: &str| offset + word.as_ptr().addr() - line.as_ptr().addr();
    line.split_whitespace()
        .map(|word| SourceSpan::new(source, start(word)..start(word) + word.len()))
        .collect()
}

fn declare(arguments: &[SourceSpan]) -> Option<DeclaredDependency> {
    let module = arguments.first()?;
    let version = arguments
        .get(1)
        .cloned()
        .unwrap_or_else(|| module.part(0..0));
    let found = version.text();
    let choice = DeclaredChoice::of_version(Kind::Go, found);
    Some(DeclaredDependency::new(
        &unquoted(module),
        found,
        choice,
        &version,
    ))
}

/// The replacements that apply: one of a version that is not required does nothing.
fn replacements(
    directives: &[Directive],
    declared: &[DeclaredDependency],
) -> Vec<DeclaredDependency> {
    let applies = |directive: &&Directive| match &directive.arguments[..] {
        [_, arrow, ..] if arrow.text() == "=>" => true,
        [module, version, ..] => {
            let module = unquoted(module);
            declared
                .iter()
                .any(|declared| declared.id == module && declared.found == version.text())
        }
        _ => false,
    };
    let replaced = directives
        .iter()
        .filter(|directive| directive.verb == "replace")
        .filter(applies);
    replaced
        .filter_map(|directive| replace(&directive.arguments))
        .collect()
}

/// `replace module [version] => other [version]`.
fn replace(arguments: &[SourceSpan]) -> Option<DeclaredDependency> {
    let arrow = arguments.iter().position(|word| word.text() == "=>")?;
    let (module, target) = (unquoted(arguments.first()?), arguments.get(arrow + 1..)?);
    let first = target.first()?;
    let folder = tree::folder(&first.source.path);
    let choice = match target {
        [same, version] if unquoted(same) == module => {
            DeclaredChoice::Exact(version.text().to_owned())
        }
        [path] if path.text().starts_with('.') && tree::resolve(folder, path.text()).is_some() => {
            DeclaredChoice::Local
        }
        _ => DeclaredChoice::Elsewhere("a `replace`"),
    };
    let found = target
        .iter()
        .map(SourceSpan::text)
        .collect::<Vec<_>>()
        .join(" ");
    Some(DeclaredDependency::new(&module, &found, choice, first))
}

fn unquoted(word: &SourceSpan) -> String {
    word.text().trim_matches(['"', '`']).to_owned()
}

fn lock(checker: &mut Checker<'_>, path: String) -> Result<Lock, Reported> {
    let Some(source) = checker.open(&path)? else {
        return Ok(Lock::Absent(path));
    };
    let locked = source.lines().filter_map(|(offset, line)| {
        let [id, version, ..] = &words(&source, offset, line)[..] else {
            return None;
        };
        // A module with the checksum of its `go.mod` only is not built.
        (!version.text().ends_with("/go.mod")).then(|| Locked {
            id: id.text().to_owned(),
            version: version.text().to_owned(),
            place: version.clone(),
            origin: None,
        })
    });
    let locked = locked.collect();
    Ok(Lock::Read(source, locked))
}
