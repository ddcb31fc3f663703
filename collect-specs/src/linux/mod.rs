//! The facts and identities that only files under `/proc`, `/sys` and `/etc` tell, without privileges.

mod files;
mod gpu;
mod identities;
mod virtualization;

use std::path::PathBuf;

use sysinfo::System;

use crate::identity::Identities;
use crate::machine::{Limited, Machine};
use crate::smbios;
use crate::words::cache_size;
use files::Files;

/// Adds everything that this system's files tell.
pub fn add(machine: &mut Machine, identities: &mut Identities) {
    add_from(&Files(PathBuf::from("/")), machine, identities);
}

pub fn add_from(files: &Files, machine: &mut Machine, identities: &mut Identities) {
    identities::add(files, identities);
    if let Some(cores) = &mut machine.logical_cores {
        limit_to_quota(files, cores);
    }
    machine.clock_mhz = nominal_clock_mhz(files).or(machine.clock_mhz);
    machine.modules = smbios::modules(&files.firmware_table());
    machine.gpu = gpu::gpu(files);
    let kernel = System::kernel_version().and_then(|release| kernel_number(&release));
    machine.os = os(files, kernel);
    machine.caches = caches(files);
    machine.virtualization = virtualization::virtualization(files);
}

/// Restores the fraction of a container's quota, which the standard library rounds down: a machine class
/// with 1.5 cores is not the one with 1.
fn limit_to_quota(files: &Files, cores: &mut Limited<usize>) {
    let text = files.text("/sys/fs/cgroup/cpu.max").unwrap_or_default();
    let Some((quota, period)) = text.split_once(' ') else {
        return;
    };
    let (Ok(quota), Ok(period)) = (quota.parse::<u32>(), period.parse::<u32>()) else {
        return;
    };
    let quota = f64::from(quota) / f64::from(period);
    if cores.usable == Some(quota.floor().max(1.0)) {
        cores.usable = Some(quota);
    }
}

/// The nominal clock, otherwise the highest: `sysinfo` reports the current one where the kernel scales it.
fn nominal_clock_mhz(files: &Files) -> Option<u64> {
    for name in ["base_frequency", "cpuinfo_max_freq"] {
        let khz = files.text(&format!("/sys/devices/system/cpu/cpu0/cpufreq/{name}"));
        if let Some(khz) = khz.and_then(|khz| khz.parse::<u64>().ok()) {
            return Some(khz / 1000);
        }
    }
    None
}

/// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`; one of the two is enough.
fn os(files: &Files, kernel: Option<String>) -> Option<String> {
    let release = files.text("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.trim().strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| name.trim().trim_matches(['"', '\'']).to_owned());
    let kernel = kernel.map(|number| format!("Linux {number}"));
    let parts = [name.filter(|name| !name.is_empty()), kernel];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The leading numbers of a kernel's release: `6.8.0` of `6.8.0-1021-azure`. The rest can tell who built it.
fn kernel_number(release: &str) -> Option<String> {
    let number = release.split(|c: char| !c.is_ascii_digit() && c != '.');
    let number = number.map(|part| part.trim_matches('.')).next()?;
    (!number.is_empty()).then(|| number.to_owned())
}

/// The caches of the first processor, such as `L1d 48K, L1i 32K, L2 2M, L3 36M`.
fn caches(files: &Files) -> Option<String> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let mut caches = Vec::new();
    for index in files.names(folder) {
        let text = |name: &str| files.text(&format!("{folder}/{index}/{name}"));
        let (Some(level), Some(size), Some(kind)) = (text("level"), text("size"), text("type"))
        else {
            continue;
        };
        let Some(kib) = size.strip_suffix('K').and_then(|kib| kib.parse().ok()) else {
            continue;
        };
        let kind = match kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        caches.push(format!("L{level}{kind} {}", cache_size(kib)));
    }
    (!caches.is_empty()).then(|| caches.join(", "))
}

#[cfg(test)]
mod tests;
