//! The comparison-packages manifest: the libraries that a project is compared with, and their versions.
//!
//! A *pin* is a library's ID with one exact version. Unity's pins are in `packages`. All other pins are in `ecosystems`, in
//! groups with any names. A *consumer* is a Unity project, a script, or a version in another file. This module defines the
//! manifest and parses it; `validate-comparison-packages` checks the manifest and its consumers.

use indexmap::IndexMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maps each library's ID to its exact version, in the file's order.
pub type Pins = IndexMap<String, String>;

/// A manifest error with its position.
#[derive(Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ManifestError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes.
    pub column: usize,
    /// The error, without its position.
    pub message: String,
}

/// A manifest: pins every library that a project is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Manifest {
    /// The location of this file's schema, for editors.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// Free text for the people who edit this file.
    #[serde(rename = "_comment")]
    pub comment: Option<OneOrMany>,
    /// The scoped registry that serves the Unity packages.
    pub registry: Option<Registry>,
    /// Compared Unity packages: id and exact version.
    pub packages: Pins,
    /// Unity packages that the editor includes and that the compared packages need to compile: id and exact version.
    pub unity_built_in_packages: Pins,
    /// Packages of Unity's own registry, such as its test framework: id and exact version.
    pub unity_registry_packages: Pins,
    /// The scripting symbols that assembly definitions define when a package is present. Each of `packages` needs at least
    /// one symbol, and each symbol belongs to one package.
    pub defines: IndexMap<String, OneOrMany>,
    /// Unity packages that only integration tests use: id and exact version.
    pub integration_packages: Pins,
    /// Unity's built-in packages that only integration tests need: id and exact version.
    pub integration_unity_built_in_packages: Pins,
    /// The assemblies of a Unity package. An assembly definition that uses the package must reference one of them. An
    /// assembly is a name as in `references`, `GUID:…`, or a file of `precompiledReferences`. Default: derived from the id
    /// and the symbol.
    pub assemblies: IndexMap<String, OneOrMany>,
    /// The oldest Unity editor that can build the comparisons, such as `2021.3.0f1`.
    pub min_unity_for_comparisons: Option<String>,
    /// Pins outside of Unity: a group of any name, such as `cargo`, then library and exact version.
    pub ecosystems: IndexMap<String, Pins>,
    /// Display names of libraries whose id is not clear: id and name.
    pub labels: IndexMap<String, String>,
    /// The files and projects that must agree with the pins.
    pub consumers: Vec<Consumer>,
    /// Paths from the project root of files that use the libraries but need not agree with the pins. `*` matches any text.
    pub ignore: Vec<String>,
}

/// A string, or a list of strings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum OneOrMany {
    /// A single string.
    One(String),
    /// Several strings.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All strings, in the file's order.
    pub const fn as_slice(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts.as_slice(),
        }
    }
}

/// A Unity scoped registry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Registry {
    /// The name in `Packages/manifest.json`.
    pub name: String,
    /// The URL, `https` only.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^https://")))]
    pub url: String,
    /// The id prefixes that the registry serves, on dot boundaries.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub scopes: Vec<String>,
}

/// The kind of a consumer that is not a version in another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum Kind {
    /// A Unity project: `Packages/manifest.json`, `Packages/packages-lock.json` and `*.asmdef`.
    Unity,
    /// A file that reads the manifest itself, such as the generator of a project's `Packages/manifest.json`.
    Script,
}

/// A Unity project or a script (`kind` and `path`), or a version in any other file (`file`, and `key` or `pattern`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Consumer {
    /// Whether the consumer is a Unity project or a script.
    pub kind: Option<Kind>,
    /// The path from the project root to the Unity project's folder or to the script, with `/`.
    pub path: Option<String>,
    /// The files that contain the version, from the project root; `*` matches within a folder, `**` across folders.
    pub file: Option<String>,
    /// The keys that lead to the version in a TOML, JSON or YAML file, such as `dependencies.foo.version`. A key that
    /// contains dots is quoted, and `*` matches any key or element.
    pub key: Option<String>,
    /// A regular expression with one capture group, which matches the version.
    pub pattern: Option<String>,
    /// The id of the pin. Default: the pin whose id is in `key` or `pattern`.
    pub package: Option<String>,
    /// Unity only: folders whose assembly definitions are gates. Default: all assembly definitions that require a
    /// symbol in `defines`.
    pub asmdefs: Option<Vec<String>>,
    /// Unity only: the compared packages that this project uses. Default: all.
    pub packages: Option<Vec<String>>,
    /// Unity only: packages that are not compared and need no pin. `*` matches any text.
    pub ignore: Vec<String>,
    /// Unity only: whether `Packages/packages-lock.json` is expected. Default: true.
    pub lock: Option<bool>,
}

/// A compared library and its pinned version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin<'m> {
    /// The library's id.
    pub id: &'m str,
    /// The exact version.
    pub version: &'m str,
}

/// A manifest section with Unity packages.
#[derive(Debug, Clone, Copy)]
pub struct UnitySection<'m> {
    /// The section's key in the manifest.
    pub name: &'static str,
    /// The section's packages.
    pub pins: &'m Pins,
    /// Whether every project must use these packages.
    pub required: bool,
}

impl Manifest {
    /// Parses a manifest.
    ///
    /// # Errors
    /// Fails if the text is not JSON, contains an unknown key, or contains a value of the wrong type. The error contains the
    /// line and the column.
    pub fn read(text: &str) -> Result<Self, ManifestError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let error = match serde_json::from_str(text) {
            // serde would also accept the fields as a list, which the schema does not allow.
            Ok(_) if !text.trim_start().starts_with('{') => {
                serde::de::Error::custom("expected an object")
            }
            Ok(manifest) => return Ok(manifest),
            Err(error) => error,
        };
        let (line, column): (usize, usize) = (serde_json::Error::line(&error), error.column());
        Err(ManifestError {
            line: line.max(1),
            column: column.max(1),
            message: without_place(&error.to_string()),
        })
    }

    /// The sections with Unity packages, starting with the compared packages.
    pub fn unity_sections(&self) -> [UnitySection<'_>; 5] {
        let section = |name, pins, required| UnitySection {
            name,
            pins,
            required,
        };
        [
            section("packages", &self.packages, true),
            section("unityBuiltInPackages", &self.unity_built_in_packages, true),
            section("unityRegistryPackages", &self.unity_registry_packages, true),
            section("integrationPackages", &self.integration_packages, false),
            section(
                "integrationUnityBuiltInPackages",
                &self.integration_unity_built_in_packages,
                false,
            ),
        ]
    }

    /// Whether any Unity section contains this package.
    pub fn is_pinned_for_unity(&self, id: &str) -> bool {
        self.unity_sections()
            .iter()
            .any(|section| section.pins.contains_key(id))
    }

    /// Every compared library in the file's order, Unity packages first.
    pub fn pins(&self) -> impl Iterator<Item = Pin<'_>> {
        let others = self.ecosystems.values().flatten();
        let pins = self.packages.iter().chain(others);
        pins.map(|(id, version)| Pin { id, version })
    }

    /// The pinned version of a library called `name`: a label, an ID, or the last part of an ID (`MessageHub` matches
    /// `com.acme.message-hub`). `None` if nothing matches, or if several libraries with different versions match.
    pub fn pinned_version(&self, name: &str) -> Option<&str> {
        let name = plain(name);
        if name.is_empty() {
            return None;
        }
        let (mut full, mut partial) = (Vec::new(), Vec::new());
        for pin in self.pins() {
            let label = self.labels.get(pin.id);
            if plain(pin.id) == name || label.is_some_and(|label| plain(label) == name) {
                full.push(pin.version);
            }
            if plain(last_part(pin.id)) == name {
                partial.push(pin.version);
            }
        }
        let mut versions = if full.is_empty() { partial } else { full };
        versions.dedup();
        let [version] = versions[..] else { return None };
        Some(version)
    }
}

/// Removes the position from a message, because the position has its own fields.
fn without_place(message: &str) -> String {
    message
        .rfind(" at line ")
        .map_or(message, |end| &message[..end])
        .to_owned()
}

/// Reduces a name to its letters and digits in lower case. Labels and IDs are compared in this form.
pub fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The last part of an ID: `message-hub` of `com.acme.message-hub`, `chi` of `github.com/go-chi/chi/v5`.
pub fn last_part(id: &str) -> &str {
    let is_major = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let mut parts = id.rsplit(['/', '.']);
    match parts.next() {
        Some(part) if is_major(part) => parts.next().unwrap_or(part),
        part => part.unwrap_or(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{
        "packages": {"com.acme.message-hub": "1.4.0", "com.rival.atoms-core": "4.0.1"},
        "ecosystems": {"go": {"github.com/go-chi/chi/v5": "v5.0.1"}, "npm": {"@rival/mitt": "3.0.1"}},
        "labels": {"com.rival.atoms-core": "Rival Atoms"}
    }"#;

    #[test]
    fn library_is_found_by_label_id_and_last_part() {
        let manifest = Manifest::read(MANIFEST).unwrap();
        let versions = [
            "Rival Atoms",
            "com.acme.message-hub",
            "MessageHub",
            "chi",
            "mitt",
            "atoms core",
            "nobody",
            "",
        ]
        .map(|name| manifest.pinned_version(name));
        assert_eq!(
            versions,
            [
                Some("4.0.1"),
                Some("1.4.0"),
                Some("1.4.0"),
                Some("v5.0.1"),
                Some("3.0.1"),
                Some("4.0.1"),
                None,
                None
            ]
        );
    }

    #[test]
    fn ambiguous_name_has_no_version() {
        let manifest = Manifest::read(
            r#"{"packages": {"a.hub": "1.0.0", "b.hub": "2.0.0", "c.bus": "3.0.0", "d.bus": "3.0.0"}}"#,
        )
        .unwrap();
        assert_eq!(
            (
                manifest.pinned_version("hub"),
                manifest.pinned_version("bus")
            ),
            (None, Some("3.0.0"))
        );
    }

    #[test]
    fn invalid_manifest_has_a_position() {
        let error = Manifest::read("{\n  \"packages\": []\n}").unwrap_err();
        insta::assert_snapshot!(error, @"line 2, column 14: invalid type: sequence, expected a map");
        insta::assert_snapshot!(Manifest::read("{").unwrap_err(), @"line 1, column 1: EOF while parsing an object");
        insta::assert_snapshot!(Manifest::read(" []").unwrap_err(), @"line 1, column 1: expected an object");
    }

    #[test]
    fn byte_order_mark_is_ignored() {
        assert_eq!(Manifest::read("\u{feff}{}").unwrap(), Manifest::default());
    }
}
