//! Consumers: what each declares and locks, held against the pins.
//!
//! Each ecosystem's module reads its files into [`Consumed`]; everything after that is the same for all.
//! A dependency is *declared* where people write it, and *locked* where the package manager notes what it
//! resolved to.

mod asmdef;
mod cargo;
mod compare;
mod go;
mod npm;
mod nuget;
mod python;
mod unity;
mod xml;

use std::ops::Range;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Pin};

use self::compare::same;
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, Finding, Rule};
use crate::node::Node;
use crate::source::{Place, Source};
use crate::{tree, version};

/// How a declaration chooses a version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Exactly this one.
    Exact(String),
    /// Whatever fits.
    Range,
    /// Not by version: a short description of where it comes from instead.
    Elsewhere(&'static str),
    /// From a folder of the same project. Fine for everything that is not pinned.
    Local,
}

/// A dependency as a consumer declares it.
pub(crate) struct Declared {
    /// The library's id.
    pub id: String,
    /// What is written for its version.
    pub found: String,
    /// What that means.
    pub choice: Choice,
    /// Where it is written.
    pub place: Place,
    /// What stands before an exact version, such as `==`.
    pub prefix: &'static str,
    /// The bytes that `--fix` replaces, in files it can write.
    pub fix: Option<Range<usize>>,
}

/// A library as a lock file has it.
pub(crate) struct Locked {
    pub id: String,
    pub version: String,
    pub place: Place,
}

/// What the lock file says.
pub(crate) enum Lock {
    /// Nobody expects one.
    None,
    /// It should be at this path.
    Absent(String),
    /// It is there.
    Read(Rc<Source>, Vec<Locked>),
}

/// What a consumer's files say.
pub(crate) struct Consumed {
    pub declared: Vec<Declared>,
    /// Where a missing dependency would be declared.
    pub section: Place,
    /// How `--fix` adds one there, in files where that is certain.
    pub insertion: Option<Insertion>,
    pub lock: Lock,
}

/// How one more `"id": "version"` is written into a JSON object that has some.
pub(crate) struct Insertion {
    pub at: usize,
    /// From the end of the last member to the new key: a comma and blanks.
    pub before: String,
    /// From the key to its value: a colon and blanks.
    pub between: String,
}

/// A pin that a consumer is held against.
pub(crate) struct Wanted<'m> {
    pub pin: Pin<'m>,
    /// Whether it must be declared; if not, it must only agree where it is.
    pub required: bool,
}

/// Checks all consumers, and that every pin has one.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut consumers: Vec<(Place, Consumer)> = Vec::new();
    for (index, consumer) in checker.manifest.consumers.iter().enumerate() {
        let place = checker.place(&["consumers", &index.to_string(), "path"]);
        consumers.push((place, consumer.clone()));
    }
    if !consumers.iter().any(|(_, consumer)| consumer.kind == Kind::Unity) {
        consumers.extend(unity::discover(checker));
    }
    without_consumer(checker, &consumers);
    for (index, (place, consumer)) in consumers.iter().enumerate() {
        check_one(checker, index, place, consumer);
    }
    asmdef::check(checker, consumers.iter().map(|(_, consumer)| consumer));
}

/// Green must never mean that nothing was compared.
fn without_consumer(checker: &mut Checker<'_>, consumers: &[(Place, Consumer)]) {
    let sections = [(Kind::Unity, vec!["packages"])];
    let others = checker.manifest.ecosystems.keys().filter(|kind| **kind != Kind::Unity);
    let others = others.map(|&kind| (kind, vec!["ecosystems", kind.name()]));
    for (kind, section) in sections.into_iter().chain(others).collect::<Vec<_>>() {
        let used = consumers.iter().any(|(_, consumer)| consumer.kind == kind);
        if !used && checker.manifest.pins_of(kind).next().is_some() {
            let message = format!("no consumer uses the pins of `{kind}`");
            let finding = Finding::new(Rule::Consumer, &checker.key_place(&section), message);
            checker.find(
                finding.hint(format!("add `{{\"kind\": \"{kind}\", \"path\": \"…\"}}` to `consumers`")),
            );
        }
    }
}

fn check_one(checker: &mut Checker<'_>, index: usize, place: &Place, consumer: &Consumer) {
    let Some(path) = tree::resolve(".", &consumer.path).filter(|_| !consumer.path.contains('\\')) else {
        let finding = Finding::new(Rule::Consumer, place, "a consumer's path must stay in the project");
        checker.find(finding.found(&consumer.path).hint("write it from the project's root, with `/`"));
        return;
    };
    if consumer.asmdefs.is_some() && consumer.kind != Kind::Unity {
        let place = checker.key_place(&["consumers", &index.to_string(), "asmdefs"]);
        let message = format!("`{}` projects have no assembly definitions", consumer.kind);
        checker.find(Finding::new(Rule::Consumer, &place, message).hint("remove `asmdefs`"));
    }
    let wanted = wanted(checker, index, consumer);
    // Whatever could not be read is in the report.
    if let Ok(files) = read(checker, &path, consumer) {
        match files {
            Some(files) => compare::compare(checker, consumer, &wanted, &files),
            None => checker.find(absent(place, consumer)),
        }
    }
}

fn absent(place: &Place, consumer: &Consumer) -> Finding {
    let hint = match consumer.kind {
        Kind::Unity => "name the folder that holds `Packages/manifest.json`, or remove the consumer",
        _ => "name the file that declares the dependencies, or remove the consumer",
    };
    Finding::new(Rule::Consumer, place, "this consumer does not exist").found(&consumer.path).hint(hint)
}

fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> Result<Option<Consumed>, Reported> {
    match consumer.kind {
        Kind::Unity => unity::read(checker, path, consumer),
        Kind::Cargo => cargo::read(checker, path, consumer),
        Kind::Npm => npm::read(checker, path, consumer),
        Kind::Python => python::read(checker, path, consumer),
        Kind::Go => go::read(checker, path, consumer),
        Kind::Nuget => nuget::read(checker, path),
    }
}

/// The pins for one consumer. A pin that is not exact is a finding already and cannot be compared with.
fn wanted<'m>(checker: &mut Checker<'m>, index: usize, consumer: &Consumer) -> Vec<Wanted<'m>> {
    let (manifest, kind) = (checker.manifest, consumer.kind);
    let chosen = consumer.packages.as_deref();
    for (at, id) in chosen.unwrap_or_default().iter().enumerate() {
        if !manifest.pins_of(kind).any(|pin| same(kind, pin.id, id)) {
            let place = checker.place(&["consumers", &index.to_string(), "packages", &at.to_string()]);
            let finding = Finding::new(Rule::Consumer, &place, format!("`{id}` is not pinned for `{kind}`"));
            checker.find(finding.found(id).hint("pin it, or remove it here"));
        }
    }
    let is_chosen =
        |pin: &Pin<'_>| chosen.is_none_or(|chosen| chosen.iter().any(|id| same(kind, pin.id, id)));
    let pins = manifest.pins_of(kind).map(|pin| Wanted { required: is_chosen(&pin), pin });
    let extra = if kind == Kind::Unity { unity::extra(manifest) } else { Vec::new() };
    pins.chain(extra).filter(|wanted| version::is_exact(kind, wanted.pin.version)).collect()
}

impl Insertion {
    /// After the last member of an object, set as that one is; `None` when it has none.
    fn after_last(source: &Source, object: &Node) -> Option<Self> {
        let last = object.entries().last()?;
        Some(Self {
            at: last.node.span.end,
            before: format!(",{}", source.blanks_before(last.at.start)),
            between: source.slice(&(last.at.end..last.node.span.start)).to_owned(),
        })
    }

    fn edit(&self, pin: Pin<'_>) -> Edit {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let text = format!("{}{}{}{}", self.before, quoted(pin.id), self.between, quoted(pin.version));
        Edit { span: self.at..self.at, text }
    }
}
