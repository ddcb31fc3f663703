//! Go modules: `go.mod` and `go.sum`.

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
    let replaced = directives.iter().filter(|directive| directive.verb == "replace");
    let required = directives.iter().filter(|directive| directive.verb == "require");
    let mut declared: Vec<Declared> = required
        .filter_map(|directive| {
            declare(&source, directive)
                .filter(|declared| !directive.is_indirect || is_pinned(checker, declared))
        })
        .collect();
    for replacement in replaced.filter_map(|directive| replace(&source, directive)) {
        declared.retain(|declared| declared.id != replacement.id);
        declared.push(replacement);
    }
    let lock = if consumer.lock { lock(checker, path)? } else { Lock::None };
    Ok(Some(Consumed { declared, section: Place::start(&source), insertion: None, lock }))
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

/// Go chooses the versions of indirect dependencies, except of pinned ones.
fn is_pinned(checker: &Checker<'_>, declared: &Declared) -> bool {
    let pins = checker.manifest.ecosystems.get(&Kind::Go);
    pins.is_some_and(|pins| pins.contains_key(&declared.id))
}

fn declare(source: &Rc<Source>, directive: &Directive<'_>) -> Option<Declared> {
    let [(start, module), rest @ ..] = &directive.words[..] else { return None };
    let (at, found) = rest.first().copied().unwrap_or((*start, ""));
    let choice =
        if version::is_exact(Kind::Go, found) { Choice::Exact(found.to_owned()) } else { Choice::Range };
    let place = Place::new(source, at..at + found.len());
    Some(Declared { id: unquoted(module), found: found.to_owned(), choice, place, prefix: "", fix: None })
}

/// `replace module [version] => other [version]`.
fn replace(source: &Rc<Source>, directive: &Directive<'_>) -> Option<Declared> {
    let arrow = directive.words.iter().position(|word| word.1 == "=>")?;
    let module = unquoted(directive.words.first()?.1);
    let target: Vec<&str> = directive.words.get(arrow + 1..)?.iter().map(|word| word.1).collect();
    let (at, first) = *directive.words.get(arrow + 1)?;
    let choice = match &target[..] {
        [same, version] if unquoted(same) == module => Choice::Exact((*version).to_owned()),
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
        })
    });
    let locked = locked.collect();
    Ok(Lock::Read(Rc::clone(&source), locked))
}
