//! Finds the source lines that define regressed benchmarks, if exactly one line matches, with a single search.

use std::path::Path;

use perf_cli::git::Git;
use perf_model::commit::CommitId;
use render_perf_deltas::CompareReport;
use serde::{Deserialize, Serialize};

/// The maximum number of searched benchmarks.
const MOST: usize = 20;

/// Files that may mention benchmarks but don't define them.
const OTHERS: [&str; 8] = [
    "*.md", "*.json", "*.csv", "*.toml", "*.txt", "*.log", "*.yml", "*.html",
];

/// The definition of a regressed benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The path relative to the repository's root.
    pub path: String,
    pub line: u64,
    pub benchmark: String,
    /// The change, such as `+52.3%`.
    pub change: Option<String>,
}

/// Finds the definitions of regressed benchmarks in a commit, or in `HEAD` if the checkout does not contain the commit.
pub fn lines(report: &CompareReport, commit: &CommitId) -> Vec<SourceLine> {
    let regressed: Vec<String> = report.regressed().into_iter().take(MOST).collect();
    if regressed.is_empty() {
        return Vec::new();
    }
    let Some(sources) = search(&regressed, commit) else {
        return Vec::new();
    };
    let reports = report.benchmarks_by_name();
    let mut found = Vec::new();
    for benchmark in regressed {
        let Some((path, line)) = definition(&benchmark, &sources) else {
            continue;
        };
        let growth = reports.get(&benchmark).and_then(|report| report.loss);
        found.push(SourceLine {
            path: path.to_owned(),
            line,
            benchmark,
            change: growth.map(|growth| format!("{:+.1}%", 100.0 * growth)),
        });
    }
    found
}

/// The lines that contain a text by which a benchmark may be defined, as git prints them.
fn search(benchmarks: &[String], commit: &CommitId) -> Option<String> {
    let mut words = ["grep", "-z", "-n", "-I", "--full-name", "--fixed-strings"]
        .map(str::to_owned)
        .to_vec();
    for (mark, _) in benchmarks.iter().flat_map(|benchmark| marks(benchmark)) {
        words.extend(["-e".to_owned(), mark]);
    }
    let others = OTHERS.map(|pattern| format!(":(top,exclude){pattern}"));
    for tree in [commit.as_str(), "HEAD"] {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend([tree, "--", ":/"]);
        words.extend(others.iter().map(String::as_str));
        if let Some(found) = Git::here().ask(&words) {
            return Some(found);
        }
    }
    None
}

/// The only line that contains one of a benchmark's marks.
fn definition<'s>(benchmark: &str, sources: &'s str) -> Option<(&'s str, u64)> {
    for (mark, file) in marks(benchmark) {
        let mut places = Vec::new();
        for line in sources.lines() {
            // `TREE:PATH`, the number, and the text.
            let mut fields = line.splitn(3, '\0');
            let (Some(place), Some(number), Some(text)) =
                (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let path = place.split_once(':').map_or(place, |(_, path)| path);
            // The suite may be in a folder of the repository.
            let is_in_file = match file {
                Some(file) => path == file || path.ends_with(&format!("/{file}")),
                None => true,
            };
            if is_in_file && text.contains(&mark) {
                places.push((path, number.parse().ok()?));
            }
        }
        if let [only] = places[..] {
            return Some(only);
        }
    }
    None
}

/// Texts that may define a benchmark, most specific first, each with the file that the benchmark's name contains, if any.
fn marks(benchmark: &str) -> Vec<(String, Option<&str>)> {
    if let Some((path, names)) = benchmark
        .split_once("::")
        .filter(|(path, _)| is_python(path))
    {
        let function = names
            .split('[')
            .next()
            .and_then(|names| names.rsplit("::").next());
        return function
            .map(|function| (format!("def {function}("), Some(path)))
            .into_iter()
            .collect();
    }
    let begins = |at: &usize| *at == 0 || benchmark[..*at].ends_with('.');
    if let Some(at) = benchmark
        .match_indices("Benchmark")
        .map(|(at, _)| at)
        .find(begins)
    {
        let name = benchmark[at..]
            .split(['/', '-', ' '])
            .next()
            .unwrap_or_default();
        return vec![(format!("func {name}("), None)];
    }
    let parts = benchmark
        .split('/')
        .filter(|part| part.chars().any(char::is_alphabetic));
    let names = [benchmark]
        .into_iter()
        .chain(parts.filter(|part| *part != benchmark));
    names
        .flat_map(|name| {
            [
                (format!("\"{name}\""), None),
                (format!("BENCHMARK({name})"), None),
            ]
        })
        .collect()
}

fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|kind| kind == "py")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_text_follows_tool_naming() {
        let first = |name| marks(name).swap_remove(0);
        assert_eq!(
            first("tests/a.py::Slow::test_b[1-x]"),
            ("def test_b(".to_owned(), Some("tests/a.py"))
        );
        assert_eq!(
            first("example.com/url.BenchmarkParse/long-8"),
            ("func BenchmarkParse(".to_owned(), None)
        );
        let group: Vec<String> = marks("count/words/16")
            .into_iter()
            .map(|(mark, _)| mark)
            .collect();
        assert_eq!(
            group[..3],
            [
                "\"count/words/16\"",
                "BENCHMARK(count/words/16)",
                "\"count\""
            ]
        );
        assert!(group.contains(&"\"words\"".to_owned()) && !group.contains(&"\"16\"".to_owned()));
    }
}
