//! The published JSON Schema agrees with the types.

use std::path::Path;

use perf_model::packages::Manifest;
use serde_json::Value;

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
