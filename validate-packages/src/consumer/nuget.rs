//! NuGet: project files, `Directory.Packages.props`, properties, and `packages.lock.json`.
//!
//! NuGet resolves a plain `1.2.3` on a direct reference to that very version, so it counts as exact, as
//! `[1.2.3]` does; `1.*` and real ranges do not.

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

/// A project file's text and elements.
struct Document {
    source: Rc<Source>,
    elements: Vec<Element>,
}

/// Everything that decides on one project's versions.
struct Project {
    own: Document,
    /// The versions of `Directory.Packages.props`: id in lower case, as written and where.
    central: HashMap<String, (String, Place)>,
    /// Names in lower case, as MSBuild compares them; each with where it is set.
    properties: HashMap<String, (String, Place)>,
}

/// Reads a project, or central versions by themselves; `None` when there is none.
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
    /// What an element says under a name, as an attribute or as an element within it.
    fn value(&self, index: usize, names: &[&str]) -> Option<&Text> {
        let element = self.elements.get(index)?;
        // What is within an element directly follows it.
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
            // An update of metadata alone says nothing about versions.
            element.attribute("Include")?;
            let place = Place::new(&self.own.source, id.span.clone());
            return Some(declared(id, "no version", place, Choice::Range));
        };
        let (value, place) = self.resolved(text.trim(), place);
        let choice = choice(&value);
        Some(declared(id, &value, place, choice))
    }

    /// The value of `$(Name)`, and where it is set: that is where it is mended.
    fn resolved(&self, text: &str, place: Place) -> (String, Place) {
        let (mut text, mut place) = (text.to_owned(), place);
        // A property may name another; one that names itself ends here as well.
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
        exact if exact.contains("$(") => {
            Choice::Elsewhere("a property that is not set in the project's files")
        }
        _ => Choice::Range,
    }
}

/// Few projects keep this lock file, so it is not missed.
fn lock(checker: &mut Checker<'_>, folder: &str) -> Result<Lock, Reported> {
    let Some(source) = checker.open(&tree::join(folder, LOCK))? else { return Ok(Lock::None) };
    let root = checker.json(&source)?;
    let frameworks = root.get("dependencies").map_or(&[][..], Node::entries);
    let entries = frameworks.iter().flat_map(|framework| framework.node.entries());
    let locked = entries.filter_map(|entry| {
        let version = entry.node.get("resolved")?;
        let place = Place::new(&source, version.span.clone());
        Some(Locked { id: entry.key.clone(), version: version.text()?.to_owned(), place })
    });
    let locked = locked.collect();
    Ok(Lock::Read(Rc::clone(&source), locked))
}
