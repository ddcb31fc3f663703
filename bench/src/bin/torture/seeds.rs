//! The fixtures that cases are made from.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use perf_cli::term;

use crate::random::Random;

/// Where they are, from the root of the repository.
const FOLDERS: [&str; 3] = ["tests/fixtures", "examples", "fuzz/seeds"];

/// Larger files only take longer.
const LARGEST: u64 = 200_000;

/// Contents of files, by kind.
pub(crate) struct Seeds {
    /// What tools print, baselines, logs.
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) configs: Vec<Vec<u8>>,
    pub(crate) pages: Vec<Vec<u8>>,
    pub(crate) manifests: Vec<Vec<u8>>,
}

impl Seeds {
    /// All files of a repository, in the order of their paths.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        let mut seeds = Self { inputs: vec![], configs: vec![], pages: vec![], manifests: vec![] };
        for folder in FOLDERS {
            let path = root.join(folder);
            seeds.add(&path).with_context(|| format!("cannot read `{}`", term::shown(&path)))?;
        }
        if seeds.manifests.is_empty() {
            seeds.manifests.push(MANIFEST.into());
        }
        ensure!(
            !seeds.inputs.is_empty() && !seeds.configs.is_empty() && !seeds.pages.is_empty(),
            "no fixtures"
        );
        Ok(seeds)
    }

    fn add(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut paths =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.add(&path)?;
            } else if path.metadata()?.len() <= LARGEST {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let content = fs::read(&path)?;
                match &*name {
                    "perf-gate.toml" => self.configs.push(content),
                    "comparison-packages.json" => self.manifests.push(content),
                    _ if path.extension().is_some_and(|extension| extension == "md") => {
                        self.pages.push(content);
                    }
                    _ => self.inputs.push(content),
                }
            }
        }
        Ok(())
    }

    pub(crate) fn count(&self) -> usize {
        self.inputs.len() + self.configs.len() + self.pages.len() + self.manifests.len()
    }

    /// One of them.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        random.pick(&self.inputs).clone()
    }
}

/// Where no fixture is a manifest.
const MANIFEST: &str = r#"{
  "packages": {"com.acme.message-hub": "1.4.0"},
  "defines": {"com.acme.message-hub": "HUB_PRESENT"},
  "registry": {"name": "acme", "url": "https://packages.example", "scopes": ["com.acme"]},
  "ecosystems": {"npm": {"mitt": "3.0.1", "@scope/bus": "2.0.0"}, "cargo": {"serde": "1.0.228"}},
  "labels": {"mitt": "Mitt"},
  "consumers": [{"kind": "npm", "path": "package.json", "lock": false}]
}
"#;
