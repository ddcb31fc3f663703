//! The machine class: a short key of everything that makes timings comparable.
//!
//! `<cpu>-<physical>c<logical>t-<arch>-<system>-<memory>g`, followed by `-limited-…` if the process may use only a part
//! of the machine, as in a container. The class contains only facts that survive a reboot or an update, so neither the
//! clock nor versions. Memory is rounded to common sizes, because a kernel reserves a slightly varying amount.

use std::fmt::Write as _;

use crate::machine::Machine;
use crate::words::{decimal, words};

/// Bytes per GiB.
pub const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Returns the class of a machine with this processor. `None` if a part is unknown, because two machines with an unknown
/// part may differ in it.
pub fn class(cpu: &str, machine: &Machine) -> Option<String> {
    let cpu = slug(cpu)?;
    let physical = machine.physical_cores?;
    let logical = machine.logical_cores?;
    let memory = machine.memory?;
    let arch = machine.arch.as_ref()?.to_lowercase();
    let (family, size) = (machine.family, size_class(memory.all));
    let all = logical.all;
    let mut class = format!("{cpu}-{physical}c{all}t-{arch}-{family}-{size}g");
    if logical.usable.is_some() || memory.usable.is_some() {
        class.push_str("-limited");
    }
    if let Some(cores) = logical.usable {
        let _ = write!(class, "-{}t", decimal(cores));
    }
    if let Some(bytes) = memory.usable {
        let _ = write!(class, "-{}g", decimal(bytes / GIB));
    }
    Some(class)
}

/// Shortens a processor's name. It leaves out the parts that systems report differently for the same processor: trademarks,
/// the generation, the number of cores, the clock and the on-chip graphics.
fn slug(cpu: &str) -> Option<String> {
    let lower = cpu
        .to_lowercase()
        .replace("(r)", " ")
        .replace("(tm)", " ")
        .replace(['®', '™'], " ");
    let mut kept = Vec::new();
    for part in lower.split_whitespace() {
        if matches!(part, "@" | "with" | "w/") {
            break;
        }
        // `13th`
        let number = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let is_ordinal = number.parse::<u8>().is_ok()
            && matches!(&part[number.len()..], "st" | "nd" | "rd" | "th");
        let is_common = matches!(part, "cpu" | "processor" | "gen" | "generation");
        if !is_ordinal && !is_common && !part.ends_with("-core") {
            kept.extend(words(part));
        }
    }
    (!kept.is_empty()).then(|| kept.join("-"))
}

/// The nominal size of the memory in GiB: a power of two, or halfway between two powers. The size that the system
/// reports is a little smaller or, because of rounding, sometimes a little larger.
fn size_class(bytes: u64) -> u64 {
    let mut sizes = (0..35).flat_map(|power| [1 << power, (3_u64 << power) >> 1]);
    let is_enough = |size: &u64| u128::from(*size) * (1 << 30) * 100 >= u128::from(bytes) * 98;
    sizes.find(is_enough).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Limited;
    use crate::machine::tests::workstation;

    #[test]
    fn a_processor_is_called_the_same_by_every_system() {
        let slugs = [
            "13th Gen Intel(R) Core(TM) i9-13900KF",
            "Intel® Core™ i9-13900KF CPU @ 3.00GHz",
            "Intel(R) Core(TM) Ultra 5 235HX",
            "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz",
            "AMD Ryzen 9 7950X 16-Core Processor",
            "AMD Ryzen 7 7840U w/ Radeon  780M Graphics",
            "AMD Ryzen 7 5700G with Radeon Graphics",
            "AMD EPYC 7763 64-Core Processor",
            "AMD FX(tm)-8350 Eight-Core Processor",
            "Apple M2 Pro",
            "Cortex-A76 + Cortex-A55",
        ]
        .map(|cpu| slug(cpu).unwrap());
        insta::assert_snapshot!(slugs.join("\n"), @r"
        intel-core-i9-13900kf
        intel-core-i9-13900kf
        intel-core-ultra-5-235hx
        intel-xeon-platinum-8370c
        amd-ryzen-9-7950x
        amd-ryzen-7-7840u
        amd-ryzen-7-5700g
        amd-epyc-7763
        amd-fx-8350
        apple-m2-pro
        cortex-a76-cortex-a55
        ");
        assert_eq!(slug("@ (R)"), None);
    }

    #[test]
    fn the_key_names_everything_that_matters_and_nothing_that_moves() {
        let machine = workstation();
        let key = class("13th Gen Intel(R) Core(TM) i9-13900KF", &machine).unwrap();
        assert_eq!(key, "intel-core-i9-13900kf-24c32t-x86_64-linux-64g");

        let mut updated = workstation();
        updated.os = Some("Debian GNU/Linux 13 (trixie), Linux 6.12.1".to_owned());
        updated.clock_mhz = Some(5800);
        updated.memory = Some(Limited {
            all: 66_571_993_088,
            usable: None,
        });
        assert_eq!(class("Intel(R) Core(TM) i9-13900KF", &updated), Some(key));
    }

    #[test]
    fn a_container_with_a_part_of_the_machine_is_another_class() {
        let mut machine = workstation();
        machine.logical_cores = Some(Limited {
            all: 32,
            usable: Some(1.5),
        });
        machine.memory = Some(Limited {
            all: 66_000_000_000,
            usable: Some(8.0 * GIB),
        });
        assert_eq!(
            class("Ryzen", &machine).unwrap(),
            "ryzen-24c32t-x86_64-linux-64g-limited-1.5t-8g"
        );
    }

    #[test]
    fn unknown_machines_have_no_class() {
        let mut machine = workstation();
        machine.memory = None;
        assert_eq!(class("Ryzen", &machine), None);
    }

    #[test]
    fn memory_is_classed_by_the_size_a_machine_is_sold_with() {
        let classes = [
            0.4, 0.9, 1.9, 3.7, 5.8, 7.6, 15.5, 16.2, 23.5, 31.0, 47.0, 62.6, 125.6, 188.4, 1007.0,
        ]
        .map(|gib: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small and positive"
            )]
            let bytes = (gib * GIB) as u64;
            size_class(bytes)
        });
        assert_eq!(
            classes,
            [1, 1, 2, 4, 6, 8, 16, 16, 24, 32, 48, 64, 128, 192, 1024]
        );
        assert_eq!(size_class(u64::MAX), 1 << 34);
    }
}
