//! The names, addresses and serial numbers of this system.

use std::net::{IpAddr, Ipv6Addr};

use super::memory::TABLE;
use super::tree::Tree;
use crate::identity::{ADDRESS, HARDWARE, HOME, Identities, USER};
use crate::smbios;

/// Files that hold one host name.
const HOSTS: [&str; 3] = [
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/domainname",
    "/etc/hostname",
];

/// Files that hold one serial number or UUID; the firmware's are for administrators on most systems.
const NUMBERS: [&str; 11] = [
    "/etc/machine-id",
    "/var/lib/dbus/machine-id",
    "/proc/sys/kernel/random/boot_id",
    "/sys/class/dmi/id/product_serial",
    "/sys/class/dmi/id/product_uuid",
    "/sys/class/dmi/id/board_serial",
    "/sys/class/dmi/id/board_asset_tag",
    "/sys/class/dmi/id/chassis_serial",
    "/sys/class/dmi/id/chassis_asset_tag",
    "/proc/device-tree/serial-number",
    "/sys/hypervisor/uuid",
];

/// Adds everything that the system says about itself; what cannot be read cannot be printed either.
pub fn add(tree: &Tree, identities: &mut Identities) {
    for host in HOSTS.iter().filter_map(|path| tree.text(path).ok()) {
        identities.add_host(&host);
    }
    for number in NUMBERS.iter().filter_map(|path| tree.text(path).ok()) {
        identities.add(HARDWARE, &number);
    }
    for serial in smbios::serials(&tree.bytes(TABLE).unwrap_or_default()) {
        identities.add(HARDWARE, &serial);
    }
    add_devices(tree, identities);
    add_people(&tree.text("/etc/passwd").unwrap_or_default(), identities);
    add_addresses(tree, identities);
}

/// Serial numbers of processors, disks and graphics adapters.
fn add_devices(tree: &Tree, identities: &mut Identities) {
    let cpuinfo = tree.text("/proc/cpuinfo").unwrap_or_default();
    for (_, serial) in cpuinfo
        .lines()
        .filter_map(|line| line.strip_prefix("Serial")?.split_once(':'))
    {
        identities.add(HARDWARE, serial);
    }
    for disk in tree.names("/sys/block") {
        let files = ["device/serial", "device/wwid", "wwid", "serial"];
        for number in files
            .iter()
            .filter_map(|file| tree.text(&format!("/sys/block/{disk}/{file}")).ok())
        {
            identities.add(HARDWARE, &number);
        }
    }
    for device in tree.names("/proc/driver/nvidia/gpus") {
        let text = tree
            .text(&format!("/proc/driver/nvidia/gpus/{device}/information"))
            .unwrap_or_default();
        if let Some(uuid) = text.lines().find_map(|line| line.strip_prefix("GPU UUID:")) {
            identities.add(HARDWARE, uuid);
        }
    }
}

/// Accounts `name:x:uid:gid:full name,room,phone:home:shell`.
fn add_people(passwd: &str, identities: &mut Identities) {
    for account in passwd.lines() {
        let fields: Vec<_> = account.split(':').collect();
        let [name, _, _, _, about, home, ..] = fields.as_slice() else {
            continue;
        };
        identities.add(USER, name);
        about.split(',').for_each(|part| identities.add(USER, part));
        // The folders of daemons end in names such as `bin` and `games`.
        if home.starts_with("/home/") {
            identities.add_home(home);
        } else {
            identities.add(HOME, home);
        }
    }
}

fn add_addresses(tree: &Tree, identities: &mut Identities) {
    for interface in tree.names("/sys/class/net") {
        if let Ok(mac) = tree.text(&format!("/sys/class/net/{interface}/address")) {
            identities.add(ADDRESS, &mac);
        }
    }
    let routes = tree.text("/proc/net/fib_trie").unwrap_or_default();
    let interfaces = tree.text("/proc/net/if_inet6").unwrap_or_default();
    // A routing table says on the line after an address that it is the host's own.
    let pairs = routes.lines().zip(routes.lines().skip(1));
    let own = pairs.filter(|(_, about)| about.contains("host LOCAL"));
    let version_4 = own.filter_map(|(line, _)| line.rsplit(' ').next()?.parse().ok());
    // A line of version 6 begins with the 32 digits of its address.
    let version_6 = interfaces.lines().filter_map(|line| {
        let digits = line.split(' ').next().filter(|digits| digits.len() == 32)?;
        u128::from_str_radix(digits, 16)
            .ok()
            .map(|number| Ipv6Addr::from_bits(number).into())
    });
    version_4
        .chain(version_6)
        .for_each(|address: IpAddr| identities.add_address(address));
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;
    use crate::identity::HOST;
    use crate::smbios::tests::structure;

    fn kind(files: &[(&str, &str)], text: &str) -> Option<&'static str> {
        let (_folder, tree) = planted(files);
        let mut identities = Identities::default();
        add(&tree, &mut identities);
        identities.given_away_by(text)
    }

    #[test]
    fn every_file_with_one_name_or_number_is_read() {
        for path in HOSTS {
            assert_eq!(kind(&[(path, "gull7\n")], "a Gull7"), Some(HOST), "{path}");
        }
        for path in NUMBERS {
            assert_eq!(
                kind(&[(path, "5F1C-99A0\0")], "a 5f1c99a0"),
                Some(HARDWARE),
                "{path}"
            );
        }
    }

    #[test]
    fn devices_have_serial_numbers_too() {
        for (path, content) in [
            ("/proc/cpuinfo", "Serial\t\t: 5f1c99a0"),
            ("/sys/block/nvme0n1/wwid", "5f1c99a0"),
            ("/sys/block/nvme0n1/device/serial", "5F1C99A0   "),
            (
                "/proc/driver/nvidia/gpus/0000/information",
                "Model: x\nGPU UUID: \t GPU-5f1c99a0\n",
            ),
        ] {
            assert_eq!(
                kind(&[(path, content)], "a GPU-5f1c99a0"),
                Some(HARDWARE),
                "{path}"
            );
        }
        let table = structure(2, 0x0f, &[(7, &[1])], &["5F1C99A0"]);
        assert_eq!(
            kind(&[(TABLE, str::from_utf8(&table).unwrap())], "a 5f1c99a0"),
            Some(HARDWARE)
        );
    }

    #[test]
    fn people_have_names_full_names_and_folders() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\norla:x:1000:1000:Orla Quill,Room 7,:/home/oquill:/bin/sh\nbroken:line\n";
        for (text, expected) in [
            ("Orla", Some(USER)),
            ("by Orla-Quill", Some(USER)),
            ("OQuill", Some(HOME)),
            ("root", None),
        ] {
            assert_eq!(kind(&[("/etc/passwd", passwd)], text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_are_found_however_they_are_written() {
        let files = [
            ("/sys/class/net/eth0/address", "02:fc:00:00:00:01\n"),
            ("/sys/class/net/lo/address", "00:00:00:00:00:00\n"),
            (
                "/proc/net/fib_trie",
                "Main:\n     |-- 127.0.0.1\n        /32 host LOCAL\n     |-- 192.0.2.7\n        /32 host LOCAL\n     |-- 192.0.2.255\n        /32 link BROADCAST\n",
            ),
            (
                "/proc/net/if_inet6",
                "20010db8000000000000000000000007 02 40 00 80 eth0\n",
            ),
        ];
        for text in [
            "02-FC-00-00-00-01",
            "x02fc00000001",
            "ip-192-0-2-7",
            "2001:db8::7",
        ] {
            assert_eq!(kind(&files, text), Some(ADDRESS), "{text}");
        }
        for text in ["127.0.0.1", "000000000000", "192.0.2.255", "192027"] {
            assert_eq!(kind(&files, text), None, "{text}");
        }
    }
}
