//! The facts and identities that only files under `/proc`, `/sys` and `/etc` tell, without privileges.

mod files;
mod gpu;
mod identities;
mod virtualization;

use std::path::PathBuf;

use sysinfo::System;

use crate::identity::Identities;
use crate::machine::Machine;
use crate::smbios;
use crate::words::cache_size;
use files::Files;

/// Adds everything that this system's files tell.
pub fn add(machine: &mut Machine, identities: &mut Identities) {
    add_from(&Files(PathBuf::from("/")), machine, identities);
}

pub fn add_from(files: &Files, machine: &mut Machine, identities: &mut Identities) {
    identities::add(files, identities);
    if let (Some(cores), Some(quota)) = (&mut machine.logical_cores, quota(files)) {
        // The standard library rounds a quota down, but a machine class with 1.5 cores is not the one with 1.
        if cores.usable == Some(quota.floor().max(1.0)) {
            cores.usable = Some(quota);
        }
    }
    machine.clock_mhz = nominal_clock_mhz(files).or(machine.clock_mhz);
    machine.modules = smbios::modules(&files.firmware_table());
    machine.gpu = gpu::gpu(files);
    machine.os = os(files, &System::kernel_version().unwrap_or_default());
    machine.caches = caches(files);
    machine.virtualization = virtualization::virtualization(files);
}

/// The processors' worth of time that a container may use; fractions are usual.
fn quota(files: &Files) -> Option<f64> {
    let text = files.text("/sys/fs/cgroup/cpu.max")?;
    let (quota, period) = text.split_once(' ')?;
    let (quota, period): (u32, u32) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

/// The nominal clock, or the highest one: `sysinfo` reports the current clock if the kernel scales it.
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
///
/// Of the kernel's release only the number is printed: the rest can tell who built it.
fn os(files: &Files, kernel: &str) -> Option<String> {
    let release = files.text("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.unwrap_or_default().trim_matches(['"', '\'']);
    let end = kernel.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, _) = kernel.split_at(end.unwrap_or(kernel.len()));
    match (name, number) {
        ("", "") => None,
        (name, "") => Some(name.to_owned()),
        ("", number) => Some(format!("Linux {number}")),
        (name, number) => Some(format!("{name}, Linux {number}")),
    }
}

/// The caches of the first processor, such as `L1d 48K, L1i 32K, L2 2M, L3 36M`.
fn caches(files: &Files) -> Option<String> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let names = files.names(folder).into_iter();
    let caches = names.filter_map(|index| cache(files, &format!("{folder}/{index}")));
    let caches: Vec<_> = caches.collect();
    (!caches.is_empty()).then(|| caches.join(", "))
}

fn cache(files: &Files, folder: &str) -> Option<String> {
    let text = |name| files.text(&format!("{folder}/{name}"));
    let (level, size) = (text("level")?, text("size")?);
    let kind = match &*text("type")? {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    };
    let size = cache_size(size.strip_suffix('K')?.parse().ok()?);
    Some(format!("L{level}{kind} {size}"))
}

#[cfg(test)]
mod tests;
