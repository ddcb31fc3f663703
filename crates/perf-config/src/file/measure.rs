//! The benchmarks that are measured: `[[measure]]`, and the protocol that they share: `[protocol]`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The protocol of all harnesses of `perf-gate measure window`; its options override it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProtocolSection {
    /// Operations before a window counts.
    pub warm_up: u64,
    /// Seconds of operations that a window has.
    pub window: f64,
    /// The number of fresh processes of a cold start.
    pub cold: u32,
}

impl Default for ProtocolSection {
    fn default() -> Self {
        Self {
            warm_up: 10_000,
            window: 5.0,
            cold: 32,
        }
    }
}

/// The way in which a harness, which runs operations on request, is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HarnessMode {
    /// Operations over one continuous window.
    Window,
    /// One operation in each of several fresh processes.
    Cold,
}

/// A benchmark. A command is timed by `perf-gate measure record` and `perf-gate measure compare` and counted by
/// `perf-gate measure count`, and a harness is measured by `perf-gate measure window`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasureEntry {
    /// The benchmark's name.
    pub name: String,
    /// The command that is measured, started without a shell.
    pub command: String,
    /// How the command is measured as a harness that runs operations on request. Left out: the command is timed.
    pub harness: Option<HarnessMode>,
    /// The operations of this harness before its window, in place of the protocol's.
    pub warm_up: Option<u64>,
    /// The benchmark that the command does first, whose instructions are subtracted when it is counted.
    pub setup: Option<String>,
    /// A command that runs untimed before each iteration.
    pub before: Option<String>,
    /// A command that runs untimed after each iteration.
    pub after: Option<String>,
    /// Environment variables of these commands.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
}
