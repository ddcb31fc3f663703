//! Operating systems mentioned in free text, such as a platform's name.

/// A set of operating systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Systems(u8);

const LINUX: Systems = Systems(1);
const WINDOWS: Systems = Systems(2);
const MACOS: Systems = Systems(4);
const ANDROID: Systems = Systems(8);
const IOS: Systems = Systems(16);
const FREEBSD: Systems = Systems(32);

/// Names of systems that may be part of a word: `WindowsPlayer`, `ubuntu24`.
const PARTS: [(&str, Systems); 16] = [
    ("linux", LINUX),
    ("ubuntu", LINUX),
    ("debian", LINUX),
    ("fedora", LINUX),
    ("alpine", LINUX),
    ("centos", LINUX),
    ("windows", WINDOWS),
    ("win32", WINDOWS),
    ("win64", WINDOWS),
    ("wsaplayer", WINDOWS),
    ("macos", MACOS),
    ("osx", MACOS),
    ("darwin", MACOS),
    ("android", ANDROID),
    ("iphone", IOS),
    ("freebsd", FREEBSD),
];

/// Names of systems that must be whole words.
const WORDS: [(&str, Systems); 8] = [
    ("rhel", LINUX),
    ("win", WINDOWS),
    ("win10", WINDOWS),
    ("win11", WINDOWS),
    ("mac", MACOS),
    ("ios", IOS),
    ("tvos", IOS),
    ("visionos", IOS),
];

impl Systems {
    /// Finds the systems mentioned in a text.
    pub fn of(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let mut all = Self::default();
        for (part, system) in PARTS {
            if text.contains(part) {
                all.0 |= system.0;
            }
        }
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            for (known, system) in WORDS {
                if word == known {
                    all.0 |= system.0;
                }
            }
        }
        all
    }

    /// Whether no system was found.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether both are known and have nothing in common.
    pub const fn contradict(self, others: Self) -> bool {
        !self.is_empty() && !others.is_empty() && self.0 & others.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
