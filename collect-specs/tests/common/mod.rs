//! A machine made of files, and the binary run on it without the environment of whoever runs the tests.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be prepared has failed"
)]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

pub struct Planted {
    folder: TempDir,
}

/// The output and the files of one run.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub json: String,
    pub summary: String,
}

impl Planted {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let planted = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, content) in files {
            planted.add(path, content);
        }
        planted
    }

    pub fn add(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub fn output(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Describes the planted machine, with only these environment variables.
    pub fn run(&self, environment: &[(&str, &str)]) -> Run {
        let (json, summary) = (self.output("specs.json"), self.output("specs.txt"));
        let mut command = binary();
        command.arg("--root").arg(self.root());
        command
            .arg("--output-json")
            .arg(&json)
            .arg("--output-summary")
            .arg(&summary);
        let output = command.envs(environment.iter().copied()).output().unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            json: read(&json),
            summary: read(&summary),
        }
    }
}

pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_collect-machine-specs"));
    command.env_clear();
    command
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// A desktop that reports everything an ordinary user can see.
pub const DESKTOP: [(&str, &str); 15] = [
    (
        "/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: AMD Ryzen 9 7950X 16-Core Processor\nflags\t: fpu lm\n",
    ),
    (
        "/proc/meminfo",
        "MemTotal:       65011712 kB\nMemFree: 1 kB\n",
    ),
    ("/proc/sys/kernel/arch", "x86_64\n"),
    ("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
    (
        "/etc/os-release",
        "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n",
    ),
    ("/sys/devices/system/cpu/online", "0-1\n"),
    (
        "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
        "0-1\n",
    ),
    (
        "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
        "0-1\n",
    ),
    (
        "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
        "4500000\n",
    ),
    ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x1002\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/device", "0x744c\n"),
];

/// A table with one module of 64 GB, and serial numbers.
pub fn firmware_table(system_serial: &str, module_serial: &str) -> Vec<u8> {
    let mut system = vec![0; 0x1b];
    (system[0], system[1], system[7]) = (1, 0x1b, 1);
    let mut module = vec![0; 0x28];
    (module[0], module[1], module[0x18]) = (17, 0x28, 1);
    module[0x0c..0x0e].copy_from_slice(&0x7fff_u16.to_le_bytes());
    module[0x1c..0x20].copy_from_slice(&65536_u32.to_le_bytes());
    module[0x12] = 0x22;
    module[0x20..0x22].copy_from_slice(&6000_u16.to_le_bytes());
    let text = |serial: &str| [serial.as_bytes(), &[0, 0]].concat();
    [system, text(system_serial), module, text(module_serial)].concat()
}
