//! Files below a root folder, which tests can replace.

use std::fs;
use std::path::PathBuf;

/// A folder that contains `proc`, `sys` and `etc`: `/`, or a temporary folder in tests.
pub struct Files(pub PathBuf);

impl Files {
    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// A file's text without surrounding white space and zero bytes. `None` if the file is unreadable.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.path(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(
            text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
                .to_owned(),
        )
    }

    /// The SMBIOS table. Empty if the table is unreadable: on most systems, only administrators can read it.
    pub fn firmware_table(&self) -> Vec<u8> {
        fs::read(self.path("/sys/firmware/dmi/tables/DMI")).unwrap_or_default()
    }

    /// The names in a folder, sorted naturally (`index9` before `index10`). Empty if the folder is unreadable.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let mut names: Vec<_> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        names
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A fake system with the given files, and its temporary folder.
    pub fn planted(files: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        let planted = Files(folder.path().to_owned());
        for (path, content) in files {
            let path = planted.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        (folder, planted)
    }

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let (_folder, files) = planted(&[("/c/cpu10", ""), ("/c/cpu2", ""), ("/c/cpu1", "")]);
        assert_eq!(files.names("/c"), ["cpu1", "cpu2", "cpu10"]);
        assert!(files.names("/nowhere").is_empty());
    }

    #[test]
    fn invalid_utf8_does_no_harm() {
        let (_folder, files) = planted(&[]);
        fs::write(files.path("/blob"), b"\xff\xfe model\0").unwrap();
        assert_eq!(files.text("/blob").unwrap(), "\u{fffd}\u{fffd} model");
    }
}
