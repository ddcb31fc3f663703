//! Nothing that identifies a machine or its users leaves it, in any file or value.

use crate::identity::{ADDRESS, Identities};
use crate::linux::add_from;
use crate::linux::files::tests::planted;
use crate::machine::{Limited, Machine};
use crate::redact::redact;
use crate::smbios::tests::structure;
use perf_model::machine::{MachineSpecs, UNKNOWN};

/// The planted secrets, each different from everything else.
const SECRETS: [&str; 16] = [
    "gannet-42",                            // host name
    "skerry.meridian.example",              // its domain
    "oquill",                               // user
    "Orla Quillfeather",                    // full name
    "/home/stormpetrel",                    // home folder
    "02:fc:5a:11:9e:07",                    // MAC address
    "198.51.100.77",                        // IPv4 address
    "2001:db8:77::ab1e",                    // IPv6 address
    "PF-3XW9QK",                            // machine's serial number
    "E77C01D9",                             // memory module's serial number
    "9b1f5e0c-77aa-4c1e-8a55-d15ea5e0cafe", // machine's UUID
    "7f3c2b9a1d5e4f60a7b8c9d0e1f20314",     // machine-id
    "skua-builder-3",                       // runner's name
    "dunlin",                               // the account behind sudo
    "whimbrel",                             // who started the workflow
    "WD-WX41D7",                            // disk
];

const IDENTITY: [(&str, &str); 6] = [
    ("/etc/hostname", "gannet-42.skerry.meridian.example\n"),
    (
        "/etc/passwd",
        "oquill:x:1000:1000:Orla Quillfeather,,,:/home/stormpetrel:/bin/sh\n",
    ),
    ("/sys/class/dmi/id/product_serial", "PF-3XW9QK\n"),
    (
        "/sys/class/dmi/id/product_uuid",
        "9b1f5e0c-77aa-4c1e-8a55-d15ea5e0cafe\n",
    ),
    ("/etc/machine-id", "7f3c2b9a1d5e4f60a7b8c9d0e1f20314\n"),
    ("/sys/block/nvme0n1/device/serial", "WD-WX41D7   \n"),
];

const ENVIRONMENT: [(&str, &str); 6] = [
    ("USER", "oquill"),
    ("HOME", "/home/stormpetrel"),
    ("HOSTNAME", "gannet-42"),
    ("RUNNER_NAME", "skua-builder-3"),
    ("SUDO_USER", "dunlin"),
    ("GITHUB_ACTOR", "whimbrel"),
];

/// A desktop machine's files.
const DESKTOP: [(&str, &str); 8] = [
    ("/proc/cpuinfo", "processor\t: 0\nflags\t: fpu lm\n"),
    (
        "/etc/os-release",
        "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n",
    ),
    ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x1002\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/device", "0x744c\n"),
];

/// A table with one module of 64 GB, and serial numbers.
fn firmware_table(system_serial: &str, module_serial: &str) -> Vec<u8> {
    let system = structure(1, 0x1b, &[(7, &[1])], &[system_serial]);
    let module: [(usize, &[u8]); 5] = [
        (0x0c, &[0xff, 0x7f]),
        (0x12, &[0x22]),
        (0x18, &[1]),
        (0x1c, &[0, 0, 1, 0]),
        (0x20, &[0x70, 0x17]),
    ];
    [system, structure(17, 0x28, &module, &[module_serial])].concat()
}

/// The facts and identities that `sysinfo` reports.
fn desktop(identities: &mut Identities) -> Machine {
    identities.add_host("gannet-42");
    identities.add(ADDRESS, "02:fc:5a:11:9e:07");
    for address in ["198.51.100.77", "2001:db8:77::ab1e"] {
        identities.add_address(address.parse().unwrap());
    }
    Machine {
        cpu: Some("AMD Ryzen 9 7950X 16-Core Processor".to_owned()),
        physical_cores: Some(1),
        logical_cores: Some(Limited {
            all: 2,
            usable: None,
        }),
        clock_mhz: Some(4500),
        memory: Some(Limited {
            all: 65_011_712 * 1024,
            usable: None,
        }),
        arch: Some("x86_64".to_owned()),
        family: "linux",
        ..Machine::default()
    }
}

/// Describes the desktop with changed files and values; returns the description and the warnings.
fn described(files: &[(&str, &str)], change: impl Fn(&mut Machine)) -> (MachineSpecs, String) {
    let (_folder, planted) = planted(&[&DESKTOP[..], &IDENTITY, files].concat());
    let table = planted.path("/sys/firmware/dmi/tables/DMI");
    std::fs::create_dir_all(table.parent().unwrap()).unwrap();
    std::fs::write(table, firmware_table("PF-3XW9QK", "E77C01D9")).unwrap();
    let mut identities = Identities::from_environment(|variable| {
        let mut environment = ENVIRONMENT.into_iter();
        let (_, value) = environment.find(|(name, _)| *name == variable)?;
        Some(value.to_owned())
    });
    let mut machine = desktop(&mut identities);
    change(&mut machine);
    add_from(&planted, &mut machine, &mut identities);
    let (specs, warnings) = redact(&machine, &identities);
    (specs, warnings.join("\n"))
}

/// Removes everything but letters and digits, so that a secret with other punctuation is found.
fn squeezed(text: &str) -> String {
    text.to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

fn assert_nothing_left(specs: &MachineSpecs, warnings: &str, secret: &str) {
    let json = serde_json::to_string(specs).unwrap();
    let everything = [&json, &*specs.summary(), warnings].join("\n");
    assert!(
        !squeezed(&everything).contains(&squeezed(secret)),
        "`{secret}` has left:\n{everything}"
    );
}

#[test]
fn a_machine_with_an_identity_is_described_without_it() {
    let (specs, warnings) = described(&[], |_| ());
    for secret in SECRETS {
        assert_nothing_left(&specs, &warnings, secret);
    }
    // Nothing was withheld: the description is complete.
    assert_eq!(warnings, "");
    // The kernel version comes from the real machine.
    let (os, _) = specs.os.split_once(", ").unwrap();
    let specs = MachineSpecs {
        os: os.to_owned(),
        ..specs
    };
    insta::assert_snapshot!(serde_json::to_string_pretty(&specs).unwrap(), @r#"
    {
      "cpu": "AMD Ryzen 9 7950X 16-Core Processor",
      "physicalCores": "1",
      "logicalCores": "2",
      "clockMhz": "4500",
      "ramGb": "64",
      "ramSpeedMhz": "6000",
      "ramType": "DDR5",
      "gpu": "AMD GPU [1002:744c]",
      "os": "Ubuntu 24.04.1 LTS",
      "arch": "x86_64",
      "caches": "L1d 32K",
      "virtualization": "none",
      "machineClass": "amd-ryzen-9-7950x-1c2t-x86_64-linux-64g"
    }
    "#);
    insta::assert_snapshot!(specs.summary(), @"AMD Ryzen 9 7950X 16-Core Processor, 1C/2T @ 4500MHz; 64GB DDR5@6000; AMD GPU [1002:744c]; Ubuntu 24.04.1 LTS");
}

#[test]
fn a_secret_in_a_value_is_withheld_from_every_output() {
    for secret in SECRETS {
        for written in [
            secret.to_owned(),
            secret.to_uppercase(),
            secret.replace([':', '-', '.', ' '], "_"),
        ] {
            let os = format!("PRETTY_NAME=\"Linux for {written}\"\n");
            let gpu = format!("Model: GPU ({written})\n");
            let leaks = [
                ("/etc/os-release", &*os),
                ("/proc/driver/nvidia/gpus/0000:01:00.0/information", &gpu),
            ];
            let (specs, warnings) = described(&leaks, |machine| {
                machine.cpu = Some(format!("Ryzen of {written}"));
                machine.arch = Some(written.clone());
            });
            assert_nothing_left(&specs, &warnings, secret);
            for value in [&specs.cpu, &specs.gpu, &specs.os] {
                assert_eq!(value, UNKNOWN, "{written}");
            }
            assert_eq!(specs.arch, UNKNOWN, "{written}");
            assert!(
                warnings.contains("withheld `cpu`, `gpu`, `os`, `arch`: "),
                "{warnings}"
            );
        }
    }
}

#[test]
fn a_value_cannot_write_a_workflow_command_or_a_second_line() {
    let release = "PRETTY_NAME=\"x\r::error::owned \u{1b}]0;title\u{7} \u{202e}desrever\"\n";
    let (specs, _) = described(&[("/etc/os-release", release)], |_| ());
    let summary = specs.summary();
    assert_eq!(summary.lines().count(), 1);
    assert!(!summary.contains(char::is_control), "{summary:?}");
    assert!(!summary.starts_with("::"));
}

#[test]
fn common_names_hide_nothing() {
    let files = [
        (
            "/etc/passwd",
            "root:x:0:0:root:/root:/bin/sh\namd:x:1000:1000:AMD:/home/amd:/bin/sh\n",
        ),
        ("/etc/hostname", "ubuntu\n"),
        ("/sys/class/dmi/id/product_serial", "Default string"),
        ("/sys/class/dmi/id/board_serial", "None"),
    ];
    let (specs, warnings) = described(&files, |_| ());
    assert_eq!(warnings, "");
    let json = serde_json::to_string(&specs).unwrap();
    assert!(!json.contains("unknown"), "{json}");
}

#[test]
fn garbage_in_files_causes_no_error() {
    let garbage = [
        &[0xff; 4096][..],
        &[0; 4096],
        b"::::\n::::",
        b"-1",
        b"99999999999999999999999999",
        b"0x",
    ];
    for garbage in garbage {
        let (_folder, planted) = planted(&[&DESKTOP[..], &IDENTITY].concat());
        let more = ["/sys/firmware/dmi/tables/DMI", "/usr/share/misc/pci.ids"];
        for (path, _) in DESKTOP.iter().chain(&IDENTITY) {
            std::fs::write(planted.path(path), garbage).unwrap();
        }
        for path in more {
            std::fs::create_dir_all(planted.path(path).parent().unwrap()).unwrap();
            std::fs::write(planted.path(path), garbage).unwrap();
        }
        let mut identities = Identities::default();
        let mut machine = desktop(&mut identities);
        add_from(&planted, &mut machine, &mut identities);
        let (specs, _) = redact(&machine, &identities);
        assert_eq!(specs.summary().lines().count(), 1, "{garbage:?}");
    }
}

#[test]
fn unknown_system_is_still_described() {
    let (specs, warnings) = redact(&Machine::default(), &Identities::default());
    assert_eq!(specs, MachineSpecs::default());
    insta::assert_snapshot!(warnings.join("\n"), @r"
    unknown `cpu`, `physicalCores`, `logicalCores`, `clockMhz`, `ramGb`, `gpu`, `os`, `arch`, `caches`, `virtualization`: not reported by the system
    unknown `machineClass`: a part of it is unknown
    ");
}
