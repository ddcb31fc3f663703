//! Parses `action.yml` like a runner. An unknown key fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its author.
    pub author: String,
    /// Its look in the marketplace.
    pub branding: BTreeMap<String, String>,
    /// The keys allowed in `with:`.
    pub inputs: BTreeMap<String, Input>,
    /// The outputs.
    pub outputs: BTreeMap<String, Output>,
    /// Its steps.
    pub runs: Runs,
}

/// An input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its description.
    pub description: String,
    /// Whether it is required.
    #[serde(default)]
    pub required: bool,
    /// The default; may contain expressions.
    pub default: Option<String>,
    /// The runner's warning if the input is used.
    #[serde(rename = "deprecationMessage")]
    pub deprecation: Option<String>,
}

/// An output.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its description.
    pub description: String,
    /// An expression.
    pub value: String,
}

/// How the action runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// `composite`.
    pub using: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A step, which runs a script or another action.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The name for people.
    pub name: String,
    /// The ID for expressions.
    pub id: Option<String>,
    /// The condition.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// `bash`, for every script.
    pub shell: Option<String>,
    /// The script.
    pub run: Option<String>,
    /// The other action.
    pub uses: Option<String>,
    /// Its inputs.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Environment variables; values may contain expressions.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl Definition {
    /// Reads the file in this folder.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("action.yml")).expect("an action.yml");
        let definition: Self =
            yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("action.yml: {error}"));
        assert_eq!(definition.runs.using, "composite");
        definition
    }
}
