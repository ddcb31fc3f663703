//! The last door: facts become a report only after each was compared with the machine's identities.

use std::collections::BTreeMap;

use perf_model::machine::{MachineSpecs, MachineSpecsError, UNKNOWN};
use serde::{Serialize, Serializer};

use crate::class::class;
use crate::facts::facts;
use crate::field::{ALLOWED, Field};
use crate::identity::Identities;
use crate::machine::{Machine, Probed, Silence};

/// The longest value that is written, in characters; a system's own names are far shorter.
const MAX_CHARS: usize = 160;

/// What may be printed about a machine. Only [`screen`] makes one.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<Field, String>);

/// Everything about the machine that gives nobody away, and why the rest is left out.
pub fn screen(machine: &Machine, identities: &Identities) -> (Report, Vec<String>) {
    let mut report = Report::default();
    let mut withheld = Vec::new();
    for (field, fact) in facts(machine) {
        withheld.extend(report.admit(field, fact, identities));
    }
    let class = match report.0.get(&Field::Cpu) {
        Some(cpu) => class(cpu, machine),
        None => None,
    };
    let class = class.ok_or_else(|| Silence::new("a part of it is unknown"));
    withheld.extend(report.admit(Field::MachineClass, class, identities));
    (report, warnings(&withheld))
}

impl Report {
    /// The content of `machine-specs.json`: every allowed field, whether it is known or not.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    /// One line for people, made by whoever reads the file from what is in the file.
    pub fn summary(&self) -> Result<String, MachineSpecsError> {
        Ok(MachineSpecs::from_json(&self.json()?)?.summary())
    }

    /// Takes a fact in, or says why it is left out.
    fn admit(&mut self, field: Field, fact: Probed<String>, identities: &Identities) -> Option<Withheld> {
        let text = match fact {
            Ok(text) => text,
            Err(silence) => return Some(Withheld { field, what: "unknown", why: silence.to_string() }),
        };
        if let Some(kind) = identities.given_away_by(&text) {
            return Some(Withheld { field, what: "withheld", why: format!("it would give away {kind}") });
        }
        // Not before: half a name gives its owner away and is not found.
        self.0.insert(field, text.chars().take(MAX_CHARS).collect());
        None
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |field| self.0.get(field).map_or(UNKNOWN, String::as_str);
        serializer.collect_map(ALLOWED.iter().map(|(field, key)| (key, value(field))))
    }
}

/// A fact that is left out, and why, in words that may be printed.
struct Withheld {
    field: Field,
    what: &'static str,
    why: String,
}

impl Withheld {
    /// Whether nobody can do anything about it: on most systems, only an administrator reads what is in the sockets.
    fn is_expected(&self) -> bool {
        matches!(self.field, Field::RamType | Field::RamSpeedMhz) && self.what == "unknown"
    }
}

/// One line for each reason, with all the fields it concerns: a probe that fails is one warning.
fn warnings(withheld: &[Withheld]) -> Vec<String> {
    let mut reasons: Vec<(&Withheld, Vec<String>)> = Vec::new();
    for fact in withheld.iter().filter(|fact| !fact.is_expected()) {
        let key = format!("`{}`", fact.field.key());
        match reasons.iter_mut().find(|(known, _)| (known.what, &known.why) == (fact.what, &fact.why)) {
            Some((_, keys)) => keys.push(key),
            None => reasons.push((fact, vec![key])),
        }
    }
    let line =
        |(fact, keys): (&Withheld, Vec<String>)| format!("{} {}: {}", fact.what, keys.join(", "), fact.why);
    reasons.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{HOST, USER};
    use crate::machine::tests::workstation;

    fn screened(machine: &Machine, name: &str) -> (String, Vec<String>) {
        let mut identities = Identities::default();
        identities.add(USER, name);
        let (report, warnings) = screen(machine, &identities);
        (report.json().unwrap() + &report.summary().unwrap(), warnings)
    }

    #[test]
    fn a_machine_that_tells_everything_is_reported_entirely() {
        let (printed, warnings) = screened(&workstation(), "orla");
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
    fn a_value_that_gives_somebody_away_is_withheld_and_so_is_what_is_made_of_it() {
        let mut machine = workstation();
        machine.cpu = Ok("Orla's Ryzen".to_owned());
        let (printed, warnings) = screened(&machine, "orla");
        assert!(!printed.to_lowercase().contains("orla"), "{printed}");
        insta::assert_snapshot!(warnings.join("\n"), @r"
        withheld `cpu`: it would give away a user name
        unknown `machineClass`: a part of it is unknown
        ");
    }

    #[test]
    fn no_field_escapes_the_screen() {
        const NAME: &str = "quillfeather";
        let machine = Machine {
            cpu: Ok(NAME.to_owned()),
            gpu: Ok(NAME.to_owned()),
            os: Ok(NAME.to_owned()),
            arch: Ok(NAME.to_owned()),
            caches: Ok(NAME.to_owned()),
            virtualization: Ok(NAME.to_owned()),
            family: NAME,
            ..workstation()
        };
        let (printed, warnings) = screened(&machine, NAME);
        assert!(!(printed + &warnings.concat()).contains(NAME));

        // The class is made of more than the processor: its other parts are screened in it.
        let machine = Machine { family: NAME, ..workstation() };
        let (printed, warnings) = screened(&machine, NAME);
        assert!(!printed.contains(NAME));
        assert_eq!(warnings, ["withheld `machineClass`: it would give away a user name"]);
    }

    #[test]
    fn a_long_value_is_cut_after_the_whole_of_it_was_looked_at() {
        let mut machine = workstation();
        machine.gpu = Ok("ü".repeat(10_000));
        let (report, _) = screen(&machine, &Identities::default());
        assert_eq!(report.0[&Field::Gpu].chars().count(), MAX_CHARS);

        machine.gpu = Ok("-".repeat(MAX_CHARS - 4) + "quillfeather");
        let (printed, _) = screened(&machine, "quillfeather");
        assert!(!printed.contains("quil"), "{printed}");
    }

    #[test]
    fn fields_that_are_silent_for_one_reason_share_a_warning() {
        let mut machine = workstation();
        machine.caches = Err(Silence::new("not reported"));
        machine.gpu = Err(Silence::new("not reported"));
        // An ordinary user cannot read these.
        machine.modules = Err(Silence::new("`/sys/firmware/dmi/tables/DMI` may not be read"));
        let (printed, warnings) = screened(&machine, "orla");
        assert_eq!(warnings, ["unknown `gpu`, `caches`: not reported"]);
        assert!(printed.contains("62GB unknown@unknown; unknown; Debian"), "{printed}");
    }

    #[test]
    fn a_warning_names_the_kind_and_not_the_value() {
        let mut identities = Identities::default();
        identities.add(HOST, "gull7");
        let mut machine = workstation();
        machine.os = Ok("Linux on gull7".to_owned());
        let (_, warnings) = screen(&machine, &identities);
        assert_eq!(warnings, ["withheld `os`: it would give away the host name"]);
    }
}
