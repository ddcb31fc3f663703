//! Go modules: `go.mod`, `go.sum`, and the `replace` directives of a workspace's `go.work`.

use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use super::{Choice, Consumed, Declared, Lock, Locked};
use crate::checker::{Checker, Reported};
use crate::source::{Place, Source};
use crate::{tree, version};

/// Reads a module; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let directives = directives(&source);
    let required = directives.iter().filter(|directive| directive.verb == "require");
    // Go chooses the versions of indirect dependencies, except of pinned ones.
    let is_direct = |directive: &Directive<'_>, declared: &Declared| {
        !directive.is_indirect || super::is_pinned(checker.manifest, Kind::Go, &declared.id)
    };
    let declared: Vec<Declared> = required
        .filter_map(|directive| declare(&source, directive).filter(|declared| is_direct(directive, declared)))
        .collect();
    let mut redirects = replacements(&source, &directives, &declared);
    let folder = tree::folder(path);
    let works: Vec<String> = tree::ancestors(folder).map(|folder| tree::join(folder, "go.work")).collect();
    if let Some(work) = checker.open_first(works)? {
        redirects.extend(replacements(&work, &self::directives(&work), &declared));
    }
    let locks = if consumer.lock { vec![lock(checker, path)?] } else { Vec::new() };
    let section = Place::start(&source);
    Ok(Some(Consumed { declared, redirects, registries: Vec::new(), section, insertion: None, locks }))
}

/// A directive, on a line of its own or in a block.
struct Directive<'t> {
    verb: &'t str,
    /// Its arguments, each with its offset.
    words: Vec<(usize, &'t str)>,
    is_indirect: bool,
}

fn directives(source: &Source) -> Vec<Directive<'_>> {
    let mut directives = Vec::new();
    let mut block = None;
    let mut offset = 0;
    for line in source.text.split_inclusive('\n') {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words: Vec<(usize, &str)> =
            code.split_whitespace().map(|word| (offset + start_of(word, line), word)).collect();
        offset += line.len();
        let is_indirect = comment.trim_start().starts_with("indirect");
        match (words.first().map(|word| word.1), words.last().map(|word| word.1), block) {
            (None, ..) => {}
            (Some(")"), ..) => block = None,
            (Some(verb), Some("("), _) => block = Some(verb),
            (Some(_), _, Some(verb)) => directives.push(Directive { verb, words, is_indirect }),
            (Some(verb), _, None) => {
                words.remove(0);
                directives.push(Directive { verb, words, is_indirect });
            }
        }
    }
    directives
}

/// The offset of a word in its line.
fn start_of(word: &str, line: &str) -> usize {
    word.as_ptr().addr() - line.as_ptr().addr()
}

fn declare(source: &Rc<Source>, directive: &Directive<'_>) -> Option<Declared> {
    let [(start, module), rest @ ..] = &directive.words[..] else { return None };
    let (at, found) = rest.first().copied().unwrap_or((*start, ""));
    let choice =
        if version::is_exact(Kind::Go, found) { Choice::Exact(found.to_owned()) } else { Choice::Range };
    let place = Place::new(source, at..at + found.len());
    Some(Declared { id: unquoted(module), found: found.to_owned(), choice, place, prefix: "", fix: None })
}

/// The replacements that apply: one of a version that is not required does nothing.
fn replacements(source: &Rc<Source>, directives: &[Directive<'_>], declared: &[Declared]) -> Vec<Declared> {
    let applies = |directive: &&Directive<'_>| match &directive.words[..] {
        [_, (_, arrow), ..] if *arrow == "=>" => true,
        [(_, module), (_, version), ..] => {
            let module = unquoted(module);
            declared.iter().any(|declared| declared.id == module && declared.found == *version)
        }
        _ => false,
    };
    let replaced = directives.iter().filter(|directive| directive.verb == "replace").filter(applies);
    replaced.filter_map(|directive| replace(source, directive)).collect()
}

/// `replace module [version] => other [version]`.
fn replace(source: &Rc<Source>, directive: &Directive<'_>) -> Option<Declared> {
    let arrow = directive.words.iter().position(|word| word.1 == "=>")?;
    let module = unquoted(directive.words.first()?.1);
    let target: Vec<&str> = directive.words.get(arrow + 1..)?.iter().map(|word| word.1).collect();
    let (at, first) = *directive.words.get(arrow + 1)?;
    let choice = match &target[..] {
        [same, version] if unquoted(same) == module => Choice::Exact((*version).to_owned()),
        [path] if path.starts_with('.') && tree::resolve(tree::folder(&source.path), path).is_some() => {
            Choice::Local
        }
        _ => Choice::Elsewhere("a `replace`"),
    };
    let place = Place::new(source, at..at + first.len());
    Some(Declared { id: module, found: target.join(" "), choice, place, prefix: "", fix: None })
}

fn unquoted(word: &str) -> String {
    word.trim_matches(['"', '`']).to_owned()
}

fn lock(checker: &mut Checker<'_>, path: &str) -> Result<Lock, Reported> {
    let path = tree::join(tree::folder(path), "go.sum");
    let Some(source) = checker.open(&path)? else { return Ok(Lock::Absent(path)) };
    let locked = source.text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (id, version) = (words.next()?, words.next()?);
        // A module with the checksum of its `go.mod` only is not built.
        let start = start_of(version, &source.text);
        let place = Place::new(&source, start..start + version.len());
        (!version.ends_with("/go.mod")).then(|| Locked {
            id: id.to_owned(),
            version: version.to_owned(),
            place,
            origin: None,
        })
    });
    let locked = locked.collect();
    Ok(Lock::Read(Rc::clone(&source), locked))
}
