//! Parses the command in a comment's first line.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Measures the newest commit, with a filter only the benchmarks whose names contain it.
    Bench { filter: Option<String> },
    /// Accepts a benchmark's regression.
    Accept { benchmark: String, reason: String },
}

/// The maximum length of a command in characters.
const LONGEST: usize = 500;

const USAGE: &str = "The commands are `/bench`, `/bench FILTER` and `/perf accept BENCHMARK --reason TEXT`, in the first line.";

/// Parses a command. An error is the usage, for the reply. `None` for a comment without a command.
pub(super) fn command(body: &str) -> Option<Result<Command, String>> {
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
            let filter = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
            Some(Ok(Command::Bench { filter }))
        }
        "/perf" => {
            let accepted = rest
                .strip_prefix("accept ")
                .and_then(|rest| rest.split_once(" --reason"));
            let (benchmark, reason) = accepted.unwrap_or_default();
            let [benchmark, reason] =
                [benchmark, reason].map(|text| text.trim_matches([' ', '=', '"', '`']).to_owned());
            let is_whole = !benchmark.is_empty() && !reason.is_empty();
            Some(if is_whole {
                Ok(Command::Accept { benchmark, reason })
            } else {
                Err(USAGE.to_owned())
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_line_is_a_command() {
        let bench = |filter: Option<&str>| {
            Some(Ok(Command::Bench {
                filter: filter.map(str::to_owned),
            }))
        };
        assert_eq!(command("/bench"), bench(None));
        assert_eq!(command("/bench  \r\nthanks"), bench(None));
        assert_eq!(
            command("/bench parse; rm -rf $(x)\n"),
            bench(Some("parse; rm -rf $(x)"))
        );
        assert_eq!(command("/bench a\u{1b}[2Jb"), bench(Some("a[2Jb")));
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
            assert_eq!(command(wrong), Some(Err(USAGE.to_owned())), "{wrong}");
        }
    }
}
