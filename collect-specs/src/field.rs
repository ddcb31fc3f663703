//! The allow-list: the only fields that leave the machine.
//!
//! A value is written under the key of a [`Field`] that stands in [`ALLOWED`] or not at all. A new one
//! needs a line here, in the tests and in the documentation.

/// What can be reported about a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Cpu,
    PhysicalCores,
    LogicalCores,
    ClockMhz,
    RamGb,
    RamSpeedMhz,
    RamType,
    Gpu,
    Os,
    Arch,
    Caches,
    Virtualization,
    MachineClass,
}

/// Every field that is written, with its key, in the order in which they are written.
pub const ALLOWED: [(Field, &str); 13] = [
    (Field::Cpu, "cpu"),
    (Field::PhysicalCores, "physicalCores"),
    (Field::LogicalCores, "logicalCores"),
    (Field::ClockMhz, "clockMhz"),
    (Field::RamGb, "ramGb"),
    (Field::RamSpeedMhz, "ramSpeedMhz"),
    (Field::RamType, "ramType"),
    (Field::Gpu, "gpu"),
    (Field::Os, "os"),
    (Field::Arch, "arch"),
    (Field::Caches, "caches"),
    (Field::Virtualization, "virtualization"),
    (Field::MachineClass, "machineClass"),
];

impl Field {
    /// The field's name for people, also if it may not leave.
    pub fn key(self) -> &'static str {
        let allowed = ALLOWED.iter().find(|(field, _)| *field == self);
        allowed.map_or("a field that is not allowed", |(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deliberately a second list: whoever lets another field out has to say so twice.
    const AGREED: &[&str] = &[
        "cpu",
        "physicalCores",
        "logicalCores",
        "clockMhz",
        "ramGb",
        "ramSpeedMhz",
        "ramType",
        "gpu",
        "os",
        "arch",
        "caches",
        "virtualization",
        "machineClass",
    ];

    #[test]
    fn only_the_agreed_fields_are_allowed() {
        assert_eq!(ALLOWED.map(|(_, key)| key).as_slice(), AGREED);
    }

    #[test]
    fn the_reader_of_the_file_knows_exactly_the_fields_that_are_written() {
        let read = serde_json::to_value(perf_model::machine::MachineSpecs::default()).unwrap();
        let mut read: Vec<_> = read.as_object().unwrap().keys().map(String::as_str).collect();
        let mut agreed = AGREED.to_vec();
        read.sort_unstable();
        agreed.sort_unstable();
        assert_eq!(read, agreed);
    }

    #[test]
    fn the_documentation_names_every_field() {
        let documentation = include_str!("../../docs/machine-specs.md");
        for key in AGREED {
            assert!(
                documentation.contains(&format!("\n| `{key}` ")),
                "`{key}` is not in the table of fields"
            );
        }
    }
}
