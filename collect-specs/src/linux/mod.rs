//! Linux has nearly everything in files under `/proc`, `/sys` and `/etc`; `sysinfo` fills the gaps of the running system.
//!
//! Each probe is a function of a [`Tree`] and fails alone. Nothing here needs privileges; what only an
//! administrator may read (the SMBIOS table, serial numbers) is used when it can be read.

mod cgroup;
mod cpu;
mod gpu;
mod memory;
mod mine;
mod os;
mod tree;
mod virt;

pub use tree::Tree;
#[cfg(windows)]
pub use virt::of_firmware;

use crate::Environment;
use crate::identity::Identities;
use crate::machine::Machine;

/// Describes the machine and adds what it knows of its identities.
pub fn look(tree: &Tree, environment: &Environment, identities: &mut Identities) -> Machine {
    mine::add(tree, identities);
    let cpuinfo = cpu::Cpuinfo::read(tree);
    Machine {
        cpu: cpu::model(tree, &cpuinfo),
        physical_cores: cpu::physical_cores(tree),
        logical_cores: cpu::logical_cores(tree, &cpuinfo),
        clock_mhz: cpu::clock_mhz(tree, &cpuinfo),
        memory: memory::memory(tree),
        modules: memory::modules(tree),
        gpu: gpu::gpu(tree),
        os: os::os(tree),
        arch: Ok(os::arch(tree)),
        caches: cpu::caches(tree),
        virtualization: virt::virtualization(tree, &cpuinfo, environment),
        family: "linux",
    }
}
