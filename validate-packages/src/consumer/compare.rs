//! Compares the declarations and locks of a consumer with its pins, in the same way for every ecosystem.

use std::collections::{HashMap, HashSet};

use perf_model::packages::{Consumer, Kind, Pin};

use super::{AppliedPin, Consumed, DeclaredChoice, DeclaredDependency, Lock, Locked, origin};
use crate::checker::Checker;
use crate::consumer::names::{matches, normal};
use crate::finding::{Edit, FindingRule};
use crate::source::SourceSpan;

/// Reports every disagreement of one consumer.
pub(super) fn compare(
    checker: &mut Checker<'_>,
    consumer: &Consumer,
    wanted: &[AppliedPin<'_>],
    files: &Consumed,
) {
    let kind = consumer.kind;
    // Of pins of the same library, the first counts.
    let pins: HashMap<String, Pin<'_>> = wanted
        .iter()
        .rev()
        .map(|wanted| (normal(kind, wanted.pin.id), wanted.pin))
        .collect();
    declarations(checker, consumer, &pins, files);
    let declared = ids(kind, files.declared.iter().map(|declared| &*declared.id));
    let is_declared = |pin: Pin<'_>| declared.contains(&normal(kind, pin.id));
    for &AppliedPin { pin, .. } in wanted
        .iter()
        .filter(|wanted| wanted.required && !is_declared(wanted.pin))
    {
        let hint = format!("add `{}` to `{}`", line(pin), files.section.source.path);
        let message = format!("`{}` is pinned but not declared", pin.id);
        let fix = files
            .insertion
            .as_ref()
            .map(|insertion| insertion.edit(pin));
        checker
            .find(FindingRule::Missing, &files.section, message, hint)
            .expected(pin.version)
            .fix(fix);
    }
    let in_use = wanted
        .iter()
        .filter(|wanted| wanted.required || is_declared(wanted.pin));
    let in_use: Vec<Pin<'_>> = in_use.map(|wanted| wanted.pin).collect();
    let used = ids(kind, in_use.iter().map(|pin| pin.id));
    for redirect in &files.redirects {
        let id = normal(kind, &redirect.id);
        if let Some(pin) = pins.get(&id).filter(|_| used.contains(&id)) {
            declares(checker, redirect, *pin);
        }
    }
    origin::check(checker, consumer, &in_use, &files.registries);
    for lock in &files.locks {
        locks(checker, &in_use, files, lock);
    }
}

/// Compares what people write with the pins.
fn declarations(
    checker: &mut Checker<'_>,
    consumer: &Consumer,
    pins: &HashMap<String, Pin<'_>>,
    files: &Consumed,
) {
    let kind = consumer.kind;
    let pinned = ids(kind, checker.manifest.pins_of(kind).map(|pin| pin.id));
    // A redirect to one version makes a range exact; one to a folder makes a dependency a part of the project.
    let (mut exact, mut local) = (HashSet::new(), HashSet::new());
    for redirect in &files.redirects {
        match &redirect.choice {
            DeclaredChoice::Exact(version) => {
                exact.insert((normal(kind, &redirect.id), version.as_str()));
            }
            DeclaredChoice::Local => drop(local.insert(normal(kind, &redirect.id))),
            DeclaredChoice::Range | DeclaredChoice::Elsewhere(_) => {}
        }
    }
    for declared in &files.declared {
        let id = normal(kind, &declared.id);
        match pins.get(&id) {
            Some(pin) if declared.has_version() && exact.contains(&(id.clone(), pin.version)) => {}
            Some(pin) => declares(checker, declared, *pin),
            // A pin that is not exact has its own finding.
            None if pinned.contains(&id) || local.contains(&id) => {}
            None if declared.choice == DeclaredChoice::Local => {}
            None if consumer
                .ignore
                .iter()
                .any(|pattern| matches(kind, pattern, &declared.id)) => {}
            None => {
                let message = format!("`{}` is declared but not pinned", declared.id);
                let hint = format!(
                    "pin it in `{}`, or add it to the consumer's `ignore`",
                    checker.source.path
                );
                checker
                    .find(FindingRule::Unpinned, &declared.place, message, hint)
                    .found(&declared.found);
            }
        }
    }
}

fn declares(checker: &mut Checker<'_>, declared: &DeclaredDependency, pin: Pin<'_>) {
    let id = pin.id;
    let (rule, message) = match &declared.choice {
        DeclaredChoice::Exact(version) if version == pin.version => return,
        DeclaredChoice::Exact(_) => (
            FindingRule::Version,
            format!("the version of `{id}` differs from its pin"),
        ),
        DeclaredChoice::Range => (FindingRule::Range, format!("`{id}` has no exact version")),
        DeclaredChoice::Elsewhere(origin) => (
            FindingRule::Origin,
            format!("`{id}` comes from {origin} instead of its pinned release"),
        ),
        DeclaredChoice::Local => (
            FindingRule::Origin,
            format!("`{id}` comes from a folder instead of its pinned release"),
        ),
    };
    let expected = format!(
        "{}{}",
        declared.prefix.unwrap_or(operator(pin.kind)),
        pin.version
    );
    // An origin cannot be replaced by a version in place: the whole declaration must change.
    let write = match rule {
        FindingRule::Origin if declared.fix.is_none() => {
            format!("declare it as `{}` instead", line(pin))
        }
        _ => format!("write `{expected}`"),
    };
    let hint = format!("{write}, or change the pin in `{}`", checker.source.path);
    let fix = declared.fix.clone().map(|span| Edit {
        span,
        text: expected.clone(),
    });
    checker
        .find(rule, &declared.place, message, hint)
        .found(&declared.found)
        .expected(expected)
        .fix(fix);
}

fn locks(checker: &mut Checker<'_>, pins: &[Pin<'_>], files: &Consumed, lock: &Lock) {
    let (source, entries) = match lock {
        Lock::Absent(path) => {
            let hint = "commit it, or set `\"lock\": false` on this consumer";
            let place = SourceSpan::start(&files.section.source);
            checker
                .find(FindingRule::Lock, &place, "the lock file is missing", hint)
                .expected(path);
            return;
        }
        Lock::Read(source, entries) => (source, entries),
    };
    let Some(kind) = pins.first().map(|pin| pin.kind) else {
        return;
    };
    let mut by_id: HashMap<String, Vec<&Locked>> = HashMap::new();
    for entry in entries {
        by_id
            .entry(normal(kind, &entry.id))
            .or_default()
            .push(entry);
    }
    for &pin in pins {
        let locked = by_id
            .get(&normal(kind, pin.id))
            .cloned()
            .unwrap_or_default();
        let hint = relock(pin, &source.path);
        let pinned = locked.iter().filter(|entry| entry.version == pin.version);
        for origin in pinned.filter_map(|entry| entry.origin.as_ref()) {
            origin::check_locked(checker, pin, origin, &hint);
        }
        if locked.iter().any(|entry| entry.version == pin.version) {
            continue;
        }
        if locked.is_empty() {
            let message = format!("`{}` is pinned but not locked", pin.id);
            checker
                .find(
                    FindingRule::Lock,
                    &SourceSpan::start(source),
                    message,
                    &hint,
                )
                .expected(pin.version);
        }
        for entry in locked {
            let message = format!("the locked version of `{}` differs from its pin", pin.id);
            checker
                .find(FindingRule::Lock, &entry.place, message, &hint)
                .found(&entry.version)
                .expected(pin.version);
        }
    }
}

/// The operator before an exact version.
const fn operator(kind: Kind) -> &'static str {
    match kind {
        Kind::Cargo => "=",
        Kind::Python => "==",
        _ => "",
    }
}

/// The line that declares a pin.
fn line(Pin { kind, id, version }: Pin<'_>) -> String {
    match kind {
        Kind::Unity | Kind::Npm | Kind::Markdown | Kind::Script => {
            format!("\"{id}\": \"{version}\"")
        }
        Kind::Cargo => format!("{id} = \"={version}\""),
        Kind::Python => format!("{id}=={version}"),
        Kind::Go => format!("require {id} {version}"),
        Kind::Nuget => format!("<PackageReference Include=\"{id}\" Version=\"{version}\" />"),
    }
}

/// Lock files contain checksums, so their own tool must write them.
fn relock(Pin { kind, id, version }: Pin<'_>, path: &str) -> String {
    match kind {
        Kind::Unity | Kind::Markdown | Kind::Script => super::unity::RESOLVE.to_owned(),
        Kind::Cargo => {
            format!("fix `Cargo.toml`, then run `cargo update {id} --precise {version}`")
        }
        Kind::Npm => {
            let tool = match path.rsplit('/').next() {
                Some("yarn.lock") => "yarn",
                Some("pnpm-lock.yaml") => "pnpm",
                _ => "npm",
            };
            format!("fix `package.json`, then run `{tool} install`")
        }
        Kind::Python if path.ends_with("poetry.lock") => {
            "fix `pyproject.toml`, then run `poetry lock`".to_owned()
        }
        Kind::Python => "fix `pyproject.toml`, then run `uv lock`".to_owned(),
        Kind::Go => "fix `go.mod`, then run `go mod tidy`".to_owned(),
        Kind::Nuget => "fix the project, then run `dotnet restore --force-evaluate`".to_owned(),
    }
}

/// Ids in the form in which they are compared.
pub(super) fn ids<'i>(kind: Kind, ids: impl Iterator<Item = &'i str>) -> HashSet<String> {
    ids.map(|id| normal(kind, id)).collect()
}
