//! What is timed: `[[measure]]`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A command that `perf-gate measure record` and `perf-gate measure compare` time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasureEntry {
    /// The benchmark's name.
    pub name: String,
    /// What is timed, started without a shell.
    pub command: String,
    /// A command that runs untimed before each iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// A command that runs untimed after each iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Environment variables of all three commands.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
}
