//! Graphics adapters: their names, from NVIDIA's driver or from the system's PCI ID table.

use super::files::Files;
use crate::words::distinct;

const DRM: &str = "/sys/class/drm";
const PCI: &str = "/sys/bus/pci/devices";
/// The folder in which NVIDIA's driver describes its adapters.
pub const NVIDIA: &str = "/proc/driver/nvidia/gpus";
/// The paths of the PCI ID table in different distributions.
const TABLES: [&str; 2] = ["/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids"];
/// The beginning of a display controller's PCI class: the first of its three bytes.
const DISPLAY: &str = "0x03";
/// Lists the graphics adapters on PCI by name. Returns `none` if the system lists its PCI devices and has no adapter.
/// Returns `None` if the adapters are unknown.
pub fn gpu(files: &Files) -> Option<String> {
    let devices = files.names(PCI);
    let mut names = Vec::new();
    for device in &devices {
        names.extend(pci_adapter(files, device));
    }
    if !names.is_empty() {
        return Some(distinct(names));
    }
    // An on-chip adapter may be a card without being a PCI device.
    let has_card = files.names(DRM).iter().any(|name| name.starts_with("card"));
    (!devices.is_empty() && !has_card).then(|| "none".to_owned())
}

fn pci_adapter(files: &Files, device: &str) -> Option<String> {
    let text = |name| files.text(&format!("{PCI}/{device}/{name}"));
    if !text("class")?.starts_with(DISPLAY) {
        return None;
    }
    let (vendor, model) = (pci_id(&text("vendor")?)?, pci_id(&text("device")?)?);
    // This file also contains the adapter's UUID, which must stay private.
    let nvidia = files.text(&format!("{NVIDIA}/{device}/information"));
    let nvidia = nvidia.unwrap_or_default();
    if let Some(name) = nvidia.lines().find_map(|line| line.strip_prefix("Model:")) {
        return Some(name.trim().to_owned());
    }
    let maker = match vendor.as_str() {
        "1002" => "AMD",
        "10de" => "NVIDIA",
        "8086" => "Intel",
        _ => "PCI",
    };
    let table = TABLES.into_iter().find_map(|path| files.text(path));
    let name = find_in_table(&table.unwrap_or_default(), &vendor, &model);
    let name = name.unwrap_or_else(|| format!("GPU [{vendor}:{model}]"));
    Some(format!("{maker} {name}"))
}

/// The four digits of an ID such as `0x10de`.
fn pci_id(number: &str) -> Option<String> {
    let id = u16::from_str_radix(number.strip_prefix("0x")?, 16).ok()?;
    Some(format!("{id:04x}"))
}

/// Finds a model's name in the PCI ID table. A vendor's line is not indented, and the lines of its models follow, indented
/// by a tab.
fn find_in_table(table: &str, vendor: &str, model: &str) -> Option<String> {
    let (vendor, model) = (format!("{vendor}  "), format!("\t{model}  "));
    let mut lines = table.lines().skip_while(|line| !line.starts_with(&vendor));
    lines.next()?;
    let mut models = lines.take_while(|line| line.starts_with(['\t', '#']));
    let name = models.find_map(|line| line.strip_prefix(&model))?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
#[cfg(unix)] // Windows has no colons in file names.
mod tests {
    use super::super::files::tests::planted;
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
        let (_folder, files) = planted(&[&ADAPTER[..], &[NETWORK], more].concat());
        gpu(&files).unwrap()
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
        assert_eq!(find_in_table(PCI_IDS, "10de", "9999"), None);
        assert_eq!(
            find_in_table(PCI_IDS, "10df", "9999").as_deref(),
            Some("Not this either")
        );
        assert_eq!(find_in_table("\n10de  ", "10de", "2684"), None);
    }

    #[test]
    fn only_a_machine_without_cards_has_none() {
        let (_folder, files) = planted(&[
            (
                "/sys/class/drm/card0/device/uevent",
                "DRIVER=v3d\nOF_NAME=v3d\nOF_COMPATIBLE_0=brcm,2712-v3d\n",
            ),
            (
                "/sys/class/drm/card0-HDMI-A-1/device/uevent",
                "MAJOR=226\nDEVTYPE=drm_minor\n",
            ),
            (
                "/sys/class/drm/card1/device/uevent",
                "DRIVER=nvidia\nPCI_ID=10DE:2684\n",
            ),
        ]);
        assert!(gpu(&files).is_none());
        let (_folder, files) = planted(&[NETWORK]);
        assert_eq!(gpu(&files).unwrap(), "none");
        let (_folder, files) = planted(&[]);
        assert!(gpu(&files).is_none());
    }

    #[test]
    fn invalid_ids_are_not_adapters() {
        for vendor in ["", "0x", "10de", "0x10dg", "0x10de0"] {
            let (_folder, files) = planted(&[
                ADAPTER[0],
                ADAPTER[2],
                ("/sys/bus/pci/devices/0000:01:00.0/vendor", vendor),
            ]);
            assert_eq!(gpu(&files).unwrap(), "none", "{vendor}");
        }
    }
}
