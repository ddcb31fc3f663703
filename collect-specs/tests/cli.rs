//! The command line: what a run prints, writes and ends with.
#![cfg(unix)] // Windows has no colons in file names.

mod common;

use std::fs;

use common::{DESKTOP, Planted, binary, firmware_table};

const CONTAINER: [(&str, &str); 5] = [
    ("/.dockerenv", ""),
    ("/proc/self/status", "Cpus_allowed_list:\t0-63\n"),
    ("/sys/devices/system/cpu/online", "0-63\n"),
    ("/sys/fs/cgroup/cpu.max", "200000 100000\n"),
    ("/sys/fs/cgroup/memory.max", "8589934592\n"),
];

#[test]
fn a_container_says_what_it_may_use_of_its_machine() {
    let run = Planted::new(&[&DESKTOP[..], &CONTAINER].concat()).run(&[]);
    insta::assert_snapshot!(run.json, @r#"
    {
      "cpu": "AMD Ryzen 9 7950X 16-Core Processor",
      "physicalCores": "1",
      "logicalCores": "2 of 64",
      "clockMhz": "4500",
      "ramGb": "8 of 62",
      "ramSpeedMhz": "unknown",
      "ramType": "unknown",
      "gpu": "AMD GPU [1002:744c]",
      "os": "Ubuntu 24.04.1 LTS, Linux 6.8.0",
      "arch": "x86_64",
      "caches": "L1d 32K",
      "virtualization": "container",
      "machineClass": "amd-ryzen-9-7950x-1c64t-x86_64-linux-64g-limited-2t-8g"
    }
    "#);
    insta::assert_snapshot!(run.stdout, @r"AMD Ryzen 9 7950X 16-Core Processor, 1C/2 of 64T @ 4500MHz; 8 of 62GB; AMD GPU [1002:744c]; Ubuntu 24.04.1 LTS, Linux 6.8.0");
}

#[test]
fn each_probe_fails_alone_and_says_which() {
    let run = Planted::new(&DESKTOP).run(&[]);
    // What only an administrator can read is no warning.
    assert_eq!(run.stderr, "");
    for (missing, _) in DESKTOP {
        let rest: Vec<_> = DESKTOP
            .into_iter()
            .filter(|(path, _)| *path != missing)
            .collect();
        let planted = Planted::new(&rest);
        planted.add("/sys/firmware/dmi/tables/DMI", firmware_table("A", "B"));
        let run = planted.run(&[]);
        let specs: serde_json::Value = serde_json::from_str(&run.json).unwrap();
        let unknown = specs
            .as_object()
            .unwrap()
            .values()
            .filter(|value| *value == "unknown")
            .count();
        assert_eq!(
            (run.code, specs.as_object().unwrap().len()),
            (Some(0), 13),
            "{missing}"
        );
        assert!(
            unknown <= 5,
            "without {missing} {unknown} fields are unknown:\n{}",
            run.json
        );
    }
}

#[test]
fn a_system_that_tells_nothing_is_still_described() {
    let planted = Planted::new(&[]);
    fs::create_dir(planted.root()).unwrap();
    let run = planted.run(&[("GITHUB_ACTIONS", "true")]);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(run.stdout, @r"unknown");
    insta::assert_snapshot!(run.stderr, @r"
    ::warning::unknown `cpu`: `/proc/cpuinfo` is not there
    ::warning::unknown `physicalCores`: `/sys/devices/system/cpu` does not have the topology
    ::warning::unknown `logicalCores`: neither `/sys/devices/system/cpu` nor `/proc/cpuinfo` counts the processors
    ::warning::unknown `clockMhz`: the system reports no clock
    ::warning::unknown `ramGb`: `/proc/meminfo` is not there
    ::warning::unknown `gpu`: neither `/sys/bus/pci/devices` nor `/sys/class/drm` lists a device
    ::warning::unknown `os`: neither `/etc/os-release` nor `/proc/sys/kernel/osrelease` names it
    ::warning::unknown `caches`: `/sys/devices/system/cpu/cpu0/cache` lists no cache
    ::warning::unknown `virtualization`: neither the processor nor the firmware reports it
    ::warning::unknown `machineClass`: a part of it is unknown
    ");
    assert!(run.json.matches("unknown").count() == 12, "{}", run.json);
}

#[test]
fn files_of_garbage_are_survived() {
    for garbage in [
        &[0xff; 4096][..],
        &[0; 4096],
        b"::::\n::::",
        b"-1",
        b"99999999999999999999999999",
        b"0x",
    ] {
        let planted = Planted::new(&[]);
        for (path, _) in DESKTOP.iter().chain(&CONTAINER) {
            planted.add(path, garbage);
        }
        for path in [
            "/sys/firmware/dmi/tables/DMI",
            "/proc/self/mountinfo",
            "/proc/self/cgroup",
            "/usr/share/misc/pci.ids",
        ] {
            planted.add(path, garbage);
        }
        let run = planted.run(&[]);
        assert_eq!(
            (run.code, run.stdout.lines().count()),
            (Some(0), 1),
            "{garbage:?}"
        );
        assert!(serde_json::from_str::<serde_json::Value>(&run.json).is_ok());
        assert_eq!(run.summary, run.stdout);
    }
}

#[test]
fn a_second_run_touches_nothing() {
    let planted = Planted::new(&DESKTOP);
    planted.run(&[]);
    let times = || {
        ["specs.json", "specs.txt"].map(|name| {
            fs::metadata(planted.output(name))
                .unwrap()
                .modified()
                .unwrap()
        })
    };
    let before = times();
    planted.run(&[]);
    assert_eq!(times(), before);
}

#[test]
fn the_real_machine_is_described_too() {
    let output = binary()
        .arg("--output-json")
        .arg("-nonsense")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "an option is no file name");
    let output = binary().output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let line = String::from_utf8(output.stdout).unwrap();
    // Parts that this machine does not tell are left out.
    assert!(
        line.lines().count() == 1 && !line.contains("unknown") && line.contains("; "),
        "{line}"
    );
}

#[test]
fn powershell_option_writes_the_same_json() {
    let planted = Planted::new(&DESKTOP);
    let run = planted.run(&[]);
    let with = |args: &[&str]| {
        let mut command = binary();
        command.arg("--root").arg(planted.root());
        command.current_dir(planted.root()).args(args);
        command.output().unwrap().status.code()
    };
    assert_eq!(with(&["-OutputJson", "x.json"]), Some(0));
    let written = fs::read_to_string(planted.root().join("x.json")).unwrap();
    assert_eq!(written, run.json);
    for args in [
        &["-OutputJson"][..],
        &["x.json"],
        &["-Output", "x.json"],
        &["-OutputJson", "x.json", "--output-json", "y.json"],
    ] {
        assert_eq!(with(args), Some(2), "{args:?}");
    }
}

#[test]
fn what_cannot_be_written_is_an_error_that_names_it() {
    let planted = Planted::new(&DESKTOP);
    for target in ["nowhere/specs.json", "root"] {
        let output = binary()
            .arg("--root")
            .arg(planted.root())
            .arg("--output-json")
            .arg(planted.output(target))
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(&format!("{target}`")), "{said}");
    }
}

#[test]
fn best_effort_warns_of_what_cannot_be_written() {
    let planted = Planted::new(&DESKTOP);
    let mut command = binary();
    command
        .arg("--best-effort")
        .arg("--root")
        .arg(planted.root());
    command
        .arg("--output-json")
        .arg(planted.output("nowhere/specs.json"));
    let output = command
        .arg("--output-summary")
        .arg(planted.output("specs.txt"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.is_empty()),
        (Some(0), false),
        "{said}"
    );
    assert!(
        said.contains("warning: ") && said.contains("nowhere/specs.json`"),
        "{said}"
    );
    assert!(
        fs::read(planted.output("specs.txt")).unwrap() == output.stdout,
        "the other file is written"
    );
}

#[test]
fn the_help_names_every_option_and_exit_code() {
    let output = binary()
        .env("COLUMNS", "100")
        .arg("--help")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).unwrap();
    for word in [
        "--output-json <FILE>",
        "--output-summary <FILE>",
        "--root <DIR>",
        "--best-effort",
        "Exit codes: 0 described; 2",
    ] {
        assert!(help.contains(word), "{help}");
    }
}
