//! What a consumer declares and locks, held against its pins: the same for every ecosystem.

use perf_model::packages::{Consumer, Kind, Pin};

use super::{Choice, Consumed, Declared, Lock, Locked, Wanted};
use crate::checker::Checker;
use crate::finding::{Edit, Finding, Rule};
use crate::source::Place;

/// Reports every disagreement of one consumer.
pub(super) fn compare(
    checker: &mut Checker<'_>,
    consumer: &Consumer,
    wanted: &[Wanted<'_>],
    files: &Consumed,
) {
    let kind = consumer.kind;
    for declared in &files.declared {
        match wanted.iter().find(|wanted| same(kind, wanted.pin.id, &declared.id)) {
            Some(wanted) => declares(checker, declared, wanted.pin),
            None => unpinned(checker, consumer, declared),
        }
    }
    let is_declared = |pin: Pin<'_>| files.declared.iter().any(|declared| same(kind, pin.id, &declared.id));
    for Wanted { pin, .. } in wanted.iter().filter(|wanted| wanted.required && !is_declared(wanted.pin)) {
        let (line, file) = (line(*pin), &files.section.source.path);
        let finding =
            Finding::new(Rule::Missing, &files.section, format!("`{}` is pinned and not declared", pin.id));
        let fix = files.insertion.as_ref().map(|insertion| insertion.edit(*pin));
        checker.find(finding.expected(pin.version).hint(format!("add `{line}` to `{file}`")).fix(fix));
    }
    let in_use =
        wanted.iter().filter(|wanted| wanted.required || is_declared(wanted.pin)).map(|wanted| wanted.pin);
    lock(checker, &in_use.collect::<Vec<_>>(), files);
}

fn declares(checker: &mut Checker<'_>, declared: &Declared, pin: Pin<'_>) {
    let id = pin.id;
    let (rule, message) = match &declared.choice {
        Choice::Exact(version) if version == pin.version => return,
        Choice::Exact(_) => (Rule::Version, format!("`{id}` is declared at another version than its pin")),
        Choice::Range => (Rule::Range, format!("`{id}` may be any of several versions")),
        Choice::Elsewhere(from) => {
            (Rule::Origin, format!("`{id}` comes from {from}, not from its pinned release"))
        }
        Choice::Local => (Rule::Origin, format!("`{id}` comes from a folder, not from its pinned release")),
    };
    let expected = format!("{}{}", declared.prefix, pin.version);
    // What is not a version cannot be rewritten in place: the whole declaration must change.
    let write = match rule {
        Rule::Origin if declared.fix.is_none() => format!("declare it as `{}` instead", line(pin)),
        _ => format!("write `{expected}`"),
    };
    let hint = format!("{write}, or change the pin in `{}`", checker.source.path);
    let fix = declared.fix.clone().map(|span| Edit { span, text: expected.clone() });
    let finding = Finding::new(rule, &declared.place, message);
    checker.find(finding.found(&declared.found).expected(expected).hint(hint).fix(fix));
}

fn unpinned(checker: &mut Checker<'_>, consumer: &Consumer, declared: &Declared) {
    let ignored = consumer.ignore.iter().any(|pattern| matches(consumer.kind, pattern, &declared.id));
    // A library that another section pins loosely is a finding there.
    let pinned = checker.manifest.pins_of(consumer.kind).any(|pin| same(consumer.kind, pin.id, &declared.id));
    if ignored || pinned || declared.choice == Choice::Local {
        return;
    }
    let finding = Finding::new(
        Rule::Unpinned,
        &declared.place,
        format!("`{}` is declared and not pinned", declared.id),
    );
    let hint = format!(
        "pin it in `{}`, or add it to this consumer's `ignore` if it is not compared",
        checker.source.path
    );
    checker.find(finding.found(&declared.found).hint(hint));
}

fn lock(checker: &mut Checker<'_>, pins: &[Pin<'_>], files: &Consumed) {
    let (source, entries) = match &files.lock {
        Lock::None => return,
        Lock::Absent(path) => {
            let finding =
                Finding::new(Rule::Lock, &Place::start(&files.section.source), "there is no lock file");
            checker.find(finding.expected(path).hint("commit it, or set `\"lock\": false` on this consumer"));
            return;
        }
        Lock::Read(source, entries) => (source, entries),
    };
    for &pin in pins {
        let locked: Vec<&Locked> = entries.iter().filter(|entry| same(pin.kind, pin.id, &entry.id)).collect();
        if locked.iter().any(|entry| entry.version == pin.version) {
            continue;
        }
        let hint = relock(pin, &source.path);
        if locked.is_empty() {
            let finding = Finding::new(
                Rule::Lock,
                &Place::start(source),
                format!("`{}` is pinned and not locked", pin.id),
            );
            checker.find(finding.expected(pin.version).hint(&hint));
        }
        for entry in locked {
            let finding = Finding::new(
                Rule::Lock,
                &entry.place,
                format!("`{}` is locked at another version than its pin", pin.id),
            );
            checker.find(finding.found(&entry.version).expected(pin.version).hint(&hint));
        }
    }
}

/// What a person would write to declare a pin.
fn line(Pin { kind, id, version }: Pin<'_>) -> String {
    match kind {
        Kind::Unity | Kind::Npm => format!("\"{id}\": \"{version}\""),
        Kind::Cargo => format!("{id} = \"={version}\""),
        Kind::Python => format!("{id}=={version}"),
        Kind::Go => format!("require {id} {version}"),
        Kind::Nuget => format!("<PackageReference Include=\"{id}\" Version=\"{version}\" />"),
    }
}

/// Lock files hold checksums, so their own tool must write them.
fn relock(Pin { kind, id, version }: Pin<'_>, path: &str) -> String {
    match kind {
        Kind::Unity => "once `Packages/manifest.json` agrees, open the project, so that Unity resolves its packages again".to_owned(),
        Kind::Cargo => format!("once `Cargo.toml` agrees, run `cargo update {id} --precise {version}`"),
        Kind::Npm => "once `package.json` agrees, run `npm install`".to_owned(),
        Kind::Python if path.ends_with("poetry.lock") => "once `pyproject.toml` agrees, run `poetry lock`".to_owned(),
        Kind::Python => "once `pyproject.toml` agrees, run `uv lock`".to_owned(),
        Kind::Go => "once `go.mod` agrees, run `go mod tidy`".to_owned(),
        Kind::Nuget => "once the project agrees, run `dotnet restore --force-evaluate`".to_owned(),
    }
}

/// Whether two ids name one library there.
pub(crate) fn same(kind: Kind, a: &str, b: &str) -> bool {
    normal(kind, a) == normal(kind, b)
}

fn matches(kind: Kind, pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => normal(kind, id).starts_with(&normal(kind, prefix)),
        None => same(kind, pattern, id),
    }
}

fn normal(kind: Kind, id: &str) -> String {
    match kind {
        // Runs of `-`, `_` and `.` are one `-`.
        Kind::Python => {
            let parts = id.split(['-', '_', '.']).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("-").to_lowercase()
        }
        Kind::Nuget => id.to_lowercase(),
        Kind::Unity | Kind::Cargo | Kind::Npm | Kind::Go => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_as_each_ecosystem_does() {
        assert!(
            same(Kind::Python, "Ruamel.yaml", "ruamel_yaml")
                && same(Kind::Nuget, "NewtonSoft.Json", "newtonsoft.json")
        );
        assert!(!same(Kind::Cargo, "a-b", "a_b") && !same(Kind::Npm, "Mitt", "mitt"));
    }

    #[test]
    fn a_star_stands_for_any_rest() {
        assert!(matches(Kind::Npm, "@types/*", "@types/node") && matches(Kind::Npm, "tap", "tap"));
        assert!(!matches(Kind::Npm, "tap", "tape") && matches(Kind::Npm, "*", "x"));
    }
}
