//! Facts and identities that `sysinfo` reports on every system, and those from the system's own probes.
//!
//! Only the needed facts are queried; a full refresh, which includes processes, takes far longer.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, Networks, System, Users};

use crate::identity::{ADDRESS, Identities, USER};
#[cfg(target_os = "linux")]
use crate::linux as native;
use crate::machine::{Limited, Machine};
#[cfg(target_os = "macos")]
use crate::macos as native;
#[cfg(windows)]
use crate::windows as native;
use crate::words::distinct;

/// Describes the machine and adds its identities.
pub fn probe(identities: &mut Identities) -> Machine {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing().with_frequency());
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let cpus = system.cpus();
    // Arm processors can mix several kinds of cores.
    let kinds = distinct(cpus.iter().map(|cpu| cpu.brand().trim().to_owned()));
    let clock = cpus.first().map(sysinfo::Cpu::frequency);
    // Use the compiler's name for the instruction set. macOS and Windows call it `arm64`.
    let arch = System::cpu_arch().replace("arm64", "aarch64");
    let mut machine = Machine {
        cpu: Some(kinds),
        physical_cores: System::physical_core_count().filter(|cores| *cores > 0),
        logical_cores: cores(cpus.len()),
        clock_mhz: clock.filter(|mhz| *mhz > 0),
        memory: memory(&system),
        os: System::long_os_version(),
        arch: Some(arch),
        family: std::env::consts::OS,
        ..Machine::default()
    };
    if let Some(host) = System::host_name() {
        identities.add_host(&host);
    }
    for user in &Users::new_with_refreshed_list() {
        identities.add(USER, user.name());
    }
    for network in Networks::new_with_refreshed_list().values() {
        identities.add(ADDRESS, &network.mac_address().to_string());
        for network in network.ip_networks() {
            identities.add_address(network.addr);
        }
    }
    native::add(&mut machine, identities);
    machine
}

/// The number of hardware threads, and how many of them CPU affinity and control groups allow this process to use.
fn cores(all: usize) -> Option<Limited<usize>> {
    let usable = std::thread::available_parallelism().ok()?.get();
    // On Windows, only one group of 64 threads is counted, which is not a limit.
    let is_limited = usable < all && cfg!(target_os = "linux");
    let usable = u32::try_from(usable).ok().filter(|_| is_limited);
    let usable = usable.map(f64::from);
    (all > 0).then_some(Limited { all, usable })
}

/// The memory in bytes, and how much of it control groups allow this process to use.
fn memory(system: &System) -> Option<Limited<u64>> {
    let all = system.total_memory();
    if all == 0 {
        return None;
    }
    let limit = system.cgroup_limits().map(|limits| limits.total_memory);
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let usable = limit
        .filter(|limit| (1..all).contains(limit))
        .map(|limit| limit as f64);
    Some(Limited { all, usable })
}

/// Adds nothing, because other systems have no probe of their own.
#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod native {
    use crate::identity::Identities;
    use crate::machine::Machine;

    pub fn add(_: &mut Machine, _: &mut Identities) {}
}
