//! `requirements.txt`, and the files it includes with `-r`.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::requirement::Requirement;
use crate::checker::{Checker, Reported};
use crate::consumer::{Choice, Consumed, Declared, Lock};
use crate::finding::Rule;
use crate::source::{Place, Source};
use crate::tree;

/// Reads a requirements file; `None` if it does not exist.
pub(super) fn read(checker: &mut Checker<'_>, path: &str) -> Result<Option<Consumed>, Reported> {
    let Some(first) = checker.open(path)? else { return Ok(None) };
    let section = Place::start(&first);
    let mut declared = Vec::new();
    let mut seen = HashSet::from([path.to_owned()]);
    let mut open = vec![first];
    while let Some(source) = open.pop() {
        for (offset, line) in lines(&source) {
            if let Some(name) = included(line) {
                let path = tree::resolve(tree::folder(&source.path), name);
                if path.as_ref().is_some_and(|path| !seen.insert(path.clone())) {
                    continue;
                }
                match path.map_or(Ok(None), |path| checker.open(&path))? {
                    Some(file) => open.push(file),
                    None => lost(checker, &source, offset..offset + line.len(), name),
                }
            } else if !line.starts_with('-') {
                declared.push(requirement(&source, offset, line));
            }
        }
    }
    Ok(Some(Consumed { declared, section, insertion: None, lock: Lock::None }))
}

/// The lines with content, each with its offset; continuation lines contain only options.
fn lines(source: &Source) -> Vec<(usize, &str)> {
    let mut offset = 0;
    let mut continued = false;
    let mut lines = Vec::new();
    for raw in source.text.split_inclusive('\n') {
        let text = raw.trim_end();
        let line = text.strip_suffix('\\').unwrap_or(text);
        let line = line.find(" #").map_or(line, |comment| &line[..comment]);
        let start = offset + (line.len() - line.trim_start().len());
        if !continued && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            lines.push((start, line.trim()));
        }
        continued = text.ends_with('\\');
        offset += raw.len();
    }
    lines
}

fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("--requirement").or_else(|| line.strip_prefix("-r"))?;
    Some(rest.trim_start_matches([' ', '\t', '=']))
}

fn lost(checker: &mut Checker<'_>, source: &Rc<Source>, line: Range<usize>, name: &str) {
    let (message, hint) = ("included file not found in the project", "correct its path, or remove the line");
    checker.find(Rule::Consumer, &Place::new(source, line), message, hint).found(name);
}

fn requirement(source: &Rc<Source>, offset: usize, line: &str) -> Declared {
    // Options such as hashes follow a requirement.
    let text = line.find(" --").map_or(line, |options| &line[..options]);
    let Requirement { name, spec, choice } = Requirement::parse(text);
    let shown = if spec.is_empty() || matches!(choice, Choice::Elsewhere(_)) { &name } else { &spec };
    Declared {
        id: text[name.clone()].to_owned(),
        found: if shown == &spec { &text[spec.clone()] } else { text }.to_owned(),
        place: Place::new(source, offset + shown.start..offset + shown.end),
        prefix: "==",
        fix: None,
        choice,
    }
}
