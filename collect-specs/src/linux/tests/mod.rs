//! Facts from single files.

mod privacy;

use super::files::tests::planted;
use super::*;
use crate::machine::Limited;

#[test]
fn quota_keeps_its_fraction_unless_the_affinity_is_smaller() {
    let cases = [
        ("150000 100000\n", Some(1.0), Some(1.5)),
        ("50000 100000\n", Some(1.0), Some(0.5)),
        ("400000 100000\n", Some(2.0), Some(2.0)),
        ("max 100000\n", Some(2.0), Some(2.0)),
        ("-1 0", None, None),
        ("1 0", Some(1.0), Some(1.0)),
    ];
    for (quota, usable, expected) in cases {
        let (_folder, files) = planted(&[("/sys/fs/cgroup/cpu.max", quota)]);
        let mut machine = Machine {
            logical_cores: Some(Limited { all: 8, usable }),
            ..Machine::default()
        };
        add_from(&files, &mut machine, &mut Identities::default());
        let usable = machine.logical_cores.unwrap().usable;
        assert_eq!(usable, expected, "{quota}");
    }
}

#[test]
fn nominal_clock_is_preferred_to_the_highest() {
    let highest = (
        "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
        "5800000\n",
    );
    let nominal = (
        "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
        "3000000\n",
    );
    let (_folder, files) = planted(&[highest, nominal]);
    assert_eq!(nominal_clock_mhz(&files), Some(3000));
    let (_folder, files) = planted(&[highest]);
    assert_eq!(nominal_clock_mhz(&files), Some(5800));
}

#[test]
fn system_name_is_unquoted_and_the_kernel_is_a_number() {
    let os = |name: &str, release: &str| {
        let (_folder, files) = planted(&[("/etc/os-release", name)]);
        os(&files, release)
    };
    let fedora = "NAME=Fedora\nPRETTY_NAME=\"Fedora Linux 41\"\n";
    assert_eq!(
        os(fedora, "6.11.4-301.fc41.x86_64"),
        "Fedora Linux 41, Linux 6.11.4"
    );
    assert_eq!(
        os("PRETTY_NAME='Alpine Linux v3.20'", ""),
        "Alpine Linux v3.20"
    );
    assert_eq!(os("NAME=Arch\n", "6.10.1-gull7\n"), "Linux 6.10.1");
    assert_eq!(os("PRETTY_NAME=\nNAME\n", "custom"), "");
}

#[test]
fn caches_are_listed_by_level() {
    let (_folder, files) = planted(&[
        ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1"),
        ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data"),
        ("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K"),
        ("/sys/devices/system/cpu/cpu0/cache/index3/level", "3"),
        ("/sys/devices/system/cpu/cpu0/cache/index3/type", "Unified"),
        ("/sys/devices/system/cpu/cpu0/cache/index3/size", "36864K"),
        ("/sys/devices/system/cpu/cpu0/cache/index4/size", "lots"),
    ]);
    assert_eq!(caches(&files), "L1d 48K, L3 36M");
    assert_eq!(caches(&planted(&[]).1), "");
}
