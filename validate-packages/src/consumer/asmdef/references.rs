//! `references` of an assembly definition: code that uses a package compiles only with a reference to its assembly.
//!
//! The manifest's `assemblies` lists a package's assemblies. If it lists none for a package, a reference must resemble the
//! package's ID or symbol. This cannot be decided if references are GUIDs, which Unity also writes.

use perf_model::packages::{Manifest, OneOrMany, last_part, plain};

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::node::Node;

/// Checks that a gate references an assembly of a package that it requires.
pub(super) fn check(checker: &mut Checker<'_>, root: &Node, id: &str, id_node: &Node) {
    let Some(names) = missing(root, checker.manifest, id) else {
        return;
    };
    let hint = match names.first() {
        Some(name) => format!("add `{name}` to `references`"),
        None => format!(
            "add its assembly to `references`; if one of them is, add it to `assemblies` of `{}`",
            checker.source.path
        ),
    };
    let place = &root.get("references").unwrap_or(id_node).place;
    let message = format!("the assembly requires `{id}`, but does not reference it");
    let finding = checker.find(FindingRule::Reference, place, message, hint);
    finding.expected = Some(names.join(", ")).filter(|names| !names.is_empty());
}

/// Returns the names of the package's assemblies if none of them is referenced. The list is empty if the names are not
/// known. Returns `None` if an assembly is referenced, or if this cannot be decided.
fn missing(root: &Node, manifest: &Manifest, id: &str) -> Option<Vec<String>> {
    let texts = |key| root.list(&[key]).iter().filter_map(Node::text);
    let names: Vec<&str> = texts("references").collect();
    // If `overrideReferences` is not set, Unity references all precompiled assemblies.
    let overrides = root.get("overrideReferences");
    let has_files = overrides.is_some_and(|value| value.place.text() == "true");
    let files: Vec<&str> = texts("precompiledReferences")
        .filter(|_| has_files)
        .collect();
    if let Some(wanted) = manifest.assemblies.get(id).map(OneOrMany::as_slice) {
        for name in wanted {
            let is_file = name.to_lowercase().ends_with(".dll");
            let is_same =
                |own: &&str| own == name || is_guid(name) && own.eq_ignore_ascii_case(name);
            let own = if is_file { &files } else { &names };
            if is_file && !has_files || own.iter().any(is_same) {
                return None;
            }
        }
        return Some(wanted.to_vec());
    }
    let mut stems = vec![plain(last_part(id))];
    for symbol in manifest
        .defines
        .get(id)
        .map_or(&[][..], OneOrMany::as_slice)
    {
        // `zenject` for `ZENJECT_PRESENT`
        let stem = symbol.rsplit_once('_').map_or(&**symbol, |(stem, _)| stem);
        stems.push(plain(stem));
    }
    stems.retain(|stem| !stem.is_empty());
    let is_unknown = names.is_empty() || names.iter().any(|name| is_guid(name));
    let is_similar = |name: &&str| {
        let name = plain(name);
        let mut stems = stems.iter();
        stems.any(|stem| name.contains(stem) || name.len() > 3 && stem.contains(&name))
    };
    let found = is_unknown || names.iter().chain(&files).any(is_similar);
    (!found).then(Vec::new)
}

fn is_guid(name: &str) -> bool {
    name.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("guid:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(manifest: &str, asmdef: &str) -> Option<Vec<String>> {
        let source = std::rc::Rc::new(crate::source::SourceFile::new("a.asmdef", asmdef));
        let root = crate::node::json(&source).unwrap();
        super::missing(
            &root,
            &Manifest::read(manifest).unwrap(),
            "com.sven.extenject",
        )
    }

    #[test]
    fn references_are_similar_to_the_id_or_the_symbol() {
        let manifest = r#"{"defines": {"com.sven.extenject": "ZENJECT_PRESENT"}}"#;
        let fine = [
            r#"{"references": ["A", "Zenject"]}"#,
            r#"{"references": ["Sven.Extenject.Runtime"]}"#,
            r#"{"references": ["A", "GUID:0123456789abcdef0123456789abcdef"]}"#,
            r#"{"references": ["A"], "overrideReferences": true, "precompiledReferences": ["Zenject.dll"]}"#,
            r#"{"references": []}"#,
        ];
        assert!(
            fine.iter()
                .all(|asmdef| missing(manifest, asmdef).is_none())
        );
        assert_eq!(
            missing(manifest, r#"{"references": ["A", "UniRx"]}"#),
            Some(Vec::new())
        );
    }

    #[test]
    fn named_assemblies_are_alternatives() {
        let manifest = r#"{"assemblies": {"com.sven.extenject": ["Z", "GUID:ab", "Z.dll"]}}"#;
        let own_files = r#""overrideReferences": true, "precompiledReferences""#;
        let fine = [
            r#"{"references": ["Z"], "overrideReferences": true}"#.to_owned(),
            r#"{"references": ["guid:AB"], "overrideReferences": true}"#.to_owned(),
            r#"{"references": []}"#.to_owned(),
            format!(r#"{{"references": [], {own_files}: ["Z.dll"]}}"#),
        ];
        assert!(
            fine.iter()
                .all(|asmdef| missing(manifest, asmdef).is_none())
        );
        let other = format!(r#"{{"references": ["Zenject"], {own_files}: ["nunit.dll"]}}"#);
        assert_eq!(
            missing(manifest, &other).unwrap(),
            ["Z", "GUID:ab", "Z.dll"]
        );
    }
}
