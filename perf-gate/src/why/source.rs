//! The project's files in base and head, and their changes.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::profile::{Function, Role, last_part};
use anyhow::Context;
use perf_cli::git::Git;
use perf_cli::load::benchmark_files;

/// Keywords that can precede `(` without being a function's name.
const KEYWORDS: [&str; 12] = [
    "if", "for", "while", "switch", "return", "catch", "sizeof", "defined", "match", "else", "do",
    "new",
];

/// Folders with third-party code.
const FOREIGN: [&str; 8] = [
    "node_modules",
    ".venv",
    "venv",
    "site-packages",
    "vendor",
    "_deps",
    ".cargo",
    "third_party",
];

/// A range of changed lines in a file.
pub struct Hunk {
    file: String,
    first: u32,
    last: u32,
    /// The functions that contain the lines, that begin in them, or that use a constant defined in them.
    functions: BTreeSet<String>,
}

/// The project's files.
pub struct Source {
    root: PathBuf,
    files: BTreeSet<String>,
    base: Option<String>,
    /// The changes since the base.
    pub hunks: Vec<Hunk>,
    texts: RefCell<HashMap<(usize, String), Option<String>>>,
}

impl Source {
    /// Lists the working tree's files and their changes since the base.
    ///
    /// # Errors
    /// Fails if `git diff` fails.
    pub fn load(base: Option<&str>) -> anyhow::Result<Self> {
        let root = benchmark_files::root()?;
        let git = Git::at(&root);
        let listed = git.list(&[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let mut hunks = Vec::new();
        if let Some(base) = base {
            let changes = git.ask(&[
                "diff",
                "-U0",
                "--no-color",
                "--no-ext-diff",
                "--no-renames",
                base,
            ]);
            hunks = parse_hunks(&changes.context("`git diff` failed")?);
        }
        for hunk in &mut hunks {
            let text = fs::read_to_string(root.join(&hunk.file)).unwrap_or_default();
            hunk.functions.extend(enclosing_function(&text, hunk.first));
            if hunk.functions.is_empty() {
                hunk.functions = constant_users(&text, hunk.first);
            }
        }
        Ok(Self {
            root,
            files: listed.unwrap_or_default().into_iter().collect(),
            base: base.map(str::to_owned),
            hunks,
            texts: RefCell::default(),
        })
    }

    /// Whether a profiler's file name refers to a project file.
    pub fn has(&self, file: &str) -> bool {
        self.tracked(file).is_some()
    }

    /// The path in the repository of a file that a profiler reports. `None` if it is not a project file.
    fn tracked(&self, file: &str) -> Option<String> {
        let file = normalize(file);
        if Path::new(&file).is_absolute() {
            let path = Path::new(&file)
                .strip_prefix(&self.root)
                .ok()?
                .to_string_lossy()
                .into_owned();
            return self.files.contains(&path).then_some(path);
        }
        let file = file.trim_start_matches("../");
        let end = format!("/{file}");
        let is_it = |known: &&String| *known == file || known.ends_with(&end);
        self.files.iter().find(is_it).cloned()
    }

    /// Returns the role of a function. The function is changed if changed lines are in a function with the same name, or if
    /// they are in no known function and in the range of this function's lines. If a build step generated the function's
    /// file, only the names are compared.
    pub fn role(&self, function: &Function) -> Role {
        let mut tracked = None;
        let mut role = Role::Library;
        if let Some(file) = &function.file {
            tracked = self.tracked(file);
            let path = Path::new(file).strip_prefix(&self.root).ok();
            let is_foreign = |path: &Path| {
                let mut parts = path.iter().filter_map(|part| part.to_str());
                parts.any(|part| FOREIGN.contains(&part))
            };
            if tracked.is_none() && path.is_none_or(is_foreign) {
                return role;
            }
            role = Role::Own;
        }
        let name = last_part(&function.name);
        for hunk in &self.hunks {
            if tracked.as_ref().is_some_and(|file| *file != hunk.file) {
                continue;
            }
            let mut is_changed = hunk.functions.contains(&name);
            if let Some((first, last)) = function.lines
                && tracked.is_some()
                && hunk.functions.is_empty()
            {
                is_changed = first <= hunk.first && hunk.last <= last;
            }
            if is_changed {
                return Role::Changed;
            }
        }
        role
    }

    /// Finds the function that contains a line, in the base (side 0) or in the head (side 1).
    pub fn enclosing(&self, side: usize, file: &str, line: u32) -> Option<String> {
        let path = self.tracked(file)?;
        let mut texts = self.texts.borrow_mut();
        let text = texts
            .entry((side, path.clone()))
            .or_insert_with(|| match (&self.base, side) {
                (Some(base), 0) => Git::at(&self.root).ask(&["show", &format!("{base}:{path}")]),
                _ => fs::read_to_string(self.root.join(&path)).ok(),
            });
        enclosing_function(text.as_deref()?, line)
    }
}

/// Resolves `.` and `..` in paths such as `programs/../lib/a.c`, which out-of-tree builds record.
fn normalize(file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in file.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(last)) if !last.is_empty() && *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Parses the changed lines of a diff.
fn parse_hunks(diff: &str) -> Vec<Hunk> {
    let (mut hunks, mut file) = (Vec::<Hunk>::new(), "");
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            file = path.strip_prefix("b/").unwrap_or("");
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            let place = rest.split(" @@").next().unwrap_or(rest);
            let place = place.split('+').nth(1).unwrap_or_default();
            let (first, count) = place.split_once(',').unwrap_or((place, "1"));
            let first: u32 = first.parse().unwrap_or_default();
            let count: u32 = count.parse().unwrap_or(1);
            let last = first.saturating_add(count.max(1) - 1);
            hunks.push(Hunk {
                file: file.to_owned(),
                first,
                last,
                functions: BTreeSet::new(),
            });
        } else if let (Some(hunk), Some(added)) = (hunks.last_mut(), line.strip_prefix('+')) {
            hunk.functions
                .extend(defined_function(added).map(str::to_owned));
        }
    }
    hunks
}

/// Finds the functions that use a constant defined in a line. A change of its value changes these functions.
fn constant_users(text: &str, line: u32) -> BTreeSet<String> {
    let lines = (1_u32..).zip(text.lines());
    let defined = lines.clone().find(|(number, _)| *number == line);
    let Some(name) = defined.and_then(|(_, text)| defined_constant(text)) else {
        return BTreeSet::new();
    };
    let mut users = BTreeSet::new();
    for (number, line) in lines {
        if tokens(line).contains(&name) {
            users.extend(enclosing_function(text, number));
        }
    }
    users
}

/// The constant that a line defines: `const a = …`, `static A: B = …`, `A = …`.
fn defined_constant(line: &str) -> Option<&str> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let (before, _) = line.split_once('=')?;
    let name = before.split(':').next()?;
    name.split_whitespace().next_back()
}

/// Finds the function that contains a line, by its indentation, which works for any language.
fn enclosing_function(text: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut least = indent(lines.get(at)?) + 1;
    for line in lines[..=at].iter().rev() {
        if line.trim().is_empty() || indent(line) >= least {
            continue;
        }
        if let Some(name) = defined_function(line) {
            return Some(name.to_owned());
        }
        // The end of a parameter list, and `where` bounds, have the same indentation as the function itself.
        let start = line.trim_start();
        let is_end = start.starts_with([')', '{', '}']) || start.starts_with("where");
        least = indent(line) + usize::from(is_end);
        if least == 0 {
            return None;
        }
    }
    None
}

/// The name of the function whose definition begins in a line.
fn defined_function(line: &str) -> Option<&str> {
    let tokens = tokens(line);
    for (at, token) in tokens.iter().enumerate() {
        if !["fn", "def", "func", "function"].contains(token) {
            continue;
        }
        let mut rest = &tokens[at + 1..];
        // Skip a Go receiver.
        if *token == "func" && rest.first() == Some(&"(") {
            let end = rest.iter().position(|token| *token == ")")?;
            rest = &rest[end + 1..];
        }
        return rest.first().copied().filter(|name| is_name(name));
    }
    // An arrow function.
    if let Some(at) = tokens.iter().position(|token| *token == "=")
        && line.contains("=>")
    {
        let rest = &tokens[at + 1..];
        let rest = rest.strip_prefix(&["async"]).unwrap_or(rest);
        let name = tokens.get(at.checked_sub(1)?)?;
        return (rest.first() == Some(&"(") && is_name(name)).then_some(name);
    }
    // C, C++, Java: a type, a name and a parenthesis, in a line that isn't a statement.
    let is_parameter_list =
        |two: &[&str]| two[1] == "(" && is_name(two[0]) && two[0] != "__attribute__";
    let at = tokens.windows(2).position(is_parameter_list)?;
    let (kind, name) = (&tokens[..at], tokens[at]);
    let is_statement = line.trim_end().ends_with(';')
        || kind
            .iter()
            .any(|token| ["=", ".", "\"", "#"].contains(token))
        || kind.ends_with(&["-", ">"]);
    let is_call = kind.is_empty() && line.starts_with(char::is_whitespace);
    let has_keyword = tokens[..=at].iter().any(|token| KEYWORDS.contains(token));
    (!is_statement && !is_call && !has_keyword).then_some(name)
}

/// The names and symbols in a line.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for part in line.split_inclusive(|letter| !is_letter(letter)) {
        let name = part.trim_end_matches(|letter| !is_letter(letter));
        let symbol = part[name.len()..].trim();
        tokens.extend([name, symbol].into_iter().filter(|token| !token.is_empty()));
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(is_letter)
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enclosing_function_is_found_by_indentation() {
        let rust = "impl A {\n    pub fn next(\n        &mut self,\n    ) -> u8 {\n        for a in b {\n            c(a);\n        }\n    }\n}\n";
        assert_eq!(enclosing_function(rust, 6).as_deref(), Some("next"));
        assert_eq!(enclosing_function(rust, 9), None);
        let bounds =
            "    fn inner<T>(a: T) -> T\n    where\n        T: Copy,\n    {\n        a\n    }\n";
        assert_eq!(enclosing_function(bounds, 5).as_deref(), Some("inner"));
        let cpp = "namespace a {\ntemplate <class T>\nstatic int parse(const char *s) {\n  while (*s) {\n    s = skip(s);\n  }\n}\n}\n";
        assert_eq!(enclosing_function(cpp, 5).as_deref(), Some("parse"));
        let attribute =
            "static int __attribute__((noinline)) parse(const char *s) {\n  return 1;\n}\n";
        assert_eq!(enclosing_function(attribute, 2).as_deref(), Some("parse"));
        let go = "func (r *Reader) Count() int {\n\tn := 0\n\treturn n\n}\n";
        assert_eq!(enclosing_function(go, 2).as_deref(), Some("Count"));
        assert_eq!(enclosing_function(go, 99), None);
        let arrow = "export const read = (text) => {\n  const a = b.map((c) => {\n    c;\n";
        assert_eq!(enclosing_function(arrow, 3).as_deref(), Some("read"));
        assert_eq!(enclosing_function("", 0), None);
    }

    #[test]
    fn out_of_tree_build_paths_are_normalized() {
        let paths = [
            "/a/programs/../lib/./b.c",
            "../../lib/b.c",
            "./lib/b.c",
            "lib/b.c",
        ]
        .map(normalize);
        assert_eq!(paths, ["/a/lib/b.c", "../../lib/b.c", "lib/b.c", "lib/b.c"]);
    }

    #[test]
    fn changed_constant_changes_functions_that_use_it() {
        let text = "const rx = /a/\nfunction b(c) {\n  return rx.test(c)\n}\nfunction d() {\n  return rxs\n}\n";
        assert_eq!(constant_users(text, 1), BTreeSet::from(["b".to_owned()]));
        assert!(constant_users(text, 9).is_empty());
    }

    #[test]
    fn hunks_have_line_numbers_of_new_file() {
        let diff = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -4,0 +5,2 @@ fn parse() {\n+    a\n+fn skip() {\n@@ -9 +10,0 @@ fn last() {\n-    c\n";
        let found = parse_hunks(diff);
        let lines: Vec<_> = found
            .iter()
            .map(|hunk| (&*hunk.file, hunk.first, hunk.last))
            .collect();
        assert_eq!(lines, [("a.rs", 5, 6), ("a.rs", 10, 10)]);
        assert!(found[0].functions.contains("skip") && found[1].functions.is_empty());
    }
}
