//! The fixtures to mutate.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use perf_cli::term;

use crate::random::Random;

/// The directories with fixtures, relative to the repository.
const FOLDERS: [&str; 3] = ["tests/fixtures", "examples", "fuzz/seeds"];

/// The largest file to use, because larger ones only take longer.
const LARGEST: u64 = 200_000;

/// File contents by kind.
#[derive(Default)]
pub(crate) struct Seeds {
    /// Benchmark output, baselines and logs.
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) configs: Vec<Vec<u8>>,
    pub(crate) pages: Vec<Vec<u8>>,
    pub(crate) manifests: Vec<Vec<u8>>,
    /// Reports of `render-perf-deltas --json`.
    pub(crate) reports: Vec<Vec<u8>>,
}

impl Seeds {
    /// Reads all fixtures of the repository, ordered by path.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        let mut seeds = Self::default();
        for folder in FOLDERS {
            let path = root.join(folder);
            seeds
                .add(&path)
                .with_context(|| format!("cannot read `{}`", term::shown(&path)))?;
        }
        ensure!(
            seeds.kinds().iter().all(|kind| !kind.is_empty()),
            "no fixtures"
        );
        Ok(seeds)
    }

    fn add(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut paths = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.add(&path)?;
            } else if path.metadata()?.len() <= LARGEST {
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                let content = fs::read(&path)?;
                match &*name {
                    "perf-gate.toml" => self.configs.push(content),
                    "report.json" => self.reports.push(content),
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
        self.kinds().map(Vec::len).iter().sum()
    }

    fn kinds(&self) -> [&Vec<Vec<u8>>; 5] {
        [
            &self.inputs,
            &self.configs,
            &self.pages,
            &self.manifests,
            &self.reports,
        ]
    }

    /// A random input.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        random.pick(&self.inputs).clone()
    }
}

/// Event payloads as sent by GitHub.
pub(crate) const EVENTS: [(&str, &str); 5] = [
    ("pull_request", PULL_REQUEST),
    ("pull_request_target", PULL_REQUEST),
    (
        "push",
        include_str!("../../../../../fuzz/seeds/events/push.json"),
    ),
    (
        "workflow_run",
        include_str!("../../../../../fuzz/seeds/events/workflow_run.json"),
    ),
    (
        "schedule",
        include_str!("../../../../../fuzz/seeds/events/schedule.json"),
    ),
];

const PULL_REQUEST: &str = include_str!("../../../../../fuzz/seeds/events/pull_request.json");
