//! Converts row names to the filters with which benchmark tools select benchmarks.

use std::ffi::OsString;

use super::kinds::ToolKind;
use super::options;
use super::parts::BenchTool;
use crate::benchmarks::distinct;

/// A filter as command-line words.
pub struct Filter {
    /// The command's arguments without its own filter.
    pub remaining: Vec<OsString>,
    pub words: Vec<OsString>,
}

/// Options of cargo, Criterion and divan that take no value.
const CARGO_FLAGS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "--workspace",
    "--all",
    "--lib",
    "--benches",
    "--all-targets",
    "--all-features",
    "--no-default-features",
    "--no-run",
    "--no-fail-fast",
    "--locked",
    "--offline",
    "--frozen",
    "--noplot",
    "-n",
    "--exact",
    "--quick",
    "--nocapture",
];

/// Options of pytest and its plugins that take no value, so a path may follow them.
const PYTEST_FLAGS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "-x",
    "-s",
    "--codspeed",
    "--benchmark-only",
];

/// Returns a filter that selects these benchmarks. Returns `None` if the tool has no filter, or if the command's own filter
/// cannot be replaced.
pub fn filter_for(found: &BenchTool, names: &[&str]) -> Option<Filter> {
    let arguments = &found.arguments;
    let all = names.iter().copied();
    let (remaining, pattern) = match found.tool {
        ToolKind::Go | ToolKind::GoBinary => return option(found, &go(names)),
        ToolKind::GoogleBenchmark => {
            let both = all.flat_map(|name| [name, without_number(name, " #")]);
            return option(found, &one_of(both));
        }
        ToolKind::Vitest => return option(found, &vitest(names)),
        ToolKind::PytestBenchmark | ToolKind::PytestCodspeed => return node_ids(found, names),
        ToolKind::Libtest => {
            let words = distinct(all.map(|name| name.rsplit("::").next().unwrap_or(name)));
            if words
                .iter()
                .any(|word| word.is_empty() || word.starts_with('-'))
            {
                return None;
            }
            return Some(Filter {
                remaining: cargo_options(arguments),
                words: words.iter().map(OsString::from).collect(),
            });
        }
        ToolKind::Criterion => {
            let names = all.map(|name| without_number(name, " #"));
            (cargo_options(arguments), one_of(names))
        }
        ToolKind::Divan => (cargo_options(arguments), one_of(all)),
        ToolKind::Jmh => {
            let names = all.map(|name| name.split_once(" (").map_or(name, |(name, _)| name));
            (without_positional(arguments, &[]), one_of(names))
        }
        _ => return None,
    };
    Some(Filter {
        remaining,
        words: vec![pattern.into()],
    })
}

/// Returns the filter as an option, under its first name. Returns `None` if a package.json script already contains a
/// filter, because a second one would be an error.
fn option(found: &BenchTool, pattern: &str) -> Option<Filter> {
    let names = found.tool.profile().filter;
    if options::find(&found.script, names).is_some() {
        return None;
    }
    Some(Filter {
        remaining: options::without(&found.arguments, names),
        words: vec![format!("{}={pattern}", names[0]).into()],
    })
}

/// Removes the filter from the arguments of `cargo bench`.
fn cargo_options(arguments: &[OsString]) -> Vec<OsString> {
    let mut remaining = without_positional(arguments, CARGO_FLAGS);
    remaining.retain(|word| word != "--exact");
    remaining
}

/// Removes words that are neither options nor values of options.
fn without_positional(arguments: &[OsString], flags: &[&str]) -> Vec<OsString> {
    without_places(arguments, &options::positional(arguments, flags))
}

fn without_places(arguments: &[OsString], places: &[usize]) -> Vec<OsString> {
    let others = arguments.iter().enumerate();
    let others = others.filter(|(at, _)| !places.contains(at));
    others.map(|(_, word)| word.clone()).collect()
}

/// Escapes text for all dialects of regular expressions. `]` and `}` need no backslash, and in POSIX expressions it
/// would be an error.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if r"\^$.|?*+()[{".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Returns a regular expression that matches exactly these names.
fn one_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("^({})$", distinct(names.map(escaped)).join("|"))
}

/// Returns one pattern per level of sub-benchmarks. Go skips benchmarks that have fewer levels than the pattern, so the
/// shortest name determines the number of levels. The names at one level are combined, which may select more benchmarks
/// than requested.
fn go(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().flat_map(|name| go_names(name)).collect();
    let depth = names
        .iter()
        .map(|name| name.split('/').count())
        .min()
        .unwrap_or(1);
    let level = |level: usize| {
        let parts = names.iter().filter_map(|name| name.split('/').nth(level));
        one_of(parts.flat_map(|part| [part, without_number(part, "-")]))
    };
    (0..depth).map(level).collect::<Vec<_>>().join("/")
}

/// Returns the benchmark's name without package and labels. Returns several candidates if it is unclear where the package
/// ends.
fn go_names(name: &str) -> Vec<&str> {
    let name = name.split_once(' ').map_or(name, |(name, _)| name);
    let places = name.match_indices("Benchmark").map(|(at, _)| at);
    let begins = places.filter(|at| *at == 0 || name[..*at].ends_with('.'));
    let names: Vec<&str> = begins.map(|at| &name[at..]).collect();
    if names.is_empty() { vec![name] } else { names }
}

/// Removes a number after the separator. Go appends the number of processors to each name. ` #2` is added to the second
/// benchmark with the same name.
fn without_number<'n>(name: &'n str, separator: &str) -> &'n str {
    match name.rsplit_once(separator) {
        Some((before, number)) if !before.is_empty() && number.parse::<u32>().is_ok() => before,
        _ => name,
    }
}

/// Replaces the command's paths that select these benchmarks with the benchmarks' pytest node IDs. Returns `None` if a name
/// is not a node ID, or if the paths do not select all of the benchmarks.
fn node_ids(found: &BenchTool, names: &[&str]) -> Option<Filter> {
    let arguments = &found.arguments;
    let selects = |at: usize, name: &&str| {
        let path = arguments[at].to_string_lossy();
        let rest = name.strip_prefix(path.trim_end_matches('/'));
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['/', '[']) || rest.starts_with("::")
        })
    };
    let all = options::positional(arguments, PYTEST_FLAGS);
    let mut paths = all.clone();
    paths.retain(|at| names.iter().any(|name| selects(*at, name)));
    let is_selected = |name: &&str| paths.iter().any(|at| selects(*at, name));
    let are_ids = names.iter().all(|name| name.contains("::"));
    if !are_ids || !(all.is_empty() || names.iter().all(is_selected)) {
        return None;
    }
    Some(Filter {
        remaining: without_places(arguments, &paths),
        words: names.iter().map(OsString::from).collect(),
    })
}

/// Returns a pattern of group and benchmark names, without the file. Vitest joins the names with a space or with ` > `, so
/// the pattern accepts either.
fn vitest(names: &[&str]) -> String {
    let names = names.iter().map(|name| {
        let inner = name.split_once(" > ").map_or(*name, |(_, inner)| inner);
        escaped(inner).replace(" > ", "( | > )")
    });
    format!("({})$", names.collect::<Vec<_>>().join("|"))
}
