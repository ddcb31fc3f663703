//! The published JSON Schema agrees with the types.

use std::collections::BTreeSet;
use std::path::Path;

use perf_model::packages::Manifest;
use serde_json::Value;
use validate_comparison_packages::{FileTree, check};

fn schema() -> Value {
    let mut schema = schemars::schema_for!(Manifest).to_value();
    schema["title"] = "Comparison packages".into();
    schema
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p validate-comparison-packages --test schema`.
#[test]
fn published_schema_is_current() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/comparison-packages.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let published = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\r\n", "\n");
    assert!(
        published == current,
        "`{}` is stale: run this test with UPDATE_SCHEMA=1",
        path.display()
    );
}

/// The validator reports the keys that the schema forbids.
#[test]
fn validator_and_schema_have_the_same_keys() {
    let known_at = |manifest: &str| -> BTreeSet<String> {
        let folder = tempfile::tempdir().unwrap();
        let report = check("m.json", manifest, &FileTree::new(folder.path()).unwrap());
        let hint = report
            .findings
            .iter()
            .find_map(|finding| finding.hint.split_once(": "))
            .unwrap()
            .1;
        hint.split(", ")
            .map(|key| key.trim_matches('`').to_owned())
            .collect()
    };
    let keys = |schema: &Value| -> BTreeSet<String> {
        assert_eq!(schema["additionalProperties"], false);
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let schema = schema();
    assert_eq!(known_at(r#"{"\u0001": 1}"#), keys(&schema));
    let registry =
        r#"{"registry": {"name": "a", "url": "https://a", "scopes": ["a"], "\u0001": 1}}"#;
    assert_eq!(known_at(registry), keys(&schema["$defs"]["Registry"]));
    let consumer = r#"{"consumers": [{"kind": "unity", "path": "Game", "\u0001": 1}]}"#;
    assert_eq!(known_at(consumer), keys(&schema["$defs"]["Consumer"]));
}
