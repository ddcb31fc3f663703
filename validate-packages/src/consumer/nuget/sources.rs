//! The package sources of `nuget.config`: files of a folder and its parents, the nearest first.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use roxmltree::Node;

use super::{attribute, attribute_named, elements_named, parse};
use crate::checker::{Checker, Reported};
use crate::consumer::origin::{ChosenRegistry, address};
use crate::source::{SourceFile, SourceSpan};
use crate::tree;

/// NuGet accepts these spellings where names of files have a case.
const NAMES: &[&str] = &["nuget.config", "NuGet.config", "NuGet.Config"];

/// A source, with its key in lower case.
struct Feed {
    key: String,
    url: String,
    place: SourceSpan,
}

/// All sources that are enabled and may serve one of some packages.
pub(super) fn read(
    checker: &mut Checker<'_>,
    folder: &str,
    ids: &[&str],
) -> Result<Vec<ChosenRegistry>, Reported> {
    let (mut feeds, mut disabled, mut mapped) = (Vec::new(), HashSet::new(), Vec::new());
    let (mut is_cleared, mut is_mapped) = (false, false);
    for folder in tree::ancestors(folder) {
        let Some(source) = checker.open_first(folder, NAMES)? else {
            continue;
        };
        let document = parse(checker, &source)?;
        let section = |name| {
            elements_named(&document, name)
                .flat_map(|section| section.children())
                .filter(Node::is_element)
        };
        // `clear` removes what files further up add.
        if !is_cleared {
            feeds.extend(section("packageSources").filter_map(|node| feed(&source, node)));
        }
        is_cleared |= section("packageSources").any(|node| node.tag_name().name() == "clear");
        let is_on = |node: &Node<'_, '_>| text(node, "value").eq_ignore_ascii_case("true");
        disabled.extend(
            section("disabledPackageSources")
                .filter(is_on)
                .map(|node| text(&node, "key").to_lowercase()),
        );
        feeds.extend(section("fallbackPackageFolders").filter_map(|node| feed(&source, node)));
        if !is_mapped {
            let sources = section("packageSourceMapping")
                .filter(|node| node.tag_name().name() == "packageSource");
            mapped.extend(sources.flat_map(|node| patterns(&node)));
        }
        is_mapped |= section("packageSourceMapping").any(|node| node.tag_name().name() == "clear");
    }
    feeds.retain(|feed| !disabled.contains(&feed.key));
    Ok(registries(feeds, &mapped, ids))
}

fn text<'x>(node: &Node<'x, '_>, name: &str) -> &'x str {
    attribute_named(*node, name)
        .map(|attribute| attribute.value())
        .unwrap_or_default()
}

fn feed(source: &Rc<SourceFile>, node: Node<'_, '_>) -> Option<Feed> {
    let (url, place) =
        attribute(source, node, "value").filter(|_| node.tag_name().name() == "add")?;
    Some(Feed {
        key: text(&node, "key").to_lowercase(),
        url: address(source, &url),
        place,
    })
}

/// The key of a source, and the patterns of the packages that it serves.
fn patterns(node: &Node<'_, '_>) -> Vec<(String, String)> {
    let key = text(node, "key").to_lowercase();
    let packages = node
        .children()
        .filter(|child| child.tag_name().name() == "package");
    packages
        .map(|package| (key.clone(), text(&package, "pattern").to_lowercase()))
        .collect()
}

/// The sources with the packages that each may serve: with a mapping, one of the packages for which no pattern is longer than its own.
fn registries(feeds: Vec<Feed>, mapped: &[(String, String)], ids: &[&str]) -> Vec<ChosenRegistry> {
    let mut keys: HashMap<&str, Vec<&str>> = HashMap::new();
    for (key, pattern) in mapped {
        keys.entry(pattern).or_default().push(key);
    }
    let mut by_key: HashMap<&str, &str> = HashMap::new();
    for id in ids {
        let lower = id.to_lowercase();
        let ends = lower
            .char_indices()
            .map(|(at, _)| at)
            .chain([lower.len()])
            .rev();
        let prefixes = ends.map(|end| format!("{}*", &lower[..end]));
        let longest = std::iter::once(lower.clone())
            .chain(prefixes)
            .find_map(|pattern| keys.get(pattern.as_str()));
        for key in longest.into_iter().flatten() {
            by_key.entry(key).or_insert(id);
        }
    }
    let registry = |Feed { key, url, place }: Feed| {
        let serves = by_key.get(key.as_str()).map(|id| (*id).to_owned());
        (mapped.is_empty() || serves.is_some()).then_some(ChosenRegistry { url, place, serves })
    };
    feeds.into_iter().filter_map(registry).collect()
}
