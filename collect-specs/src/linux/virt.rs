//! The virtualization of the system: none, a virtual machine, a container, or a container in a virtual machine.

use super::cpu::Cpuinfo;
use super::tree::Tree;
use crate::Environment;
use crate::machine::Probed;

/// Names of the firmware of virtual machines, in lower case. The first that fits counts.
const FIRMWARE: [(&str, &[&str]); 8] = [
    ("virtualbox", &["virtualbox", "innotek"]),
    ("vmware", &["vmware"]),
    ("parallels", &["parallels"]),
    ("hyper-v", &["microsoft corporation virtual machine"]),
    ("xen", &["xen"]),
    ("bhyve", &["bhyve"]),
    ("apple", &["apple virtualization"]),
    (
        "kvm",
        &[
            "kvm",
            "qemu",
            "openstack",
            "kubevirt",
            "google compute engine",
            "amazon ec2",
            "digitalocean",
        ],
    ),
];

/// Clocks that only the guests of a hypervisor have.
const CLOCKS: [(&str, &str); 3] = [("kvm-clock", "kvm"), ("hyperv", "hyper-v"), ("xen", "xen")];

/// `none`, `kvm`, `container`, `container on kvm` and the like.
pub fn virtualization(tree: &Tree, cpuinfo: &Cpuinfo, environment: &Environment) -> Probed<String> {
    let hypervisor = hypervisor(tree, cpuinfo);
    match (is_container(tree, environment), hypervisor) {
        (true, None | Some("none")) => Ok("container".to_owned()),
        (true, Some(hypervisor)) => Ok(format!("container on {hypervisor}")),
        (false, Some(hypervisor)) => Ok(hypervisor.to_owned()),
        (false, None) => Err("neither the processor nor the firmware reports it".to_owned()),
    }
}

/// The hypervisor for what firmware calls a system, if it is one's.
pub fn of_firmware(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    FIRMWARE
        .iter()
        .find(|(_, names)| names.iter().any(|known| name.contains(known)))
        .map(|(word, _)| *word)
}

fn hypervisor(tree: &Tree, cpuinfo: &Cpuinfo) -> Option<&'static str> {
    if tree
        .text("/proc/sys/kernel/osrelease")
        .is_ok_and(|release| release.to_lowercase().contains("microsoft"))
    {
        return Some("wsl");
    }
    let flag = cpuinfo.has_flag("hypervisor");
    // Cloud firmware is also found on rented machines of bare metal, where the flag is not.
    if flag == Some(false) && !tree.exists("/sys/hypervisor/type") {
        return Some("none");
    }
    let firmware = firmware(tree);
    let of_clock = || {
        let clocks = tree
            .text("/sys/devices/system/clocksource/clocksource0/available_clocksource")
            .ok()?;
        CLOCKS
            .iter()
            .find(|(clock, _)| clocks.contains(clock))
            .map(|(_, word)| *word)
    };
    let known = firmware.as_deref().and_then(of_firmware).or_else(of_clock);
    known.or(match (flag, firmware) {
        (Some(true), _) => Some("virtual machine"),
        (_, Some(_)) => Some("none"),
        _ => None,
    })
}

fn firmware(tree: &Tree) -> Option<String> {
    let dmi = ["sys_vendor", "product_name"]
        .map(|file| tree.text(&format!("/sys/class/dmi/id/{file}")).ok());
    let boards = [
        "/proc/device-tree/hypervisor/compatible",
        "/proc/device-tree/compatible",
    ];
    let boards = boards.map(|file| tree.text(file).ok());
    let hypervisor = tree.text("/sys/hypervisor/type").ok();
    let names: Vec<_> = dmi
        .into_iter()
        .chain(boards)
        .chain([hypervisor])
        .flatten()
        .collect();
    let names = names.join(" ");
    (!names.trim().is_empty()).then_some(if names.contains("linux,dummy-virt") {
        "qemu".to_owned()
    } else {
        names
    })
}

fn is_container(tree: &Tree, environment: &Environment) -> bool {
    let files = [
        "/.dockerenv",
        "/run/.containerenv",
        "/run/systemd/container",
    ];
    let groups = tree.text("/proc/self/cgroup").unwrap_or_default();
    let managers = [
        "docker",
        "kubepods",
        "containerd",
        "libpod",
        "lxc",
        "garden",
    ];
    // In a line such as `0::/system.slice/docker-5f1.scope`; `docker.service` is the manager itself.
    let is_managed = |name: &str| {
        managers
            .into_iter()
            .any(|manager| name.starts_with(manager))
            && !name.ends_with(".service")
    };
    files.into_iter().any(|file| tree.exists(file))
        || ["container", "KUBERNETES_SERVICE_HOST"]
            .into_iter()
            .any(|name| environment.contains_key(name))
        || groups
            .lines()
            .flat_map(|line| line.split('/').skip(1))
            .any(is_managed)
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    const GUEST: (&str, &str) = ("/proc/cpuinfo", "flags : fpu hypervisor\n");
    const HOST: (&str, &str) = ("/proc/cpuinfo", "flags : fpu\n");

    fn found(files: &[(&str, &str)]) -> String {
        let (_folder, tree) = planted(files);
        let found = virtualization(&tree, &Cpuinfo::read(&tree), &Environment::new());
        found.unwrap_or_else(|why| why)
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
    fn bare_metal_is_none_and_silence_is_not() {
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
        assert_eq!(
            found(&[]),
            "neither the processor nor the firmware reports it"
        );
    }

    #[test]
    fn containers_are_known_by_their_marks_and_named_with_what_is_below() {
        assert_eq!(found(&[HOST, ("/.dockerenv", "")]), "container");
        assert_eq!(found(&[("/run/.containerenv", "")]), "container");
        assert_eq!(
            found(&[GUEST, ("/proc/self/cgroup", "0::/kubepods/pod1/x")]),
            "container on virtual machine"
        );
        assert_eq!(
            found(&[
                HOST,
                ("/proc/self/cgroup", "0::/system.slice/docker-5f1.scope")
            ]),
            "container"
        );
        assert_eq!(
            found(&[
                HOST,
                ("/proc/self/cgroup", "0::/system.slice/docker.service")
            ]),
            "none"
        );
        let (_folder, tree) = planted(&[HOST]);
        let podman = Environment::from([("container".to_owned(), "podman".to_owned())]);
        assert_eq!(
            virtualization(&tree, &Cpuinfo::read(&tree), &podman).unwrap(),
            "container"
        );
    }
}
