//! Unknown keys of the manifest, mostly typos.

use perf_model::suggest::suggest;

use crate::checker::Checker;
use crate::finding::FindingRule;

/// The keys of each object whose keys are not ids.
const ROOT: &[&str] = &[
    "$schema",
    "_comment",
    "registry",
    "packages",
    "unityBuiltInPackages",
    "unityRegistryPackages",
    "defines",
    "integrationPackages",
    "integrationUnityBuiltInPackages",
    "assemblies",
    "minUnityForComparisons",
    "ecosystems",
    "registries",
    "labels",
    "consumers",
    "ignore",
];
const REGISTRY: &[&str] = &["name", "url", "scopes"];
const CONSUMER: &[&str] = &["kind", "path", "asmdefs", "packages", "ignore", "lock", "mentions"];

/// Reports every unknown key.
pub(super) fn check(checker: &mut Checker<'_>) {
    let consumers: Vec<String> =
        (0..checker.manifest.consumers.len()).map(|index| index.to_string()).collect();
    let mut objects = vec![(vec![], ROOT), (vec!["registry"], REGISTRY)];
    objects.extend(consumers.iter().map(|index| (vec!["consumers", index], CONSUMER)));
    for (path, known) in objects {
        let entries = checker.root().table(&path).iter();
        let keys: Vec<String> = entries.map(|entry| entry.key.clone()).collect();
        for key in keys.iter().filter(|key| !known.contains(&key.as_str())) {
            let hint = suggest(key, known.iter().copied()).unwrap_or_default();
            checker
                .find(
                    FindingRule::UnknownKey,
                    &checker.key_place(&[&path[..], &[key]].concat()),
                    format!("unknown key `{key}`"),
                    hint,
                )
                .found(key);
        }
    }
}
