//! A version in any file, found by its keys in TOML, JSON and YAML, or by a regular expression.

use std::rc::Rc;

use globset::GlobBuilder;
use perf_model::packages::{Consumer, Pin};
use regex::{Regex, RegexBuilder};

use super::{locate, must_exist};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, FindingRule, quoted};
use crate::node::{self, Node, NodeValue};
use crate::source::{SourceFile, SourceSpan};
use crate::version;

enum Selector {
    Keys(Vec<String>),
    Pattern(Regex),
}

/// A version in a file.
struct FoundVersion {
    place: SourceSpan,
    /// The text that `--fix` writes instead of the version. `None` if `--fix` must not replace the version.
    replacement: Option<String>,
}

/// Checks one consumer, and returns the ID of the pin that the consumer uses. `None` if the consumer itself is incorrect.
pub(super) fn check(checker: &mut Checker<'_>, index: &str, consumer: &Consumer) -> Option<String> {
    let found = pin_of(checker, consumer).and_then(|pin| Ok((pin, selector(consumer)?)));
    let (pin, selector) = match found {
        Ok(found) => found,
        Err(message) => {
            let hint = "write `file`, `key` or `pattern`, and the `package` of a pin";
            let path = ["consumers", index];
            checker.at(FindingRule::Consumer, &path, message, hint);
            return None;
        }
    };
    let id = pin.id.to_owned();
    // A pin that is not an exact version already has a finding, and cannot be compared.
    if !version::is_exact(pin.version) {
        return Some(id);
    }
    let file = consumer.file.as_deref()?;
    let place = checker.place(&["consumers", index, "file"]);
    let is_glob = file.contains(['*', '?', '[', '{']);
    let paths = if is_glob {
        matching_files(checker, file, &place)
    } else {
        locate(checker, file, &place).map(|path| vec![path])
    };
    let Some(paths) = paths else { return Some(id) };
    // An unreadable file is already in the report.
    let mut is_found_or_broken = false;
    let mut first = None;
    for path in &paths {
        let source = match checker.open(path) {
            Ok(Some(source)) => source,
            Ok(None) => continue,
            Err(Reported) => {
                is_found_or_broken = true;
                continue;
            }
        };
        checker.compared.insert(path.clone());
        let versions = match &selector {
            Selector::Keys(keys) => select_keys(checker, path, keys, pin.version),
            Selector::Pattern(regex) => Ok(select_pattern(&source, regex, pin.version)),
        };
        first.get_or_insert(SourceSpan::start(&source));
        is_found_or_broken |= !matches!(&versions, Ok(versions) if versions.is_empty());
        for version in versions.unwrap_or_default() {
            compare(checker, version, pin);
        }
    }
    if is_found_or_broken {
        return Some(id);
    }
    let Some(first) = first else {
        must_exist(checker, &place, file, false);
        return Some(id);
    };
    let selector = consumer.key.as_ref().or(consumer.pattern.as_ref())?;
    let message = format!("`{selector}` matches nothing, so `{id}` has no version");
    let manifest = &checker.source.path;
    let hint = format!("add the version to the file, or correct the consumer in `{manifest}`");
    let place = if is_glob { place } else { first };
    checker
        .find(FindingRule::Missing, &place, message, hint)
        .expected(pin.version);
    Some(id)
}

/// Returns the pin that the consumer's `package` specifies. Without `package`, returns the pin whose ID is the longest one
/// that the consumer's `key` or `pattern` contains.
fn pin_of<'m>(checker: &Checker<'m>, consumer: &Consumer) -> Result<Pin<'m>, String> {
    let manifest = checker.manifest;
    let unity = manifest.unity_sections().map(|section| section.pins);
    let sections = unity.into_iter().chain(manifest.ecosystems.values());
    let text = consumer.key.as_ref().or(consumer.pattern.as_ref());
    let text = text.map(|text| text.replace('\\', "")).unwrap_or_default();
    let mut best: Option<Pin<'m>> = None;
    for (id, version) in sections.flatten() {
        let is_meant = match &consumer.package {
            Some(package) => package == id,
            None => text.contains(id.as_str()) && best.is_none_or(|best| best.id.len() <= id.len()),
        };
        if !is_meant {
            continue;
        }
        if best.is_some_and(|best| best.id == id && best.version != version) {
            return Err(format!("`{id}` is pinned at two versions"));
        }
        best = Some(Pin { id, version });
    }
    best.ok_or_else(|| match &consumer.package {
        Some(package) => format!("`{package}` is not pinned"),
        None => "the consumer has no pin".to_owned(),
    })
}

fn selector(consumer: &Consumer) -> Result<Selector, String> {
    match (&consumer.key, &consumer.pattern) {
        (Some(key), None) => match split_keys(key) {
            Some(keys) => Ok(Selector::Keys(keys)),
            None => Err(format!("`{key}` is not a list of keys")),
        },
        (None, Some(pattern)) => {
            let regex = RegexBuilder::new(pattern)
                .multi_line(true)
                .crlf(true)
                .build();
            let regex = regex.map_err(|error| {
                let error = error.to_string();
                format!(
                    "invalid pattern: {}",
                    error.lines().last().unwrap_or_default()
                )
            })?;
            if regex.captures_len() == 2 {
                Ok(Selector::Pattern(regex))
            } else {
                Err("the pattern needs one capture group, which is the version".to_owned())
            }
        }
        _ => Err("a version in a file needs either `key` or `pattern`".to_owned()),
    }
}

/// Splits `a."b.c".d` into keys. `None` if a key is empty or a quote is not closed.
fn split_keys(text: &str) -> Option<Vec<String>> {
    let mut keys = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '.') => keys.push(String::new()),
            _ => keys.last_mut()?.push(c),
        }
    }
    let is_valid = quote.is_none() && !keys.iter().any(String::is_empty);
    is_valid.then_some(keys)
}

fn matching_files(
    checker: &mut Checker<'_>,
    file: &str,
    place: &SourceSpan,
) -> Option<Vec<String>> {
    let glob = GlobBuilder::new(file).literal_separator(true).build();
    let matcher = match glob {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            let message = format!("invalid file pattern: {}", error.kind());
            let hint = "`*` matches within a folder, `**` across folders";
            checker.find(FindingRule::Consumer, place, message, hint);
            return None;
        }
    };
    let mut files = checker.list(".", "").ok()?;
    files.retain(|path| matcher.is_match(path));
    Some(files)
}

fn select_pattern(source: &Rc<SourceFile>, regex: &Regex, pinned: &str) -> Vec<FoundVersion> {
    let mut versions = Vec::new();
    for captures in regex.captures_iter(&source.text) {
        let (Some(all), Some(group)) = (captures.get(0), captures.get(1)) else {
            continue;
        };
        if group.is_empty() {
            continue;
        }
        // A range is not replaced, because its operator would have to change. The text with the pinned version must match
        // the pattern again and capture exactly that version.
        let before = &source.text[all.start()..group.start()];
        let after = &source.text[group.end()..all.end()];
        let fixed = format!("{before}{pinned}{after}");
        let again = regex.captures(&fixed).and_then(|captures| captures.get(1));
        let is_stable = again.is_some_and(|group| group.as_str() == pinned);
        let may_replace = is_stable && version::is_exact(own_version(group.as_str()).trim_end());
        versions.push(FoundVersion {
            place: SourceSpan::new(source, group.range()),
            replacement: may_replace.then(|| pinned.to_owned()),
        });
    }
    versions
}

fn select_keys(
    checker: &mut Checker<'_>,
    path: &str,
    keys: &[String],
    pinned: &str,
) -> Result<Vec<FoundVersion>, Reported> {
    let root = match path.rsplit('.').next() {
        Some("toml" | "lock") => checker.parse(path, node::toml)?,
        Some("yaml" | "yml") => checker.parse(path, node::yaml)?,
        _ => checker.json(path)?,
    };
    let mut nodes = Vec::new();
    if let Some(root) = &root {
        select_nodes(root, keys, &mut nodes);
    }
    let mut versions = Vec::new();
    for node in nodes {
        let SourceSpan { source, span } = &node.place;
        let inside = node.inside();
        // A value without quotes gets quotes if it is a number, or if the pinned version would be read as a number.
        let is_number = matches!(node.value, NodeValue::Other) || pinned.parse::<f64>().is_ok();
        let replacement = if inside.is_none() && is_number {
            quoted(pinned)
        } else {
            pinned.to_owned()
        };
        // A YAML value with an anchor, an alias or a tag is not replaced, because these would be lost.
        let is_scalar = matches!(node.value, NodeValue::String(_) | NodeValue::Other);
        let may_replace = is_scalar && !node.place.text().starts_with(['&', '*', '!']);
        versions.push(FoundVersion {
            place: SourceSpan::new(source, inside.unwrap_or(span.clone())),
            replacement: may_replace.then_some(replacement),
        });
    }
    Ok(versions)
}

/// Adds the values at a path of keys and indices to `found`. `*` stands for any key or index.
fn select_nodes<'n>(node: &'n Node, keys: &[String], found: &mut Vec<&'n Node>) {
    let Some((first, rest)) = keys.split_first() else {
        found.push(node);
        return;
    };
    if first == "*" {
        for entry in node.entries() {
            select_nodes(&entry.node, rest, found);
        }
        for item in node.items() {
            select_nodes(item, rest, found);
        }
    } else if let Some(next) = node.at(&[first]) {
        select_nodes(next, rest, found);
    }
}

/// A version without its operator: `=1.2.3` and `==1.2.3` are exact, and `--fix` keeps the operator.
fn own_version(text: &str) -> &str {
    text.trim_start_matches(['=', ' '])
}

fn compare(checker: &mut Checker<'_>, found: FoundVersion, pin: Pin<'_>) {
    let Pin { id, version } = pin;
    let SourceSpan { source, span } = &found.place;
    let text = found.place.text();
    let own = own_version(text);
    if own.trim_end() == version {
        return;
    }
    let (rule, message) = if version::is_exact(own.trim_end()) {
        let message = format!("the version of `{id}` differs from its pin");
        (FindingRule::Version, message)
    } else {
        (FindingRule::Range, format!("`{id}` has no exact version"))
    };
    // Lock files contain checksums, so only the package manager can write them.
    let name = source.path.rsplit('/').next().unwrap_or_default();
    // `Cargo.lock`, `package-lock.json`, `packages.lock.json`, but not `clock.toml`.
    let is_lock = name.contains("-lock.")
        || name.contains(".lock")
        || matches!(name, "go.sum" | "npm-shrinkwrap.json");
    let hint = if is_lock {
        "fix the file that declares it, then let its package manager write this one".to_owned()
    } else {
        let manifest = &checker.source.path;
        format!("write `{version}`, or change the pin in `{manifest}`")
    };
    let edit = found.replacement.map(|text| Edit {
        span: span.end - own.len()..span.end,
        text,
    });
    checker
        .find(rule, &found.place, message, hint)
        .found(text)
        .expected(version)
        .fix(edit.filter(|_| !is_lock));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_at_dots_outside_of_quotes() {
        let keys = |text| split_keys(text).map(|keys| keys.join("|"));
        assert_eq!(keys("a.\"b.c\".d").as_deref(), Some("a|b.c|d"));
        assert_eq!(
            keys("packages.'node_modules/x'.v").as_deref(),
            Some("packages|node_modules/x|v")
        );
        assert_eq!([keys("a..b"), keys(""), keys("a.\"b")], [None, None, None]);
    }
}
