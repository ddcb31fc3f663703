//! The origins of packages: the registries that a consumer's files choose, and the origins in its lock file.
//!
//! A version names the same code in one registry only, so the registry belongs to the pin: the public one of the
//! package manager, or those of `registries` in the manifest.

use perf_model::packages::{Consumer, Kind, Manifest, OneOrMany, Pin};

use super::names;
use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::source::{SourceFile, SourceSpan};
use crate::tree;

/// A registry that a file of a consumer chooses.
pub(crate) struct ChosenRegistry {
    /// The URL, or a folder from the project root.
    pub url: String,
    pub place: SourceSpan,
    /// The only package that comes from it, as in `ignore`; `None` for all.
    pub serves: Option<String>,
}

/// The origin in an entry of a lock file.
pub(crate) struct LockOrigin {
    /// The origin as written.
    pub found: String,
    /// The kind of origin, unless it is a registry.
    pub elsewhere: Option<&'static str>,
    pub place: SourceSpan,
}

impl LockOrigin {
    /// A registry, or an archive that it serves.
    pub fn registry(url: &str, place: &SourceSpan) -> Self {
        Self {
            found: url.to_owned(),
            elsewhere: None,
            place: place.clone(),
        }
    }

    pub fn elsewhere(found: &str, what: &'static str, place: &SourceSpan) -> Self {
        Self {
            elsewhere: Some(what),
            ..Self::registry(found, place)
        }
    }
}

/// The registries that each package manager uses by default, and where they keep archives.
const fn public(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Cargo => &[
            "https://github.com/rust-lang/crates.io-index",
            "https://index.crates.io",
        ],
        Kind::Npm => &["https://registry.npmjs.org", "https://registry.yarnpkg.com"],
        Kind::Python => &[
            "https://pypi.org/simple",
            "https://pypi.python.org/simple",
            "https://files.pythonhosted.org",
        ],
        Kind::Nuget => &[
            "https://api.nuget.org/v3/index.json",
            "https://www.nuget.org/api/v2",
        ],
        Kind::Unity | Kind::Go | Kind::Markdown | Kind::Script => &[],
    }
}

/// The registries that packages may come from.
fn allowed(manifest: &Manifest, kind: Kind) -> Vec<&str> {
    match manifest.registries.get(&kind).map(OneOrMany::as_slice) {
        Some(own) => own.iter().map(String::as_str).collect(),
        None => public(kind).to_vec(),
    }
}

/// True if a URL is one of the registries, or below one.
pub(super) fn is_allowed(manifest: &Manifest, kind: Kind, url: &str) -> bool {
    let url = normalised_url(url);
    let below = |registry: &&str| {
        let rest = url.strip_prefix(normalised_url(registry).as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    };
    // A path can leave a registry that is one folder of a host.
    !url.split('/').any(|part| part == "..") && allowed(manifest, kind).iter().any(below)
}

/// True if the host of a URL serves one of the registries: an index names archives anywhere on its host.
pub(super) fn is_host_allowed(manifest: &Manifest, kind: Kind, url: &str) -> bool {
    let host = |url: &str| {
        normalised_url(url)
            .split('/')
            .take(3)
            .collect::<Vec<_>>()
            .join("/")
    };
    allowed(manifest, kind)
        .iter()
        .any(|registry| host(registry) == host(url))
}

/// A URL without what does not change its target: case of the host, default port, slash at the end, Cargo's protocol.
fn normalised_url(url: &str) -> String {
    let url = url.trim();
    let url = ["registry+", "sparse+"]
        .iter()
        .find_map(|protocol| url.strip_prefix(protocol))
        .unwrap_or(url);
    let url = url.trim_end_matches('/');
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (scheme, host) = (scheme.to_lowercase(), host.to_lowercase());
    let port = if scheme == "https" { ":443" } else { ":80" };
    format!(
        "{scheme}://{}{path}",
        host.strip_suffix(port).unwrap_or(&host)
    )
}

/// A registry as a file names it: a URL, or a folder from the project root.
pub(super) fn address(source: &SourceFile, text: &str) -> String {
    let text = text.trim();
    let path = text
        .strip_prefix("file:")
        .map_or(text, |path| path.strip_prefix("//").unwrap_or(path));
    if path == text && text.contains("://") {
        return text.to_owned();
    }
    tree::resolve(tree::folder(&source.path), path).unwrap_or_else(|| path.to_owned())
}

/// Reports every registry that may serve a pin, but is not allowed to.
pub(super) fn check(
    checker: &mut Checker<'_>,
    consumer: &Consumer,
    pins: &[Pin<'_>],
    registries: &[ChosenRegistry],
) {
    let (manifest, kind) = (checker.manifest, consumer.kind);
    let mut sorted: Vec<(String, Pin<'_>)> = pins
        .iter()
        .map(|pin| (names::normal(kind, pin.id), *pin))
        .collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    for ChosenRegistry { url, place, serves } in registries
        .iter()
        .filter(|to| !is_allowed(manifest, kind, &to.url))
    {
        let pattern = serves.as_deref().unwrap_or("*");
        let first = names::normal(kind, pattern.trim_end_matches('*'));
        let at = sorted.partition_point(|(id, _)| *id < first);
        let Some((_, pin)) = sorted
            .get(at)
            .filter(|(_, pin)| names::matches(kind, pattern, pin.id))
        else {
            continue;
        };
        let message = format!("another registry serves `{}`", pin.id);
        let hint = format!(
            "remove it, or name it in `registries` of `{}`",
            checker.source.path
        );
        let expected = allowed(manifest, kind).join(", ");
        checker
            .find(FindingRule::Origin, place, message, hint)
            .found(url)
            .expected(expected);
    }
}

/// Reports a lock entry whose package comes from elsewhere.
pub(super) fn check_locked(
    checker: &mut Checker<'_>,
    pin: Pin<'_>,
    origin: &LockOrigin,
    relock: &str,
) {
    let Pin { kind, id, .. } = pin;
    let (what, hint) = match origin.elsewhere {
        Some(what) => (what, relock.to_owned()),
        None if is_allowed(checker.manifest, kind, &origin.found) => return,
        None => (
            "another registry",
            format!(
                "{relock}, or name it in `registries` of `{}`",
                checker.source.path
            ),
        ),
    };
    let message = format!("`{id}` is locked from {what}");
    let expected = allowed(checker.manifest, kind)
        .first()
        .copied()
        .unwrap_or("a registry")
        .to_owned();
    checker
        .find(FindingRule::Origin, &origin.place, message, hint)
        .found(&origin.found)
        .expected(expected);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registries_and_what_is_below_are_allowed() {
        let public = Manifest::default();
        let own = Manifest::read(
            r#"{"registries": {"npm": ["https://npm.example.org/team/", "vendor"]}}"#,
        )
        .unwrap();
        let allows = |manifest: &Manifest, kind, urls: &[&str]| {
            urls.iter()
                .map(|url| is_allowed(manifest, kind, url))
                .collect::<Vec<_>>()
        };
        let inside = [
            "https://registry.npmjs.org",
            "HTTPS://Registry.NPMJS.org:443/mitt/-/mitt-3.0.1.tgz",
        ];
        assert_eq!(allows(&public, Kind::Npm, &inside), [true, true]);
        let outside = [
            "http://registry.npmjs.org/mitt",
            "https://registry.npmjs.org.example.net/mitt",
            "https://registry.npmjs.org@example.net/mitt",
            "https://user:word@registry.npmjs.org/mitt",
            "https://registry.npmjs.org:8443/mitt",
            "https://example.net/https://registry.npmjs.org/mitt",
            "vendor",
            "",
        ];
        assert_eq!(allows(&public, Kind::Npm, &outside), [false; 8]);
        let private = [
            "https://npm.example.org/team",
            "https://npm.example.org/team/mitt",
            "vendor",
            "vendor/mitt.tgz",
        ];
        assert_eq!(allows(&own, Kind::Npm, &private), [true; 4]);
        let not = [
            "https://npm.example.org/team2",
            "https://npm.example.org/team/../x",
            "https://registry.npmjs.org",
        ];
        assert_eq!(allows(&own, Kind::Npm, &not), [false; 3]);
        let cargo = [
            "registry+https://github.com/rust-lang/crates.io-index",
            "sparse+https://index.crates.io/",
        ];
        assert_eq!(allows(&public, Kind::Cargo, &cargo), [true, true]);
    }
}
