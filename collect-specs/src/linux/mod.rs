//! Facts and identities from files under `/proc`, `/sys` and `/etc` that are readable without privileges.

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

/// Adds all facts and identities from this system's files.
pub fn add(machine: &mut Machine, identities: &mut Identities) {
    add_from(&Files(PathBuf::from("/")), machine, identities);
}

pub fn add_from(files: &Files, machine: &mut Machine, identities: &mut Identities) {
    identities::add(files, identities);
    if let (Some(cores), Some(quota)) = (&mut machine.logical_cores, quota(files)) {
        // The standard library rounds the quota down, but 1.5 cores and 1 core are different machine classes.
        if cores.usable == Some(quota.floor().max(1.0)) {
            cores.usable = Some(quota);
        }
    }
    machine.clock_mhz = nominal_clock_mhz(files).or(machine.clock_mhz);
    machine.modules = smbios::modules(&files.firmware_table());
    machine.gpu = gpu::gpu(files);
    machine.os = Some(os(files, &System::kernel_version().unwrap_or_default()));
    machine.caches = Some(caches(files));
    machine.virtualization = virtualization::virtualization(files);
}

/// The CPU quota of a container in cores, often a fraction.
fn quota(files: &Files) -> Option<f64> {
    let text = files.text("/sys/fs/cgroup/cpu.max")?;
    let (quota, period) = text.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then_some(quota / period)
}

/// The processor's nominal clock or, if that is unknown, its maximum clock. `sysinfo` is not used, because it reports the
/// current clock if the kernel scales it.
fn nominal_clock_mhz(files: &Files) -> Option<u64> {
    let folder = "/sys/devices/system/cpu/cpu0/cpufreq";
    let mut names = ["base_frequency", "cpuinfo_max_freq"].into_iter();
    let khz = names.find_map(|name| files.text(&format!("{folder}/{name}")))?;
    Some(khz.parse::<u64>().ok()? / 1000)
}

/// The names and versions of the distribution and the kernel, such as `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`. An
/// unknown part is left out.
///
/// Only the kernel's version number is printed: the rest of its release name can reveal who built it.
fn os(files: &Files, kernel: &str) -> String {
    let mut parts = Vec::new();
    let release = files.text("/etc/os-release").unwrap_or_default();
    let mut lines = release.lines();
    if let Some(name) = lines.find_map(|line| line.strip_prefix("PRETTY_NAME=")) {
        parts.push(name.trim_matches(['"', '\'']).to_owned());
    }
    let end = kernel.find(|c: char| !c.is_ascii_digit() && c != '.');
    let number = &kernel[..end.unwrap_or(kernel.len())];
    if !number.is_empty() {
        parts.push(format!("Linux {number}"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The caches of the first processor, such as `L1d 48K, L1i 32K, L2 2M, L3 36M`.
fn caches(files: &Files) -> String {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let mut caches = Vec::new();
    for index in files.names(folder) {
        let text = |name| {
            files
                .text(&format!("{folder}/{index}/{name}"))
                .unwrap_or_default()
        };
        let kind = match text("type").as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        if let Ok(kib) = text("size").trim_end_matches('K').parse() {
            caches.push(format!("L{}{kind} {}", text("level"), cache_size(kib)));
        }
    }
    caches.join(", ")
}

#[cfg(test)]
mod tests;
