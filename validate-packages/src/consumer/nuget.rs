//! NuGet: project files, `Directory.Packages.props`, properties, and `packages.lock.json`.
//!
//! NuGet resolves a direct reference to `1.2.3` to that version, so it is exact, as is `[1.2.3]`.

use std::collections::HashMap;
use std::rc::Rc;

use perf_model::packages::Kind;

use super::xml::{self, Element, Text};
use super::{Choice, Consumed, Declared, Lock, Locked};
use crate::checker::{Checker, Reported};
use crate::node::Node;
use crate::source::{Place, Source};
use crate::{tree, version};

const CENTRAL: &str = "Directory.Packages.props";
const SHARED: &str = "Directory.Build.props";
const LOCK: &str = "packages.lock.json";

/// A parsed project file.
struct Document {
    source: Rc<Source>,
    elements: Vec<Element>,
}

/// The files that determine the versions of one project.
struct Project {
    own: Document,
    /// The versions of `Directory.Packages.props` by id in lower case.
    central: HashMap<String, (String, Place)>,
    /// By name in lower case: MSBuild ignores case.
    properties: HashMap<String, (String, Place)>,
}

/// Reads a project, or a file of central versions; `None` when there is none.
pub(super) fn read(checker: &mut Checker<'_>, path: &str) -> Result<Option<Consumed>, Reported> {
    let Some(own) = document(checker, path)? else { return Ok(None) };
    let folder = tree::folder(path);
    let shared = nearest(checker, folder, SHARED)?;
    let central = if path.ends_with(CENTRAL) { None } else { nearest(checker, folder, CENTRAL)? };
    let mut properties = HashMap::new();
    for document in [shared.as_ref(), central.as_ref(), Some(&own)].into_iter().flatten() {
        properties.extend(set_by(document));
    }
    let central = central.as_ref().map(central_versions).unwrap_or_default();
    let project = Project { own, central, properties };
    let item = if path.ends_with(CENTRAL) { "PackageVersion" } else { "PackageReference" };
    let items = project.own.elements.iter().enumerate().filter(|(_, element)| element.name == item);
    let declared = items.filter_map(|(index, element)| project.declared(index, element)).collect();
    let section = Place::start(&project.own.source);
    let lock = lock(checker, folder)?;
    Ok(Some(Consumed { declared, section, insertion: None, lock }))
}

fn document(checker: &mut Checker<'_>, path: &str) -> Result<Option<Document>, Reported> {
    let Some(source) = checker.open(path)? else { return Ok(None) };
    let elements = xml::read(&source).map_err(|error| checker.syntax(&source, &error))?;
    Ok(Some(Document { source, elements }))
}

fn nearest(checker: &mut Checker<'_>, folder: &str, name: &str) -> Result<Option<Document>, Reported> {
    for folder in tree::ancestors(folder) {
        if let Some(document) = document(checker, &tree::join(folder, name))? {
            return Ok(Some(document));
        }
    }
    Ok(None)
}

fn set_by(document: &Document) -> impl Iterator<Item = (String, (String, Place))> {
    let is_group =
        |parent: usize| document.elements.get(parent).is_some_and(|element| element.name == "PropertyGroup");
    let set = document.elements.iter().filter(move |element| element.parent.is_some_and(is_group));
    set.map(|element| {
        let place = Place::new(&document.source, element.text.span.clone());
        (element.name.to_lowercase(), (element.text.text.clone(), place))
    })
}

fn central_versions(document: &Document) -> HashMap<String, (String, Place)> {
    let items = document.elements.iter().enumerate().filter(|(_, element)| element.name == "PackageVersion");
    let versions = items.filter_map(|(index, element)| {
        let version = document.value(index, &["Version"])?;
        let place = Place::new(&document.source, version.span.clone());
        Some((element.attribute("Include")?.text.to_lowercase(), (version.text.clone(), place)))
    });
    versions.collect()
}

impl Document {
    /// A value of an element, given as an attribute or as a child element.
    fn value(&self, index: usize, names: &[&str]) -> Option<&Text> {
        let element = self.elements.get(index)?;
        // Descendants directly follow their element.
        let within = || self.elements.iter().skip(index + 1).take_while(|inner| inner.parent >= Some(index));
        let inner = |name: &str| within().find(|inner| inner.parent == Some(index) && inner.name == name);
        names.iter().find_map(|name| element.attribute(name).or_else(|| inner(name).map(|inner| &inner.text)))
    }
}

impl Project {
    fn declared(&self, index: usize, element: &Element) -> Option<Declared> {
        let id = element.attribute("Include").or_else(|| element.attribute("Update"))?;
        let own = self.own.value(index, &["VersionOverride", "Version"]);
        let own = own.map(|text| (text.text.clone(), Place::new(&self.own.source, text.span.clone())));
        let Some((text, place)) = own.or_else(|| self.central.get(&id.text.to_lowercase()).cloned()) else {
            // `Update` may change metadata only.
            element.attribute("Include")?;
            let place = Place::new(&self.own.source, id.span.clone());
            return Some(declared(id, "no version", place, Choice::Range));
        };
        let (value, place) = self.resolved(text.trim(), place);
        let choice = choice(&value);
        Some(declared(id, &value, place, choice))
    }

    /// The value of `$(Name)` and where it is set, which is where to fix it.
    fn resolved(&self, text: &str, place: Place) -> (String, Place) {
        let (mut text, mut place) = (text.to_owned(), place);
        // Properties may refer to others, or to themselves.
        for _ in 0..8 {
            let name = text.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
            let Some((value, set)) = name.and_then(|name| self.properties.get(&name.to_lowercase())) else {
                break;
            };
            (text, place) = (value.clone(), set.clone());
        }
        (text, place)
    }
}

fn declared(id: &Text, found: &str, place: Place, choice: Choice) -> Declared {
    Declared { id: id.text.clone(), found: found.to_owned(), choice, place, prefix: "", fix: None }
}

fn choice(text: &str) -> Choice {
    let exact = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text).trim();
    match exact {
        exact if version::is_exact(Kind::Nuget, exact) => Choice::Exact(exact.to_owned()),
        exact if exact.contains("$(") => Choice::Elsewhere("an undefined property"),
        _ => Choice::Range,
    }
}

/// The lock file is optional: few projects have one.
fn lock(checker: &mut Checker<'_>, folder: &str) -> Result<Lock, Reported> {
    let Some(source) = checker.open(&tree::join(folder, LOCK))? else { return Ok(Lock::None) };
    let root = checker.json(&source)?;
    let frameworks = root.get("dependencies").map_or(&[][..], Node::entries);
    let entries = frameworks.iter().flat_map(|framework| framework.node.entries());
    let locked = entries.filter_map(|entry| Locked::new(&source, &entry.key, entry.node.get("resolved")?));
    let locked = locked.collect();
    Ok(Lock::Read(source, locked))
}
