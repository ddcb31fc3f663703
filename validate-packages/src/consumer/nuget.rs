//! NuGet: project files, `Directory.Packages.props`, properties, `nuget.config`, and `packages.lock.json`.
//!
//! NuGet resolves a direct reference to `1.2.3` to that version, so it is exact, as is `[1.2.3]`.

mod sources;

use std::collections::HashMap;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind};

use roxmltree::{Attribute, Document, Node, ParsingOptions};

use super::origin::{ChosenRegistry, address};
use super::{Consumed, DeclaredChoice, DeclaredDependency, Lock, Locked, ReadConsumer};
use crate::checker::{Checker, Reported};
use crate::node;
use crate::source::{SourceFile, SourceSpan, TextPosition};
use crate::tree;

const CENTRAL: &str = "Directory.Packages.props";
/// Imported before and after a project file.
const BEFORE: &str = "Directory.Build.props";
const AFTER: &str = "Directory.Build.targets";
const LOCK: &str = "packages.lock.json";

/// Far more than a project file has: a tree takes fifty times the bytes of a file of empty elements.
const MAX_NODES: u32 = 1_000_000;
const MAX_DEPTH: u32 = 128;

/// A value in a project file.
type PlacedValue = (String, SourceSpan);

/// The files that determine the versions of one project.
struct NugetProject<'x> {
    source: &'x Rc<SourceFile>,
    /// The versions of `Directory.Packages.props` by id in lower case.
    central: HashMap<String, PlacedValue>,
    /// By name in lower case: MSBuild ignores case.
    properties: HashMap<String, PlacedValue>,
}

/// Reads a project, or a file of central versions.
pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let Some(source) = checker.open(path)? else {
        return Ok(None);
    };
    let own = parse(checker, &source)?;
    let (folder, mut files) = (tree::folder(path), Consumed::at(SourceSpan::start(&source)));
    let mut project = NugetProject {
        source: &source,
        central: HashMap::new(),
        properties: HashMap::new(),
    };
    files.redirects = project.shared(checker, folder, BEFORE)?;
    let is_central = path.ends_with(CENTRAL);
    if let Some(central) = if is_central {
        None
    } else {
        checker.open_nearest(folder, &[CENTRAL])?
    } {
        let document = parse(checker, &central)?;
        project.properties.extend(properties(&central, &document));
        project.central.extend(
            elements_named(&document, "PackageVersion").filter_map(|node| {
                let (id, _) = attribute(&central, node, "Include")?;
                Some((id.to_lowercase(), value(&central, node, "Version")?))
            }),
        );
    }
    project.properties.extend(properties(&source, &own));
    let item = if is_central {
        "PackageVersion"
    } else {
        "PackageReference"
    };
    files.declared = elements_named(&own, item)
        .filter_map(|node| project.declared(node))
        .collect();
    files
        .redirects
        .extend(project.shared(checker, folder, AFTER)?);
    let chosen = checker
        .manifest
        .pins_of(Kind::Nuget)
        .filter(|pin| super::is_chosen(consumer, *pin));
    let pinned = files.declared.iter().map(|declared| &*declared.id);
    let pinned = pinned.filter(|id| super::is_pinned(checker.manifest, Kind::Nuget, id));
    let ids: Vec<&str> = chosen.map(|pin| pin.id).chain(pinned).collect();
    files.registries = sources::read(checker, folder, &ids)?;
    files.registries.extend(project.restore_sources());
    // The lock file is optional: few projects have one.
    files.locks.extend(
        checker
            .json(&tree::join(folder, LOCK))?
            .map(|root| lock(&root)),
    );
    Ok(Some(files))
}

fn parse<'s>(checker: &mut Checker<'_>, source: &'s SourceFile) -> Result<Document<'s>, Reported> {
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&source.text, options).map_err(|error| {
        let (at, message) = (error.pos(), error.to_string());
        // The message ends with the position.
        let message = message
            .rsplit_once(" at ")
            .map_or(message.as_str(), |(message, _)| message);
        let position = TextPosition {
            line: at.row as usize,
            column: at.col as usize,
        };
        checker.broken(source, position, message)
    })?;
    match too_deep(&document) {
        Some(offset) => Err(checker.broken(
            source,
            source.position(offset),
            "maximum nesting depth exceeded",
        )),
        None => Ok(document),
    }
}

/// The first element that is nested too deeply.
fn too_deep(document: &Document<'_>) -> Option<usize> {
    // Elements are numbered in the order in which they begin.
    let mut depths: HashMap<u32, u32> = HashMap::new();
    document
        .descendants()
        .filter(Node::is_element)
        .find_map(|node| {
            let above = node
                .parent()
                .and_then(|parent| depths.get(&parent.id().get()))
                .copied()
                .unwrap_or(0);
            depths.insert(node.id().get(), above + 1);
            (above == MAX_DEPTH).then(|| node.range().start)
        })
}

fn elements_named<'d>(
    document: &'d Document<'_>,
    name: &str,
) -> impl Iterator<Item = Node<'d, 'd>> {
    document
        .descendants()
        .filter(move |node| node.tag_name().name() == name)
}

fn properties(source: &Rc<SourceFile>, document: &Document<'_>) -> Vec<(String, PlacedValue)> {
    let set = elements_named(document, "PropertyGroup")
        .flat_map(|group| group.children())
        .filter(Node::is_element);
    set.map(|node| (node.tag_name().name().to_lowercase(), content(source, node)))
        .collect()
}

/// A value of an element, given as an attribute or as a child element.
fn value(source: &Rc<SourceFile>, node: Node<'_, '_>, name: &str) -> Option<PlacedValue> {
    let child = || {
        node.children()
            .find(|child| child.tag_name().name() == name)
    };
    attribute(source, node, name).or_else(|| child().map(|child| content(source, child)))
}

/// An attribute, whose name MSBuild and NuGet compare without case.
fn attribute_named<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Attribute<'a, 'i>> {
    node.attributes()
        .find(|attribute| attribute.name().eq_ignore_ascii_case(name))
}

fn attribute(source: &Rc<SourceFile>, node: Node<'_, '_>, name: &str) -> Option<PlacedValue> {
    let found = attribute_named(node, name)?;
    Some((
        found.value().to_owned(),
        SourceSpan::new(source, found.range_value()),
    ))
}

/// The text of an element, without surrounding whitespace.
fn content(source: &Rc<SourceFile>, node: Node<'_, '_>) -> PlacedValue {
    let texts = node.children().filter(Node::is_text);
    let mut texts = texts.map(|child| (child.text().unwrap_or_default().trim(), child));
    let Some((text, child)) = texts.find(|(text, _)| !text.is_empty()) else {
        return (String::new(), SourceSpan::new(source, node.range()));
    };
    let raw = source.slice(&child.range());
    let start = child.range().end - raw.trim_start().len();
    (
        text.to_owned(),
        SourceSpan::new(source, start..start + raw.trim().len()),
    )
}

impl NugetProject<'_> {
    /// The properties of a file that MSBuild imports, and its references, which can change the project's.
    fn shared(
        &mut self,
        checker: &mut Checker<'_>,
        folder: &str,
        name: &str,
    ) -> Result<Vec<DeclaredDependency>, Reported> {
        let Some(source) = checker.open_nearest(folder, &[name])? else {
            return Ok(Vec::new());
        };
        let document = parse(checker, &source)?;
        self.properties.extend(properties(&source, &document));
        let shared = NugetProject {
            source: &source,
            central: HashMap::new(),
            properties: self.properties.clone(),
        };
        let has_version = |node: &Node<'_, '_>| value(&source, *node, "Version").is_some();
        let references = elements_named(&document, "PackageReference").filter(has_version);
        Ok(references
            .filter_map(|node| shared.declared(node))
            .collect())
    }

    fn declared(&self, node: Node<'_, '_>) -> Option<DeclaredDependency> {
        let include = attribute(self.source, node, "Include");
        let (id, id_place) = include
            .clone()
            .or_else(|| attribute(self.source, node, "Update"))?;
        let own = ["VersionOverride", "Version"]
            .iter()
            .find_map(|name| value(self.source, node, name));
        let (found, place) = match own.or_else(|| self.central.get(&id.to_lowercase()).cloned()) {
            Some((text, place)) => self.resolved(text.trim(), place),
            // `Update` may change metadata only.
            None => include.map(|_| ("no version".to_owned(), id_place))?,
        };
        Some(DeclaredDependency::new(&id, &found, choice(&found), &place))
    }

    /// The value of `$(Name)` and where it is set, which is where to fix it.
    fn resolved(&self, text: &str, place: SourceSpan) -> PlacedValue {
        let (mut text, mut place) = (text.to_owned(), place);
        // Properties may refer to others, or to themselves.
        for _ in 0..8 {
            let name = text
                .strip_prefix("$(")
                .and_then(|rest| rest.strip_suffix(')'));
            let Some(set) = name.and_then(|name| self.properties.get(&name.to_lowercase())) else {
                break;
            };
            (text, place) = set.clone();
        }
        (text, place)
    }
}

/// Properties with package sources, instead of or beside those of `nuget.config`.
const RESTORE: &[&str] = &[
    "restoresources",
    "restoreadditionalprojectsources",
    "restorefallbackfolders",
];

impl NugetProject<'_> {
    fn restore_sources(&self) -> Vec<ChosenRegistry> {
        let set = RESTORE.iter().filter_map(|name| self.properties.get(*name));
        let urls =
            set.flat_map(|(text, place)| text.split(';').map(move |url| (url.trim(), place)));
        // `$(RestoreSources)` keeps the sources so far.
        let urls =
            urls.filter(|(url, _)| !url.is_empty() && !url.to_lowercase().starts_with("$(restore"));
        urls.map(|(url, place)| {
            let (url, place) = self.resolved(url, place.clone());
            ChosenRegistry {
                url: address(&place.source, &url),
                place,
                serves: None,
            }
        })
        .collect()
    }
}

fn choice(text: &str) -> DeclaredChoice {
    let exact = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text)
        .trim();
    if exact.contains("$(") {
        return DeclaredChoice::Elsewhere("an undefined property");
    }
    DeclaredChoice::of_version(Kind::Nuget, exact)
}

fn lock(root: &node::Node) -> Lock {
    let entries = root
        .table(&["dependencies"])
        .iter()
        .flat_map(|framework| framework.node.entries());
    let locked = entries.filter_map(|entry| Locked::new(&entry.key, entry.node.get("resolved")?));
    Lock::read(root, locked.collect())
}
