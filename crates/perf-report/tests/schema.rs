//! The published JSON Schemas match the types.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use perf_config::ConfigFile;
use perf_report::json::Report;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, schema_for};
use serde_json::Value;

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p perf-report --test schema`.
fn assert_current(file: &str, schema: &Schema) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(file);
    let current = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let published = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        published == current,
        "docs/{file} is out of date: UPDATE_SCHEMA=1 renews it"
    );
}

#[test]
fn the_config_schema_is_current() {
    let mut schema = schema_for!(ConfigFile);
    // TOML has no null, so an optional key has no default to show.
    let without_null = |schema: &mut Schema| match schema.get_mut("default") {
        Some(Value::Null) => drop(schema.remove("default")),
        Some(Value::Object(keys)) => keys.retain(|_, value| !value.is_null()),
        _ => {}
    };
    RecursiveTransform(without_null).transform(&mut schema);
    assert_current("perf-gate.schema.json", &schema);
}

#[test]
fn the_report_schema_is_current() {
    assert_current("report.schema.json", &schema_for!(Report));
}
