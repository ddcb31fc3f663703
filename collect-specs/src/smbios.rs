//! The SMBIOS table: memory modules, and the serial numbers that must never be printed.
//!
//! The table is a list of *structures*. A structure begins with its type and its length in bytes, including these two.
//! The texts that the structure refers to follow after its bytes. Each text ends with a zero byte, and the last one
//! with two.
//!
//! Firmware writes the table, so it is not trusted: invalid values are left out, and reading stops at a malformed
//! structure.

use crate::machine::Modules;

const SYSTEM: u8 = 1;
const MEMORY_DEVICE: u8 = 17;
const END_OF_TABLE: u8 = 127;
/// The offsets of serial number and asset tag by structure type.
const SERIALS: [(u8, &[usize]); 5] = [
    (SYSTEM, &[0x07]),
    (2, &[0x07, 0x08]),             // board
    (3, &[0x07, 0x08]),             // chassis
    (4, &[0x20, 0x21]),             // processor
    (MEMORY_DEVICE, &[0x18, 0x19]), // memory module
];
const MIB: u64 = 1024 * 1024;
/// Hypervisors, each with lower-case parts of the firmware names that it uses. The first match is used.
const HYPERVISORS: [(&str, &[&str]); 8] = [
    ("virtualbox", &["virtualbox", "innotek"]),
    ("vmware", &["vmware"]),
    ("parallels", &["parallels"]),
    ("hyper-v", &["microsoft corporation virtual machine"]),
    ("xen", &["xen"]),
    ("bhyve", &["bhyve"]),
    ("apple", &["apple virtualization"]),
    (
        "kvm",
        &[
            "kvm",
            "qemu",
            "linux,dummy-virt",
            "openstack",
            "google compute engine",
            "amazon ec2",
            "digitalocean",
        ],
    ),
];

/// Summarises the memory modules. `None` if the table contains none with a known size.
pub fn modules(table: &[u8]) -> Option<Modules> {
    let mut modules = Modules::default();
    for device in structures(table).filter(|structure| structure.kind == MEMORY_DEVICE) {
        let Some(bytes) = device.module_bytes() else {
            continue;
        };
        modules.bytes = modules.bytes.saturating_add(bytes);
        modules
            .kinds
            .extend(device.data.get(0x12).and_then(|code| memory_kind(*code)));
        let speeds = modules.speed.into_iter().chain(device.module_speed());
        modules.speed = speeds.min();
    }
    modules.kinds.sort_unstable();
    modules.kinds.dedup();
    (modules.bytes > 0).then_some(modules)
}

/// All serial numbers, asset tags and UUIDs in the table, including placeholders.
pub fn serials(table: &[u8]) -> Vec<String> {
    let mut serials = Vec::new();
    for structure in structures(table) {
        let places = SERIALS.iter().find(|(kind, _)| *kind == structure.kind);
        for place in places.map_or(&[][..], |(_, places)| places) {
            serials.extend(structure.text(*place));
        }
        let uuid = structure.data.get(0x08..).and_then(<[u8]>::first_chunk);
        if let Some(uuid) = uuid.filter(|_| structure.kind == SYSTEM) {
            serials.extend(uuids(*uuid));
        }
    }
    serials
}

/// The hypervisor that uses this firmware name. `None` if the name is not a known hypervisor's.
pub fn hypervisor_by_firmware(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    for (hypervisor, names) in HYPERVISORS {
        if names.iter().any(|known| name.contains(known)) {
            return Some(hypervisor);
        }
    }
    None
}

/// A structure in the table. `data` begins with type and length, so offsets in `data` are the same as in the specification.
struct Structure<'a> {
    kind: u8,
    data: &'a [u8],
    texts: &'a [u8],
}

fn structures(mut rest: &[u8]) -> impl Iterator<Item = Structure<'_>> {
    std::iter::from_fn(move || {
        let (kind, length) = (*rest.first()?, usize::from(*rest.get(1)?));
        if kind == END_OF_TABLE || length < 4 {
            return None;
        }
        let (data, tail) = rest.split_at_checked(length)?;
        let end = tail.windows(2).position(|pair| pair == [0, 0])?;
        rest = &tail[end + 2..];
        Some(Structure {
            kind,
            data,
            texts: &tail[..end],
        })
    })
}

impl Structure<'_> {
    fn word(&self, at: usize) -> Option<u16> {
        let bytes = self.data.get(at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn long(&self, at: usize) -> Option<u32> {
        let bytes = self.data.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    /// The string whose number, counted from 1, is stored at `at`.
    fn text(&self, at: usize) -> Option<String> {
        let index = usize::from(*self.data.get(at)?).checked_sub(1)?;
        let text = self.texts.split(|byte| *byte == 0).nth(index)?;
        Some(String::from_utf8_lossy(text).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A memory module's size in bytes. `None` for an empty socket, an unknown size or persistent memory.
    fn module_bytes(&self) -> Option<u64> {
        const PERSISTENT: u8 = 0x1f;
        if self.data.get(0x12) == Some(&PERSISTENT) {
            return None;
        }
        // The 16-bit field counts MiB, or KiB if its highest bit is set; larger modules use a 32-bit field.
        match self.word(0x0c)? {
            0 | 0xffff => None,
            0x7fff => Some(u64::from(self.long(0x1c)? & 0x7fff_ffff) * MIB),
            kib if kib & 0x8000 != 0 => Some(u64::from(kib & 0x7fff) * 1024),
            mib => Some(u64::from(mib) * MIB),
        }
    }

    /// The configured transfer rate in MT/s or, if that is unknown, the rate that the module supports.
    fn module_speed(&self) -> Option<u16> {
        let mut speeds = [0x20, 0x15].into_iter().filter_map(|at| self.word(at));
        speeds.find(|speed| !matches!(speed, 0 | 0xffff))
    }
}

fn memory_kind(code: u8) -> Option<&'static str> {
    Some(match code {
        0x18 => "DDR3",
        0x1a => "DDR4",
        0x1e => "LPDDR4",
        0x22 => "DDR5",
        0x23 => "LPDDR5",
        _ => return None,
    })
}

/// A UUID in both byte orders, because the specification changed the order of the first three groups.
fn uuids(bytes: [u8; 16]) -> [String; 2] {
    let mut swapped = bytes;
    for group in [0..4, 4..6, 6..8] {
        swapped[group].reverse();
    }
    [bytes, swapped].map(|bytes| bytes.map(|byte| format!("{byte:02x}")).concat())
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A structure of `length` bytes, some of them set, followed by its texts.
    pub fn structure(kind: u8, length: u8, set: &[(usize, &[u8])], texts: &[&str]) -> Vec<u8> {
        let mut data = vec![0; usize::from(length)];
        (data[0], data[1]) = (kind, length);
        for (at, bytes) in set {
            data[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        for text in texts {
            data.extend(text.as_bytes().iter().chain(&[0]));
        }
        data.extend(if texts.is_empty() {
            &[0, 0][..]
        } else {
            &[0][..]
        });
        data
    }

    fn module(set: &[(usize, &[u8])]) -> Vec<u8> {
        structure(MEMORY_DEVICE, 0x5c, set, &["DIMM_A1", "SN-4471-QX"])
    }

    const GIB_32: (usize, &[u8]) = (0x0c, &[0xff, 0x7f]);
    const GIB_32_EXTENDED: (usize, &[u8]) = (0x1c, &[0x00, 0x80, 0x00, 0x00]);
    const DDR5: (usize, &[u8]) = (0x12, &[0x22]);

    #[test]
    fn modules_are_summed_and_run_at_the_slowest_configured_speed() {
        let table = [
            module(&[
                GIB_32,
                GIB_32_EXTENDED,
                DDR5,
                (0x15, &6000_u16.to_le_bytes()),
                (0x20, &5600_u16.to_le_bytes()),
            ]),
            module(&[(0x0c, &[0x00, 0x40]), DDR5, (0x15, &5200_u16.to_le_bytes())]),
            module(&[(0x12, &[0x02])]), // an empty socket
            module(&[(0x0c, &[0x00, 0x40]), (0x12, &[0x1f])]), // persistent memory
        ];
        let modules = modules(&table.concat()).unwrap();
        assert_eq!(modules.bytes >> 30, 48);
        assert_eq!((modules.kinds, modules.speed), (vec!["DDR5"], Some(5200)));
    }

    #[test]
    fn sizes_in_kib_are_read_and_an_unknown_speed_is_replaced() {
        let unknown = (0x20, &[0xff, 0xff][..]);
        let table = module(&[
            (0x0c, &[0x00, 0xc0]),
            unknown,
            (0x15, &3200_u16.to_le_bytes()),
        ]);
        let modules = modules(&table).unwrap();
        assert_eq!((modules.bytes, modules.speed), (16 * MIB, Some(3200)));
        assert!(modules.kinds.is_empty());
    }

    #[test]
    fn an_empty_table_has_no_modules() {
        assert_eq!(modules(&[]), None);
        assert_eq!(modules(&structure(END_OF_TABLE, 4, &[], &[])), None);
    }

    #[test]
    fn serial_numbers_tags_and_the_uuid_are_found() {
        let uuid: Vec<u8> = (1..=16).collect();
        let table = [
            structure(
                SYSTEM,
                0x1b,
                &[(4, &[1, 2, 0, 3]), (8, &uuid)],
                &["Acme", "Rack 9", "SYS-77"],
            ),
            structure(2, 0x0f, &[(7, &[1, 2])], &["BOARD-1", "TAG-1"]),
            module(&[(0x18, &[2, 9])]),
        ];
        assert_eq!(
            serials(&table.concat()),
            [
                "SYS-77",
                "0102030405060708090a0b0c0d0e0f10",
                "0403020106050807090a0b0c0d0e0f10",
                "BOARD-1",
                "TAG-1",
                "SN-4471-QX",
            ]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(table in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = (modules(&table), serials(&table));
        }

        #[test]
        fn a_table_cut_anywhere_is_read_as_far_as_it_goes(cut in 0_usize..200) {
            let table = module(&[GIB_32, GIB_32_EXTENDED, DDR5, (0x18, &[2, 0])]);
            let cut = cut.min(table.len());
            prop_assert_eq!(modules(&table[..cut]).is_some(), cut == table.len());
        }
    }
}
