//! Facts about the machine on which a measurement ran, as stored in `machine-specs.json`.
//!
//! The file only documents the origin of numbers, so reading it is forgiving: a fact that is missing, empty or of the wrong
//! type is *unknown*, never an error. Only text that is not a JSON object is rejected. Every value is one line of text, not
//! escaped.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::system::Systems;

/// The text for a fact that the system does not report.
pub const UNKNOWN: &str = "unknown";

/// The hardware and system that a measurement ran on, without anything that identifies the owner.
///
/// Every field is text, as in the file. A fact that is not known is [`UNKNOWN`], so a written file contains all keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineSpecs {
    /// The processor's model name.
    pub cpu: String,
    /// The number of cores, not counting hardware threads.
    pub physical_cores: String,
    /// The number of hardware threads: `32`, or `2 of 64` in a container that is limited to two.
    pub logical_cores: String,
    /// The processor's clock in MHz.
    pub clock_mhz: String,
    /// The memory in GB: `64`, or `8 of 64` in a container that is limited to eight.
    pub ram_gb: String,
    /// The memory's transfer rate in MT/s, which vendors print as MHz.
    pub ram_speed_mhz: String,
    /// The memory's kind, such as `DDR5`.
    pub ram_type: String,
    /// The graphics adapter's name.
    pub gpu: String,
    /// The operating system's name and version.
    pub os: String,
    /// The instruction set, such as `x86_64`.
    pub arch: String,
    /// The processor's caches, such as `L1d 32K, L2 2M, L3 36M`.
    pub caches: String,
    /// The kind of virtualization, such as `none`, `kvm`, `container` or `container on kvm`.
    pub virtualization: String,
    /// The machine type: a short stable key, equal for two machines whose times can be compared.
    #[serde(serialize_with = "text_or_unknown")]
    pub machine_class: Option<String>,
}

/// Words in a machine type that denote an architecture or an operating system.
const TARGETS: [&str; 12] = [
    "x86_64",
    "aarch64",
    "arm64",
    "i686",
    "armv7",
    "riscv64",
    "s390x",
    "powerpc64",
    "linux",
    "windows",
    "macos",
    "darwin",
];

/// The architecture and the operating system in a machine type, in the order in which the type contains them.
pub fn target(class: &str) -> Vec<&str> {
    class
        .split('-')
        .filter(|word| TARGETS.contains(word))
        .collect()
}

/// Why text is not a machine description.
#[derive(Debug, Error)]
pub enum MachineSpecsError {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but not an object.
    #[error("expected a JSON object")]
    NotAnObject,
}

impl MachineSpecs {
    /// Parses the text of a `machine-specs.json`, with or without a byte order mark.
    ///
    /// Unknown keys are ignored. If a key occurs twice, the last value is used. Numbers are read as text.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON, or if it is JSON but not an object.
    pub fn from_json(text: &str) -> Result<Self, MachineSpecsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match serde_json::from_str(text)? {
            Value::Object(object) => Ok(Self::from_object(&object)),
            _ => Err(MachineSpecsError::NotAnObject),
        }
    }

    /// Summarises the facts in one line, without unknown parts: `<cpu>, <physical>C/<logical>T @ <clock>MHz; <ram>GB
    /// <type>@<speed>; <gpu>; <os>`.
    pub fn summary(&self) -> String {
        let fact = |before: &str, fact: &str, after: &str| {
            let is_known = !fact.trim().is_empty() && fact != UNKNOWN && fact != "none";
            if is_known {
                format!("{before}{fact}{after}")
            } else {
                String::new()
            }
        };
        let joined = |parts: &[String], by: &str| {
            parts
                .iter()
                .filter(|part| !part.is_empty())
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(by)
        };
        let cores = [
            fact("", &self.physical_cores, "C"),
            fact("", &self.logical_cores, "T"),
        ];
        let speed = [joined(&cores, "/"), fact("@ ", &self.clock_mhz, "MHz")];
        let memory = fact("", &self.ram_type, "") + &fact("@", &self.ram_speed_mhz, "");
        let parts = [
            joined(&[fact("", &self.cpu, ""), joined(&speed, " ")], ", "),
            joined(&[fact("", &self.ram_gb, "GB"), memory], " "),
            fact("", &self.gpu, ""),
            fact("", &self.os, ""),
        ];
        Some(joined(&parts, "; "))
            .filter(|line| !line.is_empty())
            .unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// The system and the processor for a footer: `ubuntu 24.04, 4 × AMD EPYC 7763`. `None` if neither is known.
    pub fn short(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.os != UNKNOWN {
            parts.push(self.os.clone());
        }
        if self.cpu != UNKNOWN && self.logical_cores != UNKNOWN {
            parts.push(format!("{} × {}", self.logical_cores, self.cpu));
        } else if self.cpu != UNKNOWN {
            parts.push(self.cpu.clone());
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether a measurement cannot have been made on this machine. This is true if the measurement's platform mentions
    /// another operating system, or if its machine type is a different one and both types mention an architecture or an
    /// operating system.
    pub fn is_elsewhere(&self, platform: &str, class: Option<&str>) -> bool {
        let own = self.machine_class.as_deref().unwrap_or_default();
        let is_other =
            |class: &str| class != own && !target(class).is_empty() && !target(own).is_empty();
        class.is_some_and(is_other)
            || Systems::of(&format!("{own} {}", self.os)).contradict(Systems::of(platform))
    }

    /// Reads the facts from an object. Unknown keys are ignored.
    pub fn from_object(object: &Map<String, Value>) -> Self {
        let fact = |key| object.get(key).and_then(fact);
        let text = |key| fact(key).unwrap_or_else(|| UNKNOWN.to_owned());
        Self {
            cpu: text("cpu"),
            physical_cores: text("physicalCores"),
            logical_cores: text("logicalCores"),
            clock_mhz: text("clockMhz"),
            ram_gb: text("ramGb"),
            ram_speed_mhz: text("ramSpeedMhz"),
            ram_type: text("ramType"),
            gpu: text("gpu"),
            os: text("os"),
            arch: text("arch"),
            caches: text("caches"),
            virtualization: text("virtualization"),
            machine_class: fact("machineClass"),
        }
    }
}

impl Default for MachineSpecs {
    /// A machine about which nothing is known.
    fn default() -> Self {
        Self::from_object(&Map::new())
    }
}

/// The text of a value, or `None` if it carries no information: empty, [`UNKNOWN`], or neither text nor number.
fn fact(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => one_line(text),
        // A program that only knows floats writes 32 as 32.0.
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        _ => return None,
    };
    (!text.is_empty() && !text.eq_ignore_ascii_case(UNKNOWN)).then_some(text)
}

/// The text as one line: control characters and whitespace become single spaces.
pub fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[expect(clippy::ref_option, reason = "the signature serde calls")]
fn text_or_unknown<S: Serializer>(fact: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(fact.as_deref().unwrap_or(UNKNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSTATION: &str = r#"{
        "cpu": "Intel(R) Core(TM) i9-13900KF", "physicalCores": "24", "logicalCores": 32,
        "clockMhz": 3000.0, "ramGb": "63.8", "ramSpeedMhz": "5600", "ramType": "DDR5",
        "gpu": "NVIDIA GeForce RTX 4090", "os": "Windows 11 (26100)", "colour": ["ignored"],
        "arch": "x86_64", "caches": "L2 32M", "virtualization": "none",
        "machineClass": "intel-core-i9-13900kf-24c32t-x86_64-windows-64g"
    }"#;

    #[test]
    fn complete_file_gives_complete_summary() {
        let specs = MachineSpecs::from_json(WORKSTATION).unwrap();
        assert_eq!(
            specs.summary(),
            "Intel(R) Core(TM) i9-13900KF, 24C/32T @ 3000MHz; 63.8GB DDR5@5600; NVIDIA GeForce RTX 4090; \
             Windows 11 (26100)"
        );
        assert_eq!(
            specs.machine_class.as_deref(),
            Some("intel-core-i9-13900kf-24c32t-x86_64-windows-64g")
        );
    }

    #[test]
    fn missing_empty_and_mistyped_facts_are_left_out() {
        let text = r#"{"physicalCores": "", "logicalCores": 32, "clockMhz": "3000", "ramGb": "64",
            "ramType": "  ", "ramSpeedMhz": null, "gpu": {"name": "x"}, "os": ["Linux"], "arch": "Unknown"}"#;
        let specs = MachineSpecs::from_json(text).unwrap();
        assert_eq!(specs.summary(), "32T @ 3000MHz; 64GB");
        assert_eq!(specs.arch, UNKNOWN);
        assert_eq!(
            MachineSpecs::from_json("{}").unwrap(),
            MachineSpecs::default()
        );
    }

    #[test]
    fn specs_apply_only_to_rows_of_the_same_system() {
        let specs = MachineSpecs::from_json(WORKSTATION).unwrap();
        let os = MachineSpecs {
            os: specs.os.clone(),
            ..MachineSpecs::default()
        };
        for specs in [&specs, &os] {
            for platform in [
                "",
                "x64",
                "WindowsPlayer",
                "windows-2025",
                "Windows built on Linux",
            ] {
                assert!(!specs.is_elsewhere(platform, None), "{platform}");
            }
            for platform in ["OSXPlayer", "LinuxPlayer", "macos-15", "ubuntu", "Android"] {
                assert!(specs.is_elsewhere(platform, None), "{platform}");
            }
        }
        assert!(
            !MachineSpecs::default()
                .is_elsewhere("LinuxPlayer", Some("amd-epyc-4c-x86_64-linux-16g"))
        );
        let class = |class: &str| specs.is_elsewhere("", Some(class));
        assert!(class("amd-epyc-4c-x86_64-windows-16g") && class("amd-epyc-4c-x86_64-linux-16g"));
        // A tool's own name for a processor contains no system.
        assert!(!class("intel-core-i9-13900kf") && !class(specs.machine_class.as_deref().unwrap()));
    }

    #[test]
    fn byte_order_mark_and_line_breaks_in_values_are_removed() {
        let specs =
            MachineSpecs::from_json("\u{feff}{\"cpu\": \"  Ryzen\\r\\n  9\\u0000\\t7950X \"}\r\n")
                .unwrap();
        assert_eq!(specs.cpu, "Ryzen 9 7950X");
    }

    #[test]
    fn machine_without_facts_is_unknown() {
        let specs = MachineSpecs {
            cpu: String::new(),
            gpu: " ".to_owned(),
            ..MachineSpecs::default()
        };
        assert_eq!(specs.summary(), UNKNOWN);
    }

    #[test]
    fn every_key_is_written_and_reads_back_as_itself() {
        let specs = MachineSpecs::from_json(WORKSTATION).unwrap();
        let written = serde_json::to_string(&specs).unwrap();
        assert_eq!(MachineSpecs::from_json(&written).unwrap(), specs);

        let written = serde_json::to_value(MachineSpecs::default()).unwrap();
        let keys: Vec<_> = written
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(keys.len(), 13, "{keys:?}");
        assert!(
            written
                .as_object()
                .unwrap()
                .values()
                .all(|value| value == UNKNOWN)
        );
    }

    #[test]
    fn text_that_is_not_an_object_is_rejected_with_its_position() {
        let error = |text: &str| MachineSpecs::from_json(text).unwrap_err().to_string();
        assert_eq!(error("[1]"), "expected a JSON object");
        assert_eq!(error("null"), "expected a JSON object");
        assert_eq!(
            error("{\n  \"cpu\": }"),
            "not JSON: expected value at line 2 column 10"
        );
        assert_eq!(
            error(""),
            "not JSON: EOF while parsing a value at line 1 column 0"
        );
    }

    #[test]
    fn hostile_texts_are_errors_not_panics() {
        let deep = "[".repeat(100_000);
        for text in [
            deep.as_str(),
            "{\"cpu\":1e999}",
            "\u{feff}\u{feff}{}",
            "{\"cpu\":\"\\ud800\"}",
            "\0",
        ] {
            assert!(MachineSpecs::from_json(text).is_err());
        }
    }
}
