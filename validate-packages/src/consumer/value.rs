//! A version in any file, found by its keys in TOML, JSON and YAML, or by a regular expression.

use globset::GlobBuilder;
use perf_model::packages::{Consumer, Pin};
use regex::{Regex, RegexBuilder};

use super::{locate, must_exist};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, FindingRule, quoted};
use crate::node::{self, Node, NodeValue};
use crate::source::SourceSpan;
use crate::version;

enum Selector {
    Keys(Vec<String>),
    Pattern(Regex),
}

/// A version in a file.
struct FoundVersion {
    place: SourceSpan,
    /// Whether it is a text or a number, and not a table.
    is_scalar: bool,
    /// Whether `--fix` may replace it if it is a range, or an exact version.
    may_replace: [bool; 2],
    needs_quotes: bool,
}

/// Checks one consumer, and returns the ID of the pin that it uses.
pub(super) fn check(checker: &mut Checker<'_>, index: &str, consumer: &Consumer) -> Option<String> {
    let place = checker.place(&["consumers", index]);
    let found = pin_of(checker, consumer).and_then(|pin| Ok((pin, selector(consumer)?)));
    let (pin, selector) = match found {
        Ok(found) => found,
        Err(message) => {
            let hint = "write `file`, `key` or `pattern`, and the `package` of a pin";
            checker.find(FindingRule::Consumer, &place, message, hint);
            return None;
        }
    };
    let id = pin.id.to_owned();
    let file = consumer.file.as_deref()?;
    let place = checker.place(&["consumers", index, "file"]);
    let is_glob = file.contains(['*', '?', '[', '{']);
    let paths = if is_glob {
        matching_files(checker, file, &place)
    } else {
        locate(checker, file, &place).into_iter().collect()
    };
    if is_glob {
        must_exist(checker, &place, file, !paths.is_empty());
    }
    let mut is_found = false;
    let mut last = None;
    for path in &paths {
        let Ok(source) = checker.open(path) else {
            continue;
        };
        let Some(source) = source else {
            must_exist(checker, &place, file, false);
            return Some(id);
        };
        checker.compared.insert(path.clone());
        let Ok(versions) = select(checker, path, &selector, pin) else {
            continue;
        };
        is_found |= !versions.is_empty();
        for version in versions {
            compare(checker, &version, pin);
        }
        last = Some(SourceSpan::start(&source));
    }
    if let (false, Some(start)) = (is_found, last) {
        let (what, text) = match &consumer.pattern {
            Some(pattern) => ("does not match", pattern),
            None => ("does not exist", consumer.key.as_ref()?),
        };
        let place = if is_glob { place } else { start };
        let hint = format!(
            "add the version to the file, or correct the consumer in `{}`",
            checker.source.path
        );
        checker
            .find(
                FindingRule::Missing,
                &place,
                format!("`{text}` {what}, so `{id}` has no version"),
                hint,
            )
            .expected(pin.version);
    }
    Some(id)
}

/// The pin of a consumer: the given one, or the longest ID in its keys or its pattern.
fn pin_of<'m>(checker: &Checker<'m>, consumer: &Consumer) -> Result<Pin<'m>, String> {
    let manifest = checker.manifest;
    let unity = manifest.unity_sections().map(|section| section.pins);
    let pins = unity
        .into_iter()
        .chain(manifest.ecosystems.values())
        .flatten();
    let text = consumer.key.as_ref().or(consumer.pattern.as_ref());
    let text = text.map(|text| text.replace('\\', "")).unwrap_or_default();
    let mut best: Option<Pin<'m>> = None;
    for (id, version) in pins {
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
            let regex = regex.map_err(|error| format!("invalid pattern: {error}"))?;
            if regex.captures_len() == 2 {
                Ok(Selector::Pattern(regex))
            } else {
                Err("the pattern needs one capture group, which is the version".to_owned())
            }
        }
        _ => Err("a version in a file needs either `key` or `pattern`".to_owned()),
    }
}

/// `a."b.c".d` as keys.
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

fn matching_files(checker: &mut Checker<'_>, file: &str, place: &SourceSpan) -> Vec<String> {
    let glob = GlobBuilder::new(file).literal_separator(true).build();
    let matcher = match glob {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            let message = format!("invalid file pattern: {}", error.kind());
            let hint = "`*` matches within a folder, `**` across folders";
            checker
                .find(FindingRule::Consumer, place, message, hint)
                .found(file);
            return Vec::new();
        }
    };
    let mut files = checker.list(".", "").unwrap_or_default();
    files.retain(|path| matcher.is_match(path));
    files
}

fn select(
    checker: &mut Checker<'_>,
    path: &str,
    selector: &Selector,
    pin: Pin<'_>,
) -> Result<Vec<FoundVersion>, Reported> {
    let mut versions = Vec::new();
    match selector {
        Selector::Keys(keys) => {
            let root = match path.rsplit('.').next() {
                Some("toml" | "lock") => checker.parse(path, node::toml)?,
                Some("yaml" | "yml") => checker.parse(path, node::yaml)?,
                _ => checker.json(path)?,
            };
            if let Some(root) = root {
                let mut nodes = Vec::new();
                select_nodes(&root, keys, &mut nodes);
                versions.extend(nodes.into_iter().map(|node| version_of(node, pin)));
            }
        }
        Selector::Pattern(regex) => {
            let Some(source) = checker.open(path)? else {
                return Ok(versions);
            };
            for captures in regex.captures_iter(&source.text) {
                let (Some(all), Some(group)) = (captures.get(0), captures.get(1)) else {
                    continue;
                };
                if group.is_empty() {
                    continue;
                }
                // Only the whole of a replaced version must match again.
                let before = &source.text[all.start()..group.start()];
                let after = &source.text[group.end()..all.end()];
                let fixed = format!("{before}{}{after}", pin.version);
                let again = regex.captures(&fixed).and_then(|captures| captures.get(1));
                let is_stable = again.is_some_and(|group| group.as_str() == pin.version);
                versions.push(FoundVersion {
                    place: SourceSpan::new(&source, group.range()),
                    is_scalar: true,
                    may_replace: [false, is_stable],
                    needs_quotes: false,
                });
            }
        }
    }
    Ok(versions)
}

/// The values at a path of keys and indices, in which `*` is any.
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

fn version_of(node: &Node, pin: Pin<'_>) -> FoundVersion {
    let is_scalar = matches!(node.value, NodeValue::String(_) | NodeValue::Other);
    let inside = node.inside();
    // A number, or a text that reads as one, needs quotes.
    let is_number = matches!(node.value, NodeValue::Other) || pin.version.parse::<f64>().is_ok();
    FoundVersion {
        needs_quotes: inside.is_none() && is_number,
        place: SourceSpan::new(
            &node.place.source,
            inside.unwrap_or(node.place.span.clone()),
        ),
        is_scalar,
        // The anchor, alias or tag of a YAML value must stay.
        may_replace: [is_scalar && !node.place.text().starts_with(['&', '*', '!']); 2],
    }
}

fn compare(checker: &mut Checker<'_>, found: &FoundVersion, pin: Pin<'_>) {
    let Pin { id, version } = pin;
    let SourceSpan { source, span } = &found.place;
    let text = found.place.text();
    // `=1.2.3` and `==1.2.3` are exact, and keep their operator.
    let own = text.trim_start_matches(['=', ' ']);
    if own.trim_end() == version && found.is_scalar {
        return;
    }
    let is_exact = version::is_exact(own.trim_end()) && found.is_scalar;
    let (rule, message) = if is_exact {
        let message = format!("the version of `{id}` differs from its pin");
        (FindingRule::Version, message)
    } else {
        (FindingRule::Range, format!("`{id}` has no exact version"))
    };
    // Lock files contain checksums, so their own tool must write them.
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let is_lock = name.contains("lock") || matches!(name, "go.sum" | "npm-shrinkwrap.json");
    let (hint, may_replace) = if is_lock {
        let hint = "fix the file that declares it, then let its package manager write this one";
        (hint.to_owned(), false)
    } else {
        let manifest = &checker.source.path;
        let hint = format!("write `{version}`, or change the pin in `{manifest}`");
        (hint, found.may_replace[usize::from(is_exact)])
    };
    let edit = Edit {
        span: span.end - own.len()..span.end,
        text: if found.needs_quotes {
            quoted(version)
        } else {
            version.to_owned()
        },
    };
    checker
        .find(rule, &found.place, message, hint)
        .found(text)
        .expected(version)
        .fix(may_replace.then_some(edit));
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
