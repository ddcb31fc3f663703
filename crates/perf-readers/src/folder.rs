//! Tools with result folders: which files are read, and which belong together.

use crate::format::Format;
use crate::formats::format;

/// Files in one folder that are read as one input.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The format that reads them.
    pub format: &'static str,
    /// The last parts of the folder's path; `None` for any folder.
    pub folder: Option<&'static str>,
    /// The file names in reading order; missing files are skipped. A single name with a `*` matches every file with its
    /// beginning and end, and each is a separate input.
    pub files: &'static [&'static str],
}

/// The groups of all tools with result folders.
pub const GROUPS: &[Group] = &[
    // Next to `new` are `base`, `change` and `report`: earlier results, differences and pictures.
    Group {
        format: "criterion",
        folder: Some("new"),
        files: &["benchmark.json", "estimates.json", "sample.json"],
    },
    Group {
        format: "gungraun",
        folder: None,
        files: &["summary.json"],
    },
    // pytest-codspeed writes to `results` in CODSPEED_PROFILE_FOLDER, which `measure` sets to `.codspeed`.
    Group {
        format: "codspeed",
        folder: Some(".codspeed/results"),
        files: &["*.json"],
    },
];

impl Group {
    /// Returns the format that reads the files.
    pub fn reader(&self) -> Option<&'static Format> {
        format(self.format)
    }

    /// True if a file with this name is a separate input.
    pub fn takes_each(&self, name: &str) -> bool {
        let [only] = self.files else { return false };
        let ends = only.split_once('*');
        ends.is_some_and(|(start, end)| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
    }

    /// The pattern as shown to users: `new/{a.json,b.json}`.
    pub fn pattern(&self) -> String {
        let folder = self
            .folder
            .map(|name| format!("{name}/"))
            .unwrap_or_default();
        match self.files {
            [only] => format!("{folder}{only}"),
            files => format!("{folder}{{{}}}", files.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_a_reader() {
        for group in GROUPS {
            assert!(group.reader().is_some(), "{}", group.format);
        }
        let patterns: Vec<String> = GROUPS.iter().map(Group::pattern).collect();
        let expected = [
            "new/{benchmark.json,estimates.json,sample.json}",
            "summary.json",
            ".codspeed/results/*.json",
        ];
        assert_eq!(patterns, expected);
    }
}
