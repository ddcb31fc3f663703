//! Tools that write result folders: which of the files are read, and which belong together.

use crate::format::Format;
use crate::formats::format;

/// Files in one folder that are read as one input.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name of the format that reads the files.
    pub format: &'static str,
    /// The end of the folder's path, which may be several names. `None` if the folder can have any name.
    pub folder: Option<&'static str>,
    /// The file names in reading order. Missing files are skipped. A single name with a `*` matches every file with the
    /// same prefix and suffix, and each of these files is a separate input.
    pub files: &'static [&'static str],
}

/// The groups of all tools that write result folders.
pub const GROUPS: &[Group] = &[
    // The folders next to `new` are not read: `base` contains earlier results, `change` differences, and `report`
    // pictures.
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
    // pytest-codspeed writes to `results` in `CODSPEED_PROFILE_FOLDER`, which `measure` sets to `.codspeed`.
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

    /// Whether the group is a pattern that matches this file name. Each matching file is a separate input.
    pub fn takes_each(&self, name: &str) -> bool {
        let [only] = self.files else { return false };
        let ends = only.split_once('*');
        ends.is_some_and(|(start, end)| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
    }

    /// Returns the pattern that is shown to users, such as `new/{a.json,b.json}`.
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
