//! The fixtures that cases are made from.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use perf_cli::term;

use crate::random::Random;

/// The folders of fixtures, from the root of the repository.
const FOLDERS: [&str; 3] = ["tests/fixtures", "examples", "fuzz/seeds"];

/// Larger files only take longer.
const LARGEST: u64 = 200_000;

/// Contents of files, by kind.
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
    /// All files of a repository, in the order of their paths.
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

    /// One of them.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        random.pick(&self.inputs).clone()
    }
}

/// Payloads of events, as GitHub writes them.
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

/// A Linux machine as its files describe it.
pub(crate) const DESKTOP: [(&str, &str); 15] = [
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: AMD Ryzen 9 7950X 16-Core Processor\nflags\t: fpu lm\n",
    ),
    (
        "proc/meminfo",
        "MemTotal:       65011712 kB\nMemFree: 1 kB\n",
    ),
    ("proc/sys/kernel/arch", "x86_64\n"),
    ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
    (
        "etc/os-release",
        "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n",
    ),
    ("sys/devices/system/cpu/online", "0-1\n"),
    (
        "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
        "0-1\n",
    ),
    (
        "sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
        "0-1\n",
    ),
    (
        "sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
        "4500000\n",
    ),
    ("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
    ("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
    ("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
    ("sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
    ("sys/bus/pci/devices/0000:01:00.0/vendor", "0x1002\n"),
    ("sys/bus/pci/devices/0000:01:00.0/device", "0x744c\n"),
];
