//! The command line that reproduces a run, for its report.

use std::path::Path;

use perf_report::shell::CommandLine;
use render_perf_deltas::Reproduction;

use super::Cli;

/// The command line in two parts: `perf-gate run` with options, and the benchmark with its build and config.
pub(super) fn reproduction(cli: &Cli) -> Reproduction {
    let mut line = CommandLine::new("perf-gate run");
    line.option("--base", cli.base.as_ref());
    line.option("--shard", cli.shard);
    let pattern = cli.filter.benchmark();
    line.option(
        "--filter",
        pattern.map(|pattern| format!("benchmark={pattern}")),
    );
    let limit = cli.time_limit.map(|limit| limit.as_secs_f64());
    line.option("--time-limit", limit.map(|seconds| format!("{seconds}s")));
    line.option("--harness-from", cli.harness_from.as_ref());
    line.files("--output-of", &cli.launch.output_of);
    line.option("--format", cli.launch.format.map(|format| format.name));
    line.files("--baseline", &cli.baseline);
    line.flag("--two-paths", cli.two_paths);
    line.flag("--as-is", cli.launch.as_is);

    let words = cli.launch.command.iter();
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let config = cli.general.config.as_deref();
    Reproduction {
        command: line.text(),
        benchmark: Some(benchmark_words(cli.build.as_deref(), config, &words)),
        ..Reproduction::default()
    }
}

/// The end of every command that measures: build, config and benchmark. Empty if all come from the default config.
pub(crate) fn benchmark_words(
    build: Option<&str>,
    config: Option<&Path>,
    words: &[String],
) -> String {
    let mut line = CommandLine::default();
    line.option("--build", build);
    line.option("--config", config.map(Path::display));
    line.command(words);
    line.text()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        cli: Cli,
    }

    fn reproduce(line: &[&str]) -> [String; 2] {
        let line = Line::try_parse_from(["run"].iter().chain(line)).unwrap();
        let reproduction = reproduction(&line.cli);
        [reproduction.command, reproduction.benchmark.unwrap()]
    }

    #[test]
    fn options_and_benchmark_are_repeated() {
        let line = [
            "-r",
            "HEAD~1",
            "--build",
            "make -j",
            "--time-limit=1.5m",
            "--two-paths",
            "--as-is",
            "--",
            "sh",
            "-c",
            "./bench | tail",
        ];
        let [command, benchmark] = reproduce(&line);
        assert_eq!(
            command,
            "perf-gate run --base 'HEAD~1' --time-limit 90s --two-paths --as-is"
        );
        assert_eq!(benchmark, "--build 'make -j' -- sh -c './bench | tail'");
        assert_eq!(
            reproduce(&["--config", "ci/gate.toml"])[1],
            "--config ci/gate.toml"
        );
        assert_eq!(reproduce(&[]), ["perf-gate run", ""]);
    }
}
