//! Detects whether the system runs in a virtual machine, in a container, in both, or in neither.

use super::files::Files;
use crate::smbios::hypervisor_by_firmware;

/// Files that identify the firmware, the board or the hypervisor.
const FIRMWARE: [&str; 5] = [
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/dmi/id/product_name",
    "/proc/device-tree/hypervisor/compatible",
    "/proc/device-tree/compatible",
    XEN,
];
const XEN: &str = "/sys/hypervisor/type";
/// Files that exist only in a container.
const MARKS: [&str; 3] = [
    "/.dockerenv",
    "/run/.containerenv",
    "/run/systemd/container",
];
/// The virtualization in words, such as `none`, `kvm`, `container` or `container on kvm`. `None` if unknown.
pub fn virtualization(files: &Files) -> Option<String> {
    let hypervisor = hypervisor(files);
    if !is_container(files) {
        return hypervisor.map(str::to_owned);
    }
    Some(match hypervisor {
        None | Some("none") => "container".to_owned(),
        Some(hypervisor) => format!("container on {hypervisor}"),
    })
}

/// The hypervisor's name, or `none` on bare metal. `None` if unknown.
fn hypervisor(files: &Files) -> Option<&'static str> {
    let text = |path| files.text(path).unwrap_or_default();
    let kernel = text("/proc/sys/kernel/osrelease").to_lowercase();
    if kernel.contains("microsoft") {
        return Some("wsl");
    }
    // Processors other than x86 do not list these flags.
    let cpuinfo = text("/proc/cpuinfo");
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    let is_guest = flags.map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    // Rented bare metal can also have cloud firmware, but not the hypervisor flag.
    if is_guest == Some(false) && !files.path(XEN).exists() {
        return Some("none");
    }
    let firmware = FIRMWARE.map(text).join(" ");
    if let Some(hypervisor) = hypervisor_by_firmware(&firmware) {
        return Some(hypervisor);
    }
    let clocks = text("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    if clocks.contains("kvm-clock") {
        return Some("kvm");
    }
    if is_guest == Some(true) {
        return Some("virtual machine");
    }
    (!firmware.trim().is_empty()).then_some("none")
}

fn is_container(files: &Files) -> bool {
    let environment = files.text("/proc/self/environ").unwrap_or_default();
    let has_variable = environment.split('\0').any(|variable| {
        variable.starts_with("container=") || variable.starts_with("KUBERNETES_SERVICE_HOST=")
    });
    has_variable || MARKS.iter().any(|path| files.path(path).exists())
}

#[cfg(test)]
mod tests {
    use super::super::files::tests::planted;
    use super::*;

    const GUEST: (&str, &str) = ("/proc/cpuinfo", "flags : fpu hypervisor\n");
    const HOST: (&str, &str) = ("/proc/cpuinfo", "flags : fpu\n");

    fn found(files: &[(&str, &str)]) -> String {
        let (_folder, files) = planted(files);
        virtualization(&files).unwrap_or_default()
    }

    #[test]
    fn hypervisors_are_known_by_firmware_clock_or_flag() {
        let product = "/sys/class/dmi/id/product_name";
        let vendor = "/sys/class/dmi/id/sys_vendor";
        let clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
        assert_eq!(
            found(&[GUEST, (vendor, "QEMU"), (product, "Standard PC (Q35)")]),
            "kvm"
        );
        assert_eq!(
            found(&[
                GUEST,
                (vendor, "Microsoft Corporation\n"),
                (product, "Virtual Machine\n")
            ]),
            "hyper-v"
        );
        assert_eq!(found(&[GUEST, (vendor, "innotek GmbH")]), "virtualbox");
        assert_eq!(found(&[GUEST, (clocks, "tsc kvm-clock \n")]), "kvm");
        assert_eq!(found(&[GUEST, ("/sys/hypervisor/type", "xen")]), "xen");
        assert_eq!(found(&[GUEST]), "virtual machine");
        assert_eq!(
            found(&[
                GUEST,
                (
                    "/proc/sys/kernel/osrelease",
                    "5.15.1-microsoft-standard-WSL2"
                )
            ]),
            "wsl"
        );
        assert_eq!(
            found(&[("/proc/device-tree/compatible", "linux,dummy-virt\0")]),
            "kvm"
        );
    }

    #[test]
    fn bare_metal_differs_from_unknown() {
        assert_eq!(
            found(&[HOST, ("/sys/class/dmi/id/sys_vendor", "Amazon EC2")]),
            "none"
        );
        assert_eq!(
            found(&[(
                "/proc/device-tree/compatible",
                "raspberrypi,5-model-b\0brcm,bcm2712\0"
            )]),
            "none"
        );
        assert_eq!(found(&[]), "");
    }

    #[test]
    fn containers_are_detected_and_shown_with_hypervisor() {
        assert_eq!(found(&[HOST, ("/.dockerenv", "")]), "container");
        assert_eq!(found(&[("/run/.containerenv", "")]), "container");
        assert_eq!(
            found(&[
                GUEST,
                ("/proc/self/environ", "KUBERNETES_SERVICE_HOST=10.0.0.1")
            ]),
            "container on virtual machine"
        );
        assert_eq!(
            found(&[
                HOST,
                ("/proc/self/environ", "HOME=/root\0container=podman\0")
            ]),
            "container"
        );
    }
}
