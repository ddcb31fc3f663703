//! The files in a folder, and which of them a run touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The modification time that every file gets before a run: otherwise, a file written within the same clock tick
/// would look untouched.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

/// Path (with `/`) to content and modification time.
#[derive(Debug, PartialEq)]
pub(crate) struct Folder(BTreeMap<String, (Vec<u8>, Option<SystemTime>)>);

impl Folder {
    /// Reads the current files.
    pub(crate) fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        visit(root, "", &mut |name, path| {
            let written = fs::metadata(path)
                .and_then(|metadata| metadata.modified())
                .ok();
            files.insert(name, (fs::read(path).unwrap_or_default(), written));
        });
        Self(files)
    }

    /// Makes every file look old.
    pub(crate) fn age(root: &Path) {
        visit(root, "", &mut |_, path| {
            // If this fails, the file looks touched, which fails the test.
            let _ = fs::File::open(path).and_then(|file| file.set_modified(long_ago()));
        });
    }

    /// The differences from `after`, one line per file: `+` created, `~` rewritten, `=` written with the same content,
    /// `-` deleted.
    pub(crate) fn changes(&self, after: &Self) -> Vec<String> {
        let mut changes: Vec<String> = self
            .0
            .keys()
            .filter(|name| !after.0.contains_key(*name))
            .map(|name| format!("- {name}"))
            .collect();
        for (name, now) in &after.0 {
            match self.0.get(name) {
                None => changes.push(format!("+ {name}")),
                Some(before) if before.0 != now.0 => changes.push(format!("~ {name}")),
                Some(before) if before.1 != now.1 => changes.push(format!("= {name}")),
                Some(_) => {}
            }
        }
        changes
    }
}

/// Calls `file` with the relative and full path of every file below `folder`.
pub(crate) fn visit(folder: &Path, prefix: &str, file: &mut impl FnMut(String, &Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            visit(&entry.path(), &format!("{name}/"), file);
        } else {
            file(name, &entry.path());
        }
    }
}
