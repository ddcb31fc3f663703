//! `requirements.txt`, the files it includes with `-r` and `-c`, and the registries that it names.

use std::collections::HashSet;

use super::requirement::Requirement;
use crate::checker::Checker;
use crate::consumer::origin::address;
use crate::consumer::{Consumed, DeclaredChoice, DeclaredDependency, ReadConsumer};
use crate::finding::FindingRule;
use crate::source::{SourceFile, SourceSpan};
use crate::tree;

/// The options that name a file or a registry, each with its short form.
const OPTIONS: &[(&str, &str)] = &[
    ("--requirement", "-r"),
    ("--constraint", "-c"),
    ("--editable", "-e"),
    ("--index-url", "-i"),
    ("--pypi-url", "--pypi-url"),
    ("--extra-index-url", "--extra-index-url"),
    ("--find-links", "-f"),
];

pub(super) fn read(checker: &mut Checker<'_>, path: &str) -> ReadConsumer {
    let Some(first) = checker.open(path)? else {
        return Ok(None);
    };
    let mut files = Consumed::at(SourceSpan::start(&first));
    let mut seen = HashSet::from([path.to_owned()]);
    let mut open = vec![(first, false)];
    while let Some((source, constrains)) = open.pop() {
        for (offset, line) in lines(&source) {
            let place = SourceSpan::new(&source, offset..offset + line.len());
            match option(&line) {
                None if line.starts_with('-') => {}
                None if constrains => files.redirects.push(requirement(&place, &line)),
                None => files.declared.push(requirement(&place, &line)),
                Some((option @ ("--requirement" | "--constraint"), value)) => {
                    let path = tree::resolve(tree::folder(&source.path), value);
                    if path.as_ref().is_some_and(|path| !seen.insert(path.clone())) {
                        continue;
                    }
                    if let Some(file) = path.map_or(Ok(None), |path| checker.open(&path))? {
                        open.push((file, constrains || option == "--constraint"));
                    } else {
                        let message = "included file not found in the project";
                        let hint = "correct its path, or remove the line";
                        checker
                            .find(FindingRule::Consumer, &place, message, hint)
                            .found(value);
                    }
                }
                Some(("--editable", value)) => files.declared.push(editable(&place, value)),
                Some((_, value)) => files.registry(address(&source, value), &place, None),
            }
        }
    }
    // A constraint may widen a requirement's range, but not replace its exact version.
    files
        .redirects
        .retain(|redirect| redirect.choice != DeclaredChoice::Range);
    Ok(Some(files))
}

/// The logical lines with content, each with its offset; a line that ends with `\` continues on the next one.
fn lines(source: &SourceFile) -> Vec<(usize, String)> {
    let mut continued = false;
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (offset, raw) in source.lines() {
        let text = raw.trim_end();
        let ends = text.ends_with('\\');
        let line = text.strip_suffix('\\').unwrap_or(text);
        let line = line.find(" #").map_or(line, |comment| &line[..comment]);
        if continued {
            if let Some((start, joined)) = lines.last_mut() {
                // Every byte keeps its place.
                joined.push_str(&" ".repeat((offset - *start).saturating_sub(joined.len())));
                joined.push_str(line);
            }
        } else if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            lines.push((
                offset + (line.len() - line.trim_start().len()),
                line.trim_start().to_owned(),
            ));
            continued = ends;
        }
        continued &= ends;
    }
    for (_, line) in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// The option of a line, and its value: `--option value`, `--option=value`, `-o value` or `-ovalue`.
fn option(line: &str) -> Option<(&'static str, &str)> {
    OPTIONS.iter().find_map(|&(long, short)| {
        let after = |name: &str| {
            line.strip_prefix(name)
                .filter(|rest| rest.starts_with([' ', '\t', '=']))
        };
        let attached = || line.strip_prefix(short).filter(|_| short.len() == 2);
        let rest = after(long).or_else(|| after(short)).or_else(attached)?;
        Some((long, rest.trim_start_matches([' ', '\t', '=']).trim()))
    })
}

/// A package that is installed from a folder or a repository, which may name it after `#egg=`.
fn editable(place: &SourceSpan, value: &str) -> DeclaredDependency {
    let name = value.split_once("egg=").map_or(value, |(_, name)| name);
    let is_local = name == value && !value.contains("://");
    let choice = if is_local {
        DeclaredChoice::Local
    } else {
        DeclaredChoice::Elsewhere("a URL")
    };
    DeclaredDependency::new(
        &name[..name.find(['[', '&', '=']).unwrap_or(name.len())],
        value,
        choice,
        place,
    )
}

fn requirement(place: &SourceSpan, line: &str) -> DeclaredDependency {
    // Options such as hashes follow a requirement.
    let text = line.find(" --").map_or(line, |options| &line[..options]);
    let Requirement { name, spec, choice } = Requirement::parse(text);
    let is_version = !spec.is_empty() && !matches!(choice, DeclaredChoice::Elsewhere(_));
    let shown = if is_version {
        spec.clone()
    } else {
        name.clone()
    };
    let found = if shown == spec { &text[spec] } else { text };
    DeclaredDependency::new(&text[name], found, choice, &place.part(shown))
}
