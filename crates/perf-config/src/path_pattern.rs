//! The one meaning of a path pattern: in `[harness]`, in `[refresh]`, and in what `perf-gate refresh` depends on.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Glob;

/// A pattern of paths: `*` is any part of a name, `?` one character, `**` any number of folders. It begins at the
/// root of the repository; where it ends without a wildcard it is the file, or all that is in the folder.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern {
    source: String,
    parts: Vec<PatternPart>,
    /// True if all that is in what the parts cover is covered, too.
    is_folder: bool,
}

#[derive(Clone, Debug)]
enum PatternPart {
    Name(Glob),
    Folders,
}

impl PathPattern {
    /// Compiles `source`.
    pub fn new(source: &str) -> Result<Self, String> {
        let names: Vec<&str> = source
            .strip_suffix('/')
            .unwrap_or(source)
            .split('/')
            .collect();
        names.iter().try_for_each(|name| refuse(name, source))?;
        let part = |name: &&str| {
            if *name == "**" {
                PatternPart::Folders
            } else {
                PatternPart::Name(Glob::new(name))
            }
        };
        let mut parts: Vec<PatternPart> = names.iter().map(part).collect();
        if let Some(PatternPart::Folders) = parts.last() {
            parts.push(PatternPart::Name(Glob::new("*")));
        }
        let is_folder = names.last().is_some_and(|name| !name.contains(['*', '?']));
        Ok(Self {
            source: source.to_owned(),
            parts,
            is_folder,
        })
    }

    /// True if it covers a path that is written with `/`.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let (mut part, mut name) = (0, 0);
        // Where to go on if the names after the last `**` do not fit: the shortest run of folders is tried first, and no
        // earlier `**` again.
        let mut retry = None;
        loop {
            match self.parts.get(part) {
                None if self.is_folder || name == names.len() => return true,
                Some(PatternPart::Folders) => {
                    part += 1;
                    retry = Some((part, name));
                    continue;
                }
                Some(PatternPart::Name(glob))
                    if names.get(name).is_some_and(|name| glob.matches(name)) =>
                {
                    (part, name) = (part + 1, name + 1);
                    continue;
                }
                _ => {}
            }
            let Some((parts, names_before)) = retry.filter(|(_, before)| *before < names.len())
            else {
                return false;
            };
            (part, name) = (parts, names_before + 1);
            retry = Some((part, name));
        }
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

/// The beginning of the error for a pattern in the config.
pub(super) const BAD_PATH: &str = "bad path ";

/// Fails for a part of a path that can be in no path of a repository.
fn refuse(name: &str, source: &str) -> Result<(), String> {
    let why = match name {
        "" if source.is_empty() => "it is empty",
        _ if source.starts_with('!') => "it begins with `!`: a pattern cannot take anything back",
        "" if source.starts_with('/') => "it begins with `/`",
        "" => "it has `//`",
        "." | ".." => "it has `.` or `..` as a folder",
        _ if name.contains('\\') => "it has a `\\`",
        _ if name.ends_with(':') && name.len() == 2 => "it begins with a drive",
        _ if name != "**" && name.contains("**") => "`**` stands for whole folders",
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

impl FromStr for PathPattern {
    type Err = String;

    fn from_str(source: &str) -> Result<Self, String> {
        Self::new(source)
    }
}

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(source: String) -> Result<Self, String> {
        Self::new(&source).map_err(|why| format!("{BAD_PATH}`{source}`: {why}"))
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.source
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for PathPattern {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATHS: [&str; 8] = [
        "Cargo.lock",
        "sub/Cargo.lock",
        "benches",
        "benches/a.rs",
        "benches/deep/b.rs",
        "benches2/c.rs",
        "benches/deep/er/é.rs",
        "x/benches/a.rs",
    ];

    fn matching(pattern: &str) -> Vec<&'static str> {
        let pattern = PathPattern::new(pattern).unwrap();
        PATHS
            .into_iter()
            .filter(|path| pattern.matches(path))
            .collect()
    }

    #[test]
    fn patterns_begin_at_the_root() {
        assert_eq!(matching("Cargo.lock"), ["Cargo.lock"]);
        assert_eq!(matching("**/Cargo.lock"), ["Cargo.lock", "sub/Cargo.lock"]);
        assert_eq!(matching("cargo?lock"), [""; 0]);
        assert_eq!(matching("**"), PATHS);
    }

    #[test]
    fn a_star_stays_within_a_name_and_two_do_not() {
        assert_eq!(matching("benches/*"), ["benches/a.rs"]);
        assert_eq!(matching("bench*/?.rs"), ["benches/a.rs", "benches2/c.rs"]);
        let all = ["benches/a.rs", "benches/deep/b.rs", "benches/deep/er/é.rs"];
        assert_eq!(matching("benches/**"), all);
        assert_eq!(matching("benches/**/*.rs"), all);
        assert_eq!(matching("**/er/?.rs"), ["benches/deep/er/é.rs"]);
        assert_eq!(matching("benches?a.rs"), [""; 0]);
    }

    #[test]
    fn a_folder_is_all_that_is_in_it() {
        let all = [
            "benches",
            "benches/a.rs",
            "benches/deep/b.rs",
            "benches/deep/er/é.rs",
        ];
        assert_eq!([matching("benches"), matching("benches/")], [all, all]);
        assert_eq!(
            matching("*/deep"),
            ["benches/deep/b.rs", "benches/deep/er/é.rs"]
        );
    }

    #[test]
    fn what_no_path_could_match_says_why() {
        let why = |text: &str| PathPattern::new(text).unwrap_err();
        assert_eq!(why(""), "it is empty");
        assert_eq!(
            [why("/"), why("/benches"), why("//")],
            ["it begins with `/`"; 3]
        );
        assert_eq!(
            why("!benches"),
            "it begins with `!`: a pattern cannot take anything back"
        );
        assert_eq!(why("benches//a"), "it has `//`");
        assert_eq!(
            [why("./benches"), why("../x"), why("a/.."), why("a/../b")],
            ["it has `.` or `..` as a folder"; 4]
        );
        assert_eq!(why("benches\\*"), "it has a `\\`");
        assert_eq!(why("C:/benches"), "it begins with a drive");
        assert_eq!(
            [why("a**"), why("**.rs"), why("***")],
            ["`**` stands for whole folders"; 3]
        );
    }

    proptest! {
        #[test]
        fn any_pattern_is_understood_or_refused(pattern in any::<String>(), path in any::<String>()) {
            if let Ok(pattern) = PathPattern::new(&pattern) {
                pattern.matches(&path);
            }
        }

        #[test]
        fn a_path_without_wildcards_matches_itself(path in "[a-z+(é]{1,5}(/[a-z+.]{3,5}){0,3}") {
            prop_assume!(path.split('/').all(|name| !name.trim_matches('.').is_empty()));
            prop_assert!(PathPattern::new(&path).unwrap().matches(&path));
        }
    }
}
