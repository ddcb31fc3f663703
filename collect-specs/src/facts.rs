//! The machine's facts as text.

use perf_model::machine::one_line;

use crate::class::GIB;
use crate::machine::{Limited, Machine, Modules};
use crate::words::decimal;

/// The JSON keys of the facts about memory modules.
pub const RAM_SPEED: &str = "ramSpeedMhz";
pub const RAM_TYPE: &str = "ramType";

/// Returns all facts as text, each with its key in the JSON file. The machine class is added later, because it is derived
/// from facts that may be printed.
pub fn facts(machine: &Machine) -> [(&'static str, Option<String>); 12] {
    let modules = machine.modules.as_ref();
    let ram = machine.memory.as_ref().map(|memory| size(memory, modules));
    let speed = modules.and_then(|modules| modules.speed);
    let facts = [
        ("cpu", machine.cpu.clone()),
        (
            "physicalCores",
            machine.physical_cores.map(|cores| cores.to_string()),
        ),
        ("logicalCores", machine.logical_cores.as_ref().map(cores)),
        ("clockMhz", machine.clock_mhz.map(|mhz| mhz.to_string())),
        ("ramGb", ram),
        (RAM_SPEED, speed.map(|speed| speed.to_string())),
        (RAM_TYPE, modules.map(|modules| modules.kinds.join(" + "))),
        ("gpu", machine.gpu.clone()),
        ("os", machine.os.clone()),
        ("arch", machine.arch.clone()),
        ("caches", machine.caches.clone()),
        ("virtualization", machine.virtualization.clone()),
    ];
    facts.map(|(key, fact)| {
        let line = one_line(&fact.unwrap_or_default());
        (key, Some(line).filter(|line| !line.is_empty()))
    })
}

/// The number of hardware threads: `32`, or `2 of 32` if the process may use only two of them.
fn cores(cores: &Limited<usize>) -> String {
    match cores.usable {
        Some(usable) => format!("{} of {}", decimal(usable), cores.all),
        None => cores.all.to_string(),
    }
}

/// The memory in gigabytes, rounded: the installed size if the firmware reports it, otherwise the size that the system
/// reports. For example `64`, or `8 of 64` if the process may use only 8.
fn size(memory: &Limited<u64>, modules: Option<&Modules>) -> String {
    let installed = modules
        .map(|modules| modules.bytes)
        .filter(|bytes| *bytes >= memory.all);
    #[expect(clippy::cast_precision_loss, reason = "shown as a whole number")]
    let all = installed.unwrap_or(memory.all) as f64 / GIB;
    let all = decimal(if all >= 1.0 { all.round() } else { all });
    match memory.usable {
        Some(usable) => format!("{} of {all}", decimal(usable / GIB)),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::workstation;

    fn printed(machine: &Machine, key: &str) -> String {
        let fact = facts(machine)
            .into_iter()
            .find(|(known, _)| *known == key)
            .unwrap()
            .1;
        fact.unwrap_or_else(|| "?".to_owned())
    }

    #[test]
    fn container_limits_are_reported() {
        let mut machine = workstation();
        assert_eq!(
            (
                printed(&machine, "logicalCores"),
                printed(&machine, "ramGb")
            ),
            ("32".into(), "64".into())
        );
        machine.logical_cores = Some(Limited {
            all: 64,
            usable: Some(2.0),
        });
        machine.memory = Some(Limited {
            all: 66_571_993_088,
            usable: Some(4.5 * GIB),
        });
        assert_eq!(
            (
                printed(&machine, "logicalCores"),
                printed(&machine, "ramGb")
            ),
            ("2 of 64".into(), "4.5 of 64".into())
        );
    }

    #[test]
    fn without_firmware_table_memory_is_the_system_total() {
        let mut machine = workstation();
        machine.modules = None;
        assert_eq!(printed(&machine, "ramGb"), "62");
        machine.memory = Some(Limited {
            all: 16_384_000 * 1024,
            usable: None,
        });
        assert_eq!(
            printed(&machine, "ramGb"),
            "16",
            "15.6 of which the kernel knows"
        );
        machine.memory = workstation().memory;
        assert_eq!(printed(&machine, "ramType"), "?");
        machine.modules = Some(Modules {
            bytes: 1 << 30,
            ..Modules::default()
        });
        assert_eq!(
            printed(&machine, "ramGb"),
            "62",
            "modules that hold less than the system counts"
        );
        assert_eq!(printed(&machine, "ramSpeedMhz"), "?");
    }

    #[test]
    fn an_empty_fact_is_left_out() {
        let mut machine = workstation();
        machine.gpu = Some(" \n\0".to_owned());
        assert_eq!(printed(&machine, "gpu"), "?");
    }
}
