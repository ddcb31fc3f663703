//! The SMBIOS table and the graphics adapters from the Windows registry, which every user can read.

use windows_registry::{Key, LOCAL_MACHINE};

use crate::identity::{HARDWARE, Identities};
use crate::machine::Machine;
use crate::smbios;
use crate::words::distinct;

const FIRMWARE: &str = r"SYSTEM\CurrentControlSet\Services\mssmbios\Data";
/// The registry class of graphics adapters, with a numbered key for each.
const ADAPTERS: &str =
    r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}";
const BIOS: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
const CRYPTOGRAPHY: &str = r"SOFTWARE\Microsoft\Cryptography";
/// The number of bytes before the table itself, which contain its version and length.
const TABLE_HEADER: usize = 8;

/// Adds the facts and identities in the registry.
pub fn add(machine: &mut Machine, identities: &mut Identities) {
    let table = table().unwrap_or_default();
    for serial in smbios::serials(&table) {
        identities.add(HARDWARE, &serial);
    }
    if let Some(guid) = open(CRYPTOGRAPHY).and_then(|key| key.get_string("MachineGuid").ok()) {
        identities.add(HARDWARE, &guid);
    }
    machine.modules = smbios::modules(&table);
    machine.gpu = adapters();
    machine.virtualization = product().map(|product| {
        let hypervisor = smbios::hypervisor_by_firmware(&product);
        hypervisor.unwrap_or("none").to_owned()
    });
}

fn open(path: &str) -> Option<Key> {
    LOCAL_MACHINE.open(path).ok()
}

fn table() -> Option<Vec<u8>> {
    let data = open(FIRMWARE)?.get_value("SMBiosData").ok()?;
    data.get(TABLE_HEADER..).map(<[u8]>::to_vec)
}

/// The machine's manufacturer and product according to the firmware.
fn product() -> Option<String> {
    let bios = open(BIOS)?;
    let manufacturer = bios.get_string("SystemManufacturer").ok()?;
    let product = bios.get_string("SystemProductName").ok()?;
    Some(format!("{manufacturer} {product}"))
}

fn adapters() -> Option<String> {
    let class = open(ADAPTERS)?;
    let mut names = Vec::new();
    for key in class.keys().ok()? {
        if key.bytes().all(|byte| byte.is_ascii_digit()) {
            let adapter = class.open(key).ok();
            names.extend(adapter.and_then(|adapter| adapter.get_string("DriverDesc").ok()));
        }
    }
    (!names.is_empty()).then(|| distinct(names))
}
