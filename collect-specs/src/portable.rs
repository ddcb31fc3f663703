//! Windows, macOS and others: what `sysinfo` reports, and what each adds of its own.
//!
//! Only what is needed is queried; a full refresh, processes included, takes far longer.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, Networks, System, Users};

use crate::identity::{ADDRESS, Identities, USER};
use crate::machine::{Limited, Machine, reported};

#[cfg(target_os = "macos")]
use crate::macos as native;
#[cfg(windows)]
use crate::windows as native;

/// Describes the machine and adds what it knows of its identities.
pub fn look(identities: &mut Identities) -> Machine {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing().with_frequency());
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    add_identities(identities);
    let cpu = system.cpus().first();
    let mut machine = Machine {
        cpu: reported(
            cpu.map(|cpu| cpu.brand().trim().to_owned())
                .filter(|brand| !brand.is_empty()),
        ),
        physical_cores: reported(System::physical_core_count()),
        logical_cores: reported(
            Some(system.cpus().len())
                .filter(|all| *all > 0)
                .map(without_limit),
        ),
        clock_mhz: reported(cpu.map(sysinfo::Cpu::frequency).filter(|mhz| *mhz > 0)),
        memory: reported(
            Some(system.total_memory())
                .filter(|all| *all > 0)
                .map(without_limit),
        ),
        modules: reported(None),
        gpu: reported(None),
        os: reported(System::long_os_version()),
        arch: Ok(std::env::consts::ARCH.to_owned()),
        caches: reported(None),
        virtualization: reported(None),
        family: std::env::consts::OS,
    };
    native::add(&mut machine, identities);
    machine
}

fn without_limit<T>(all: T) -> Limited<T> {
    Limited { all, usable: None }
}

fn add_identities(identities: &mut Identities) {
    if let Some(host) = System::host_name() {
        identities.add_host(&host);
    }
    for user in &Users::new_with_refreshed_list() {
        identities.add(USER, user.name());
    }
    for network in Networks::new_with_refreshed_list().values() {
        identities.add(ADDRESS, &network.mac_address().to_string());
        network
            .ip_networks()
            .iter()
            .for_each(|network| identities.add_address(network.addr));
    }
}

/// Systems that have nothing to add.
#[cfg(not(any(windows, target_os = "macos")))]
mod native {
    use crate::identity::Identities;
    use crate::machine::Machine;

    pub fn add(_: &mut Machine, _: &mut Identities) {}
}
