//! Names of Arm cores: their processors report numbers only.

/// The core of a designer's and a part's number, both as `/proc/cpuinfo` writes them (`0x41`, `0xd0c`).
pub fn core(implementer: &str, part: &str) -> Option<String> {
    let (implementer, part) = (hex(implementer)?, hex(part)?);
    let name = CORES
        .iter()
        .find(|(by, number, _)| (*by, *number) == (implementer, part));
    Some(name.map_or_else(
        || format!("Arm core {implementer:#x}:{part:#x}"),
        |(.., name)| (*name).to_owned(),
    ))
}

fn hex(number: &str) -> Option<u16> {
    u16::from_str_radix(number.strip_prefix("0x")?, 16).ok()
}

/// Servers, boards and phones of the last decade.
const CORES: [(u16, u16, &str); 37] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd83, "Neoverse-V3AE"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "Kunpeng 920"),
    (0x51, 0x001, "Oryon"),
    (0x51, 0xc00, "Falkor"),
    (0x61, 0x022, "Apple M1 Icestorm"),
    (0x61, 0x023, "Apple M1 Firestorm"),
    (0x61, 0x032, "Apple M2 Blizzard"),
    (0x61, 0x033, "Apple M2 Avalanche"),
    (0xc0, 0xac3, "AmpereOne"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_have_their_names_and_unknown_ones_their_numbers() {
        assert_eq!(core("0x41", "0xd0c").unwrap(), "Neoverse-N1");
        assert_eq!(core("0xc0", "0xfff").unwrap(), "Arm core 0xc0:0xfff");
        assert_eq!(core("41", "0xd0c"), None);
        assert_eq!(core("0x41", "0xfffff"), None);
    }
}
