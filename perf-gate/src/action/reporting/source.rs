//! Finds the source lines that define regressed benchmarks, if exactly one line matches.

use std::path::Path;

use perf_cli::git::Git;
use perf_model::commit::CommitId;
use render_perf_deltas::CompareReport;
use serde::{Deserialize, Serialize};

/// The maximum number of searched benchmarks, because each search reads all sources.
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
    let regressed = report.regressed();
    if regressed.is_empty() {
        return Vec::new();
    }
    let is_there = Git::here()
        .ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")])
        .is_some();
    let tree = if is_there { commit.as_str() } else { "HEAD" };
    let reports = report.benchmarks_by_name();
    let line = |benchmark: String| {
        let (path, line) = definition(&benchmark, tree)?;
        let growth = reports.get(&benchmark).and_then(|report| report.loss);
        let change = growth.map(|growth| format!("{:+.1}%", 100.0 * growth));
        Some(SourceLine {
            path,
            line,
            benchmark,
            change,
        })
    };
    regressed.into_iter().take(MOST).filter_map(line).collect()
}

fn definition(benchmark: &str, tree: &str) -> Option<(String, u64)> {
    marks(benchmark).into_iter().find_map(|(mark, path)| {
        let others = OTHERS.map(|pattern| format!(":(top,exclude){pattern}"));
        let path = path.map_or_else(|| ":/".to_owned(), |path| format!(":(literal){path}"));
        let mut words = vec![
            "grep",
            "-z",
            "-n",
            "-I",
            "--full-name",
            "--fixed-strings",
            "-e",
            &mark,
        ];
        words.extend([tree, "--", &path]);
        words.extend(others.iter().map(String::as_str));
        let found = Git::here().ask(&words)?;
        let mut lines = found.lines();
        let (only, None) = (lines.next()?, lines.next()) else {
            return None;
        };
        let mut fields = only.splitn(3, '\0');
        let path = fields.next()?.split_once(':')?.1.to_owned();
        Some((path, fields.next()?.parse().ok()?))
    })
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
