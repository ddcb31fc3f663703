//! Keys of the manifest that mean nothing: mostly slips of the pen.

use crate::checker::Checker;
use crate::finding::{Finding, Rule};

/// The keys of each object of the manifest whose keys are not ids.
const ROOT_KEYS: &[&str] = &[
    "$schema",
    "_comment",
    "registry",
    "packages",
    "unityBuiltInPackages",
    "defines",
    "integrationPackages",
    "integrationUnityBuiltInPackages",
    "minUnityForComparisons",
    "ecosystems",
    "labels",
    "consumers",
];
const REGISTRY_KEYS: &[&str] = &["name", "url", "scopes"];
const CONSUMER_KEYS: &[&str] = &["kind", "path", "asmdefs", "packages", "ignore", "lock"];

/// Reports every unknown key, with the nearest known one.
pub(super) fn check(checker: &mut Checker<'_>) {
    let consumers = (0..checker.manifest.consumers.len()).map(|index| index.to_string()).collect::<Vec<_>>();
    let mut objects = vec![(vec![], ROOT_KEYS), (vec!["registry"], REGISTRY_KEYS)];
    objects.extend(consumers.iter().map(|index| (vec!["consumers", index], CONSUMER_KEYS)));
    for (path, known) in objects {
        let keys: Vec<String> = checker
            .root()
            .at(&path)
            .map_or(&[][..], |node| node.entries())
            .iter()
            .map(|entry| entry.key.clone())
            .collect();
        for key in keys.iter().filter(|key| !known.contains(&key.as_str())) {
            let place = checker.key_place(&[&path[..], &[key]].concat());
            checker.find(unknown_key(
                Finding::new(Rule::UnknownKey, &place, format!("`{key}` means nothing here")),
                key,
                known,
            ));
        }
    }
}

fn unknown_key(finding: Finding, key: &str, known: &[&str]) -> Finding {
    let nearest = known.iter().max_by(|a, b| strsim::jaro(key, a).total_cmp(&strsim::jaro(key, b)));
    match nearest.filter(|name| strsim::jaro(key, name) > 0.7) {
        Some(name) => finding.found(key).expected(*name).hint(format!("did you mean `{name}`?")),
        None => finding.found(key).hint(format!("known keys: {}", known.join(", "))),
    }
}
