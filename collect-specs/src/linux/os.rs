//! The operating system's name, the kernel's version and the instruction set.

use super::tree::Tree;
use crate::machine::Probed;

const RELEASE: &str = "/proc/sys/kernel/osrelease";

/// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`; one of the two is enough.
///
/// Of the kernel's release only the number is printed: what follows it, and the rest of `/proc/version`, can
/// name who built the kernel, and where.
pub fn os(tree: &Tree) -> Probed<String> {
    let name = ["/etc/os-release", "/usr/lib/os-release"]
        .into_iter()
        .find_map(|path| {
            let release = tree.text(path).ok()?;
            let mut lines = ["PRETTY_NAME=", "NAME="].into_iter();
            let value = |key| {
                release
                    .lines()
                    .find_map(|line| line.trim().strip_prefix(key))
                    .map(unquoted)
            };
            lines.find_map(value).filter(|name| !name.is_empty())
        });
    let kernel = tree
        .text(RELEASE)
        .ok()
        .and_then(|release| number(&release))
        .map(|number| format!("Linux {number}"));
    let parts: Vec<_> = [name, kernel].into_iter().flatten().collect();
    match parts.as_slice() {
        [] => Err(format!(
            "neither `/etc/os-release` nor `{RELEASE}` names it"
        )),
        parts => Ok(parts.join(", ")),
    }
}

/// The machine's instruction set where the kernel reports it, else the one this program was built for.
pub fn arch(tree: &Tree) -> String {
    let reported = tree
        .text("/proc/sys/kernel/arch")
        .ok()
        .filter(|arch| !arch.is_empty());
    reported.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The file is a shell's: values may be quoted, and a backslash keeps the next character.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let mut characters = inner.unwrap_or(value).chars();
    let mut plain = String::new();
    while let Some(character) = characters.next() {
        plain.extend(if character == '\\' {
            characters.next()
        } else {
            Some(character)
        });
    }
    plain
}

/// The leading numbers of a release: `6.8.0` of `6.8.0-1021-azure`.
fn number(release: &str) -> Option<String> {
    let end = release
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(release.len());
    let number = release.get(..end)?.trim_matches('.');
    (!number.is_empty()).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::planted;
    use super::*;

    #[test]
    fn the_name_is_unquoted_and_the_kernel_is_a_number() {
        let os = |name: &str, release: &str| {
            let (_folder, tree) = planted(&[("/etc/os-release", name), (RELEASE, release)]);
            os(&tree).unwrap_or_else(|why| why)
        };
        let fedora = "NAME=Fedora\nPRETTY_NAME=\"Fedora \\\"Linux\\\" 41\"\n";
        assert_eq!(
            os(fedora, "6.11.4-301.fc41.x86_64\n"),
            "Fedora \"Linux\" 41, Linux 6.11.4"
        );
        assert_eq!(
            os("PRETTY_NAME='Alpine Linux v3.20'", ""),
            "Alpine Linux v3.20"
        );
        assert_eq!(os("NAME=Arch\n", "6.10.1-gull7\n"), "Arch, Linux 6.10.1");
        let nothing = "neither `/etc/os-release` nor `/proc/sys/kernel/osrelease` names it";
        assert_eq!(os("PRETTY_NAME=\nNAME\n", "custom"), nothing);
    }
}
