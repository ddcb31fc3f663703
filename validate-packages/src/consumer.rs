//! Consumers: compares what each declares and locks with the pins.
//!
//! Each ecosystem's module reads its files into [`Consumed`]; the comparison is the same for all. A dependency
//! is *declared* where people write it, and *locked* where the package manager records the resolved version.

mod asmdef;
mod cargo;
mod compare;
mod go;
mod markdown;
mod names;
mod npm;
mod nuget;
mod origin;
mod python;
mod script;
mod unity;
mod unlisted;

use std::ops::Range;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Manifest, Pin};

use self::names::normal;
use self::origin::{ChosenRegistry, LockOrigin};
use crate::checker::{Checker, Reported};
use crate::finding::{Edit, FindingRule, quoted};
use crate::node::{Node, ObjectEntry};
use crate::source::{SourceFile, SourceSpan};
use crate::{tree, version};

/// The version or origin that a declaration chooses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DeclaredChoice {
    Exact(String),
    /// Any version in a range.
    Range,
    /// No version, but this kind of origin.
    Elsewhere(&'static str),
    /// A folder of the same project, which is allowed for what is not pinned.
    Local,
}

impl DeclaredChoice {
    /// A version if it is exact, and any other text as a range.
    fn of_version(kind: Kind, text: &str) -> Self {
        if version::is_exact(kind, text) {
            Self::Exact(text.to_owned())
        } else {
            Self::Range
        }
    }
}

/// A dependency as a consumer declares it.
pub(crate) struct DeclaredDependency {
    pub id: String,
    /// The version as written.
    pub found: String,
    pub choice: DeclaredChoice,
    pub place: SourceSpan,
    /// The operator before an exact version, where it is not that of the ecosystem.
    pub prefix: Option<&'static str>,
    /// The bytes that `--fix` replaces, in files it can write.
    pub fix: Option<Range<usize>>,
}

impl DeclaredDependency {
    fn new(id: &str, found: &str, choice: DeclaredChoice, place: &SourceSpan) -> Self {
        Self {
            id: id.to_owned(),
            found: found.to_owned(),
            choice,
            place: place.clone(),
            prefix: None,
            fix: None,
        }
    }

    /// A dependency that comes from another origin, wherever that is written.
    fn elsewhere(id: &str, found: &str, what: &'static str, place: &SourceSpan) -> Self {
        Self::new(id, found, DeclaredChoice::Elsewhere(what), place)
    }

    fn has_version(&self) -> bool {
        matches!(
            self.choice,
            DeclaredChoice::Exact(_) | DeclaredChoice::Range
        )
    }

    /// Lets `--fix` replace these bytes, if it is a version that is written there.
    fn fixed_at(self, span: Option<Range<usize>>) -> Self {
        Self {
            fix: span.filter(|_| self.has_version()),
            ..self
        }
    }
}

/// A library in a lock file.
pub(crate) struct Locked {
    pub id: String,
    pub version: String,
    pub place: SourceSpan,
    /// The origin, in files that have it.
    pub origin: Option<LockOrigin>,
}

/// A lock file of a consumer.
pub(crate) enum Lock {
    /// Expected at this path.
    Absent(String),
    Read(Rc<SourceFile>, Vec<Locked>),
}

impl Lock {
    fn read(root: &Node, locked: Vec<Locked>) -> Self {
        Self::Read(Rc::clone(&root.place.source), locked)
    }
}

/// The files of a consumer.
pub(crate) struct Consumed {
    pub declared: Vec<DeclaredDependency>,
    /// Versions and origins that replace those of the declarations, such as Cargo's `[patch]`.
    pub redirects: Vec<DeclaredDependency>,
    pub registries: Vec<ChosenRegistry>,
    /// The place for a missing dependency.
    pub section: SourceSpan,
    /// The way in which `--fix` adds one there, if it can.
    pub insertion: Option<Insertion>,
    pub locks: Vec<Lock>,
}

/// The files of a consumer; `None` if it does not exist.
pub(crate) type ReadConsumer = Result<Option<Consumed>, Reported>;

impl Consumed {
    /// Creates an empty one, at the section of dependencies or else at the start of the file with this tree.
    fn of(root: &Node, section: Option<&ObjectEntry>) -> Self {
        Self::at(section.map_or_else(
            || SourceSpan::start(&root.place.source),
            |entry| entry.at.clone(),
        ))
    }

    fn at(section: SourceSpan) -> Self {
        Self {
            declared: Vec::new(),
            redirects: Vec::new(),
            registries: Vec::new(),
            section,
            insertion: None,
            locks: Vec::new(),
        }
    }

    /// A registry; `serves` is the only package that comes from it, as in `ignore`.
    fn registry(&mut self, url: impl Into<String>, place: &SourceSpan, serves: Option<String>) {
        self.registries.push(ChosenRegistry {
            url: url.into(),
            place: place.clone(),
            serves,
        });
    }
}

/// A place for `"id": "version"` in a JSON object that is not empty.
pub(crate) struct Insertion {
    last: SourceSpan,
    /// Between the key and its value: a colon and whitespace.
    between: String,
}

/// A pin that applies to a consumer.
pub(crate) struct AppliedPin<'m> {
    pub pin: Pin<'m>,
    /// True if it must be declared; otherwise it must agree where it is declared.
    pub required: bool,
}

/// Checks all consumers, and that every pin has one.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut consumers: Vec<(SourceSpan, Consumer)> = Vec::new();
    for (index, consumer) in checker.manifest.consumers.iter().enumerate() {
        let place = checker.place(&["consumers", &index.to_string(), "path"]);
        consumers.push((place, consumer.clone()));
    }
    if !consumers
        .iter()
        .any(|(_, consumer)| consumer.kind == Kind::Unity)
    {
        consumers.extend(unity::discover(checker));
    }
    without_consumer(checker, &consumers);
    for (index, (place, consumer)) in consumers.iter().enumerate() {
        check_one(checker, index, place, consumer);
    }
    asmdef::check(checker, consumers.iter().map(|(_, consumer)| consumer));
    unlisted::check(checker);
}

/// Pins without a consumer would pass without being compared.
fn without_consumer(checker: &mut Checker<'_>, consumers: &[(SourceSpan, Consumer)]) {
    let sections = [(Kind::Unity, vec!["packages"])];
    let others = checker
        .manifest
        .ecosystems
        .keys()
        .filter(|kind| **kind != Kind::Unity);
    let others = others.map(|&kind| (kind, vec!["ecosystems", kind.name()]));
    for (kind, section) in sections.into_iter().chain(others).collect::<Vec<_>>() {
        let of_kind = || {
            consumers
                .iter()
                .map(|(_, consumer)| consumer)
                .filter(|consumer| consumer.kind == kind)
        };
        if of_kind().next().is_none() && checker.manifest.pins_of(kind).next().is_some() {
            let message = format!("no consumer uses the pins of `{kind}`");
            let hint = format!("add `{{\"kind\": \"{kind}\", \"path\": \"…\"}}` to `consumers`");
            checker.find(
                FindingRule::Consumer,
                &checker.key_place(&section),
                message,
                hint,
            );
            continue;
        }
        let is_unused = |pin: &Pin<'_>| !of_kind().any(|consumer| is_chosen(consumer, *pin));
        for pin in checker.manifest.pins_of(kind).filter(is_unused) {
            let message = format!("no consumer uses `{}`", pin.id);
            let hint = "add it to the `packages` of the consumer that uses it, or remove the pin";
            checker
                .find(
                    FindingRule::Consumer,
                    &checker.key_place(&[&section[..], &[pin.id]].concat()),
                    message,
                    hint,
                )
                .found(pin.id);
        }
    }
}

fn check_one(checker: &mut Checker<'_>, index: usize, place: &SourceSpan, consumer: &Consumer) {
    let Some(path) = tree::resolve(".", &consumer.path).filter(|_| !consumer.path.contains('\\'))
    else {
        let (message, hint) = (
            "the consumer's path is outside the project",
            "write it from the project root, with `/`",
        );
        checker
            .find(FindingRule::Consumer, place, message, hint)
            .found(&consumer.path);
        return;
    };
    unused_keys(checker, index, consumer);
    unpinned_packages(checker, index, consumer);
    let exists = if consumer.kind == Kind::Script {
        checker.compared.insert(path.clone());
        script::check(checker, &path, consumer)
    } else if consumer.kind == Kind::Markdown {
        markdown::check(checker, &path, consumer)
    } else {
        let wanted = applied_pins(checker.manifest, consumer);
        let files = read(checker, &path, consumer);
        if let Ok(Some(files)) = &files {
            let places = files
                .declared
                .iter()
                .chain(&files.redirects)
                .map(|declared| &declared.place);
            checker.compared.extend(
                places
                    .chain([&files.section])
                    .map(|place| place.source.path.clone()),
            );
            compare::compare(checker, consumer, &wanted, files);
        }
        // A file that cannot be read is in the report.
        !matches!(files, Ok(None))
    };
    if !exists {
        let hint = match consumer.kind {
            Kind::Unity => {
                "name the folder that contains `Packages/manifest.json`, or remove the consumer"
            }
            Kind::Markdown => "name the page with the table of versions, or remove the consumer",
            Kind::Script => "name the script that reads the manifest, or remove the consumer",
            _ => "name the file that declares the dependencies, or remove the consumer",
        };
        checker
            .find(FindingRule::Consumer, place, "consumer not found", hint)
            .found(&consumer.path);
    }
}

/// Keys that have no effect for this kind of consumer.
fn unused_keys(checker: &mut Checker<'_>, index: usize, consumer: &Consumer) {
    let (kind, is_script) = (consumer.kind, consumer.kind == Kind::Script);
    for (key, is_unused) in [
        ("asmdefs", consumer.asmdefs.is_some() && kind != Kind::Unity),
        ("mentions", !consumer.mentions.is_empty() && !is_script),
        ("packages", consumer.packages.is_some() && is_script),
        ("ignore", !consumer.ignore.is_empty() && is_script),
    ] {
        if is_unused {
            let message = format!("`{key}` has no effect for a `{kind}` consumer");
            let (path, hint) = (
                ["consumers", &index.to_string(), key],
                format!("remove `{key}`"),
            );
            checker.find(
                FindingRule::Consumer,
                &checker.key_place(&path),
                message,
                hint,
            );
        }
    }
}

/// Entries of `packages` that are no pins, mostly typos. A page can name the pins of every kind.
fn unpinned_packages(checker: &mut Checker<'_>, index: usize, consumer: &Consumer) {
    let (manifest, kind) = (checker.manifest, consumer.kind);
    let is_pin = |id: &str| match kind {
        Kind::Markdown => manifest
            .pins()
            .any(|pin| normal(pin.kind, pin.id) == normal(pin.kind, id)),
        // `packages` of a script has its own finding.
        Kind::Script => true,
        kind => is_pinned(manifest, kind, id),
    };
    for (at, id) in consumer
        .packages
        .iter()
        .flatten()
        .enumerate()
        .filter(|(_, id)| !is_pin(id))
    {
        let message = format!("`{id}` is not pinned for `{kind}`");
        let path = ["consumers", &index.to_string(), "packages", &at.to_string()];
        checker
            .find(
                FindingRule::Consumer,
                &checker.place(&path),
                message,
                "pin it, or remove it here",
            )
            .found(id);
    }
}

fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let reader = match consumer.kind {
        Kind::Unity => unity::read,
        Kind::Cargo => cargo::read,
        Kind::Npm => npm::read,
        Kind::Python => python::read,
        Kind::Go => go::read,
        Kind::Nuget => nuget::read,
        Kind::Markdown | Kind::Script => return Ok(None),
    };
    reader(checker, path, consumer)
}

/// The pins that apply to a consumer. One that is not exact has a finding and cannot be compared.
fn applied_pins<'m>(manifest: &'m Manifest, consumer: &Consumer) -> Vec<AppliedPin<'m>> {
    let kind = consumer.kind;
    let pins = manifest.pins_of(kind).map(|pin| AppliedPin {
        required: is_chosen(consumer, pin),
        pin,
    });
    let extra = if kind == Kind::Unity {
        unity::extra(manifest)
    } else {
        Vec::new()
    };
    pins.chain(extra)
        .filter(|wanted| version::is_exact(kind, wanted.pin.version))
        .collect()
}

/// True if a consumer has to declare a pin of its kind.
fn is_chosen(consumer: &Consumer, pin: Pin<'_>) -> bool {
    let mut chosen = consumer.packages.iter().flatten();
    consumer.packages.is_none() || chosen.any(|id| normal(pin.kind, id) == normal(pin.kind, pin.id))
}

/// True if a library is one of the compared pins.
fn is_pinned(manifest: &Manifest, kind: Kind, id: &str) -> bool {
    let pins = if kind == Kind::Unity {
        Some(&manifest.packages)
    } else {
        manifest.ecosystems.get(&kind)
    };
    let Some(pins) = pins else { return false };
    // Only these have several spellings of an id.
    let has_spellings = matches!(kind, Kind::Python | Kind::Nuget);
    pins.contains_key(id)
        || has_spellings && pins.keys().any(|own| normal(kind, own) == normal(kind, id))
}

impl Locked {
    fn new(id: &str, version: &Node) -> Option<Self> {
        let place = version.place.clone();
        Some(Self {
            id: id.to_owned(),
            version: version.text()?.to_owned(),
            place,
            origin: None,
        })
    }
}

impl Insertion {
    /// After the last member of an object, formatted like it; `None` for an empty object.
    fn after_last(object: &Node) -> Option<Self> {
        let (last, source) = (object.entries().last()?, &object.place.source);
        let (key, value) = (&last.at.span, &last.node.place.span);
        Some(Self {
            last: SourceSpan::new(source, key.start..value.end),
            between: source.slice(&(key.end..value.start)).to_owned(),
        })
    }

    fn edit(&self, pin: Pin<'_>) -> Edit {
        Edit::append(
            &self.last,
            &format!("{}{}{}", quoted(pin.id), self.between, quoted(pin.version)),
        )
    }
}
