//! Graphics adapters: from the drivers' own words, and from PCI numbers with the system's table of names.

use memchr::memmem;

use super::tree::Tree;
use crate::machine::Probed;
use crate::words::distinct;

const DRM: &str = "/sys/class/drm";
const PCI: &str = "/sys/bus/pci/devices";
const NVIDIA: &str = "/proc/driver/nvidia/gpus";
/// Paths of the table of PCI names in distributions.
const TABLES: [&str; 3] = [
    "/usr/share/hwdata/pci.ids",
    "/usr/share/misc/pci.ids",
    "/usr/share/pci.ids",
];
/// The class of display controllers: the first of three bytes.
const DISPLAY: &str = "0x03";
/// Vendors of graphics adapters, for systems without the table.
const VENDORS: [(&str, &str); 9] = [
    ("1002", "AMD"),
    ("102b", "Matrox"),
    ("10de", "NVIDIA"),
    ("1234", "QEMU"),
    ("1414", "Microsoft Hyper-V"),
    ("15ad", "VMware"),
    ("1a03", "ASPEED"),
    ("1af4", "Virtio"),
    ("8086", "Intel"),
];

/// The names of all adapters; `none` where the system lists its devices and there is no adapter among them.
pub fn gpu(tree: &Tree) -> Probed<String> {
    let devices = tree.names(PCI);
    let adapters = devices
        .iter()
        .filter_map(|device| pci_adapter(tree, device));
    let names: Vec<_> = adapters.chain(soc_adapters(tree)).collect();
    match (names.is_empty(), devices.is_empty()) {
        (false, _) => Ok(distinct(names)),
        (true, false) => Ok("none".to_owned()),
        (true, true) => Err(format!("neither `{PCI}` nor `{DRM}` lists a device")),
    }
}

fn pci_adapter(tree: &Tree, device: &str) -> Option<String> {
    let folder = format!("{PCI}/{device}");
    if !tree
        .text(&format!("{folder}/class"))
        .ok()?
        .starts_with(DISPLAY)
    {
        return None;
    }
    // The four digits of `0x10de`.
    let number = |file| {
        let digits = tree
            .text(&format!("{folder}/{file}"))
            .ok()?
            .strip_prefix("0x")?
            .to_lowercase();
        let is_id = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(digits)
    };
    let (vendor, model) = (number("vendor")?, number("device")?);
    // The file of NVIDIA's driver also holds the adapter's UUID, which nobody may know.
    let nvidia = tree.text(&format!("{NVIDIA}/{device}/information")).ok();
    let nvidia = nvidia.and_then(|text| {
        text.lines()
            .find_map(|line| line.strip_prefix("Model:"))
            .map(|name| name.trim().to_owned())
    });
    let driver = || {
        tree.text(&format!("{folder}/product_name"))
            .ok()
            .filter(|name| !name.is_empty())
    };
    let known = VENDORS
        .iter()
        .find(|(id, _)| *id == vendor)
        .map(|(_, name)| *name);
    let listed = || {
        let table = TABLES.into_iter().find_map(|path| tree.bytes(path).ok())?;
        Some(format!(
            "{} {}",
            known.unwrap_or("PCI vendor"),
            in_table(&table, &vendor, &model)?
        ))
    };
    let by_number = || match known {
        Some(name) => format!("{name} GPU [{vendor}:{model}]"),
        None => format!("GPU [{vendor}:{model}]"),
    };
    Some(
        nvidia
            .or_else(driver)
            .or_else(listed)
            .unwrap_or_else(by_number),
    )
}

/// The name of a model in the table: vendors at the start of a line, their models below after one tab.
fn in_table(table: &[u8], vendor: &str, model: &str) -> Option<String> {
    let start = memmem::find(table, format!("\n{vendor}  ").as_bytes())?;
    let models = table.get(start + 1..)?.split(|byte| *byte == b'\n').skip(1);
    let mut models = models.take_while(|line| matches!(line.first(), Some(b'\t' | b'#')));
    let name = models.find_map(|line| line.strip_prefix(format!("\t{model}  ").as_bytes()))?;
    Some(String::from_utf8_lossy(name).trim().to_owned())
}

/// Adapters of boards without PCI, by their driver.
fn soc_adapters(tree: &Tree) -> Vec<String> {
    let cards = tree
        .names(DRM)
        .into_iter()
        .filter(|name| name.starts_with("card") && !name.contains('-'));
    let events = cards.filter_map(|card| tree.text(&format!("{DRM}/{card}/device/uevent")).ok());
    let driver = |event: &String| {
        let of_board = event.lines().any(|line| line.starts_with("OF_COMPATIBLE_"));
        event
            .lines()
            .find_map(|line| line.strip_prefix("DRIVER="))
            .filter(|_| of_board)
            .map(str::to_owned)
    };
    events.filter_map(|event| driver(&event)).collect()
}

#[cfg(test)]
#[cfg(unix)] // Windows has no colons in file names.
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    const ADAPTER: [(&str, &str); 3] = [
        ("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
        ("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"),
        ("/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n"),
    ];
    const NETWORK: (&str, &str) = ("/sys/bus/pci/devices/0000:02:00.0/class", "0x020000");
    const PCI_IDS: &str = "# comment\n10dd  Somebody\n\t2684  Not this\n10de  NVIDIA Corporation\n\t2682  AD102\n\
        \t\t1458 0001  Board\n# note\n\t2684  AD102 [GeForce RTX 4090]\n10df  Other\n\t9999  Not this either\n";

    fn found(more: &[(&str, &str)]) -> String {
        let (_folder, tree) = planted(&[&ADAPTER[..], &[NETWORK], more].concat());
        gpu(&tree).unwrap()
    }

    #[test]
    fn the_best_name_is_taken() {
        let information = "Model: \t\t NVIDIA GeForce RTX 4090\nGPU UUID: \t GPU-5b1c\n";
        assert_eq!(
            found(&[(
                "/proc/driver/nvidia/gpus/0000:01:00.0/information",
                information
            )]),
            "NVIDIA GeForce RTX 4090"
        );
        assert_eq!(
            found(&[("/usr/share/misc/pci.ids", PCI_IDS)]),
            "NVIDIA AD102 [GeForce RTX 4090]"
        );
        assert_eq!(
            found(&[("/usr/share/misc/pci.ids", "10de  x\n")]),
            "NVIDIA GPU [10de:2684]"
        );
        assert_eq!(found(&[]), "NVIDIA GPU [10de:2684]");
    }

    #[test]
    fn a_model_is_looked_up_among_its_vendors_only() {
        assert_eq!(in_table(PCI_IDS.as_bytes(), "10de", "9999"), None);
        assert_eq!(
            in_table(PCI_IDS.as_bytes(), "10df", "9999").as_deref(),
            Some("Not this either")
        );
        assert_eq!(in_table(b"\n10de  ", "10de", "2684"), None);
    }

    #[test]
    fn boards_tell_the_driver_and_servers_have_none() {
        let (_folder, tree) = planted(&[
            (
                "/sys/class/drm/card0/device/uevent",
                "DRIVER=v3d\nOF_NAME=v3d\nOF_COMPATIBLE_0=brcm,2712-v3d\n",
            ),
            (
                "/sys/class/drm/card0-HDMI-A-1/device/uevent",
                "DRIVER=x\nOF_COMPATIBLE_0=x\n",
            ),
            (
                "/sys/class/drm/card1/device/uevent",
                "DRIVER=nvidia\nPCI_ID=10DE:2684\n",
            ),
        ]);
        assert_eq!(gpu(&tree).unwrap(), "v3d");
        let (_folder, tree) = planted(&[NETWORK]);
        assert_eq!(gpu(&tree).unwrap(), "none");
        let (_folder, tree) = planted(&[]);
        assert!(gpu(&tree).is_err());
    }

    #[test]
    fn nonsense_numbers_are_no_adapter() {
        for vendor in ["", "0x", "0x10d", "10de", "0x10dg", "0x10de0"] {
            let (_folder, tree) = planted(&[
                ADAPTER[0],
                ADAPTER[2],
                ("/sys/bus/pci/devices/0000:01:00.0/vendor", vendor),
            ]);
            assert_eq!(gpu(&tree).unwrap(), "none", "{vendor}");
        }
    }
}
