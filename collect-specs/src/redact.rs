//! The last check: facts leave the machine only after a comparison with the machine's identities, and only in fields of
//! [`MachineSpecs`].

use perf_model::machine::MachineSpecs;
use serde_json::{Map, Value};

use crate::class::class;
use crate::facts::{RAM_SPEED, RAM_TYPE, facts};
use crate::identity::Identities;
use crate::machine::Machine;

/// The maximum length of a value in characters; genuine names are far shorter.
const MAX_CHARS: usize = 160;

/// Returns the machine's facts without those that give an identity away, and warnings about missing facts.
pub fn redact(machine: &Machine, identities: &Identities) -> (MachineSpecs, Vec<String>) {
    let mut redaction = Redaction {
        identities,
        admitted: Map::new(),
        reasons: Vec::new(),
    };
    for (key, fact) in facts(machine) {
        redaction.add(key, fact, "not reported by the system");
    }
    let cpu = redaction.admitted.get("cpu").and_then(Value::as_str);
    let class = cpu.and_then(|cpu| class(cpu, machine));
    redaction.add("machineClass", class, "a part of it is unknown");
    let mut warnings = Vec::new();
    for (what, why, keys) in redaction.reasons {
        warnings.push(format!("{what} {}: {why}", keys.join(", ")));
    }
    (MachineSpecs::from_object(&redaction.admitted), warnings)
}

struct Redaction<'a> {
    identities: &'a Identities,
    admitted: Map<String, Value>,
    /// Why facts are missing: `unknown` or `withheld`, the reason in words that may be printed, and the keys of the facts.
    reasons: Vec<(&'static str, String, Vec<String>)>,
}

impl Redaction<'_> {
    fn add(&mut self, key: &str, fact: Option<String>, silence: &str) {
        let Some(text) = fact else {
            // On most systems, only administrators can read the memory modules, so a warning would not help.
            if key != RAM_TYPE && key != RAM_SPEED {
                self.leave_out(key, "unknown", silence.to_owned());
            }
            return;
        };
        if let Some(kind) = self.identities.given_away_by(&text) {
            self.leave_out(key, "withheld", format!("it would give away {kind}"));
            return;
        }
        // Truncate only after the check. Half an identity can still give its owner away, but would not be found.
        let text: String = text.chars().take(MAX_CHARS).collect();
        self.admitted.insert(key.to_owned(), Value::from(text));
    }

    fn leave_out(&mut self, key: &str, what: &'static str, why: String) {
        let key = format!("`{key}`");
        for reason in &mut self.reasons {
            if reason.0 == what && reason.1 == why {
                reason.2.push(key);
                return;
            }
        }
        self.reasons.push((what, why, vec![key]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{HOST, USER};
    use crate::machine::tests::workstation;

    fn redacted(machine: &Machine, name: &str) -> (String, Vec<String>) {
        let mut identities = Identities::default();
        identities.add(USER, name);
        let (specs, warnings) = redact(machine, &identities);
        (
            serde_json::to_string_pretty(&specs).unwrap() + "\n" + &specs.summary(),
            warnings,
        )
    }

    #[test]
    fn fully_known_machine_is_reported_completely() {
        let (printed, warnings) = redacted(&workstation(), "orla");
        insta::assert_snapshot!(printed, @r#"
        {
          "cpu": "13th Gen Intel(R) Core(TM) i9-13900KF",
          "physicalCores": "24",
          "logicalCores": "32",
          "clockMhz": "3000",
          "ramGb": "64",
          "ramSpeedMhz": "5600",
          "ramType": "DDR5",
          "gpu": "NVIDIA GeForce RTX 4090",
          "os": "Debian GNU/Linux 12 (bookworm), Linux 6.1.0",
          "arch": "x86_64",
          "caches": "L1d 48K, L1i 32K, L2 2M, L3 36M",
          "virtualization": "none",
          "machineClass": "intel-core-i9-13900kf-24c32t-x86_64-linux-64g"
        }
        13th Gen Intel(R) Core(TM) i9-13900KF, 24C/32T @ 3000MHz; 64GB DDR5@5600; NVIDIA GeForce RTX 4090; Debian GNU/Linux 12 (bookworm), Linux 6.1.0
        "#);
        assert!(warnings.is_empty());
    }

    #[test]
    fn identifying_value_and_derived_values_are_withheld() {
        let mut machine = workstation();
        machine.cpu = Some("Orla's Ryzen".to_owned());
        let (printed, warnings) = redacted(&machine, "orla");
        assert!(!printed.to_lowercase().contains("orla"), "{printed}");
        insta::assert_snapshot!(warnings.join("\n"), @r"
        withheld `cpu`: it would give away a user name
        unknown `machineClass`: a part of it is unknown
        ");
    }

    #[test]
    fn no_field_escapes_the_redact() {
        const NAME: &str = "quillfeather";
        let machine = Machine {
            cpu: Some(NAME.to_owned()),
            gpu: Some(NAME.to_owned()),
            os: Some(NAME.to_owned()),
            arch: Some(NAME.to_owned()),
            caches: Some(NAME.to_owned()),
            virtualization: Some(NAME.to_owned()),
            family: NAME,
            ..workstation()
        };
        let (printed, warnings) = redacted(&machine, NAME);
        assert!(!(printed + &warnings.concat()).contains(NAME));

        // The class has more parts than the processor, and they are also checked.
        let machine = Machine {
            family: NAME,
            ..workstation()
        };
        let (printed, warnings) = redacted(&machine, NAME);
        assert!(!printed.contains(NAME));
        assert_eq!(
            warnings,
            ["withheld `machineClass`: it would give away a user name"]
        );
    }

    #[test]
    fn a_long_value_is_redacted_before_it_is_cut() {
        let mut machine = workstation();
        machine.gpu = Some("ü".repeat(10_000));
        let (specs, _) = redact(&machine, &Identities::default());
        assert_eq!(specs.gpu.chars().count(), MAX_CHARS);

        machine.gpu = Some("-".repeat(MAX_CHARS - 4) + "quillfeather");
        let (printed, _) = redacted(&machine, "quillfeather");
        assert!(!printed.contains("quil"), "{printed}");
    }

    #[test]
    fn fields_that_are_silent_for_one_reason_share_a_warning() {
        let mut machine = workstation();
        machine.caches = None;
        machine.gpu = None;
        // Ordinary users cannot read these.
        machine.modules = None;
        let (printed, warnings) = redacted(&machine, "orla");
        assert_eq!(
            warnings,
            ["unknown `gpu`, `caches`: not reported by the system"]
        );
        assert!(printed.contains("62GB; Debian"), "{printed}");
    }

    #[test]
    fn a_warning_names_the_kind_and_not_the_value() {
        let mut identities = Identities::default();
        identities.add(HOST, "gull7");
        let mut machine = workstation();
        machine.os = Some("Linux on gull7".to_owned());
        let (_, warnings) = redact(&machine, &identities);
        assert_eq!(
            warnings,
            ["withheld `os`: it would give away the host name"]
        );
    }

    /// A second list on purpose: publishing another field requires two changes.
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
    fn only_the_agreed_fields_can_be_written() {
        let written = serde_json::to_value(MachineSpecs::default()).unwrap();
        let written: Vec<&str> = written
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut agreed = AGREED.to_vec();
        agreed.sort_unstable();
        assert_eq!(written, agreed);
        let facts = facts(&workstation()).map(|(key, _)| key);
        assert_eq!([&facts[..], &["machineClass"]].concat(), AGREED);
    }

    #[test]
    fn the_documentation_names_every_field() {
        let documentation = include_str!("../../docs/reference/privacy.md");
        for key in AGREED {
            assert!(
                documentation.contains(&format!("\n| `{key}` ")),
                "`{key}` is not in the table of fields"
            );
        }
    }
}
