//! Parses the command in a comment's first line.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Measures the newest commit: only the benchmarks whose names contain the filter.
    Bench { filter: String },
    /// Accepts a benchmark's regression.
    Accept { benchmark: String, reason: String },
}

/// The maximum length of a command in characters.
const LONGEST: usize = 500;

const USAGE: &str = "The commands are `/bench`, `/bench FILTER` and `/perf accept BENCHMARK --reason TEXT`, in the first line.";

/// Parses a command. An error is the usage, for the reply. `None` for a comment without a command.
pub(super) fn command(body: &str) -> Option<Result<Command, &'static str>> {
    let line = body.lines().next()?.trim_end();
    let plain: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST)
        .collect();
    let (word, rest) = plain
        .split_once(' ')
        .map_or((&*plain, ""), |(word, rest)| (word, rest.trim()));
    match word {
        "/bench" => {
            let filter = rest.to_owned();
            Some(Ok(Command::Bench { filter }))
        }
        "/perf" => {
            let accepted = rest.strip_prefix("accept ").unwrap_or_default();
            let (benchmark, reason) = accepted.split_once(" --reason").unwrap_or_default();
            let [benchmark, reason] =
                [benchmark, reason].map(|text| text.trim_matches([' ', '=', '"', '`']).to_owned());
            if benchmark.is_empty() || reason.is_empty() {
                return Some(Err(USAGE));
            }
            Some(Ok(Command::Accept { benchmark, reason }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_line_is_a_command() {
        let bench = |filter: &str| {
            let filter = filter.to_owned();
            Some(Ok(Command::Bench { filter }))
        };
        assert_eq!(command("/bench"), bench(""));
        assert_eq!(command("/bench  \r\nthanks"), bench(""));
        assert_eq!(
            command("/bench parse; rm -rf $(x)\n"),
            bench("parse; rm -rf $(x)")
        );
        assert_eq!(command("/bench a\u{1b}[2Jb"), bench("a[2Jb"));
        for none in [
            "",
            "bench",
            "> /bench",
            " /bench",
            "/benchmark",
            "please /bench",
            "\n/bench",
        ] {
            assert_eq!(command(none), None, "{none}");
        }
    }

    #[test]
    fn accept_requires_benchmark_and_reason() {
        let accept = |benchmark: &str, reason: &str| {
            Some(Ok(Command::Accept {
                benchmark: benchmark.to_owned(),
                reason: reason.to_owned(),
            }))
        };
        assert_eq!(
            command("/perf accept Parse --reason it checks more"),
            accept("Parse", "it checks more")
        );
        assert_eq!(
            command("/perf accept `a b` --reason \"is = fine\""),
            accept("a b", "is = fine")
        );
        for wrong in [
            "/perf",
            "/perf accept",
            "/perf accept Parse",
            "/perf accept Parse --reason",
            "/perf x",
        ] {
            assert_eq!(command(wrong), Some(Err(USAGE)), "{wrong}");
        }
    }
}
