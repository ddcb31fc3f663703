//! `action.yml`, as far as a runner reads it. A key that is not known here fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Who made it.
    pub author: String,
    /// How the marketplace shows it.
    pub branding: BTreeMap<String, String>,
    /// What can be said in `with:`.
    pub inputs: BTreeMap<String, Input>,
    /// What can be read afterwards.
    pub outputs: BTreeMap<String, Output>,
    /// What is done.
    pub runs: Runs,
}

/// Something that can be said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it means.
    pub description: String,
    /// Whether it must be said.
    #[serde(default)]
    pub required: bool,
    /// What it is when nobody says it; may have expressions.
    pub default: Option<String>,
    /// What a runner warns of when somebody says it.
    #[serde(rename = "deprecationMessage")]
    pub deprecation: Option<String>,
}

/// Something that can be read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What it means.
    pub description: String,
    /// An expression.
    pub value: String,
}

/// How it is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// `composite`.
    pub using: String,
    /// One after the other.
    pub steps: Vec<Step>,
}

/// One step, which runs a script or another action.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// For people.
    pub name: String,
    /// For expressions.
    pub id: Option<String>,
    /// Whether it runs.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// `bash`, wherever there is a script.
    pub shell: Option<String>,
    /// The script.
    pub run: Option<String>,
    /// The other action.
    pub uses: Option<String>,
    /// What is said to it.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Variables; values may have expressions.
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
