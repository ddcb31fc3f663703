//! Memory: its size as the kernel counts it, and what the firmware knows of the modules.

use super::cgroup;
use super::tree::Tree;
use crate::machine::{Limited, Modules, Probed};
use crate::smbios;

/// The firmware's table, for administrators on most systems.
pub const TABLE: &str = "/sys/firmware/dmi/tables/DMI";
const MEMINFO: &str = "/proc/meminfo";

/// Memory in bytes, and what this process may use of it.
pub fn memory(tree: &Tree) -> Probed<Limited<u64>> {
    let text = tree.text(MEMINFO)?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(bytes);
    let all = total
        .filter(|all| *all > 0)
        .ok_or_else(|| format!("`{MEMINFO}` has no `MemTotal`"))?;
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let usable = cgroup::memory(tree).filter(|limit| *limit < all as f64);
    Ok(Limited { all, usable })
}

/// The memory modules.
pub fn modules(tree: &Tree) -> Probed<Modules> {
    let table = tree.bytes(TABLE)?;
    smbios::modules(&table).ok_or_else(|| format!("`{TABLE}` names no memory module"))
}

fn bytes(kib: &str) -> Option<u64> {
    kib.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    #[test]
    fn a_limit_counts_only_when_it_is_less_than_the_machine_has() {
        for (limit, usable) in [
            ("2147483648", Some(2_147_483_648.0)),
            ("9223372036854771712", None),
            ("max", None),
        ] {
            let (_folder, tree) = planted(&[
                (MEMINFO, "MemTotal: 16384000 kB\n"),
                ("/sys/fs/cgroup/memory.max", limit),
            ]);
            assert_eq!(
                memory(&tree),
                Ok(Limited {
                    all: 16_777_216_000,
                    usable
                })
            );
        }
    }

    #[test]
    fn nonsense_is_named() {
        for text in [
            "",
            "MemTotal: kB",
            "MemTotal: -4 kB",
            "MemTotal: 18446744073709551615 kB",
            "MemTotal: 0 kB",
        ] {
            let (_folder, tree) = planted(&[(MEMINFO, text)]);
            assert_eq!(
                memory(&tree).unwrap_err(),
                "`/proc/meminfo` has no `MemTotal`",
                "{text}"
            );
        }
        let (_folder, tree) = planted(&[(TABLE, "\u{1}\u{1b}nonsense")]);
        assert_eq!(
            modules(&tree).unwrap_err(),
            "`/sys/firmware/dmi/tables/DMI` names no memory module"
        );
    }
}
