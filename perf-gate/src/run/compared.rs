//! Compared libraries, found by how benchmarks are named: `send/flume`, `send/kanal`, `receive/flume`, `receive/kanal`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many works and libraries there are at least: fewer names say nothing.
const FEWEST: usize = 2;

/// The `[comparison]` of benchmarks with these names, if each work was done by the same libraries; as a comment where no
/// library has the name of the project, so that somebody has to say which one is its own.
pub(super) fn section(names: &[&str], project: &Path) -> Option<String> {
    let mut works: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for name in names {
        let (work, library) = name
            .split_once('/')
            .filter(|(_, library)| !library.contains('/'))?;
        works.entry(work).or_default().insert(library);
    }
    let libraries = works.values().next()?;
    // Sizes and other parameters are no libraries.
    let is_named = |library: &&str| library.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_grid = works.len() >= FEWEST && works.values().all(|other| other == libraries);
    if !is_grid || libraries.len() < FEWEST || !libraries.iter().all(is_named) {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let own = project
        .file_name()
        .map(|name| plain(&name.to_string_lossy()));
    let subject = libraries.iter().find(|library| Some(plain(library)) == own);
    let keys = |all: &mut dyn Iterator<Item = &&str>| {
        all.map(|key| format!("{{ key = {} }}", quoted(key)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let text = [
        "[comparison]".to_owned(),
        "pattern = \"{work}/{library}\"".to_owned(),
        format!("subject = {}", quoted(subject.or(libraries.first())?)),
        format!("technologies = [{}]", keys(&mut libraries.iter())),
        format!("scenarios = [{}]", keys(&mut works.keys())),
    ];
    if subject.is_some() {
        return Some(text.join("\n") + "\n");
    }
    let lines = text.join("\n# ");
    Some(format!(
        "# if these are libraries: only the rows of `subject`, your own, are gated then\n# {lines}\n"
    ))
}

/// Texts that are written as JSON, which TOML and YAML read as well.
pub(super) fn quoted(text: impl AsRef<str>) -> String {
    serde_json::Value::from(text.as_ref()).to_string()
}

#[cfg(test)]
mod tests {
    use perf_config::Config;

    use super::*;

    const GRID: [&str; 4] = ["send/flume", "send/kanal", "receive/flume", "receive/kanal"];

    #[test]
    fn a_grid_of_work_and_libraries_is_a_comparison() {
        let text = section(&GRID, Path::new("/home/me/Flume")).unwrap();
        let comparison = Config::parse(&text).unwrap().comparison.unwrap();
        assert_eq!(
            (&*comparison.subject, comparison.pattern().as_str()),
            ("flume", "{work}/{library}")
        );
        assert_eq!(
            (comparison.technologies.len(), comparison.scenarios.len()),
            (2, 2)
        );
        let comment = section(&GRID, Path::new("/home/me/other")).unwrap();
        assert!(
            comment.lines().all(|line| line.starts_with("# ")),
            "{comment}"
        );
        assert!(Config::parse(&comment).unwrap().comparison.is_none());
    }

    #[test]
    fn other_names_are_none() {
        for names in [
            &["send/flume", "send/kanal"][..],
            &["fib/10", "fib/20", "sum/10", "sum/20"],
            &["send/flume", "send/kanal", "receive/flume"],
            &[
                "send/flume/1",
                "send/kanal/1",
                "receive/flume/1",
                "receive/kanal/1",
            ],
            &[
                "send/flume",
                "send/kanal",
                "receive/flume",
                "receive/kanal",
                "parse",
            ],
            &["parse"],
            &[],
        ] {
            assert_eq!(section(names, Path::new("flume")), None, "{names:?}");
        }
    }
}
