//! Facts from macOS's `sysctl`. It answers in milliseconds, whereas `system_profiler` takes seconds.

use std::process::{Command, Stdio};

use crate::identity::{HARDWARE, Identities};
use crate::machine::Machine;
use crate::words::cache_size;

/// The caches, by `sysctl` name.
const CACHES: [(&str, &str); 4] = [
    ("hw.l1dcachesize", "L1d"),
    ("hw.l1icachesize", "L1i"),
    ("hw.l2cachesize", "L2"),
    ("hw.l3cachesize", "L3"),
];
const IN_VIRTUAL_MACHINE: &str = "kern.hv_vmm_present";
const UUID: &str = "kern.uuid";

/// Adds the facts and identities that the kernel reports.
pub fn add(machine: &mut Machine, identities: &mut Identities) {
    let answers = answers().unwrap_or_default();
    if let Some(uuid) = value(&answers, UUID) {
        identities.add(HARDWARE, uuid);
    }
    machine.caches = Some(caches(&answers));
    machine.virtualization = value(&answers, IN_VIRTUAL_MACHINE).map(|flag| {
        let word = if flag == "0" {
            "none"
        } else {
            "virtual machine"
        };
        word.to_owned()
    });
    // Apple's own processors include the graphics adapter.
    let chip = machine.cpu.as_ref().filter(|cpu| cpu.starts_with("Apple"));
    machine.gpu = chip.map(|chip| format!("{chip} GPU"));
}

/// The output of `sysctl`: lines `name: value`. Names that this macOS version does not know are missing.
fn answers() -> Option<String> {
    let names = CACHES
        .iter()
        .map(|(name, _)| *name)
        .chain([IN_VIRTUAL_MACHINE, UUID]);
    let output = Command::new("/usr/sbin/sysctl")
        .args(names)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()
}

fn value<'a>(answers: &'a str, name: &str) -> Option<&'a str> {
    answers
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .map(str::trim)
}

fn caches(answers: &str) -> String {
    let mut caches = Vec::new();
    for (name, label) in CACHES {
        let bytes = value(answers, name).and_then(|bytes| bytes.parse().ok());
        let bytes: u64 = bytes.unwrap_or_default();
        if bytes > 0 {
            caches.push(format!("{label} {}", cache_size(bytes / 1024)));
        }
    }
    caches.join(", ")
}
