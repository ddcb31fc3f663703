//! Operating systems mentioned in free text, such as a platform's name.

/// A set of operating systems, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Systems(u8);

/// Each system's names. The names in the first list may be part of a word (`WindowsPlayer`, `ubuntu24`). The names in the
/// second list must be whole words.
const SYSTEMS: [(&[&str], &[&str]); 6] = [
    (
        &["linux", "ubuntu", "debian", "fedora", "alpine", "centos"],
        &["rhel"],
    ),
    (
        &["windows", "win32", "win64", "wsaplayer"],
        &["win", "win10", "win11"],
    ),
    (&["macos", "osx", "darwin"], &["mac"]),
    (&["android"], &[]),
    (&["iphone"], &["ios", "tvos", "visionos"]),
    (&["freebsd"], &[]),
];

impl Systems {
    /// Finds the systems that `text` mentions.
    pub fn of(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let mut all = 0;
        for (at, (parts, whole_words)) in SYSTEMS.iter().enumerate() {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            if parts.iter().any(|part| text.contains(part))
                || words.any(|word| whole_words.contains(&word))
            {
                all |= 1 << at;
            }
        }
        Self(all)
    }

    /// Whether no system was found.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether both sets contain systems, but none in common.
    pub const fn contradict(self, others: Self) -> bool {
        !self.is_empty() && !others.is_empty() && self.0 & others.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: Systems = Systems(1);
    const WINDOWS: Systems = Systems(2);
    const MACOS: Systems = Systems(4);
    const ANDROID: Systems = Systems(8);
    const IOS: Systems = Systems(16);

    #[test]
    fn systems_are_found_in_platforms() {
        for (text, systems) in [
            (
                "Standalone IL2CPP x64 Release (WindowsPlayer; Unity 6000.0)",
                WINDOWS,
            ),
            ("Windows 11 (10.0.22631.4317/23H2)", WINDOWS),
            ("windows-2025", WINDOWS),
            ("x86_64-pc-windows-msvc", WINDOWS),
            ("win-x64", WINDOWS),
            ("OSXPlayer", MACOS),
            ("macos-15", MACOS),
            ("darwin/arm64", MACOS),
            ("aarch64-apple-darwin", MACOS),
            ("LinuxEditor", LINUX),
            ("ubuntu-24.04", LINUX),
            ("Debian GNU/Linux 12 (bookworm), Linux 6.1.0", LINUX),
            ("Android ARM64", ANDROID),
            ("IPhonePlayer", IOS),
            ("iOS 18", IOS),
            (
                "Windows, cross-compiled on Linux",
                Systems(WINDOWS.0 | LINUX.0),
            ),
        ] {
            assert_eq!(Systems::of(text), systems, "{text}");
        }
    }

    #[test]
    fn other_words_are_not_systems() {
        for text in [
            "",
            "Standalone IL2CPP x64 Release",
            "PlayMode",
            "x86_64",
            "bios scenarios",
            "twin engine",
            "machine",
            "posix",
        ] {
            assert!(Systems::of(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn unknown_systems_contradict_nothing() {
        let contradict = |one: &str, other: &str| Systems::of(one).contradict(Systems::of(other));
        assert!(
            contradict("Ubuntu 24.04", "WindowsPlayer") && contradict("WindowsPlayer", "linux")
        );
        assert!(
            !contradict("Ubuntu 24.04", "x64") && !contradict("", "windows") && !contradict("", "")
        );
        assert!(!contradict("Linux 6.1", "Windows on Linux"));
    }
}
