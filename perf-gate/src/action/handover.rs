//! Passes files from one step to the next, protected against changes.
//!
//! A step outputs the SHA-256 of its handover file, which in turn contains the SHA-256 of every other file that later
//! steps rely on. A later step fails if one has changed. The benchmark can't forge an output: before `measure` ends and
//! the runner reads its outputs, `measure` kills the benchmark's processes and discards their outputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::{Failure, file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The SHA-256 of each file that must not change.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SealedFiles(BTreeMap<PathBuf, String>);

impl SealedFiles {
    /// Seals a file. A file that does not exist must not be created later.
    pub fn seal(&mut self, path: &Path) {
        self.0.insert(path.to_owned(), hash(path));
    }

    /// Fails if a file was changed, removed or created.
    pub fn check(&self) -> anyhow::Result<()> {
        for (path, sealed) in &self.0 {
            if hash(path) != *sealed {
                return Err(changed(path).into());
            }
        }
        Ok(())
    }
}

/// Writes a value to a file as JSON and returns the file's SHA-256.
pub fn write(path: &Path, value: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string(value)?;
    file::write_if_changed(path, text.as_bytes())?;
    Ok(hex(text.as_bytes()))
}

/// Reads a value from an earlier step, which has output the file's SHA-256.
pub fn read<T: DeserializeOwned>(path: &Path, sealed: &str) -> anyhow::Result<T> {
    let text = file::read_text(path)?;
    if hex(text.as_bytes()) != sealed {
        return Err(changed(path).into());
    }
    Ok(serde_json::from_str(&text)?)
}

/// The SHA-256 of a file, or the kind of error if it cannot be read, for example because it does not exist.
fn hash(path: &Path) -> String {
    match fs::read(path) {
        Ok(bytes) => hex(&bytes),
        Err(error) => error.kind().to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

fn changed(path: &Path) -> Failure {
    let message = format!("`{}` was changed after the action wrote it", path.display());
    Failure::new(message).hint("the benchmark or one of its leftover processes rewrote it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_removed_and_created_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, absent] = ["kept", "absent"].map(|name| folder.path().join(name));
        fs::write(&kept, "a").unwrap();
        let mut sealed = SealedFiles::default();
        sealed.seal(&kept);
        sealed.seal(&absent);
        sealed.check().unwrap();
        fs::write(&kept, "b").unwrap();
        assert!(sealed.check().unwrap_err().to_string().contains("kept"));
        fs::write(&kept, "a").unwrap();
        fs::write(&absent, "").unwrap();
        assert!(sealed.check().unwrap_err().to_string().contains("absent"));
        fs::remove_file(&absent).unwrap();
        fs::remove_file(&kept).unwrap();
        assert!(sealed.check().is_err());
    }
}
