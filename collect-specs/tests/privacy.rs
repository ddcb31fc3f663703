//! Nothing that belongs to a machine or its people leaves it, whatever the system writes where.
#![cfg(unix)] // Windows has no colons in file names.

mod common;

use common::{DESKTOP, Planted, Run, firmware_table};

/// The planted secrets, each once and unlike anything else.
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

const IDENTITY: [(&str, &str); 10] = [
    ("/proc/sys/kernel/hostname", "gannet-42\n"),
    ("/etc/hostname", "gannet-42.skerry.meridian.example\n"),
    (
        "/etc/passwd",
        "oquill:x:1000:1000:Orla Quillfeather,,,:/home/stormpetrel:/bin/sh\n",
    ),
    ("/sys/class/net/enp5s0/address", "02:fc:5a:11:9e:07\n"),
    (
        "/proc/net/fib_trie",
        "Local:\n     |-- 198.51.100.77\n        /32 host LOCAL\n",
    ),
    (
        "/proc/net/if_inet6",
        "20010db800770000000000000000ab1e 02 40 00 80 enp5s0\n",
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

fn machine() -> Planted {
    let planted = Planted::new(&[&DESKTOP[..], &IDENTITY].concat());
    planted.add(
        "/sys/firmware/dmi/tables/DMI",
        firmware_table("PF-3XW9QK", "E77C01D9"),
    );
    planted
}

/// Letters and digits only, so that no other punctuation hides a secret.
fn squeezed(text: &str) -> String {
    text.to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

fn assert_nothing_left(run: &Run, secret: &str) {
    let everything = [&*run.stdout, &run.stderr, &run.json, &run.summary].join("\n");
    assert!(
        !squeezed(&everything).contains(&squeezed(secret)),
        "`{secret}` has left:\n{everything}"
    );
}

#[test]
fn a_machine_with_an_identity_is_described_without_it() {
    let run = machine().run(&ENVIRONMENT);
    for secret in SECRETS {
        assert_nothing_left(&run, secret);
    }
    // And nothing was withheld: the description is whole.
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(run.json, @r#"
    {
      "cpu": "AMD Ryzen 9 7950X 16-Core Processor",
      "physicalCores": "1",
      "logicalCores": "2",
      "clockMhz": "4500",
      "ramGb": "64",
      "ramSpeedMhz": "6000",
      "ramType": "DDR5",
      "gpu": "AMD GPU [1002:744c]",
      "os": "Ubuntu 24.04.1 LTS, Linux 6.8.0",
      "arch": "x86_64",
      "caches": "L1d 32K",
      "virtualization": "none",
      "machineClass": "amd-ryzen-9-7950x-1c2t-x86_64-linux-64g"
    }
    "#);
    assert_eq!(run.stdout, run.summary);
    insta::assert_snapshot!(run.stdout, @r"AMD Ryzen 9 7950X 16-Core Processor, 1C/2T @ 4500MHz; 64GB DDR5@6000; AMD GPU [1002:744c]; Ubuntu 24.04.1 LTS, Linux 6.8.0");
}

/// The fields whose value is a text of the system, and a file in which that text can hold a secret.
fn leaks(secret: &str) -> [(&'static str, &'static str, String); 4] {
    let cpuinfo = format!("processor : 0\nmodel name : Ryzen of {secret}\nflags : fpu\n");
    [
        ("cpu", "/proc/cpuinfo", cpuinfo),
        (
            "os",
            "/etc/os-release",
            format!("PRETTY_NAME=\"Linux for {secret}\"\n"),
        ),
        (
            "gpu",
            "/sys/bus/pci/devices/0000:01:00.0/product_name",
            format!("GPU ({secret})\n"),
        ),
        ("arch", "/proc/sys/kernel/arch", secret.to_owned()),
    ]
}

#[test]
fn a_secret_in_a_value_is_withheld_from_every_output() {
    for secret in SECRETS {
        for written in [
            secret.to_owned(),
            secret.to_uppercase(),
            secret.replace([':', '-', '.', ' '], "_"),
        ] {
            let planted = machine();
            let leaks = leaks(&written);
            for (_, path, content) in &leaks {
                planted.add(path, content);
            }
            let run = planted.run(&ENVIRONMENT);
            assert_nothing_left(&run, secret);
            let specs: serde_json::Value = serde_json::from_str(&run.json).unwrap();
            for (field, path, _) in &leaks {
                assert_eq!(
                    (run.code, &specs[field]),
                    (Some(0), &"unknown".into()),
                    "{path}: {written}"
                );
            }
            assert!(
                run.stderr.contains("withheld `cpu`, `gpu`, `os`, `arch`: "),
                "{}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_warning_in_github_actions_is_an_annotation_that_keeps_the_secret_too() {
    let planted = machine();
    planted.add("/etc/os-release", "PRETTY_NAME=\"Linux of oquill\"\n");
    let run = planted.run(&[&ENVIRONMENT[..], &[("GITHUB_ACTIONS", "true")]].concat());
    assert_nothing_left(&run, "oquill");
    insta::assert_snapshot!(run.stderr, @"::warning::withheld `os`: it would give away a user name");
}

#[test]
fn a_value_that_would_write_a_workflow_command_or_another_line_cannot() {
    let planted = machine();
    planted.add(
        "/etc/os-release",
        "PRETTY_NAME=\"x\r::error::owned \u{1b}]0;title\u{7} \u{202e}desrever\"\n",
    );
    let run = planted.run(&[("GITHUB_ACTIONS", "true")]);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(
        !run.stdout.contains(|c: char| c.is_control() && c != '\n'),
        "{:?}",
        run.stdout
    );
    assert!(!run.stdout.starts_with("::"));
}

#[test]
fn names_that_all_the_world_uses_blank_nothing() {
    let planted = Planted::new(&DESKTOP);
    planted.add("/proc/sys/kernel/hostname", "ubuntu\n");
    planted.add(
        "/etc/passwd",
        "root:x:0:0:root:/root:/bin/sh\namd:x:1000:1000:AMD:/home/amd:/bin/sh\n",
    );
    planted.add(
        "/sys/firmware/dmi/tables/DMI",
        firmware_table("Default string", "None"),
    );
    let run = planted.run(&[
        ("USER", "linux"),
        ("HOSTNAME", "x"),
        ("RUNNER_NAME", "GitHub Actions 24"),
    ]);
    assert_eq!(run.stderr, "");
    assert!(!run.json.contains("unknown"), "{}", run.json);
}

/// The real `/`, seen from a namespace in which the host has a planted name and the system's own files hold it.
#[cfg(target_os = "linux")]
#[test]
fn a_planted_host_name_stays_in_its_namespace() {
    const SCRIPT: &str = "echo gannet-42 > /proc/sys/kernel/hostname && mount --bind \"$1\" /etc/os-release && exec \"$2\"";
    let planted = Planted::new(&[("/os-release", "PRETTY_NAME=\"Linux on gannet-42\"\n")]);
    let mut command = std::process::Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--uts",
        "--mount",
        "--net",
        "sh",
        "-c",
        SCRIPT,
        "sh",
    ]);
    command
        .arg(planted.root().join("os-release"))
        .arg(env!("CARGO_BIN_EXE_collect-machine-specs"));
    let output = command.env("RUNNER_NAME", "skua-builder-3").output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: this system does not allow unprivileged namespaces");
        return;
    };
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(
        said.contains("withheld `os`: it would give away the host name"),
        "{said}"
    );
    assert!(!squeezed(&said).contains("gannet42"), "{said}");
}
