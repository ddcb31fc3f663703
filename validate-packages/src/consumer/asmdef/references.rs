//! `references` of an assembly definition: without the assembly of a package, its code does not compile.
//!
//! `assemblies` of the manifest names the assemblies of a package. Without an entry there, a reference must be
//! similar to the package's id or symbol, as far as references have names: Unity also writes GUIDs.

use perf_model::packages::{Manifest, OneOrMany, last_part, plain};

use crate::node::Node;

/// Parts of symbols that say nothing about a package.
const FILLERS: &[&str] = &[
    "present",
    "installed",
    "enabled",
    "available",
    "exists",
    "support",
    "has",
    "use",
    "enable",
];

pub(super) struct References<'n> {
    names: Vec<&'n str>,
    /// Precompiled assemblies; `None` for all that Unity references by itself.
    files: Option<Vec<&'n str>>,
}

impl<'n> References<'n> {
    pub fn read(root: &'n Node) -> Self {
        let texts = |key| root.list(&[key]).iter().filter_map(Node::text).collect();
        let is_own = root
            .get("overrideReferences")
            .is_some_and(|value| value.place.text() == "true");
        Self {
            names: texts("references"),
            files: is_own.then(|| texts("precompiledReferences")),
        }
    }

    /// The names of which none is referenced; `None` if one is, or if nobody can tell.
    pub fn missing(&self, manifest: &Manifest, id: &str) -> Option<Vec<String>> {
        if let Some(names) = manifest.assemblies.get(id).map(OneOrMany::as_slice) {
            let found = names.iter().any(|name| self.has(name));
            return (!found).then(|| names.to_vec());
        }
        let symbols = manifest
            .defines
            .get(id)
            .map_or(&[][..], OneOrMany::as_slice);
        let stems: Vec<String> = symbols
            .iter()
            .map(|symbol| stem(symbol))
            .chain([plain(last_part(id))])
            .collect();
        let is_similar = |name: &str| {
            let name = plain(name);
            stems.iter().any(|stem| {
                !stem.is_empty()
                    && (name.contains(stem.as_str()) || name.len() > 3 && stem.contains(&name))
            })
        };
        let is_unknown = self.names.is_empty() || self.names.iter().any(|name| is_guid(name));
        let files = self.files.iter().flatten();
        let found = is_unknown || self.names.iter().chain(files).any(|name| is_similar(name));
        (!found).then(Vec::new)
    }

    fn has(&self, name: &str) -> bool {
        let is_file = name.to_lowercase().ends_with(".dll");
        let own = if is_file {
            self.files.as_deref()
        } else {
            Some(&*self.names)
        };
        own.is_none_or(|own| {
            own.iter()
                .any(|own| *own == name || is_guid(name) && own.eq_ignore_ascii_case(name))
        })
    }
}

fn is_guid(name: &str) -> bool {
    name.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("guid:"))
}

/// `zenject` of `ZENJECT_PRESENT`.
fn stem(symbol: &str) -> String {
    let parts = symbol.split('_').map(str::to_lowercase);
    parts
        .filter(|part| !FILLERS.contains(&part.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(manifest: &str, asmdef: &str) -> Option<Vec<String>> {
        let source = std::rc::Rc::new(crate::source::SourceFile::new("a.asmdef", asmdef));
        let root = crate::node::json(&source).unwrap();
        References::read(&root).missing(&Manifest::read(manifest).unwrap(), "com.sven.extenject")
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
