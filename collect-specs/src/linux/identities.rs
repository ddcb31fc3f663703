//! Names and serial numbers of this system that `sysinfo` does not report.

use super::files::Files;
use super::gpu::NVIDIA;
use crate::identity::{HARDWARE, HOME, Identities, USER};
use crate::smbios;

/// Files that contain one host name.
const HOSTS: [&str; 2] = ["/proc/sys/kernel/domainname", "/etc/hostname"];

/// Files that contain one serial number or UUID. On most systems, only administrators can read the firmware's numbers.
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

/// Files with serial numbers in a disk's folder.
const DISK_NUMBERS: [&str; 4] = ["device/serial", "device/wwid", "wwid", "serial"];

/// Adds all identities in the system's files. An identity that cannot be read cannot be printed either.
pub fn add(files: &Files, identities: &mut Identities) {
    let text = |path: &str| files.text(path).unwrap_or_default();
    for path in HOSTS {
        identities.add_host(&text(path));
    }
    for path in NUMBERS {
        identities.add(HARDWARE, &text(path));
    }
    for serial in smbios::serials(&files.firmware_table()) {
        identities.add(HARDWARE, &serial);
    }
    for line in text("/proc/cpuinfo").lines() {
        if let Some(serial) = line.strip_prefix("Serial") {
            identities.add(HARDWARE, serial);
        }
    }
    for disk in files.names("/sys/block") {
        for name in DISK_NUMBERS {
            identities.add(HARDWARE, &text(&format!("/sys/block/{disk}/{name}")));
        }
    }
    for device in files.names(NVIDIA) {
        for line in text(&format!("{NVIDIA}/{device}/information")).lines() {
            if let Some(uuid) = line.strip_prefix("GPU UUID:") {
                identities.add(HARDWARE, uuid);
            }
        }
    }
    for account in text("/etc/passwd").lines() {
        add_account(account, identities);
    }
}

/// Adds the names in an account's line, `name:x:uid:gid:full name,room,phone:home:shell`.
fn add_account(account: &str, identities: &mut Identities) {
    let fields: Vec<_> = account.split(':').collect();
    let [name, _, _, _, about, home, ..] = fields.as_slice() else {
        return;
    };
    identities.add(USER, name);
    for part in about.split(',') {
        identities.add(USER, part);
    }
    // The folder's own name is added only for people. Daemons' folders have names such as `bin` and `games`.
    if home.starts_with("/home/") {
        identities.add_home(home);
    } else {
        identities.add(HOME, home);
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::tests::planted;
    use super::*;
    use crate::identity::HOST;
    use crate::smbios::tests::structure;

    fn kind(planted_files: &[(&str, &str)], text: &str) -> Option<&'static str> {
        let (_folder, files) = planted(planted_files);
        let mut identities = Identities::default();
        add(&files, &mut identities);
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
    fn device_serial_numbers_are_identities() {
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
            kind(
                &[(
                    "/sys/firmware/dmi/tables/DMI",
                    str::from_utf8(&table).unwrap()
                )],
                "a 5f1c99a0"
            ),
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
}
